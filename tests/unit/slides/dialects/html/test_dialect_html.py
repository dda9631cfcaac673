"""HTML in decks that were written for a browser: what is seen of it, and what is laid out side by side."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from counted_steps import steps

from slides.deck import Columns, List, Paragraph, Slide, Table
from slides.dialects import detect, translate
from slides.dialects.html import markup
from slides.dialects.source import Source
from slides.dialects.translation import Draft, Text
from slides.drawing.superscripts import in_words
from slides.drawing.text import Style
from slides.reading.from_disk.source import normalise
from slides.reading.parse import parse_blocks, parse_slide
from slides.reading.split import split
from slides.reading_order import blocks, inlines

BROWSERS = ("marp", "slidev", "revealmd")


def slide(text: str, name: str) -> Slide:
    return parse_slide(
        split(translate(normalise(text), name, Path("deck.md")).text, "deck.md"), 0, trusted=False
    )


def words(found: Slide) -> str:
    return "\n".join(
        "".join("\n" if part.hard_break else part.text for part in inlines(block))
        for block in blocks(found.blocks)
    )


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ('a <span style="color:red">red</span> word', "a red word"),
        ('see <a href="https://x.org" target="_blank">there</a>', "see there"),
        ("<code>x</code> and <kbd>c</kbd>", "x and c"),
        ("H<sub>2</sub>O <small>s</small> <mark>m</mark> <font color=red>f</font>", "H₂O s m f"),
        ("a <q>word</q>", "a “word”"),
        ("a <Unknown x='1' /> b", "a  b"),
        ("a Vec<T> b", "a Vec<T> b"),  # what nothing ends stays to be seen
    ],
)
def test_tags_within_a_line_are_read_as_what_they_are(written: str, seen: str) -> None:
    (block,) = parse_blocks(written)
    assert "".join(part.text for part in in_words(tuple(inlines(block)))) == seen


def test_a_link_of_html_is_a_link() -> None:
    (block,) = parse_blocks('<a class="x" href="https://x.org">a</a> [b](https://y.org) <a name="z">c</a>')
    assert [part.href for part in inlines(block) if part.text.strip() in ("a", "b", "c")] == [
        "https://x.org",
        "https://y.org",
        "",
    ]


def test_an_alert_of_github_begins_with_its_name() -> None:
    for written, seen in [
        ("> [!NOTE]\n> words", "Note|words"),
        ("> [!warning] words **b**\n>\n> more", "Warning|words b|more"),
        ("> [!TIP]  \n> words", "Tip|words"),
        ("> [!NOTE]", "Note|"),
        ("> [!OTHER] words", "[!OTHER] words|"),
    ]:
        (quote,) = parse_blocks(written)
        shown = [
            "".join("|" if part.hard_break else part.text for part in inlines(b)) for b in blocks((quote,))
        ]
        assert "|".join(filter(None, shown)).rstrip("|") == seen.rstrip("|")


@pytest.mark.parametrize(("name", "ink"), [("TIP", "good"), ("Warning", "warning"), ("caution", "bad")])
def test_the_name_of_an_alert_has_the_ink_of_what_it_means(name: str, ink: str) -> None:
    (quote,) = parse_blocks(f"> [!{name}]\n> words")
    label, *rest = [part for block in blocks((quote,)) for part in inlines(block)]
    assert label.style == Style(ink, bold=True) and {part.style for part in rest} == {Style()}


def test_a_footnote_is_not_lost() -> None:
    found = parse_blocks("words[^1] and [a]\n\n[^1]: here\n\n[a]: https://x.org\n")
    shown = ["".join(part.text for part in inlines(block)) for block in found]
    assert shown == ["words¹ and a", "¹ here"]


def test_words_of_marp_on_a_picture_are_no_words() -> None:
    deck = split(
        translate("![w:200 center](a.png) ![#c h:9](b.png)\n", "marp", Path("deck.md")).text, "deck.md"
    )
    assert "![](a.png)" in deck.source and "![](b.png)" in deck.source


@pytest.mark.parametrize("name", BROWSERS)
@pytest.mark.parametrize(
    ("opens", "widths"),
    [
        ('<div class="columns">', (1, 1)),
        ('<div class="two-columns">', (1, 1)),
        ("<div grid='~ cols-2 gap-4'>", (1, 1)),
        ('<div class="grid grid-cols-[2fr_1fr]">', (20, 10)),
        ('<div style="display: flex">', (1, 1)),
    ],
)
def test_boxes_side_by_side_are_columns(name: str, opens: str, widths: tuple[int, ...]) -> None:
    found = slide(
        f"# A\n\n{opens}\n<div>\n\n## Left\n\n</div>\n\n  <div>right</div>\n</div>\n\nbelow\n", name
    )
    (columns,) = [block for block in found.blocks if isinstance(block, Columns)]
    assert columns.widths == widths
    assert "Left" in words(found) and "right" in words(found) and "below" in words(found)
    assert isinstance(found.blocks[-1], Paragraph)


@pytest.mark.parametrize("name", BROWSERS)
@pytest.mark.parametrize(
    "text",
    [
        '<div class="flex flex-col">\n<div>a</div>\n<div>b</div>\n</div>\n',
        '<div class="lead">\n<div>a</div>\n<div>b</div>\n</div>\n',
        '<div class="columns">\n\n- a\n- b\n\n</div>\n',  # by the browser, wherever it likes
        '<div class="columns">\n<div>a</div>\n',
    ],
)
def test_other_boxes_are_none(name: str, text: str) -> None:
    found = slide(text, name)
    assert not any(isinstance(block, Columns) for block in found.blocks) and "a" in words(found)


@pytest.mark.parametrize("opens", ['class="grid grid-cols-2"', 'class="columns" style="--cols: 2;"'])
def test_a_row_has_as_many_columns_as_is_said(opens: str) -> None:
    cards = "".join(f"<div>{n}</div>\n" for n in range(4))
    found = slide(f"<div {opens}>\n{cards}</div>\n", "slidev")
    assert [len(block.columns) for block in found.blocks if isinstance(block, Columns)] == [2, 2]


def test_blocks_of_markdown_are_columns_of_a_grid() -> None:
    table = "| a |\n|---|\n| 1 |\n\n"
    found = slide(f'<div class="grid grid-cols-2 gap-4">\n\n{table}{table}</div>\n', "slidev")
    assert [len(block.columns) for block in found.blocks if isinstance(block, Columns)] == [2]
    found = slide(f'<div class="grid grid-cols-2">\n\n{table}{table}one too many\n\n</div>\n', "slidev")
    assert not [block for block in found.blocks if isinstance(block, Columns)]


def test_columns_stay_on_their_slide() -> None:
    text = '<div class="columns">\n<div>\n\na\n\n---\n\n</div>\n<div>b</div>\n</div>\n'
    deck = split(translate(text, "marp", Path("deck.md")).text, "deck.md")
    assert len(deck.slides) == 2 and not deck.problems
    assert not any(isinstance(b, Columns) for h in deck.slides for b in parse_slide(deck, h.index).blocks)


@pytest.mark.parametrize("name", BROWSERS)
def test_tables_and_lists_of_html_are_drawn(name: str) -> None:
    text = "<table>\n<tr><th>A</th><th>B|C</th></tr>\n<tr>\n<td>one\n1</td><td>two</td>\n</tr></table>\n\n"
    text += "<ul><li>x <b>y</b></li><li>z</li></ul>\n"
    table, items = slide(text, name).blocks
    assert isinstance(table, Table) and isinstance(items, List) and len(items.items) == 2
    assert "".join(part.text for part in inlines(table)) == "AB|Cone 1two"


@pytest.mark.parametrize("name", BROWSERS)
def test_what_stands_on_lines_of_its_own_does_so_in_a_cell(name: str) -> None:
    text = "<table>\n<tr><td>the<br>list</td><td>\n<ul>\n<li>one</li>\n"
    text += "<li><p>two</p><ol start=3><li>in it</ol></li>\n</ul></td></tr>\n"
    text += "<tr><td><p>a</p><p>b</p></td><td><div>c</div> d</td></tr>\n</table>\n"
    (table,) = slide(text, name).blocks
    assert isinstance(table, Table)
    cells = ["".join(part.text or "/" for part in cell) for row in table.rows for cell in row]
    assert cells == ["the/list", "• one/• two/3. in it", "a/b", "c/d"]


@pytest.mark.parametrize("name", BROWSERS)
def test_code_right_below_a_tag_keeps_its_margin(name: str) -> None:
    """A fence shown in a fence by four blanks ended it, and all tags below were words."""
    code = "```markdown\n    ```{note}\n    `x`\n    ```\n```\n"
    found = slide(f'<div>\n<div>\n{code}</div>\n  <div>\n<img src="a.png">\n</div>\n</div>\n\nend\n', name)
    assert [type(block).__name__ for block in found.blocks] == ["Code", "Image", "Paragraph"]
    assert words(found).split() == ["end"]


@pytest.mark.parametrize("name", BROWSERS)
def test_words_in_the_signs_of_a_tag_are_words(name: str) -> None:
    text = '<div>\n\nSee <pxtoem.com>, <Jetson IPアドレス> <b title="é">bold</b> <i alt=図>i</i>\n\n</div>\n'
    shown = words(slide(text, name))
    assert "<pxtoem.com>" in shown and "<Jetson IPアドレス>" in shown and "bold i" in shown


@pytest.mark.parametrize("name", BROWSERS)
def test_what_has_no_words_is_not_seen(name: str) -> None:
    text = '<svg>\n<rect/>\n</svg>\n\n<br>\n\n<a href="x">\n<img src="a.png">\n</a>\n\nend\n'
    shown = words(slide(text, name))
    assert "rect" not in shown and "<" not in shown and shown.endswith("end")


@pytest.mark.parametrize("name", BROWSERS)
def test_a_picture_on_a_line_of_its_own_stands_alone(name: str) -> None:
    found = slide('<div>\n  <img src="a.png" alt="b">\n  <div>words</div>\n</div>\n', name)
    assert [type(block).__name__ for block in found.blocks] == ["Image", "Paragraph"]


def test_what_vue_leaves_alone_stays() -> None:
    shown = words(slide("a {{ 1 + 2 }} b\n\n<p v-pre>c {{ 3 + 4 }}</p>\n\n`{{ 5 }}`\n", "slidev"))
    assert "1 + 2" not in shown and "c {{ 3 + 4 }}" in shown and "{{ 5 }}" in shown


def test_what_vue_binds_and_icons() -> None:
    found = slide(
        "# <mdi-map /> A <carbon:edit class='x'/>\n\n<img :src=\"'/a.png'\" alt=\"c\" />\n", "slidev"
    )
    assert found.title == "A" and "<" not in words(found)
    assert found.blocks[1:] and getattr(found.blocks[1], "path", "") == "public/a.png"


def test_templates_of_slots_are_slots() -> None:
    text = "<template v-slot:title>\n\n# T\n</template>\n\n<template #left>\n\na\n</template>\n"
    text += "<template v-slot:right>\n\nb\n</template>\n"
    found = slide(text, "slidev")
    assert [type(block).__name__ for block in found.blocks] == ["Heading", "Columns"]
    kept = slide("<v-switch>\n<template #1>a</template>\n<template #2>b</template>\n</v-switch>\n", "slidev")
    assert kept.steps == 3 and "<" not in words(kept)


def test_settings_with_marks_of_comments_are_no_problem() -> None:
    text = "---\nseparator: <!--s-->\n---\n# A\n\n<!--s-->\n\n# B\n\nNote: say\n"
    deck = split(translate(text, "revealmd", Path("deck.md")).text, "deck.md")
    assert len(deck.slides) == 2 and not deck.problems and parse_slide(deck, 1).notes


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("<table>\n<tr v-click><td>a</td></tr>\n<tr v-click><td>b</td></tr>\n</table>\n", 3),
        ("<table>\n  <tr>\n      <td>a</td>\n      <td v-click>b</td>\n  </tr>\n</table>\n", 2),
        ("<ul><li v-click>a</li><li v-click>b</li></ul>\n", 3),
        ('<div class="columns">\n<div v-click>a</div>\n<div v-click>b</div>\n</div>\n', 3),
    ],
)
def test_steps_in_them_are_counted(text: str, steps: int) -> None:
    assert slide(text, "slidev").steps == steps


def test_a_title_has_no_markup() -> None:
    for written, title in [
        ("# <!-- fit --> Two<br>things", "Two things"),
        ('# A <span style="x">red</span> one', "A red one"),
        ("# The `<b>` tag", "The <b> tag"),
        ("# R&amp;D", "R&D"),
    ]:
        deck = split(translate(f"{written}\n", "marp", Path("deck.md")).text, "deck.md")
        assert deck.slides[0].title == title


def told(text: str, name: str) -> list[tuple[int, str]]:
    found = translate(normalise(text), name, Path("deck.md")).problems
    return [(problem.line, problem.message) for problem in found]


@pytest.mark.parametrize("name", BROWSERS)
def test_what_is_in_a_comment_stays_in_it(name: str) -> None:
    text = "# A\n\n<!-- draft\n<v-clicks>\n\n- not yet\n\n<Card title='x'>\nsecret\n</Card>\n"
    text += "</v-clicks>\n-->\n\nseen\n"
    found = slide(text, name)
    assert [block for block in words(found).split("\n") if block] == ["A", "seen"]
    assert not told(text, name)


@pytest.mark.parametrize("name", BROWSERS)
@pytest.mark.parametrize(
    "tag",
    [
        'div class="[&>*]:mt-2 a"',
        "div :class=\"a > 3 ? 'x' : 'y'\"",
        "div title='<b>' v-if='a < b'",
        'div\n  class="x"\n  :style="{ a: b > c }"\n',
        'Card :items="[1, 2].filter((n) => n > 1)"',
    ],
)
def test_a_tag_ends_behind_its_quotes(name: str, tag: str) -> None:
    opens = tag.split()[0]
    assert words(slide(f"<{tag}>\n\nwords\n\n</{opens}>\n", name)).strip() == "words"
    assert words(slide(f"before <{tag}>words</{opens}>\n", name)).split() == ["before", "words"]


@pytest.mark.parametrize("name", BROWSERS)
def test_a_component_nobody_knows_leaves_its_words_and_is_told_once(name: str) -> None:
    text = '# A\n\n<Fancy\n  color="red"\n>\n    one **two**\n</Fancy>\n\na <Fancy>b</Fancy> <x-y/> c\n'
    text += "\n<carbon:map/>\n"
    text += "\n`<Kept>` and \\<Escaped>\n\n```\n<Code>\n```\n\nd <https://x.org> <a@x.org> e < f\n"
    assert "Fancy" not in words(slide(text, name)) and "one two" in words(slide(text, name))
    shown = words(slide(text, name))
    assert "<Kept>" in shown and "<Escaped>" in shown and "e < f" in shown and "a@x.org" in shown
    assert [(line, message.split()[0]) for line, message in told(text, name)] == [
        (3, "`<Fancy>`"),
        (9, "`<x-y>`"),
    ]


@pytest.mark.parametrize("name", BROWSERS)
@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ('<div class="flex gap-2"><div>Video</div><div>PB</div> <Box>Audio</Box></div>\n', "Video PB Audio"),
        ("<div>Video</div>\n<div>PB</div>\n", "Video PB"),
        ("<p>Video</p><p>PB</p>\n", "Video PB"),
        ("<Box>Video</Box><Box>PB</Box>\n", "Video PB"),
        ("<button>Video</button><button>PB</button>\n", "Video PB"),
        ("<b>Vid</b>eo <span>P</span>B\n", "Video PB"),
        ("<div><h3>Title</h3><p>text</p></div>\n", "Title text"),
        ("<ol>\n<li>\n  one\n</li>\n<li>two</li>\n</ol>\n", "one two"),
    ],
)
def test_boxes_are_not_glued_to_each_other(name: str, text: str, seen: str) -> None:
    found = slide(text, name)
    shown = " ".join(
        "".join("\n" if part.hard_break else part.text for part in inlines(block))
        for block in blocks(found.blocks)
    )
    assert shown.split() == seen.split()


def test_a_number_that_vue_computes_is_not_shown_as_its_source() -> None:
    text = "# A\n\npage {{ $slidev.nav.currentPage }} of {{ 'ten' }} and `{{ code }}`\n\n```\n{{ x }}\n```\n"
    shown = words(slide(text, "slidev"))
    assert "page  of ten and {{ code }}" in shown


@pytest.mark.parametrize("name", BROWSERS)
def test_a_film_or_a_page_is_its_address(name: str) -> None:
    found = slide(
        '<iframe src="https://x.org/a"></iframe>\n\n<video controls><source src="/b.mp4"></video>\n', name
    )
    assert "https://x.org/a" in words(found) and "b.mp4" in words(found) and "<" not in words(found)


@pytest.mark.parametrize(
    "unit",
    [
        '<a "',
        "<a '",
        "<b ",
        "<",
        "</",
        '<a b="<',
        "`<a>`",
        "<!--",
        "<p>",
        "</p>",
        "<script>",
        "\\<",
        "<li>",
        "{{ ",
    ],
)
def test_tags_without_end_are_read_in_time_linear_in_them(unit: str) -> None:
    def taken(count: int) -> int:
        draft = Draft(Text([unit * count, "words"], [1, 2]))
        return steps(lambda: markup.unwrap(draft, Source(Path("deck.md"))), of="line")

    assert taken(600) < 2.6 * taken(300) + 2000


@pytest.mark.parametrize("name", BROWSERS)
def test_a_table_as_deep_as_its_box_is_a_table(name: str) -> None:
    rows = "    | a | b |\n    |---|---|\n    | 1 | 2 |\n"
    found = slide(f"# A\n\n<div>\n\n{rows}\nwords\n\n    code | here\n\n</div>\n", name)
    assert [type(block).__name__ for block in found.blocks] == ["Heading", "Table", "Paragraph", "Code"]


def test_what_comes_step_by_step_in_pre_is_code_below_a_pause() -> None:
    text = '# A\n\n<pre class="fragment">\none\n\ntwo <b>x</b>\n</pre>\n'
    found = slide(text, "revealmd")
    assert found.steps == 2 and "pause" not in words(found)
    assert [getattr(block, "source", "") for block in found.blocks] == ["", "one\n\ntwo x"]


def test_a_rule_right_under_code_ends_a_slide() -> None:
    text = "# A\n\n```go\nx\n```\n---\n# B\n"
    assert detect(text) == "slides"
    deck = split(translate(text, "slides", Path("deck.md")).text, "deck.md")
    assert [head.title for head in deck.slides] == ["A", "B"]


def test_a_fence_of_many_signs_is_looked_at_once() -> None:
    """Each sign of it could be one of the fence or of what is behind: the square of its length."""
    once = time.process_time()
    slide("~" * 100_000 + "\nq\n", "slidev")
    assert time.process_time() - once < 5  # 20 s before


def test_what_vue_binds_in_a_title_of_html_is_no_formula() -> None:
    text = "<h1>\nA <b :class=\"$n >= 1 ? 'x' : '$y'\">good</b> tool\n</h1>\n"
    assert "# A <b>good</b> tool\n" in translate(text, "slidev", Path("talk.md")).text
