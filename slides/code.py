"""Source as styled lines: pygments' tokens in the inks of the palette."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from slides.cells import clean
from slides.text import PLAIN, Line, Span, Style

if TYPE_CHECKING:
    from pygments.lexer import Lexer

# Lexers are regular expressions over the whole text: beyond this, colour is not worth the wait.
_MOST_CHARACTERS = 24_000
_LONGEST_LINE = 5_000

# A token takes the ink of its nearest parent named here.
_INKS = {
    "Token.Keyword": "code.keyword",
    "Token.Keyword.Constant": "code.constant",
    "Token.Operator.Word": "code.keyword",
    "Token.Operator": "code.operator",
    "Token.Punctuation": "code.operator",
    "Token.Name": "code.name",
    "Token.Name.Function": "code.function",
    "Token.Name.Class": "code.class",
    "Token.Name.Builtin": "code.builtin",
    "Token.Name.Exception": "code.builtin",
    "Token.Name.Decorator": "code.decorator",
    "Token.Name.Constant": "code.constant",
    "Token.Name.Tag": "code.keyword",
    "Token.Name.Attribute": "code.function",
    "Token.Literal": "code.string",
    "Token.Literal.Number": "code.number",
    "Token.Comment": "code.comment",
    "Token.Comment.Preproc": "code.keyword",
    "Token.Generic.Inserted": "good",
    "Token.Generic.Deleted": "bad",
    "Token.Generic.Heading": "accent",
    "Token.Generic.Subheading": "accent",
    "Token.Generic.Prompt": "dim",
    "Token.Generic.Output": "dim",
}


@cache
def _aliases() -> dict[str, tuple[str, str]]:
    """Language name -> (module, class) of its lexer: finding one must not import any other."""
    from pygments.lexers import LEXERS

    return {
        alias.lower(): (module, name)
        for name, (module, _, aliases, _, _) in LEXERS.items()
        for alias in aliases
    }


@cache
def _lexer(lang: str) -> Lexer | None:
    module, name = _aliases().get(lang.lower(), ("", ""))
    if not module:
        return None
    lexer: Lexer = getattr(import_module(module), name)(stripnl=False)
    return lexer


@cache
def _style(token: Any) -> Style:
    while token is not None:
        ink = _INKS.get(str(token))
        if ink:
            return Style(ink, italic=ink == "code.comment")
        token = token.parent
    return PLAIN


def source_lines(source: str) -> list[str]:
    """The clean lines of `source`, tabs expanded; a newline at the very end begins no further line."""
    lines = source.replace("\r\n", "\n").split("\n")
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    return [clean(line) for line in lines]


@lru_cache(maxsize=256)
def highlight(lang: str, source: str) -> tuple[Line, ...]:
    """One styled line for each line of `source`; plain where the language is not known. Never raises."""
    lines = source_lines(source)
    plain = tuple((Span(line),) if line else () for line in lines)
    if not lang or len(source) > _MOST_CHARACTERS or max(map(len, lines)) > _LONGEST_LINE:
        return plain
    try:
        coloured = _coloured(lang, lines)
    except Exception:  # a lexer that trips over a text costs its colours, never the slide
        return plain
    return coloured if coloured is not None else plain


def _coloured(lang: str, lines: list[str]) -> tuple[Line, ...] | None:
    lexer = _lexer(lang)
    if lexer is None:
        return None
    rows: list[list[Span]] = [[]]
    for token, text in lexer.get_tokens("\n".join(lines)):
        style = _style(token)
        for n, piece in enumerate(text.split("\n")):
            if n:
                rows.append([])
            if piece:
                last = rows[-1]
                if last and last[-1].style == style:
                    last[-1] = Span(last[-1].text + piece, style)
                else:
                    last.append(Span(piece, style))
    if not rows[-1]:
        rows.pop()  # lexers end every text with a newline
    coloured = tuple(tuple(row) for row in rows)
    # A lexer may drop or add characters; the author's text is what counts.
    if ["".join(span.text for span in row) for row in coloured] != lines:
        return None
    return coloured
