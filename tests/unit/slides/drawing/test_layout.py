"""Slides as pictures at a width: what the room sees."""

from __future__ import annotations

import time

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
from slides.drawing.cells import line_width, width
from slides.drawing.layout import layout, layout_blocks
from slides.drawing.text import Line, Span, Style, plain
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


def test_a_table_without_words_in_its_head_has_none() -> None:
    body = ((words("Runs"), words("two ranks")),)
    table = Table((words(""), words("")), body, ("left", "left"))
    assert drawn([table], 12) == "Runs  two\n      ranks"


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


def test_a_normal_slide_is_cheap() -> None:
    """Laying out a slide whose code and math were seen before costs a few cpu-milliseconds at most."""
    page = slide(
        Heading(1, words("Title")), bullets(*["Every rank runs the same model on its part"] * 5), DDP, TABLE
    )
    layout(page, 0, 100)
    spent = []
    for step in range(10):
        start = time.process_time()
        layout(page, step, 100)
        spent.append(time.process_time() - start)
    assert min(spent) < 0.006  # the least: who else is on the core makes the others longer


def test_no_line_breaks_in_a_short_formula():
    words = Inline("a step learns from n times b of them, that is ")
    formula = Inline(r"4 \cdot 8 = 32", math=True)
    shown = [drawn([Paragraph((words, formula, Inline(" in all")))], width) for width in range(18, 80)]
    assert all("4 · 8 = 32" in text for text in shown)
    assert not any("\u00a0" in text for text in shown)
