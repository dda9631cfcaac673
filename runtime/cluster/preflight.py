"""Looks at a machine before anything is started on it: can it be reached, and has it what the others have.

One question by ssh, without a password, to the interpreter that is to run the ranks. torch is not imported.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import time

import msgspec

from runtime.catalog.params import Refusal, printable
from runtime.cluster.hosts import PROGRAM, SSH

_REACH_S = 20.0
# Run here and there: what a node has.
_ASK = """
import importlib.metadata as m, json, os, platform, resource, sys, time
def version(of):
    try: return m.version(of)
    except m.PackageNotFoundError: return ""
print(json.dumps({"python": platform.python_version(),
    "torch": version("torch"), "teachrun": version("teachrun"),
    "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
    "memory": os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if sys.platform == "linux" else 0,
    "files": resource.getrlimit(resource.RLIMIT_NOFILE)[0], "clock": time.time()}))
"""


class Found(msgspec.Struct, frozen=True):
    """What a machine has: versions ("": not installed), memory that is free now (bytes, 0: not known), files
    that a process may open, and its clock (seconds since 1970)."""

    python: str
    torch: str
    teachrun: str
    cores: int
    memory: int
    files: int
    clock: float
    ahead_s: float = 0.0  # of our clock
    within_s: float = 0.0  # so sure is that: half of the round trip

    @property
    def line(self) -> str:
        """What it has, on one line."""
        free = f", {self.memory / 1e9:.1f} GB free" if self.memory else ""
        return (
            f"python {self.python}, torch {self.torch}, {self.cores} cores{free}, {self.files} files, "
            f"clock {self.ahead_s:+.2f} s (within {self.within_s:.2f} s)"
        )


def here(python: str) -> Found | Refusal:
    """Return what this machine has."""
    return _asked([python, "-P", "-c", _ASK], "this machine", python)


def look(host: str, python: str, ours: Found, ranks: int) -> Found | Refusal:
    """Return what a machine has, or why it cannot be one of those that have `ours`."""
    if shutil.which(PROGRAM) is None:
        return Refusal(
            "ssh is not installed here", "apt-get install openssh-client, or run each line by hand"
        )
    found = _asked([*SSH, host, shlex.join([python, "-P", "-c", _ASK])], host, python)
    if isinstance(found, Refusal):
        return found
    for what, theirs, mine in (
        ("teachrun", found.teachrun, ours.teachrun),
        ("torch", found.torch, ours.torch),
    ):
        if theirs != mine:
            has = f"has {what} {printable(theirs)}" if theirs else f"has no {what}"
            return Refusal(
                f"{host} {has}, here is {mine or 'none'}", f"install {what} {mine} there: {python} -m pip"
            )
    if found.files < 64 + 16 * ranks:
        return Refusal(f"{host} lets a process open {found.files} files", "raise it there: `ulimit -n 4096`")
    return found


def _asked(words: list[str], host: str, python: str) -> Found | Refusal:
    asked = time.time()
    try:
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_REACH_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Refusal(f"{host} has not answered within {_REACH_S:g} s", f"try `ssh {host} true`")
    except OSError as error:
        return Refusal(f"{printable(words[0])} cannot be used: {error.strerror}", "name another interpreter")
    half = (time.time() - asked) / 2
    if done.returncode == 255:  # ssh's own
        return _meaning(host, done.stderr)
    last = next((line for line in reversed(done.stdout.splitlines()) if line.startswith("{")), "")
    try:
        found = msgspec.json.decode(last, type=Found)
    except msgspec.DecodeError:
        return Refusal(
            f"{host} cannot run {printable(python)}",
            "install python, torch and teachrun there, at the same path",
        )
    return msgspec.structs.replace(found, ahead_s=found.clock - (asked + half), within_s=half)


def _meaning(host: str, said: str) -> Refusal:
    """Return what ssh's own words mean for who has to mend it."""
    last = next((line for line in reversed(said.splitlines()) if line.strip()), "no word of why")
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
            f"{host} is not known here, or is another machine than it was",
            f"run `ssh {host}` once and compare its fingerprint",
        )
    if "Connection refused" in said:
        return Refusal(f"{host} has no ssh server that listens", "start it there: `systemctl start ssh`")
    return Refusal(f"ssh {host} failed: {printable(last)}", f"try `ssh {host} true`")
