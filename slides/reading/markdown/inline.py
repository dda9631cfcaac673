"""Converts markdown-it's inline tokens into runs of text, each with its style."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from slides.deck import Inline, Inlines
from slides.drawing.text import PLAIN, Style
from slides.reading.markdown.css_colours import ink_of

if TYPE_CHECKING:
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

CODE = Style(ink="code")
HTML = Style(ink="dim")


def _same(style: Style) -> Style:
    return style


def _inked(ink: str, style: Style) -> Style:
    return style._replace(ink=ink)


def _code(style: Style) -> Style:
    return style._replace(ink=CODE.ink)


def _bold(style: Style) -> Style:
    return style._replace(bold=True)


def _italic(style: Style) -> Style:
    return style._replace(italic=True)


def _strike(style: Style) -> Style:
    return style._replace(strike=True)


def _underline(style: Style) -> Style:
    return style._replace(underline=True)


# What a tag changes in a style; both Markdown's own marks and the few HTML tags people use within a line.
_CHANGES = {
    "strong": _bold,
    "b": _bold,
    "em": _italic,
    "i": _italic,
    "s": _strike,
    "del": _strike,
    "u": _underline,
    "ins": _underline,
    "kbd": _code,
    "sub": _same,
    "sup": _same,
    "strike": _strike,
    "code": _code,
    "tt": _code,
    "samp": _code,
    "var": _italic,
    "cite": _italic,
    "dfn": _italic,
    "mark": _bold,
} | dict.fromkeys(("a", "abbr", "span", "font", "small", "big", "time", "label"), _same)
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_DEEPEST = 32  # elements within each other; what is deeper looks like what is around it
_TAG = re.compile(r"<(/?)([A-Za-z]+)((?:\s[^<>]*?)?)/?>")
_AT = re.compile(r"-?@(?=\w)")
_HREF = re.compile(r"""\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)


# Letters stand around neither: `a==b` compares, `10:30:05` is a time.
_MARKED = re.compile(r"(?<![\w=])==(?=[^\s=])([^=\n]{1,400})(?<=\S)==(?![\w=])")
_EMOJI = re.compile(r"(?<![\w:]):([a-z][a-z0-9_+-]{1,40}|[+-]1):(?![\w:])")
_NOTE = re.compile(r"\[\^([^\]\s\[]{1,40})\](:[ \t]?)?")
_CITED = re.compile(r"\[(-?@[\w][^\[\]\n]{0,200})\](?![(\[])")


def mark_of_note(state: StateInline, silent: bool) -> bool:
    """Return the mark of a footnote, `[^1]`, at its reference and its note; or of a citation, `[@key]`."""
    start = state.pos
    if state.src[start] != "[" or state.src[start + 1 : start + 2] not in ("^", "@", "-"):
        return False
    note = _NOTE.match(state.src, start)
    cited = None if note else _CITED.match(state.src, start)
    found = note or cited
    if found is None:
        return False
    if not silent:
        token = state.push("mark_of_note", "", 0)
        if note:
            label = note[1]
            token.content = label.translate(_RAISED) if label.isdecimal() else f"[{label}]"
            begins = not start or state.src[start - 1] == "\n"
            token.content += " " if note[2] and begins else note[2] or ""
            token.meta = {"begins": bool(note[2]) and begins}
        else:
            token.content = f"[{_AT.sub('', found[1])}]"
    state.pos = found.end()
    return True


def _emoji(match: re.Match[str]) -> str:
    from slides.reading.markdown.emoji import emoji

    return emoji(match[1])


def holds_tags(tokens: Iterable[Token]) -> bool:
    """Whether there are tags within a line that are read as nothing here, and so would stand as they are."""
    for token in tokens:
        tag = _TAG.fullmatch(token.content) if token.type == "html_inline" else None
        if tag is not None and tag[2].lower() not in _CHANGES and tag[2].lower() not in ("br", "wbr", "q"):
            return True
    return False


def inlines(tokens: Sequence[Token]) -> Inlines:
    """Return the content of a paragraph, heading or cell. Nothing is lost: unknown HTML is shown dim."""
    return _Runs().read(tokens)


class _Runs:
    def __init__(self) -> None:
        self.found: list[Inline] = []
        self.open: list[tuple[str, Callable[[Style], Style]]] = []  # tags, and what each changes
        self.deeper = 0  # elements open beyond the deepest
        self.hrefs: list[str] = []
        self.linked = 0, 0  # runs found, and parts of the next, where the link began
        self.parts: list[str] = []  # of the run that is being read, and how it looks
        self.look = PLAIN, "", ""

    def read(self, tokens: Sequence[Token]) -> Inlines:
        for token in tokens:
            self._read(token)
        self._end_run()
        return tuple(self.found)

    def _read(self, token: Token) -> None:
        kind = token.type
        if kind == "text":
            self._text(token.content)
        elif kind == "mark_of_note":
            if token.meta.get("begins") and self.found:  # each note on a line of its own
                self.found.append(Inline("", hard_break=True))
            self._add(token.content)
        elif kind == "softbreak":
            self._add(" ")
        elif kind == "hardbreak":
            self._put(Inline("", hard_break=True))
        elif kind == "code_inline":
            self._add(token.content, self._style(CODE))
        elif kind in ("math_inline", "math_inline_double"):
            self._put(Inline(token.content, self._style(), self._href(), math=True, script=self._script()))
        elif kind == "image":
            source = str(token.attrs.get("src", ""))
            self._put(Inline(token.content, self._style(), source, image=True))
        elif kind == "link_open":
            self.hrefs.append(str(token.attrs.get("href", "")))
            self.linked = len(self.found), len(self.parts)
        elif kind == "link_close":
            if self.linked == (len(self.found), len(self.parts)) and self._href().startswith("http"):
                self._add(self._href())  # without words of its own an address is all there is to see
            self.hrefs.pop()
        elif kind == "html_inline":
            self._html(token.content)
        elif token.nesting > 0:
            self._open(token.tag)
        elif token.nesting < 0:
            self._close(token.tag)
        else:
            self._add(token.content, HTML)

    def _html(self, text: str) -> None:
        tag = _TAG.fullmatch(text)
        name = tag[2].lower() if tag else ""
        if name == "br":
            self._put(Inline("", hard_break=True))
        elif name == "wbr":
            return
        elif name == "q":
            self._add("”" if tag and tag[1] else "“")
        elif tag and name in _CHANGES:
            if tag[1]:
                if name == "a" and self._is_open(name) and not self.deeper:
                    self.hrefs.pop()
                self._close(name)
            elif not text.endswith("/>"):
                self._open(name, tag[3])
                if name == "a" and not self.deeper:
                    href = _HREF.search(tag[3])
                    self.hrefs.append((href[1] or href[2] or href[3] or "") if href else "")
        else:
            self._add(text, HTML)

    def _open(self, tag: str, attributes: str = "") -> None:
        if len(self.open) < _DEEPEST:
            ink = ink_of(attributes) if "color" in attributes else ""
            self.open.append((tag, partial(_inked, ink) if ink else _CHANGES.get(tag, _same)))
        else:
            self.deeper += 1

    def _text(self, text: str) -> None:
        """Words, with what is marked `==so==` in bold and names of emoji as these."""
        if ":" in text:
            text = _EMOJI.sub(_emoji, text)
        if "==" not in text:
            self._add(text)
            return
        at = 0
        for match in _MARKED.finditer(text):
            self._add(text[at : match.start()])
            self._add(match[1], self._style()._replace(bold=True))
            at = match.end()
        self._add(text[at:])

    def _close(self, tag: str) -> None:
        if self.deeper:
            self.deeper -= 1
        elif self._is_open(tag):
            del self.open[max(n for n, (name, _) in enumerate(self.open) if name == tag)]

    def _is_open(self, tag: str) -> bool:
        return any(name == tag for name, _ in self.open)

    def _href(self) -> str:
        return self.hrefs[-1] if self.hrefs else ""

    def _script(self) -> str:
        return next((tag for tag, _ in reversed(self.open) if tag in ("sup", "sub")), "")

    def _style(self, style: Style = PLAIN) -> Style:
        for _, change in self.open:
            style = change(style)
        return style

    def _add(self, text: str, style: Style | None = None) -> None:
        """Text that goes on the last run where it looks the same."""
        if not text:
            return
        look = style or self._style(), self._href(), self._script()
        if self.parts and look != self.look:
            self._end_run()
        self.look = look
        self.parts.append(text)

    def _end_run(self) -> None:
        if self.parts:
            style, href, script = self.look
            self.found.append(Inline("".join(self.parts), style, href, script=script))
            self.parts.clear()

    def _put(self, one: Inline) -> None:
        """What is not text, and ends a run."""
        self._end_run()
        self.found.append(one)
