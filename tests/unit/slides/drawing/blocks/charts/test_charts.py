"""Charts: read from a table, a CSV in the block or a file beside the deck; drawn in the room there is."""

from __future__ import annotations

from pathlib import Path

import pytest
from read_letters import read

from slides.audience_deck import audience_deck
from slides.check import reading
from slides.deck import Box, Chart, Deck, Slide
from slides.drawing.blocks.charts import chart_letters, charts
from slides.drawing.blocks.charts.chart_axes import fitted
from slides.drawing.cells import line_width
from slides.drawing.layout import layout
from slides.drawing.screen_reader_lines import linear
from slides.drawing.text import Line, Style, plain
from slides.export.html import Section, page
from slides.reading.parse import parse_slide
from slides.reading.split import split
from slides.reading_order import blocks

TABLE = """| | parameters | gradients | optimizer |
|---|---|---|---|
| one GPU | 14 | 14 | 84 |
| FSDP, each of 4 | 3.5 | 3.5 | 21 |
"""
STACKED = f'# Memory\n\n::: chart stacked unit=GB limit="80 one H100"\n{TABLE}:::\n'


def made(text: str, path: str = "") -> Slide:
    return parse_slide(split(text, path), 0)


def chart_of(text: str, path: str = "") -> Chart:
    found = [block for block in blocks(made(text, path).blocks) if isinstance(block, Chart)]
    assert found, made(text, path).blocks
    return found[0]


def box_of(text: str, path: str = "") -> Box:
    return next(block for block in blocks(made(text, path).blocks) if isinstance(block, Box))


def filled(lines: list[Line], ink: str) -> list[int]:
    """Cells of a colour, row by row."""
    return [sum(len(span.text) for span in line if span.style.ground == ink) for line in lines]


def test_a_table_is_a_chart_with_its_limit() -> None:
    chart = chart_of(STACKED)
    assert chart.series == ("parameters", "gradients", "optimizer")
    assert chart.labels == ("one GPU", "FSDP, each of 4")
    assert chart.values == ((14, 14, 84), (3.5, 3.5, 21))
    assert (chart.limit, chart.limit_label, chart.unit) == (80, "one H100", "GB")


def test_bars_are_as_high_as_their_numbers() -> None:
    """112 GB is 4 times 28 GB; a part's share of its bar is its share of the sum; 112 is above the limit's
    line and 28 below it."""
    lines = charts.lines(chart_of(STACKED), 80, 40)
    plot = lines[2:]
    heights = {}
    for ink in ("rank0", "rank1", "rank2"):
        cells = filled(plot, ink)
        widths = sorted({count for count in cells if count})
        thick = widths[0]
        heights[ink] = sum(cells) // thick
    limit = next(n for n, line in enumerate(plot) if "━" in plain(line))
    first = next(n for n, line in enumerate(plot) if any(span.style.ground for span in line))
    assert first < limit
    whole = sum(heights.values())  # of both bars: 140 GB
    assert heights["rank2"] / whole == pytest.approx(105 / 140, abs=0.04)
    assert heights["rank0"] / whole == pytest.approx(17.5 / 140, abs=0.03)
    assert any("84" in plain(line) for line in plot)
    assert "112 GB" in plain(plot[-1]) and "28 GB" in plain(plot[-1])


@pytest.mark.parametrize("rows", [12, 20, 40])
def test_a_part_that_is_nothing_has_no_cell_in_a_stack(rows: int) -> None:
    """Nor one whose cell of the table is empty, on the top of a bar or within it."""
    table = (
        "| | parameters | gradients | optimizer |\n|--|--|--|--|\n| SGD | 4 | 4 | |\n| none | 4 | 0 | 8 |\n"
    )
    text = f"::: chart stacked\n{table}:::\n"
    lines = charts.lines(chart_of(text), 72, rows, large=rows > 20)
    plot = lines[2:]  # below the names of the parts
    for ink, bars in (("rank0", 2), ("rank1", 1), ("rank2", 1)):
        starts = {
            sum(len(before.text) for before in line[:n])
            for line in plot
            for n, span in enumerate(line)
            if span.style.ground == ink and (n == 0 or line[n - 1].style.ground != ink)
        }
        assert len(starts) == bars, ink


@pytest.mark.parametrize("kind", ["bars", "stacked", "line", "scatter"])
@pytest.mark.parametrize("columns", [24, 40, 74, 120])
@pytest.mark.parametrize("rows", [0, 8, 16, 44])
def test_a_chart_keeps_within_its_room(kind: str, columns: int, rows: int) -> None:
    text = f'::: chart {kind} limit="3 much" title="Two of them"\n| n | a | b |\n|--|--|--|\n' + "".join(
        f"| {n} | {n % 4} | {n * n % 5} |\n" for n in range(6)
    )
    lines = charts.lines(chart_of(text + ":::\n"), columns, rows)
    assert max(map(line_width, lines)) <= columns
    assert len(lines) <= max(rows or charts.ROWS, charts.LEAST_ROWS, 6 * 2 + 4)


def test_bars_that_differ_by_less_than_a_row_are_not_equally_high() -> None:
    """Against the numbers themselves: heights in eighths of a row, to half an eighth."""
    told = (450.0, 63.0, 50.0, 12.5)
    table = "".join(f"| wire {n} | {value} |\n" for n, value in enumerate(told))
    chart = chart_of(f"# Wires\n\n::: chart bars unit=GB/s\n| a wire | GB/s |\n|---|---:|\n{table}:::\n")
    rows = [plain(line) for line in charts.lines(chart, 80, 14)]
    floor = next(n for n, row in enumerate(rows) if "───" in row)
    left = [rows[floor - 1].index("█")]
    names = rows[floor + 1]
    at = [names.index(f"wire {n}") for n in range(4)]
    eighths = [sum(" ▁▂▃▄▅▆▇█".find(row.ljust(80)[x]) for row in rows[1:floor]) for x in at]
    assert left[0] == at[0] and eighths[0] % 8 == 0
    assert eighths == [pytest.approx(eighths[0] * value / told[0], abs=0.5) for value in told]


def test_a_chart_grows_with_the_screen() -> None:
    slide = made(STACKED)

    def height(width: int, rows: int) -> int:
        lines = layout(slide, 0, width, rows)
        assert len(lines) <= rows
        return sum(any(span.style.ground for span in line) for line in lines)

    # On the screen of a room its names and figures are in letters, which have rows of their own.
    assert height(74, 20) <= height(112, 38) < height(112, 54)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("::: chart bars\n| a | b |\n|---|---|\n| x | 1 |\n| y | nan |\n:::\n", 5, "`nan`"),
        ("::: chart bars\n| a | b |\n|---|---|\n| x | inf |\n:::\n", 4, "`inf`"),
        ("::: chart bars\n| a | b |\n|---|---|\n| x | words |\n:::\n", 4, "is not a number"),
        ("::: chart bars\n| a | b |\n|---|---|\n| x | |\n:::\n", 1, "no numbers"),
        ("::: chart bars\n```csv\na" + ",b" * 17 + "\nx" + ",1" * 17 + "\n```\n:::\n", 1, "17 series"),
        ("::: chart bars\n| a | b |\n|--|--|\n" + "| x | 1 |\n" * 129 + ":::\n", 1, "129 bars"),
        ("::: chart bars\n:::\n", 1, "no numbers"),
        ("::: chart bars\nwords\n:::\n", 1, "no numbers"),
        ("::: chart line gone.csv\n", 1, "gone.csv"),
        ("::: chart pie\n:::\n", 1, "`pie`"),
        ("::: chart\n:::\n", 1, "kind"),
        ("::: chart bars colour=red\n| a | b |\n|---|---|\n| x | 1 |\n:::\n", 1, "`colour`"),
        ("::: chart bars limit=high\n| a | b |\n|---|---|\n| x | 1 |\n:::\n", 1, "`high`"),
        ("::: chart line\n```csv\nx,y\n" + "1,1\n" * 100_001 + "```\n:::\n", 1, "more than"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_a_box_with_its_line(text: str, line: int, says: str, tmp_path: Path) -> None:
    deck: Deck = split("# A\n\n" + text, str(tmp_path / "a.md"))
    slide = parse_slide(deck, 0)
    box = next(block for block in blocks(slide.blocks) if isinstance(block, Box))
    assert (box.problem.line, says in box.problem.message) == (line + 2, True), box.problem
    assert box.problem.mend
    assert box.problem in reading(deck, [slide])


def test_a_chart_left_open_is_drawn_and_says_so() -> None:
    slide = made("::: chart bars\n| a | b |\n|---|---|\n| x | 1 |\n")
    assert [type(block) for block in slide.blocks] == [Chart, Box]


def test_a_file_beside_the_deck(tmp_path: Path) -> None:
    (tmp_path / "loss.csv").write_text("step;lr;loss\n0;1;5.5\n10;1;2.5\n20;1;\n")
    text = '# Loss\n\n::: chart line loss.csv columns="step,loss"\n'
    deck = split(text, str(tmp_path / "deck.md"))
    slide = parse_slide(deck, 0)
    chart = next(block for block in slide.blocks if isinstance(block, Chart))
    assert chart.xs == (0, 10, 20) and chart.values == ((5.5,), (2.5,), (None,))
    assert slide.files == (str(tmp_path / "loss.csv"),)
    theirs = parse_slide(audience_deck(deck), 0, trusted=False)
    shown = next(block for block in theirs.blocks if isinstance(block, Chart))
    assert (shown.xs, shown.values, shown.series, shown.x) == (chart.xs, chart.values, chart.series, "step")


def test_a_file_outside_the_deck_s_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "loss.csv").write_text("a,b\n1,2\n")
    inner = tmp_path / "deck"
    inner.mkdir()
    assert "outside" in box_of("::: chart line ../loss.csv\n", str(inner / "a.md")).problem.message


def test_a_chart_is_told_in_words() -> None:
    told = linear(made(STACKED).blocks, -1, 0)
    assert "  one GPU: parameters: 14 GB; gradients: 14 GB; optimizer: 84 GB; together 112 GB" in told
    assert "  limit: 80 GB, one H100" in told


def test_what_bars_are_of_stands_over_them_as_in_the_corner_of_their_table() -> None:
    chart = chart_of(STACKED.replace("| | param", "| GPT 7.5B, a device | param"))
    over = plain(charts.lines(chart, 100, 20)[0])
    assert over.startswith("GPT 7.5B, a device ") and "optimizer" in over
    assert charts.told(chart)[0] == "stacked bars, GPT 7.5B, a device, 2 rows:"
    one = chart_of("# Days\n\n::: chart bars unit=days\n| H100s | days |\n|---|---|\n| 8 | 49 |\n:::\n")
    assert plain(charts.lines(one, 60, 12)[0]).strip() == "H100s", "its unit stands at each bar"


def test_an_axis_has_its_name_beside_it_and_nowhere_else() -> None:
    chart = chart_of("# L\n\n::: chart line\n| step | loss |\n|---|---|\n| 1 | 3 |\n| 9 | 1 |\n:::\n")
    assert sum(plain(line).count("step") for line in charts.lines(chart, 60, 14)) == 1


def test_a_page_has_the_chart_as_a_drawing_with_its_numbers_in_words() -> None:
    deck = split(STACKED, "")
    written = page(deck, [Section(parse_slide(deck, 0), "1")])
    assert "<svg" in written and "optimizer: 84 GB" in written


def test_words_stand_beside_a_chart_where_there_is_width() -> None:
    lines = layout(made(f"# Memory\n\nSome words.\n\n{STACKED[10:]}"), 0, 91, 25)
    words = next(line for line in lines if plain(line).startswith("Some words"))
    assert "parameters" in plain(words)


def test_a_logarithmic_axis_has_equal_ratios_equally_far_apart() -> None:
    table = "| size | s |\n|--|--|\n| 1 | 10 |\n| 100 | 100 |\n| 10000 | 1000 |"
    text = f"# A\n\n::: chart line x=size log=xy\n{table}\n:::\n"
    rows = [plain(line) for line in charts.lines(chart_of(text), 70, 24)]
    assert any("both axes logarithmic" in row for row in rows)
    at = [n for n, row in enumerate(rows) if "┤" in row]
    assert [rows[n].split("┤")[0].strip() for n in at] == ["1,000", "100", "10"]
    assert abs((at[1] - at[0]) - (at[2] - at[1])) <= 1
    ticks = next(row for row in rows if row.split()[:1] == ["1"])
    assert ticks.split() == ["1", "10", "100", "1,000", "10,000"]
    middles = [ticks.index(word) + len(word) / 2 for word in (" 10 ", " 100 ", " 1,000 ")]
    assert abs((middles[1] - middles[0]) - (middles[2] - middles[1])) <= 1.5


@pytest.mark.parametrize(
    ("line", "row", "why"),
    [
        ("line log=y", "| 1 | 0 |", "above 0"),
        ("scatter log=x", "| -1 | 2 |", "above 0"),
        ("line log=z", "| 1 | 2 |", "no axis"),
        ("bars log=y", "| 1 | 2 |", "as long as its value"),
        ("line log=x", "| one | 2 |", "words stand along x"),
    ],
)
def test_what_has_no_logarithm_is_told(line: str, row: str, why: str) -> None:
    assert why in box_of(f"# A\n\n::: chart {line}\n| a | b |\n|--|--|\n{row}\n:::\n").problem.message


@pytest.mark.parametrize(("low", "high"), [(5e-324, 1e100), (3.0, 3.0), (2.0, 7.0), (0.5, 1.5), (99.0, 1e5)])
def test_every_logarithmic_axis_has_two_round_numbers(low: float, high: float) -> None:
    axis = fitted([low, high], log=True)
    marks = axis.marks(6)
    assert 2 <= len(marks) <= 12 and len({text for _, text in marks}) == len(marks)
    assert all(-1e-9 <= axis.share(mark) <= 1 + 1e-9 for mark, _ in marks)


SHARES = """# Shares

::: chart stacked unit="%"
| | cards | cash |
|---|---|---|
| Sweden | 92 | 8 |
| Japan | 45 | 55 |
:::
"""
GROUPED = """# Payments

::: chart bars unit=billion
| year | UPI | Pix |
|---|---|---|
| 2020 | 22 | 3 |
| 2021 | 46 | 30 |
:::
"""


def test_names_and_figures_are_in_letters_on_the_screen_of_a_room() -> None:
    for text, words in ((SHARES, "Sweden Japan cards cash 45"), (GROUPED, "2020 2021 UPI Pix billion 46 30")):
        drawn = [plain(line).replace("█", " ") for line in layout(made(text), 0, 128, 43)]
        said = read("\n".join(drawn))
        assert sum(word in said for word in words.split()) >= 4, said  # a legend has marks among its letters
        assert not any(word in "\n".join(drawn) for word in words.split()), "\n".join(drawn)


def test_two_names_in_letters_are_never_read_as_one() -> None:
    for cells in range(20, 50):
        for row in chart_letters.side_by_side(("128 MiB", "1 GiB"), cells, Style()):
            assert not row[0].text[-3:].strip() and len(row[0].text) == cells


def test_every_part_of_a_stack_is_seen_where_letters_under_it_would_take_its_rows() -> None:
    """On 100x30: three parts of a quarter of the highest bar have a row each."""
    shown = [plain(line) for line in layout(made(STACKED), 0, 92, 26)]
    assert sum("3.5" in row for row in shown) == 2 and any("21" in row for row in shown), shown


def test_a_limit_near_the_ground_is_named_over_its_line() -> None:
    text = '::: chart bars unit=GB limit="80 one H100"\n| n | a |\n|-|-|\n| x | 119 |\n| y | 6494 |\n:::\n'
    drawn = [plain(line) for line in charts.lines(chart_of(text), 76, 20)]
    line = next(n for n, row in enumerate(drawn) if "━" in row)
    assert drawn[line - 2].rstrip().endswith("80 GB") and drawn[line - 1].rstrip().endswith("one H100")


def test_that_shares_of_a_whole_come_to_a_hundred_is_not_said() -> None:
    for columns, rows in ((74, 20), (128, 43)):
        said = read("\n".join(plain(line) for line in layout(made(SHARES), 0, columns, rows)))
        assert "100" not in said and "Sweden" in said
        parts = made(SHARES.replace("| 8 |", "| 18 |"))
        assert "110" in read("\n".join(plain(line) for line in layout(parts, 0, columns, rows)))


def test_names_and_axes_of_lines_are_in_letters_on_the_screen_of_a_room() -> None:
    text = "::: chart line x=hour\n| | net | gross |\n|-|-|-|\n| 0 | 40 | 3 |\n| 5 | 60 | 9 |\n:::\n"
    lines = layout(made(text), 0, 128, 43)
    drawn = "\n".join(map(plain, lines))
    assert {"hour", "5"} <= set(read(drawn).split()), read(drawn)
    names = [line[-1].text if line and line[-1].style.bold else "" for line in lines]
    assert read("\n".join(names)).split()[-2:] == ["net", "gross"], "as the lines end"
    assert not any(word in drawn for word in ("net", "gross", "hour"))
    small = "\n".join(plain(line) for line in layout(made(text), 0, 74, 20))
    assert all(word in small for word in ("net", "gross", "hour"))


def test_small_parts_of_seconds_are_told_in_thousandths_of_them() -> None:
    text = "::: chart bars unit=s\n| | step |\n|-|-|\n| a | 0.5 |\n| b | 0.000272 |\n| c | 0.00004 |\n:::\n"
    drawn = "\n".join(plain(line) for line in layout(made(text), 0, 74, 24))
    assert "0.5 s" in drawn and "0.272 ms" in drawn and "40 µs" in drawn and "0.0002" not in drawn


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize(("columns", "rows"), [(100, 24), (30, 8), (18, 8)])
@pytest.mark.parametrize("kind", ["bars", "stacked"])
def test_a_bar_without_a_figure_has_none(kind: str, columns: int, rows: int, large: bool) -> None:
    """An empty cell is not known: a 0 would be a figure that nobody measured."""
    one = "| | GB |\n|---|---|\n| weights | 16 |\n| moments | 95 |\n| lost | |\n"
    chart = chart_of(f"::: chart {kind}\n{one}:::\n")
    screen = "\n".join(plain(line) for line in charts.lines(chart, columns, rows, large=large))
    seen = screen + read(screen)
    assert "95" in seen
    assert "0" not in seen
    assert "0" not in "".join(charts.told(chart))


def test_steps_from_0_on_are_an_axis_with_round_numbers_and_words_stay_words() -> None:
    rows = "".join(f"| {n} | {1 / (n + 1)} |\n" for n in range(300))
    steps = chart_of(f"# L\n\n::: chart line unit=nats\n| step | loss |\n|--:|--:|\n{rows}:::\n")
    drawn = [plain(line) for line in charts.lines(steps, 80, 20)]
    assert drawn[-2].split() == ["0", "50", "100", "150", "200", "250"]
    assert "loss" in drawn[0] and "in nats" in drawn[0], "its figures have no unit"
    words = chart_of("# L\n\n::: chart line\n| of | loss |\n|--|--:|\n| one | 1 |\n| two | 2 |\n:::\n")
    assert [plain(line) for line in charts.lines(words, 80, 20)][-2].split() == ["one", "two"]


@pytest.mark.parametrize("kind", ["line", "scatter"])
@pytest.mark.parametrize("size", [(78, 18), (150, 34)])
def test_a_unit_is_said_once(kind: str, size: tuple[int, int]) -> None:
    for head, more in (("x | a", ""), ("x | a | b", " | 3"), ("x | a", " title=t")):
        title = more if "title" in more else ""
        more = "" if title else more
        rows = "".join(f"| {n} | {n}{more} |\n" for n in (1, 2, 4))
        dashes = "|--:" * (head.count("|") + 1) + "|"
        text = f"# L\n\n::: chart {kind} unit=furlongs{title}\n| {head} |\n{dashes}\n{rows}:::\n"
        drawn = "\n".join(plain(line) for line in charts.lines(chart_of(text), *size))
        assert drawn.count("furlongs") == 1, drawn
