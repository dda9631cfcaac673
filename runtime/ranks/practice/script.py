"""The script of every rank of an exercise: reads the student's file, then makes one check after the other.

    script.py SOCKET COPY FILE CHECKS

The student's text is read from COPY, which no editor writes to, and is compiled under the name FILE. Each
check is a function of CHECKS, in the order they stand there, of the student's module and of `context.Ranks`;
its docstring says what it shows. After each one the rank waits until all others have passed it too.
"""

from __future__ import annotations

import contextlib
import linecache
import os
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import msgspec
import torch.distributed as dist

from runtime.protocol.practice_messages import (
    LOST,
    MAX_LINE,
    WORD,
    Message,
    Note,
    Trouble,
    Verdict,
    encode,
)
from runtime.ranks.hooks.collective_hooks import CollectiveHooks
from runtime.ranks.practice.context import Failed, Ranks
from runtime.ranks.practice.machine_limits import MOST_FORKS, limit, stop_forks
from runtime.ranks.practice.replaced_names import Unchanged, Watched
from runtime.ranks.practice.told_collectives import Calls

MAX_TEXT = 1000
STUDENT = "exercise"  # what the student's module is called: not `__main__`, so it does not begin on its own


class Teller:
    """The rank's end of the socket. What a process that was forked has to say is not heard."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(path)
        self._lock = threading.Lock()
        self._pid = os.getpid()

    def tell(self, message: Message) -> None:
        """Send a message. A runner that is gone ends the rank."""
        if os.getpid() != self._pid:
            return
        line = encode(message)
        if len(line) > MAX_LINE:
            return
        try:
            with self._lock:
                self._socket.sendall(line)
        except OSError:
            os._exit(LOST)

    def wait_to_go_on(self) -> str:
        """Wait for the runner's word, and return it."""
        try:
            word = self._socket.recv(WORD, socket.MSG_WAITALL)
        except OSError:
            word = b""
        if len(word) < WORD:
            os._exit(LOST)
        return word.decode("ascii", "replace")

    def end_a_fork(self, rank: int) -> None:
        """End this process if it is none of the ranks but was forked by the student's file."""
        if os.getpid() != self._pid:
            note = Note(rank, f"rank {rank} forked: a second process went on as the same rank, and was ended")
            self.tell_from_fork(note)
            os._exit(0)

    def tell_from_fork(self, message: Message) -> None:
        """Send what the forked process itself has to say; its copy of the lock may be held for ever."""
        self._socket.sendall(encode(message))


def main(where: str, copy: str, file: str, checks: str) -> int:
    """Make all checks; returns the exit code."""
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    teller = Teller(where)
    calls = Calls(rank, file, teller.tell)
    CollectiveHooks(calls).open()
    calls.follow_new_groups()
    limit()
    without_end = Trouble("crash", f"your file forks without end: more than {MOST_FORKS} processes")
    stop_forks(lambda: teller.tell_from_fork(Verdict(rank, -1, without_end, 0.0)))
    sys.path[0] = str(Path(file).parent)
    os.chdir(sys.path[0])  # what it writes lands beside it, as where it is started by hand
    sys.dont_write_bytecode = True  # neither beside the student's file nor beside the checks

    folder = Path(where).parent / "files"
    folder.mkdir(exist_ok=True)
    ranks = Ranks(rank, world, calls, folder)

    def forked() -> None:
        if not ranks.forks:
            what = f"started another process (line {calls.line()}), which was ended with it"
            teller.tell(Note(rank, f"rank {rank} {what}"))

    os.register_at_fork(after_in_parent=forked)
    theirs = ModuleType(STUDENT)
    made = _module(checks)
    unchanged = Unchanged(made, (ranks, calls, teller))
    trouble_of = unchanged.trouble  # kept: the name can be given to something else
    calls.watch(trouble_of)

    def look() -> None:
        if (trouble := trouble_of()) is not None:
            raise Failed(trouble)

    seen = Watched(theirs, look)

    def starts() -> None:
        dist.init_process_group("gloo")
        _read(copy, file, theirs)

    for number, check in enumerate([starts, *_functions(made)]):
        word = teller.wait_to_go_on()
        begun = time.monotonic()
        calls.forget()
        calls.idle = False
        trouble = _trouble(lambda check=check: check() if check is starts else check(seen, ranks), file)  # type: ignore[misc]
        teller.end_a_fork(rank)
        trouble = trouble_of() or _unwaited(trouble, calls)
        with contextlib.suppress(Exception):  # they may be closed, or something of the student's
            print(end="", flush=True)
            print(end="", flush=True, file=sys.stderr)
        calls.idle = True
        teller.tell(Verdict(rank, number, trouble, time.monotonic() - begun, word))
    teller.wait_to_go_on()
    os._exit(0)  # without the goodbyes of groups: all has been told


def _module(file: str) -> ModuleType:
    """The checks of a file, read."""
    module = ModuleType("checks")
    module.__file__ = file
    exec(compile(Path(file).read_bytes(), file, "exec"), module.__dict__)
    return module


def _functions(checks: ModuleType) -> list[Callable[..., None]]:
    """The checks of a module, in their order."""
    found = [
        it for name, it in vars(checks).items() if isinstance(it, FunctionType) and not name.startswith("_")
    ]
    return [it for it in found if it.__module__ == "checks"]


def _read(copy: str, file: str, into: ModuleType) -> None:
    """Run the top level of the student's file; tracebacks show its lines, under its own name."""
    data = Path(copy).read_bytes()
    code = compile(data, file, "exec")
    text = data.decode("utf-8", "replace")
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    into.__file__ = file
    sys.modules[STUDENT] = into
    exec(code, into.__dict__)


def _trouble(check: Callable[[], Any], file: str) -> Trouble | None:
    """Make a check; returns why it does not hold. Never raises."""
    try:
        check()
        return None
    except Failed as failed:
        return failed.trouble
    except BaseException as error:
        with contextlib.suppress(Exception):
            traceback.print_exc()
        line, said = _line(error, file), _said(error)
        if isinstance(error, NotImplementedError) and not said:
            return Trouble("unfinished", f"line {line} is still to be written", line=line)
        if isinstance(error, SystemExit):
            return Trouble("crash", f"line {line} ends the rank: exit code {error.code}", line=line)
        missing = isinstance(error, AttributeError) and not line and f"module '{STUDENT}'" in said
        if missing:
            name = getattr(error, "name", "")
            return Trouble(
                "unfinished", f"there is no {name} in your file", meaning="the checks call it by that name"
            )
        return Trouble(
            "crash", f"{type(error).__name__}: {said}" if said else type(error).__name__, line=line
        )


def _said(error: BaseException) -> str:
    try:
        return str(error).strip()[:MAX_TEXT]
    except Exception:  # an error of the student's own may have no words
        return ""


def _unwaited(trouble: Trouble | None, calls: Calls) -> Trouble | None:
    """Say of wrong numbers that somebody has read them before they were there, where that may be so."""
    call = calls.never_waited_for()
    if trouble is None or trouble.kind != "wrong" or call is None:
        return trouble
    said = f"nobody calls wait() on what the {call.op} of line {call.line} returns"
    return msgspec.structs.replace(trouble, meaning=f"{trouble.meaning}; {said}" if trouble.meaning else said)


def _line(error: BaseException, file: str) -> int:
    """The innermost line of the student's file in a traceback, 0 if there is none."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return error.lineno or 1
    lines = [it.lineno or 0 for it in traceback.extract_tb(error.__traceback__) if it.filename == file]
    return lines[-1] if lines else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
