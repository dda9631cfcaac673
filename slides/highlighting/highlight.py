"""Source as styled lines: pygments' tokens in the inks of the palette.

What people show most is read in this process: short texts, by lexers of which
`tests/unit/slides/test_doubling.py`
holds that their time grows with such a text only. Every other text is read in one that can be ended
(`slides.highlighting.lexer_process`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from slides.drawing.cells import clean
from slides.drawing.text import PLAIN, Line, Span, Style

# Lexers are regular expressions over the whole text: beyond this, colour is not worth the wait.
_MOST_CHARACTERS = 24_000
_LONGEST_LINE = 5_000

AT_ONCE = 4_000  # characters that are read in this process
# By the class of their lexer: a language has many names.
TRUSTED = frozenset(
    {
        "BashLexer",
        "DiffLexer",
        "JsonLexer",
        "PythonLexer",
        "RustLexer",
        "TOMLLexer",
    }
)


class _Read(NamedTuple):
    """`plain` says why it has no colours though its language is known, "" where it has them."""

    lines: tuple[Line, ...]
    plain: str = ""


def source_lines(source: str) -> list[str]:
    """The clean lines of `source`, tabs expanded; a newline at the very end begins no further line."""
    lines = source.replace("\r\n", "\n").split("\n")
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    return [clean(line) for line in lines]


def highlight(lang: str, source: str) -> tuple[Line, ...]:
    """One styled line for each line of `source`; plain where the language is not known. Never raises."""
    return _read(lang, source).lines


def plain_because(lang: str, source: str) -> str:
    """Why `source` is shown without colours though its language is known; "" where that is not so."""
    return _read(lang, source).plain


@lru_cache(maxsize=256)
def _read(lang: str, source: str) -> _Read:
    lines = source_lines(source)
    plain = tuple((Span(line),) if line else () for line in lines)
    if not lang:
        return _Read(plain)
    longest = max(map(len, lines))
    if len(source) > _MOST_CHARACTERS or longest > _LONGEST_LINE:
        size = f"a line of {longest}" if longest > _LONGEST_LINE else f"{len(source)}"
        most = _LONGEST_LINE if longest > _LONGEST_LINE else _MOST_CHARACTERS
        return _Read(plain, f"it has {size} characters, and at most {most} are coloured")
    from slides.highlighting import lexer

    name = lexer.lexer_name(lang)
    if not name:
        return _Read(plain)
    try:
        if name in TRUSTED and len(source) <= AT_ONCE:
            found = lexer.runs(lang, lines)
        else:
            from slides.highlighting.lexer_process import RanOut, worker

            try:
                found = worker.runs(lang, lines)
            except RanOut:
                return _Read(plain, "reading it takes longer than a slide may wait")
    except Exception:  # a lexer that trips over a text, or no process to be had: no slide is lost for it
        return _Read(plain)
    if found is None:
        return _Read(plain)
    return _Read(tuple(tuple(Span(text, _style(ink)) for text, ink in row) for row in found))


def _style(ink: str) -> Style:
    return Style(ink, italic=ink == "code.comment") if ink else PLAIN
