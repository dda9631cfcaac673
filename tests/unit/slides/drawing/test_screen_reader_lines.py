"""Slides told line by line: every element in words, and of a step only what it brings."""

from __future__ import annotations

from slides.drawing.screen_reader_lines import linear
from slides.reading.parse import parse_slide
from slides.reading.split import split

DECK = """\
# Four copies

Every rank has $\\theta$ and *its own* data:
it learns.

1. forward
2. backward
   - buckets
- [x] tested

| rank | loss |
|------|-----:|
| 0 | 2.5 |
| 1 | **2.4** |

> said
> so

```python {1|2-3,5|all}
a = 1
b = 2
c = 3
d = 4
e = 5
```

![Four ranks in a ring](ring.png)

::: columns 1,1
left

+++

right
:::

***

<!-- pause -->

- later

$$
\\bar g = g
$$

::: animate ring ranks=2 chunks=2

::: dmo x
"""

TOLD = """\
Four copies
Every rank has θ and its own data: it learns.
1. forward
2. backward
  - buckets
- done: tested
table, 2 rows:
  rank: 0; loss: 2.5
  rank: 1; loss: 2.4
> said so
code, python, 5 lines:
    a = 1
    b = 2
    c = 3
    d = 4
    e = 5
end of code
looked at: line 1
picture: Four ranks in a ring
left
right
"""


def test_a_slide_is_told_in_reading_order() -> None:
    slide = parse_slide(split(DECK, "deck.md"), 0, trusted=False)
    assert "\n".join(linear(slide.blocks, -1, 0)) + "\n" == TOLD


def test_a_step_tells_what_it_brings() -> None:
    slide = parse_slide(split(DECK, "deck.md"), 0, trusted=False)
    assert linear(slide.blocks, 0, 1) == ["looked at: lines 2 to 3, 5", "    b = 2", "    c = 3", "    e = 5"]
    assert linear(slide.blocks, 1, 2) == ["looked at: all lines"]
    third = linear(slide.blocks, 2, 3)
    assert third[:2] == ["- later", "ḡ = g"] and third[2].startswith("scene ring, ")
    end = third.index("step 1 of 4, drawn, not measured")
    assert end > 3 and third[end + 1].startswith("cannot be shown, line 49: unknown directive `dmo`")
    assert linear(slide.blocks, 3, 4)[-1] == "step 2 of 4, drawn, not measured"
    everything = linear(slide.blocks, -1, slide.steps - 1)
    assert everything.count("code, python, 5 lines:") == 1 and "- later" in everything


def test_an_unknown_question_shows_no_key() -> None:
    slide = parse_slide(split("::: quiz {#q}\nWhich?\n\n- [ ] a\n- [x] b\n  > why\n:::\n", "d"), 0)
    assert linear(slide.blocks, -1, 0) == ["Which?", "- [ ] a", "- [ ] b"]


def test_others_may_tell_a_block() -> None:
    slide = parse_slide(split("::: demo ddp ranks=2\n", "d"), 0)
    assert linear(slide.blocks, -1, 0) == ["demo ddp ranks=2"]
    assert linear(slide.blocks, -1, 0, lambda block: ["mine"]) == ["mine"]


def test_nothing_reaches_a_terminal_raw() -> None:
    evil = "# \x1b[2Jx\n\n- \x1b]0;t\x07y\n\n```\n\x1b[31mz\n```\n"
    slide = parse_slide(split(evil, "d"), 0)
    assert all(line.isprintable() for line in linear(slide.blocks, -1, 0))


def test_a_terminal_is_no_code() -> None:
    deck = split("# T\n\n::: terminal 'python3 -q'\n", "t.md")
    assert linear(parse_slide(deck, 0).blocks, -1, 0)[-1] == "a terminal to type into: python3 -q"


def test_a_diff_says_what_was_taken_out_and_what_put_in() -> None:
    """Who listens hears no sign in a margin."""
    source = "# Diff\n\n```diff\n model = TinyLM()\n-opt = SGD(model)\n+opt = AdamW(model)\n```\n"
    slide = parse_slide(split(source, "d"), 0)
    assert linear(slide.blocks, -1, 0)[1:] == [
        "code, 3 lines:",
        "    model = TinyLM()",
        "    removed: opt = SGD(model)",
        "    added: opt = AdamW(model)",
        "end of code",
    ]


def test_the_text_of_a_diff_keeps_its_signs() -> None:
    from slides.export.plain_words import text

    slide = parse_slide(split("# Diff\n\n```diff\n a\n-b\n+c\n```\n", "d"), 0)
    assert text(slide.blocks).endswith(" a\n-b\n+c")
