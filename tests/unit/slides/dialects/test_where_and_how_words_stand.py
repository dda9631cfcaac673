"""Words that stand in the middle or have a colour, and code that changes in its place, as other programs have
them."""

from __future__ import annotations

import pytest
from made_decks import read

from slides.deck import Code, Slide
from slides.drawing.layout import layout
from slides.drawing.screen_reader_lines import linear
from slides.drawing.text import plain
from slides.export import plain_words
from slides.palette import THEMES
from slides.reading.parse import parse_slide
from slides.reading_order import blocks, inlines

# The first is a test of presenterm itself (src/presentation/builder/comment.rs), and what it expects.
ALIGNED = """
hi

<!-- alignment: center -->

hello

<!-- alignment: right -->

hola
"""
EXPECTED = ["hi", "", "     hello", "", "            hola"]

# demo/starter/slides.md of Slidev: 3 + 4 + 1 + 1 ranges of lines, one click from each to the next.
MOVED = """---
theme: seriph
---

# Shiki Magic Move

````md magic-move {lines: true}
```ts {*|2|*}
// step 1
const author = reactive({
  name: 'John Doe',
})
```

```ts {*|1-2|3-4|3-4,8}
// step 2
export default {
  data() {
    return {
      author: {
        name: 'John Doe',
      }
    }
  }
}
```

```ts
// step 3
export default {
  data: () => ({
  })
}
```

Non-code blocks are ignored.

```vue
<!-- step 4 -->
<script setup>
</script>
```
````

Below it.
"""
CLICKS = 3 + 4 + 1 + 1 - 1


def shown(slide: Slide, step: int, width: int = 60, height: int = 0) -> list[str]:
    return [plain(line).rstrip() for line in layout(slide, step, width, height)]


def test_presenterms_own_test_of_alignment() -> None:
    slide = parse_slide(read(ALIGNED, "presenterm"), 0)
    assert shown(slide, 0, 16) == EXPECTED


def test_alignment_ends_with_its_slide_and_goes_back() -> None:
    text = (
        "<!-- alignment: center -->\n\na\n\n<!-- alignment: left -->\n\nb\n\n<!-- alignment: right -->\n\nc\n"
    )
    deck = read(f"{text}\n<!-- end_slide -->\n\nd\n", "presenterm")
    assert shown(parse_slide(deck, 0), 0, 9) == ["    a", "", "b", "", "        c"]
    assert shown(parse_slide(deck, 1), 0, 9) == ["d"]


def test_a_list_stays_together_where_its_lines_are_in_the_middle() -> None:
    deck = read("<!-- alignment: center -->\n\n* a\n* long one\n", "presenterm")
    first, second = shown(parse_slide(deck, 0), 0, 31)
    assert first.index("a") == second.index("l") == 13  # (31 - 11) // 2, and three for the mark


@pytest.mark.parametrize("width, height", [(60, 0), (96, 27), (156, 42)])
def test_no_line_in_the_middle_is_wider_than_its_page(width: int, height: int) -> None:
    deck = read(
        "<!-- alignment: right -->\n\n# A\n\n" + "word " * 60 + "\n\n| a | b |\n|-|-|\n| c | d |\n",
        "presenterm",
    )
    lines = layout(parse_slide(deck, 0), 0, width, height)
    assert any(plain(line).startswith("  ") for line in lines)
    assert max(len(plain(line)) for line in lines) <= width


@pytest.mark.parametrize(
    "tag, ink",
    [
        ('<span style="color: red">', "bad"),  # examples/demo.md of presenterm
        ('<span style="color: blue; background-color: black">', "accent"),
        ('<span style="background-color: #ff0000; color: #00aa00">', "good"),
        ("<span style='color:#f80'>", "warning"),
        ('<font color="purple">', "code.keyword"),
        ('<span style="color: dark_cyan">', "code.builtin"),
        ('<span style="color: grey">', "dim"),
        ('<span style="color: white">', "text"),  # what another ground asks for
        ('<span style="background-color: red">', "text"),
        ('<span style="border-color: red">', "text"),
        ('<span class="noice">', "text"),
    ],
)
def test_a_colour_of_words_is_the_ink_of_that_hue(tag: str, ink: str) -> None:
    end = tag[1:].split()[0]
    slide = parse_slide(read(f"* some {tag}Colored **and bold**</{end}> text.\n", "presenterm"), 0)
    of = {part.text: part.style for block in blocks(slide.blocks) for part in inlines(block)}
    assert of["Colored " if ink != "text" else "some Colored "].ink == ink
    assert of["and bold"].ink == ink and of["and bold"].bold
    assert of[" text."].ink == "text"
    assert all(ink in theme.colours for theme in THEMES.values() if theme.colours)


def test_states_of_slidev_step_in_one_place() -> None:
    slide = parse_slide(read(MOVED, "slidev"), 0)
    assert slide.steps == 1 + CLICKS
    pages = [shown(slide, step) for step in range(slide.steps)]
    at = [next(n for n in range(1, 5) if any(f"step {n}" in line for line in page)) for page in pages]
    assert at == [1, 1, 1, 2, 2, 2, 2, 3, 4]
    assert all(sum("step" in line for line in page) == 1 for page in pages)
    assert {page.index("Below it.") for page in pages} == {pages[0].index("Below it.")}


@pytest.mark.parametrize("width, height", [(76, 22), (96, 27), (156, 42), (196, 57)])
def test_a_slide_keeps_its_height_and_place_from_state_to_state(width: int, height: int) -> None:
    slide = parse_slide(read(MOVED, "slidev"), 0)
    pages = [shown(slide, step, width, height) for step in range(slide.steps)]
    assert len({len(page) for page in pages}) == 1
    assert len({tuple(page[: len(page) // 8]) for page in pages}) == 1


def test_what_follows_waits_until_the_last_state() -> None:
    deck = read(
        "```python\na = 1\n```\n\n```python {1|all} instead\nb = 2\n```\n\n<!-- pause -->\n\nend\n", ""
    )
    slide = parse_slide(deck, 0)
    assert slide.steps == 4
    assert [shown(slide, step)[-1] for step in range(4)] == ["", "", "", "end"]
    assert [
        ["a = 1" in "".join(shown(slide, step)), "b = 2" in "".join(shown(slide, step))] for step in range(3)
    ] == [
        [True, False],
        [False, True],
        [False, True],
    ]


def test_exports_and_a_reader_of_screens_have_every_state() -> None:
    slide = parse_slide(read(MOVED, "slidev"), 0)
    assert all(f"step {n}" in plain_words.text(slide.blocks) for n in range(1, 5))
    codes = [block for block in blocks(slide.blocks) if isinstance(block, Code)]
    assert [code.lang for code in codes] == ["ts", "ts", "ts", "vue"]


def test_a_reader_of_screens_hears_the_code_that_a_step_brings() -> None:
    slide = parse_slide(read(MOVED, "slidev"), 0)
    told = ["\n".join(linear(slide.blocks, step - 1, step)) for step in range(slide.steps)]
    assert [n for n in range(1, slide.steps) if "code" in told[n]] == [3, 7, 8]
    assert "step 2" in told[3] and "step 1" not in told[3]
    assert "lines 3 to 4" in told[5]


def test_instead_with_nothing_above_is_said() -> None:
    slide = parse_slide(read("words\n\n```python instead\na = 1\n```\n", ""), 0)
    assert [problem.line for problem in slide.problems] == [3]
    assert "no code" in slide.problems[0].message
