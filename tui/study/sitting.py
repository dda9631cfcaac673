"""One sitting of somebody who studies: which questions were asked, how it went, and which come back.

A sitting is an attempt at a lesson, or a round of questions that were due. A question that was not answered
right is asked once more at its end, with its demo, and again until it is right or was asked `TURNS` times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NamedTuple

from msgspec import structs

from quiz.question import Question
from quiz.records import Answer, Place
from runtime import liveclass
from runtime.liveclass import AnyAction, ClassState, Entry, QuestionState
from slides.deck import Deck, Demo, Quiz, Slide
from tui import asked as reading
from tui.answering import Answering
from tui.session import Session
from tui.study import book
from tui.study.book import Book
from tui.study.course import Lesson

TURNS = 3
AGAIN = "Once more"

# What is done to a question: it is kept in the store of a student, not in the journal of a class.
ALONE = (
    liveclass.Open,
    liveclass.Answer,
    liveclass.Hands,
    liveclass.Hint,
    liveclass.Lock,
    liveclass.Again,
    liveclass.Measured,
    liveclass.Reveal,
)


class StudySession(Session):
    """A session whose answers nobody else is told, whichever host is there for its demos."""

    def __init__(self, contents: Book, *, screen: str, now: Callable[[], float], seed: str) -> None:
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
        return liveclass.apply(state, Entry(state.rev, at, self.screen, "all", action))


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question block of a sitting stands for: the card, its demo, and the how-manieth time."""

    lesson: Lesson
    question: str
    quiz: Quiz
    title: str
    demo: Demo | None
    turn: int = 1


class Opened(NamedTuple):
    """What a sitting begins with: its session, what it asks, and the answers and the place that it was left
    with. `lesson` is None for a round of due questions."""

    name: str
    session: StudySession
    asked: dict[str, Asked]
    answers: Sequence[Answer]
    place: Place | None
    lesson: Lesson | None

    @property
    def title(self) -> str:
        return self.lesson.title if self.lesson is not None else self.session.contents.deck.title


class Outcome(NamedTuple):
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
        self.session, self._answering, self._save = session, answering, save
        self._done: set[str] = set()
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
    def book(self) -> Book:
        contents = self.session.contents
        assert isinstance(contents, Book)
        return contents

    # --- answers ----------------------------------------------------------------------------------------

    def arrived(self) -> None:
        """Somebody came to a slide: time runs from now on."""
        self._from = self.session.now()

    def shown(self) -> list[Asked]:
        """The questions before one's eyes."""
        return [self.asked[q.id] for q in self._answering.shown() if q.id in self.asked and q.keyed]

    def given(self) -> tuple[Question, QuestionState] | None:
        """A question that was answered, or given up, and is not kept yet."""
        for question in self._answering.shown():
            state = self.session.question(question.id)
            known = question.id in self.asked and question.id not in self._done
            if state is not None and known and question.keyed and state.phase != "open":
                return question, state
        return None

    def keep(self, question: Question, sure: bool | None) -> Outcome:
        """Keep the answer that was locked; one that was revealed without any counts as not known."""
        from quiz.grade import grade

        asked, session = self.asked[question.id], self.session
        choice, text = self._answering.picked(question.id), self._answering.typed(question.id)
        result = grade(question, choice, text)
        state = session.question(question.id)
        opened = state.opened if state is not None else self._from
        now = session.now()
        seconds = max(0.0, now - max(opened, self._from))
        self._from = now
        at = datetime.fromtimestamp(now, UTC)
        lesson = asked.lesson
        outcome = Outcome(asked, topics(question, asked), result.right, result.points, result.out_of)
        self._save(
            Answer(
                lesson.course,
                lesson.id,
                asked.question,
                question.kind,
                self._as_written(question, choice),
                tuple(text),
                result.right,
                result.points,
                result.out_of,
                seconds,
                sure,
                at,
                outcome.tags,
                self.name,
            )
        )
        self._count(question.id, outcome)
        return outcome

    def _count(self, block: str, outcome: Outcome) -> None:
        self._done.add(block)
        self.outcomes.append(outcome)
        asked = outcome.asked
        if outcome.right or asked.turn >= TURNS:
            return
        again = replace(asked, turn=asked.turn + 1)
        index = len(self.book)
        id = f"{block.partition('~')[0]}~{index}"
        self.asked[id] = again
        self.book.add(book.page(index, id, asked.title, AGAIN, asked.quiz, asked.demo))

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
        if self._reveal(block, self._as_asked(block, answer.choice), answer.text):
            asked = self.asked[block]
            self._count(block, Outcome(asked, answer.tags, bool(answer.right), answer.points, answer.out_of))

    def _as_written(self, asked: Question, choice: Sequence[int]) -> tuple[int, ...]:
        """A choice among options that were shuffled for this sitting, as their author counts them."""
        return _moved(choice, asked, reading.read(self.asked[asked.id].quiz, redacted=False))

    def _as_asked(self, block: str, choice: Sequence[int]) -> tuple[int, ...]:
        asked = self._read(block)
        return _moved(choice, reading.read(self.asked[block].quiz, redacted=False), asked)

    def _reveal(self, block: str, choice: tuple[int, ...], text: tuple[str, ...]) -> bool:
        """Answer and reveal a question where it stands; False where it can not be."""
        index = self.slide_of(block)
        if index is None:
            return False
        session, answering = self.session, self._answering
        session.go((index, session.contents.slide(index).steps - 1))
        answering.open_shown()
        current = answering.current()
        if current is None or current[0].id != block:
            return False
        if choice or text:
            session.act(liveclass.Answer(block, choice, text))
        answering.reveal()
        return True

    def slide_of(self, block: str) -> int | None:
        contents = self.session.contents
        pages = range(len(contents))
        return next((n for n in pages if any(q.id == block for q in contents.quizzes(n))), None)

    def waiting(self) -> list[Question]:
        """The questions that are not answered yet, as they are asked."""
        return [question for id in self.asked if id not in self._done and (question := self._read(id))]

    def _read(self, block: str) -> Question | None:
        index = self.slide_of(block)
        quizzes = () if index is None else self.session.contents.quizzes(index)
        read = (self._answering.parsed(quiz) for quiz in quizzes if quiz.id == block)
        return next(
            (question for question in read if isinstance(question, Question) and question.keyed), None
        )

    def answer(self, question: Question, choice: tuple[int, ...], text: tuple[str, ...]) -> None:
        """An answer that was given without a screen: it is kept and revealed."""
        self._reveal(question.id, choice, text)
        self.keep(question, None)

    def first_open(self) -> int | None:
        """The slide of the first question that is not answered yet."""
        return next((self.slide_of(id) for id in self.asked if id not in self._done), None)

    # --- how it went ------------------------------------------------------------------------------------

    @property
    def score(self) -> tuple[float, float]:
        """Points of those that could be had, by first answers."""
        firsts = [one for one in self.outcomes if one.asked.turn == 1]
        return sum(one.points for one in firsts), sum(one.out_of for one in firsts)

    def firsts(self) -> list[Outcome]:
        return [one for one in self.outcomes if one.asked.turn == 1]

    def left(self) -> int:
        """Questions that wait for an answer."""
        return sum(id not in self._done for id in self.asked)


def _moved(choice: Sequence[int], here: object, there: object) -> tuple[int, ...]:
    """Places among the options of a question, in another order of the same options."""
    if not (isinstance(here, Question) and isinstance(there, Question)) or here.kind == "line":
        return tuple(choice)
    known = {
        n: there.options.index(option) for n, option in enumerate(here.options) if option in there.options
    }
    places = [known.get(n, n) for n in choice]
    return tuple(sorted(places) if here.kind == "multi" else places)


def topics(question: Question, asked: Asked) -> tuple[str, ...]:
    """What a question is about: its tags, else what its slide is called."""
    return question.tags or ((asked.title,) if asked.title else ())


# --- what a sitting asks ----------------------------------------------------------------------------------


def of_lesson(lesson: Lesson, contents: Book) -> dict[str, Asked]:
    """Every question of a lesson, by its block."""
    found = {}
    for id, index in book.questions(contents).items():
        quiz = next(quiz for quiz in contents.quizzes(index) if quiz.id == id)
        title = contents.heads[index].title
        found[id] = Asked(lesson, id, quiz, title, book.demo_near(contents, index))
    return found


def of_round(name: str, chosen: Sequence[tuple[Lesson, Book, str]]) -> tuple[Book, dict[str, Asked]]:
    """A deck of questions from anywhere, a slide each, and what their blocks stand for."""
    asked: dict[str, Asked] = {}
    pages: list[Slide] = []
    for lesson, contents, question in chosen:
        index = book.questions(contents)[question]
        quiz = next(quiz for quiz in contents.quizzes(index) if quiz.id == question)
        n = len(pages)
        id = f"{question}~{n}"
        demo = book.demo_near(contents, index)
        if demo is not None:
            demo = replace(demo, id=f"{demo.id}~{n}")  # two lessons may give theirs the same name
        title = contents.heads[index].title
        asked[id] = Asked(lesson, question, quiz, title, demo)
        pages.append(book.page(n, id, title, lesson.title, quiz, None))
    heads = tuple(book.head_of(page) for page in pages)
    path = str(chosen[0][0].path)  # a host wants to know where a deck stands
    return Book(Deck(path, name, "Due today", heads), pages), asked
