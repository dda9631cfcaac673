"""Slides as pictures at a width: what the room sees, and that no block can break a slide."""

from __future__ import annotations

import time
from unicodedata import category

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slides.deck import (
    AnyBlock,
    Box,
    Code,
    Columns,
    Demo,
    Heading,
    Image,
    Inline,
    Inlines,
    Item,
    List,
    Math,
    Paragraph,
    Quiz,
    Quote,
    Rule,
    Scene,
    Slide,
    Table,
)
from slides.drawing import layout as layout_module
from slides.drawing.cells import line_width, width
from slides.drawing.layout import layout, layout_blocks
from slides.drawing.text import PLAIN, Line, Span, Style, plain
from slides.problems import Problem

BOLD = Style(bold=True)


def words(text: str) -> Inlines:
    return (Inline(text),)


def para(text: str, at: int = 0) -> Paragraph:
    return Paragraph(words(text), at=at)


def bullets(*texts: str, **how: bool) -> List:
    return List(tuple(Item((para(text),)) for text in texts), **how)


def drawn(blocks: list[AnyBlock], width: int, step: int = 0) -> str:
    return "\n".join(plain(line).rstrip() for line in layout_blocks(blocks, step, width))


def slide(*blocks: AnyBlock) -> Slide:
    return Slide("s", 0, 1, "s", blocks, steps=9)


DDP = Code(
    "python",
    "model = DDP(TinyLM(), bucket_cap_mb=1)\n"
    "for x, y in loader:\n    loss = model(x, y)\n    loss.backward()\n",
    path="runtime/demos/ddp.py",
    sha="4f1c2a9",
    first=12,
    focus=(frozenset(), frozenset({4})),
    frames=2,
)


def test_a_slide_looks_like_this() -> None:
    inner = List((Item((para("last layers first"),)),))
    left = (
        List(
            (
                Item((para("Every rank runs the same model."),)),
                Item((para("One all-reduce per bucket,"), inner)),
            )
        ),
        Math(r"\bar g = \frac{1}{N}\sum_i g_i"),
    )
    blocks = [Heading(1, words("Four copies, one gradient")), Columns((1, 1), (left, (DDP,)))]
    assert drawn(blocks, 90) == (
        """\
Four copies, one gradient
━━━━━━━━━━━━━━━━━━━━━━━━━

•  Every rank runs the same model.               runtime/demos/ddp.py        sha 4f1c2a9
•  One all-reduce per bucket,
   ◦  last layers first                          12  model = DDP(TinyLM(), bucket_cap_mb
                                                  ↪  =1)
         1                                       13  for x, y in loader:
    ḡ = ─── ∑ gᵢ                                 14      loss = model(x, y)
         N  i                                    15      loss.backward()
"""
    )


def test_lists() -> None:
    numbers = List((Item((para("nine"),)), Item((para("ten is much longer"),))), ordered=True, start=9)
    tasks = List((Item((para("done"),), task=True), Item((para("to do"),), task=False)))
    deep = List((Item((para("one"), List((Item((para("two"), bullets("three"))),)))),))
    loose = bullets("air", "between", tight=False)
    assert drawn([numbers, tasks, deep, loose], 15) == (
        """\
 9. nine
10. ten is much
    longer

☑ done
☐ to do

•  one
   ◦  two
      ‣  three

•  air

•  between"""
    )


def test_a_hindi_slide() -> None:
    mixed = Paragraph(
        (
            Inline("सभी ranks को "),
            Inline("same gradient", BOLD),
            Inline(" मिलता है: "),
            Inline(r"\theta_{t+1}=\theta_t-\eta g", math=True),
            Inline(", 分散学習 👨\u200d👩\u200d👧 done"),
        )
    )
    lines = layout_blocks([bullets("नमस्ते दुनिया, DDP सीखें"), mixed], 0, 24)
    assert [plain(line) for line in lines] == [
        "•  नमस्ते दुनिया, DDP सीखें",
        "",
        # A row has room for the vowel signs of terminals that give each a cell.
        "सभी ranks को same",
        "gradient मिलता है:",
        "θₜ₊₁ = θₜ − η g, 分散学",
        "習 👨\u200d👩\u200d👧 done",
    ]
    assert [line_width(line) for line in lines] == [width(plain(line)) for line in lines]
    assert max(map(line_width, lines)) <= 24


def test_a_wide_formula_is_cut_at_its_wide_spaces() -> None:
    formula = Math(r"\bar g = \frac{1}{N} g \qquad \theta \leftarrow \theta - \eta\bar g")
    assert drawn([formula], 26) == "     1\nḡ = ─── g      θ ← θ − η ḡ\n     N"
    assert drawn([formula], 16) == "       1\n  ḡ = ─── g\n       N\n  θ ← θ − η ḡ"
    assert drawn([formula], 9) == "ḡ = 1/N g\nθ ← θ − η\nḡ"


def test_quotes_rules_and_hard_breaks() -> None:
    broken = Paragraph((Inline("first"), Inline("second", hard_break=True)))
    assert drawn([Quote((para("to be or not to be"), para("he said"))), Rule(), broken], 14) == (
        """\
▎ to be or not
▎ to be
▎
▎ he said

──────────────

first
second"""
    )


TABLE = Table(
    (words("stage"), words("bytes"), words("what")),
    (
        (words("ZeRO-1"), words("12"), words("shards the optimizer state")),
        (words("ZeRO-3"), words("1024"), words("and parameters")),
    ),
    ("left", "right", "left"),
)


def test_tables() -> None:
    assert drawn([TABLE], 60) == (
        """\
stage    bytes   what
──────   ─────   ──────────────────────────
ZeRO-1      12   shards the optimizer state
ZeRO-3    1024   and parameters"""
    )
    assert drawn([TABLE], 30) == (
        """\
stage   bytes  what
──────  ─────  ───────────────
ZeRO-1     12  shards the
               optimizer state

ZeRO-3   1024  and parameters"""
    )


def test_boxes_and_pictures() -> None:
    box = Box(
        Problem("deck.md", 12, "unknown directive 'foo'", "Write demo or animate."), "::: foo\n\x1b[31mx"
    )
    assert drawn([box, Image("ring.png", "Four ranks in a ring")], 34) == (
        """\
╭─ deck.md:12 ───────────────────╮
│ unknown directive 'foo'        │
│ Write demo or animate.         │
│                                │
│ ::: foo                        │
│ x                              │
╰────────────────────────────────╯

╭─ ring.png ─────────────────────╮
│ Four ranks in a ring           │
╰────────────────────────────────╯"""
    )


def test_a_plain_quiz_keeps_its_key_to_itself() -> None:
    body = "How many bytes?\n\n- [ ] S\n- [x] 2S\n  > Twice round.\n\n> Because."
    assert drawn([Quiz("q", "single", {}, body, 3)], 40) == "How many bytes?\n\n1  S\n2  2S"


def test_focus_lines_stand_on_select_ground() -> None:
    grounds = [{span.style.ground for span in line} for line in layout_blocks([DDP], 1, 60)]
    assert [ground == {"select"} for ground in grounds] == [False] * 5 + [True, False]
    everything = layout_blocks([DDP], 0, 60)
    assert not any(span.style.ground == "select" for line in everything for span in line)
    unfocused = layout_blocks([DDP], 1, 60)[2]
    assert {span.style.ink for span in unfocused} <= {"dim", "faint", "text"}
    assert layout_blocks([DDP], 7, 60) == layout_blocks([DDP], 1, 60)


def test_what_comes_later_keeps_its_space() -> None:
    revealed = List((Item((para("now"),)), Item((para("later, on two lines"),), at=1)))
    blocks = [revealed, para("last", at=2), Columns((1, 1), ((para("left"),), (para("right", at=3),)))]
    steps = [drawn(blocks, 14, step).split("\n") for step in range(4)]
    assert {len(step) for step in steps} == {9}
    assert steps[0] == ["•  now", "", "", "", "", "", "left", "", ""]
    assert steps[1][:3] == ["•  now", "•  later, on", "   two lines"]
    assert steps[2][4] == "last"
    assert steps[3][6:] == ["left", "", "right"]


def test_an_animation_takes_its_frame_from_the_step() -> None:
    ring = Scene("ring", {"ranks": "4"}, at=1, frames=8)
    assert set(drawn([ring], 80, 0)) <= {"\n"}
    assert "step 1/8" in drawn([ring], 80, 1)
    assert "Reduce-scatter, step 1 of 3" in drawn([ring], 80, 2)
    assert drawn([ring], 80, 50) == drawn([ring], 80, 8)


def test_columns_are_stacked_when_narrow() -> None:
    blocks = [Columns((1, 1), ((para("left"),), (para("right"),)))]
    assert drawn(blocks, 60) == "left" + " " * 27 + "right"
    assert drawn(blocks, 42) == "left\n\nright"


def test_others_draw_what_they_know_better() -> None:
    def special(block: AnyBlock, step: int, width: int) -> list[Line] | None:
        return [(Span(f"{step} {width} " + "x" * 99),)] if isinstance(block, Demo) else None

    lines = layout(slide(para("a"), Demo("d", "ddp", at=2)), 3, 10, special=special)
    assert [plain(line) for line in lines] == ["a", "", "3 10 xxxx…"]
    assert [
        plain(line) for line in layout(slide(para("a"), Demo("d", "ddp", at=2)), 0, 10, special=special)
    ] == [
        "a",
        "",
        "",
    ]


def test_a_block_that_fails_is_a_box() -> None:
    def special(block: AnyBlock, step: int, width: int) -> list[Line] | None:
        raise RuntimeError("no such luck")

    lines = [plain(line) for line in layout(slide(Rule(line=7)), 0, 60, special=special)]
    assert lines[0].startswith("╭─ line 7 ─")
    assert "this rule cannot be shown: RuntimeError: no such luck" in lines[1]
    assert "ranks is 2 to 8" in drawn([Scene("ring", {"ranks": "1"})], 120)


def test_chrome_is_one_cell_wide() -> None:
    assert {width(sign) for sign in "•◦‣☐☑▎━─╭╮╰╯│↪▣…✓↓"} == {1}


# -- any deck at any width ----------------------------------------------------------------------------------

troublesome = st.sampled_from(list("👨\u200d👩❤\ufe0f漢、「नमस्ते\u0301\t\n\x1b[31m\u202e\u2066\ud800 $\\_{}&"))
texts = st.text(st.one_of(troublesome, st.characters(), st.sampled_from("ab c")), max_size=30)
styles = st.sampled_from([PLAIN, BOLD, Style("code", "panel")])
inline = st.builds(
    Inline, texts, styles, st.sampled_from(["", "http://x"]), st.booleans(), st.booleans(), st.booleans()
)
inlines = st.lists(inline, max_size=4).map(tuple)
steps = st.integers(0, 3)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    columns = draw(st.integers(1, 5))
    row = st.lists(inlines, min_size=columns, max_size=columns).map(tuple)
    align = st.lists(st.sampled_from(["left", "right", "center", ""]), min_size=columns, max_size=columns)
    return Table(draw(row), tuple(draw(st.lists(row, max_size=3))), tuple(draw(align)), at=draw(steps))


leaves: st.SearchStrategy[AnyBlock] = st.one_of(
    st.builds(Heading, st.integers(1, 6), inlines, at=steps),
    st.builds(Paragraph, inlines, at=steps),
    tables(),
    st.builds(
        Code,
        st.sampled_from(["python", "bash", "", "nonsense"]),
        texts,
        st.lists(st.frozensets(st.integers(1, 3)), max_size=3).map(tuple),
        texts,
        texts,
        st.integers(1, 999),
        st.booleans(),
        at=steps,
    ),
    st.builds(Math, texts, at=steps),
    st.builds(Rule, at=steps),
    st.builds(Image, texts, texts, at=steps),
    st.builds(Demo, texts, texts, st.dictionaries(texts, texts, max_size=2), at=steps),
    st.builds(Scene, st.sampled_from(["ring", "x"]), st.just({"ranks": "3"}), at=steps),
    st.builds(Quiz, texts, texts, st.just({}), texts, st.just(1), at=steps),
    st.builds(Box, st.builds(Problem, texts, st.integers(0, 99), texts, texts), texts, at=steps),
)


def containers(inner: st.SearchStrategy[AnyBlock]) -> st.SearchStrategy[AnyBlock]:
    blocks = st.lists(inner, max_size=3).map(tuple)
    items = st.lists(st.builds(Item, blocks, steps, st.sampled_from([None, True, False])), max_size=3).map(
        tuple
    )
    return st.one_of(
        st.builds(List, items, st.booleans(), st.integers(0, 10**6), st.booleans(), at=steps),
        st.builds(Quote, blocks, at=steps),
        st.builds(
            Columns,
            st.lists(st.integers(0, 5), min_size=2, max_size=3).map(tuple),
            st.lists(blocks, min_size=2, max_size=3).map(tuple),
            at=steps,
        ),
    )


blocks = st.lists(st.recursive(leaves, containers, max_leaves=6), max_size=4)


@settings(deadline=None, max_examples=60)
@given(blocks, st.integers(1, 200), steps)
def test_any_blocks_at_any_width(blocks: list[AnyBlock], width: int, step: int) -> None:
    lines = layout_blocks(blocks, step, width)
    assert all(line_width(line) <= width for line in lines)
    text = "".join(plain(line) for line in lines)
    assert not any(category(c) in ("Cc", "Cs", "Zl", "Zp") for c in text)
    assert not set(text) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@settings(deadline=None, max_examples=30)
@given(blocks, st.integers(1, 120))
def test_a_slide_has_one_height(blocks: list[AnyBlock], width: int) -> None:
    assert len({len(layout_blocks(blocks, step, width)) for step in range(4)}) == 1


@settings(deadline=None, max_examples=30)
@given(blocks, st.integers(1, 120))
def test_no_block_fails(blocks: list[AnyBlock], width: int) -> None:
    """What the layout itself cannot do would hide behind a box: it must not happen."""
    failed: list[Exception] = []
    original = layout_module._failed

    def noted(block: AnyBlock, error: Exception, width: int) -> list[Line]:
        if not isinstance(error, ValueError) or "scene" not in str(error):
            failed.append(error)
        return original(block, error, width)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout_module, "_failed", noted)
        layout_blocks(blocks, 2, width)
    assert failed == []


def test_a_normal_slide_is_cheap() -> None:
    """Laying out a slide whose code and math were seen before costs a few cpu-milliseconds at most."""
    page = slide(
        Heading(1, words("Title")), bullets(*["Every rank runs the same model on its part"] * 5), DDP, TABLE
    )
    layout(page, 0, 100)
    start = time.process_time()
    for step in range(10):
        layout(page, step, 100)
    assert (time.process_time() - start) / 10 < 0.006


markdown = st.lists(
    st.one_of(
        texts,
        st.sampled_from(
            [
                "# Title",
                "- item\n  - inner",
                "1. one",
                "- [x] done",
                "> quote",
                "| a | b |\n|---|--:|\n| 1 | $x$ |",
                "```python {1|2}\nx = 1\ny\n```",
                "$$\\frac{a}{b}$$",
                "::: columns 1,1\nleft\n\n+++\n\nright\n:::",
                "::: animate ring ranks=3",
                "::: quiz\nWhat?\n\n- [x] this\n:::",
                "<!-- pause -->",
                "![alt](x.png)",
                "---",
                "**b _i_ `c`** [l](http://x)",
            ]
        ),
    ),
    max_size=6,
).map("\n\n".join)


@settings(deadline=None, max_examples=60)
@given(markdown, st.integers(1, 200))
def test_any_deck_at_any_width(text: str, width: int) -> None:
    from slides.reading.parse import parse_slide
    from slides.reading.split import split

    deck = split(text, "deck.md")
    for index in range(len(deck.slides)):
        page = parse_slide(deck, index)
        heights = set()
        for step in range(page.steps):
            lines = layout(page, step, width)
            heights.add(len(lines))
            assert all(line_width(line) <= width for line in lines)
            assert not any(category(c) in ("Cc", "Cs", "Zl", "Zp") for line in lines for c in plain(line))
        assert len(heights) == 1


def test_no_line_breaks_in_a_short_formula():
    words = Inline("a step learns from n times b of them, that is ")
    formula = Inline(r"4 \cdot 8 = 32", math=True)
    shown = [drawn([Paragraph((words, formula, Inline(" in all")))], width) for width in range(18, 80)]
    assert all("4 · 8 = 32" in text for text in shown)
    assert not any("\u00a0" in text for text in shown)
