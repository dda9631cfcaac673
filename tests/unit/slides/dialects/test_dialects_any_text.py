"""Dialects: no text makes one of them fail, and none takes long."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from slides.audience_deck import audience_deck
from slides.deck import NATIVE, Box
from slides.dialects import NAMES, detect, native, translate
from slides.dialects.registry import MODULES
from slides.drawing.layout import layout_blocks
from slides.reading.from_disk.source import normalise
from slides.reading.parse import parse_slide
from slides.reading.split import split
from slides.reading_order import blocks

FOREIGN = tuple(name for name in NAMES if name != NATIVE)


PIECES = [
    "# A", "## B", "### C", "text", "more\nlines", "- a\n- b", "* x\n  * y", "1) p\n2) q", "---", "***",
    "- - -", "----", "--- ", "Title\n---", "Title\n===", "> quote\n> - a", "<!-- a -->",
    "<!--\nlong\n\n---\n-->", "-->", "<div>\nhi\n</div>", "    code", "+++", "::: quiz", ":::", "```",
    "~~~ {.py}", "<!--", "| a |\n|---|", "\r\n", "\0", "\x1b[31mred", "\u202e", "\t- a", "$$",
    "<!-- pause -->", "<!-- end_slide -->", "<!-- column: 1 -->", "<!-- column_layout: [1,2] -->",
    "<!-- reset_layout -->", "<!-- incremental_lists: true -->", "<!-- speaker_note: |\n x\n-->",
    "<!-- include: deck.md -->", "<!-- skip_slide -->", "```py {1|2} +exec",
    "---\ntitle: T\nauthors: [a, b]\n---",
    "---\noptions:\n  implicit_slide_ends: true\n  command_prefix: x\n---", "````md magic-move",
    "```ts {1-9|all}{lines:true}", "<v-click>", "</v-click>", "<v-clicks>", "::right::",
    '<div v-click="2">', "<<< @/a.ts#b", "[click]", "---\nlayout: two-cols\n---", "---\nsrc: a.md",
    "notes: x", "```yaml\na: b\n```", "```js [1|2]", "Note: n", '<!-- .element: class="fragment" -->',
    "<!-- .slide: x -->", '<aside class="notes">', "</aside>", "---\nseparator: '^\\n(a+)+'\n---", ". . .",
    "<!-- stop -->", "#Tight", "---\npatat:\n  incrementalLists: true\n...", "<!-- headingDivider: 2 -->",
    "![bg left:30%](x.png)", "![](<a b>)", "<!-- _class: x -->", "<style>", "</style>", "<img src=x>",
    "---\na: &a [*a, *a]\n---", '<div class="columns">', "</div>", "<div>", '<div class="grid grid-cols-2">',
    "<table>\n<tr><td>a", "</table>", "<ul><li>a</li><li>b</li></ul>", "<Toc />",
    "---  ---\na    b\n---  ---", "<svg>", "```{r, include=FALSE}\nx\n```", "layout: true", "`r x`",
    "<Card title='a' :items=\"[{ text: 'b' }]\" />", '<div style="z-index: -1"><img src=x></div>', "<C",
    '<div><pre class="sourceCode"><code><span>x</span></code></pre></div>', "<b>a</b><i>b c</i>", "a<T>",
    "---\ntheme: ./x\n---", "<img width=20 src=x>", "---\nsectionTitle: '# a'\n---", "<p class=x>",
    "<blockquote>q", "> ---", "[^1]: a",
]  # fmt: skip


texts = st.lists(
    st.tuples(st.sampled_from(PIECES) | st.text(max_size=12), st.sampled_from(["\n\n", "\n", ""])),
    max_size=14,
).map(lambda parts: "".join(piece + end for piece, end in parts))


_ESCAPES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def holds(text: str, name: str, made: list[int]) -> None:
    """Everything that has to hold for any text at all."""
    text = normalise(text)
    native_text = translate(text, name, Path("deck.md"))
    assert len(native_text.places) == native_text.text.count("\n") + 1
    assert all(1 <= place <= text.count("\n") + 1 for place in native_text.places)
    assert detect(native_text.text) == NATIVE
    deck = split(native_text.text, "deck.md")
    assert len(deck.slides) == made[-1]
    theirs = audience_deck(deck)
    assert [head.id for head in theirs.slides] == [head.id for head in deck.slides]
    for head in deck.slides:
        slide = parse_slide(deck, head.index)
        assert not any(
            "could not be read" in b.problem.message for b in blocks(slide.blocks) if isinstance(b, Box)
        )
        assert parse_slide(theirs, head.index, trusted=False).steps == slide.steps
        for line in layout_blocks(slide.blocks, slide.steps - 1, 60):
            assert not _ESCAPES.search("".join(span.text for span in line))


@pytest.fixture(scope="module")
def made() -> Iterator[list[int]]:
    """How many slides each deck was made with, for comparison with how many it splits into."""
    counts: list[int] = []
    whole = native.assemble
    patch = pytest.MonkeyPatch()

    def counted(slides: list[object], *rest: object) -> object:
        counts.append(max(len(slides), 1))
        return whole(slides, *rest)  # type: ignore[arg-type]

    for name in FOREIGN:
        translate("# A\n", name, Path("deck.md"))
        module = importlib.import_module(f"slides.dialects.programs.{MODULES[name]}")
        if hasattr(module, "assemble"):  # Obsidian's is reveal-md's
            patch.setattr(module, "assemble", counted)
    yield counts
    patch.undo()


@settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(text="----", name="marp")
@given(text=texts, name=st.sampled_from(FOREIGN))
def test_any_text_is_a_deck_of_any_dialect(made: list[int], text: str, name: str) -> None:
    holds(text, name, made)


@pytest.mark.soak
@pytest.mark.timeout(900)
@settings(deadline=None, max_examples=10_000, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=texts, name=st.sampled_from(FOREIGN))
def test_ten_thousand_texts_are_decks(made: list[int], text: str, name: str) -> None:
    holds(text, name, made)


UNITS = [
    "<!-- a", "<!--a-->", "```\n", "~~~\n---\n", "- ", "> ", "---\n", "\n---\n\n", "![", "![](", "<a ",
    "<div ", "`", "`a``", "* a\n", "<v-click>", "[click]", "::right::\n", "<!-- column: 0 -->\n", "a: b\n",
    "<style>\n", "<img src=a>", '<!-- .element: class="fragment" -->', "Note: a\n", "<speaker-note>\n", "#",
    "<C title='a' ", "<C :items=\"[{'", "`r ", "```{r}\n", "<b>a</b><i>", '<div class="x"><b>', "<pre><code>",
    "<p><b>x y</b>", "opts_chunk$set(", '<img class="absolute" ', "{1|2}", "a\n\n<!-- stop -->\n\n",
    "<table>\n", '<div class="columns">\n', "<div>\n\n", "<li>",
    "- a\n\n\n", "--- -\n", "~~~a\n",
]  # fmt: skip


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.timeout(60)
def test_the_worst_texts_are_read_in_time(name: str) -> None:
    for unit in UNITS:
        translate(unit * (6000 // len(unit)), name, Path("deck.md"))


@pytest.mark.soak
@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.timeout(60)
def test_long_worst_texts_are_read_in_time(name: str, unit: str) -> None:
    translate(unit * (60_000 // len(unit)), name, Path("deck.md"))
