"""No blocks and no deck break a slide, at any width."""

from __future__ import annotations

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
    Item,
    List,
    Math,
    Paragraph,
    Quiz,
    Quote,
    Rule,
    Scene,
    Table,
)
from slides.drawing import layout as layout_module
from slides.drawing.cells import line_width
from slides.drawing.layout import layout, layout_blocks
from slides.drawing.text import PLAIN, Line, Style, plain
from slides.problems import Problem

BOLD = Style(bold=True)


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
    original = layout_module.failed_block

    def noted(block: AnyBlock, error: Exception, width: int) -> list[Line]:
        if not isinstance(error, ValueError) or "scene" not in str(error):
            failed.append(error)
        return original(block, error, width)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout_module, "failed_block", noted)
        layout_blocks(blocks, 2, width)
    assert failed == []


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
