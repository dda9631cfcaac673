"""Looks at a machine before anything is started on it: can it be reached, and has it what the others have.

One question by ssh, without a password, to the interpreter that is to run the ranks. torch is not imported.
"""

from __future__ import annotations

import inspect
import secrets
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Protocol

import msgspec

from runtime.catalog.params import Refusal, printable
from runtime.cluster.ssh_commands import PROGRAM, SSH
from runtime.launch.gpus import models

AT_ONCE = 16  # machines that are asked beside each other
REACH_S = 20.0
SSHS_OWN = 255  # what ssh ends with where it is not the command's own status
_UNREACHED = ("timed out", "No route to host", "Network is unreachable")
_LONGEST = 1 << 12  # bytes of a line: nobody else's output is waited for to its end
# Run here and there: what a node has.
# Then it answers each line with its clock.
ASK = (
    f"""from __future__ import annotations
import importlib.metadata as m, json, os, platform, resource, socket, sys, time
from pathlib import Path
{inspect.getsource(models)}"""
    + """
def version(of):
    try: return m.version(of)
    except m.PackageNotFoundError: return ""
def own():
    try: return socket.gethostbyname(socket.gethostname())
    except OSError: return ""
def up(name):
    try: return open("/sys/class/net/" + name + "/operstate").read().strip() != "down"
    except OSError: return True
print(json.dumps({"python": platform.python_version(),
    "torch": version("torch"), "teachrun": version("teachrun"),
    "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
    "memory": os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if sys.platform == "linux" else 0,
    "files": resource.getrlimit(resource.RLIMIT_NOFILE)[0], "gpus": models(), "own": own(),
    "interfaces": [name for _, name in socket.if_nameindex() if up(name)][:32]}), flush=True)
for line in sys.stdin: print(time.time(), flush=True)
"""
)
# What is written on one machine is looked for on the others, where a run has its checkpoints.
_MARK = """
import sys
try:
    from runtime import paths
    file = paths.runs_dir() / sys.argv[2]
    if sys.argv[1] == "make": file.parent.mkdir(parents=True, exist_ok=True); file.touch()
    elif sys.argv[1] == "drop": file.unlink(missing_ok=True)
    elif not file.exists(): sys.exit(str(file.parent))
except OSError as error: sys.exit(str(error))
"""
_ROUNDS = 8  # the shortest of so many round trips tells most of a clock


class Found(msgspec.Struct, frozen=True):
    """What a machine has: versions ("": not installed), memory that is free now (bytes, 0: not known), files
    that a process may open, and the models of its NVIDIA GPUs. `own` is the address that its own name leads
    to ("": none), `interfaces` are those that are up."""

    python: str
    torch: str
    teachrun: str
    cores: int
    memory: int
    files: int
    gpus: tuple[str, ...] = ()
    own: str = ""
    interfaces: tuple[str, ...] = ()
    ahead_s: float = 0.0  # its clock, of ours
    within_s: float = 0.0  # so sure is that: half of the shortest round trip

    @property
    def has(self) -> str:
        """Which GPUs these are: `no GPUs`, `2 NVIDIA H100 80GB HBM3`."""
        return _in_words(self.gpus)

    @property
    def line(self) -> str:
        """What it has, on one line."""
        free = f", {self.memory / 1e9:.1f} GB free" if self.memory else ""
        return (
            f"python {self.python}, torch {self.torch}, {self.cores} cores{free}, {self.has}, "
            f"{self.files} files, clock {self.ahead_s * 1000:+.2f} ms (within {self.within_s * 1000:.2f} ms)"
        )


def here(python: str) -> Found | Refusal:
    """Return what this machine has."""
    return _asked([python, "-P", "-c", ASK], "this machine", python)


def reach(host: str, python: str) -> Found | Refusal:
    """Return what a machine has, or why it cannot be asked."""
    if shutil.which(PROGRAM) is None:
        return Refusal(
            "ssh is not installed here", "apt-get install openssh-client, or run each line by hand"
        )
    return _asked([*SSH, host, shlex.join([python, "-P", "-c", ASK])], host, python)


def reach_all(named: Sequence[str], python: str) -> list[Found | Refusal]:
    """Return the same of each machine, asked beside each other: one that is silent holds up none."""
    with ThreadPoolExecutor(AT_ONCE, "preflight") as those:
        return list(those.map(lambda host: reach(host, python), named))


def lacks_software(host: str, it: Found, ours: Found, python: str) -> Refusal | None:
    """Return which program a machine lacks that an agent needs there; `ours` is what is here."""
    if not it.torch:
        return Refusal(f"{host} has no torch", f"install it there: {python} -m pip install torch")
    if it.teachrun != ours.teachrun:
        has = f"teachrun {printable(it.teachrun)}" if it.teachrun else "no teachrun"
        return Refusal(
            f"{host} has {has}, here is {ours.teachrun}", f"install teachrun {ours.teachrun} there"
        )
    return None


def lacks_files(host: str, it: Found, ranks: int) -> Refusal | None:
    """Return that a process cannot open as many files there as `ranks` ranks need."""
    if it.files < 64 + 16 * ranks:
        return Refusal(
            f"{host} allows only {it.files} open files per process", "raise it there: `ulimit -n 4096`"
        )
    return None


def look_at_all(named: Sequence[str], python: str, ours: Found, ranks: int) -> list[Found | Refusal]:
    """Return what each machine has, or why `ranks` ranks cannot be started there."""
    return [
        it
        if isinstance(it, Refusal)
        else lacks_software(host, it, ours, python) or lacks_files(host, it, ranks) or it
        for host, it in zip(named, reach_all(named, python), strict=True)
    ]


class Equipped(Protocol):
    """What has to be the same on all machines: torch, and the models of the GPUs."""

    @property
    def torch(self) -> str:
        """The version that it has."""

    @property
    def gpus(self) -> tuple[str, ...]:
        """The models of its GPUs."""


def _in_words(gpus: tuple[str, ...]) -> str:
    kinds = Counter(map(printable, gpus))
    return printable(" + ".join(f"{count} {kind}" for kind, count in kinds.items()), 120) or "no GPUs"


def unequal(host: str, it: Equipped, first: str, its: Equipped, *, gpus: bool) -> Refusal | None:
    """Return why a machine cannot train together with the first one; `gpus`: ranks may compute on them."""
    if it.torch != its.torch:
        torch = f"torch {printable(it.torch)}", f"torch {printable(its.torch)}"
        return Refusal(f"{host} has {torch[0]}, {first} has {torch[1]}", "install the same on all machines")
    if gpus and it.gpus != its.gpus:
        has = _in_words(it.gpus), _in_words(its.gpus)
        return Refusal(f"{host} has {has[0]}, {first} has {has[1]}", "write device=cpu, or leave one out")
    return None


def shares(host: str, file: str) -> bool | None:
    """Whether a machine has a file at the same path as this one; None where it could not be asked."""
    asked = [*SSH, host, f"test -e {shlex.quote(file)}"]
    try:
        code = subprocess.run(
            asked, capture_output=True, timeout=REACH_S, stdin=subprocess.DEVNULL
        ).returncode
    except (OSError, subprocess.TimeoutExpired):
        return None
    return code == 0 if code in (0, 1) else None


def common_folder(named: Sequence[str], python: str) -> Refusal | None:
    """Return why ranks of these machines cannot read each other's checkpoints, None where they can: what one
    puts into the folder of runs, all others have to see there."""
    mark = f".seen-{secrets.token_hex(8)}"

    def has(host: str, what: str) -> str | Refusal:
        asked = [*SSH, host, shlex.join([python, "-P", "-c", _MARK, what, mark])]
        try:
            told = subprocess.run(asked, capture_output=True, timeout=REACH_S, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return Refusal(
                f"{host} has not said within {REACH_S:g} s whether it sees the checkpoints",
                "look whether it is busy or its disk hangs, and start again",
            )
        except OSError as error:
            return printable(str(error))
        said = told.stderr.decode(errors="replace")
        if told.returncode == SSHS_OWN:
            return meaning(host, said)
        return "" if told.returncode == 0 else (said.strip().splitlines() or ["no reason given"])[-1]

    first, *others = named
    try:
        if said := has(first, "make"):
            if isinstance(said, Refusal):
                return said
            return Refusal(f"{first} cannot keep checkpoints: {printable(said)}", "make room for them there")
        with ThreadPoolExecutor(AT_ONCE, "preflight") as those:
            answers = list(those.map(lambda host: has(host, "look"), others))
    finally:
        has(first, "drop")
    if (unasked := next((answer for answer in answers if isinstance(answer, Refusal)), None)) is not None:
        return unasked
    without = {host: answer for host, answer in zip(others, answers, strict=True) if answer}
    if not without:
        return None
    seen, said = next(iter(without.items()))
    return Refusal(
        f"{', '.join(without)} would not see the checkpoints that {first} writes",
        f"share one folder between them, which is {printable(str(said), 120)} on {seen}, or write restarts=0",
    )


def _asked(words: list[str], host: str, python: str) -> Found | Refusal:
    try:
        asked = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        return Refusal(f"{printable(words[0])} cannot be used: {error.strerror}", "name another interpreter")
    late = threading.Timer(REACH_S, asked.kill)
    late.start()
    try:
        found, rounds = _heard(asked)
        said = asked.communicate()[1].decode(errors="replace")
    finally:
        late.cancel()
        asked.kill()
    if found is not None and rounds:
        within, ahead = min(rounds)
        return msgspec.structs.replace(found, ahead_s=ahead, within_s=within)
    if asked.returncode == -signal.SIGKILL:
        return Refusal(f"{host} has not answered within {REACH_S:g} s", f"try `ssh {host} true`")
    if asked.returncode == SSHS_OWN:
        return meaning(host, said)
    return Refusal(
        f"{host} cannot run {printable(python)}", "install python, torch and teachrun there, at the same path"
    )


def _heard(asked: subprocess.Popen[bytes]) -> tuple[Found | None, list[tuple[float, float]]]:
    """Return what it has and, for each round trip, half of its seconds and how far its clock was ahead."""
    assert asked.stdin is not None
    assert asked.stdout is not None
    found: Found | None = None
    rounds: list[tuple[float, float]] = []
    with suppress(OSError, ValueError, msgspec.DecodeError):  # it has hung up, or is something else
        while found is None and (line := asked.stdout.readline(_LONGEST)):
            found = msgspec.json.decode(line, type=Found) if line.startswith(b"{") else None
        for _ in range(_ROUNDS if found is not None else 0):
            began = time.time()
            asked.stdin.write(b"\n")
            asked.stdin.flush()
            clock, half = float(asked.stdout.readline(_LONGEST)), (time.time() - began) / 2
            rounds.append((half, clock - (began + half)))
    return found, rounds


def meaning(host: str, said: str) -> Refusal:
    """Return what ssh's own words mean for who has to mend it."""
    last = next((line.strip() for line in reversed(said.splitlines()) if line.strip()), "no reason given")
    if "resolve hostname" in said:
        return Refusal(
            f"{host} does not resolve",
            "spell it as `getent hosts` knows it, or give it an address in ~/.ssh/config",
        )
    if "Permission denied" in said:
        return Refusal(
            f"{host} asks for a password", f"put your key there: `ssh-copy-id {host}`, or load it: `ssh-add`"
        )
    if "Host key verification failed" in said:
        return Refusal(
            f"{host} has an unknown or changed ssh host key",
            f"run `ssh {host}` once and compare its fingerprint",
        )
    if "Connection refused" in said:
        return Refusal(f"{host} runs no ssh server", "start it there: `systemctl start ssh`")
    if any(words in said for words in _UNREACHED):
        return Refusal(
            f"{host} does not answer: {printable(last.rpartition(': ')[2])}",
            f"check that it is up and on this network, and its address: `ssh -G {host}`",
        )
    return Refusal(
        f"ssh {host} failed: {printable(last.removeprefix('ssh: '), 120)}", f"try `ssh {host} true`"
    )
