"""Removes tags from lines of Markdown: what a tag separated stays separate."""

from __future__ import annotations

import re
from typing import Final

from slides.dialects.html.tags import Page, Tag
from slides.dialects.translation import KEPT, Draft, Row, plain

# What stands in the place of a tag until its line is put together; none is a character that a deck can have.
BREAK: Final = "\x1c"  # another line
GAP: Final = "\x1d"  # another paragraph
BESIDE: Final = "\x1e"  # the same line, with air between
_PARTS = re.compile(f"([{BREAK}{GAP}])")
_AIR = "\N{NO-BREAK SPACE}" * 3
_PICTURE = re.compile(r"(?:!\[[^\[\]\n]*\]\((?:<[^<>\n]*>|[^()\s<>]*)\)(?:\{[^{}\n]*\})?\s*)+")
_ITEM = re.compile(r"\s*(?:[-*+]|[0-9]{1,9}[.)])\s")
_MARKER = re.compile(r"\s*(?:-|[0-9]{1,9}\.)\s+")
_BLOCK = re.compile(r"\s*(?:[-*+>|]|[0-9]{1,9}[.)]\s|#{1,6}\s|```|~~~|:::|\*\*\*$|\$\$)")
# A line of these alone would begin a block of HTML; among words they are read as what they are.
_MARKS = re.compile(
    r"(?:\s*</?(?:a|abbr|b|big|br|cite|code|em|font|i|kbd|label|mark|q|s|small|span|strong|sub|sup|u)"
    r"(?:[\s/][^<>]*)?>)+\s*",
    re.IGNORECASE,
)


class Edits:
    """Replacements of pieces of a page, gathered in the order of the text."""

    def __init__(self) -> None:
        self._found: list[tuple[int, int, str]] = []
        self._quotes: list[tuple[int, int]] = []
        self._beyond: dict[int, int] = {}
        self._within: set[int] = set()
        """Where the tag ends that goes on below a line; the lines on which such tags end."""

    def put(self, tag: Tag, text: str) -> None:
        """Write `text` in place of a tag."""
        self._found.append((tag.start, tag.end, text))

    def span(self, start: int, end: int, text: str) -> None:
        """Write `text` in place of the characters `start` up to `end` of the page."""
        self._found.append((start, end, text))

    def quote(self, first: int, last: int) -> None:
        """Mark lines `first` to `last` as quoted."""
        if not self.quoted(first):
            self._quotes.append((first, last))

    def quoted(self, line: int) -> bool:
        """Whether a line lies in the quote that was met last."""
        return bool(self._quotes) and self._quotes[-1][0] <= line <= self._quotes[-1][1]

    def apply(self, draft: Draft, page: Page) -> None:
        """Put the changed lines into the draft; lines of code and those replaced already stay."""
        changed = self._changed(page)
        quoted = {line for first, last in self._quotes for line in range(first, last + 1)}
        shown = list(page.lines)
        writer = _Writer(draft)
        touched = False  # whether the line above was part of what a tag arranged
        for line, text in enumerate(page.lines):
            if draft.coded[line] or line in draft.instead:
                writer.other()
                touched = False
                continue
            new = changed.get(line, text)
            if new is None:  # the lines within a tag that goes over several
                draft.instead[line] = []
                continue
            if line not in changed and not _MARKS.fullmatch(text):
                if touched and text[:4] == "    ":
                    new = text.lstrip()
                touched = touched and bool(text.strip())
            else:
                touched = True
                if new != text and (text[:1] in "< \t" and text.lstrip()[:1] == "<"):
                    new = new.lstrip(" \t") if not _ITEM.match(new) else new
            if line in quoted and new.strip(f"{BREAK}{GAP}{BESIDE} \t"):
                new = re.sub(f"^([{BREAK}{GAP}]*)", r"\1> ", new)
            rows = writer.rows(line, new)
            if rows[0] != draft.bare[line]:
                draft.margins[line] = rows[0][: len(rows[0]) - len(rows[0].lstrip(" >"))]
            if rows == [text]:
                shown[line] = text
            elif not any(row.strip() for row in rows) and text.strip():
                kept = self._kept(page, line)
                shown[line] = f"<!-- {KEPT} {kept} -->" if "--" not in kept and kept else ""
            elif len(rows) == 1:
                shown[line] = rows[0]
            else:
                draft.instead[line] = [Row(plain(row), draft.place(line)) for row in rows]
        for line in writer.breaks:
            if line in draft.instead:
                draft.instead[line][-1] = _broken(draft.instead[line][-1])
            else:
                shown[line] = f"{shown[line].rstrip()}  "
        draft.shown = shown

    def _kept(self, page: Page, line: int) -> str:
        """What a line with nothing on it but tags says, and what the tag that goes on below it does."""
        start, end = page.starts[line], page.starts[line] + len(page.lines[line])
        if line in self._within:
            return ""
        return " ".join(page.text[start : max(end, self._beyond.get(line, 0))].split())

    def _changed(self, page: Page) -> dict[int, str | None]:
        """The lines that are others now; None for one that is gone."""
        pieces: dict[int, list[str]] = {}
        ends: dict[int, int] = {}
        gone: set[int] = set()
        for start, end, text in self._found:
            first, last = page.line_of(start), page.line_of(end - 1)
            at = ends.get(first, page.starts[first])
            pieces.setdefault(first, []).extend((page.text[at:start], text))
            ends[first] = end if last == first else page.starts[first] + len(page.lines[first])
            if last > first:
                gone.update(range(first + 1, last))
                pieces.setdefault(last, [])
                self._beyond[first] = end
                self._within.add(last)
                ends[last] = end
        out: dict[int, str | None] = dict.fromkeys(gone)
        for line, found in pieces.items():
            stop = page.starts[line] + len(page.lines[line])
            out[line] = "".join(found) + page.text[ends[line] : stop]
        return out


def _broken(row: Row) -> Row:
    return row._replace(text=f"{row.text.rstrip()}  ")


class _Writer:
    """Puts lines together, knowing what stands above each."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.above, self.line = "", 0
        """The last words, and the line they stand on."""
        self.pending = ""
        self.marker = ""
        """That of a list item whose words are still to come."""
        self.breaks: set[int] = set()
        """Lines that end in a break."""

    def other(self) -> None:
        """Something that is not a line of words comes next."""
        self.above, self.pending, self.marker = "", "", ""

    def rows(self, line: int, text: str) -> list[str]:
        text = _beside(text)
        out: list[str] = []
        for piece in _PARTS.split(text):
            if piece in (BREAK, GAP):
                self.pending = GAP if GAP in (piece, self.pending) else BREAK
                continue
            if not piece.strip() or _MARKS.fullmatch(piece):
                continue
            if _MARKER.fullmatch(piece) and self.pending:  # what is in the item comes below
                self.marker = piece
                continue
            if self.marker:
                piece, self.marker = f"{self.marker}{piece.strip()}", ""
            shown = (
                piece
                if not out and not self.pending
                else piece.strip()
                if not _ITEM.match(piece)
                else piece.rstrip()
            )
            if _PICTURE.fullmatch(bare := _MARKS_IN.sub("", piece).strip()) and (out or self.pending):
                shown, self.pending = bare, GAP
            self._part(out, line, shown)
            out.append(shown)
            self.above, self.line, self.pending = shown, line, ""
            if _PICTURE.fullmatch(shown.strip()):
                self.pending = GAP
        if not out:  # what will stand here parts what is around it
            self.above = self.pending = ""
        return out or [""]

    def _part(self, out: list[str], line: int, shown: str) -> None:
        """A blank line or a break between what is above and `shown`, where a tag parted them."""
        if not self.pending or not self.above.strip():
            return
        if _ITEM.match(shown) and _ITEM.match(self.above):
            return
        blank = self.pending == GAP or _BLOCK.match(shown) or _BLOCK.match(self.above)
        if out:
            if blank:
                out.append("")
            else:
                out[-1] = f"{out[-1].rstrip()}  "
        elif blank:
            self.draft.put(line, "")
        else:
            self.breaks.add(self.line)


_MARKS_IN = re.compile(r"</?(?:a|span|b|i|em|strong|small|br|center|font)(?:[\s/][^<>]*)?>", re.IGNORECASE)


def _beside(text: str) -> str:
    """Air where two boxes stand side by side, and no other blanks do."""
    if BESIDE not in text:
        return text
    words = text.split(BESIDE)
    kept = [part for part in words if part.strip(f" \t{BREAK}{GAP}")]
    if len(kept) < 2:
        return "".join(words)
    return _AIR.join(part.strip(" \t") for part in kept)
