"""Two network namespaces joined by a pair of virtual cards of a shaped rate: two machines, as TCP sees it.

What is made has no name and lives as long as the processes in it: whoever is killed, nothing is left behind.
`unshare` makes the namespaces (no right is needed where user namespaces are allowed), `ip` the cards and
addresses, `tc` shapes what leaves each of them. A link is then shared by all connections between the nodes,
as a cable is, and what stands in its queue is late; more latency than that where it is asked for.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from runtime.launch.torchrun import c10d

CARD = "teach0"  # of the same name in both
ADDRESSES = ("10.77.0.1", "10.77.0.2")
PORT = 29500  # nobody else is in there
_OWN = ("unshare", "--user", "--map-root-user", "--net")
# Bytes that may go at once (at least what goes in a tick of the kernel), and how long a byte may wait.
_BURST, _LATENCY = "512kb", "400ms"
_QUEUE = "100000"  # packets: a second of 1 Gbit/s
_PATIENCE_S = 10.0
_NEEDED = (("unshare", "util-linux"), ("nsenter", "util-linux"), ("ip", "iproute2"), ("tc", "iproute2"))


SBIN = ("/usr/sbin", "/sbin")  # where Debian has `ip` and `tc`, and few people look


class Impossible(Exception):
    """Why there can be no namespaces here, and what to do instead: one line."""


INSTEAD = "write link= without network=netns, which needs neither"
# What refuses a namespace, by what `unshare` says of it (clone(2)), and what allows it again.
_ALLOW = {
    "No space left on device": "sysctl user.max_user_namespaces is 0, or all are in use: set it to 10000",
    "Operation not permitted": "allow user namespaces (sysctl kernel.apparmor_restrict_unprivileged_userns=0;"
    " in Docker run with --security-opt seccomp=unconfined)",
    "Invalid argument": "this kernel is built without user namespaces",
}
LATER = "this kernel adds no latency to a card: leave latency= out, or write network=simulated"


def _program(name: str) -> str:
    """Return the path of a program; its name where there is none."""
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), *SBIN))
    return shutil.which(name, path=path) or name


def _say(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    return lines[-1][:160] if lines else f"exit code {done.returncode}"


def inside(command: Sequence[str]) -> list[str]:
    """Return `command` so that it runs in a network of its own. Raises `Impossible`."""
    if sys.platform != "linux":
        raise Impossible(f"only Linux has network namespaces: {INSTEAD}")
    for program, package in _NEEDED:
        if _program(program) == program:
            raise Impossible(f"{program} is not installed (Debian: apt install {package}); or {INSTEAD}")
    tried = subprocess.run([*_OWN, "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        said = _say(tried)
        allow = [f"{mend}, or " for cause, mend in _ALLOW.items() if cause in said]
        raise Impossible(f"no network namespace can be made ({said}): {''.join(allow)}{INSTEAD}")
    return [*_OWN, *command]


def shaped(bits_s: int | None, latency_s: float) -> tuple[str, ...]:
    """Return the words of `tc` for a card of this rate and latency, () where it stays as it is."""
    if latency_s:  # a bucket knows no latency; what is late by it stands in a queue
        rate = () if bits_s is None else ("rate", f"{bits_s}bit")
        return ("netem", "delay", f"{latency_s * 1000:g}ms", *rate, "limit", _QUEUE)
    return () if bits_s is None else ("tbf", "rate", f"{bits_s}bit", "burst", _BURST, "latency", _LATENCY)


class SecondNode:
    """The other namespace, held open by a process that ends with us. Call it from within the first."""

    def __init__(self, bits_s: int | None, latency_s: float = 0.0) -> None:
        """Join both by cards of this rate (None: as fast as they go), each with a latency. Raises
        `Impossible`."""
        self._holder = subprocess.Popen(
            ["unshare", "--net", "cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
        )
        self._wait_for_it()
        there = self.enter(())
        pid = str(self._holder.pid)
        run_command("ip", "link", "add", CARD, "type", "veth", "peer", "name", CARD, "netns", pid)
        for way, address in zip(((), there), ADDRESSES, strict=True):
            run_command(*way, "ip", "link", "set", "lo", "up")
            run_command(*way, "ip", "address", "add", f"{address}/24", "dev", CARD)
            run_command(*way, "ip", "link", "set", CARD, "up")
            if shape := shaped(bits_s, latency_s):
                run_command(*way, "tc", "qdisc", "add", "dev", CARD, "root", *shape)

    def enter(self, command: Sequence[str]) -> list[str]:
        """Return `command` so that it runs in the second namespace."""
        return ["nsenter", f"--net=/proc/{self._holder.pid}/ns/net", *command]

    def close(self) -> None:
        """Let go of it: it is gone with the last process inside."""
        if self._holder.stdin is not None:
            self._holder.stdin.close()
        self._holder.wait()

    def _wait_for_it(self) -> None:
        mine, deadline = Path("/proc/self/ns/net").readlink(), time.monotonic() + _PATIENCE_S
        while Path(f"/proc/{self._holder.pid}/ns/net").readlink() == mine:
            if self._holder.poll() is not None or time.monotonic() > deadline:
                raise Impossible(f"a second network namespace cannot be made: {INSTEAD}")
            time.sleep(0.01)


def carried() -> tuple[int, int]:
    """Return the bytes that this node's card has sent and received so far, with all headers."""
    for line in Path("/proc/self/net/dev").read_text().splitlines():
        name, _, figures = line.partition(":")
        if name.strip() == CARD:
            words = figures.split()
            return int(words[8]), int(words[0])
    return 0, 0


def rendezvous(node: int) -> list[str]:
    """Return how torchrun is told where to meet: its own rendezvous, at an address of the first node."""
    host = "1" if node == 0 else "0"
    return [*c10d(f"{ADDRESSES[0]}:{PORT}", "teachrun", host), f"--local-addr={ADDRESSES[node]}"]


def environment() -> dict[str, str]:
    """Return what the ranks need in theirs: by itself gloo would ask what this machine's name means."""
    return {**os.environ, "GLOO_SOCKET_IFNAME": CARD, "TP_SOCKET_IFNAME": CARD}


def run_command(*words: str) -> None:
    """Run a command of iproute2. Raises `Impossible` where it is refused."""
    done = subprocess.run([_program(w) if w in ("ip", "tc") else w for w in words],
                          capture_output=True, text=True, check=False)  # fmt: skip
    if done.returncode:
        said = " ".join(word for word in words if not word.startswith(("nsenter", "--net")))
        mend = LATER if "netem" in words else INSTEAD
        raise Impossible(f"`{said}` was refused ({_say(done)}): {mend}")
