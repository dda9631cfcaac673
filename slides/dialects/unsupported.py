"""What of another program's deck a deck of ours cannot say: settings of its looks, ways of running code.

Whoever converts a deck is told each, once, with its line; who only shows it, what is missing on a slide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from slides.problems import Problem
from slides.reading import front_matter
from slides.reading.scan import scan

_LOOKS = ("theme", "footer", "header", "transition", "css")
_KEYS: dict[str, tuple[str, ...]] = {
    "marp": (*_LOOKS, "paginate", "style", "size", "class", "color", "backgroundColor", "backgroundImage"),
    "slidev": (*_LOOKS, "background", "fonts", "addons", "colorSchema", "drawings", "class"),
    "presenterm": (*_LOOKS, "event", "location", "sub_title"),
    "slides": ("theme", "paging"),
    "revealmd": (*_LOOKS, "highlightTheme", "revealOptions", "slideNumber"),
    "patat": (*_LOOKS, "patat"),
    "lookatme": ("styles", "extensions"),
    "remark": ("count", "class", "background-size", "background-color", "background-position"),
    "pandoc": (*_LOOKS, "logo", "slide-number", "bibliography", "scrollable", "execute"),
    "deckset": (
        "theme",
        "autoscale",
        "slidenumbers",
        "slidecount",
        "slide-transition",
        "fit-headers",
        "header",
        "text",
        "text-strong",
        "text-emphasis",
        "code",
        "quote",
        "link",
        "list",
        "table",
        "background-color",
        "background-image",
    ),
    "obsidian": (*_LOOKS, "highlightTheme", "slideNumber", "bg"),
}
# What of a front matter is taken over (`foreign_header_and_footer.py`): below it a slide's own is not.
_KEPT: dict[str, tuple[str, ...]] = {
    "marp": ("header", "footer"),
    "pandoc": ("footer", "logo"),
    "presenterm": ("footer",),
}
_SETTING = re.compile(r"[ \t]{0,12}(?:<!--[ \t]{0,9})?(?:- )?_?([A-Za-z][\w-]{0,40})[ \t]{0,9}:")
# Of presenterm's ways to run code what ours does in another way, or not at all.
_RUNS = {
    "validate": "nothing tries it beforehand: `teachrun check --run` tries every snippet that runs",
    "render": "flowcharts and sequences of mermaid are drawn, of all else the code is shown",
    "pty": "it runs without a terminal: `::: terminal` has one",
    "acquire_terminal": "it runs without a terminal: `::: terminal` has one",
    "no_background": "its background is that of all code",
}
_COMMANDS = {
    "font_size": "text has one size",
    "jump_to_middle": "a slide begins at its top", "no_footer": "the footer is the same everywhere",
}  # fmt: skip
_COMMAND = re.compile(r" {0,3}<!--\s{0,9}([a-z_]{1,40})\s{0,9}(?::[^>]{0,80})?-->")
# Of Deckset's settings of a slide those that are taken over, and of a reveal.js section what is not.
_BRACKETED = re.compile(r" {0,3}\[\.([a-z][\w-]{0,40})(?::[^\]\n]{0,400})?\][ \t]*")
_TAKEN = ("build-lists", "column", "code-highlight")
_SECTION = re.compile(r"\s(data-(?:background|transition|auto-animate|autoslide)[a-z-]{0,30})")
_PLUS = re.compile(r"\+([a-z_]{1,40})")
_SHELL = re.compile(r"(\S{1,80})[ \t]+\S")


def lost(text: str, format: str, path: str, *, looks: bool = True) -> Iterator[Problem]:
    """Each that is met, in the order of the lines, where `text` is written for the program `format`; `looks`:
    settings of its looks too."""
    keys = _KEYS.get(format, ()) if looks else ()
    lines = text.split("\n")
    front = front_matter.length(lines)
    marks = scan(lines)
    fences = {fence.first: fence for fence in marks.fences}
    commented = {n for comment in marks.comments for n in range(comment.first, comment.last + 1)}
    told: set[str] = set()
    for n, line in enumerate(lines):
        found: list[tuple[str, str]] = []
        if (fence := fences.get(n)) is not None:
            if format == "presenterm":
                found = [(f"+{word}", _RUNS[word]) for word in _PLUS.findall(fence.info) if word in _RUNS]
            elif format == "slides" and fence.mark[0] == "~" and (match := _SHELL.match(fence.info)):
                found = [(f"~~~{match[1]}", "it does not run: the command and its input are shown")]
        elif marks.held[n] and n not in commented:
            continue
        elif format == "deckset" and (match := _BRACKETED.fullmatch(line)):
            if looks and match[1] not in _TAKEN:
                found = [(f"[.{match[1]}]", "teachrun has no such setting: it is left out")]
        elif format == "revealhtml" and "<section" in line:
            if looks and (match := _SECTION.search(line)):
                found = [(match[1], "teachrun has no such setting: it is left out")]
        elif format == "slidev" and "{{" in line and n not in commented:
            from slides.dialects.programs.slidev.deck import computed

            found = [
                (one, "the program computes it: here nothing stands in its place") for one in computed(line)
            ]
        elif (
            looks and format == "presenterm" and (command := _COMMAND.match(line)) and command[1] in _COMMANDS
        ):
            found = [(command[1], _COMMANDS[command[1]])]
        elif (
            (match := _SETTING.match(line.lower() if format == "deckset" else line))
            and match[1] in keys
            and not (n < front and match[1] in _KEPT.get(format, ()))
            and (n < front or n in commented or _opens(lines, n))
        ):
            found = [(f"{match[1]}:", "teachrun has no such setting: it is kept as a comment")]
        for name, why in found:
            if name not in told:
                told.add(name)
                yield Problem(path, n + 1, f"`{name}` is not taken over", f"{why[:1].upper()}{why[1:]}.")


def _opens(lines: list[str], n: int) -> bool:
    """Whether a line stands among the first of a slide, where some programs have settings."""
    return any(lines[at].rstrip() == "---" for at in range(max(n - 8, 0), n)) or n < 8
