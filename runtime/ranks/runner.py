"""Runs one rank's script to its end, the same way in a forked rank and under torchrun.

The script is a plain one: it finds its folder first on `sys.path` and is `__main__`, as if Python had started
it. What it raises becomes a traceback in its log, a `Fault` and an exit code; what it says as it ends itself
(`sys.exit` with a text) a `Fault` too.
"""

from __future__ import annotations

import io
import os
import runpy
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from runtime.ranks.fail_safe import harmless
from runtime.ranks.probe import probe

if TYPE_CHECKING:
    from typing_extensions import Buffer  # collections.abc has it from Python 3.12

MAX_WHAT = 500
_FOLDER = str(Path(__file__).parent) + os.sep


def run_script(script: str, argv: tuple[str, ...], listen: bool = False) -> int:
    """Run `script` with `argv` as `__main__`; returns its exit code. Never raises.

    `listen`: instrument a script that does not call the probe.
    """
    sys.argv = [script, *argv]
    sys.path.insert(0, str(Path(script).resolve().parent))
    with harmless("tell of the launch"):
        probe.booting("import")
    code, stand_in = 0, None
    try:
        if os.environ.get("TEACHRUN_ON_CPU"):
            from runtime.ranks.on_cpu.gpu_on_cpu import GpuOnCpu

            stand_in = GpuOnCpu(probe.changed)
            with harmless("stand in for a GPU"):
                stand_in.begin()
        with harmless("listen"):
            (probe.listen if listen else probe.instrument)()
        runpy.run_path(script, run_name="__main__")
    except SystemExit as stop:
        code = _exit_code(stop)
        with harmless("tell a refusal"):
            if said := _refusal(stop):
                probe.fault(said, locate(stop), refused=True)
    except BaseException as error:
        code = 1
        with harmless("tell a fault"):
            probe.fault(describe(error), locate(error))
        print_theirs(error)
    if stand_in is not None:
        with harmless("tell what was changed for the CPU"):
            stand_in.close()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            pass  # a full disk or a stream the script closed: the exit code still counts
    with harmless("say goodbye"):
        probe.close(code)
    return code


def _exit_code(stop: SystemExit) -> int:
    """Return the interpreter's exit code for this exception (library reference, `sys.exit`)."""
    if stop.code is None:
        return 0
    if isinstance(stop.code, int):
        return stop.code & 0xFF
    print(stop.code, file=sys.stderr)
    return 1


def _refusal(stop: SystemExit) -> str:
    """Return the first line of what the script said when it ended itself, "" if it gave but a number."""
    said = "" if stop.code is None or isinstance(stop.code, int) else str(stop.code).strip()
    return said.partition("\n")[0].rstrip()[:MAX_WHAT]


def print_theirs(error: BaseException) -> None:
    """Print the traceback as the script alone would: without frames of the runner and the wrappers."""
    told: traceback.TracebackException | None = traceback.TracebackException.from_exception(error)
    first = told
    while told is not None:
        told.stack = traceback.StackSummary.from_list([f for f in told.stack if not _is_ours(f.filename)])
        told = told.__cause__ or told.__context__
    assert first is not None
    print("".join(first.format()), end="", file=sys.stderr)


def _is_ours(file: str) -> bool:
    return file.startswith(_FOLDER) or file in (runpy.__file__, "<frozen runpy>")


def describe(error: BaseException) -> str:
    """Return the exception in one line: `ValueError: …`, at most `MAX_WHAT` characters.

    A checkpoint that fails only counts its ranks (`CheckpointException`): what happened to the first is said.
    """
    inside = getattr(error, "failures", None)
    first = next(iter(inside.values()), None) if isinstance(inside, dict) else None
    if isinstance(first, tuple) and first and isinstance(first[0], BaseException):
        return f"{type(error).__name__}: {describe(first[0])}"[:MAX_WHAT]
    said = str(error).strip().splitlines()
    return (f"{type(error).__name__}: {said[0]}" if said else type(error).__name__)[:MAX_WHAT]


def locate(error: BaseException) -> str:
    """Return `file:line` of the innermost frame outside installed libraries, or of a syntax error."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno or 1}"
    stack = [f for f in traceback.extract_tb(error.__traceback__) if not _is_ours(f.filename)]
    theirs = [f for f in stack if "site-packages" not in f.filename and not f.filename.startswith("<")]
    frames = theirs or stack
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""


def log_to(folder: str, rank: int) -> None:
    """Send this process's output, C++ libraries' included, to the log of this rank in `folder`."""
    path = Path(folder) / f"rank-{rank}.log"
    pipe = path.with_suffix(".pipe")  # of a guardian, who keeps the log within bounds
    where, how = (pipe, 0) if pipe.exists() else (path, os.O_CREAT | os.O_APPEND)
    log = os.open(where, os.O_WRONLY | os.O_CLOEXEC | how, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
    sys.stdout, sys.stderr = log_stream(1), log_stream(2)


class _Log(io.FileIO):
    """Loses what a full disk refuses: a `print` must not end the training."""

    def write(self, data: Buffer) -> int:
        try:
            return super().write(data) or 0
        except OSError:
            return memoryview(data).nbytes


def log_stream(fd: int) -> io.TextIOWrapper:
    """Return a text stream over the descriptor of a rank's log, flushed at each line."""
    raw = io.BufferedWriter(_Log(fd, "w", closefd=False))
    return io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", line_buffering=True)
