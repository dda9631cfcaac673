"""Formulas among the choices of a gap, and in what is told of them, on their way to Moodle and back."""

from __future__ import annotations

import html
import re

import pytest
from made_moodle import one

from quiz.formats import registry
from quiz.formats.moodle import reader, writer
from quiz.markup import rewritten
from quiz.question import Accepted, Gap, Question

HALF = r"$\frac{1}{2}$"


def gapped(*offered: str, explain: str = "", many: bool = False) -> Question:
    accepted = tuple(Accepted(text, 1.0 if n == 0 else 0.0, explain) for n, text in enumerate(offered))
    return Question("q", "cloze", "It is {{1}}.", gaps=(Gap(accepted, offered, many=many),))


def as_moodle(question: Question) -> list[tuple[str, str]]:
    """(answer, feedback) of each alternative, by the patterns and replacements of Moodle 5's
    `question/type/multianswer/questiontype.php`, told here in Python."""
    text = html.unescape(re.findall(r"<text>(.*?)</text>", writer.write([question])[0], re.S)[1])
    answer = r".+?(?<!\\)(?<!&)(?<!&amp;)(?=[~#}]|$)"
    fraction, feedback = r"=|%(-?[0-9]+(?:[.,][0-9]*)?)%", r".*?(?<!\\)(?=[~}]|$)"
    one = rf"({fraction})?({answer})(?:#({feedback}))?"
    body = re.search(rf"\{{1:[A-Z_]+:(~?{one}(?:~{one})*)\}}", text, re.S)
    assert body, text
    found, rest = [], body[1]
    while match := re.match(rf"~?{one}", rest, re.S):
        said = [
            html.unescape(part or "").replace(r"\}", "}").replace(r"\#", "#") for part in match.group(3, 4)
        ]
        found.append((said[0], said[1]))
        rest = rest[match.end() :]
    return found


def test_moodle_gets_the_formula_in_the_signs_of_its_filter() -> None:
    question = gapped(HALF, "$a < b$", "C#~{}&lt; \\ x^2^ &", explain=r"since $\{n\}$")
    why = r"since \(\{n\}\)"
    assert as_moodle(question) == [
        (r"\(\frac{1}{2}\)", why),
        (r"\(a &lt; b\)", why),
        (r"C#~{}&amp;lt; \ x<sup>2</sup> &amp;", why),
    ]
    (back,) = reader.read(writer.write([question])[0]).questions
    assert back.gaps == question.gaps


def test_a_menu_sets_no_formulas() -> None:
    assert "1:MULTICHOICE_H:" in writer.write([gapped(HALF, "3")])[0]
    assert "1:MULTICHOICE:" in writer.write([gapped("a < b", "3")])[0]


@pytest.mark.parametrize("name", ["moodle", "markdown", "gift"])
def test_choices_of_a_page_are_its_words(name: str) -> None:
    asked = one("cloze", "", r"<p>It is {1:MCH:=\(x_1\)#<b>yes</b>~<i>y</i> &amp;lt; 2}.</p>")
    (gap,) = rewritten(asked, "markdown").gaps
    assert gap.offered == ("$x_1$", "*y* < 2") and gap.accepted[0].explain == "**yes**"
    format = next(one for one in registry.FORMATS if one.name == name)
    assert format.write([asked])[0]
