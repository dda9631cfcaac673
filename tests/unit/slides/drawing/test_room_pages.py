"""Pages for the screen of a room: titles of a talk, short slides in a hall, words near their title."""

from __future__ import annotations

from itertools import pairwise

import pytest

from slides.drawing.cells import line_width
from slides.drawing.large import low_letters
from slides.drawing.large.read_letters import words
from slides.drawing.layout import layout
from slides.drawing.text import Line, Span, plain
from slides.drawing.text_size import NORMAL
from slides.reading.parse import parse_slide
from slides.reading.split import split

TITLE = "# Distributed training\n\nWhat four ranks say\n\nAda Example\n"


def drawn(text: str, width: int, height: int) -> list[Line]:
    return layout(parse_slide(split(text, ""), 0), 0, width, height, mode=NORMAL)


def rows(lines: list[Line]) -> list[str]:
    return [plain(line) for line in lines]


def runs(lines: list[Line]) -> list[int]:
    """How many rows stand together, from top to bottom."""
    found, last = [], False
    for row in rows(lines):
        here = bool(row.strip())
        if here and last:
            found[-1] += 1
        elif here:
            found.append(1)
        last = here
    return found


def test_the_title_of_a_talk_is_large_and_its_subtitle_in_letters() -> None:
    assert runs(drawn(TITLE, 128, 42)) == [6, 1, 3, 3], "title, rule, subtitle, who"


def test_it_stands_in_the_middle_of_the_page() -> None:
    for text in (TITLE, "<!-- slide: {layout: big number} -->\n# 112 GB\n\nfor the states\n"):
        found = [row for row in rows(drawn(text, 128, 42)) if row.strip()]
        left = min(len(row) - len(row.lstrip()) for row in found)
        assert abs((left + max(map(len, found))) / 2 - 128 / 2) <= 2


@pytest.mark.parametrize(("width", "height"), [(74, 21), (92, 27), (116, 33), (128, 42), (128, 57)])
def test_a_title_of_many_words_fits_too(width: int, height: int) -> None:
    long = "# " + "A title that goes on and on " * 3 + "\n\n" + "and a subtitle as long " * 4 + "\n\nwho\n"
    lines = drawn(long, width, height)
    assert len(lines) <= height and max(map(line_width, lines)) <= width


def test_words_stand_near_their_title() -> None:
    for width, height in ((91, 25), (104, 31), (128, 42)):
        text = rows(drawn("# Two ranks\n\n- भार\n- two\n", width, height))  # for which there are no letters
        rule = next(n for n, row in enumerate(text) if "━━" in row)
        first = next(n for n, row in enumerate(text) if "भार" in row)
        assert first - rule <= 4


def test_a_few_words_are_in_letters_in_a_hall_and_many_are_not() -> None:
    few = "# Two ranks\n\n- Each has its own copy.\n- They agree after every step.\n"
    assert not any("copy" in row for row in rows(drawn(few, 128, 57)))
    assert not any("copy" in row for row in rows(drawn(few, 92, 27))), "one row of thirty is too low for it"
    assert any("copy" in row for row in rows(drawn(few, 74, 21))), "at 80x24 a row is high enough"
    many = few + "".join(f"- and more words, number {n}, which go on for a whole line\n" for n in range(20))
    assert any("copy" in row for row in rows(drawn(many, 128, 57)))


LONG = "- The first thing that broke was not the network but the data loader, which was slow\n"


def test_words_stand_closer_and_are_slimmer_before_they_lose_their_letters() -> None:
    heights = [len(said(drawn(f"# Two ranks\n\n{LONG * n}", 128, 42))) for n in (2, 3, 4, 5)]
    assert all(lines for lines in heights)
    texts = [" ".join(said(drawn(f"# Two ranks\n\n{LONG * n}", 128, 42))) for n in (2, 4)]
    assert [text.count("network") for text in texts] == [2, 4], "nothing is cut"


def said(lines: list[Line]) -> list[str]:
    """The words of what is in letters."""
    text = rows(lines)
    found, block = [], list[str]()
    for row in [*text, ""]:
        if row.strip() and "━" not in row:
            block.append(row)
        elif block:
            found += [words(block[n : n + 3]) for n in range(0, len(block), 3)]
            block = []
    return [one for one in found if one]


def test_a_few_words_stay_in_letters_over_the_panel_of_a_demo() -> None:
    demo = "\n\n::: demo ddp ranks=2\n"
    few, many = ("# Two ranks\n\n" + "- They agree after every step.\n" * n + demo for n in (2, 6))
    for text, large in ((few, True), (many, False)):
        read = parse_slide(split(text, ""), 0)
        for part in (1, 20):  # to know how many rows it needs, and as it is then shown
            shown = rows(layout(read, 0, 128, 42, part=part, mode=NORMAL))
            assert any("They agree" in row for row in shown) != large
            assert not large or (len(shown) <= 17 and "ddp" in shown[-1])
    small = rows(layout(parse_slide(split(few, ""), 0), 0, 128, 34, part=16, mode=NORMAL))
    assert any("They agree" in row for row in small), "a lower screen has no rows for it"


CHART = """# Bytes

Few words.

::: chart bars unit="%s"
| what | bytes |
|---|---:|
| all of it | 956 |
| its input | 17 |
:::
"""


def test_what_bars_come_to_is_in_letters_and_the_unit_is_not_lost() -> None:
    for unit, small in (("GB", False), ("megabytes of a layer", True)):
        text = rows(drawn(CHART % unit, 128, 42))
        said = [words([row[54:] for row in text[n : n + 3]]) for n in range(len(text))]
        assert any("956" in one and "17" in one for one in said), unit
        assert any("956 GB" in one for one in said) != small
        assert (unit in "\n".join(text)) == small


CODE = "# Code\n\n```python\n" + "loss = next_token_loss(model(tokens), targets)\n" * 9 + "\nx = 1\n```\n"


def test_a_listing_is_in_letters_and_its_numbers_keep_their_size() -> None:
    wide = CODE.replace("targets)", "targets, weight=0.5)")
    for text, size in ((CODE, (128, 42)), (wide, (128, 42))):
        lines = drawn(text.replace("python", "python numbers"), *size)
        shown = rows(lines)
        numbers = [n for n, row in enumerate(shown) if row.strip().split(" ")[0].isdigit()]
        assert [int(shown[n].split()[0]) for n in numbers] == list(range(1, 12))
        assert [b - a for a, b in pairwise(numbers)] == [3] * 8 + [2, 2], "a blank line has one row"
        assert len(lines) <= size[1] and max(map(line_width, lines)) <= size[0]
        decoded = words([row[6:] for row in shown[numbers[0] - 1 : numbers[0] + 2]])
        assert decoded.startswith("loss = next_token_loss(model(tokens)")
    high = CODE.replace("x = 1", "x = 1\n" * 6)
    assert any("next_token_loss" in row for row in rows(drawn(high, 128, 42))), "too many lines for letters"


def test_a_list_that_is_too_high_stands_in_two_columns() -> None:
    listed = "# Two ranks\n\n" + "".join(f"- number {n}\n" for n in range(16))
    text = said(drawn(listed, 128, 42))
    assert any("number 0" in row and "number 8" in row for row in text)


def threes(lines: list[Line]) -> list[list[str]]:
    """Every three rows below each other, without what fills bars."""
    text = [row.replace("█", " ") for row in rows(lines)]
    return [text[n : n + 3] for n in range(len(text) - 2)]


def test_words_and_what_they_are_about_are_in_letters_together() -> None:
    code = "# Two ranks\n\nIt averages:\n\n```python\nloss.backward()   # here\n```\n"
    assert not any("loss" in row for row in rows(drawn(code, 112, 42)))
    wider = code.replace("# here", "# where all gradients meet")
    assert not any("loss" in row for row in rows(drawn(wider, 128, 42)))
    chart = "# Two ranks\n\n- Most is Adam's\n\n::: chart bars\n"
    chart += "| | GB |\n|--|--:|\n| states | 84 |\n| rest | 28 |\n:::\n"
    lines = drawn(chart, 128, 42)
    assert not any("states" in row or "Adam" in row for row in rows(lines))  # both are in letters
    assert any("rest" in said for said in map(words, threes(lines)))
    table = "# Two ranks\n\nEach has its own.\n\n| " + " | ".join("wide" * 4 for _ in range(7)) + " |\n"
    table += "|" + "--|" * 7 + "\n" + "| x " * 7 + "|\n"
    text = rows(drawn(table, 128, 42))
    assert any("widewide" in row for row in text) and not any("Each has" in row for row in text)


def test_a_tick_or_an_emoji_keeps_its_size_and_the_words_beside_it_are_in_letters() -> None:
    text = rows(drawn("# Two ranks \u2705\n\n- \u2705 Each has its copy\n- na\u00efve caf\u00e9\n", 112, 42))
    assert sum("\u2705" in row for row in text) == 2
    assert not any("copy" in row or "caf" in row for row in text)


def test_a_short_quote_is_in_letters_and_a_long_one_is_not() -> None:
    quote = "> Premature optimization is the root of all evil.\n\nDonald Knuth\n"
    settings = "<!-- slide: {layout: quote} -->\n"
    assert runs(drawn(settings + quote, 128, 42))[0] == 3
    long = quote.replace("evil.", "evil. " + "And so on. " * 40)
    assert any("optimization" in row for row in rows(drawn(settings + long, 128, 42)))


def test_an_index_stands_below_and_a_power_above_the_letters_beside_them() -> None:
    text = rows(drawn("# Two ranks\n\n- Each takes its $t_i$ of $x^n$ there.\n", 128, 57))
    said = " ".join(words(text[n : n + 3]) for n in range(len(text) - 2))
    assert "tᵢ of xⁿ there." in said
    index, power = low_letters.low()["ᵢ"], low_letters.low()["ⁿ"]
    assert not any("#" in row for row in (*index[:2], *power[4:]))
    assert any("#" in row for row in index[4:]) and any("#" in row for row in power[:2])


@pytest.mark.parametrize("words", ["四个进程 share it", "चार ranks"])
def test_words_that_there_are_no_letters_for_keep_their_size_with_all_beside_them(words: str) -> None:
    text = rows(drawn(f"# Two ranks\n\n- Each has its copy.\n- {words}\n", 112, 42))
    assert any("Each has its copy." in row for row in text)


def test_a_table_is_in_letters_where_no_word_of_it_breaks_and_else_as_it_is() -> None:
    small = "# Two ranks\n\n| rank | loss |\n|--|--:|\n| 0 | 2.5 |\n"
    assert not any("loss" in row for row in rows(drawn(small, 112, 42)))
    wide = small.replace("| 0 |", "| " + "one" * 20 + " |")
    assert any("loss" in row for row in rows(drawn(wide, 112, 42)))


def test_a_table_of_five_columns_is_in_slim_letters_before_it_loses_them() -> None:
    heads = ("strategy", "parameters", "gradients", "optimizer", "bytes sent")
    row = "| ZeRO-1 | 14 GB | 14 GB | 21 GB | 28 GB |\n"
    table = f"# Strategies\n\n| {' | '.join(heads)} |\n|{'--|' * 5}\n{row * 4}"
    page = rows(drawn(table, 152, 41))
    told = [words(page[n : n + 3]) for n in range(len(page) - 2)]
    assert any(all(head in said for head in heads) for said in told)
    assert sum("ZeRO-1" in said and "28 GB" in said for said in told) == 4


def test_rows_of_a_table_in_letters_stand_apart_where_there_is_room() -> None:
    """Its cells of two rows are one each: a blank row is between two of them, none within one."""
    row = "| {} | what a rank of many ranks holds, sends and waits for in a step of its training |\n"
    table = "# Facts\n\n| | |\n|--|--|\n" + "".join(row.format(f"**{name}**") for name in "abcde")
    assert runs(drawn(table, 128, 41))[1:] == [6] * 5
    assert runs(drawn(table, 128, 36))[1:] == [30], "else they touch"


def test_words_beside_a_formula_are_in_letters_and_so_is_its_mean() -> None:
    lines = drawn("# Mean\n\nOf all ranks:\n\n$$\n\\bar g = \\frac{1}{n} \\sum_{i=1}^{n} g_i\n$$\n", 128, 42)
    assert "Of all ranks:" in " ".join(said(lines)) and "ḡ" in low_letters.low()
    assert not any(sign in row for row in rows(lines) for sign in "ḡnᵢ")


@pytest.mark.parametrize("text", ["příliš žluťoučký kůň", "Zażółć gęślą jaźń", "thiết kế", "ẋ and Wₖ²"])
def test_letters_with_marks_of_any_latin_script_are_letters(text: str) -> None:
    lines = rows(drawn(f"# Two\n\n- {text}\n", 112, 42))
    assert not any(word in row for row in lines for word in text.split())


def test_code_that_runs_and_the_demo_of_a_slide_are_in_letters() -> None:
    code = drawn("# Run\n\nPress the key.\n\n```python run\ntotal = sum(range(11))\n```\n", 128, 42)
    assert "Press the key." in said(code) and not any("sum" in row for row in rows(code))
    demo = " ".join(said(drawn("# Four\n\nEach has a copy.\n\n::: demo ddp ranks=4\n", 128, 42)))
    assert "Each has a copy." in demo and "ddp" in demo


def test_words_of_a_later_step_count_before_they_are_shown() -> None:
    slide = parse_slide(split("# Two\n\n- One copy.\n\n<!-- pause -->\n\nभार\n", ""), 0)
    first, second = (layout(slide, step, 112, 42, mode=NORMAL) for step in (0, 1))
    assert len(first) == len(second) and "One copy." in "".join(rows(first))


def test_words_have_letters_beside_a_listing_that_is_too_long_for_them() -> None:
    code = "".join(f"    total += part[{n}]\n" for n in range(16))
    page = drawn(f"# Sums\n\nEach rank adds its part.\n\n```py\n{code}```\n", 128, 42)
    assert "Each rank adds its part." in " ".join(said(page))
    assert any("total += part[15]" in row for row in rows(page)), "nothing is cut"


def test_a_short_listing_is_in_letters_from_its_first_sign_on() -> None:
    code = "```\nHeaders\n-------\n```\n\n## Larger\n\nOthers.\n\n### And more\n"
    page = drawn(f"# Titles\n\nThey are underlined, and what is below them is not:\n\n{code}", 128, 42)
    assert "Header" in " ".join(said(page)) and not any("He" in row for row in rows(page))


def test_words_of_a_list_are_in_two_columns_before_they_lose_their_letters() -> None:
    items = "".join(f"- {word}\n" for word in ("bold", "italics", "code", "links", "struck", "colours"))
    page = drawn(f"# Marks\n\nThere are:\n\n{items}", 92, 27)
    assert not any("links" in row for row in rows(page)) and len(page) <= 27


def test_whose_words_they_are_is_in_letters_too() -> None:
    page = drawn("> The network is the computer.\n\nJohn Gage\n", 92, 27)
    assert "John Gage" in " ".join(said(page))


def test_links_of_a_subtitle_in_letters_lead_there() -> None:
    page = drawn("# Start\n\nSee [the paper](https://arxiv.org/abs/1910.02054).\n", 92, 27)
    linked = [line for line in page if any(span.style.link for span in line)]
    assert len(linked) == 3 and not any("paper" in plain(line) for line in page)


def test_words_beside_a_picture_in_columns_are_in_letters() -> None:
    text = "# Ring\n\n::: columns\nAll have one gradient\n+++\n![a ring](ring.png)\n:::\n"
    slide = parse_slide(split(text, ""), 0)
    lines = layout(
        slide, 0, 112, 38, pictures=lambda block, columns, rows: [(Span("▚" * columns),)] * min(rows, 16)
    )
    left = [row[:50] for row in rows(lines)]
    read = " ".join(words(left[n : n + 3]) for n in range(len(left) - 2))
    assert "All have one" in read and "gradient" in read
    assert any("▚" * 40 in row for row in rows(lines)), "and the picture keeps its size"


def test_a_heading_within_a_slide_is_told_from_its_title() -> None:
    lines = drawn("# Four ranks\n\nAll alike.\n\n## Each alone\n\nIts data.\n", 112, 38)
    said = {words(rows(lines[n : n + 3])): n for n in range(len(lines) - 2)}
    title, within = (lines[said[one]] for one in ("Four ranks", "Each alone"))
    assert {span.style.bold for span in title} == {True} and not any(span.style.bold for span in within)
    assert {span.style.ink for span in within if span.text.strip()} == {"accent"}


@pytest.mark.parametrize("height", [24, 28])
def test_a_header_with_a_logo_at_100x30_leaves_rows_enough_for_letters(height: int) -> None:
    lines = drawn("# Four ranks\n\n- Every rank has the whole model\n", 92, height)
    assert any(words(rows(lines[n : n + 3])) == "Four ranks" for n in range(len(lines) - 2))
