"""The questions of the slide shown: picked by digit, locked and graded, revealed and explained.

Their state is the class's (`ClassState.questions`), so a screen that comes back shows it as it was.
"""

from __future__ import annotations

from quiz.question import Question, Trouble
from runtime.liveclass import Answer, Lock, Open, QuestionState, Reveal
from slides.deck import Quiz
from tui.session import Session


class Answering:
    """Each action returns "" when done, else one line that says what to do first."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._parsed: dict[tuple[str, str], Question | tuple[Trouble, ...]] = {}

    def parsed(self, quiz: Quiz) -> Question | tuple[Trouble, ...]:
        """The block as a question, or what is wrong with it; an audience's question has no key."""
        key = (self._session.contents.rev, quiz.id)
        found = self._parsed.get(key)
        if found is None:
            found = self._parsed[key] = self._parse(quiz)
        return found

    def _parse(self, quiz: Quiz) -> Question | tuple[Trouble, ...]:
        if quiz.directive != "quiz":
            what = f"`::: {quiz.directive}` is not played by this version"
            return (Trouble(quiz.line, what, "Write `::: quiz`, with the right option ticked, to ask it"),)
        from quiz.parse import parse_question

        redacted = self._session.role != "console"
        read = parse_question(quiz.id, quiz.kind, quiz.attrs, quiz.body, quiz.body_line, redacted=redacted)
        if isinstance(read, Question) and read.kind not in ("single", "multi"):
            what = f"`kind={read.kind}` is not played by this version"
            return (Trouble(quiz.line, what, "Ask it with options"),)
        return read

    def shown(self) -> list[Question]:
        """The readable questions of the slide shown, from the step that shows them on."""
        session = self._session
        blocks = session.contents.quizzes(session.index)
        read = [self.parsed(quiz) for quiz in blocks if quiz.at <= session.step]
        return [question for question in read if isinstance(question, Question)]

    def current(self) -> tuple[Question, QuestionState] | None:
        """The question keys go to: the first shown that is not revealed, else the last one revealed."""
        pairs = [(q, state) for q in self.shown() if (state := self._session.question(q.id))]
        waiting = [pair for pair in pairs if pair[1].phase != "revealed"]
        return next(iter(waiting or pairs[-1:]), None)

    def open_shown(self) -> None:
        """A question takes answers from the moment it is shown."""
        for question in self.shown():
            if self._session.question(question.id) is None:
                self._session.act(Open(question.id, question.kind, len(question.options)))

    def picked(self, id: str) -> tuple[int, ...]:
        """This screen's choice; after a reattach, the one given by the screen before it."""
        state = self._session.question(id)
        if state is None or not state.answers:
            return ()
        mine = state.answers.get(self._session.screen)
        return mine if mine is not None else list(state.answers.values())[-1]

    @property
    def taking(self) -> bool:
        """Whether digits, Enter and `e` belong to a question now."""
        current = self.current()
        return current is not None and current[1].phase == "open"

    def pick(self, option: int) -> str:
        """Choose 0-based `option`: the only one of a single choice, on or off in a multiple choice."""
        current = self.current()
        if current is None or current[1].phase != "open":
            return ""
        question, _ = current
        if option >= len(question.options):
            return f"this question has {len(question.options)} answers"
        picked = set(self.picked(question.id))
        picked = picked ^ {option} if question.kind == "multi" else {option}
        self._session.act(Answer(question.id, tuple(sorted(picked))))
        return ""

    def lock(self) -> str:
        current = self.current()
        if current is None or current[1].phase != "open":
            return ""
        from quiz.grade import grade

        question, _ = current
        choice = self.picked(question.id)
        if not choice:
            return f"pick an answer first: 1 to {len(question.options)}"
        result = grade(question, choice)
        self._session.act(Lock(question.id, choice, result.points, result.out_of))
        return ""

    def reveal(self) -> str:
        """Show the key with every explanation; an answer still open is locked, and so graded, first."""
        current = self.current()
        if current is None:
            return ""
        question, state = current
        if state.phase == "revealed":
            return ""
        if state.phase == "open" and self.picked(question.id):
            self.lock()
        explain = tuple(option.explain for option in question.options)
        self._session.act(Reveal(question.id, question.key, explain, question.explain))
        return ""
