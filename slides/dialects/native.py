"""Writes native text for dialects: notes, settings, code, columns, pictures, the whole deck."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from slides.deck import NATIVE
from slides.dialects.translation import KEPT, PAUSE, Row
from slides.problems import Problem
from slides.reading.scan import is_separator, scan

EMPTY = "<!-- -->"  # a slide with nothing on it is a slide all the same
_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_LANGUAGE = re.compile(r"[\w#+.-]{1,40}")
_RESERVED = ("run", "numbers", "steps")
_RANGE = re.compile(r"([0-9]{1,6})(?:\s*-\s*([0-9]{0,6}))?", re.ASCII)
_MOST_FRAMES = 99
_FOCUS = re.compile(r" \{([^{}]*\|[^{}]*)\}")


class Translation(NamedTuple):
    """A native `text`; `places[n]` is the line of the deck's file that its line n (from 0) was made of."""

    text: str
    places: tuple[int, ...]
    problems: tuple[Problem, ...] = ()
    files: tuple[str, ...] = ()
    """Other files that it was made of, or that it asks for."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A code block. `focus` may name lines that do not exist; `first` is the number of its first line."""

    lang: str = ""
    focus: str = ""
    first: int = 1
    numbers: bool = False
    run: bool = False
    gives: str = ""  # "replace" or "image"
    hide: str = ""
    expect: str = ""
    file: str = ""
    lines: str = ""
    instead: bool = False

    def info(self, code: Sequence[str]) -> str:
        """Return the info string of its fence."""
        lang = self.lang if _LANGUAGE.fullmatch(self.lang) and self.lang not in _RESERVED else ""
        if lang == "diff" and not any(row[:1] in ("+", "-") for row in code):
            lang = "text"
        run = self.run and lang and lang != "diff"
        words = [lang]
        hidden = len(_numbers(self.hide, len(code))) if self.hide else 0
        count = max(len(code) - hidden, 1) if not self.file else 1_000_000
        if focus := focused(self.focus, count):
            words.append("{" + focus + "}")
        words += ["run", self.gives] * bool(run) + ["numbers"] * self.numbers
        words += [f"first={self.first}"] * (self.first > 1)
        words += [f"hide={self.hide}"] * (0 < hidden < len(code))
        words += [f"expect={self.expect}"] * bool(self.expect and run and self.gives != "image")
        if self.file:
            name = self.file.replace('"', "")
            words.append(f'file="{name}"' if re.search(r"[\s{}']", name) else f"file={name}")
            words += [f"lines={self.lines}"] * bool(self.lines)
        words += ["instead"] * self.instead
        return " ".join(word for word in words if word)


def focused(spec: str, count: int) -> str:
    """Return a code focus as ours, for a block of `count` lines; "" if nothing of it can be shown."""
    frames: list[str] = []
    for frame in spec.split("|")[:_MOST_FRAMES] if spec.strip() else ():
        kept: list[str] = []
        for part in frame.split(","):
            match = _RANGE.fullmatch(part.strip())
            if not match:
                continue
            low = int(match[1])
            high = min(int(match[2]), count) if match[2] else count if "-" in part else low
            if 1 <= low <= high <= count:
                kept.append(f"{low}-{high}" if high > low else str(low))
        frames.append(",".join(kept) or "all")
    return "|".join(frames) if frames != ["all"] else ""


def _numbers(spec: str, count: int) -> set[int]:
    found: set[int] = set()
    for part in spec.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match:
            found.update(range(int(match[1]), min(int(match[2] or match[1]), count) + 1))
    return {number for number in found if 1 <= number <= count}


def spans(numbers: Iterable[int]) -> str:
    """Write 1, 2, 3 and 7 as `1-3,7`."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(f"{low}-{high}" if high > low else str(low) for low, high in runs)


def note(body: str, place: int) -> list[Row]:
    """Write notes, whose first line is line `place` of the file."""
    lines = _without_marks(body).split("\n")
    skipped = 0
    while lines and not lines[0].strip():
        lines.pop(0)
        skipped += 1
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        return []
    if len(lines) == 1:
        return [Row(f"<!-- notes: {lines[0].strip()} -->", place + skipped)]
    margin = min((len(row) - len(row.lstrip()) for row in lines if row.strip()), default=0)
    rows = [Row(row[margin:].rstrip(), place + skipped + n) for n, row in enumerate(lines)]
    return [Row("<!-- notes:", place), *rows, Row("-->", rows[-1].place)]


def settings(place: int, **values: str) -> list[Row]:
    """Write the comment `<!-- slide: {…} -->`."""
    pairs = [f"{key}: {_quoted(value)}" for key, value in values.items() if value]
    return [Row(f"<!-- slide: {{{', '.join(pairs)}}} -->", place)] if pairs else []


def _without_marks(body: str) -> str:
    """What is put into a comment, with no mark of a comment in it."""
    return body.replace("<!--", "‹!--").replace("-->", "--›")


def aside(body: str, place: int) -> list[Row]:
    """Write what is known but not shown as a comment."""
    lines = [row.rstrip() for row in _without_marks(body).split("\n")]
    return [Row(f"<!-- {KEPT} {lines[0]}", place), *(Row(row, place) for row in lines[1:]), Row("-->", place)]


def columns(widths: Sequence[int], parts: Sequence[Sequence[Row]], place: int) -> list[Row]:
    """Write `::: columns` of as many `parts` as `widths`."""
    out = [Row("", place), Row(f"::: columns {','.join(map(str, widths))}", place)]
    for n, part in enumerate(parts):
        if n:
            out += [Row("", place), Row("+++", place), Row("", place)]
        out += closed(part)
    return [*out, Row("", place), Row(":::", place), Row("", place)]


def picture(path: str, alt: str, width: str = "") -> str:
    """Write a picture in Markdown, whatever is in its path."""
    alt = _BREAKS.sub(" ", alt).replace("[", "(").replace("]", ")").strip()
    path = _BREAKS.sub(" ", path).strip()
    if re.search(r"[\s()<>]", path):
        path = f"<{path.replace('<', '%3C').replace('>', '%3E')}>"
    return f"![{alt}]({path})" + (f"{{width={width}}}" if width else "")


def closed(rows: Sequence[Row]) -> list[Row]:
    """Close what `rows` leave open, and change lines that end a slide, so that others can follow."""
    out = list(rows)
    for _ in range(3):  # what a comment left open hid may leave something open itself
        lines = [row.text for row in out]
        marks = scan(lines)
        place = out[-1].place if out else 1
        fence = next((fence for fence in marks.fences if not fence.closed), None)
        comment = next((comment for comment in marks.comments if not comment.closed), None)
        if fence is None and comment is None:
            return [
                row._replace(text="***") if not marks.held[n] and is_separator(lines, n) else row
                for n, row in enumerate(out)
                if marks.held[n]
                or lines[n].strip()
                or not n
                or lines[n - 1].strip()  # one blank line is enough
            ]
        if fence is not None:
            out.insert(fence.end, Row(fence.mark, place))
        elif comment is not None:
            out[comment.last] = out[comment.last]._replace(text=out[comment.last].text + " -->")
    return [Row(f"    {row.text}", row.place) for row in rows]  # as it was written, and nothing more


def assemble(
    slides: Sequence[Sequence[Row]], meta: Mapping[str, str], problems: Sequence[Problem] = ()
) -> Translation:
    """Assemble the deck with exactly these slides; `meta` is its front matter."""
    rows = [Row("---", 1), Row(f"format: {NATIVE}", 1)]
    rows += [Row(f"{key}: {_value(value)}", 1) for key, value in meta.items() if value.strip()]
    rows.append(Row("---", 1))
    place = 1
    for n, slide in enumerate(slides or [[]]):
        found = _in_turn(_trimmed(closed(slide)))
        if found:  # a slide begins where the first of its lines stands, whatever was put above that
            place = min(row.place for row in found)
            found[0] = found[0]._replace(place=place)
        if n:
            rows += [Row("", place), Row("---", place), Row("", place)]
        rows += found or [Row(EMPTY, place)]
        place = rows[-1].place
    rows.append(Row("", place))
    text = "\n".join(row.text for row in rows)
    return Translation(text, tuple(row.place for row in rows), tuple(problems))


def _trimmed(rows: Sequence[Row]) -> list[Row]:
    start, end = 0, len(rows)
    while start < end and not rows[start].text.strip():
        start += 1
    while start < end and not rows[end - 1].text.strip():
        end -= 1
    return list(rows[start:end])


def _in_turn(rows: list[Row]) -> list[Row]:
    """Code blocks that are focused one after the other, as all of them have it; ours go together.

    The later one waits with its first frame until the frames of those above it are over.
    """
    ahead, end = 0, 0
    first = {fence.first: fence for fence in scan([row.text for row in rows]).fences}
    for n, row in enumerate(rows):
        if n < end:
            continue
        if fence := first.get(n):
            end = fence.end
            focus = _FOCUS.search(row.text)
            frames = focus[1].split("|") if focus else [""]
            instead = row.text.endswith(" instead")  # begins behind the last frame above by itself
            if focus and ahead and not instead and ahead + len(frames) <= _MOST_FRAMES:
                text = "|".join([*[frames[0]] * ahead, *frames])
                rows[n] = row._replace(text=f"{row.text[: focus.start(1)]}{text}{row.text[focus.end(1) :]}")
            ahead += len(frames) - (not instead)
        elif is_pause(row):
            ahead = 0
    return rows


def without_last_pause(rows: Sequence[Row]) -> list[Row]:
    """Return `rows` without a pause that nothing follows."""
    out = _trimmed(rows)
    if out and is_pause(out[-1]):
        out.pop()
    return out


def is_pause(row: Row) -> bool:
    """Whether a row is the comment that makes a pause, also inside a quote."""
    return row.text.lstrip(" \t>") == PAUSE


def _value(text: str) -> str:
    """A value of the front matter, on one line."""
    line = _BREAKS.sub(" ", text).strip()
    return line if re.fullmatch(r"[A-Za-z][\w ./-]*", line) else json.dumps(line, ensure_ascii=False)


def _quoted(text: str) -> str:
    line = _BREAKS.sub(" ", text).replace("-->", "--›").strip()
    return line if re.fullmatch(r"[A-Za-z][\w]*", line) else json.dumps(line, ensure_ascii=False)
