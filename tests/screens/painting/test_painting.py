"""What is painted row by row is the screen that Textual would have painted."""

from __future__ import annotations

from made_screen import Screenful, on_painting, painted, press, until
from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.geometry import Region
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widget import Widget

from slides.drawing.text import Line, Span
from tui.rendering import textual_private
from tui.rendering.compositor import ByRows, Painted, RowsUpdate
from tui.rendering.themed_strips import Painter
from tui.widgets.lines import Lines

Grid = list[list[str]]


class Parted(ByRows, inherit_bindings=False):
    """Two columns, and something that lies over the middle of both."""

    DEFAULT_CSS = """
    Parted { layers: base over; overflow: hidden; }
    #columns { height: 1fr; }
    #left { width: 12; height: 1fr; }
    #right { width: 1fr; height: 1fr; }
    #over { layer: over; width: 10; height: 2; offset: 7 2; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.words = {"left": "l0", "right": "r0", "over": "o0"}
        painter = Painter("dark")
        self.parts = {name: Lines(painter, self._source(name), id=name) for name in self.words}
        self.grid: Grid = []

    def _source(self, name: str):  # type: ignore[no-untyped-def]
        def lines(width: int, height: int) -> list[Line]:
            return [(Span(f"{self.words[name]}:{y} ".ljust(width, ".")),) for y in range(height)]

        return lines

    def compose(self) -> ComposeResult:
        with Horizontal(id="columns"):
            yield self.parts["left"]
            yield self.parts["right"]
        yield self.parts["over"]

    def say(self, **words: str) -> None:
        for name, word in words.items():
            self.words[name] = word
            self.parts[name].redraw()


def whole(screen: ByRows) -> list[str]:
    return [strip.text for strip in painted(screen)]


class Stage(App[None]):
    def get_default_screen(self) -> Parted:
        return Parted()


async def still(pilot: Pilot[None]) -> Parted:
    """The screen, when it is laid out and nothing waits to be painted."""
    screen = pilot.app.screen
    assert isinstance(screen, Parted)

    def done() -> bool:
        waits = not textual_private.is_settled(screen, pilot.app) or screen._dirty_widgets or screen.due
        return all(part.size for part in screen.parts.values()) and not waits

    await until(pilot, done)
    return screen


def apply(update: RowsUpdate, onto: list[str]) -> list[str]:
    rows = list(onto)
    for y, x, strip in update.pieces:
        rows[y] = rows[y][:x] + strip.text + rows[y][x + strip.cell_length :]
    return rows


async def test_pieces_of_rows_make_the_picture_that_the_whole_screen_makes() -> None:
    app = Stage()
    async with app.run_test(size=(40, 8)) as pilot:
        screen = await still(pilot)
        updates: list[object] = []
        for words in (
            {"left": "l1"},
            {"right": "r1", "over": "o1"},
            {"left": "l2", "right": "r2"},
            {"over": "o2"},
        ):
            before = whole(screen)
            undo = on_painting(app, updates.append)
            screen.say(**words)
            screen.paint_due()
            undo()
            update = updates[-1]
            assert isinstance(update, RowsUpdate)
            assert apply(update, before) == whole(screen) != before
            await still(pilot)


async def test_only_the_dirty_rows_are_asked_for_and_of_nothing_behind() -> None:
    app = Stage()
    async with app.run_test(size=(40, 8)) as pilot:
        screen = await still(pilot)
        asked: list[tuple[str | None, Region]] = []
        for widget in (screen, *screen.walk_children()):
            _listen(widget, asked)
        screen.repaint(screen.parts["left"], Region(0, 6, 12, 1))
        await until(pilot, lambda: asked)
        await still(pilot)
        assert asked == [("left", Region(0, 6, 12, 1))]


def _listen(widget: Widget, asked: list[tuple[str | None, Region]]) -> None:
    name = "quick_lines" if hasattr(widget, "quick_lines") else "render_lines"
    render = getattr(widget, name)

    def heard(crop: Region):  # type: ignore[no-untyped-def]
        asked.append((widget.id, crop))
        return render(crop)

    setattr(widget, name, heard)


async def test_many_changes_in_one_turn_are_one_paint_and_need_no_timer() -> None:
    app = Stage()
    async with app.run_test(size=(40, 8)) as pilot:
        screen = await still(pilot)
        painted: list[RowsUpdate] = []
        on_painting(app, painted.append)
        for n in range(5):
            screen.say(left=f"n{n}", right=f"m{n}")
        screen.paint_due()
        assert len(painted) == 1
        assert any("n4" in piece.strip.text for piece in painted[0].pieces)
        await still(pilot)
        assert len([update for update in painted if update is not None]) == 1


async def test_a_change_of_layout_waits_for_it() -> None:
    app = Stage()
    async with app.run_test(size=(40, 8)) as pilot:
        screen = await still(pilot)
        painted: list[object] = []
        undo = on_painting(app, painted.append)
        screen.parts["left"].styles.width = 20
        screen.say(left="wide")
        screen.paint_due()
        assert painted == []
        undo()
        await until(pilot, lambda: whole(screen)[0].startswith("wide:0 ............."))


async def test_a_part_knows_the_size_that_textual_finds_in_the_layout() -> None:
    full = Screenful()
    async with full.app.run_test(size=(100, 30)) as pilot:
        parts = list(full.app.classroom.query(Painted))
        assert len(parts) == 9
        for key, size in (("c", (100, 30)), ("c", (80, 24)), ("f", (160, 45)), ("f", (50, 12))):
            await pilot.press(key)
            await pilot.resize_terminal(*size)
            await until(pilot, lambda size=size: full.app.classroom.size == size)  # type: ignore[misc]
            await until(pilot, lambda: [p.size for p in parts] == [p.content_region.size for p in parts])


async def test_rows_that_are_taken_as_they_are_look_as_textual_would_show_them() -> None:
    full = Screenful()
    async with full.app.run_test(size=(100, 30)) as pilot:
        await press(pilot, "c", "right")
        for part in full.app.classroom.query(Painted):
            whole = part.size.region
            expected = [_cells(strip) for strip in Widget.render_lines(part, whole)]
            assert [_cells(strip) for strip in part.render_lines(whole)] == expected


def _cells(strip: Strip) -> list[tuple[str, object, object, bool]]:
    return [
        (c, style and style.color, style and style.bgcolor, bool(style and style.bold))
        for text, style, _ in strip
        for c in text
    ]
