"""A screen that comes back by itself when it crashes.

The program forks before it imports anything large: the child is the screen, the parent waits and costs
nothing. A screen that was up and did not end by itself (killed, a fault of ours) is started again, and
attaches to its class as it was. Both sides return from `kept_up` with the exit status of the screen.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from textual.app import App
    from textual.events import Key

CRASHED = 1  # what Python and Textual exit with after an exception
MOVED_ON = 3  # a screen that leaves for the newest class
TOO_OFTEN, WITHIN_S = 3, 20.0  # so many crashes in so short a time: starting again does not help
BY_HAND = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)
# Back from the alternate screen, with cursor, without mouse, focus, paste and key protocols.
RESET = "\x1b[?1049l\x1b[?25h\x1b[?1000l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[<u\x1b[?2026l\x1b[0m"


class Screen(NamedTuple):
    """What a screen is to come back with. Words without blanks; "" where nothing is known."""

    class_id: str = ""
    layout: str = ""
    theme: str = ""
    text: str = ""
    notes: str = "0"  # steps by which the notes are larger
    typed: str = ""  # keys that it had read and not done


MOST_TYPED = 200
_tell: int | None = None  # the end of the pipe to the waiting parent
_parent = 0
_told = Screen()
_typed = ""
_undone: list[Key] = []


def kept_up(screen: Callable[[Screen | None], int]) -> int:
    """Run `screen(None)`, and after a crash `screen(as it was)`; the exit status at last."""
    try:
        saved = termios.tcgetattr(sys.stdin.fileno())
    except (termios.error, OSError, ValueError):
        return screen(None)  # no terminal of our own to give back
    crashes: list[float] = []
    was: Screen | None = None
    while True:
        ear, mouth = os.pipe()
        me = os.getpid()
        pid = os.fork()
        if pid == 0:
            os.close(ear)
            os.set_blocking(mouth, False)
            _become_child(mouth, me, was.typed if was is not None else "")
            quiet(saved)
            return screen(was)
        os.close(mouth)
        status = _wait(pid)
        told = _last(ear)
        os.close(ear)
        by_signal, code = os.WIFSIGNALED(status), os.waitstatus_to_exitcode(status)
        crashed = told is not None and (code == CRASHED or (by_signal and -code not in BY_HAND))
        if code == MOVED_ON:
            was = None
            continue
        if crashed:
            now = time.monotonic()
            crashes = [at for at in crashes if now - at < WITHIN_S] + [now]
            was = told
            if len(crashes) < TOO_OFTEN:
                continue
        with contextlib.suppress(OSError, termios.error):  # there is no terminal any more
            if by_signal:
                os.write(sys.stdout.fileno(), RESET.encode())
            termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, saved)
        if crashed:
            again = f"the screen crashed {TOO_OFTEN} times{_why()}. The class goes on: `teachrun attach`"
            print(f"teachrun: {again}", file=sys.stderr)
        return code if code >= 0 else 128 - code


_saved: list[Any] | None = None


def quiet(attributes: list[Any]) -> None:
    """Until the screen is there what is typed waits for it."""
    global _saved
    _saved = attributes
    termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, _quiet(attributes))


def loud() -> None:
    """The terminal as it was, with all that was typed."""
    global _saved
    if _saved is not None:
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, _saved)
        _saved = None


def _quiet(attributes: list[Any]) -> list[Any]:
    """A terminal that keeps what is typed until somebody reads it: no echo onto the slide, and no line that
    has to be ended. The waiting parent gives it back as it was."""
    iflag, oflag, cflag, lflag, *rest = attributes
    iflag &= ~(termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR | termios.IGNCR)
    return [iflag, oflag, cflag, lflag & ~(termios.ECHO | termios.ICANON | termios.IEXTEN), *rest]


def _become_child(mouth: int, parent: int, typed: str) -> None:
    global _tell, _parent, _typed
    _tell, _parent, _typed = mouth, parent, typed


def _wait(pid: int) -> int:
    """The end of the child. What is sent to the program by its pid is meant for the screen; that the terminal
    was closed ends the screen alone, so that whoever waits for it can tidy up."""
    before = {}
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        before[number] = signal.signal(number, lambda number, _: _pass_on(pid, number))
    try:
        return os.waitpid(pid, 0)[1]
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _pass_on(pid: int, number: int) -> None:
    # The terminal sends SIGINT to both of us.
    if number != signal.SIGINT:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def _last(ear: int) -> Screen | None:
    """What the screen said last of itself; None when it never was up."""
    os.set_blocking(ear, False)
    heard = b""
    with contextlib.suppress(BlockingIOError):
        while more := os.read(ear, 1 << 16):
            heard += more
    lines = heard.decode().split("\n")[:-1]
    return Screen(*lines[-1].split(" ")) if lines else None


def up(screen: Screen) -> None:
    """The screen is up, and looks like this: said at first and after every change."""
    global _parent, _told
    if _tell is None:
        return
    _told = screen = screen._replace(typed=screen.typed or _told.typed)  # it may go on for a moment
    with contextlib.suppress(OSError):
        os.write(_tell, f"{' '.join(screen)}\n".encode())
    if _parent:
        from runtime.launch.parent_death import die_with_parent

        # Without the parent the terminal is the shell's again.
        die_with_parent(_parent, signal.SIGTERM)
        _parent = 0


def comes_back() -> bool:
    """Whether another screen takes the place of this one, should it crash."""
    return _tell is not None and not _parent


def read(key: Key) -> None:
    """The terminal gave this key, and the program has not done it."""
    if comes_back():
        _undone.append(key)


def did(key: Key) -> None:
    """The program does this key now: should it crash of it, the next screen does not do it too."""
    _undone[:] = [one for one in _undone if one is not key]


def hand_over() -> None:
    """This screen has crashed: what was typed and not done is for the next one."""
    if _undone and comes_back():
        import json

        pairs = [(key.key, key.character) for key in _undone[:MOST_TYPED]]
        up(_told._replace(typed=json.dumps(pairs).encode().hex()))


def handed_over() -> list[tuple[str, str | None]]:
    """The keys, and their characters, that the screen before this one has not done; once."""
    global _typed
    typed, _typed = _typed, ""
    if not typed:
        return []
    import json

    return [(key, character) for key, character in json.loads(bytes.fromhex(typed))]


@contextlib.contextmanager
def crash_log(app: App[Any]) -> Iterator[None]:
    """What a screen says when it fails goes into a file: the next one is there at once, and rooms look on."""
    if _tell is None:
        yield
        return
    from io import StringIO

    from rich.console import Console

    said = StringIO()
    app.error_console = Console(file=said, width=110)
    try:
        yield
    finally:
        if text := said.getvalue():
            with contextlib.suppress(OSError), _log().open("a") as file:
                file.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')}\n{text}\n")


def greeting() -> str:
    """What a screen that came back says."""
    return f"this screen crashed and is back{_why()}"


def _why() -> str:
    """Where the fault can be read, if it was one of ours."""
    with contextlib.suppress(OSError):
        if time.time() - _log().stat().st_mtime < WITHIN_S:
            return f"; why: {_log()}"
    return ""


def _log() -> Path:
    from runtime import paths

    return paths.log_dir() / "crashes.log"
