"""Machines that are reached by ssh: what each is to run, and whether it can be reached without asking."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence

from runtime.catalog.params import Refusal, printable
from runtime.cluster.plan import ENVIRONMENT, PORT, Plan

PROGRAM = "ssh"
# Never a question: nobody is there to answer, and a password typed in front of a room is none any more.
SSH = ("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=5")
_REACH_S = 20.0
_HOST = re.compile(
    r"(?:[\w.-]+@)?(?:[A-Za-z0-9_](?:[\w.-]*\w)?|\[[0-9a-fA-F:.]+\]|[0-9a-fA-F]*:[0-9a-fA-F:.]+)"
)


def read(text: str) -> tuple[str, ...] | Refusal:
    """Read `a,b,user@c`, or why it names no machines.

    A name that begins with `-` would be an option of ssh.
    """
    hosts = tuple(part.strip() for part in text.split(","))
    for host in hosts:
        if not _HOST.fullmatch(host) or host.startswith("-"):
            return Refusal(
                f"{printable(host) or 'an empty word'} is no name of a machine", "write --hosts a,b"
            )
    if len(set(hosts)) < len(hosts):
        return Refusal("--hosts names a machine twice", "name each once: it gets all ranks of its node")
    return hosts


def address(host: str) -> str:
    """Return the name of a machine without whose account it is."""
    return host.rpartition("@")[2]


def remote(plan: Plan, hosts: Sequence[str], node: int, job: str, *, shown: bool = False) -> str:
    """Return the line that a shell of the machine runs; `shown`: for people, with secrets taken out."""
    endpoint = f"{address(hosts[0])}:{PORT}"
    torchrun = plan.torchrun(endpoint, job, "1" if node == 0 else "0", shown=shown)
    settings = " ".join(f"{name}={value}" for name, value in ENVIRONMENT.items())
    there = f"cd {shlex.quote(plan.folder)} && " if plan.folder else ""
    return f"{there}{settings} exec {' '.join(torchrun)}"


def command(plan: Plan, hosts: Sequence[str], node: int, job: str, *, shown: bool = False) -> list[str]:
    """Return the words that start a node from here."""
    return [*SSH, hosts[node], remote(plan, hosts, node, job, shown=shown)]


def reach(host: str) -> Refusal | None:
    """Return why a machine cannot be used, None if it can: asked once, by ssh, without a password."""
    if shutil.which(PROGRAM) is None:
        return Refusal(
            "ssh is not installed here", "apt-get install openssh-client, or run each line by hand"
        )
    try:
        done = subprocess.run(
            [*SSH, host, "true"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_REACH_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Refusal(f"{host} has not answered within {_REACH_S:g} s", f"try `ssh {host} true`")
    return None if done.returncode == 0 else _meaning(host, done.stderr)


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
