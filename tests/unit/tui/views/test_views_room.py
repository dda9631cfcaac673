"""The room of a run: what is measured is what is drawn."""

import math
import re
from typing import Any

import pytest
from made_snapshots import recorded as of_recording
from msgspec.structs import replace

from runtime.protocol.figures import Film, Mark, Moment, RankStep, Transfer
from runtime.protocol.messages import Snapshot
from slides.drawing.cells import line_width
from slides.drawing.large import letters
from slides.drawing.text import Line, Span, plain
from slides.palette import THEMES
from slides.scenes.painting import marks_of, written
from slides.scenes.shapes import Box, Packet, Path, State
from tui.classroom.runs.slow_motion import Playing
from tui.views import registry
from tui.views.panel import panel
from tui.views.run.machine_room import room, state
from tui.views.view import Paint

KINDS = ("params", "gathered", "grads", "optimizer_bytes", "activations")


@pytest.fixture(scope="module", params=["ddp", "hsdp"])
def recorded(request: pytest.FixtureRequest) -> Snapshot:
    """A run that was really made, at its end."""
    return of_recording(request.param)


def text(snapshot: Snapshot, width: int = 150, height: int = 34, **more: Any) -> str:
    return "\n".join(plain(line) for line in room(snapshot, width, height, **more))


def test_volumes_are_bytes(recorded: Snapshot) -> None:
    """Every tower is as high as its bytes, on one scale for all ranks and kinds."""
    towers = {
        shape.id: shape for shape in state(recorded).shapes if isinstance(shape, Box) and "@" in shape.id
    }
    scales = []
    for row in recorded.rows:
        for kind in KINDS:
            size = getattr(row, kind) or 0
            tower = towers.get(f"{kind}@{row.rank}")
            assert (tower is not None) == bool(size)
            if tower is not None:
                scales.append(math.prod(tower.size) / size)
    assert scales and max(scales) == pytest.approx(min(scales))


@pytest.mark.parametrize("width", [100, 120, 160])
def test_what_colours_mean_is_said_whole(recorded: Snapshot, width: int) -> None:
    head = text(recorded, width).split("\n")[0]
    assert "…" not in head and "parameters" in head and "a step" in head


def test_links_are_as_thick_as_what_went_over_them(recorded: Snapshot) -> None:
    links = [
        shape for shape in state(recorded).shapes if isinstance(shape, Path) and shape.id.startswith("link")
    ]
    sent = {(row.rank, to): size for row in recorded.rows for to, size in row.links.items()}
    most = max(sent.values())
    assert links
    for link in links:
        a, b = map(int, link.id.removeprefix("link").split("."))
        size = max(sent.get((a, b), 0), sent.get((b, a), 0))
        assert link.width == pytest.approx(0.02 + 0.1 * size / most)


def test_packets_are_only_between_ranks_in_a_collective(recorded: Snapshot) -> None:
    def packets(*states: str) -> set[str]:
        rows = tuple(replace(row, state=word) for row, word in zip(recorded.rows, states, strict=True))
        return {s.id for s in state(replace(recorded, rows=rows)).shapes if isinstance(s, Packet)}

    assert not packets("forward", "backward", "optimizer", "forward")
    assert all("3" not in name for name in packets("all-reduce", "all-reduce", "all-reduce", "forward"))
    assert packets("all-gather", "all-gather", "all-gather", "all-gather")


@pytest.mark.parametrize("size", [(158, 36), (78, 14), (40, 10), (20, 4), (1, 1)])
def test_it_fills_its_place_at_every_size(recorded: Snapshot, size: tuple[int, int]) -> None:
    for theme in ("light", "mono"):
        found = room(recorded, *size, THEMES[theme])
        assert len(found) == size[1] and all(line_width(line) == size[0] for line in found)


def test_ranks_are_named_with_what_they_hold(recorded: Snapshot) -> None:
    found = text(recorded, 100)
    assert (
        all(f"rank {row.rank}  " in found for row in recorded.rows)
        and "MB" in found
        and "one machine" in found
    )


def test_two_machines_are_two(recorded: Snapshot) -> None:
    rows = tuple(replace(row, node=row.rank // 2) for row in recorded.rows)
    found = text(replace(recorded, rows=rows))
    assert "machine A" in found and "machine B" in found


def test_a_dead_rank_is_marked(recorded: Snapshot) -> None:
    rows = (replace(recorded.rows[0], state="dead"), *recorded.rows[1:])
    plate = next(s for s in state(replace(recorded, rows=rows)).shapes if s.id == "device0")
    assert isinstance(plate, Box) and plate.edge == "bad"


def test_before_the_first_step_it_says_so(recorded: Snapshot) -> None:
    rows = tuple(replace(row, params=None) for row in recorded.rows)
    early = replace(recorded, rows=rows, state="running")
    assert not registry.OURS["room"].has(early)
    assert "known after the first step" in text(early)


# --- a moment of a step -----------------------------------------------------------------------------------


def filmed(at: float, recorded: Snapshot, **more: Any) -> tuple[Snapshot, Playing]:
    """A step in which rank 0 gathers, and rank 1 sends to rank 2, of a run that was really made."""
    moments = (Moment(0.1, 4_000_000, 500_000, 0), Moment(0.5, 0, 100_000, 2_000_000))
    gather = Transfer("all-gather", 0.2, 0.4, 3_000_000, tuple(range(recorded.world)))
    step = RankStep(moments, (gather,), (Mark("forward", 0.0, 0.3), Mark("exposed", 0.3, 0.5)))
    film = Film(40, 1.0, (step,) * recorded.world)
    return replace(recorded, film=film), Playing(film, at, 40, **more)


def test_at_a_moment_volumes_are_what_is_held_then(recorded: Snapshot) -> None:
    whole = {shape.id: shape for shape in state(recorded).shapes}
    unit = whole["params@0"].size[1] / (recorded.rows[0].params or 1)  # type: ignore[union-attr]
    for at, gathered, grads in ((0.05, 0, 0), (0.3, 4_000_000, 0), (0.9, 0, 2_000_000)):
        shapes = {shape.id: shape for shape in state(*filmed(at, recorded)).shapes}
        held = {"gathered": gathered, "grads": grads, "params": recorded.rows[0].params or 0}
        for kind, size in held.items():
            tower = shapes.get(f"{kind}@0")
            assert (tower is not None) == bool(size)
            assert not isinstance(tower, Box) or tower.size[1] == pytest.approx(size * unit)


def test_transfers_are_under_way_at_their_measured_times(recorded: Snapshot) -> None:
    def packets(at: float) -> list[Packet]:
        return [shape for shape in state(*filmed(at, recorded)).shapes if isinstance(shape, Packet)]

    assert not packets(0.19) and not packets(0.41)
    half = packets(0.3)
    assert len(half) == recorded.world and half[0].along == pytest.approx(0.5)
    assert packets(0.25)[0].along == pytest.approx(0.25)


def test_it_says_which_moment_and_how_much_slower(recorded: Snapshot) -> None:
    snapshot, playing = filmed(0.3, recorded, paused=True)
    said = text(snapshot, playing=playing)
    for words in ("this moment", "step 40", "300 ms of 1.00 s", "slowed 40x", "paused", "all-gather 3.0 MB"):
        assert words in said, words
    assert "in a transfer" in said or recorded.world > 4
    for size in ((80, 16), (100, 20), (30, 9)):
        drawn = room(snapshot, *size, playing=playing)
        assert len(drawn) == size[1] and {line_width(line) for line in drawn} == {size[0]}


def bars(snapshot: Snapshot, which: int) -> dict[str, Box]:
    plan = state(snapshot).plan
    assert plan is not None
    drawn = (plan, *plan.instead)[which]
    return {shape.id: shape for shape in drawn.shapes if isinstance(shape, Box) and "@" in shape.id}


@pytest.mark.parametrize("which", [0, 1])
def test_bars_of_the_plan_are_bytes_and_stay_in_their_machine(recorded: Snapshot, which: int) -> None:
    found = bars(recorded, which)
    scales = []
    for row in recorded.rows:
        for kind in KINDS:
            size = getattr(row, kind) or 0
            bar = found.get(f"{kind}@{row.rank}")
            assert (bar is not None) == bool(size)
            if bar is not None:
                scales.append(bar.size[0] / size)
                assert bar.at[0] >= 0 and bar.at[0] + bar.size[0] <= 160
                assert bar.at[1] >= 0 and bar.at[1] + bar.size[1] <= 60
    assert max(scales) == pytest.approx(min(scales))


@pytest.mark.parametrize("theme", ["dark", "mono"])
@pytest.mark.parametrize("size", [(78, 14), (158, 36)])
def test_characters_show_the_plan_with_each_rank_and_what_it_sent(
    recorded: Snapshot, size: tuple[int, int], theme: str
) -> None:
    lines = [plain(line) for line in room(recorded, *size, THEMES[theme], "characters")]
    for row in recorded.rows:
        [line] = [line for line in lines if line.strip("│ ").startswith(f"rank {row.rank}")]
        assert "MB a step to " in line
    assert sum("█" in line and "▒" in line for line in lines[1:]) == 4 or size[1] > 14
    assert not any("╱" in line or "╲" in line for line in lines)


def test_a_plan_has_each_of_64_ranks_on_eight_machines(recorded: Snapshot) -> None:
    row = recorded.rows[0]
    rows = tuple(replace(row, rank=n, node=n // 8, links={(n + 1) % 64: 10}) for n in range(64))
    plan = state(replace(recorded, rows=rows)).plan
    assert plan is not None
    names = {shape.id for shape in plan.shapes}
    assert {f"rank {n}" for n in range(64)} <= names and {f"machine{n}" for n in range(8)} <= names
    lines = room(replace(recorded, rows=rows), 158, 40, THEMES["mono"], "characters")
    assert len(lines) == 40 and all(line_width(line) == 158 for line in lines)


def test_a_packet_of_the_plan_moves_along_its_way(recorded: Snapshot) -> None:
    transfer = Transfer("all-gather", 0.0, 1.0, 1000, (0, 1, 2, 3))
    film = Film(1, 1.0, tuple(RankStep(transfers=(transfer,)) for _ in recorded.rows))
    found = []
    for at in (0.25, 0.75):
        plan = state(recorded, Playing(film, at, 1.0)).plan
        assert plan is not None
        found.append([shape.along for shape in plan.shapes if isinstance(shape, Packet)])
    assert found == [[0.25] * 4, [0.75] * 4]


def test_where_words_are_in_letters_each_rank_says_what_it_holds_and_does(recorded: Snapshot) -> None:
    shown, (columns, rows) = state(*filmed(0.4, recorded)), (158, 30)
    marks, words = marks_of(shown, columns, rows)
    cells = written(marks, words, columns, rows, shown).cells
    grid = [[cells.get((row, column)) for column in range(columns)] for row in range(rows)]
    said = "\n".join("".join(cell.text if cell else " " for cell in row) for row in grid)
    assert said.count("in a transfer") == recorded.world
    names = [word.text for word in words if word.bold]
    assert len(names) == recorded.world and all("MB" in name for name in names)
    for name in names:
        sizes = [letters.letters(name, columns, (size,), 1) or [name] for size in ("low", "slim")]
        assert any(all(row.strip() in said for row in drawn) for drawn in sizes), name


def test_by_pixels_it_is_the_same_state_in_the_same_rows(recorded: Snapshot) -> None:
    asked: list[tuple[object, int, int]] = []

    def pixels(shown: State, columns: int, rows: int) -> list[Line]:
        asked.append((shown, columns, rows))
        return [(Span("#" * columns),)] * rows

    snapshot, playing = filmed(0.4, recorded)
    found = text(snapshot, 100, 30, playing=playing, pixels=pixels).split("\n")
    assert asked == [(state(snapshot, playing), 100, 28)]
    assert "█ parameters" in found[0] and found[2:] == ["#" * 100] * 28
    assert "#" not in text(snapshot, 100, 30, playing=playing, pixels=lambda *_: None)
    asked.clear()
    text(snapshot, 100, 30, palette=THEMES["mono"], playing=playing, pixels=pixels)
    assert not asked


# --- as the view of a demo --------------------------------------------------------------------------------


def own(recorded: Snapshot, width: int, height: int, **more: Any) -> list[str]:
    """The panel of a demo that is looked at by its room."""
    snapshot = replace(recorded, view="room", state="running")
    return [plain(line) for line in panel(snapshot, width, height, paint=Paint(**more))]


@pytest.mark.parametrize("size", [(160, 34), (100, 28), (120, 40)])
def test_as_the_view_of_a_demo_it_has_the_width_and_the_moment(
    recorded: Snapshot, size: tuple[int, int]
) -> None:
    found: list[tuple[int, int]] = []

    def pixels(shown: State, columns: int, rows: int) -> list[Line]:
        found.append((columns, rows))
        return [(Span("#" * columns),)] * rows

    snapshot, playing = filmed(0.4, recorded)
    said = "\n".join(own(snapshot, *size, playing=lambda: playing, pixels=pixels))
    assert "step 40" in said and "400 ms of 1.00 s" in said
    [(columns, rows)] = found
    assert columns >= size[0] - 4 and rows >= 12
    for row in recorded.rows:
        assert re.search(rf"(?m)^ *{row.rank} .*done", said), "the ranks stay over it"


def test_at_each_height_there_is_the_room_or_the_ranks_and_never_a_word_that_it_needs_more(
    recorded: Snapshot,
) -> None:
    snapshot, playing = filmed(0.4, recorded)
    drawn = []
    for height in range(1, 45):
        asked: list[int] = []
        said = "\n".join(own(snapshot, 100, height, playing=lambda asked=asked: asked.append(1) or playing))
        assert "needs more room" not in said
        assert bool(asked) == ("400 ms of 1.00 s" in said)
        drawn.append(bool(asked))
    assert drawn == sorted(drawn), "once it has its rows it is not lost again in more of them"
    assert drawn[-1] and not drawn[5]
