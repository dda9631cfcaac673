"""Guards our code on the script's thread: where it fails, the script goes on undisturbed.

Whatever the probe does between two lines of a script runs inside `harmless`, `silent` or `Around`. A failure
there costs a figure. It is reported once, as ours, in the log and beside the badge; the script never sees it.
What the script itself raises passes through, and so do faults injected on purpose (`on_purpose`).
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
_FOLDER = Path(__file__).parent
MOST = 8  # kinds of failures that are told


class Mishaps:
    """Failures of the probe, each kind once. `tell(what, why)` reports them beyond the log."""

    def __init__(self) -> None:
        self.tell: Callable[[str, str], None] = lambda what, why: None
        self.known: dict[str, str] = {}

    def note(self, what: str, error: BaseException) -> None:
        """Report that the probe failed to `what`. Never raises."""
        try:
            if what in self.known or len(self.known) >= MOST:
                return
            said = str(error).strip().splitlines()
            why = f"{type(error).__name__}: {said[0][:200]}" if said else type(error).__name__
            self.known[what] = why
            line = f"teachrun: the probe failed to {what}{_where(error)}: {why}; the script goes on"
            print(line, file=sys.stderr, flush=True)
            self.tell(what, why)
        except Exception:
            pass  # a closed stderr, an error whose text cannot be made: nothing is left to say it with


mishaps = Mishaps()


def on_purpose(error: BaseException) -> None:
    """Mark an exception as meant for the script, so that it passes through."""
    error.__teachrun_meant__ = True  # type: ignore[attr-defined]


def _ours(error: BaseException | None) -> bool:
    return isinstance(error, Exception) and not getattr(error, "__teachrun_meant__", False)


def _where(error: BaseException) -> str:
    """Return the innermost line of ours: ` (memory.py:120)`."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        if _FOLDER in file.parents and file.name != Path(__file__).name:
            return f" ({file.name}:{frame.lineno})"
    return ""


class harmless(AbstractContextManager[None]):
    """Guard a block of ours that calls nothing of the script's: `with harmless("weigh gradients"):`."""

    __slots__ = ("_what",)

    def __init__(self, what: str) -> None:
        self._what = what

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is None or not _ours(error):
            return False
        mishaps.note(self._what, error)
        return True


def silent(what: str) -> Callable[[Callable[P, T]], Callable[P, T | None]]:
    """Decorate a function to return None where it fails."""

    def make(plain: Callable[P, T]) -> Callable[P, T | None]:
        @wraps(plain)
        def call(*args: P.args, **kwargs: P.kwargs) -> T | None:
            try:
                return plain(*args, **kwargs)
            except Exception as error:
                if not _ours(error):
                    raise
                mishaps.note(what, error)
                return None

        return call

    return make


class Around(AbstractContextManager[None]):
    """A context around lines of the script: if `inner` fails to enter or to exit, only that is lost."""

    __slots__ = ("_entered", "_inner", "_what")

    def __init__(self, what: str, inner: AbstractContextManager[None]) -> None:
        self._what, self._inner, self._entered = what, inner, False

    def __enter__(self) -> None:
        with harmless(self._what):
            self._inner.__enter__()
            self._entered = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._entered:
            try:
                self._inner.__exit__(kind, error, trace)
            except Exception as raised:
                if raised is not error:
                    if not _ours(raised):
                        raise
                    mishaps.note(self._what, raised)
