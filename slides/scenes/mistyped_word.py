"""Which word of a scene in a deck is meant by one that it does not know."""

from __future__ import annotations

from collections.abc import Container, Sequence

# What such things are called elsewhere, beside their word here.
ELSEWHERE = {
    "colour": "ink", "color": "ink", "fill": "ink", "background": "ink", "style": "ink", "highlight": "light",
    "label": "note", "text": "note", "arrow": "link", "edge": "link", "line": "link", "box": "row",
    "boxes": "row", "node": "row", "nodes": "row", "move": "send", "packet": "send", "transfer": "send",
    "remove": "hide", "appear": "show", "key": "legend",
}  # fmt: skip


def meant(written: str, rest: str, words: Sequence[str], boxes: Container[str]) -> str:
    """Return which of `words` was mistyped at the head of a line, "" where these are words of the step.

    One letter, or two that changed places, are enough; of a short word, or where two letters are others, the
    `rest` of the line has to fit, too. A sentence begins with a capital letter.
    """
    if not written.islower():
        return ""
    if written in ELSEWHERE:
        return ELSEWHERE[written]
    for most in (1, 2):
        for word in words:
            sure = most == 1 and len(written) > 3
            if letters_apart(written, word) == most and (sure or _fits(word, rest, boxes)):
                return word
    return ""


def _fits(word: str, rest: str, boxes: Container[str]) -> bool:
    if word in ("send", "link"):
        return "->" in rest or (word == "link" and "--" in rest)
    if word == "note":
        return "=" in rest
    return word != "step" and any(item.partition("(")[0].strip() in boxes for item in rest.split(","))


def letters_apart(one: str, other: str) -> int:
    """Return how many letters have to be put in, left out, changed or swapped with the next one, up to 3."""
    if abs(len(one) - len(other)) > 2:
        return 3
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        last, row, two_back = row, [i], before
        for j, b in enumerate(other, 1):
            least = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                least = min(least, two_back[j - 2] + 1)
            row.append(least)
        before = last
    return min(3, row[-1])
