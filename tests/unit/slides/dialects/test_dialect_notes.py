"""What a teacher says, in each program's own way of writing it: it is a note, and nothing of a slide."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from counted_steps import steps
from made_decks import slides, words

from slides.audience_deck import audience_deck
from slides.deck import Code
from slides.dialects import detect, translate
from slides.reading.from_disk.source import normalise
from slides.reading.parse import parse_slide
from slides.reading.split import load, split
from slides.reading_order import blocks, inlines

DECKS = {
    "deckset": "# A\n\nseen\n\n^ secret\n\n---\n\n# B\n\n^secret\n- of two lines\n\n[.build-lists: true]\n",
    "revealhtml": '<section>\n<h2>A</h2>\n<p>seen</p>\n<aside class="notes">secret</aside>\n</section>\n'
    "<section data-markdown>\n# B\n\nNote: secret too\n</section>\n",
    "remark": "class: center\n# A\n\nseen\n\n???\nsecret\n--\n\nmore\n---\n# B\n\n???\nsecret too\n",
    "pandoc": "# A\n\nseen\n\n::: {.notes}\nsecret\n:::\n\n# B\n\n::: notes\nsecret too\n\n- list\n:::\n",
    "obsidian": "# A\n\nseen\n\nnote: secret\n\n---\n\n# B\n\n--\n\n# C\n\nnotes:\nsecret too\n",
    "notebook": '{"cells": [{"cell_type": "markdown", "metadata": {"slideshow": {"slide_type": "slide"}},'
    ' "source": "# A\\n\\nseen"}, {"cell_type": "markdown", "metadata": {"slideshow":'
    ' {"slide_type": "notes"}}, "source": ["secret\\n", "too"]}], "nbformat": 4}',
}


@pytest.mark.parametrize("name", DECKS)
def test_a_note_is_never_on_the_slide(name: str) -> None:
    found = slides(DECKS[name], name)
    assert "seen" in words(found) and "secret" not in words(found)
    assert "secret" in "".join(note.markdown for slide in found for note in slide.notes)
    deck = split(translate(normalise(DECKS[name]), name, Path("deck.md")).text, "deck.md")
    assert "secret" not in audience_deck(deck).source


@pytest.mark.parametrize("name", DECKS)
def test_such_a_deck_is_recognised(name: str) -> None:
    assert detect(normalise(DECKS[name])) == name


MIXED = {
    "% Talk\n% Ada\n\n# A\n\nseen\n\n::: notes\nsecret\n:::\n": "pandoc",
    "---\ntheme: white\nslideNumber: true\n---\n\n## A\n\nseen\n\n::: {.notes}\nsecret\n:::\n": "pandoc",
    "## A\n\n::: columns\n:::: column\nseen\n::::\n:::\n\n::: notes\nsecret\n:::\n": "pandoc",
    "---\ntheme: black\n---\n\n## A\n\nseen ![[pic.png]]\n\nnote: secret\n\n--\n\n## B\n\n---\n\n"
    '<!-- .slide: bg="red" -->\n\nmore\n': "obsidian",
    "<!-- .slide: a -->\n\nseen\n\nnote: secret\n\n--\n\n## B\n\n---\n\n<!-- .slide: b -->\n\n<split even>\n"
    "\nx\n\n</split>\n": "obsidian",
}


@pytest.mark.parametrize("text", MIXED)
def test_a_deck_with_marks_of_two_programs_shows_no_note(text: str) -> None:
    name = detect(normalise(text))
    assert name == MIXED[text]
    found = slides(text, name)
    assert "seen" in words(found) and "secret" not in words(found)
    if name == "obsidian":
        assert len(found) == 3 and "B" in words(found)


HIDDEN = {
    '# A\n---\n\n<!-- slide data-visibility="hidden" -->\n\nsecret\n\n---\n::: block\nseen\n:::': "obsidian",
    '# A\n\nseen\n\n---\n\n<!-- .slide: data-visibility="hidden" -->\n\n# secret\n': "obsidian",
    '## A\n\nseen\n\n## secret {.x visibility="hidden"}\n\nsecret\n': "pandoc",
    '## A\n\nseen\n\n::: {.content-visible when-format="pdf"}\nsecret\n:::\n': "pandoc",
    '## A\n\nseen\n\n::: {.content-visible unless-format="revealjs"}\nsecret\n:::\n': "pandoc",
    '## A\n\n::: {.content-hidden unless-format="html"}\nseen\n:::\n': "pandoc",
    '## A\n\n::: {.content-hidden when-format="docx"}\nseen\n:::\n': "pandoc",
}


@pytest.mark.parametrize("text", HIDDEN)
def test_what_their_program_hides_is_not_shown(text: str) -> None:
    found = words(slides(text, HIDDEN[text]))
    assert "seen" in found and "secret" not in found and ":::" not in found


@pytest.mark.parametrize("suffix", [".qmd", ".Rmd"])
def test_a_file_without_marks_tells_by_its_name(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"talk{suffix}"
    path.write_text("---\ntitle: T\n---\n\n## A\n\nx\n\n## B\n\ny\n")
    deck = load(path)
    assert deck.format == "pandoc" and len(deck.slides) == 3


def test_a_layout_of_remark_stands_on_the_slides_below_it() -> None:
    text = (
        "layout: true\nabove\n{{content}}\nbelow\n---\n# A\n---\nlayout: false\n# B\n---\ntemplate: t\n# C\n"
    )
    shown = [words([slide]).split() for slide in slides(text, "remark")]
    assert shown == [["above", "A", "below"], ["B"], ["C"]]


def test_steps_of_remark_are_steps() -> None:
    (slide,) = slides("# A\n\n- a\n--\nclass: x\nname: y\n\n- b\n\n--\n.left[c]\n", "remark")
    assert slide.steps == 3 and words([slide]).split() == ["A", "a", "b", "c"]


def test_a_notebook_that_is_broken_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text('{"cells": [\n {"cell_type": "markdown",\n')
    deck = load(path)
    assert [(problem.line, "not JSON" in problem.message) for problem in deck.problems] == [(3, True)]


@pytest.mark.parametrize("name", ["remark", "pandoc", "obsidian", "mdp", "notebook"])
@pytest.mark.parametrize(
    "unit", [".a[", "]", "::: a\n", ":::\n", "--\n", "---\n", "???\n", "{{", "[", "a: b\n", "%%"]
)
def test_the_new_readers_take_time_linear_in_the_text(name: str, unit: str) -> None:
    def taken(count: int) -> int:
        return steps(lambda: translate(unit * count, name, Path("deck.md")), of="line")

    taken(400)  # what is imported and compiled for the first time is no part of what a text takes
    assert taken(400) < 2.8 * taken(200) + 4000


def test_nothing_of_a_notebook_runs_or_asks_for_a_file() -> None:
    source = (
        "```bash run\\nls\\n```\\n\\n::: demo ddp\\n\\n```python file=/etc/passwd\\na\\n```\\n\\n---\\n\\nend"
    )
    cell = f'{{"cell_type": "markdown", "metadata": {{}}, "source": "{source}"}}'
    text = f'{{"cells": [{cell}], "nbformat": 4}}'
    (found,) = slides(text, "notebook")
    kinds = [type(block).__name__ for block in found.blocks]
    assert kinds == ["Code", "Paragraph", "Code", "Rule", "Paragraph"]
    assert not any(getattr(block, "run", False) or getattr(block, "path", "") for block in found.blocks)


def test_cells_of_slides_hide_their_code_unless_they_or_the_deck_show_it() -> None:
    cells = "## A\n\n```{python}\nsecret()\n```\n\n```{r}\n#| echo: true\nseen()\n```\n"
    hidden = repr(slides(f"---\nformat: revealjs\n---\n\n{cells}", "pandoc"))
    assert "seen" in hidden and "secret" not in hidden
    for said in ("execute:\n  echo: true\n", "knitr:\n  opts_chunk:\n    echo: true\n"):
        assert "secret()" in repr(slides(f"---\nformat: revealjs\n{said}---\n\n{cells}", "pandoc"))
    assert "secret()" in repr(slides(f"---\noutput: ioslides_presentation\n---\n\n{cells}", "pandoc"))


def test_dashes_and_dots_stand_as_pandoc_sets_them() -> None:
    text = "## A\n\nOne---two, 3--4 ... `--x` and\n\n```\na -- b\n```\n\na | b\n--|--\n1 | 2\n"
    shown = repr(slides(f"---\nformat: revealjs\n---\n\n{text}", "pandoc"))
    assert "One—two, 3–4 …" in shown and "--x" in shown and "a -- b" in shown


def test_a_page_of_remark_is_read_as_its_deck() -> None:
    page = (
        '<!doctype html>\n<html><body>\n<textarea id="source">\nclass: center\n\n# A &lt; B\n\n'
        "???\nsaid\n\n---\n\n"
        "# C\n</textarea>\n<script>remark.create()</script></body></html>\n"
    )
    found = translate(page, "revealhtml", Path("deck.html"))
    deck = split(found.text, "deck.html")
    assert [head.title for head in deck.slides] == ["A < B", "C"]
    assert [note.markdown for note in parse_slide(deck, 0).notes] == ["said"]


@pytest.mark.parametrize("before", ["", "\n", " \n\t\n"])
def test_hugos_shortcodes_of_notes_and_steps(before: str) -> None:
    text = (
        f'{before}+++\ntitle = "T"\noutputs = ["Reveal"]\n+++\n\n# A\n\n'
        "{{% fragment %}}seen{{% /fragment %}}\n\n"
        "{{% note %}}\nsecret\n{{% /note %}}\n\n---\n\n# B\n"
    )
    assert detect(text) == "revealmd"
    first, second = slides(text, "revealmd")
    assert (first.title, second.title, first.steps) == ("A", "B", 2)
    assert [note.markdown for note in first.notes] == ["secret"]
    assert not any("secret" in part.text for block in blocks(first.blocks) for part in inlines(block))


@pytest.mark.parametrize("name", ["pandoc", "slidev", "marp", "revealmd", "obsidian"])
@pytest.mark.parametrize("tag", ["aside", "div"])
def test_notes_in_html_are_notes_in_every_program(name: str, tag: str) -> None:
    text = f'# A\n\nseen\n\n<{tag} class="notes">\n    secret one\n    and two\n</{tag}>\n\nmore\n'
    (slide,) = slides(text, name)
    assert "".join(note.markdown for note in slide.notes).split() == ["secret", "one", "and", "two"]
    assert not any("secret" in part.text for block in blocks(slide.blocks) for part in inlines(block))


def test_a_price_in_an_attribute_begins_no_formula() -> None:
    said = '<span v-if="$clicks >= 2">one <b>2</b></span> <span v-if="$clicks == 2">x</span>'
    text = f"# A\n\n<div>\n{said}\n</div>\n"
    (slide,) = slides(text, "slidev")
    assert "clicks" not in "".join(part.text for block in blocks(slide.blocks) for part in inlines(block))


@pytest.mark.parametrize("written", ["^ secret\nof two lines ^", "^secret x^2^\n^ of two lines"])
def test_a_note_of_deckset_may_end_as_it_began(written: str) -> None:
    (slide,) = slides(f"slidenumbers: true\n\n# A\n\n{written}\n\nseen\n", "deckset")
    said = "\n".join(note.markdown for note in slide.notes)
    assert "secret" in said and not said.endswith("lines ^") and said.count("^") in (0, 2)
    assert "secret" not in words([slide]) and "seen" in words([slide])


def test_a_notebook_of_before_2015_has_its_sheets(tmp_path: Path) -> None:
    """As `nbformat.convert(notebook, 3)` writes it; it opened as one empty slide."""
    slide = {"slideshow": {"slide_type": "slide"}}
    cells = [
        {"cell_type": "heading", "level": 2, "source": ["First"], "metadata": slide},
        {"cell_type": "code", "input": ["1 + 1"], "language": "python", "metadata": {},
         "outputs": [{"output_type": "pyout", "text": ["2"]}]},
        {"cell_type": "markdown", "source": "Next\n===\n", "metadata": slide},
        {"cell_type": "code", "input": "1 / 0", "metadata": {},
         "outputs": [{"output_type": "pyerr", "ename": "ZeroDivisionError", "evalue": "division by zero"}]},
    ]  # fmt: skip
    text = json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}], "metadata": {}}, indent=1)
    (tmp_path / "a.ipynb").write_text(text)
    deck = load(tmp_path / "a.ipynb")
    assert [head.title for head in deck.slides] == ["First", "Next"]
    sources = [
        block.source
        for head in deck.slides
        for block in blocks(parse_slide(deck, head.index).blocks)
        if isinstance(block, Code)
    ]
    assert sources == ["1 + 1", "2", "1 / 0", "ZeroDivisionError: division by zero"]


def test_what_a_notebook_drew_is_told_and_what_it_set_is_set(tmp_path: Path) -> None:
    outputs = [
        {
            "output_type": "display_data",
            "data": {"image/png": "iVBOR", "text/plain": "<Figure size 640x480>"},
        },
        {"output_type": "execute_result", "data": {"text/latex": "$\\frac{1}{2}$", "text/plain": "1/2"}},
        {
            "output_type": "display_data",
            "data": {"text/markdown": ["**so**"], "text/plain": "<Markdown object>"},
        },
    ]
    cell = {"cell_type": "code", "source": "show()", "metadata": {}, "outputs": outputs}
    (tmp_path / "a.ipynb").write_text(json.dumps({"nbformat": 4, "cells": [cell, cell], "metadata": {}}))
    deck = load(tmp_path / "a.ipynb")
    assert [problem.message for problem in deck.problems] == [
        "a picture that the notebook holds is not shown"
    ]
    assert "$\\frac{1}{2}$" in deck.source and "**so**" in deck.source
    assert "Figure" not in deck.source and "object" not in deck.source
