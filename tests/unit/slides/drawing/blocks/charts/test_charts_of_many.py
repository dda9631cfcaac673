"""Charts of 10,000 points, of 64 bars, of bars below zero and of many series, held against the numbers."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from slides.audience_deck import audience_deck
from slides.deck import Chart
from slides.drawing.blocks.charts import chart_many_points as many
from slides.drawing.blocks.charts import charts
from slides.drawing.blocks.charts.chart_letters import large_entries
from slides.drawing.blocks.charts.chart_parts import SEEN, fills
from slides.drawing.blocks.charts.chart_pixels import bars as in_pixels
from slides.drawing.blocks.charts.chart_scale import Scale
from slides.drawing.canvas import Braille
from slides.drawing.cells import line_width
from slides.drawing.text import Line, Span, Style, plain
from slides.reading import charts as reading
from slides.reading.parse import parse_slide
from slides.reading.split import split
from slides.scenes.shapes import Box, State

LETTERS = "abcdefghijklmnop"
RNG = np.random.default_rng(7)


def of(kind: str, head: list[str], rows: list[list[object]], **params: str) -> Chart:
    return reading.read(kind, params, [head, *[[str(cell) for cell in row] for row in rows]])


def plot_of(lines: list[Line]) -> list[str]:
    """The rows of a chart behind its axis of y."""
    rows = [plain(line) for line in lines]
    return [row.replace("┤", "│").replace("┼", "│").split("│", 1)[1] for row in rows if set("│┤┼") & set(row)]


def dots(lines: list[Line]) -> np.ndarray:
    """The braille dots of a chart's plot: what is behind its axis of y."""
    rows = plot_of(lines)
    wide = max(map(len, rows))
    cells = np.array(
        [[ord(sign) - 0x2800 if sign >= "\u2800" else 0 for sign in row.ljust(wide)] for row in rows]
    )
    bits = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]
    found = np.zeros((4 * len(rows), 2 * wide), bool)
    for y in range(4):
        for x in range(2):
            found[y::4, x::2] = cells & bits[y][x]
    return found


def test_each_column_of_ten_thousand_points_has_their_lowest_and_their_highest() -> None:
    losses = 5 * np.exp(-np.arange(10_000) / 3000) + RNG.normal(0, 0.3, 10_000)
    losses[4321] = 9.0  # a peak of one step is seen
    lines = charts.lines(of("line", ["step", "loss"], [[n, y] for n, y in enumerate(losses)]), 100, 30)
    drawn = dots(lines)
    assert "10,000 points: each column from its lowest to its highest" in plain(lines[-1])
    column = np.floor(np.arange(10_000) / 9999 * (drawn.shape[1] - 2) + 0.5).astype(int)
    low = np.array([losses[column == x].min() for x in range(drawn.shape[1] - 1)])
    high = np.array([losses[column == x].max() for x in range(drawn.shape[1] - 1)])
    tops = drawn.argmax(0)[:-1]
    feet = drawn.shape[0] - 1 - drawn[::-1].argmax(0)[:-1]
    a_dot = np.polyfit(high, tops, 1)[0]  # a scale that the numbers give, not ours
    expected = tops[int(high.argmax())] + (high - high.max()) * a_dot
    assert np.abs(tops - expected).max() <= 2.5, "the line to a neighbour may reach higher by its slope"
    assert np.corrcoef(low, feet)[0, 1] < -0.99
    assert tops.argmin() == column[4321]


@pytest.mark.parametrize("broken", [False, True])
def test_what_is_left_of_a_line_draws_the_same_dots(broken: bool) -> None:
    points = np.column_stack([np.sort(RNG.uniform(0, 198, 5000)), RNG.integers(0, 80, 5000).astype(float)])
    if broken:
        points[::7, 1] = math.nan
    kept = many.same_look(points)
    assert len(kept) <= 4 * 199 + np.isnan(points).any(1).sum() * 5
    looks = []
    for of_points in (points, kept):
        drawing = Braille(100, 20)
        drawing.lines(of_points, "text")
        looks.append(drawing.dots)
    assert (looks[0] == looks[1]).all()


def test_a_crowd_says_how_many_points_are_in_a_cell() -> None:
    x, y = RNG.normal(0, 1, 10_000), RNG.normal(0, 1, 10_000)
    chart = of("scatter", ["x", "y"], [[a, b] for a, b in zip(x, y, strict=True)])
    lines = charts.lines(chart, 90, 30)
    note = plain(lines[-1])
    assert note.startswith("10,000 points; in a cell: ░ 1–")
    least = {part[0]: int(part[2:].split("–")[0]) for part in note.split(": ")[1].split("  ")}
    plot = plot_of(lines)
    cells = np.zeros((len(plot), max(map(len, plot))), int)
    for row, text in enumerate(plot):
        for column, sign in enumerate(text):
            cells[row, column] = least.get(sign, 0)
    # Where points are, by numpy's own histogram over the same ranges: empty stays empty, thick is thicker.
    tall, wide = cells.shape
    assert sum(sign in text for text in plot for sign in "█") and cells.max() == max(least.values())
    assert least["█"] <= 10_000 * 3 / (cells > 0).sum() * 10
    middle = cells[tall // 2 - 2 : tall // 2 + 2, wide // 2 - 4 : wide // 2 + 4]
    assert middle.min() > cells[:2].max()
    assert least["░"] * (cells == 1).sum() <= 10_000


def test_few_points_and_spread_ones_stay_points() -> None:
    rows = [[n % 50, n // 50] for n in range(1000)]
    lines = charts.lines(of("scatter", ["x", "y"], rows), 120, 40)
    assert not {"░", "█"} & set("".join(map(plain, lines[1:])))
    same = of("scatter", ["x", "y"], [[1, 1]] * 20 + [[2, 2]])
    assert not {"░", "▓"} & set("".join(map(plain, charts.lines(same, 60, 12))))


def test_a_loss_that_is_no_number_is_a_gap_and_said() -> None:
    rows = [[n, "nan" if n == 5 else "-inf" if n == 6 else 9 - n] for n in range(10)]
    chart = of("line", ["step", "loss"], rows)
    assert chart.unplaced == ((6, 1), (7, 1)) and chart.values[5] == (None,)
    assert "2 values are nan or infinite, and not drawn" in "\n".join(map(plain, charts.lines(chart, 60, 14)))
    again = reading.read("line", {}, list(map(list, (row.split(",") for row in reading.written(chart)))))
    assert again.unplaced and again.values == chart.values


def test_ten_thousand_points_of_a_file_reach_the_audience(tmp_path: Path) -> None:
    """Their numbers stand in its deck, more than a listing may have."""
    rows = "".join(f"{n},{y!r}\n" for n, y in enumerate(RNG.normal(0, 1, 10_000).tolist()))
    (tmp_path / "loss.csv").write_text("step,loss\n" + rows)
    deck = split("# A\n\n::: chart line loss.csv\n", str(tmp_path / "deck.md"))
    ours, theirs = (
        next(block for block in slide.blocks if isinstance(block, Chart))
        for slide in (parse_slide(deck, 0), parse_slide(audience_deck(deck), 0, trusted=False))
    )
    assert len(theirs.xs) == 10_000 and theirs.values == ours.values


def test_a_point_between_gaps_is_seen() -> None:
    rows = [[n, n % 3 if n % 2 else ""] for n in range(200)]
    drawn = dots(charts.lines(of("line", ["x", "y"], rows), 80, 20))
    assert drawn.any(0).sum() >= 100


@pytest.mark.parametrize("kind", ["bars", "stacked"])
@pytest.mark.parametrize(("columns", "rows"), [(72, 20), (120, 36)])
def test_bars_hang_from_zero_as_far_as_their_numbers_say(kind: str, columns: int, rows: int) -> None:
    chart = of(kind, ["run", "change"], [["a", 30], ["b", -60], ["c", 15], ["d", -1]])
    lines = [plain(line).ljust(columns) for line in charts.lines(chart, columns, rows)]
    zero = next(n for n, line in enumerate(lines) if "───" in line)
    names = next(line for line in lines if "a " in line and " d" in line and "█" not in line)
    shaded = {
        name: [n for n, line in enumerate(lines[2:], 2) if line[names.index(name) + 1] in "█▁▂▃▄▅▆▇"]
        for name in "abcd"
    }
    assert max(shaded["a"]) == zero - 1 == max(shaded["c"])
    assert min(shaded["b"]) == zero + 1 == min(shaded["d"])
    assert len(shaded["b"]) == pytest.approx(2 * len(shaded["a"]), abs=1.1)
    assert len(shaded["d"]) == 1 and len(shaded["c"]) < len(shaded["a"])
    assert "-60" in "".join(lines)


def test_parts_above_and_below_zero_have_their_own_stacks() -> None:
    chart = of("stacked", ["run", "in", "out", "more"], [["a", 30, -20, 4], ["b", 0, -6, -8]])
    scale = Scale(chart)
    assert (scale.top, scale.low) == (34, -20)
    lines = charts.lines(chart, 80, 30)
    zero = next(n for n, line in enumerate(lines) if "───" in plain(line))
    inks = [{span.style.ground for span in line if span.style.ground} for line in lines]
    assert inks[zero - 1] == {"rank4"} and inks[zero + 1] == {"rank6"}
    drawn = in_pixels(chart, 80, 27, (scale.low, scale.top), [(1, 9), (20, 9)], [], figures=True)
    boxes = {shape.id: shape for shape in drawn.shapes if isinstance(shape, Box)}
    at_zero = 27 * 34 / 54
    assert boxes["bar0.0"].at[1] + boxes["bar0.0"].size[1] == pytest.approx(at_zero)
    assert boxes["bar0.1"].at[1] == pytest.approx(at_zero)
    assert boxes["bar1.2"].at[1] == pytest.approx(at_zero + 6 * 27 / 54)


@pytest.mark.parametrize("high", [92.5, 40.0, 7.4, 0.3])
@pytest.mark.parametrize("rows", [16, 24, 36])
def test_bars_in_pixels_reach_the_figures_of_their_axis(high: float, rows: int) -> None:
    chart = of("bars", ["rank", "GB"], [[n, -7.4 if n == 9 else high] for n in range(64)])
    states: list[State] = []

    def plots(state: State, cells: list[Line]) -> list[Line]:
        states.append(state)
        return cells

    lines = [plain(line) for line in charts.lines(chart, 100, rows, plots=plots)]
    first = next(n for n, line in enumerate(lines) if set("│┤┼") & set(line))
    at = {
        float(line.split("┤")[0].split("┼")[0]): row + 0.5
        for row, line in enumerate(lines[first:])
        if set("┤┼") & set(line)
    }
    boxes = {shape.id: shape for shape in states[0].shapes if isinstance(shape, Box)}
    up, down = boxes["bar0.0"], boxes["bar9.0"]
    assert up.at[1] + up.size[1] == pytest.approx(at[0.0]) == down.at[1]
    assert down.size[1] * high == pytest.approx(up.size[1] * 7.4)
    for value, y in at.items():  # where a bar of this value would end
        assert y == pytest.approx(at[0.0] - value * up.size[1] / high, abs=0.51)


@pytest.mark.parametrize("rows", [16, 24, 33])
def test_many_bars_above_zero_end_at_their_figures_in_pixels_too(rows: int) -> None:
    chart = of("bars", ["rank", "GB"], [[f"rank {n}", 10 + n] for n in range(64)])
    states: list[State] = []

    def plots(state: State, cells: list[Line]) -> list[Line]:
        assert len(cells) == state.size[1]
        states.append(state)
        return cells

    lines = [plain(line) for line in charts.lines(chart, 100, rows, plots=plots)]
    first = next(n for n, line in enumerate(lines) if set("│┤┼") & set(line))
    said = [(line.replace("┼", "┤").split("┤")[0], row + 0.5) for row, line in enumerate(lines[first:])]
    at = {float(text): y for text, y in said if text.strip().isdigit()}
    bars = {shape.id: shape for shape in states[0].shapes if isinstance(shape, Box)}
    row = bars["bar63.0"].size[1] / 73  # of a GB
    assert len(at) >= 2 and at[0.0] == pytest.approx(bars["bar0.0"].at[1] + bars["bar0.0"].size[1])
    for value, y in at.items():
        assert y == pytest.approx(at[0.0] - value * row, abs=0.51)


@pytest.mark.parametrize("cells", [5, 7, 12, 23, 40])
def test_bars_on_both_sides_of_zero_use_their_plot(cells: int) -> None:
    for low in (0.001, 0.2, 1.0, 3.0, 7.4, 30.0, 92.5, 500.0):
        scale = Scale(of("bars", ["r", "v"], [["a", 92.5], ["b", -low]]))
        up, over, under = scale.sides(cells)
        assert over.end >= 92.5 * 0.999 and under.end >= low * 0.999
        assert over.end / up == pytest.approx(under.end / (cells - up))
        # No other place of zero leaves fewer cells empty.
        least = min(max(92.5 / n, low / (cells - n)) for n in range(1, cells))
        assert over.end / up == pytest.approx(least)


@pytest.mark.parametrize("kind", ["bars", "stacked"])
@pytest.mark.parametrize("count", [2, 64])
@pytest.mark.parametrize("value", [5e-324, -5e-324])
def test_the_least_number_is_drawn(kind: str, count: int, value: float) -> None:
    states: list[State] = []

    def plots(state: State, cells: list[Line]) -> list[Line]:
        states.append(state)
        return cells

    chart = of(kind, ["r", "v"], [[n, value] for n in range(count)])
    lines = charts.lines(chart, 100, 24, plots=plots)
    assert any("─" in plain(line) or "│" in plain(line) for line in lines)
    boxes = [shape for shape in states[0].shapes if isinstance(shape, Box)]
    assert boxes and all(map(math.isfinite, (*boxes[0].at, *boxes[0].size)))


@pytest.mark.parametrize("limit", ["-40 too low", "25 enough"])
def test_a_limit_on_either_side_of_zero_parts_what_is_beyond_it(limit: str) -> None:
    rows: list[list[object]] = [["a", 30], ["b", -60], ["c", 15], ["d", -1]]
    for columns, height in ((100, 24), (30, 8)):  # upright and lying
        lines = [
            plain(line) for line in charts.lines(of("bars", ["r", "v"], rows, limit=limit), columns, height)
        ]
        assert any(limit.split()[0] in line for line in lines) and max(map(len, lines)) <= columns


def test_sixty_four_bars_stand_beside_an_axis_with_some_of_their_names() -> None:
    values = RNG.uniform(10, 60, 64)
    chart = of("bars", ["rank", "GB"], [[f"rank {n}", round(v, 3)] for n, v in enumerate(values)])
    for columns in (74, 128, 150):
        lines = charts.lines(chart, columns, 34)
        assert len(lines) <= 34 and max(map(line_width, lines)) <= columns
        rows = [plain(line) for line in lines]
        plot = [row for row in rows if "│" in row or "┤" in row]
        start = min(row.find("│") for row in plot if "│" in row) + 1
        slot = (columns - start) // 64
        eighths = [
            sum(" ▁▂▃▄▅▆▇█".find((row.ljust(columns))[start + n * slot]) for row in plot) for n in range(64)
        ]
        most = int(values.argmax())
        assert eighths == [pytest.approx(max(1, eighths[most] * v / values.max()), abs=0.6) for v in values]
        named = [name for name in rows[-1].split("rank ") if name.strip()]
        assert 4 <= len(named) <= 32 and rows[-1].count("rank ") == len(named)
        for name in named:  # each under its own bar
            n = int(name)
            assert abs(rows[-1].index(f"rank {n}") + len(f"rank {n}") / 2 - start - n * slot) <= slot + 1


def test_sixteen_series_are_told_apart() -> None:
    head = ["x", *(f"run {n}" for n in range(16))]
    rows: list[list[object]] = [
        [x, *(math.sin(x / 20 + n / 3) + n / 4 for n in range(16))] for x in range(60)
    ]
    for kind in ("line", "scatter"):
        lines = charts.lines(of(kind, head, rows), 100, 40)
        text = "\n".join(map(plain, lines))
        assert all(f"{letter} run {n}" in text for n, letter in enumerate(LETTERS))
        assert set(LETTERS) <= set("".join(plot_of(lines))), kind
    for kind in ("bars", "stacked"):
        marks = fills(of(kind, head, rows[:2]))
        assert len({(mark.ink, mark.seen) for mark in marks}) == 16, "by colour"
        assert len({mark.glyph for mark in marks}) == 16, "and where there is none"


def test_a_crowd_of_sixteen_series_has_their_letters_where_most_of_them_are() -> None:
    head = ["x", *(f"run {n}" for n in range(16))]
    rows: list[list[object]] = []
    rng = np.random.default_rng(7)  # its own: whichever tests came before
    for n in range(16):  # a cloud each, 4 side by side in 4 rows
        for x, y in rng.normal((n % 4, n // 4), 0.12, (312, 2)):
            rows.append([x, *(y if k == n else "" for k in range(16))])
    lines = charts.lines(of("scatter", head, rows, limit="1.5 enough"), 100, 40)
    assert "begins with its letter" in plain(lines[-1])
    plot = plot_of(lines)
    for n, letter in enumerate(LETTERS):
        cells = [(row, text.index(letter)) for row, text in enumerate(plot) if letter in text]
        assert len(cells) > 2 and "█" in "".join(plot), letter
        row, column = np.mean(cells, axis=0)
        assert 3 - n // 4 == int(4 * row / len(plot)) and n % 4 == int(4 * column / len(plot[0]))
    inks = {span.style.ink for line in lines for span in line if "━" in span.text}
    assert inks == {"bad"}


def test_no_glyph_stands_at_a_figure() -> None:
    chart = of("bars", ["r", *(f"s{n}" for n in range(12))], [["a", *range(1, 13)]])
    for columns in (40, 60, 100):
        plot = "\n".join(map(plain, charts.lines(chart, columns, 30)[3:]))
        assert not re.findall(f"[0-9][{re.escape(SEEN)}]|[{re.escape(SEEN)}][0-9]", plot)


def test_a_letter_stands_once_before_its_name_in_letters() -> None:
    entries = [(Span(letter, Style("rank0")), Span(f" r{n}")) for n, letter in enumerate("ab")]
    rows = [plain(line) for line in large_entries(entries, 80) or []]
    assert [row[:4].strip() for row in rows] == ["", "a", ""] and "b" in rows[1]


def test_twelve_colours_are_told_apart_where_there_is_none() -> None:
    names = ["exposed", "hidden", "wait", "data", *(f"s{n}" for n in range(12))]
    for count in (12, 16):
        marks = fills(of("bars", ["r", *names[:count]], [["a", *range(count)]]))
        assert len({mark.glyph for mark in marks}) == count == len({(mark.ink, mark.seen) for mark in marks})


def test_of_parts_that_have_no_room_the_smallest_are_not_drawn() -> None:
    chart = of("stacked", ["run", *"abcdefghijkl"], [["x", *range(1, 13)]])
    _, side, _ = Scale(chart).sides(6)
    found = side.parts([float(n) for n in range(1, 13)], 6)
    assert sum(found) == 6 and found[:6] == [0] * 6 and max(found) == 1


def test_many_rows_are_told_by_their_ends_and_extremes() -> None:
    rows: list[list[object]] = [[n, abs(n - 300) + 1 if n != 7 else ""] for n in range(1000)]
    told = charts.told(of("line", ["step", "loss"], rows))
    assert len(told) == 2 and "1,000 rows" in told[0]
    assert told[1] == (
        "  loss: first 301 at step 0; last 700 at step 999; lowest 1 at step 300; highest 700 at step 999; "
        "1 without a value"
    )


def test_the_inks_of_memory_are_of_memory_and_of_ranks() -> None:
    """Blue means parameters everywhere in the course: days are not drawn in it while another is free."""
    head = ["run", "MFU", "rank 1", "gradients", "rank 12"]
    inks = [fill.ink for fill in fills(of("bars", head, [["a", 1, 2, 3, 4]]))]
    assert inks == ["rank6", "rank1", "rank7", "rank4"]
    many = [fill.ink for fill in fills(of("bars", ["run", *"abcdefgh"], [["a", *range(8)]]))]
    assert sorted(many[:4]) == [f"rank{n}" for n in (4, 5, 6, 7)] and len(set(many)) == 8
