"""Runs a scene's file in a process of its own, which has so much time and memory and no more."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from slides.problems import Mistake, one_line
from slides.scenes.python_files import scene_data

SECONDS = 10.0
MEMORY = 2 << 30  # bytes of addresses; a library of arrays takes half a GiB of them without being used
WRITES = 64 << 20  # bytes of a file that it writes
_SAVE = "Fix it there: it runs again when the file is saved."


class Limits(NamedTuple):
    """What it may take: seconds on the clock, bytes of memory, bytes of a file that it writes."""

    seconds: float = SECONDS
    memory: int = MEMORY
    writes: int = WRITES


USUAL = Limits()


class _Answer(msgspec.Struct):
    steps: msgspec.Raw = msgspec.Raw()
    wrong: tuple[int, str, str] | None = None
    read: list[str] = []


def run(file: Path, words: Mapping[str, str], limits: Limits = USUAL, read: list[Path] | None = None) -> str:
    """Return the steps of a scene as JSON that `scene_data.states` can read.

    Whoever calls this has asked whether the file may run. The files of its folder that it opened are added to
    `read`, also where it failed.

    Raises:
        Mistake: It failed, hung, took too much, or gave what cannot be drawn; with file:line.
    """
    name = file.name
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        code = _ended(file, words, limits, out.fileno(), err.fileno())
        out.seek(0)
        said = out.read(scene_data.MOST_BYTES + (1 << 10))
        err.seek(0)
        last = err.read(1 << 20).decode(errors="replace")
    if "Timeout (" in last or code is None:
        raise Mistake(
            f"{name}{_hung_at(last, file)} was ended: it ran for more than {limits.seconds:g} s",
            "A scene only says what there is: work out less, or read it from a file.",
        )
    try:
        answer = msgspec.json.decode(said, type=_Answer)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise Mistake(f"{name} ended without a scene: {_how(code)}", _SAVE) from None
    if read is not None:
        read += map(Path, answer.read)
    if answer.wrong is not None:
        line, message, mend = answer.wrong
        place = f"{name}:{line}" if line else name
        raise Mistake(one_line(f"{place}: {message}")[:400], one_line(mend)[:200] or _SAVE)
    steps = bytes(answer.steps).decode()
    try:
        scene_data.states(steps)
    except Mistake as why:
        raise Mistake(f"{name}: {why.message}", why.mend) from None
    return steps


def _ended(file: Path, words: Mapping[str, str], limits: Limits, out: int, err: int) -> int | None:
    """How its process ended; None: it had to be ended by us."""
    asked = {"file": str(file), "words": dict(words), **limits._asdict()}
    quiet = {"PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    told = msgspec.json.encode(asked).decode()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", f"{__package__}.scene_child", str(out), told],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=err,
        pass_fds=(out,),
        cwd=file.parent,
        env={**os.environ, **quiet},
        start_new_session=True,
    )
    assert process.stdin is not None
    with process.stdin:  # when it closes the process ends, also where we are killed
        over = _is_over(process.pid, time.monotonic() + limits.seconds + 5.0)
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)  # and what it has started; the number is still its own
        return process.wait() if over else None


def _is_over(pid: int, until: float) -> bool:
    """Wait for a process to end, without taking its number from it."""
    while time.monotonic() < until:
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return True
        time.sleep(0.01)
    return False


def _hung_at(told: str, file: Path) -> str:
    """`:12`, the line of the file that was running."""
    found = re.search(rf'File "{re.escape(str(file))}", line (\d+)', told)
    return f":{found[1]}" if found else ""


def _how(code: int | None) -> str:
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return f"its process was ended by {signal.Signals(-code).name}"
    return f"its process ended with {code}"
