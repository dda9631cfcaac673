"""Why a command does not begin, or has failed: said on stderr, in a line with what to do instead."""

from __future__ import annotations

import os
import sys

from tui.command_line.exit_codes import USAGE


def complain(text: str, status: int = USAGE) -> int:
    """Say what is wrong and what to do instead; the exit status, of wrong usage unless another is given."""
    print(f"teachrun: {text}", file=sys.stderr)
    return status


def no_terminal() -> str:
    """Why a screen cannot be shown here, or ""."""
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stdout is not None and sys.stdout.isatty()):
        return (
            "a screen needs a terminal at both ends, and input or output is redirected. Run it in a terminal "
            "(with ssh: `ssh -t`), or with `--plain` in lines; `teachrun run` and `teachrun quiz` need none"
        )
    if os.environ.get("TERM") == "dumb":
        return (
            "this terminal says that it can only write lines (TERM=dumb). Add `--plain`, or run it in another"
        )
    return ""


def check_class(class_id: str | None) -> str:
    """Return why `class_id` cannot name a class, "" if it can or is None."""
    from runtime import paths

    if class_id is None or paths.valid_class_id(class_id):
        return ""
    return f"--class {class_id!r} cannot name a class. Use letters, digits, - and _"


def tell_left(count: int) -> None:
    """Say on stderr that so many processes of ours are still there."""
    many = "1 process" if count == 1 else f"{count} processes"
    print(f"teachrun: {many} could not be ended; see `teachrun ps`", file=sys.stderr)
