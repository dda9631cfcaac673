"""What every rank held before and after a collective, and its cost: in pictures, and with any figures."""

from __future__ import annotations

import made_snapshots as made
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from pictured import same_as_picture

from runtime.catalog.specs.communication.collectives import OPS
from runtime.protocol.figures import Named
from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import Line, Style, plain
from tui.views.panel import panel
from tui.views.run import buffers

Held = tuple[tuple[float, ...], ...]


def shown(op: str, before: Held, after: Held, *, timed: bool = True, world: int = 4) -> Snapshot:
    values = [
        Named("collective", "", 1, ((float(OPS.index(op)),),) * world),
        Named("before", "", 1, before),
        Named("after", "", 1, after),
    ]
    if timed:
        sizes = tuple(1024.0 * 4**i for i in range(8))
        times = tuple(0.0011 + size / 2e9 for size in sizes)
        algbw = tuple(size / t for size, t in zip(sizes, times, strict=True))
        for name, figures in (("size", sizes), ("time", times), ("algbw", algbw),
                              ("busbw", tuple(0.75 * rate for rate in algbw)), ("alpha", (0.0011,)),
                              ("bandwidth", (2e9,))):  # fmt: skip
            values.append(Named(name, "", 1, (figures,) * world))
    return replace(made.ring(world), demo="collectives", values=tuple(values), view="buffers")


def brought(world: int = 4) -> Held:
    numbers = (lambda r, c: 10.0**r * (c + 1)) if world <= 6 else (lambda r, c: 100.0 * r + c)
    return tuple(tuple(numbers(r, c) for c in range(world)) for r in range(world))


OWN: Held = ((1.0,), (20.0,), (300.0,), (4000.0,))
NONE: Held = ((),) * 4
GATHERED = shown("all_gather", OWN, ((1.0, 20.0, 300.0, 4000.0),) * 4)
SUMMED = shown("all_reduce", brought(), ((1111.0, 2222.0, 3333.0, 4444.0),) * 4)
EIGHT = shown("all_to_all", brought(8), tuple(zip(*brought(8), strict=True)), world=8)
CASES = {
    "exchange_60x12": (SUMMED, 60, 12),
    "exchange_80x14": (GATHERED, 80, 14),
    "exchange_100x20": (SUMMED, 100, 20),
    "exchange_160x26": (GATHERED, 160, 26),
    "exchange8_80x20": (EIGHT, 80, 20),
}


@pytest.mark.parametrize("name", CASES)
def test_pictures(name: str) -> None:
    drawn = "\n".join(plain(line).rstrip() for line in panel(*CASES[name])) + "\n"
    same_as_picture(name, drawn)


def drawn(snapshot: Snapshot, width: int = 100, height: int = 14) -> list[Line]:
    return buffers.buffers(snapshot, width, height)


def words(line: Line) -> list[str]:
    return plain(line).split()


def test_each_rank_before_and_after() -> None:
    lines = drawn(GATHERED)
    assert words(lines[0]) == ["buffers", "all-gather"]
    assert words(lines[3]) == ["1", "20", "→", "1", "20", "300", "4000"]


def test_a_rank_that_holds_nothing_is_a_dash() -> None:
    lines = drawn(shown("gather", OWN, ((1.0, 20.0, 300.0, 4000.0), (), (), ())))
    assert words(lines[4]) == ["2", "300", "→", "–"]
    assert words(drawn(shown("barrier", NONE, NONE))[2]) == ["0", "–", "→", "–"]


def test_what_is_new_stands_out() -> None:
    [line] = [
        line for line in drawn(shown("broadcast", brought(), (brought()[0],) * 4)) if words(line)[:1] == ["0"]
    ]
    assert not any(span.style == Style("accent", bold=True) for span in line)
    other = drawn(shown("broadcast", brought(), (brought()[0],) * 4))[3]
    assert [span.text.strip() for span in other if span.style == Style("accent", bold=True)] == list("1234")


def test_the_cost_has_a_column_a_size_and_what_it_comes_to() -> None:
    lines = drawn(GATHERED, 100)
    named = {words(line)[0]: words(line)[1:] for line in lines if words(line) and "fitted" not in plain(line)}
    assert named["size"][:4] == ["1.0", "kB", "4.1", "kB"] and named["size"][-2:] == ["16.8", "MB"]
    assert named["time"][:2] == ["1.1", "ms"] and named["busbw"][-1] == "GB/s"
    assert any("time = 1.1 ms + size / 2.0 GB/s" in plain(line) for line in lines)
    assert not any("algbw" in plain(line) for line in drawn(shown("scatter", OWN, OWN, timed=False)))


figures = st.lists(st.floats(), max_size=70).map(tuple)
of_a_ring = ["buffer", "summed", "sent", "transfer", "difference"]
of_others = ["before", "after", "collective", "size", "time", "algbw", "busbw", "alpha", "bandwidth"]
names = st.sampled_from([*of_a_ring, *of_others, "\x1b[2J"])
some = st.builds(
    Named, names, st.text(max_size=4), st.integers(-1, 9), st.lists(figures, max_size=9).map(tuple)
)


@settings(max_examples=140, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from([GATHERED, made.ring()]),
    st.lists(some, max_size=9),
    st.integers(1, 170),
    st.integers(1, 40),
)
def test_any_figures_fill_any_size_exactly(
    shown: Snapshot, values: list[Named], width: int, height: int
) -> None:
    snapshot = replace(shown, values=tuple(values))
    for view in (buffers.buffers, panel):
        lines = view(snapshot, width, height)
        assert len(lines) == height
        assert all(cells.line_width(line) == width for line in lines)
        assert "\x1b" not in "".join(plain(line) for line in lines)


def test_at_the_end_every_collective_has_its_cost() -> None:
    def rows(snapshot: Snapshot) -> list[str]:
        return [plain(line).rstrip() for line in buffers.buffers(snapshot, 80, 14)]

    found: dict[str, float | None] = {"wrong": 0}
    for n, op in enumerate(OPS[:-1], start=1):
        found |= {
            f"{op}_alpha_s": n / 1e3,
            # As recordings of before the demo said B call it.
            f"{op}_{'beta' if n == 2 else 'bandwidth'}_bytes_per_s": n * 1e9,
            f"{op}_busbw_bytes_per_s": None,
        }
    found["barrier_alpha_s"] = 0.0007
    ran = replace(GATHERED, rows=tuple(replace(row, result=found) for row in GATHERED.rows))
    assert "before" in rows(ran)[1]  # while it runs the buffers are what one looks at
    lines = rows(replace(ran, state="done"))
    assert lines[0].startswith("time = α + size / B")
    assert [line.split()[:3] for line in lines[3:5]] == [
        ["broadcast", "1.0", "ms"], ["reduce", "2.0", "ms"],
    ]  # fmt: skip
    assert [line.split()[3:5] for line in lines[3:5]] == [["1.0", "GB/s"], ["2.0", "GB/s"]]
    assert lines[11].split() == ["barrier", "0.7", "ms", "–", "–"]
    assert buffers.rows_of(replace(ran, state="done")) == 2 + len(OPS)
