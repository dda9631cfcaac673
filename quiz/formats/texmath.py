r"""Formulas between our Markdown (`$…$`, `$$…$$`) and Moodle, whose MathJax filter looks for `\(…\)`, `\[…\]`
and `$$…$$` in the HTML that its Markdown has become: a lone `$` is a sign of money there.

Moodle's Markdown takes a backslash away before a sign of its own, also within a formula, so each of these
gets one: `\\(x\_1\\)` comes out as `\(x_1\)`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

from msgspec.structs import replace

from quiz.markup import with_marks, with_tags
from quiz.question import Question

_SIGNS = re.compile(r"[\\`*_{}\[\]#]")
_TAKEN = re.compile(r"\\([\\`*_{}\[\]()>#+\-.!|:])")  # what PHP Markdown Extra takes a backslash away from
_BLOCK = re.compile(r"(?m)(?<=\n)( *\d*)([-+>.):|])")  # a line that might begin a list, a quote, a table
_RULE = re.compile(r"(?<=\n)( *)([=~])")  # or end a heading or begin code: no backslash helps, an entity does
# Code and escaped signs come first: a dollar in them is none.
_OURS = re.compile(
    r"(?P<other>```.*?(?:```|\Z)|(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)|\\.)"
    r"|\$\$(?P<display>[^$]+?)\$\$"
    r"|(?<!\$)\$(?!\s)(?P<inline>(?:\\.|(?!\n\s*\n)[^$\\])+?)(?<!\s)\$(?!\$)",
    re.S,
)
# A formula does not go on past the begin of another, so that a text of begins is read once.
_THEIRS = re.compile(
    r"(?P<other>```.*?(?:```|\Z)|(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))"
    r"|\$\$(?P<display>[^$]+?)\$\$"
    r"|\\\\\[(?P<bracket>(?:[^\\]|\\[^\\]|\\\\(?![\[\]]))+?)\\\\\]"
    r"|\\\\\((?P<inline>(?:[^\\]|\\[^\\]|\\\\(?![()]))+?)\\\\\)"
    r"|(?P<escaped>\\.)",
    re.S,
)


def for_moodle(question: Question) -> Question:
    """The question with its formulas as Moodle sets them, where its texts are Markdown, and tags around what
    is raised or lowered. What is typed, and the right sides of pairs, which stand in a menu, stay as they
    are."""
    return _told(question, lambda text: written(with_tags(text)))


def from_moodle(question: Question) -> Question:
    """The question with formulas that Moodle sets in its Markdown as ours, and what it raises or lowers."""
    return _told(question, lambda text: with_marks(_read(text)))


def unmarked(question: Question) -> Question:
    r"""The question with its formulas as `\(…\)` and `\[…\]`, for a format whose text is no Markdown."""
    return _told(question, bare)


def written(text: str) -> str:
    """Convert our Markdown to Moodle's."""

    def put(found: re.Match[str]) -> str:
        if found["other"] is not None:
            return "&#36;" if found[0] == r"\$" else found[0]  # there a backslash before it would be shown
        if found["display"] is not None:
            return f"$${_guarded(found['display'])}$$"
        return rf"\\({_guarded(found['inline'])}\\)"

    if "$" not in text:
        return text
    made = _OURS.sub(put, text)
    # Lone dollars and ticks can pair with what is written here: a text that would come back as another stays.
    return made if _read(made) == text else text


def bare(text: str) -> str:
    r"""Our formulas as `\(…\)` and `\[…\]`."""

    def put(found: re.Match[str]) -> str:
        if found["display"] is not None:
            return rf"\[{found['display']}\]"
        return found[0] if found["inline"] is None else rf"\({found['inline']}\)"

    return _OURS.sub(put, text) if "$" in text else text


def _read(text: str) -> str:
    def put(found: re.Match[str]) -> str:
        if found["other"] is not None or found["escaped"] is not None:
            return found[0]
        display = found["display"] or found["bracket"]
        meant = unescape(_TAKEN.sub(r"\1", display or found["inline"]))
        return f"$${meant}$$" if display else f"${meant.strip()}$"

    if "$$" in text or "\\\\" in text:
        text = _THEIRS.sub(put, text)
    return text.replace("&#36;", r"\$")


def _guarded(tex: str) -> str:
    tex = _SIGNS.sub(r"\\\g<0>", tex.replace("&", "&amp;").replace("<", "&lt;"))
    tex = tex.replace(r"\)", r"\\)").replace(r"\(", r"\\(")  # they would end it, or begin another
    tex = _RULE.sub(lambda found: f"{found[1]}&#{ord(found[2])};", tex)
    return _BLOCK.sub(r"\1\\\2", tex)


def _told(question: Question, text: Callable[[str], str]) -> Question:
    if question.markup != "markdown":
        return question
    menu = question.kind == "match"
    return replace(
        question,
        stem=text(question.stem),
        explain=text(question.explain),
        options=tuple(
            replace(one, text=one.text if menu else text(one.text), explain=text(one.explain))
            for one in question.options
        ),
        prompts=tuple(map(text, question.prompts)),
        accepted=tuple(replace(one, explain=text(one.explain)) for one in question.accepted),
        hints=tuple(map(text, question.hints)),
        verdicts=tuple(map(text, question.verdicts)),
    )
