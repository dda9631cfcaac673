"""The last look at what goes to a terminal: whatever it would obey, and is not ours, is taken out.

Who writes somebody else's words cleans them where they are put into a sentence; what was forgotten there,
and what libraries say of their own, ends here. JSON keeps every character, those a terminal obeys by number.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO, cast

if TYPE_CHECKING:
    from types import TracebackType

_BIDI = "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
_OBEYED = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{_BIDI}]")
_REPLACED = "\N{REPLACEMENT CHARACTER}"
_RAW = re.compile(f"[\x7f-\x9f{_BIDI}]")


class _Harmless:
    """A stream of text through which no escape goes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(_OBEYED.sub(_REPLACED, text))
        return len(text)

    def writelines(self, lines: Iterator[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def errors() -> Iterator[None]:
    """What is said on stderr meanwhile. The screen of a class has its own way to the terminal."""
    before = sys.stderr
    ours = cast(TextIO, _Harmless(before))
    sys.stderr = ours
    try:
        yield
    except Exception:
        sys.excepthook = _told  # what fails with somebody else's words in it
        raise
    finally:
        if sys.stderr is ours:
            sys.stderr = before


def _told(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """A traceback, as Python writes it."""
    from traceback import format_exception

    sys.stderr.write(_OBEYED.sub(_REPLACED, "".join(format_exception(kind, error, trace))))


@contextmanager
def lines() -> Iterator[None]:
    """The same for stdout where a terminal reads it: a file or a pipe gets what was asked for."""
    before = sys.stdout
    if not before.isatty():
        yield
        return
    sys.stdout = cast(TextIO, _Harmless(before))
    try:
        yield
    finally:
        sys.stdout = before


def dumps(data: object, **how: Any) -> str:
    """As `json.dumps`, with letters as they are."""
    return in_json(json.dumps(data, ensure_ascii=False, **how))


def in_json(text: str) -> str:
    """A text in JSON, with nothing raw in it that a terminal obeys; it means what it did."""
    return _RAW.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
