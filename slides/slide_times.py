"""Times put into a deck's text, and nothing else in it changed. Pure.

A slide's `time` stands in its `<!-- slide: {…} -->`; one without that comment gets one in front. Every edit
is read again: where the deck would not read as it did but for that time, it is not made.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from slides.deck import Deck, Head
from slides.reading.from_disk.source import normalise
from slides.reading.scan import scan
from slides.reading.split import split

BOM = "\ufeff"
_ROWS = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")
_TIME = re.compile(
    r"""(?P<key>(?<![\w-])(?P<mark>["']?)time(?P=mark)[ \t]*:[ \t]*)"""
    r"""(?:"[^"\r\n]*"|'[^'\r\n]*'|[^,}\r\n#]*[^,}\r\n#\s])"""
)
_FLOW = re.compile(r"\s*slide:\s*\{\s*")
_BLOCK = re.compile(r"\s*slide:[ \t]*(?P<end>\r\n|\r|\n)(?P<indent>[ \t]*)")


class Retimed(NamedTuple):
    """`text` with the times that were asked for; `left` are the slides whose text could not take theirs."""

    text: str
    changed: tuple[str, ...]
    left: tuple[str, ...]


def retimed(text: str, seconds: Mapping[str, float]) -> Retimed:
    """The deck in `text`, in our format, with these seconds as the times of slides (by id), as `written`
    rounds them. One that says so already, or has no slide of an id, stays as it is."""
    bom = BOM if text.startswith(BOM) else ""
    text = text[len(bom) :]
    deck = split(text, "")
    changed, left = [], []
    for slide, wanted_s in seconds.items():
        head = next((head for head in deck.slides if head.id == slide), None)
        wanted = written(wanted_s)
        if head is None or head.time_s == rounded(wanted_s):
            continue
        edited = _edited(text, head, wanted)
        again = split(edited, "")
        if _alike(deck, again, slide, rounded(wanted_s)):
            text, deck = edited, again
            changed.append(slide)
        else:
            left.append(slide)
    return Retimed(bom + text, tuple(changed), tuple(left))


def rounded(seconds: float) -> float:
    """To 5 s, from two minutes on to 15 s: nobody plans closer than that."""
    step = 15 if seconds >= 120 else 5
    return float(max(step, step * round(seconds / step)))


def written(seconds: float) -> str:
    """As decks have it: `45s`, `3m`, `1h5m15s`."""
    minutes, s = divmod(int(rounded(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "m"), (s, "s"))
    return "".join(f"{count}{unit}" for count, unit in parts if count)


def _alike(before: Deck, after: Deck, slide: str, seconds: float) -> bool:
    def told(deck: Deck, own: float | None) -> list[tuple[object, ...]]:
        return [
            (
                h.id,
                h.title,
                own if h.id == slide else h.time_s,
                h.optional,
                h.hidden,
                h.section,
                h.layout,
                h.size,
                h.tries,
            )
            for h in deck.slides
        ]

    found = next((head.time_s for head in after.slides if head.id == slide), None)
    worse = len(after.problems) > len(before.problems)  # fewer where the time was none
    return told(before, seconds) == told(after, seconds) and found == seconds and not worse


def _edited(text: str, head: Head, wanted: str) -> str:
    rows = _ROWS.split(text)
    at = sum(map(len, rows[: head.row - 1]))
    comments = [
        comment
        for comment in scan(
            normalise(text).split("\n")[head.row - 1 : head.row + head.raw.count("\n")]
        ).comments
        if comment.closed and comment.body.lstrip().startswith("slide:")
    ]
    spans = []
    for comment in comments:
        start = at + sum(map(len, rows[head.row - 1 : head.row - 1 + comment.first])) + comment.start + 4
        spans.append((start, text.index("-->", start)))
    for start, end in reversed(spans):  # of several the last one counts
        if match := _TIME.search(text, start, end):
            return text[: match.end("key")] + wanted + text[match.end() :]
    for start, end in spans[:1]:
        if match := _FLOW.match(text, start, end):
            comma = "" if text[match.end()] == "}" else ", "
            return f"{text[: match.end()]}time: {wanted}{comma}{text[match.end() :]}"
        if match := _BLOCK.match(text, start, end):
            line = f"{match['indent']}time: {wanted}{match['end']}"
            return text[: match.end("end")] + line + text[match.end("end") :]
    ends = re.search(r"\r\n|\r|\n", text)
    return f"{text[:at]}<!-- slide: {{time: {wanted}}} -->{ends[0] if ends else chr(10)}{text[at:]}"
