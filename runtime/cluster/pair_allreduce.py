"""A real all-reduce between two machines, before a training needs one: gloo, two ranks, by ssh.

It finds what no look at one machine does: a name that leads elsewhere, a firewall between them, an interface
that gloo must not take.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import threading
from contextlib import suppress

import msgspec

from runtime.catalog.params import Refusal, printable
from runtime.cluster.ssh_commands import SSH, address

LIMIT_S = 60.0  # an import of torch on a cold disk is most of it
BYTES = 8 << 20  # of the tensor: enough that starting it is not what is measured
_LONGEST = 1 << 12  # bytes of a line
# What torch prints around the reason: where in its own source, and the calls that led there.
_ASIDE = re.compile(r"frame #\d+|Exception raised from |Traceback |File \"|\[W\d|\^+$")
_OF_PYTHON = re.compile(r"^[\w.]+(?:Error|Exception): ")
# Run on both: rank 0 says at which port it is met, at last its seconds of the fastest of five. Each ends with
# who asked, whose end of its input is closed then.
_MEET = """
import datetime, os, sys, threading, time, torch, torch.distributed as dist
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(1)), daemon=True).start()
rank, host, port, count = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
soon = datetime.timedelta(seconds=30)
store = dist.TCPStore(host, port, 2, rank == 0, timeout=soon, wait_for_workers=False)
if rank == 0: print("port", store.port, flush=True)
dist.init_process_group("gloo", store=store, rank=rank, world_size=2, timeout=soon)
tensor, times = torch.ones(count), []
for _ in range(6):
    dist.barrier(); began = time.perf_counter()
    dist.all_reduce(tensor); times.append(time.perf_counter() - began)
if rank == 0: print("seconds", min(times[1:]), float(tensor[0]), flush=True)
dist.destroy_process_group()
"""


class Speed(msgspec.Struct, frozen=True):
    """An all-reduce of `bytes` that both ranks took part in; `seconds` of the fastest of five."""

    bytes: int
    seconds: float

    @property
    def bytes_s(self) -> float:
        """What goes each way in a second: with two ranks a ring sends the whole buffer once."""
        return self.bytes / self.seconds


def measure(first: str, second: str, python: str, limit_s: float = LIMIT_S) -> Speed | Refusal:
    """All-reduce between two machines, or why there is none; `python` is the interpreter on both."""
    started: list[_Rank] = []
    late = threading.Timer(limit_s, _kill, [started])
    late.start()
    try:
        one = _Rank(first, python, 0, address(first), 0)
        started.append(one)
        port = one.says(b"port ")
        if not port.isdigit():
            mend = f"{address(first)} has to be an address of that machine that others reach"
            return Refusal(f"{first} accepts no connections: {one.last or 'it said nothing'}", mend)
        other = _Rank(second, python, 1, address(first), int(port))
        started.append(other)
        seconds, _, total = one.says(b"seconds ").partition(" ")
        if total and float(total) == 2.0**6:  # ones, doubled by each of six sums
            return Speed(BYTES, float(seconds))
        other.says(b"\0")
        # Who was waited for in vain knows only that.
        waited = "it did not arrive in time" if "timeout" in one.last else one.last
        why = f"{second} does not reach {first}: {other.last or waited or 'neither said why'}"
        return Refusal(why, "open the ports between them, or name the interface: GLOO_SOCKET_IFNAME")
    except OSError as error:
        return Refusal(f"ssh cannot be started: {error.strerror}", "install openssh-client")
    finally:
        late.cancel()
        for one in started:
            one.end()


def _kill(started: list[_Rank]) -> None:
    for one in started:
        one.kill()


class _Rank:
    """A process on a machine, and the last thing it said that nobody asked for."""

    def __init__(self, host: str, python: str, rank: int, at: str, port: int) -> None:
        words = [python, "-P", "-c", _MEET, str(rank), at, str(port), str(BYTES // 4)]
        self.last = ""
        self._process = subprocess.Popen(
            [*SSH, host, shlex.join(words)],
            stdin=subprocess.PIPE,  # held until the end
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def says(self, begins: bytes) -> str:
        """What stands behind `begins` on the first line that begins so, "" where none does."""
        assert self._process.stdout is not None
        while line := self._process.stdout.readline(_LONGEST):
            if line.startswith(begins):
                return line.removeprefix(begins).decode(errors="replace").strip()
            said = line.decode(errors="replace").strip()
            if said and not _ASIDE.match(said):
                self.last = printable(_OF_PYTHON.sub("", said), 160)
        return ""

    def kill(self) -> None:
        """End it now; whoever waits for its words has an end then, too."""
        self._process.kill()

    def end(self) -> None:
        """End it, as far as it is there."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        self._process.kill()
        self._process.wait()
