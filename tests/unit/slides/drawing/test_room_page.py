"""A page that uses the screen of a room, as pictures."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slides.deck import Slide
from slides.drawing.author_layouts import extent
from slides.drawing.cells import line_width
from slides.drawing.large.letters import letters
from slides.drawing.layout import layout
from slides.drawing.text import plain
from slides.drawing.text_size import BIG, CHOICE, SMALL, Mode
from slides.reading.parse import parse_slide
from slides.reading.split import split

THREE = "# Four copies {#a}\n\n- one\n- two\n- three\n"


def slide(text: str) -> Slide:
    return parse_slide(split(text, "deck.md"), 0, trusted=False)


def rows(text: str, width: int, height: int, part: int | None = None, step: int | None = None) -> list[str]:
    read = slide(text)
    lines = layout(read, read.steps - 1 if step is None else step, width, height, part=part)
    return [plain(line).rstrip() for line in lines]


def picture(text: str, width: int, height: int, part: int | None = None) -> str:
    return "\n".join(rows(text, width, height, part)) + "\n"


PAGE = "# Hi, ranks {#a}\n\n- one\n- two\n\n```py\nloss.backward()\n```\n"
SHORT = """\




█▐▌▀    ▗▄▖▄▄ ▄▄ █▄ ▗▄▖
█▜▌█    ▐▛ ▟▜▌█▐▌█▙ ▀▙▖
▀▝▘▀▗▛  ▝▘ ▝▀▘▀▝▘▀▝▘▀▀
━━━━━━━━━━━━━━━━━━━━━━━


      ▗▖▗▄ ▗▖                                           ▌ ▄ ▗▄ ▄▖ ▙▖▗▄ ▗▄▐▗ ▖▖▖▄▖▗▗ ▄▌▞▝▖
  █   ▌▐▐ ▌▙▀                                           ▌▐ ▌▀▄▝▚▖ ▌▐▗▀▌▌ ▐▚ ▌▌▌▞▜▐▘▐ ▌▌ ▌
      ▝▘▝ ▘▝▀                                           ▝ ▀ ▀▘▝▀ ▘▀▘ ▀▘▝▀▝ ▘▝▝ ▝▀▝  ▀▘▝▝


      ▙▖▖▖▖▗▖
  █   ▌ ▌▌▌▌▐
      ▝▘▝▝ ▝▘
"""


def test_what_an_item_holds_stands_together() -> None:
    """With air between items, a list within one is as it was written, right below that item's words."""
    listed = "# Ranks {#a}\n\n- one\n- two\n  - a\n  - b\n    1. deep\n    2. deeper\n- three\n"
    within = ["   ◦  a", "   ◦  b", "      1. deep", "      2. deeper"]
    assert rows(listed, 90, 25)[-9:] == ["•  one", "", "•  two", *within, "", "•  three"]
    apart = "# Ranks {#a}\n\n- one\n\n- two\n  - a\n  - b\n\n- three\n"
    assert rows(apart, 80, 20)[-7:] == ["•  one", "", "•  two", "   ◦  a", "   ◦  b", "", "•  three"]


def test_a_page_looks_like_this() -> None:
    assert picture(PAGE, 104, 28) == SHORT


def test_a_short_slide_stands_a_little_above_the_middle_with_its_title_in_letters() -> None:
    shown = rows(THREE.replace("one", "भार"), 104, 31)  # there are no letters for all of its words
    first = next(n for n, row in enumerate(shown) if row)
    rule = next(n for n, row in enumerate(shown) if row.startswith("━━"))
    assert rule - first == 3  # letters of three rows
    assert 3 <= first <= 8 and "▀" in shown[first] + shown[first + 1]
    bullets = [n for n, row in enumerate(shown) if row.startswith("•")]
    assert [b - a for a, b in pairwise(bullets)] == [2, 2]  # with air between
    assert 2 <= bullets[0] - rule <= 7
    assert 0.3 <= (first + bullets[-1]) / 2 / 31 <= 0.5


def test_on_a_small_terminal_it_is_set_from_top_to_bottom() -> None:
    plain_rows = ["Four copies", "━━━━━━━━━━━", "", "•  one", "•  two", "•  three"]
    assert rows(THREE, 74, 21) == plain_rows
    assert rows(THREE, 112, 20) == plain_rows  # wide, but too low
    assert [row for row in rows(THREE, 91, 25) if row and "•" not in row] == plain_rows[:2]  # no letters yet


def test_titles_stay_in_their_row_while_slides_need_less_than_the_page() -> None:
    tops = set()
    for count in range(1, 7):
        shown = rows("# Title\n\n" + "\n".join(f"- भार {n}" for n in range(count)), 104, 31)
        tops.add(next(n for n, row in enumerate(shown) if row))
    assert len(tops) == 1


@pytest.mark.parametrize("title", ["भारत की कहानी", "日本語", "A $x^2$ here", "W" * 200])
def test_a_title_that_there_are_no_letters_for_is_a_line(title: str) -> None:
    shown = [row for row in rows(f"# {title}\n\n- words", 112, 39) if row]
    assert not any("▀" in row for row in shown) and "━" in "".join(shown)


def test_a_long_title_takes_thin_letters_then_two_rows_of_them() -> None:
    assert letters("Who waits for whom?", 60, ("bold", "low"), 1) != letters(
        "Who waits for whom?", 45, ("bold", "low"), 1
    )
    long = "A title of so many words that no single row of letters would ever hold them all"
    shown = rows(f"# {long}\n\n- words", 112, 39)
    assert (
        next(n for n, row in enumerate(shown) if row.startswith("━━"))
        - next(n for n, row in enumerate(shown) if row)
        == 6
    )


def test_air_gives_way_before_the_letters_and_these_before_anything_is_cut() -> None:
    def lines(count: int) -> list[str]:
        return rows("# T\n\n" + "\n".join(f"- {n}" for n in range(count)), 112, 30)

    assert "" in lines(9)[7:-1]
    tight = lines(20)
    assert "" not in tight[tight.index("•  0") :] and "━" not in tight[1]
    assert lines(28)[:2] == ["T", "━"] and len(lines(40)) == 43


BESIDE = """\
# Start {#a}

```python {1|2}
model = DDP(TinyLM())
loss.backward()
```

- wrapping broadcasts
- backward averages
"""


def test_words_stand_left_and_code_right_where_there_is_width() -> None:
    shown = rows(BESIDE, 91, 25)
    row = next(row for row in shown if "wrapping" in row)
    assert row.index("wrapping") < 10
    code = next(row for row in shown if "model = DDP" in row)
    assert code.index("model") > 40
    stacked = rows(BESIDE, 80, 39)
    assert next(row for row in stacked if "model = DDP" in row).index("model") < 10
    assert extent(slide(BESIDE))


def test_what_leads_to_code_stays_with_it() -> None:
    text = "# T\n\n- one\n- two\n\nAt home:\n\n```sh\nteachrun run ddp\n```\n"
    shown = rows(text, 91, 25)
    assert next(row for row in shown if "At home:" in row).index("At home:") > 40


def test_code_that_is_too_wide_for_a_column_stands_below() -> None:
    text = f"# T\n\nwords\n\n```\n{'x' * 90}\n```\n"
    shown = rows(text, 112, 39)
    assert next(row for row in shown if "xxx" in row).index("x") < 6


DEMO = "# Four copies\n\n- one\n- two\n\n::: demo ddp ranks=4\n"


def test_over_a_panel_a_slide_keeps_its_look_and_leaves_no_gap() -> None:
    alone, above = rows(DEMO, 91, 25), rows(DEMO, 91, 25, part=1)
    assert [row for row in alone if row] == [row for row in above if row]
    assert above[0]  # at the top
    assert all(above[n] or above[n + 1] for n in range(len(above) - 1))  # never two blank ones
    assert len(rows(DEMO, 112, 39, part=14)) <= 14


def test_a_few_words_are_in_letters_until_a_panel_needs_their_room() -> None:
    demo = DEMO.replace("- two", "- two\n- three\n- four\n- five\n- six\n- seven")
    alone, above = rows(demo, 112, 39), rows(demo, 112, 39, part=20)
    words = [row for row in rows(demo, 91, 25) if row][-1]
    assert words in alone and words in above, "what the key starts keeps its size"
    assert sum(map(bool, alone)) > sum(map(bool, above))
    assert any(row.startswith("•") for row in above) and not any(row.startswith("•") for row in alone)
    assert [row for row in alone if row][:4] == [row for row in above if row][:4], "and so does the title"


def test_a_question_keeps_its_title_when_it_is_explained() -> None:
    question = "::: quiz {#q kind=single}\nWhich?\n\n- [ ] a\n  > no\n- [x] b\n  > yes\n:::\n"
    before = slide(f"# T\n\n{question}")

    def drawn(count: int) -> list[str]:
        from slides.deck import AnyBlock, Quiz
        from slides.drawing.text import Line, Span

        def special(block: AnyBlock, step: int, width: int) -> list[Line] | None:
            return [(Span("x"),)] * count if isinstance(block, Quiz) else None

        return [plain(line) for line in layout(before, 0, 112, 39, special=special)]

    assert drawn(5)[: drawn(5).index("x")] == drawn(12)[: drawn(12).index("x")]


def test_words_keep_their_measure_on_a_wide_screen() -> None:
    words = "word " * 300
    assert max(map(len, rows(f"# T\n\n{words}\n\n- {words}", 128, 31))) <= 80
    assert max(len(row) for row in rows(words, 128, 31)) <= 76
    table = "| a | b |\n|---|---|\n" + f"| {words} | {words} |\n" * 3
    assert 112 < max(map(len, rows(f"# T\n\n{table}", 160, 39))) <= 128


def test_a_table_or_a_listing_has_the_width_before_its_lines_are_wrapped() -> None:
    row = "| AdamW | 2 | 2 | 4 | 4 | 4 | 4 | " + "word " * 8 + "end |\n"
    heads = "| optimizer | weights | gradients | first | second | master | accumulation | remark |"
    table = f"# T\n\n{heads}\n{'|-' * 8}|\n"  # too wide for letters
    code = f"# T\n\n```\n{'x' * 118}\n```\n"
    assert extent(slide(table + row)) and extent(slide(code))
    assert any("AdamW" in line and line.rstrip().endswith("end") for line in rows(table + row, 128, 39))
    assert any("x" * 118 in line for line in rows(code, 128, 39))


def test_short_code_of_the_layout_code_is_in_letters_and_a_long_listing_has_the_page() -> None:
    head, line = "<!-- slide: {layout: code} -->\n# Code\n\n", "left = 1\n"
    short, long = (rows(f"{head}```\n{line * count}```\n", 128, 39) for count in (1, 60))
    assert any(short) and not any("left" in row or "Code" in row for row in short)
    assert "Code" in long[0] and sum("left" in row for row in long) == 60


def test_lines_of_code_and_tables_that_no_page_has_room_for_in_letters_go_on_to_the_edge() -> None:
    code = "for step, batch in enumerate(DataLoader(dataset, sampler=sampler)):"
    table = f"| a | b |\n|--|--|\n| {'word ' * 8} | {'other ' * 6} |"
    assert {extent(slide(f"# One\n\n{text}")) for text in (f"```\n{code}\n```", table)} == {"edge"}
    assert code not in rows(f"# One\n\n```\n{code}\n```", 140, 39)
    assert any(code in row for row in rows(f"# One\n\n```\n{code}\n```", 128, 39))


_PARTS = st.lists(
    st.sampled_from(
        ["# One", "## Two {#x}", "words and **more**", "> said", "- a\n- b\n  1. c", "```py {1|2}\nx\ny\n```",
         "![alt](no.png)", "| a | b |\n|--|--|\n| c | d |", "$$x^2$$", "***", "<!-- pause -->", "भार",
         "::: demo ddp ranks=2", "::: quiz {#q kind=single}\nWhich?\n\n- [x] a\n- [ ] b\n:::",
         "::: columns 1,1\na\n\n+++\n\nb\n:::", "See:"]
    ),
    max_size=6,
)  # fmt: skip


@given(
    _PARTS,
    st.integers(0, 220),
    st.integers(0, 70),
    st.integers(0, 70),
    st.sampled_from((*CHOICE, SMALL)),
)
@settings(max_examples=200, deadline=None)
def test_any_slide_at_any_size(parts: list[str], width: int, height: int, part: int, mode: Mode) -> None:
    read = slide("\n\n".join(parts))
    heights = set()
    for step in range(read.steps):
        lines = layout(read, step, width, height, part=min(part, height), mode=mode)
        assert all(line_width(line) <= max(width, 1) for line in lines)
        heights.add(len(lines))
    assert len(heights) == 1  # nothing jumps


# -- big text ------------------------------------------------------------------------------------------------


def big(text: str, width: int, height: int) -> list[str]:
    return [plain(line).rstrip() for line in layout(slide(text), 9, width, height, mode=BIG)]


def blocks(rows: list[str]) -> list[str]:
    return [row for row in rows if any(sign in row for sign in "▘▝▀▖▌▞▛▗▚▐▜▄▙▟█")]


@pytest.mark.parametrize(
    "text",
    [
        "words",
        "- item\n- another",
        "1. first\n2. second",
        "> said",
        "### heading",
        "| a | b |\n|--:|--:|\n| 126 | 1 |",
        "```\nx = 1\n```",
        "$$x = 1$$",
        "::: quiz {#q kind=single}\nWhich?\n\n- [x] this\n:::",
        "::: columns 1,1\none\n\n+++\n\ntwo\n:::",
    ],
)
def test_big_text_enlarges_everything(text: str) -> None:
    small = rows(text, 91, 25)
    assert not blocks(small[:-1]) or any(sign in text for sign in ("columns", "> said"))
    assert len(blocks(big(text, 128, 39))) >= 3
    assert not blocks(big(text, 70, 20)) or "> said" in text  # a small terminal has no room for it


BIG_ROWS = [
    "      ▗▖▗▄ ▗▖",
    "  █   ▌▐▐ ▌▙▀",
    "      ▝▘▝ ▘▝▀",
    "",
    "",
    "      ▙▖▖▖▖▗▖",
    "  █   ▌ ▌▌▌▌▐",
    "      ▝▘▝▝ ▝▘",
]


def test_big_text_looks_like_this() -> None:
    assert big("- one\n- two", 90, 30)[-8:] == BIG_ROWS


def test_big_text_has_as_much_air_as_the_same_words_have_without() -> None:
    few = "# Three\n\n- one\n- two\n- three\n"
    assert len(big(few, 128, 43)) >= len(rows(few, 128, 43)), "the key that enlarges set them closer"
    many = big(few + "".join(f"- item {n}\n" for n in range(12)), 128, 43)
    assert len(blocks(many)) >= 45, "more than a screen has: to be scrolled"


def test_figures_of_a_big_table_stand_right() -> None:
    shown = blocks(big("| a | b |\n|--|--:|\n| c | 126 |\n| d | 1 |", 90, 30))
    assert max(map(len, shown[3:6])) == max(map(len, shown[6:9]))


def test_what_there_are_no_letters_for_stands_in_its_own_size() -> None:
    shown = big("राम and 日本", 90, 30)
    assert any("राम" in row and "日本" in row and "▌" in row for row in shown)


@pytest.mark.parametrize(("width", "height"), [(70, 20), (90, 30), (160, 45)])
def test_a_slide_may_ask_to_be_large(width: int, height: int) -> None:
    text = "# Two points\n\n- one\n- two\n"
    assert rows("<!-- slide: {size: large} -->\n" + text, width, height) == big(text, width, height)
    assert rows(text, 90, 30) != big(text, 90, 30)


def test_a_slide_too_long_to_be_read_is_never_tried_in_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every try draws all of its lines: it stood for twenty seconds and more."""
    from slides.drawing.large import three_rows

    tried: list[str] = []
    for way in ("block", "as_they_are"):
        plainly = getattr(three_rows, way)

        def counted(*args: object, way: str = way, plainly: object = plainly, **kwargs: object) -> object:
            tried.append(way)
            return plainly(*args, **kwargs)  # type: ignore[operator]

        monkeypatch.setattr(three_rows, way, counted)
    rows("```py\nx = 1\n```\n", 156, 43)
    assert tried
    tried.clear()
    shown = rows("# A\n\n" + "word 12345\n" * 2500, 156, 43)
    assert tried == [] and sum("word 12345" in row for row in shown) == 2500
