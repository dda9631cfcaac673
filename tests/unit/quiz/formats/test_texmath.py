"""Formulas on their way to Moodle and back: what stands there after its Markdown, and what comes home."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from quiz.formats import registry
from quiz.formats.texmath import for_moodle, from_moodle
from quiz.markup import as_markdown
from quiz.question import Option, Question

TEX = [
    r"\sum_{k=1}^{n} k_1 * a*b",
    r"a_1 + a_2 < b & c",
    r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}",
    r"\#\{x\}",
]


def asked(stem: str) -> Question:
    return Question(
        "q", "single", stem, (Option("$x$", True, "$$y_1$$"), Option("b", False)), markup="markdown"
    )


def seen(text: str) -> str:
    """The text as a browser shows it once Markdown is HTML: by a library that is not ours."""
    return html.unescape(re.sub("<[^>]+>", "", MarkdownIt("commonmark").render(text))).strip()


@pytest.mark.parametrize("tex", TEX)
def test_moodle_sees_the_signs_that_its_filter_looks_for(tex: str) -> None:
    sent = for_moodle(asked(f"Is ${tex}$ more than $${tex}$$ for \\$5, `$x$`?"))
    assert seen(sent.stem) == rf"Is \({tex}\) more than $${tex}$$ for $5, $x$?"
    assert [seen(one.text) for one in sent.options] == [r"\(x\)", "b"]
    assert from_moodle(sent) == asked(f"Is ${tex}$ more than $${tex}$$ for \\$5, `$x$`?")


@given(st.text(st.sampled_from("ab$\\(){}[]_*`<& \n1"), max_size=30).filter(lambda text: "`" not in text))
def test_whatever_stands_in_a_text_nothing_is_raised_and_code_is_kept(text: str) -> None:
    sent = for_moodle(asked(f"{text}\n\n```\n$a$ \\(b\\)\n```"))
    assert sent.stem.endswith("$a$ \\(b\\)\n```")
    from_moodle(sent)


@pytest.mark.parametrize("name", ["gift", "moodle"])
def test_files_of_moodle_hold_no_lone_dollars_and_come_back(name: str) -> None:
    format = next(one for one in registry.FORMATS if one.name == name)
    text, _ = format.write([asked(r"What is $\frac{1}{2}$ and $\nabla f$?")])
    assert not re.search(r"(?<!\$)\$(?!\$)", re.sub(r"<name>.*?</name>", "", text, flags=re.S)), text
    back = format.read(text).questions[0]
    assert (back.stem, [o.text for o in back.options]) == (
        r"What is $\frac{1}{2}$ and $\nabla f$?",
        ["$x$", "b"],
    )


def test_aiken_has_the_signs_as_they_are() -> None:
    format = next(one for one in registry.FORMATS if one.name == "aiken")
    text, _ = format.write([asked(r"What is $x_1$?")])
    assert text.startswith("What is \\(x_1\\)?\nA. \\(x\\)\n")


@pytest.mark.parametrize("markup", ["html", "moodle", "plain"])
def test_formulas_of_other_texts_become_ours(markup: str) -> None:
    around = "<b>a</b> " if markup == "html" else "a_b "
    made = as_markdown(around + r"\(x_1\) and \[y_2\] and $$z_3$$", markup)  # type: ignore[arg-type]
    assert made.endswith("$x_1$ and $$y_2$$ and $$z_3$$"), made
