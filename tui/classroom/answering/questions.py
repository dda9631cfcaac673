"""The questions of the slide shown: answered by keys, locked and graded, asked again, revealed and explained.

Their state is the class's (`ClassState.questions`), so a screen that comes back shows it as it was. A screen
of the room that may answer keeps its own answers here: nobody else is told them with its name.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from quiz.kinds.kind import of
from quiz.kinds.registry import LINED, SILENT, TYPED
from quiz.question import Question, Trouble
from runtime.classroom.actions import Again, Answer, Hint, Lock, Open, Reveal
from runtime.classroom.question_state import Comment, QuestionState
from runtime.protocol.messages import Reply
from slides.deck import Quiz
from tui.classroom.answering.counted_hands import CountedHands
from tui.classroom.answering.prediction import Prediction, predicted
from tui.classroom.session import Session

Given = tuple[tuple[int, ...], tuple[str, ...]]  # a choice, and what was typed
NOTHING: Given = ((), ())


class Answering:
    """Each action returns "" when done, else one line that says what to do first."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.hands = CountedHands(session, self.current)
        self._parsed: dict[tuple[str, str, int, str], Question | tuple[Trouble, ...]] = {}
        self.tell: Callable[[Reply], None] = lambda reply: (
            None
        )  # the way to the host, of a screen of the room
        # What a screen of the room has answered, by question, round, and when that was opened.
        self._mine: dict[tuple[str, int, float], list[Given]] = {}

    # --- which question ---------------------------------------------------------------------------------

    def parsed(self, quiz: Quiz) -> Question | tuple[Trouble, ...]:
        """The block as a question in the arrangement of the class, or what is wrong with it; an audience's
        question has no key."""
        key = (self._session.contents.rev, quiz.id, quiz.line, self._session.state.seed)
        found = self._parsed.get(key)
        if found is None:
            found = self._parsed[key] = self._parse(quiz)
        return found

    def _parse(self, quiz: Quiz) -> Question | tuple[Trouble, ...]:
        from quiz.shuffle import arranged
        from tui.deck import question_of_block

        ours = self._session.role == "console"
        if ours and (twin := question_of_block.twin(self._session.contents, quiz)):
            return (twin,)
        read = question_of_block.read(quiz, redacted=not ours)
        if isinstance(read, Question) and ours:
            if quiz.directive == "predict" and isinstance(
                plan := predicted(self._session.contents, quiz), Trouble
            ):
                return (plan,)
            return arranged(read, self._session.state.seed)
        return read

    def shown(self) -> list[Question]:
        """The readable questions of the slide shown, from the step that shows them on."""
        session = self._session
        blocks = session.contents.quizzes(session.index)
        read = [self.parsed(quiz) for quiz in blocks if quiz.at <= session.step]
        return [q for q in read if isinstance(q, Question) and q.kind not in SILENT]

    def current(self) -> tuple[Question, QuestionState] | None:
        """The question keys go to: the first shown that is not revealed, else the last one revealed."""
        pairs = [(q, state) for q in self.shown() if (state := self._session.question(q.id))]
        waiting = [pair for pair in pairs if pair[1].phase != "revealed"]
        return next(iter(waiting or pairs[-1:]), None)

    def prediction(self) -> tuple[Prediction, QuestionState] | None:
        """What the newest question of the slide that is a prediction is about, and its state."""
        session = self._session
        for quiz in session.contents.quizzes(session.index):
            state = session.question(quiz.id)
            plan = predicted(session.contents, quiz) if quiz.directive == "predict" else None
            if state is not None and isinstance(plan, Prediction):
                return plan, state
        return None

    def open_shown(self) -> None:
        """A question takes answers from the moment it is shown; one that an edit made another one, anew."""
        for question in self.shown():
            count = question.places
            state = self._session.question(question.id)
            other = state is not None and (state.kind, state.options) != (question.kind, count)
            if state is None or (other and state.phase != "revealed"):
                self._session.act(Open(question.id, question.kind, count, question.time_s))

    @property
    def taking(self) -> bool:
        """Whether digits, Enter and `e` belong to a question now."""
        current = self.current()
        return current is not None and current[1].phase == "open"

    def look(self, id: str) -> Hashable:
        """All that the picture of a question depends on besides its text."""
        state = self._session.question(id) or QuestionState(id, "", 0)
        told = (state.votes, tuple(one.votes for one in state.before)) if state.phase == "revealed" else ()
        counted = state.answered if any((state.people, state.hands)) else 0
        return (
            *(state.phase, told, self.picked(id), self.typed(id), state.hints, len(state.before), counted),
            *(len(state.samples), self.left_s(state)),
        )

    def left_s(self, state: QuestionState) -> int | None:
        """Whole seconds until an open question locks by itself; None: nothing limits it."""
        closes = state.closes_at()
        return None if closes is None else max(0, int(-(-(closes - self._session.now()) // 1)))

    def tick(self) -> None:
        """Lock what has had its time."""
        current = self.current()
        if current is None or not self._session.driving:
            return
        closes = current[1].closes_at()
        if closes is not None and self._session.now() >= closes:
            self._lock(*current)

    # --- an answer --------------------------------------------------------------------------------------

    def _given(self, id: str) -> Given:
        """This screen's answer; after a reattach, the one given by the console before it."""
        state = self._session.question(id)
        if state is None:
            return NOTHING
        if self._session.role != "console":
            return next(reversed(self._mine.get((id, len(state.before), state.opened), ())), NOTHING)
        own = self._session.screen
        if own in state.answers or own in state.texts:
            return state.answers.get(own, ()), state.texts.get(own, ())
        consoles = [name for name in (*state.answers, *state.texts) if name not in state.people]
        last = consoles[-1] if consoles else ""
        return state.answers.get(last, ()), state.texts.get(last, ())

    def picked(self, id: str) -> tuple[int, ...]:
        """The options, places or lines chosen here (0-based)."""
        return self._given(id)[0]

    def typed(self, id: str) -> tuple[str, ...]:
        """What was typed here."""
        return self._given(id)[1]

    def _give(self, question: Question, choice: tuple[int, ...], text: tuple[str, ...] = ()) -> None:
        session = self._session
        if session.role == "console":
            session.act(Answer(question.id, choice, text))
            return
        state = session.question(question.id)
        if state is not None and state.phase == "open":
            self._mine.setdefault((question.id, len(state.before), state.opened), []).append((choice, text))
            self.tell(Reply(question.id, len(state.before), choice, text))

    def recalled(self, id: str, n: int, given: Given) -> None:
        """What this person has answered in round `n` of a question, at another screen or before."""
        state = self._session.question(id)
        if state is not None and n == len(state.before):
            self._mine.setdefault((id, n, state.opened), []).append(given)

    def withdrawn(self, id: str) -> bool:
        """The newest answer of this screen came too late: the one before it counts. False: there was none."""
        given = next((given for key, given in reversed(self._mine.items()) if key[0] == id and given), None)
        if given is not None:
            given.pop()
        return given is not None

    def pick(self, option: int) -> str:
        """A digit, 0-based: an option on or off, the next place of an order, the right side of the next
        prompt, a line of code digit by digit."""
        current = self.current()
        if current is None or current[1].phase != "open":
            return ""
        question, state = current
        picked = self.picked(question.id)
        if question.kind in LINED:
            return self._pick_line(question, state.options, picked, option + 1)
        if question.kind in TYPED:
            return ""
        if option >= len(question.options):
            return f"this question has {len(question.options)} answers"
        chosen = of(question.kind).pick(question, picked, option)
        if question.prompts and chosen == picked:
            return "all have one: press that of a pair again to take it out"
        self._give(question, chosen)
        return ""

    def _pick_line(self, question: Question, count: int, picked: tuple[int, ...], digit: int) -> str:
        longer = 10 * (picked[0] + 1) + digit if picked else digit
        line = longer if longer <= count else digit
        if not 1 <= line <= count:
            return f"a line from 1 to {count}"
        self._give(question, (line - 1,))
        return ""

    def point(self, by: int) -> bool:
        """Move the chosen line of code up or down; False where no line is asked for."""
        current = self.current()
        if current is None or current[1].phase != "open" or current[0].kind not in LINED:
            return False
        question, state = current
        picked = self.picked(question.id)
        line = picked[0] + by if picked else (0 if by > 0 else state.options - 1)
        self._give(question, (max(0, min(state.options - 1, line)),))
        return True

    @property
    def points(self) -> bool:
        """Whether the open question asks for a line of code."""
        current = self.current()
        return current is not None and current[1].phase == "open" and current[0].kind in LINED

    @property
    def types(self) -> bool:
        """Whether the open question is answered by typing."""
        current = self.current()
        return current is not None and current[1].phase == "open" and current[0].kind in TYPED

    @property
    def unwritten(self) -> bool:
        """Whether the open question waits for an answer to be written here: by whom it is answered at all."""
        current = self.current()
        if current is None or not self.types or any(self.typed(current[0].id)):
            return False
        return self._session.may_answer or not current[1].answered

    def why_not(self, text: str) -> str:
        """Why a line is not an answer to the open question; "" when it is one."""
        from quiz.reply import read_reply

        current = self.current()
        read = read_reply(current[0], text) if current is not None else ""
        return read if isinstance(read, str) else ""

    def labelled(self, text: str) -> bool:
        """Whether a line answers the open question by the labels of its options: words alone never do."""
        current = self.current()
        if current is None or not (
            current[0].options or (current[0].gaps and (";" in text or current[0].gaps[0].offered))
        ):
            return False
        return not self.why_not(text)

    def type(self, text: str) -> None:
        """The answer in a line that was typed; an empty one takes it back."""
        from quiz.reply import read_reply

        current = self.current()
        read = read_reply(current[0], text) if current is not None else ""
        if current is not None and not isinstance(read, str):
            self._give(current[0], read.choice, read.text)

    # --- what the driver does ---------------------------------------------------------------------------

    def lock(self) -> str:
        """Lock what is given; return what must be answered first, "" where nothing is wrong."""
        current = self.current()
        if current is None or current[1].phase != "open":
            return ""
        question, state = current
        if not state.answered and (first := self.missing()):
            return first
        self._lock(question, state)
        return ""

    def missing(self) -> str:
        """What to do first where nothing is answered yet, "" where something is."""
        current = self.current()
        if current is None or self._given(current[0].id) != NOTHING:
            return ""
        return of(current[0].kind).first(current[0])

    def _lock(self, question: Question, state: QuestionState) -> None:
        from quiz.grade import grade

        choice, text = given = self._given(question.id)
        if not question.keyed or given == NOTHING:
            out_of = question.points if question.keyed else 0.0
            self._session.act(Lock(question.id, choice, None, out_of, text))
            return
        result = grade(question, choice, text)
        self._session.act(Lock(question.id, choice, result.points, result.out_of, text, result.parts))

    def close(self) -> None:
        """Lock the open question, answered or not: what comes now would tell the answer."""
        current = self.current()
        if current is not None and current[1].phase == "open":
            self._lock(*current)

    def reveal(self) -> str:
        """Show the key with every explanation; an answer still open is locked, and so graded, first."""
        from quiz.answer_key import remarks, told

        current = self.current()
        if current is None or current[1].phase == "revealed":
            return ""
        question, state = current
        if state.phase == "open" and (self._given(question.id) != NOTHING or state.answered):
            self._lock(question, state)
        said, general = told(question), question.explain
        comments = tuple(Comment(*remark) for remark in remarks(question))
        if (found := self.prediction()) is not None and found[1].id == question.id:
            plan = found[0]
            if question.keyed:
                general = "\n\n".join(filter(None, (plan.otherwise(question, state), general)))
            else:
                comments = ()
                said, general = plan.verdict(question, state), plan.general(question, state)
        self._session.act(
            Reveal(question.id, said.key, said.explain, general, said.accepted, said.undecided, comments)
        )
        return ""

    def hint(self) -> str:
        """One hint more."""
        current = self.current()
        if current is None or current[1].phase == "revealed":
            return "no question here has a hint"
        question, state = current
        if len(state.hints) >= len(question.hints):
            return "no more hints" if question.hints else "this question has no hints"
        self._session.act(Hint(question.id, question.hints[: len(state.hints) + 1]))
        return ""

    def again(self) -> str:
        """Vote once more, after the room has talked; the first vote stays hidden until the reveal."""
        current = self.current()
        if current is None or current[1].phase == "revealed":
            return "no question here can be asked again before its reveal"
        if not current[1].answered:
            return "nobody has answered yet"
        if len(current[1].before) > 0:
            return "this is the second vote already: e reveals both"
        if current[1].samples:
            return "the measurement has begun: predictions are closed"
        self._session.act(Again(current[0].id))
        return ""
