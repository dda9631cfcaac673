"""What the console shows beside the slide: what is next, the notes, and how things stand.

Pages and notes are laid out once and kept: the clock asks for all of it every second.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable

from slides.deck import Scene
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style, plain
from tui.classroom.room import Room
from tui.figures.numbers import clock
from tui.keys.table import key_of
from tui.panes.console import console_layout
from tui.panes.console.console_layout import Layout
from tui.panes.console.speaker_notes import Notes, dimmed
from tui.panes.edges.footer_lines import both_ends
from tui.panes.overview import Card, Grid, Thumbnails, overview
from tui.rendering.pages.page import Page
from tui.rendering.pages.slide_painter import Drawing

FAINT, DIM = Style("faint"), Style("dim")
HEAD = Style("dim", bold=True)
RULE = Style("line")
KEPT = 60
NEXT_ROWS = 15  # of a preview, at most
BOTH_ROWS = 12  # from which the next step is shown above the next slide
LABEL = 9  # cells of the names of what stands below

Words = tuple[str, ...]  # the same said with fewer and fewer words
Row = tuple[str, Words, str]  # name, words, ink
_STAGE: dict[str, Words] = {  # the process that has torch loaded and forks ranks
    "warming": ("being loaded", "loading"),
    "warm": ("loaded, demos start at once", "loaded"),
    "busy": ("loaded, at work", "loaded"),
    "lost": ("lost, loading again", "lost"),
    "absent": ("not there: no demos", "not there"),
}


class ConsolePanes:
    """Draws for one console; everything is asked from the room at the moment of drawing."""

    def __init__(self, room: Room, drawing: Drawing) -> None:
        self._room, self._drawing = room, drawing
        self.notes = Notes(room.session, drawing)
        self._kept: OrderedDict[Hashable, list[Line]] = OrderedDict()
        self.layout: Layout = "balanced"
        self.size = 0  # of the notes' rows or columns

    @property
    def _loose(self) -> bool:
        return self.size >= console_layout.LOOSE

    # --- the three arrangements -------------------------------------------------------------------------

    def beside(self, width: int, height: int) -> list[Line]:
        """The column beside the slide; with large notes what is next stands under the slide instead."""
        airy = height >= 30
        status = self._status(width)
        below: list[Line] = [(Span("─" * width, RULE),), *status]
        above: list[Line] = [()] * airy
        if self.layout != "notes":
            above += [*self.following(width, max(4, min(NEXT_ROWS, height // 3))), ()]
        rows = height - len(above) - len(below)
        notes = self.notes.window(width, rows, (), airy=airy, loose=self._loose)
        return [*above, *notes, *below][:height]

    def stacked(self, width: int, height: int) -> list[Line]:
        """The rows under the slide of a narrow terminal: notes, and a line for what is next."""
        right: Line = (Span(self._next_words(), DIM),)
        late = self._late() if height >= 6 else None
        below = [_row(*late, width)] if late is not None else []
        notes = self.notes.window(width, height - len(below), right, loose=self._loose)
        return [*notes, *below][:height]

    def following(self, width: int, height: int) -> list[Line]:
        """The next slide in `height` rows; above it a step that changes what is shown, if there is room."""
        session = self._room.session
        after, slide = session.after(), session.next_slide()
        lines: list[Line] = []
        step = after if after is not None and after[0] == session.index and not self._adds(after) else None
        if step is not None and height >= BOTH_ROWS:
            head: Line = (Span(f"NEXT STEP {step[1] + 1}/{session.slide.steps}", HEAD),)
            room, most = height // 2 - 2, height // 2 + 1
            shown = self._changes(step, max(1, width - 4))
            said: list[Line] = []
            if len(shown) > room - 2:
                key = ("said", step, width, self._drawing.token(Page(*step)))
                said = self._keep(key, lambda: self._said(step, max(1, width - 4)))
            box = _boxed(said, width, min(most, len(said) + 2)) if said else _boxed(shown, width, room)
            lines = [head, *box, ()]
        return [*lines, *self._next_slide(slide, width, height - len(lines))]

    def _next_slide(self, slide: int | None, width: int, height: int) -> list[Line]:
        session = self._room.session
        head: Line = (Span("NEXT", HEAD),)
        if slide is None:
            return [head, *_boxed([(Span("end of the talk", FAINT),)], width, min(3, height - 1))]
        at = f"slide {session.contents.label(slide)}"
        optional = ", optional" if session.contents.heads[slide].optional else ""
        room = max(0, width - cells.line_width(head) - 3)
        right = _fitting((self._after_steps() + at + optional, at + optional, at), room)
        lines = self._small(Page(slide, 0), max(1, width - 4), max(1, height - 3))
        return [both_ends(head, (Span(right, DIM),), width), *_boxed(lines, width, height - 1)]

    def _changes(self, step: tuple[int, int], width: int) -> list[Line]:
        """The part of a page that the step makes another."""
        now, then = self._page(Page(step[0], step[1] - 1), width), self._page(Page(*step), width)
        changed = [n for n, (a, b) in enumerate(zip(now, then, strict=False)) if a != b]
        return then[changed[0] : changed[-1] + 1] if changed else then

    def _said(self, step: tuple[int, int], width: int) -> list[Line]:
        """The words of the scene that a step moves: a few rows of its picture tell nothing."""
        blocks = self._room.session.contents.slide(step[0]).blocks
        moved = (it for it in blocks if isinstance(it, Scene) and it.at < step[1] < it.at + it.frames)
        if (scene := next(moved, None)) is None:
            return []
        from slides.export.scene_steps import told

        said = told(scene)[step[1] - scene.at]
        parts = ((said.lead, Style("heading", bold=True)), (said.caption, Style()))
        return [line for text, style in parts if text for line in cells.wrap((Span(text, style),), width)]

    def under_slide(self, thumbnails: Thumbnails, width: int, height: int) -> list[Line]:
        """Under the slide: what is next, or the slides around it."""
        if self.layout == "notes":
            lines = self.following(max(1, width - 4), height - 1)
            return [(), *((Span("  "), *line) for line in lines)]
        return self.strip(thumbnails, width, height)

    def strip(self, thumbnails: Thumbnails, width: int, height: int) -> list[Line]:
        """The slides around this one as thumbnails."""
        contents, index = self._room.session.contents, self._room.session.index
        grid = self.grid(width, height)
        first = self.neighbours(grid).start

        def card(n: int) -> Card:
            head = contents.heads[first + n]
            marks = ("optional",) if head.optional else ()
            if head.id in self._room.session.state.dropped:
                marks = ("left out",)
            lines = thumbnails.get(first + n, grid)
            return Card(contents.label(first + n), head.title, head.section, marks, lines)

        return list(overview(card, len(contents) - first, grid, 0, index - first))

    def grid(self, width: int, height: int) -> Grid:
        """Return how one row of thumbnails, about 22 cells each, fills the pane."""
        columns = max(1, width // 22)
        return Grid(columns, 1, max(1, (width - 2) // columns - 2), height - 1)

    def neighbours(self, grid: Grid) -> range:
        """The slides of the strip: this one has as many before it as after it, where there are so many."""
        total, index = len(self._room.session.contents), self._room.session.index
        first = max(0, min(index - (grid.columns - 1) // 2, total - grid.columns))
        return range(first, min(total, first + grid.columns))

    def make_thumbnail(self, thumbnails: Thumbnails, width: int, height: int) -> bool:
        """Draw one thumbnail of the strip that is missing or out of date; False where there is none."""
        grid = self.grid(width, height)
        for n in self.neighbours(grid):
            page = Page(n, self._room.session.contents.slide(n).steps - 1)
            if not thumbnails.fresh(page, grid):
                thumbnails.make(page, grid)
                return True
        return False

    # --- next -------------------------------------------------------------------------------------------

    def _next_words(self) -> str:
        following = self._room.session.next_slide()
        heads = self._room.session.contents.heads
        title = "the end" if following is None else cells.clean(heads[following].title)
        return (self._after_steps() or "next: ") + title

    def _after_steps(self) -> str:
        """`2 steps, then ` where there are any."""
        session = self._room.session
        more = session.slide.steps - 1 - session.step
        return f"{more} step{'s' if more > 1 else ''}, then " if more else ""

    def _adds(self, after: tuple[int, int]) -> bool:
        """Whether the next step only adds to the slide; then the slide shows it already, in dim."""
        width = 80
        now, then = self._page(Page(after[0], after[1] - 1), width), self._page(Page(*after), width)
        return all(a == b or not plain(a).strip() for a, b in zip(now, then, strict=False))

    def _page(self, page: Page, width: int) -> list[Line]:
        return self._keep(
            (page, width, self._drawing.token(page)), lambda: self._drawing.page(page, width, most=60)
        )

    def _small(self, page: Page, width: int, height: int) -> list[Line]:
        """A page as a preview of so many rows."""
        drawing = self._drawing
        key = (page, width, height, drawing.small_token(page))
        return self._keep(key, lambda: drawing.small(page, width, height))

    def _keep(self, key: Hashable, make: Callable[[], list[Line]]) -> list[Line]:
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = make()
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return found

    # --- how things stand -------------------------------------------------------------------------------

    def _status(self, width: int) -> list[Line]:
        """Stage, demo, answers and screens, a line each, as far as they are known; and what to leave out."""
        room = self._room
        word, detail = room.stage
        said = _STAGE.get(word, (word,))
        words = (f"{said[0]}: {detail}", *said) if detail else said
        rows: list[Row] = [("PyTorch", words, self._stage_ink)]
        running: list[Row] = [("demo", words, "warning") for words in self._running()]
        rows += running or [("demo", ("none running",), "dim")]
        if answers := self._answers():
            rows.append(("answers", (answers,), "text"))
        rows.append(("screens", (room.link_word,) if room.link_word else self._screens(), "text"))
        if said := room.looks.said:
            rows.append(("room", (" · ".join(said), said[0]), "text"))
        rows += [row for row in (self._drivers(), self._late()) if row is not None]
        return [_row(name, words, ink, width) for name, words, ink in rows]

    def status_line(self) -> Line:
        """The same in one line, for a narrow console."""
        room = self._room
        said = _STAGE.get(room.stage[0], (room.stage[0],))[-1]
        spans = [Span("PyTorch ", DIM), Span(said, Style(self._stage_ink))]
        for words in self._running()[:1]:
            spans += [Span("  ·  ", FAINT), Span(cells.clean(words[0]), Style("warning"))]
        if answers := self._answers():
            spans += [Span("  ·  ", FAINT), Span(answers)]
        screens = f"audience {room.audiences}" if not room.link_word else cells.clean(room.link_word)
        if room.consoles > 1:
            screens += f" · console {room.consoles}"
        return (*spans, Span("  ·  ", FAINT), Span(screens))

    def _answers(self) -> str:
        """How many answered the question of the slide, of how many that can."""
        current = self._room.answering.current()
        if current is None:
            return ""
        state, room = current[1], self._room
        of = f" of {room.answerers}" if room.answerers and not state.hands else ""
        return f"{state.answered}{of} in, {state.phase}"

    def _screens(self) -> Words:
        room = self._room
        if not room.class_id:
            return ("-",)
        phones = f" · phones {room.phones.now.here}" if room.phones.on else ""
        return (
            f"audience {room.audiences} · console {room.consoles}{phones}",
            f"audience {room.audiences}{phones}",
        )

    def _drivers(self) -> Row | None:
        """(name, words, ink): who drives alone, else the other consoles, if there are any."""
        room, session = self._room, self._room.session
        if session.state.lead:
            return (
                ("drives", ("you alone",), "accent")
                if session.driving
                else ("drives", (room.driver,), "warning")
            )
        others = [s.where for s in room.seats if s.role == "console" and s.screen != session.screen]
        return ("others", (", ".join(others),), "text") if others else None

    def _late(self) -> Row | None:
        """(name, words, ink): what to leave out to be on time, or what is left out."""
        session = self._room.session
        pace = session.pace
        heads = session.contents
        key = key_of("drop")
        if pace.drop:
            won = clock(pace.drop_s)
            if len(pace.drop) > 1:
                return f"{key} skips", (f"{len(pace.drop)} optional: -{won}",), "warning"
            at = heads.find(pace.drop[0])
            if at is not None:
                slide = heads.label(at)
                words = (f"{slide} {heads.heads[at].title} (-{won})", f"slide {slide} (-{won})")
                return f"{key} skips", words, "warning"
        if dropped := session.state.dropped:
            return "skipped", (f"{len(dropped)} optional; {key} takes them back", f"{len(dropped)}"), "dim"
        return None

    @property
    def _stage_ink(self) -> str:
        return {"warm": "good", "busy": "good", "lost": "bad", "absent": "warning"}.get(
            self._room.stage[0], "dim"
        )

    def _running(self) -> list[Words]:
        """Demos that run."""
        found: list[Words] = []
        for block in self._room.living()[:2]:
            snapshot = self._room.snapshots.get(block)
            text = self._room.run_state(block)
            if heard := self._room.outputs.of.get(block):
                text = f"{heard.output.lang} {text} {clock(heard.output.ran_s)}"
            words: Words = (text,)
            if snapshot is not None:
                ran, budget = clock(snapshot.ran_s), snapshot.budget_s
                of = f" of {clock(budget)}" if budget else ""
                words = f"{snapshot.demo} {snapshot.state} {ran}{of}", f"{snapshot.demo} {ran}{of}"
            found.append(words)
        return found


def foreshadow(now: list[Line], then: list[Line], width: int) -> list[Line]:
    """A page with what the next step adds to it, in dim and marked where the row has room."""
    mark = Span("  · next", FAINT)
    lines: list[Line] = []
    marked = False
    for line, coming in zip(now, then, strict=False):
        if plain(line).strip() or not plain(coming).strip():
            lines.append(line)
            continue
        behind = dimmed(coming)
        room = cells.line_width((*behind, mark)) <= width and not marked
        lines.append((*behind, mark) if room else behind)
        marked = marked or room
    return lines + now[len(lines) :]


def _row(name: str, words: Words, ink: str, width: int) -> Line:
    return Span(f"{name:<{LABEL}}", DIM), Span(_fitting(words, max(1, width - LABEL)), Style(ink))


def _fitting(words: Words, width: int) -> str:
    """The first of them that fits; the last one is cut."""
    said = [cells.clean(text) for text in words]
    return next((text for text in said if cells.width(text) <= width), cells.clip_text(said[-1], width))


def _boxed(lines: list[Line], width: int, height: int) -> list[Line]:
    """The first lines on a panel of their own, two cells in."""
    body = lines[: max(0, height - 2)]
    rows: list[Line] = [(), *body, *[()] * (height - 2 - len(body)), ()]
    return [_on(row, "panel", width) for row in rows[:height]]


def _on(line: Line, ground: str, width: int) -> Line:
    line = cells.clip(line, max(1, width - 4))
    used = cells.line_width(line)
    spans = [Span(span.text, span.style if span.style.ground else span.style.on(ground)) for span in line]
    pad = Style().on(ground)
    return (Span("  ", pad), *spans, Span(" " * max(0, width - used - 2), pad))
