"""Dialects: the edge cases of each program's own rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_decks import read, slides

from slides.deck import NATIVE, Code, Slide
from slides.dialects import NAMES, translate
from slides.reading.parse import parse_slide
from slides.reading.split import split
from slides.reading_order import blocks, inlines

FOREIGN = tuple(name for name in NAMES if name != NATIVE)


def codes(slide: Slide) -> list[Code]:
    return [block for block in blocks(slide.blocks) if isinstance(block, Code)]


def titles(text: str, name: str) -> list[str]:
    return [head.title for head in read(text, name).slides]


# -- how many slides -------------------------------------------------------------------------------------


COUNTS: dict[str, list[tuple[str, int]]] = {
    "presenterm": [
        ("# A\n", 1),
        ("# A\n\n<!-- end_slide -->\n", 2),  # what follows the last mark is a slide
        ("# A\r\n\r\n<!-- end_slide -->\r\n\r\n# B\r\n", 2),
        ("\ufeff---\ntitle: T\n---\n# A\n", 2),  # the slide of the front matter
        ("---\ntheme:\n  name: dark\n---\n# A\n", 1),  # which needs one of some keys
        ("---\ntitle: T\n---\n", 2),
        ("A\n---\n\nB\n---\n", 1),  # titles end a slide by an option only
        ("# A\n\n---\n\n# B\n", 1),
        ("    <!-- end_slide -->\n\ntext <!-- end_slide -->\n", 1),  # no HTML blocks
        ("```\n<!-- end_slide -->\n```\n", 1),
        ("<!--\nend_slide\n-->\n", 2),
        ("<!-- // end_slide -->\n<!-- end_slides -->\n", 1),
        ("# A\n<!-- skip_slide -->\n<!-- end_slide -->\n# B\n", 1),
        ("---\noptions:\n  implicit_slide_ends: true\n---\n<!-- pause -->\nA\n===\n\nB\n===\n", 2),
        ("---\noptions:\n  end_slide_shorthand: true\n---\nA\n\n***\n\nB\n\n- - -\n", 3),
    ],
    "slides": [
        ("# A\n---\n# B\n", 2),
        ("# A\n---\n", 2),
        ("# A\n---", 1),
        ("# A\n--- \n# B\n ---\n# C\n", 1),
        ("# A\n\n```\n---\n```\n", 2),
        ("---\n# A\n---\n# B\n", 2),  # a first line `---` is only left out
        ("---\nauthor: A\n---\n# A\n", 1),
        ("author: A\ntheme: x.json\n---\n# A\n", 1),  # settings need no mark above them
        ("# A\n---\n---\n# B\n", 2),  # `\\n---\\n` twice needs two line ends between
        ("# A\n---\n\n---\n# B\n", 3),
    ],
    "marp": [
        ("# A\n\n---\n\n# B\n\n***\n\n# C\n\n- - -\n", 4),
        ("---\n\n# A\n", 1),  # settings that nothing closes are the whole deck
        ("# A\n\n<!-- open\n\n---\n\n# B\n", 1),  # as CommonMark has it
        ("# A <!-- open\n\n---\n\n# B\n", 2),  # among words it is words
        ("# A\n\n```\n\n---\n\n# B\n", 1),
        ("---\nmarp: true\n---\n\n---\n# A\n", 2),
        ("A\n---\n", 1),
        ("> ---\n\n- a\n\n  ---\n", 1),
        ("---\nheadingDivider: 1\n---\n# A\n\n## B\n\n# C\n", 2),
        ("---\nheadingDivider: [2]\n---\n# A\n\n## B\n", 2),
        ("<!-- headingDivider: 2 -->\n\n# A\n\n---\n\n## B\n", 3),  # the rule and the heading
        ("# A\n\n```\n---\n```\n\n<!--\n\n---\n\n-->\n", 1),
        ("---\nheader: ![w:9](a.png)\nfooter: \\ *C#*\nheadingDivider: 1\n---\n# A\n\n# B\n", 2),  # no quotes
        ("---\nclass: a\nheadingDivider: 1\nclass: b\n---\n# A\n\n# B\n", 1),  # twice: no settings at all
        ("a\n\n<!-- c --> b\n---\n\nd\n", 2),  # no title: the comment takes its line
        ("<!-- c -->\n# A\n---\n# B\n", 2),
        ("---\nheadingDivider: 3\n---\nx\n\n* ### A\n* ### B\n", 3),  # in a list as well
    ],
    "slidev": [
        ("# A\n\n---\n\n# B\n", 2),
        ("# A\n---\n# B\n", 2),
        ("# A\n\n---\n", 2),
        ("# A\n\n---", 1),
        ("# A\n\n---\n\n---\n\n# C\n", 3),
        ("---\n\n# A\n", 1),
        ("---\ntitle: T\n---\n", 1),
        ("# A\n------\n# B\n", 2),
        ("# A\n\n---\nlayout: center\n---\n\n# B\n", 2),
        ("# A\n\n---\nhide: true\n---\n\n# B\n\n---\ndisabled: true\n---\n\n# C\n", 1),
        ("# A\n\n---\nhide: false\n---\n\n# B\n", 2),
        ("# A\n\n```\n---\n```\n\n~~~\n---\n\n~~~\n", 2),  # its parser knows no tildes
        ("# A\n\n<!--\n---\n-->\n", 1),
        ("# A\n\n---\n\n```yaml\nlayout: center\n```\n\n# B\n", 2),
        ("---\n# no setting\n---\n\n# A\n", 1),
        ("# A\n\n---\nsrc: ./absent.md\n---\n\n---\n\n# B\n", 2),
    ],
    "present": [
        ("A talk\n\nAda\n\n* One\n\nText\n\n* Two\n", 3),  # with the title's slide
        ("# A comment\nA talk\n\n* One\n** Below\n- an item\n", 2),
        ("# A talk\n\nAda\n\n## One\n\n* an item\n\n### Below\n\n```\n## code\n```\n\n## Two\n", 3),
        ("A talk\n", 1),
    ],
    "revealmd": [
        ("# A\n---\n# B\n----\n# C\n", 3),
        ("# A\n---\n---\n# B\n", 2),  # two need a line between
        ("# A\n--- \n# B\n", 1),
        ("# A\n\n---\n", 2),
        ("# A\n\n---", 2),
        ("---\n# A\n", 2),
        ("---\ntitle: T\n---\n# A\n", 1),
        ("---\ntitle: T\n---\n---\n# A\n", 2),
        ("```\na\n\n---\n\nb\n```\n", 2),
        ("---\nseparator: <!--s-->\nverticalSeparator: <!--v-->\n---\nA<!--s-->B<!--v-->C\n\n---\n\nD\n", 3),
        ('---\nseparator: "^\\n\\n\\n"\n---\n# A\n\n\n\n# B\n', 2),
        ('---\nseparator: "^\\n\\n"\n---\n# A\n\n\n# B\n', 2),  # none above the first
        ('---\nseparator: "^=$"\n---\n', 1),  # all it shows is this, parted by that
        ('# A\n\n---\n\n<!-- .slide: data-visibility="hidden" -->\n# B\n', 1),
    ],
    "patat": [
        ("# A\n\nx\n\n---\n\n# B\n\n---\n\n---\n", 2),
        ("# A\n\nx\n\n# B\n\ny\n", 2),
        ("# A\n\n## B\n\nx\n\n## C\n\ny\n", 3),
        ("# A\n\nx\n\n## B\n\ny\n", 1),
        ("---\npatat:\n  slideLevel: 2\n...\n# A\n\nx\n\n## B\n\ny\n", 3),  # words under a title are a slide
        ("words\n\n# A\n\nx\n", 2),
        ("x\n***\ny\n", 1),  # no rule right under words
        ("# A\n\n<!-- only -->\n\n## B\n\nx\n", 2),
        ("x\n\n---\n\n<!-- only -->\n", 1),
        ("x\n\n---\nkey: of the whole\n---\n\ny\n", 1),  # settings anywhere, whatever is in them
        ("x\n\n---\n# B\n\n---\n\ny\n", 1),
        ("x\n\n---\ny\n", 2),
        ("x\n\n```\n\n---\n\n<!-- open\n\n---\n\ny\n", 3),  # what never ends is words
        ("x\n\n#. a\n#. b\n", 1),
        ("x\n\nmore\nwords\n---\n\ny\n", 1),  # a title is one line
        ("x\n\nwords\n   ---\n\ny\n", 1),  # its underline at the margin
        ("x\n\nA  B\n-- --\n1  2\n\ny\n", 1),  # a table
        ("x\n\n---  ---\na    b\n---  ---\n\n***\n\ny\n", 2),
        ("x\n\n-----\n# B\n\ny\n\n-----\n\nz\n", 1),  # of many lines a row
        ("x\n\n<div>\n\n---\n\n</div>\n\n---\n\ny\n", 2),
        ("x\n\n<div>\n\n---\n\ny\n", 2),
    ],
    "lookatme": [
        ("# A\n\n---\n\n# B\n\n***\n\n# C\n", 3),
        ("# A\n\n---\n", 2),
        ("# A\n\nx\n\n<!-- stop -->\n\ny\n", 2),
        ("# A\n\nx\n<!-- stop -->\n\ny\n", 1),
        ("# A\n\n- a\n<!-- stop -->\n- b\n  <!-- stop -->\n- c\n", 3),
        ("# A\n\n  <!-- stop -->\n", 1),
        ("# A\n\n```\n\n---\n\n<!-- open\n\n---\n\n# B\n", 3),  # what never ends is words
        ("# T\n\n## A\n\n## B\n", 3),
        ("## A\n\n## B\n", 2),
        ("words only\n", 1),
        ("\n---\ntitle: T\n---\n\n# A\n", 1),
        ("# A\n\n## B\n<!-- stop -->\nx\n<!-- stop -->\n\ny\n\n## C\n", 4),  # to the last end, x unseen
        ("---\ntitle: T\n---\n\n\n\n# A\n\nx\n\n# B\n", 3),  # blank lines above a title are a slide
        ("# A\n\n> q\n> ---\n", 2),  # a title in the quote parts them
        ("# A\n\n> q\n>\n> ---\n", 2),  # and a rule there
        ("# A\n\n<div>\n\n---\n\n</div>\n", 1),
        ("# A\n\n<div>\n\n---\n\nx\n", 2),
        ("# A\n\n- a\n  ---\n\n***\n\nb\n", 2),
        ("# A\n\n---\n<!-- stop -->\n---\n\nb\n", 2),  # words, underlined
        ("# A\n\n[^1]: n\n\n  ---\n\n[a]: b\n\n| a |\n|---|\n| --- |\n", 2),
    ],
}


@pytest.mark.parametrize(
    ("name", "text", "count"), [(name, text, count) for name, some in COUNTS.items() for text, count in some]
)
def test_there_are_as_many_slides_as_the_program_shows(name: str, text: str, count: int) -> None:
    assert len(read(text, name).slides) == count


# -- what is on them -------------------------------------------------------------------------------------


def test_lines_that_only_run_are_hidden() -> None:
    text = "```rust +exec\n# fn main() {\nx();\n# }\n```\n\n```python\n/// import os\nx\n# shown\n```\n"
    rust, python = codes(slides(text, "presenterm")[0])
    assert (rust.source, rust.program) == ("x();", "fn main() {\nx();\n}") and rust.run
    assert (python.source, python.program) == ("x\n# shown", "import os\nx\n# shown") and not python.run


@pytest.mark.parametrize(
    ("name", "info", "focus"),
    [
        ("presenterm", "rust {1,3|2-3|all}", [{1, 3}, {2, 3}, set()]),
        ("presenterm", "rust {9}", []),  # a line that is not there
        ("slidev", "ts {2-3|3|all}", [{2, 3}, {3}, set()]),
        ("slidev", "ts {none|1}", [set(), {1}]),
        ("slidev", "ts {6}{startLine:5}", [{2}]),
        ("slidev", "ts {*}{lines:true}", []),
        ("slidev", "ts {monaco}", []),
        ("revealmd", "js [1-2|3|1,3]", [{1, 2}, {3}, {1, 3}]),
        ("revealmd", "js []", []),
        ("revealmd", "js [|2|]", [set(), {2}, set()]),
    ],
)
def test_code_is_focused_line_by_line(name: str, info: str, focus: list[set[int]]) -> None:
    code = codes(slides(f"```{info}\na\nb\nc\n```\n", name)[0])[0]
    assert [set(lines) for lines in code.focus] == focus and code.source == "a\nb\nc"


@pytest.mark.parametrize(
    ("name", "one", "two"),
    [
        ("presenterm", "js {1|2}", "py {1|all}"),
        ("slidev", "js {1|2}", "py {1|all}"),
        ("revealmd", "js [1|2]", "py [1|]"),
    ],
)
def test_code_blocks_are_focused_in_turn(name: str, one: str, two: str) -> None:
    """The second begins where the first has ended."""
    (slide,) = slides(f"```{one}\na\nb\n```\n\nwords\n\n```{two}\na\nb\n```\n", name)
    assert slide.steps == 3
    first, second = codes(slide)
    assert [set(lines) for lines in first.focus] == [{1}, {2}]
    assert [set(lines) for lines in second.focus] == [{1}, {1}, set()]


def test_what_a_pause_parts_has_its_own_turn() -> None:
    code = "```js {1|2}\na\nb\n```\n"
    (slide,) = slides(f"{code}\n<!-- pause -->\n\n{code}", "presenterm")
    assert slide.steps == 4 and [len(block.focus) for block in codes(slide)] == [2, 2]


def test_nothing_of_a_fence_reaches_a_file_or_runs_unasked() -> None:
    for name in FOREIGN:
        if name in ("notebook", "revealhtml"):  # no text of Markdown
            continue
        for info in ("python file=/etc/passwd", "run file=/etc/passwd", "{file=/etc/passwd}", "bash run"):
            lead = "# T\n\n## A\n\n" * (name == "present")  # which has a slide of its title first
            code = codes(slides(f"{lead}```{info}\na\n```\n", name)[-1 if lead else 0])[0]
            assert code.source == "a" and not code.path, (name, info)


def test_columns_may_be_gone_back_to() -> None:
    column = "<!-- column: {} -->\n{}\n"
    text = "<!-- column_layout: [1, 3, 1] -->\n" + "".join(
        column.format(*each) for each in ((1, "a"), (0, "b"), (1, "c"))
    )
    found = slides(text, "presenterm")[0].blocks[0]
    assert [[len(column) for column in getattr(found, "columns", ())], getattr(found, "widths", ())] == [
        [1, 2, 0],
        (1, 3, 1),
    ]


def test_clicks_part_the_notes() -> None:
    click = "<v-click>\n\n{}\n\n</v-click>\n\n"
    text = click.format("a") + click.format("b") + "<!--\nx\n\n[click] y\n\n- [click] z\n-->\n"
    slide = slides(text, "slidev")[0]
    assert slide.steps == 3 and [(n.at, n.markdown) for n in slide.notes] == [(0, "x"), (1, "y"), (2, "z")]


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("<v-click>a</v-click>\n\n<v-after>b</v-after>\n", 2),
        ('<div v-click="[2, 4]">a</div>\n', 5),  # there from the second click to the fourth
        ("<div v-click>a</div>\n\n```js {1|2|3}\na\nb\nc\n```\n", 4),
        ("---\nclicks: 3\n---\n\n```js {1|2|3}\na\nb\nc\n```\n", 4),
        ('<span v-mark.red>x</span> and <span v-mark="{ at: 2 }">y</span>\n', 3),
        ("<v-switch>\n<template #1>a</template>\n<template #2>b</template>\n</v-switch>\n", 3),
        ("$$ {1|2|all}\nx\n$$\n", 3),
    ],
)
def test_a_slide_of_slidev_has_as_many_clicks_as_there(text: str, steps: int) -> None:
    assert slides(text, "slidev")[0].steps == steps


def test_pauses_of_patat_stand_in_lists_as_well() -> None:
    (slide,) = slides("- a\n\n    . . .\n\n    b\n- c\n\n. . .\n\n\\. . .\n", "patat")
    assert slide.steps == 2  # one at the end is none


def test_notes_of_a_whole_slide_are_there_from_its_first_step() -> None:
    for name, text in {
        "marp": "* a\n* b\n\n<!-- say -->\n",
        "revealmd": '- a <!-- .element: class="fragment" -->\n\nNote: say\n',
        "patat": "a\n\n. . .\n\nb\n\n<!-- say -->\n",
    }.items():
        assert [(n.at, n.markdown) for n in slides(text, name)[0].notes] == [(0, "say")], name


@pytest.mark.parametrize(
    ("name", "text", "breaks"),
    [
        ("marp", "a\nb\n\n- c\n  d\n", 2),
        ("marp", "a `b\nc` d\n\n$$\nx \\\\\ny\n$$\n", 0),  # none within code, nor in a formula
        ("patat", "a\nb\n\n> c\n> d\n", 2),
        ("patat", "---\npatat:\n  wrap: true\n---\na\nb\n", 0),
        ("slidev", "a\nb\n", 0),
        ("presenterm", "a\nb\n", 0),
    ],
)
def test_a_line_of_words_is_one_where_the_program_shows_it_so(name: str, text: str, breaks: int) -> None:
    (slide,) = slides(text, name)
    assert sum(part.hard_break for block in blocks(slide.blocks) for part in inlines(block)) == breaks


def test_a_title_of_presenterm_is_the_underlined_one() -> None:
    text = "## Part\n\n---\n\nThe *first*\n---\n\nB\n===\n\n<!-- end_slide -->\nOne\n===\n# Two\n\nC\n===\n"
    assert titles(text, "presenterm") == ["The first", "One"]
    assert titles("# A\n\n<!-- end_slide -->\n# B\n", "presenterm") == ["A", "B"]


def test_slots_stand_where_their_layout_has_them() -> None:
    text = "---\nlayout: top-title-two-cols\n---\n:: title ::\n\n# T\n\n:: left ::\n\na\n\n"
    text += "::right::\n\nb\n\n:: end ::\n\nc\n"
    found = slides(text, "slidev")[0]
    assert [type(block).__name__ for block in found.blocks] == ["Heading", "Columns", "Paragraph"]
    assert found.title == "T"


def test_contents_of_slidev_are_its_titles() -> None:
    text = (
        "---\ntitle: Deck\n---\n# One\n\n<Toc />\n\n---\nhideInToc: true\n---\n# Two\n\n---\n\n## *Sub*\n\n"
    )
    text += '---\n\n<Toc maxDepth="1"/>\n'
    deck = read(text, "slidev")
    assert "- Deck\n  - *Sub*\n" in deck.slides[0].raw + "\n" and "Two" not in deck.slides[0].raw
    assert "- Deck" in deck.slides[3].raw and "Sub" not in deck.slides[3].raw


def test_contents_of_slidev_are_none_where_code_shows_how_they_are_written() -> None:
    text = '# One\n\n```html\n<Toc minDepth="1" />\n```\n\n<Toc />\n'
    found = slides(text, "slidev")[0]
    assert [code.source for code in codes(found)] == ['<Toc minDepth="1" />']
    assert [type(block).__name__ for block in found.blocks] == ["Heading", "Code", "List"]


@pytest.mark.parametrize("layout", ["center", "end", "statement"])
def test_words_that_slidev_centres_are_centred(layout: str) -> None:
    text = f"# A\n\n---\nlayout: {layout}\n---\n\n# More\n\n[Here](https://a.example) and there.\n"
    assert [slide.layout for slide in slides(text, "slidev")] == ["", "title"]
    listed = f"# A\n\n---\nlayout: {layout}\n---\n\n# More\n\n- of it\n"
    assert slides(listed, "slidev")[1].layout == ""


def test_what_only_arranges_a_page_goes_and_its_words_stay() -> None:
    text = '<div class="x">\n  <p>Words</p>\n</div>\n\n<style>\nh1 { }\n</style>\n\n'
    text += '<Tweet id="1" />\n\n<img src="a.png">\n'
    deck = read(text, "marp")
    assert "Words" in deck.source and "kept: <style>" in deck.source and "![](a.png)" in deck.source
    shown = "".join(
        run.text for block in blocks(parse_slide(deck, 0).blocks) for run in getattr(block, "content", ())
    )
    assert "Words" in shown and "/status/1" in shown and "<" not in shown and "h1 {" not in shown


# -- separators of reveal-md -----------------------------------------------------------------------------


# -- any text --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pandoc", '## A\n\nx\n\n## {background-image="ring.png"}\n\n::: {.notes}\nsaid\n:::\n'),
        ("revealmd", '# A\n\n---\n\n<!-- .slide: data-background="ring.png" -->\n\nNote: said\n'),
        (
            "revealhtml",
            '<section>\n<h2>A</h2>\n</section>\n<section data-background-image="ring.png">\n</section>',
        ),
    ],
)
def test_a_picture_behind_a_slide_is_shown_where_there_is_nothing_else(name: str, text: str) -> None:
    assert translate(text, name, Path("deck.md")).text.count("![](ring.png)") == 1
    worded = text.replace('ring.png"}\n', 'ring.png"}\n\nwords\n').replace('" -->\n', '" -->\nwords\n')
    worded = worded.replace('ring.png">\n', 'ring.png">\nwords\n')
    assert worded != text and "![](ring.png)" not in translate(worded, name, Path("deck.md")).text


def test_a_heading_without_words_is_no_line() -> None:
    (slide,) = slides("##\n\nwords\n", "pandoc")
    assert [type(block).__name__ for block in slide.blocks] == ["Paragraph"]


@pytest.mark.parametrize("name", ["deckset", "pandoc", "patat", "remark"])
def test_letters_may_stand_beside_nested_emphasis(name: str) -> None:
    """As pandoc 3 and marked 0.3 draw it, and as acronyms are spelled out in talks."""
    (slide,) = slides("# A\n\nis **_F_**ast, a**_b c_**d `**_x_**y` **_ z_**\n", name)
    parts = [part for block in blocks(slide.blocks) for part in inlines(block)]
    styled = [(part.text, part.style.bold, part.style.italic) for part in parts]
    assert ("F", True, True) in styled and ("b c", True, True) in styled
    assert "**_x_**y" in [part.text for part in parts]


@pytest.mark.parametrize("name", ["slidev", "marp"])
def test_a_formula_may_stand_right_below_words_and_have_blank_lines(name: str) -> None:
    text = "# A\n\nBlock\n$$\n\\begin{array}{c}\n\na & = b \\\\\n\n    c\n\n\\end{array}\n$$\nmore\n\n$$\nx\n"
    found = parse_slide(split(translate(text, name, Path("deck.md")).text, "deck.md"), 0).blocks
    assert [type(block).__name__ for block in found][:4] == ["Heading", "Paragraph", "Math", "Paragraph"]
