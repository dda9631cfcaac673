"""Comark of Slidev: braces behind words say how they look and when they come, and are not shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_decks import slides

from slides.dialects import translate
from slides.export.plain_words import text

HEAD = "---\ntheme: seriph\ncomark: true\n---\n\n"


def shown(written: str, head: str = HEAD) -> str:
    (slide,) = slides(f"{head}# A\n\n{written}\n", "slidev")
    return " ".join(text(slide.blocks).split("\n")[1:])


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ('[Expand the]{.op50} ["Set"]{.text-purple} []{.inline-block.i-gis} now', 'Expand the "Set" now'),
        ("Anna's{.op50.text-2xl}", "Anna's"),
        ('**bold**{style="color: red"} and `code`{#id}', "bold and code"),
        ('[a link](https://example.org){ref="noopener" .big}', "a link"),
        ("says :badge[New thing]{type=x} and :icon{name=i}", "says New thing and"),
        ("says :badge[New thing] here", "says New thing here"),
        ("::card{title=x}\n\nIn the **box**\n\n::", "In the box"),
        # What is none of its: sets, code, formulas, hours, plain brackets.
        ("written \\{.x} so", "written {.x} so"),
        ("a set {1, 2}, f(x){y} and {x}", "a set {1, 2}, f(x){y} and {x}"),
        ("`[a]{.b}` stays", "[a]{.b} stays"),
        ("at 10:30 in [brackets] by a: b", "at 10:30 in [brackets] by a: b"),
        ("$\\sum_{i=1}^{n} i$", "∑ᵢ₌₁ⁿ i"),
    ],
)
def test_braces_behind_words_are_not_shown(written: str, words: str) -> None:
    assert shown(written) == words
    assert shown(written, HEAD.replace("comark", "mdc")) == words


@pytest.mark.parametrize(
    "formula",
    [
        "$$x_{i=1}\n+ y_{j=2} \\frac{v-w}{2}\n$$",
        "$$\nx_{i=1}\n\n+ y_{j=2}$$",
        "$a_{i=1}\nb_{j=2}$",
        "text $$x_{i=1}\n+ y_{j=2}$$",
    ],
)
def test_a_formula_over_several_lines_keeps_its_braces(formula: str) -> None:
    written = f"# A\n\n[a]{{.red}} $5\n\n{formula}\n\n[b]{{.red}} `$$`\n\n[c]{{.red}} $6\n"
    plain = written.replace("]{.red}", "").replace("[", "")
    head = HEAD.replace("comark: true", "comark: false")
    assert slides(HEAD + written, "slidev") == slides(head + plain, "slidev")


def test_without_the_setting_braces_are_words() -> None:
    assert shown("[a]{.b}", HEAD.replace("comark: true", "comark: false")) == "[a]{.b}"


def test_clicks_in_braces_are_steps() -> None:
    deck = f'{HEAD}# A\n\nfirst\n\n![](a.png){{.w-20 v-click=""}}\n\nlast{{v-click}}\n\nwith it{{v-after}}\n'
    (slide,) = slides(deck, "slidev")
    assert slide.steps == 3
    assert [block.at for block in slide.blocks] == [0, 0, 1, 2, 2]


def test_a_component_is_told_of_once() -> None:
    written = f"{HEAD}# A\n\n:arrow{{x1=3}} and :arrow{{x1=4}}\n"
    problems = translate(written, "slidev", Path("talk.md")).problems
    assert [("<arrow>" in problem.message, problem.line) for problem in problems] == [(True, 8)]
