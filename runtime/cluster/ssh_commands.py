"""Machines that are reached by ssh: what each of them runs, as text for a shell.

Each runs an agent (`runtime.agent`), which guards its ranks and reaches us through the connection that
started it. It ends when its input does: with the connection, however that ends.
"""

from __future__ import annotations

import ipaddress
import os
import re
import secrets
import shlex
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from runtime import paths
from runtime.catalog.machines import Machines
from runtime.catalog.params import Refusal, printable
from runtime.cluster.hidden_secrets import redacted
from runtime.cluster.plan import Plan

PROGRAM = "ssh"
# Never a question: nobody is there to answer, and a password typed in front of a room is none any more.
SSH = ("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=5", "-o", "ServerAliveInterval=15")
_NAME = re.compile(r"[A-Za-z0-9_](?:[\w.-]*\w)?")
_ACCOUNT = re.compile(r"[\w.][\w.-]*")
_ZONE = re.compile(r"[\w.-]+")  # an interface
_WITH_PORT = re.compile(r"(.*[^:\]]|\[.*\]):\d+")


def read(text: str) -> tuple[str, ...] | Refusal:
    """Read `a,b,user@c`, or why it names no machines.

    An address of IPv6 may stand in brackets, which ssh does not know. A name that begins with `-` would be
    an option of ssh.
    """
    hosts = []
    for host in (part.strip() for part in text.split(",")):
        account, at, name = host.rpartition("@")
        plain = name[1:-1] if name.startswith("[") and name.endswith("]") else name
        if (at and not _ACCOUNT.fullmatch(account)) or not (_NAME.fullmatch(plain) or _is_ipv6(plain)):
            return _no_machine(host)
        hosts.append(f"{account}{at}{plain}")
    known: dict[str, str] = {}
    for host in hosts:
        before = known.setdefault(address(host).lower(), host)
        if before is not host:
            twice = printable(host) if before == host else f"{printable(before)} and {printable(host)}"
            return Refusal(
                f"--hosts names a machine twice: {twice}", "name each once: it gets all ranks of its node"
            )
    return tuple(hosts)


def _is_ipv6(name: str) -> bool:
    plain, percent, zone = name.partition("%")
    if percent and not _ZONE.fullmatch(zone):
        return False
    try:
        return ipaddress.ip_address(plain).version == 6
    except ValueError:
        return False


def _no_machine(host: str) -> Refusal:
    why = f"{printable(host) or 'an empty word'} is not a name of a machine"
    if _WITH_PORT.fullmatch(host):
        name = host.rpartition(":")[0].rpartition("@")[2].strip("[]")  # ssh looks for it without
        return Refusal(
            f"{why}: ssh takes its port from ~/.ssh/config",
            f"write `Host {printable(name)}` and `Port {printable(host.rpartition(':')[2])}` there, and "
            "leave the port out here",
        )
    return Refusal(why, "write names as ssh takes them, with commas between: --hosts a,b")


def address(host: str) -> str:
    """Return the name of a machine without whose account it is, as it stands before a port."""
    name = host.rpartition("@")[2]
    return f"[{name}]" if ":" in name else name


WAYS = "/tmp/teachrun-*.sock"  # the folder is everybody's, so that each name is one that nobody can guess


def ways(hosts: Sequence[str]) -> tuple[str, ...]:
    """Return where the agent of each host finds us: a path that nobody can have taken before."""
    return tuple(WAYS.replace("*", secrets.token_hex(8)) for _ in hosts)


def remove_dead_ways() -> None:
    """Remove ways of this user's that lead nowhere any more: `ssh -R` leaves its socket behind, and an agent
    that was killed could not remove it."""
    folder, pattern = WAYS.rsplit("/", 1)
    for way in Path(folder).glob(pattern):
        with suppress(OSError):
            info = way.lstat()
            if stat.S_ISSOCK(info.st_mode) and info.st_uid == os.getuid() and not paths.answers(way):
                way.unlink()


def remote(plan: Plan, node: int, meet: str, *, shown: bool = False) -> str:
    """Return the line that a shell of machine `node` runs: an agent, whose ranks all meet at `meet`
    (HOST:PORT), and whose host says the rest on its input.

    `shown`: for people, with secrets taken out.
    """
    argv = plan.argv if plan.behind is None else plan.behind
    said = redacted(argv) if shown else argv
    behind = f" -- {shlex.join(said)}" if said and plan.behind is not None else ""
    words = [
        plan.python,
        "-P",
        "-m",
        "teachrun",
        "run",
        plan.script if plan.behind is not None else plan.name,
    ]
    words += redacted(plan.params) if shown else plan.params
    words += ["--nnodes", str(plan.nodes), "--node-rank", str(node), "--rdzv", meet, "--join", "-"]
    there = f"cd {shlex.quote(plan.folder)} && " if plan.folder else ""
    return f"{there}exec {shlex.join(words)}{behind}"


def command(plan: Plan, machines: Machines, node: int, here: str, *, shown: bool = False) -> list[str]:
    """Return the words that start an agent on a machine, and lead its way to our socket `here`."""
    way = ["-R", f"{machines.ways[node]}:{here}"]
    meet = f"{machines.meet}:{machines.port}"
    there = remote(plan, node, meet, shown=shown)
    return [*SSH, *way, "-o", "ExitOnForwardFailure=yes", machines.names[node], there]


def announced(plan: Plan, machines: Machines, node: int, here: str) -> tuple[str, str]:
    """Return what is shown of a machine before anything starts there: the environment of its ranks, and the
    command, with secrets taken out."""
    environment = plan.environment(node, f"{machines.meet}:{machines.port}")
    return environment, shlex.join(command(plan, machines, node, here, shown=True))
