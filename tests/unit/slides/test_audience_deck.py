"""What an audience gets: the same deck, with nothing in it that is not theirs."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from slides import deck as d
from slides.audience_deck import audience_deck
from slides.deck import AnyBlock, Deck, Slide
from slides.reading.parse import parse_slide
from slides.reading.split import load, split


def redact(text: str) -> str:
    return audience_deck(split(text, "deck.md")).source


def slides(deck: Deck, *, trusted: bool = True) -> list[Slide]:
    return [parse_slide(deck, head.index, trusted=trusted) for head in deck.slides]


def ids(blocks: tuple[AnyBlock, ...]) -> list[str]:
    out: list[str] = []
    for block in blocks:
        if isinstance(block, d.Demo | d.Quiz):
            out.append(block.id)
        elif isinstance(block, d.Columns):
            out += [name for column in block.columns for name in ids(column)]
    return out


def outline(found: list[Slide]) -> list[tuple[str, str, int, str, list[str]]]:
    return [(slide.id, slide.title, slide.steps, slide.section, ids(slide.blocks)) for slide in found]


def test_line_for_line() -> None:
    text = """\
---
title: T
# private
---
# A <!-- todo -->

<!-- notes: one
two -->
<!-- pause -->

::: quiz {#q answer=2}
Stem

> part of it

- [ ] a
- [x] b
  > because

  and more of it
- [x] c
> All told.
:::
"""
    assert (
        redact(text)
        == """\
---
title: "T"

---
# A <!-- -->

<!--
-->
<!-- pause -->

::: quiz {#q kind=multi}
Stem

> part of it

- [ ] a
- [ ] b
<!-- -->

<!-- -->
- [ ] c
<!-- -->
:::
"""
    )


@pytest.mark.parametrize("kind", ["numeric", "text", "order", "match", "cloze", "sngle"])
def test_a_kind_whose_key_is_not_known_is_withheld(kind: str) -> None:
    shown = redact(f"::: quiz {{#q kind={kind}}}\nsecret {{{{secret}}}}\n\n= secret\n- secret => secret\n:::")
    assert "secret" not in shown and "#q" in shown


def test_what_is_left_open_does_not_reach_the_next_slide(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<!-- x -->\n```\n~~~\n")
    text = (
        "# A\n\n<!-- notes: secret\n\n---\n\n# B\n\n~~~~~\ncode\n\n---\n\n"
        "# C\n\n```html file=page.html\n```\n\n~~~~text file=page.html\n~~~~\n"
    )
    (tmp_path / "deck.md").write_text(text)
    deck = load(tmp_path / "deck.md")
    read = audience_deck(deck)
    source = read.source
    assert "secret" not in source
    theirs = slides(read, trusted=False)
    assert outline(theirs) == outline(slides(deck))
    assert [b.source for b in theirs[2].blocks if isinstance(b, d.Code)] == ["<!-- x -->\n```\n~~~"] * 2


def test_files_are_read_into_it(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("one\n\ntwo = 2\nthree\n")
    part = (
        "---\nx: y\n---\n# From a file\n\n---\n\n+++\n\n:::\n\n::: demo ddp\n\n<!-- pause -->\n\n"
        "<!-- notes: secret -->\n\n::: columns\nleft\n"
    )
    (tmp_path / "part.md").write_text(part)
    text = (
        "::: columns\n\n::: include part.md\n\n+++\n\n- item\n\n  ```py {1|3} file=a.py lines=1-3\n  ```\n\n"
        "> ```py file=a.py numbers\n> ```\n\n:::\n\n---\n\n# B\n\n::: include absent.md\n"
    )
    (tmp_path / "deck.md").write_text(text)
    deck = load(tmp_path / "deck.md")
    read = audience_deck(deck)
    source = read.source
    ours, theirs = slides(deck), slides(read, trusted=False)
    assert "secret" not in source and str(tmp_path) not in source
    assert outline(theirs) == outline(ours)

    def code(blocks: tuple[AnyBlock, ...]) -> list[tuple[object, ...]]:
        found: list[tuple[object, ...]] = []
        for block in blocks:
            match block:
                case d.Code():
                    found.append(
                        (block.lang, block.source, block.focus, block.path, block.sha, block.first, block.at)
                    )
                case d.Columns():
                    found += [one for column in block.columns for one in code(column)]
                case d.List():
                    found += [one for item in block.items for one in code(item.blocks)]
                case d.Quote():
                    found += code(block.blocks)
        return found

    assert len(code(ours[0].blocks)) == 2
    assert code(theirs[0].blocks) == code(ours[0].blocks)


@pytest.mark.parametrize(
    "text",
    [
        "::: quiz kind=multi\n<!-- notes:\n-->\n::: quiz kind=text\n",
        "::: quiz\ntext <!-- notes: Zq7\nZq7 --> text\n::: predict kind=sngle\n",
        "::: chart bars\n<!-- notes: Zq7\n<!-- slide: {optional: true} -->\n:::: predict\n",
        "::: quiz {#q} <!-- a\n-->\nstem\n\n- [x] a <!-- Zq7\nZq7 -->\n- [ ] b\n:::\n\n::: quiz {#r}\nx\n",
        "- a\n  <!-- Zq7\n--> ::: quiz {#q}\nstem\n- [x] a\n\n::: quiz {#r}\n",
    ],
)
def test_a_comment_over_lines_ends_where_it_ended(text: str) -> None:
    """On the last line of a question that nothing closes: what stood behind it was gone for an audience."""
    deck = split(text, "deck.md")
    theirs = audience_deck(deck)
    assert [(s.id, s.steps, ids(s.blocks)) for s in slides(theirs, trusted=False)] == [
        (s.id, s.steps, ids(s.blocks)) for s in slides(deck)
    ]
    assert "Zq7" not in theirs.source


# -- whatever is written ------------------------------------------------------------------------------------

SECRET = "Zq7"
LINES = [
    "---", "", "", "", "# T", "text", "```", "```py", "~~~~", "<!-- pause -->", "- a", "  - b", "> quote",
    "    code", "::: columns", "+++", ":::", "::: demo ddp", "::: what", "`<!--`", "<!--> x", "[a]: b",
    "<div>", "===", "- ```", "::: scene room strategy=fsdp", "::: scene", "row: a, b", "step: a -> b",
    "::: chart bars", "::: chart line x=1", "1, 2", "::: estimate", "::: strategies ddp", "a[^1]", "[^1]: b",
    ":::: columns", "<!-- end -->", "term", "  : definition",
]  # fmt: skip
notes = st.sampled_from(
    [
        f"<!-- notes: {SECRET} -->",
        f"text <!-- notes: {SECRET}\n\n---\n\n{SECRET} --> text",
        f"<!--{SECRET}-->",
        f"- a\n  <!-- {SECRET} -->",
        f"> <!-- notes: {SECRET} -->",
        f"<!-- notes:\n{SECRET}\n-->",
    ]
)
questions = st.builds(
    "::: {} {}\nstem\n\n- [{}] a\n  > {}\n\n  more {}\n- [X] b\n> {}\n{}\n\n{}\n:::".format,
    st.sampled_from(["quiz", "predict", "poll", "quizz"]),
    st.sampled_from(["", "{#q kind=single}", "kind=multi", f"kind=numeric note={SECRET}", "{#q #r}", "word"]),
    st.sampled_from([" ", "x"]),
    *[st.sampled_from([SECRET, f"*{SECRET}*"])] * 4,
    st.sampled_from([SECRET, "", f"> ```\n> {SECRET}\n> ```"]),
)
parts = st.one_of(st.sampled_from(LINES), st.sampled_from(LINES), notes, questions)


def plain_lines(text: str) -> bool:
    """Whether nothing planted was made code, a fence's or indented: code is shown as it is written."""
    return "```" not in text and "~~~" not in text and "    code" not in text


@settings(deadline=None, max_examples=300)
@given(st.lists(parts, max_size=12).map("\n".join))
def test_an_audience_has_the_same_outline(text: str) -> None:
    deck = split(text, "deck.md")
    theirs = slides(audience_deck(deck), trusted=False)
    assert [(s.id, s.steps, ids(s.blocks)) for s in theirs] == [
        (s.id, s.steps, ids(s.blocks)) for s in slides(deck)
    ]
    assert all(slide.notes == () or all(not note.markdown for note in slide.notes) for slide in theirs)


@settings(deadline=None, max_examples=300)
@given(st.lists(parts.filter(plain_lines), max_size=12).map("\n\n".join))
@example(f"---\n\nrow: a, b\n\ntext <!-- notes: {SECRET}\n\n---\n\n{SECRET} --> text")
def test_no_note_key_or_explanation_is_left(text: str) -> None:
    source = redact(text)
    assert SECRET not in source
    assert "[x]" not in source and "[X]" not in source


@settings(deadline=None, max_examples=100)
@given(st.text())
def test_any_text_is_redacted(text: str) -> None:
    split(redact(text), "deck.md")


def test_slides_without_titles_keep_their_ids_below_one_that_includes() -> None:
    deck = split("words\n\n::: include a.md\n\n---\n\nmore\n\n---\n\n# Slide 2\n", "deck.md")
    theirs = audience_deck(deck)
    assert [head.id for head in theirs.slides] == [head.id for head in deck.slides]
