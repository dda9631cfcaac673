"""A TOML file of somebody's own, read so that what is wrong in it names its line and costs nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from slides.problems import Problem, did_you_mean, one_line, quoted

MAX_FILE = 1 << 20
_AT = re.compile(r"\(at line (\d+), column (\d+)\)")


class Table(NamedTuple):
    """What a file says; nothing where it is not there or no TOML."""

    file: str
    text: str = ""
    values: dict[str, Any] = {}
    problems: tuple[Problem, ...] = ()

    def line(self, key: str) -> int:
        """The line on which a key is first set."""
        written = re.compile(rf"""^\s*(\[\s*)?["']?{re.escape(key)}["']?\s*[=\]]""")
        return next((n for n, line in enumerate(self.text.split("\n"), 1) if written.match(line)), 1)

    def take(self, key: str, known: Sequence[str], problems: list[Problem]) -> str:
        """The value of a key that is one of these words; "" where it is not set, or is none of them."""
        value = self.values.get(key, "")
        if value in ("", *known):
            return str(value)
        near = did_you_mean(str(value), known)
        mend = f"Did you mean `{near}`?" if near else f"Known are {', '.join(known)}."
        problems.append(Problem(self.file, self.line(key), f"{quoted(str(value))} is no {key}", mend))
        return ""

    def section(self, key: str, problems: list[Problem]) -> dict[str, Any]:
        """Return the table under `key`; one that is not a table adds to `problems` and counts as empty."""
        value = self.values.get(key, {})
        if isinstance(value, dict):
            return value
        problems.append(
            Problem(self.file, self.line(key), f"{quoted(key)} is not a table", f"Write `[{key}]`.")
        )
        return {}


def read(file: Path) -> Table:
    """The file as far as it can be read. Never raises."""
    shown = str(file)
    try:
        with file.open("rb") as opened:
            data = opened.read(MAX_FILE + 1)
    except FileNotFoundError:
        return Table(shown)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "its name is none"
        return Table(shown, problems=(Problem(shown, 1, f"this cannot be read: {why}", "Check the file."),))
    if len(data) > MAX_FILE:
        return Table(shown, problems=(Problem(shown, 1, "this is over a megabyte", "Check the file."),))
    import tomllib

    try:
        text = data.decode()
        return Table(shown, text, tomllib.loads(text))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Table(shown, problems=(Problem(shown, line, "this is not UTF-8", "Save it as UTF-8."),))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        at = _AT.search(str(error))
        deep = isinstance(error, RecursionError)
        why = "brackets stand in each other too deep" if deep else one_line(_AT.sub("", str(error)))
        what = why[:80].strip().rstrip(".") or "it cannot be read"
        line, column = (int(at[1]), int(at[2])) if at else (text.count("\n") + 1, None)
        wrong = Problem(shown, line, f"this is not TOML: {what}", "All of it is left out until then.", column)
        return Table(shown, text, problems=(wrong,))
