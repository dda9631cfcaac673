"""Studying alone on the terminal: the screen of a class for one student, and the end of a sitting.

The slides, the panel and the questions are those of a class. What differs: notes are the lecture, an answer
is followed by how sure one was, by its explanation and, if it was wrong, by the question again at the end;
and there is no host before the first `d`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import cached_property

from textual.events import Event, Key

from quiz.kinds.registry import UNGRADED
from quiz.study.records import Answer
from runtime.host import consent
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style, plain
from tui.actions.teaching.study import StudyActions
from tui.app import TeachApp
from tui.classroom import status
from tui.classroom.host_link import Connect
from tui.classroom.position.place_in_talk import Badge
from tui.classroom.room import Room
from tui.deck import consent_question, languages
from tui.keys.table import key_of, label
from tui.panes.console.console_layout import BESIDE, LEAST_NOTES_ROWS, SMALLEST, Parts
from tui.panes.console.console_panes import ConsolePanes
from tui.panes.console.speaker_notes import Notes
from tui.panes.edges import footer_lines
from tui.panes.edges.footer_lines import both_ends
from tui.panes.edges.key_hints import Hint
from tui.panes.screen_layout import PANEL_ROWS
from tui.rendering.pages.slide_painter import Drawing
from tui.rendering.themed_strips import Painter
from tui.screens.classroom import Classroom
from tui.screens.overlay import Closed, Consent, Finish, Overlay
from tui.study import home_and_end_pages
from tui.study.demo_host import StudyRoom
from tui.study.home_and_end_pages import End
from tui.study.study_session import Opened, Sitting

HOSTED = frozenset({"demo", "restart_demo", "recall", "run_code", "edit"})  # what needs a host
# What is of a class with a room in front of it, or of somebody who writes the deck.
NOT_HERE = frozenset(
    ("freeze", "lead", "attached", "end_time", "drop", "reload", "edit_deck", "undo", "hands", "again")
)
LOOKS_S = 0.5  # how often a question whose time is over is looked for
SURE = {"s": "sure", "y": "sure", "u": "unsure", "n": "unsure"}


class Sure(Overlay):
    """How sure one was, before the answer is known: one key; any other says nothing about it, and one that
    starts the demo, as the line above offers, does so too."""

    def __init__(self, painter: Painter, finish: Finish, say: Callable[[str], str] = str) -> None:
        super().__init__(painter, 1, finish)
        self._say = say

    def draw(self, width: int, height: int) -> list[Line]:
        asked = self._say("How sure are you?")
        spans = [Span(f"  {asked}   ", Style("heading", bold=True))]
        for key, word in (("s", "sure"), ("u", "unsure"), ("Enter", "just show")):
            spans += [Span(key, footer_lines.KEY), Span(f" {self._say(word)}   ", footer_lines.DIM)]
        return [cells.clip(tuple(spans), width)]

    def press(self, event: Key) -> Closed:
        starts = label(event.key) in (key_of("demo"), key_of("restart_demo"))
        return Closed(SURE.get(event.key, "unsaid"), besides=starts)


class Ended(Overlay):
    """The end card. Esc goes back to the slides, `o` to the first question that is open, `n` to the next
    lesson, `q` leaves; Enter does what is nearest."""

    def __init__(self, painter: Painter, card: End, finish: Finish, say: Callable[[str], str] = str) -> None:
        super().__init__(painter, "100%", finish, ground="background")
        self.card, self._say = card, say

    def draw(self, width: int, height: int) -> list[Line]:
        return home_and_end_pages.end(self.card, width, height, self._say)

    def take(self, event: Key) -> Closed | None:
        if event.key in ("left", "pageup", "h", "p", "backspace"):
            return Closed()
        nearest = "open" if self.card.left else "next" if self.card.onward else "home"
        ways = {"o": "open" * bool(self.card.left), "n": "next" * bool(self.card.onward), "q": "home"}
        way = nearest if event.key in ("enter", "space") else ways.get(event.key, "")
        return Closed(way) if way else None


class Lecture(ConsolePanes):
    """Notes as what the lecturer says; nothing of a class."""

    below = False  # it stands under the slide, not beside it
    resized = False  # by its reader

    def __init__(self, room: Room, drawing: Drawing) -> None:
        super().__init__(room, drawing)
        self.notes = Notes(room.session, drawing, "LECTURE", self._later)

    def beside(self, width: int, height: int) -> list[Line]:
        airy = height >= 30
        notes = self.notes.window(width, height - airy, (), airy=airy, loose=self._loose)
        return [*[()] * airy, *notes][:height]

    def stacked(self, width: int, height: int) -> list[Line]:
        return self.notes.window(width, height, (), loose=self._loose)[:height]

    @property
    def size(self) -> int:
        """A lecture that is yet to come, or that there is none of, leaves its rows to the slide above it."""
        waits = self.withheld or not self._room.session.slide.notes
        return SMALLEST if self.below and waits else self._size

    @size.setter
    def size(self, size: int) -> None:
        self._size, self.resized = size, self.resized or bool(size)

    @property
    def withheld(self) -> bool:
        """Whether a question waits: a lecturer's notes beside it tell its answer."""
        current = self._room.answering.current()
        return current is not None and current[0].kind not in UNGRADED and current[1].phase != "revealed"

    def _later(self) -> str:
        say = languages.words_of(self._room.session.contents.deck)
        return say("comes after your answer") if self.withheld else ""

    def following(self, width: int, height: int) -> list[Line]:
        return []

    def status_line(self) -> Line:
        return (Span(cells.clean(self._room.session.contents.section(self._room.session.index)) or " "),)


class StudyScreen(Classroom):
    """The screen of a class, for one student."""

    marks: Callable[[], Line] = staticmethod(tuple)  # how it went so far, at the right of the first line

    @cached_property
    def aside_view(self) -> Lecture:
        return Lecture(self.room, self.drawing)

    def _arrange(self, width: int = 0, height: int = 0) -> None:
        self._wide = width or self.size.width
        self.aside_view.below = self._wide < BESIDE
        super()._arrange(width, height)

    def _parted(self, parts: Parts, middle: int) -> Parts:
        """Where there is no lecture the slide has it all. Below a question it has what that leaves, for the
        right answer is to be seen first, unless somebody made it as large as it is."""
        if not self.session.slide.notes:
            return replace(parts, aside=0)
        if not parts.stacked or not self._asks or self.aside_view.resized:
            return parts
        least = 0 if self.aside_view.withheld else LEAST_NOTES_ROWS
        rows = max(least, min(parts.aside, middle - self._needed(self._wide)))
        return replace(parts, aside=rows if rows >= LEAST_NOTES_ROWS else 0)

    def _panel_rows(self, width: int, room: int) -> int:
        """A demo that does not run leaves its slide to the question there."""
        rows, demo = super()._panel_rows(width, room), self.room.demo()
        alive = demo is not None and self.room.alive(demo.id)
        if not rows or alive or self.session.state.look.full or not self._asks:
            return rows
        left = min(rows, room - self._needed(width))
        return left if left > PANEL_ROWS else 0

    @property
    def _asks(self) -> bool:
        return bool(self.session.contents.quizzes(self.session.index))

    def bring_right(self) -> None:
        """Scroll so that what is right is in sight."""

        sign = f"✓ {languages.words_of(self.session.contents.deck)('right')}"

        def right(lines: Sequence[Line]) -> int | None:
            found = [n for n, line in enumerate(lines) if plain(line).rstrip().endswith(sign)]
            return found[-1] if found else None

        self.slide.bring(right)

    def hints(self) -> tuple[Hint, ...]:
        away = {key_of(name) for name in NOT_HERE}
        return tuple(hint for hint in super().hints() if hint[0] not in away)

    def _top_lines(self, width: int, height: int) -> list[Line]:
        place = status.place(self.room)
        step = f"  step {place.step + 1}/{place.steps}" if place.steps > 1 else ""
        left = (
            Span("  "),
            Span(cells.clean(place.title), footer_lines.BOLD),
            Span(f"   {place.words}{step}", footer_lines.DIM),
        )
        line = both_ends(left, (*self.marks(), Span("  ")), width)
        return [tuple(Span(text, style if style.ground else style.on("panel")) for text, style in line)]


class StudyApp(TeachApp):
    """A sitting. `keeps_place` is told of every move and must not wait; `card` makes the end card, once all
    that was answered is kept."""

    _room_kind = StudyRoom
    _screen_kind = StudyScreen

    def __init__(
        self,
        opened: Opened,
        way: Connect,
        *,
        save: Callable[[Answer], None],
        keeps_place: Callable[[Sitting], None],
        card: Callable[[Sitting], Awaitable[End]],
        trouble: Callable[[], str],
        theme: str = "",
        notes: bool = True,
        watch_tty: bool = False,
    ) -> None:
        session = opened.session
        super().__init__(session, None, theme=theme, console=notes, watch_tty=watch_tty)
        assert isinstance(self.room, StudyRoom)
        self.room.decks = opened.decks
        self.sitting = Sitting.of(opened, save, self.room.answering)
        session.go(self._place(opened))
        self.home_again = False  # left for the home screen, not because the terminal went
        self.onward = False  # left for the next lesson
        self._opened = opened
        self._way, self._keeps_place, self._card, self._trouble = way, keeps_place, card, trouble
        screen = self.classroom
        assert isinstance(screen, StudyScreen)
        screen.marks = self._marks
        screen.signs.append(self._sign)

    def _make_actions(self) -> StudyActions:
        return StudyActions(self)

    def _place(self, opened: Opened) -> tuple[int, int]:
        """Where it was left: the slide of a lesson, the first question of a round that is open."""
        contents, place = opened.session.contents, opened.place
        if opened.lesson is None:
            return self.sitting.first_open() or 0, 0
        at = contents.find(place.slide) if place is not None else None
        return (at, place.step) if place is not None and at is not None else (contents.visible[0], 0)

    def _sign(self) -> Badge | None:
        return Badge("not kept", "warning") if self._trouble() else None

    @property
    def _in_words(self) -> Callable[[str], str]:
        """What puts the program's words into the language of the lesson."""
        return languages.words_of(self.session.contents.deck)

    def _marks(self) -> Line:
        """`3 of 4 right`, once something was answered."""
        outcomes = self.sitting.firsts()
        if not outcomes:
            return ()
        right = sum(one.right for one in outcomes)
        told = self._in_words(f"{right} of {len(outcomes)} right")
        return (Span(told, Style("good" if right else "dim")),)

    async def ask_to_trust(self) -> None:
        """Of a round: each script in the deck that it stands in."""
        if self._opened.lesson is not None:
            await super().ask_to_trust()
            return
        if unasked := await asyncio.to_thread(self._opened.unasked):

            async def agreed(_: bool) -> None:
                try:
                    for deck, scripts in unasked.items():
                        consent.agree(deck, scripts)
                except OSError as error:
                    self.say(f"that cannot be remembered: {error}", "bad")

            scripts = tuple(dict.fromkeys(one for some in unasked.values() for one in some))
            await self.cover(Consent(self.painter, consent_question.asked(scripts), agreed))

    async def _begin(self) -> None:
        await super()._begin()
        self._arrived()
        self.set_interval(LOOKS_S, self._out_of_time)
        if why := self._trouble():
            self.say(f"not kept: {why}")

    async def do(self, name: str) -> None:
        if name in NOT_HERE:
            self.say("not while you study", "dim")
            return
        room = self.room
        hosts = room.demo() or room.outputs.chosen() or room.measuring.pending
        if name in HOSTED and not room.linked and hosts:
            await room.open(self._way)
        await super().do(name)

    def moved(self, moved: bool) -> None:
        if moved:
            self.classroom.unsay()  # what was said of an answer is of the slide before
            self.sitting.ended = False  # going back from its end resumes it
            self._arrived()
        super().moved(moved)

    def _arrived(self) -> None:
        self.sitting.arrived()
        self._keeps_place(self.sitting)

    async def on_event(self, event: Event) -> None:
        await super().on_event(event)
        if isinstance(event, Key) and not event.is_forwarded and not isinstance(self.screen, Overlay):
            await self._attend()

    async def _attend(self) -> None:
        """An answer was given: how sure, then why, then it is kept."""
        unsaid = self.sitting.unsaid()
        if unsaid is None:
            self._keep()
            return
        question = unsaid

        async def said(how: str) -> None:
            self.sitting.say(question, {"sure": True, "unsure": False}.get(how))
            self._keep()

        await self.cover(Sure(self.painter, said, self._in_words))

    async def _out_of_time(self) -> None:
        """A question that its time has locked is kept without a key."""
        if not isinstance(self.screen, Overlay):
            await self._attend()

    def _keep(self) -> None:
        question = self.sitting.given()
        if question is None:
            return
        before = len(self.session.contents)
        outcome = self.sitting.keep(question)
        self.classroom.unsay()
        self.room.answering.reveal()
        if len(self.session.contents) > before and outcome is not None:
            demo = f", with its demo {outcome.asked.demo.name}" if outcome.asked.demo else ""
            self.say(f"it comes back at the end{demo}", "dim")
        elif outcome is not None and outcome.right and outcome.asked.turn > 1:
            self.say("known now", "good")
        self.classroom.show()
        if isinstance(self.classroom, StudyScreen):
            self.classroom.bring_right()
        self.classroom.warm_pages()

    def _to_open(self) -> None:
        """To the first question that is not answered yet."""
        index = self.sitting.first_open()
        if index is None:
            return
        ids = {id for id, asked in self.sitting.asked.items() if asked.graded}
        steps = [quiz.at for quiz in self.session.contents.quizzes(index) if quiz.id in ids]
        self.moved(self.session.go((index, min(steps, default=0))))
        self.classroom.show()

    async def end(self) -> None:
        """The end card, once everything answered is kept."""
        self.sitting.ended = True
        self._keeps_place(self.sitting)

        async def leave(way: str) -> None:
            if way == "open":
                self._to_open()
                return
            self.onward = way == "next"
            await self.do("quit")

        card = await self._card(self.sitting)
        await self.cover(Ended(self.painter, card, leave, self._in_words))
