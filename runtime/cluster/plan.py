"""What a run on several machines is, before anybody starts it: each node's torchrun, as text for a shell.

torchrun does the launching: one of it on every node, all told to meet at the first one (its c10d rendezvous).
Whoever starts these (a person, ssh, Slurm, Kubernetes) has no further part in it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from runtime.catalog.params import Refusal, number
from runtime.catalog.registry import Launchable
from runtime.cluster.hidden_secrets import redacted
from runtime.launch.rank_environment import ONE_THREAD, QUIET, rank_environment
from runtime.launch.torchrun import c10d

PORT = 29400  # where torchrun's rendezvous listens by itself
_NO_NAME = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Plan:
    """`ranks` are those of each node; `gpus` of each node, 0 where nobody asked for any; `folder` is where
    the script runs, "" for one that does not care."""

    name: str
    script: str
    argv: tuple[str, ...]
    nodes: int
    ranks: int
    python: str
    folder: str
    gpus: int = 0
    restarts: int = 0
    builtin: bool = True
    params: tuple[str, ...] = ()  # as they were asked for, `key=value`
    behind: tuple[str, ...] | None = None  # a script's own arguments; None: it is a demo of ours
    script_word: str = ""  # how a shell finds the script, where that is not its path

    @property
    def title(self) -> str:
        """A name for the job: lower-case letters, digits and `-`, at most 50 characters (RFC 1123)."""
        plain = _NO_NAME.sub("-", self.name.rsplit("/", 1)[-1].removesuffix(".py").lower()).strip("-")
        return f"teachrun-{plain or 'run'}"[:50].rstrip("-")

    def torchrun(self, endpoint: str, job: str, is_host: str, *, shown: bool = False) -> list[str]:
        """Return the torchrun of a node, a piece of a shell command each.

        `endpoint`, `job` and `is_host` stand within double quotes, so that the shell may fill them in: they
        are ours, and never text of a user's. `shown`: for people, with secrets taken out.
        """
        argv = redacted(self.argv) if shown else list(self.argv)
        return [
            f"{shlex.quote(self.python)} -m torch.distributed.run",
            f"--nnodes={self.nodes} --nproc-per-node={self.ranks} --max-restarts={self.restarts}",
            *(f'"{word}"' if "$" in word else word for word in c10d(endpoint, job, is_host)),
            f"-- {self.script_word or shlex.quote(self.script)}"
            + "".join(f" {shlex.quote(word)}" for word in argv),
        ]

    def environment(self, node: int, meet: str) -> str:
        """Return what the ranks of a node find in their environment, as torchrun puts it there and we do;
        `0..1` is one number a rank. How many threads a script of a user's has is left to torchrun."""
        host, _, port = meet.rpartition(":")
        common = rank_environment("", "", 1, self.nodes * self.ranks, self.nodes)
        unsaid = QUIET if self.builtin else QUIET | ONE_THREAD
        last = self.ranks - 1
        first = node * self.ranks
        found = {
            "RANK": f"{first}..{first + last}" if last else str(first),
            "LOCAL_RANK": f"0..{last}" if last else "0",
            "GROUP_RANK": str(node),
            "MASTER_ADDR": host.strip("[]"),
            "MASTER_PORT": port,
            **{name: value for name, value in common.items() if name not in unsaid and value},
        }
        for ours in [name for name in found if name.startswith("TEACHRUN_")]:
            del found[ours]
        return " ".join(f"{name}={value}" for name, value in found.items())

    def agent(self, node: str, meet: str, join: str, *, shown: bool = False) -> list[str]:
        """Return the agent of a node that comes to a host (`runtime.agent`), a piece of a shell command each.

        `node` and `meet` stand within double quotes, as in `torchrun`; `join` is the file of the invitation.
        """
        said = redacted(self.params) if shown else self.params
        behind = (redacted(self.behind) if shown else self.behind) if self.behind is not None else ()
        name = self.name if self.behind is None else self.script
        return [
            f"{shlex.quote(self.python)} -P -m teachrun run {shlex.quote(name)}"
            + "".join(f" {shlex.quote(word)}" for word in said),
            f'--nnodes={self.nodes} "--node-rank={node}" "--rdzv={meet}"',
            f"--join {shlex.quote(join)}" + (f" -- {shlex.join(behind)}" if behind else ""),
        ]


def plan(demo: Launchable, nodes: int | None = None) -> Plan | Refusal:
    """Return how `demo` runs on so many machines (None: as many as it names), or why it cannot."""
    wanted = nodes or demo.nodes
    if demo.link != "unlimited" or demo.network != "loopback":
        given = "network" if demo.network != "loopback" else "link"
        return Refusal(f"{given}= works only for nodes simulated on this machine", f"leave {given}= out")
    ranks = demo.ranks // demo.nodes
    return Plan(
        demo.name,
        str(demo.script),
        demo.argv,
        wanted,
        ranks,
        demo.python,
        str(demo.folder or ""),
        gpus=ranks if demo.values.get("device") == "gpu" else 0,
        restarts=number(demo.values.get("restarts") or 0),
        builtin=demo.builtin,
        params=tuple(f"{key}={value}" for key, value in demo.params.items() if key not in ("nodes", "args")),
        behind=None if demo.builtin else tuple(shlex.split(demo.params.get("args", ""))),
    )


def continued(pieces: Sequence[str], indent: str) -> str:
    """Return pieces of a command on a line each, joined as a shell joins them."""
    return f" \\\n{indent}".join(pieces)
