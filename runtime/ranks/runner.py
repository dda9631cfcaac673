"""Runs one rank's script to its end, the same way under the stage and under torchrun.

Under torchrun this module is what a worker starts: `python -m runtime.ranks.runner SCRIPT ARGS…`. The script
is a plain one: it finds its folder first on `sys.path` and is `__main__`, as if Python had started it. What
it raises becomes a traceback in its log, a `Fault` and an exit code.
"""

from __future__ import annotations

import io
import os
import runpy
import sys
import traceback
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from runtime.lifeline import die_with_parent
from runtime.ranks.probe import probe

if TYPE_CHECKING:
    from typing_extensions import Buffer  # collections.abc has it from Python 3.12

MAX_WHAT = 500


def run_script(script: str, argv: tuple[str, ...]) -> int:
    """Run `script` with `argv` as `__main__`; returns its exit code. Never raises."""
    sys.argv = [script, *argv]
    sys.path.insert(0, str(Path(script).resolve().parent))
    probe.boot("import")
    code = 0
    try:
        probe.instrument()
        runpy.run_path(script, run_name="__main__")
    except SystemExit as stop:
        code = _exit_code(stop)
    except BaseException as error:
        code = 1
        probe.fault(describe(error), locate(error))
        traceback.print_exception(type(error), error, _own_frames(error.__traceback__))
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            pass  # a full disk or a stream the script closed: the exit code still counts
    probe.close(code)
    return code


def _exit_code(stop: SystemExit) -> int:
    """What the interpreter would exit with (library reference, `sys.exit`)."""
    if stop.code is None:
        return 0
    if isinstance(stop.code, int):
        return stop.code & 0xFF
    print(stop.code, file=sys.stderr)
    return 1


def _own_frames(frames: TracebackType | None) -> TracebackType | None:
    """The traceback from the script's first line on, without the machinery that started it."""
    machinery = (__file__, runpy.__file__, "<frozen runpy>")
    while frames is not None and frames.tb_frame.f_code.co_filename in machinery:
        frames = frames.tb_next
    return frames


def describe(error: BaseException) -> str:
    """The exception in one line: `ValueError: …`, at most `MAX_WHAT` characters."""
    said = str(error).strip().splitlines()
    return (f"{type(error).__name__}: {said[0]}" if said else type(error).__name__)[:MAX_WHAT]


def locate(error: BaseException) -> str:
    """`file:line` of the innermost frame that is not an installed library's; where a syntax error stands."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno or 1}"
    stack = traceback.extract_tb(_own_frames(error.__traceback__))
    ours = [f for f in stack if "site-packages" not in f.filename and not f.filename.startswith("<")]
    frames = ours or list(stack)
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""


def log_to(folder: str, rank: int) -> None:
    """Send this process's output, C++ libraries' included, to `rank-N.log` in `folder`."""
    path = Path(folder) / f"rank-{rank}.log"
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
    sys.stdout, sys.stderr = _log_stream(1), _log_stream(2)


class _Log(io.FileIO):
    """Loses what a full disk refuses: a `print` must not end the training."""

    def write(self, data: Buffer) -> int:
        try:
            return super().write(data) or 0
        except OSError:
            return memoryview(data).nbytes


def _log_stream(fd: int) -> io.TextIOWrapper:
    raw = io.BufferedWriter(_Log(fd, "w", closefd=False))
    return io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", line_buffering=True)


def main() -> int:
    """A torchrun worker. It dies with its agent even if that is killed, and logs as the stage's ranks do."""
    die_with_parent(os.getppid())
    if folder := os.environ.get("TEACHRUN_LOG_DIR"):
        log_to(folder, int(os.environ["RANK"]))
    script, *argv = sys.argv[1:]
    return run_script(script, tuple(argv))


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # no waiting for threads of gloo or of the script: everything was sent and written
