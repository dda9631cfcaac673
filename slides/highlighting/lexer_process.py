"""The other end of `slides.highlighting.lexer`: lexers that nobody vouches for run in a process that can be
ended."""

from __future__ import annotations

import atexit
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from threading import Lock

from slides.highlighting.lexer import Runs

BUDGET_S = 0.3  # of the processor, for one text
WAIT_S = 3.0  # on the clock, where the machine gives it no processor
PATIENCE = 3  # texts that ran out, until no more are tried: a class is not to stand still for a deck


class RanOut(Exception):
    """The text was not read within its time, or none is given any more."""


class Worker:
    """Starts its process with the first text, and again after one that ended it."""

    def __init__(self, idle_s: float = 60.0) -> None:
        """A process that had nothing to do for `idle_s` ends."""
        self._idle_s = idle_s
        self.process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()
        self._ran_out = 0

    def runs(self, lang: str, lines: Sequence[str]) -> Runs | None:
        """As `slides.highlighting.lexer.runs`. Raises `RanOut`."""
        with self._lock:
            if self._ran_out >= PATIENCE:
                raise RanOut
            request = json.dumps([lang, list(lines), BUDGET_S]).encode() + b"\n"
            answer = self._asked(request)
            if answer is None:
                self._ran_out += 1
                raise RanOut
            found: Runs | None = json.loads(answer)
            return found

    def _asked(self, request: bytes) -> bytes | None:
        """What it answered; None when it was ended over this."""
        for fresh in (False, True):
            process = self.process
            if fresh or process is None or process.poll() is not None:
                self.close()
                fresh, process = True, self._started()
            answer = _exchanged(process, request, time.monotonic() + WAIT_S)
            if answer is not None:
                return answer
            self.close()
            # One that had ended of itself for want of work, just then, says nothing about this text.
            if fresh or process.returncode != 0:
                return None
        return None

    def _started(self) -> subprocess.Popen[bytes]:
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "slides.highlighting.lexer", str(self._idle_s)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        return self.process

    def close(self) -> None:
        """Kill the process and wait for it; does nothing where none runs."""
        process, self.process = self.process, None
        if process is not None:
            process.kill()
            process.wait()
            for end in (process.stdin, process.stdout):
                assert end is not None
                end.close()


def _exchanged(process: subprocess.Popen[bytes], request: bytes, until: float) -> bytes | None:
    """The line that answers `request`, by the clock at `until` the latest."""
    assert process.stdin is not None and process.stdout is not None
    source, out = process.stdin.fileno(), process.stdout.fileno()
    os.set_blocking(source, False)
    answer = bytearray()
    while not answer.endswith(b"\n"):
        left = until - time.monotonic()
        reads, writes, _ = select.select([out], [source] if request else [], [], max(0.0, left))
        if not reads and not writes:
            return None
        try:
            if writes:
                request = request[os.write(source, request) :]
            if reads:
                data = os.read(out, 65536)
                if not data:
                    return None
                answer += data
        except BlockingIOError:
            continue
        except OSError:
            return None
    return bytes(answer)


worker = Worker()
atexit.register(worker.close)
