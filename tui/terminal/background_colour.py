"""Asks the terminal whether its background is light or dark, before the screen starts."""

from __future__ import annotations

import os
import re
import select
import sys
import time

_asked = ""
_LAST_ANSWER = re.compile(rb"\x1b\[\?[\d;]*c\Z")  # a colour may end in a c, too


def found() -> str:
    """`light` or `dark`, as the terminal has said; "" if it was not asked or has not answered."""
    return _asked


def ask(timeout: float = 0.15) -> bool:
    """Ask the terminal for its background (OSC 11) before the screen starts; no answer changes nothing.

    Must run while nobody else reads the terminal. Returns whether an answer may still come: on a slow line
    it comes when keys are read.
    """
    global _asked
    import termios
    import tty

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    fd = sys.stdin.fileno()
    before = termios.tcgetattr(fd)
    answer = b""
    try:
        tty.setcbreak(fd)
        # The second question is answered by every terminal, so one that ignores the first costs no wait.
        os.write(sys.stdout.fileno(), b"\x1b]11;?\x1b\\\x1b[c")
        until = time.monotonic() + timeout
        while (left := until - time.monotonic()) > 0 and not _LAST_ANSWER.search(answer):
            if not select.select([fd], [], [], left)[0]:
                break
            answer += os.read(fd, 256)
    finally:
        termios.tcsetattr(fd, termios.TCSANOW, before)
    _asked = parse(answer)
    return not _LAST_ANSWER.search(answer)


def parse(answer: bytes) -> str:
    """`light` or `dark` from a terminal's answer to OSC 11 (`rgb:hhhh/hhhh/hhhh`), "" where there is none."""
    _, found, rest = answer.partition(b"]11;rgb:")
    if not found:
        return ""
    parts = rest.replace(b"\x07", b"\x1b").partition(b"\x1b")[0].split(b"/")
    try:
        red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in parts)
    except (ValueError, ZeroDivisionError):
        return ""
    return "light" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5 else "dark"
