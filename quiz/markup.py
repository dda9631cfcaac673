"""Converts texts of other formats to Markdown: HTML of Moodle's editor, its auto-format, plain text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from html import escape
from html.parser import HTMLParser

from msgspec.structs import replace

from quiz.question import Gap, Markup, Question

_AROUND = {
    "b": "**",
    "strong": "**",
    "i": "*",
    "em": "*",
    "code": "`",
    "tt": "`",
    "kbd": "`",
    "s": "~~",
    "del": "~~",
}
_PARTS = (
    "p",
    "div",
    "table",
    "tr",
    "blockquote",
    "section",
    "ul",
    "ol",
    "pre",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
)
_SKIPPED = ("script", "style", "head", "title")
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|]|[~^](?=[^\s~^]+[~^]))")
# What is code, a formula or an escaped sign is let be.
_OTHER = (
    r"(?P<other>```.*?(?:```|\Z)|(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)|\$\$[^$]+\$\$|\$[^$\n]+\$|\\.)"
)
_HELD = r"[^\s~^`$\\<>]{1,200}"
_MARKED = re.compile(
    rf"{_OTHER}|(?<!\^)\^(?P<raised>{_HELD})\^(?!\^)|(?<!~)~(?P<lowered>{_HELD})~(?!~)", re.S
)
_TAGGED = re.compile(rf"{_OTHER}|<(?P<tag>su[bp])>(?P<held>{_HELD})</(?P=tag)>", re.S)
_FORMULA = re.compile(
    r"\\\((?P<inline>[^$]+?)\\\)|\\\[(?P<bracket>[^$]+?)\\\]|\$\$(?P<display>[^$]+?)\$\$", re.S
)
_TAG = re.compile(r"<(?:[a-zA-Z/!][^>]*)>|&(?:#\d+|#x[0-9a-fA-F]+|\w+);")


def as_markdown(text: str, markup: Markup) -> str:
    """`text` as Markdown that looks as it was meant. Never raises; tags it does not know leave their text."""
    if markup == "markdown":
        return text
    if markup == "plain" or not _TAG.search(text):
        return _formulas(text, (lambda one: one) if markup == "html" else _unmarked)
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return _formulas(reader.markdown(), lambda one: one)


def with_tags(text: str) -> str:
    """Our Markdown for a reader that knows no `x^2^` and `H~2~O`: with tags in their place."""

    def put(found: re.Match[str]) -> str:
        if found["other"] is not None:
            return found[0]
        tag, held = ("sup", found["raised"]) if found["raised"] else ("sub", found["lowered"])
        return f"<{tag}>{held}</{tag}>"

    return _MARKED.sub(put, text) if "^" in text or "~" in text else text


def with_marks(text: str) -> str:
    """The other way: tags of what is raised or lowered as our Markdown writes them."""

    def put(found: re.Match[str]) -> str:
        mark = "^" if found["tag"] == "sup" else "~"
        return found[0] if found["other"] is not None else f"{mark}{found['held']}{mark}"

    return _TAGGED.sub(put, text) if "<su" in text else text


def _unmarked(text: str) -> str:
    return "\n".join(_SPECIAL.sub(r"\\\1", line) for line in text.split("\n"))


def _formulas(text: str, around: Callable[[str], str]) -> str:
    r"""`\(…\)`, `\[…\]` and `$$…$$` of MathJax as ours, and what stands around them made Markdown."""
    made, at = "", 0
    for found in _FORMULA.finditer(text):
        inline, display = found["inline"], found["bracket"] or found["display"]
        made += around(text[at : found.start()])
        made += f"$${display.strip()}$$" if display else f"${inline.strip()}$"
        at = found.end()
    return made + around(text[at:])


def with_formulas(text: str) -> str:
    """Words of no markup in which MathJax's formulas may stand, with ours in their place."""
    return _formulas(text, str)


def in_gaps(gaps: Iterable[Gap], text: Callable[[str], str]) -> tuple[Gap, ...]:
    """Gaps whose choices and feedback have gone through `text`; what is typed stays as it is."""
    return tuple(
        replace(
            gap,
            offered=tuple(map(text, gap.offered)),
            accepted=tuple(
                replace(one, text=text(one.text) if gap.offered else one.text, explain=text(one.explain))
                for one in gap.accepted
            ),
        )
        for gap in gaps
    )


def within(text: str, own: Markup, whole: Markup) -> str:
    """`text` in its `own` format as it has to be written among texts in that of the `whole` question.

    Markdown stays as it is: what it says is read by people in any format.
    """
    if own == "moodle" and whole != "moodle":  # auto-format is HTML where there is some
        own = "html" if _TAG.search(text) else "plain"
    if own in (whole, "markdown") or (own == "html" and whole == "moodle"):
        return text
    if whole in ("markdown", "plain"):
        return as_markdown(text, own)
    if whole == "moodle" and not _TAG.search(text):
        return text
    return escape(text, quote=False).replace("\n", "<br>")


def rewritten(question: Question, whole: Markup) -> Question:
    """The question with all of its texts in another format; what is typed or compared stays as it is."""
    own = question.markup
    if own == whole:
        return question

    def text(one: str) -> str:
        return within(one, own, whole)

    return replace(
        question,
        markup=whole,
        stem=text(question.stem),
        explain=text(question.explain),
        options=tuple(replace(o, text=text(o.text), explain=text(o.explain)) for o in question.options),
        prompts=tuple(map(text, question.prompts)),
        accepted=tuple(replace(a, explain=text(a.explain)) for a in question.accepted),
        hints=tuple(map(text, question.hints)),
        verdicts=tuple(map(text, question.verdicts)),
        gaps=in_gaps(
            question.gaps, lambda one: text(one) if _TAG.search(one) or _FORMULA.search(one) else one
        ),
    )


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._out: list[str] = []
        self._lists: list[tuple[str, int]] = []
        self._skipping = 0
        self._pre = False
        self._links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        if tag in _SKIPPED:
            self._skipping += 1
        elif tag == "pre":
            self._pre = True
            self._out.append("\n\n```\n")
        elif tag in ("ul", "ol"):
            self._lists.append((tag, 0))
            self._out.append("\n" if len(self._lists) > 1 else "\n\n")
        elif tag == "li":
            kind, count = self._lists.pop() if self._lists else ("ul", 0)
            self._lists.append((kind, count + 1))
            mark = f"{count + 1}. " if kind == "ol" else "- "
            self._out.append("\n" + "  " * (len(self._lists) - 1) + mark)
        elif tag == "br":
            self._out.append("\n" if self._pre else "  \n")
        elif tag == "img":
            shown, source = f"[{said.get('alt') or 'picture'}]", said.get("src") or ""
            # What lies beside the text is shown; of the rest only its words are left.
            self._out.append(f"!{shown}({source})" if source.startswith("./") else shown)
        elif tag == "a":
            self._links.append(said.get("href") or "")
            self._out.append("[" if self._links[-1] else "")
        elif tag in ("td", "th"):
            self._out.append(" ")
        elif tag in ("sub", "sup"):
            self._out.append(f"<{tag}>")
        elif tag in _PARTS:
            self._out.append("\n\n" if tag != "tr" else "\n")
        elif tag in _AROUND and not self._pre:
            self._out.append(_AROUND[tag])

    def handle_endtag(self, tag: str) -> None:
        if tag in _SKIPPED:
            self._skipping = max(0, self._skipping - 1)
        elif tag == "pre":
            self._pre = False
            self._out.append("\n```\n\n")
        elif tag in ("ul", "ol") and self._lists:
            self._lists.pop()
            self._out.append("\n\n" if not self._lists else "")
        elif tag == "a" and self._links:
            href = self._links.pop()
            self._out.append(f"]({href})" if href else "")
        elif tag in _PARTS:
            self._out.append("\n\n" if tag != "tr" else "")
        elif tag in ("sub", "sup"):
            self._out.append(f"</{tag}>")
        elif tag in _AROUND and not self._pre:
            self._out.append(_AROUND[tag])

    def handle_data(self, data: str) -> None:
        if not self._skipping:
            if not self._pre:
                data = re.sub(r"\s+", " ", data)
                data = data.lstrip() if not self._out or self._out[-1].endswith(("\n", "- ", ". ")) else data
            self._out.append(data)

    def markdown(self) -> str:
        text = "".join(self._out).replace("\xa0", " ")
        text = re.sub(r"[ \t]+\n(?!\n)", lambda m: "  \n" if m[0].startswith("  ") else "\n", text)
        return re.sub(r"\n{3,}", "\n\n", text).strip()
