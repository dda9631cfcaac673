"""Between the store and the screens of a student: what home shows, what a sitting needs, what its end says.

The store is used by one thread, in the order of what it is asked: a screen that keeps something does not wait
for the disk.
"""

from __future__ import annotations

import asyncio
import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from quiz.study import scheduling
from quiz.study.records import Answer, Due, Place
from quiz.study.scheduling import day_end
from quiz.study.store import Progress
from runtime.catalog import scripts
from runtime.host.blocks.comparison import NAME as COMPARE
from runtime.host.blocks.comparison import written
from slides.deck import Demo
from slides.drawing import cells
from slides.reading.from_disk.source import DeckError
from tui.classroom.runs import demo_requests
from tui.deck.contents import open_deck
from tui.study import course, question_selection
from tui.study.course import Lesson
from tui.study.growing_deck import GrowingDeck
from tui.study.home_and_end_pages import End, Home, Miss, Row, Weak
from tui.study.question_selection import Asked
from tui.study.renamed_lessons import moved
from tui.study.study_session import Opened, Outcome, Sitting, StudySession

FILE = "progress.sqlite"  # in the folder of data
EXERCISES = "exercises"  # the course that solved exercises are kept under, beside those of lessons
AT_ONCE = 20  # questions of a round, at most: the rest is due in the next one
WEAK_BELOW = 0.7  # share of right answers under which a topic is worth another look

T = TypeVar("T")


class Desk:
    """`now` gives the time with its zone: days are counted in it. Lessons are shown in `lang` where they are
    translated into it."""

    def __init__(
        self,
        path: Path,
        lessons: Sequence[Lesson],
        now: Callable[[], datetime],
        who: str = "",
        lang: str = "",
    ) -> None:
        self.now, self._lang = now, lang
        self.lessons = list(lessons)
        self._store = ThreadPoolExecutor(1, "progress")
        self.store = self.ask(lambda: Progress(path, who))
        self._books: dict[str, GrowingDeck | None] = {}
        self._cards: dict[str, dict[str, Asked]] = {}
        self.screen = "student"
        self._find_moved()

    def ask(self, what: Callable[[], T]) -> T:
        """Return what `what` gives, run in the thread that has the store."""
        return self._store.submit(what).result()

    @property
    def trouble(self) -> str:
        """Why what is done is not kept; "" while it is."""
        return self.store.trouble

    def close(self) -> str:
        """Keep what is left; what could not be, in one line."""
        self.ask(self.store.close)
        self._store.shutdown()
        if not self.store.unsaved:
            return ""
        return f"what was done was not kept: {self.store.trouble}"

    # --- home -------------------------------------------------------------------------------------------

    def begun(self) -> list[str]:
        """The ids of the lessons that were begun, the newest first."""
        return [place.lesson for place in self.ask(self.store.places)]

    def home(self) -> Home:
        """Read what is due, the lessons and the weak topics for the study page."""
        now = self.now()
        today = scheduling.day(now)
        places = {place.lesson: place for place in self.ask(self.store.places)}
        due = self.due()
        counts = Counter(card.lesson for card in due)
        rows = [self._row(lesson, places.get(lesson.id), counts[lesson.id]) for lesson in self.lessons]
        if sum(bool(row.number) for row in rows) < 2:
            rows = [row._replace(number=None) for row in rows]
        days = {scheduling.day(at.astimezone(now.tzinfo)) for at in self.ask(self.store.days)}
        weak = [
            Weak(*topic) for topic in self.ask(self.store.topics) if topic.right < WEAK_BELOW * topic.asked
        ]
        return Home(
            today=self._today(due),
            onward=self._onward(places),
            lessons=tuple(rows),
            weak=tuple(weak),
            rest="" if due else self._rest(now),
            days=sum((day.year, day.month) == (today.year, today.month) for day in days),
            month=f"{today:%B}",
            trouble=self.trouble,
        )

    def _row(self, lesson: Lesson, place: Place | None, due: int) -> Row:
        seen = min(place.furthest, lesson.slides) if place is not None else 0
        done = place is not None and place.done
        return Row("lesson", lesson.id, lesson.title, seen, lesson.slides, done, due, "", lesson.number)

    def _today(self, due: Sequence[Due]) -> tuple[Row, ...]:
        left = self._left_round(due)
        if left:
            text = f"Go on with today's questions: {left} of them left"
            return (Row("round", "", text),)
        if not due:
            return ()
        aside = f"the first {AT_ONCE} of them now" if len(due) > AT_ONCE else ""
        return (Row("due", "", f"{len(due)} question{'s are' if len(due) > 1 else ' is'} due", aside=aside),)

    def _left_round(self, due: Sequence[Due]) -> int:
        """Questions of today's round that wait: not asked yet, or to be asked once more."""
        opened = self._resumed()
        if opened is None:
            return 0
        alone = Sitting.of(opened, lambda answer: None)
        return alone.left()

    def _onward(self, places: dict[str, Place]) -> tuple[Row, ...]:
        known = {lesson.id: lesson for lesson in self.lessons}
        left = [place for place in places.values() if not place.done and place.lesson in known]
        if not left:
            return ()
        place, lesson = left[0], known[left[0].lesson]
        contents = self._book(lesson)
        at = contents.find(place.slide) if contents is not None else None
        where = (
            f"slide {contents.label(at)}, {contents.heads[at].title}" if contents and at is not None else ""
        )
        return (Row("lesson", lesson.id, lesson.title, aside=where),)

    def _rest(self, now: datetime) -> str:
        coming = self.ask(lambda: self.store.coming(day_end(now), EXERCISES))
        if coming is None:
            return "Nothing is due: questions come back here once you have seen them."
        word = day_word(scheduling.day(coming.astimezone(now.tzinfo)), now)
        return f"Nothing is due. The next question comes back {word}."

    def _find_moved(self) -> None:
        """A course that was moved keeps its progress."""
        for old, lesson in moved(self.ask(self.store.questions), self.lessons, self._questions).items():
            self.ask(partial(self.store.rename, old, lesson.id, lesson.course))

    # --- what is due ------------------------------------------------------------------------------------

    def _book(self, lesson: Lesson) -> GrowingDeck | None:
        """A lesson's deck, None where it cannot be read any more."""
        if lesson.id not in self._books:
            try:
                self._books[lesson.id] = GrowingDeck(open_deck(lesson.path, lang=self._lang))
            except DeckError:
                self._books[lesson.id] = None
        return self._books[lesson.id]

    def _questions(self, lesson: Lesson) -> Mapping[str, Asked]:
        """Those of a lesson that can be due."""
        if lesson.id not in self._cards:
            contents = self._book(lesson)
            found = question_selection.of_lesson(lesson, contents) if contents is not None else {}
            self._cards[lesson.id] = {id: one for id, one in found.items() if one.graded}
        return self._cards[lesson.id]

    def _lesson(self, id: str) -> Lesson | None:
        """The lesson that cards are of: one of those shown, or of another course that is still there."""
        known = next((lesson for lesson in self.lessons if lesson.id == id), None)
        path = course.file_of(id) if known is None else None
        if path is None:
            return known
        try:
            return course.lesson(path)
        except DeckError:
            return None

    def due(self) -> list[Due]:
        """What is due today and still stands in its lesson, the longest due first."""
        cards = self.ask(lambda: self.store.due(day_end(self.now())))
        there: dict[str, Mapping[str, Asked]] = {}
        for id in dict.fromkeys(card.lesson for card in cards):
            lesson = self._lesson(id)
            there[id] = self._questions(lesson) if lesson is not None else {}
        return [card for card in cards if card.question in there[card.lesson]]

    def exercises(self) -> dict[str, bool]:
        """Return the exercises that come back, by name, the longest due first; True: it is due today."""
        cards = self.ask(lambda: self.store.due(day_end(self.now())))
        due = [card.question for card in cards if card.course == EXERCISES]
        prefix = f"{EXERCISES}/"
        known = [name for name in self.ask(self.store.questions) if name.startswith(prefix)]
        return dict.fromkeys(due, True) | {
            name.removeprefix(prefix): False for name in known if name.removeprefix(prefix) not in due
        }

    # --- sittings ---------------------------------------------------------------------------------------

    def _stamp(self) -> str:
        return self.now().astimezone(UTC).isoformat(timespec="milliseconds")

    def _session(self, contents: GrowingDeck, name: str) -> StudySession:
        return StudySession(contents, screen=self.screen, now=lambda: self.now().timestamp(), seed=name)

    def open_lesson(self, lesson: Lesson) -> Opened:
        """Where it was left, or from its beginning when it is done or new. Raises `DeckError`."""
        contents = GrowingDeck(open_deck(lesson.path, lang=self._lang))
        for kept in (self._books, self._cards):
            kept.pop(lesson.id, None)  # it may have changed since
        places = self.ask(self.store.places)
        place = next((p for p in places if p.lesson == lesson.id and not p.done), None)
        name = place.sitting if place is not None else f"{lesson.id} {self._stamp()}"
        answers = self.ask(lambda: self.store.answers(name)) if place is not None else []
        questions = question_selection.of_lesson(lesson, contents)
        return Opened(name, self._session(contents, name), questions, answers, place, lesson)

    def open_round(self) -> Opened | None:
        """What is due, or today's round as it was left; None where nothing is."""
        opened = self._resumed()
        if opened is not None:
            return opened
        keys = [(card.lesson, card.question) for card in self.due()[:AT_ONCE]]
        if not keys:
            return None
        name, at = f"due {self._stamp()}", self.now()
        self.ask(lambda: self.store.keep_round(name, keys, at, False))
        return self._round(name, keys)

    def _resumed(self) -> Opened | None:
        """A round of today that was left. One of another day is none: what it left is due again."""
        left = self.ask(lambda: self.store.open_round(day_end(self.now())))
        if left is None or scheduling.day(left.at.astimezone(self.now().tzinfo)) != scheduling.day(
            self.now()
        ):
            return None
        return self._round(left.sitting, left.asked)

    def _round(self, name: str, keys: Sequence[tuple[str, str]]) -> Opened | None:
        chosen = []
        for id, question in keys:
            lesson = self._lesson(id)
            one = self._questions(lesson).get(question) if lesson is not None else None
            chosen += [one] if one is not None else []
        if not chosen:
            return None
        contents, questions, decks = question_selection.of_round(name, chosen)
        answers = self.ask(lambda: self.store.answers(name))
        return Opened(name, self._session(contents, name), questions, answers, None, None, decks)

    # --- what a sitting keeps ---------------------------------------------------------------------------

    def save(self, answer: Answer) -> None:
        """Keep an answer; the store's thread writes it."""
        self._store.submit(self.store.record, answer)

    def keep_lesson(self, lesson: Lesson, at: Sitting) -> None:
        """Where somebody is in a lesson; the questions on the slide are due until they are answered."""
        pos, now = at.session.state.pos, self.now()
        furthest = min(at.session.number, lesson.slides)
        place = Place(
            lesson.course,
            lesson.id,
            pos.slide,
            pos.step,
            furthest,
            lesson.slides,
            at.ended and not at.left(),  # its end was seen, and every question of it answered or given up
            at.name,
            now,
        )
        self._store.submit(self.store.move, place)
        for one in at.shown():
            self._store.submit(self.store.see, one.lesson.course, one.lesson.id, one.question, now)

    def keep_round(self, at: Sitting) -> None:
        """Keep a finished round by the questions it asked first; one with some left is not kept."""
        if at.ended and not at.left():
            keys = [(one.lesson.id, one.question) for one in at.asked.values() if one.turn == 1]
            self._store.submit(self.store.keep_round, at.name, keys, self.now(), True)

    def following(self, lesson: Lesson) -> Lesson | None:
        """The lesson to go on with: the next of its course that is not done."""
        done = {place.lesson for place in self.ask(self.store.places) if place.done}
        order = [one for one in self.lessons if one.course == lesson.course]
        at = next((n for n, one in enumerate(order) if one.id == lesson.id), len(order))
        return next((one for one in order[at + 1 :] if one.id not in done), None)

    # --- the end ----------------------------------------------------------------------------------------

    async def end(self, title: str, at: Sitting) -> End:
        """Make the last page of a lesson in the store's thread, behind the answers still to be written."""
        return await asyncio.wrap_future(self._store.submit(self.end_card, title, at))

    def finished(self, title: str, at: Sitting) -> End:
        """The same for callers that have no screen waiting."""
        return self.ask(lambda: self.end_card(title, at))

    def end_card(self, title: str, at: Sitting) -> End:
        """In the store's own thread."""
        firsts, now = at.firsts(), self.now()
        keys = {(one.asked.lesson.id, one.asked.question): one.right for one in firsts}
        known_later = {
            key
            for one in at.outcomes
            if one.right and not keys.get(key := (one.asked.lesson.id, one.asked.question))
        }
        cards = [card for key in keys if (card := self.store.card(*key)) is not None]
        days = Counter(
            max(scheduling.day(card.due.astimezone(now.tzinfo)), scheduling.day(now)) for card in cards
        )
        coming = tuple((day_word(day, now), days[day]) for day in sorted(days))
        points, out_of = at.score
        return End(
            title=title,
            points=points,
            out_of=out_of,
            right=sum(keys.values()),
            asked=len(firsts),
            later=len(known_later),
            left=at.left(),
            misses=misses(firsts),
            coming=coming,
            trouble=self.trouble,
        )


def misses(firsts: Sequence[Outcome]) -> tuple[Miss, ...]:
    """The topics that were not wholly known at first, the weakest first, each with its demo's command; those
    of the same demo stand together."""
    asked: Counter[str] = Counter()
    right: Counter[str] = Counter()
    commands: dict[str, str] = {}
    for one in firsts:
        for topic in one.tags:
            asked[topic] += 1
            right[topic] += one.right
            if not one.right and one.asked.demo is not None:
                commands.setdefault(topic, command(one.asked.demo, one.asked.lesson.path))
    weak = sorted(
        (t for t in asked if right[t] < asked[t]), key=lambda t: (right[t] / asked[t], -asked[t], t)
    )
    found = [Miss(t, right[t], asked[t], commands.get(t, "")) for t in weak]
    first = list(dict.fromkeys(miss.command for miss in found))
    return tuple(sorted(found, key=lambda miss: first.index(miss.command)))


def command(demo: Demo, deck: Path) -> str:
    """What runs the demo of a slide again, as the slide has it; a script goes by its whole path."""
    params = demo_requests.asked(demo)
    if demo.name == COMPARE:
        return cells.clean(f"teachrun compare {written(params)}")
    script = scripts.is_script(demo.name)
    name = str(scripts.locate(demo.name, deck.absolute().parent)) if script else demo.name
    words = ["teachrun", "run", name, *(f"{key}={value}" for key, value in params.items())]
    return cells.clean(shlex.join(words))


def day_word(at: date, now: datetime) -> str:
    """`today`, `tomorrow`, or `on Monday 23 November`, with its year where that is another."""
    today = scheduling.day(now)
    if (ahead := (at - today).days) <= 1:
        return "tomorrow" if ahead == 1 else "today"
    return f"on {at:%A} {at.day} {at:%B}{f' {at.year}' if at.year != today.year else ''}"
