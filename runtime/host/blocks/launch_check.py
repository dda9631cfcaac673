"""What a console asks to be started: refused, compared, run here, or on machines that it names."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from runtime.catalog.machines import Machines
from runtime.catalog.params import Refusal
from runtime.catalog.registry import Launchable
from runtime.cluster import ssh_commands
from runtime.host import consent
from runtime.host.blocks import comparison
from runtime.protocol.link_speeds import UNLIMITED
from runtime.protocol.messages import Launch

PORTS = range(20000, 30000)


def checked(deck: Path | None, launch: Launch) -> Launchable | comparison.Plan | Refusal:
    """Return what is to be run, or why it cannot be; `deck` is the file that names scripts."""
    folder = deck.parent if deck is not None else None
    asked = consent.refusal(deck, launch.demo, launch.params) or comparison.check(
        launch.demo, launch.params, folder
    )
    return on_machines(asked, launch.hosts) if isinstance(asked, Launchable) else asked


def on_machines(demo: Launchable, named: Sequence[str]) -> Launchable | Refusal:
    """Return `demo` on those machines, or as it is where it is none for them.

    For them are demos of ours with as many nodes as there are machines, and no link that this machine plays.
    A script of somebody's is not: what was agreed to is the file here, not what lies at its path there.
    """
    played = demo.link != UNLIMITED or demo.network != "loopback"
    if not named or demo.nodes == 1 or played or demo.launcher == "simulated":
        return demo
    if not demo.builtin:
        return replace(demo, stays="a script stays here, where it was agreed to")
    if demo.nodes != len(named):
        return replace(demo, stays=f"--hosts names {len(named)}")
    read = ssh_commands.read(",".join(named))
    if isinstance(read, Refusal):
        return read
    port = PORTS.start + secrets.randbelow(len(PORTS))
    machines = Machines(read, ssh_commands.address(read[0]), port, ssh_commands.ways(read))
    return replace(demo, machines=machines)
