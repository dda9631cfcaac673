"""Code blocks: what the line after ``` says, and the lines of a real file it may ask for.

```python {1-3|5|all} file=demo:ddp lines=20-42 numbers
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from slides import files
from slides.deck import Code
from slides.problems import Mistake, did_you_mean, quoted

DemoFile = Callable[[str], Path | None]

MOST_FRAMES = 99
MAX_SOURCE = 128 * 1024
KEYS = ("file", "lines", "first", "path", "sha")
FLAGS = ("numbers",)

_TOKEN = re.compile(r"\{[^{}]*\}|\"[^\"]*\"|[^\s{}]+")
_RANGE = re.compile(r"([0-9]{1,7})(?:\s*-\s*([0-9]{1,7}))?", re.ASCII)
_EXAMPLE = "Write line numbers of this block, its frames parted by `|`: `{1-3|5|all}`."


@dataclass(frozen=True, slots=True)
class Info:
    """An info string: `focus` is the text within its braces, None where there are none."""

    lang: str = ""
    focus: str | None = None
    numbers: bool = False
    keys: tuple[tuple[str, str], ...] = ()
    unknown: tuple[str, ...] = ()

    def get(self, key: str) -> str:
        return dict(self.keys).get(key, "")


def parse_info(text: str) -> Info:
    """Reads an info string. What it does not know is listed: other programs have their own words."""
    lang, focus, numbers = "", None, False
    keys: dict[str, str] = {}
    unknown: list[str] = []
    for place, token in enumerate(_TOKEN.findall(text)):
        key, equals, value = token.partition("=")
        if token[0] == "{":
            inner = token[1:-1].strip()
            if inner[:1] == ".":  # pandoc's {.python .numberLines}
                lang = lang or inner[1:].split()[0] if inner[1:].split() else lang
            else:
                focus = inner
        elif equals and key in KEYS:
            keys[key] = value.strip('"')
        elif token in FLAGS:
            numbers = True
        elif place == 0 and not equals:
            lang = token
        else:
            unknown.append(token)
    return Info(lang, focus, numbers, tuple(keys.items()), tuple(unknown))


def read_code(info: Info, body: str, folder: Path | None, demo_file: DemoFile | None) -> Code:
    """The code block of `info` and `body`, without its place. `file=` puts lines of that file for the body.

    Raises:
        Mistake: the focus, the file or the lines are not what can be shown.
    """
    source, path, sha = body, info.get("path"), info.get("sha")
    first = _number(info.get("first") or "1", "first")
    if info.get("file"):
        source, path, sha, first = _from_file(info, folder, demo_file)
    elif info.get("lines"):
        raise Mistake("`lines=` stands without `file=`", "Name the file too: `file=train.py lines=20-42`.")
    if len(source) > MAX_SOURCE:
        message = f"this block has {len(source)} characters of code, and at most {MAX_SOURCE} are shown"
        raise Mistake(message, "Pick lines of the file: `lines=20-42`.")
    count = source.count("\n") + 1
    sets = () if info.focus is None else focus(info.focus, count)
    return Code(
        lang=info.lang,
        source=source,
        focus=sets,
        path=path,
        sha=sha,
        first=first,
        numbers=info.numbers,
        frames=max(1, len(sets)),
    )


def focus(spec: str, count: int) -> tuple[frozenset[int], ...]:
    """The line sets of `1-3|5|all` for a block of `count` lines; the empty set is all lines.

    Raises:
        Mistake: it is no such list, or names a line the block does not have.
    """
    frames = spec.split("|")
    if len(frames) > MOST_FRAMES:
        raise Mistake(f"{len(frames)} frames of code focus", f"At most {MOST_FRAMES}.")
    return tuple(_line_set(frame.strip(), spec, count) for frame in frames)


def did_you_mean_key(word: str) -> str:
    return did_you_mean(word.partition("=")[0], (*KEYS, *FLAGS))


def _line_set(frame: str, spec: str, count: int) -> frozenset[int]:
    if frame in ("all", "*"):
        return frozenset()
    lines: set[int] = set()
    for part in frame.split(","):
        match = _RANGE.fullmatch(part.strip())
        if not match:
            raise Mistake(f"{quoted('{' + spec + '}')} is no code focus", _EXAMPLE)
        low, high = int(match[1]), int(match[2] or match[1])
        if not 1 <= low <= high <= count:
            held = "1 line" if count == 1 else f"{count} lines"
            raise Mistake(
                f"the code focus {quoted(part.strip())} is not within this block of {held}", _EXAMPLE
            )
        lines.update(range(low, high + 1))
    return frozenset(lines)


def _from_file(info: Info, folder: Path | None, demo_file: DemoFile | None) -> tuple[str, str, str, int]:
    written = info.get("file")
    if written.startswith("demo:"):
        found = demo_file(written[5:]) if demo_file else None
        if found is None:
            raise Mistake(f"there is no demo {quoted(written[5:])}", "`teachrun list` names the demos.")
        file, shown = found, f"{found.parent.name}/{found.name}"
    else:
        file, shown = files.locate(folder, written), written
    text, data = files.read(file, written)
    lines = text.removesuffix("\n").split("\n")
    low, high = _extent(info.get("lines"), lines, written)
    # Lines out of the middle of a function begin at the left: a slide has no room for its indent.
    return dedent("\n".join(lines[low - 1 : high])), shown, hashlib.sha256(data).hexdigest()[:7], low


def _extent(written: str, lines: Sequence[str], file: str) -> tuple[int, int]:
    if not written:
        return 1, len(lines)
    match = _RANGE.fullmatch(written)
    if not match:
        raise Mistake(f"{quoted(written)} are no lines of a file", "Write `lines=20-42`.")
    low, high = int(match[1]), int(match[2] or match[1])
    if not 1 <= low <= high <= len(lines):
        raise Mistake(
            f"{quoted(file)} has no lines {written}", f"It has {len(lines)}: write `lines=1-{len(lines)}`."
        )
    return low, high


def _number(text: str, key: str) -> int:
    if not re.fullmatch("[0-9]{1,7}", text):
        raise Mistake(f"`{key}={text[:20]}` is no number", f"Write `{key}=20`.")
    return int(text)
