"""Source as styled lines by pygments; run as a program, for whoever may have to end it
(`slides.highlighting.lexer_process`).

As a program it reads requests from its input, one JSON line each, and answers each with one line. Pygments'
lexers are patterns of many authors, and some go on without end on a text that nobody had in mind: what a
request may use of the processor is limited by the kernel, which ends the program.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pygments.lexer import Lexer

Runs = list[list[tuple[str, str]]]
"""Of each line its (text, ink) in order; the ink is "" where the text has no colour of its own."""

# A token takes the ink of its nearest parent named here.
INKS = {
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


def lexer_name(lang: str) -> str:
    """The class of the lexer of a language, "" where there is none."""
    return _aliases().get(lang.lower(), ("", ""))[1]


@cache
def _lexer(lang: str) -> Lexer | None:
    module, name = _aliases().get(lang.lower(), ("", ""))
    if not module:
        return None
    lexer: Lexer = getattr(import_module(module), name)(stripnl=False)
    return lexer


@cache
def _ink(token: Any) -> str:
    while token is not None:
        ink = INKS.get(str(token))
        if ink:
            return ink
        token = token.parent
    return ""


def runs(lang: str, lines: Sequence[str]) -> Runs | None:
    """The runs of each of `lines`; None where the language is not known or its lexer alters the text."""
    lexer = _lexer(lang)
    if lexer is None:
        return None
    # Blanks at the ends of lines have no ink to be seen, and patterns that begin with `^\s*` go through all
    # the lines of blanks that follow, from each of them.
    bare = [line.rstrip() for line in lines]
    rows: Runs = [[]]
    parts: list[str] = []
    last = ""

    def close() -> None:
        if parts:
            rows[-1].append(("".join(parts), last))
            parts.clear()

    for token, text in lexer.get_tokens("\n".join(bare)):
        ink = _ink(token)
        for n, piece in enumerate(text.split("\n")):
            if n:
                close()
                rows.append([])
            if piece:
                if ink != last:
                    close()
                    last = ink
                parts.append(piece)
    close()
    if not rows[-1]:
        rows.pop()  # lexers end every text with a newline
    rows += [[] for _ in range(len(lines) - len(rows))]  # which one that ends with an empty line has
    # A lexer may drop or add characters; the author's text is what counts.
    if ["".join(text for text, _ in row) for row in rows] != bare:
        return None
    for row, line, end in zip(rows, lines, bare, strict=True):
        if line != end:
            row.append((line[len(end) :], ""))
    return rows


def _answer(request: bytes) -> Runs | None:
    lang, lines, budget_s = json.loads(request)
    try:
        _lexer(lang)  # what the import takes is not the text's fault
        # Nothing of Python handles SIGPROF: the kernel ends the process, within a match of a pattern too.
        signal.setitimer(signal.ITIMER_PROF, budget_s)
        try:
            return runs(lang, lines)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    except Exception:  # a lexer that trips over a text costs its colours
        return None


def main(idle_s: float) -> None:
    """Ends with its input, and where nobody asked for `idle_s`."""
    import select

    source, out = sys.stdin.buffer, sys.stdout.buffer
    while select.select([source], [], [], idle_s)[0]:
        request = source.readline()
        if not request:
            return
        out.write(json.dumps(_answer(request)).encode() + b"\n")
        out.flush()


if __name__ == "__main__":
    main(float(sys.argv[1]))
