"""One sitting of somebody who studies: which questions were asked, how it went, and which come back.

A sitting is an attempt at a lesson, or a round of questions that were due. A question that was not answered
right comes back at its end, with its demo, as `wrong_answers_again.py` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import structs

from quiz.answer_key import graded, held
from quiz.grade import grade
from quiz.kinds.registry import LINED, SEVERAL
from quiz.question import Question
from quiz.study.records import Answer, Place
from runtime.classroom import actions
from runtime.classroom import state as class_state
from runtime.classroom.actions import AnyAction, Entry
from runtime.classroom.question_state import QuestionState, Sample
from runtime.classroom.state import ClassState
from tui.classroom.answering.prediction import Prediction
from tui.classroom.answering.questions import Answering
from tui.classroom.session import Session
from tui.deck import question_of_block
from tui.study import growing_deck
from tui.study.course import Lesson
from tui.study.growing_deck import GrowingDeck
from tui.study.question_selection import Asked, Gathered, predicted_by, unasked
from tui.study.wrong_answers_again import AGAIN, once_more

if TYPE_CHECKING:
    from quiz.grade import Grade

# What is done to a question: it is kept in the store of a student, not in the journal of a class.
ALONE = (
    actions.Open,
    actions.Answer,
    actions.Hands,
    actions.Hint,
    actions.Lock,
    actions.Again,
    actions.Measured,
    actions.Reveal,
)


class StudySession(Session):
    """A session whose answers nobody else is told, whichever host is there for its demos."""

    def __init__(self, contents: GrowingDeck, *, screen: str, now: Callable[[], float], seed: str) -> None:
        """`seed` is what questions are shuffled by: the same whenever this sitting is gone on with."""
        super().__init__(contents, screen=screen, now=now)
        self._seed = seed
        self._alone: list[tuple[float, AnyAction]] = []
        self._settle()

    def act(self, action: AnyAction) -> None:
        if isinstance(action, ALONE):
            self._alone.append((self.now(), action))
            self.state = self._with(self.state, *self._alone[-1])
        else:
            super().act(action)

    def _settle(self) -> None:
        super()._settle()
        state = structs.replace(self.state, seed=self._seed)
        for at, action in self._alone:
            state = self._with(state, at, action)
        self.state = state

    def _with(self, state: ClassState, at: float, action: AnyAction) -> ClassState:
        return class_state.apply(state, Entry(state.rev, at, self.screen, "all", action))


class Opened(NamedTuple):
    """What a sitting begins with: its session, what it asks, and the answers and the place that it was left
    with. `lesson` is None for a round of due questions, whose demos stand in `decks`, by block."""

    name: str
    session: StudySession
    asked: dict[str, Asked]
    answers: Sequence[Answer]
    place: Place | None
    lesson: Lesson | None
    decks: Mapping[str, Path] = MappingProxyType({})

    def unasked(self) -> dict[Path, tuple[str, ...]]:
        """The scripts of a round that nobody has agreed to yet, by the deck that each stands in."""
        contents = self.session.contents
        assert isinstance(contents, GrowingDeck)
        return unasked(Gathered(contents, self.asked, dict(self.decks)))

    @property
    def title(self) -> str:
        """Title of the lesson, or of the deck where it is not a lesson."""
        return self.lesson.title if self.lesson is not None else self.session.contents.deck.title


class Outcome(NamedTuple):
    """Graded answer to one question of a sitting."""

    asked: Asked
    tags: tuple[str, ...]
    right: bool
    points: float
    out_of: float


Key = tuple[str, str]  # lesson and question


class Sitting:
    """`save` keeps an answer; it must not wait."""

    def __init__(
        self,
        name: str,
        session: StudySession,
        answering: Answering,
        asked: dict[str, Asked],
        save: Callable[[Answer], None],
    ) -> None:
        self.name, self.asked = name, asked
        self.outcomes: list[Outcome] = []
        self.ended = False  # its end card was seen
        self.session, self.answering, self._save = session, answering, save
        self._done: set[str] = set()
        self._locked: dict[str, float] = {}  # how long it took (s), by question
        self._sure: dict[str, bool | None] = {}
        self._from = session.now()

    @classmethod
    def of(
        cls, opened: Opened, save: Callable[[Answer], None], answering: Answering | None = None
    ) -> Sitting:
        """A sitting as it was left; without a screen of its own to answer at where `answering` is None."""
        at = cls(
            opened.name, opened.session, answering or Answering(opened.session), dict(opened.asked), save
        )
        at.restore(opened.answers)
        return at

    @property
    def book(self) -> GrowingDeck:
        """The deck of this sitting, to which pages are added."""
        contents = self.session.contents
        assert isinstance(contents, GrowingDeck)
        return contents

    # --- answers ----------------------------------------------------------------------------------------

    def arrived(self) -> None:
        """Somebody came to a slide: time runs from now on."""
        self._from = self.session.now()

    def shown(self) -> list[Asked]:
        """The questions before one's eyes that are due until they are answered; a prediction is not, for
        its demo may not run here."""
        here = [self.asked[q.id] for q in self.answering.shown() if q.id in self.asked and q.keyed]
        return [asked for asked in here if not asked.measured]

    def _locked_here(self) -> Iterable[tuple[Question, QuestionState]]:
        for question in self.answering.shown():
            state = self.session.question(question.id)
            known = question.id in self.asked and question.id not in self._done
            if state is not None and known and state.phase != "open":
                yield question, state

    def unsaid(self) -> Question | None:
        """A question that was answered, of which nobody said yet how sure he was."""
        for question, state in self._locked_here():
            given = self.answering.picked(question.id) or any(self.answering.typed(question.id))
            asks = given and state.phase == "locked" and self.asked[question.id].graded
            if asks and question.id not in self._sure:
                self._took(question.id, state)
                return question
        return None

    def say(self, question: Question, sure: bool | None) -> None:
        """How sure somebody is of what he answered."""
        self._sure[question.id] = sure

    def given(self) -> Question | None:
        """A question that was answered, or given up, and is not kept yet. A prediction is only once what was
        measured is seen."""
        for question, state in self._locked_here():
            if state.phase == "revealed" or not self.asked[question.id].measured:
                return question
        return None

    def _took(self, id: str, state: QuestionState) -> float:
        """From the question shown to the answer given (s)."""
        if id not in self._locked:
            self._locked[id] = max(0.0, self.session.now() - max(state.opened, self._from))
        return self._locked[id]

    def keep(self, question: Question) -> Outcome | None:
        """Keep the answer that was locked. One that was given up counts as not known; what can be neither
        right nor wrong, or was not measured, has no outcome."""
        asked, session = self.asked[question.id], self.session
        state = session.question(question.id)
        assert state is not None
        choice, text = self.answering.picked(question.id), self.answering.typed(question.id)
        seconds = self._took(question.id, state)
        result = self._grade(question, state, choice, text)
        now = self._from = session.now()
        lesson, tags = asked.lesson, topics(question, asked)
        self._save(
            Answer(
                lesson.course,
                lesson.id,
                asked.question,
                question.kind,
                self._as_written(question, choice),
                tuple(text),
                result.right if result is not None else None,
                result.points if result is not None else 0.0,
                result.out_of if result is not None else 0.0,
                seconds,
                self._sure.get(question.id),
                datetime.fromtimestamp(now, UTC),
                tags,
                self.name,
                msgspec.json.encode(state.samples).decode() if state.samples else "",
            )
        )
        outcome = Outcome(asked, tags, result.right, result.points, result.out_of) if result else None
        self._count(question.id, outcome)
        return outcome

    def _grade(
        self, question: Question, state: QuestionState, choice: tuple[int, ...], text: tuple[str, ...]
    ) -> Grade | None:

        if question.keyed:
            return grade(question, choice, text)
        plan = predicted_by(self.book, self.asked[question.id].quiz)
        if not isinstance(plan, Prediction) or plan.measured(state) is None:
            return None
        said = plan.verdict(question, state)
        return graded(held(question, said.key, said.accepted), said.undecided, choice, text)

    def _count(self, block: str, outcome: Outcome | None) -> None:
        self._done.add(block)
        if outcome is None:
            return
        self.outcomes.append(outcome)
        asked = outcome.asked
        again = once_more(asked, right=outcome.right)
        if again is None:
            return
        index = len(self.book)
        id = f"{block.partition('~')[0]}~{index}"
        self.asked[id] = again
        self.book.add(growing_deck.page(index, id, asked.title, AGAIN, asked.quiz, asked.demo))

    def restore(self, answers: Sequence[Answer]) -> None:
        """Be where these answers of this sitting have led to."""
        for answer in answers:
            block = next((id for id in self._open_blocks((answer.lesson, answer.question))), None)
            if block is not None:
                self._replay(block, answer)

    def _open_blocks(self, key: Key) -> Iterable[str]:
        for id, asked in self.asked.items():
            if id not in self._done and (asked.lesson.id, asked.question) == key:
                yield id

    def _replay(self, block: str, answer: Answer) -> None:
        samples = msgspec.json.decode(answer.measured or "[]", type=tuple[Sample, ...])
        if self._reveal(block, self._as_asked(block, answer.choice), answer.text, samples):
            graded = answer.tags, bool(answer.right), answer.points, answer.out_of
            self._count(block, None if answer.right is None else Outcome(self.asked[block], *graded))

    def _as_written(self, asked: Question, choice: Sequence[int]) -> tuple[int, ...]:
        """A choice among options that were shuffled for this sitting, as their author counts them."""
        return _moved(choice, asked, question_of_block.read(self.asked[asked.id].quiz, redacted=False))

    def _as_asked(self, block: str, choice: Sequence[int]) -> tuple[int, ...]:
        asked = self.read(block)
        return _moved(choice, question_of_block.read(self.asked[block].quiz, redacted=False), asked)

    def _reveal(
        self, block: str, choice: tuple[int, ...], text: tuple[str, ...], samples: Sequence[Sample] = ()
    ) -> bool:
        """Answer and reveal a question where it stands; False where it can not be."""
        index = self.slide_of(block)
        if index is None:
            return False
        session, answering = self.session, self.answering
        session.go((index, session.contents.slide(index).steps - 1))
        answering.open_shown()
        current = answering.current()
        if current is None or current[0].id != block:
            return False
        if choice or text:
            session.act(actions.Answer(block, choice, text))
        for sample in samples:
            session.act(actions.Measured(block, sample))
        answering.reveal()
        return True

    def slide_of(self, block: str) -> int | None:
        """Return the index of the slide with this question, None if there is none."""
        contents = self.session.contents
        pages = range(len(contents))
        return next((n for n in pages if any(q.id == block for q in contents.quizzes(n))), None)

    def waiting(self) -> list[Question]:
        """The questions that are not answered yet, as they are asked."""
        return [question for id in self._waiting() if (question := self.read(id))]

    def read(self, block: str) -> Question | None:
        """A question of this sitting as it is asked, None where there is none."""
        index = self.slide_of(block)
        quizzes = () if index is None else self.session.contents.quizzes(index)
        read = (self.answering.parsed(quiz) for quiz in quizzes if quiz.id == block)
        return next(
            (question for question in read if isinstance(question, Question) and question.keyed), None
        )

    def answer(
        self, question: Question, choice: tuple[int, ...], text: tuple[str, ...], sure: bool | None
    ) -> None:
        """An answer that was given without a screen: it is kept and revealed."""
        self.say(question, sure)
        self._reveal(question.id, choice, text)
        self.keep(question)

    def first_open(self) -> int | None:
        """The slide of the first question that is not answered yet."""
        return next((self.slide_of(id) for id in self._waiting()), None)

    def _waiting(self) -> list[str]:
        return [id for id, asked in self.asked.items() if asked.graded and id not in self._done]

    # --- how it went ------------------------------------------------------------------------------------

    @property
    def score(self) -> tuple[float, float]:
        """Points of those that could be had, by first answers."""
        firsts = [one for one in self.outcomes if one.asked.turn == 1]
        return sum(one.points for one in firsts), sum(one.out_of for one in firsts)

    def firsts(self) -> list[Outcome]:
        """Outcomes of questions asked for the first time, without their repetitions."""
        return [one for one in self.outcomes if one.asked.turn == 1]

    def left(self) -> int:
        """Questions that wait for an answer."""
        return len(self._waiting())


def _moved(choice: Sequence[int], here: object, there: object) -> tuple[int, ...]:
    """Places among the options of a question, in another order of the same options."""
    if not (isinstance(here, Question) and isinstance(there, Question)) or here.kind in LINED:
        return tuple(choice)
    known = {
        n: there.options.index(option) for n, option in enumerate(here.options) if option in there.options
    }
    places = [known.get(n, n) for n in choice]
    return tuple(sorted(places) if here.kind in SEVERAL else places)


def topics(question: Question, asked: Asked) -> tuple[str, ...]:
    """What a question is about: its tags, else what its slide is called."""
    return question.tags or ((asked.title,) if asked.title else ())
