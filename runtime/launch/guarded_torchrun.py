"""Ranks started under a guardian where the fork server cannot: by torchrun, or played by a simulator."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from runtime.catalog.registry import Launchable
from runtime.launch import guardian, torchrun
from runtime.launch.fork_server_client import STAGE_ENV
from runtime.launch.helper_process import Child
from runtime.launch.processes import PART_MARK
from runtime.launch.simulated_nodes import torchrun_per_node
from runtime.protocol.stage_messages import AnyOrder, Kill
from teachrun import as_user


class GuardedTorchrun:
    """One torchrun with its guardian, started by the constructor (raises `OSError`).

    A `simulated` demo is one plain process that speaks for all ranks; its run has that badge. A script of a
    user's runs in an environment of the user's, and is asked to end before it is ended.
    """

    def __init__(
        self,
        demo: Launchable,
        env: dict[str, str],
        log_dir: Path,
        on_order: Callable[[AnyOrder], None],
        on_lost: Callable[[], None],
    ) -> None:
        if demo.launcher == "simulated":
            command = [sys.executable, "-P", str(demo.script), *demo.argv]
            logs: tuple[str, ...] = ()
        else:
            theirs = not demo.builtin
            if (one := demo.node) is not None:
                command = torchrun.command(
                    *(str(demo.script), demo.argv, one.ranks),
                    nodes=one.nodes,
                    node=one.number,
                    master=(one.host, one.port),
                    python=demo.python,
                    listen=theirs,
                )
                command = [*as_user(*command)] if theirs else command
            elif demo.nodes > 1:
                command = torchrun_per_node.command(demo, listen=theirs)
            else:
                command = torchrun.command(
                    str(demo.script), demo.argv, demo.ranks, python=demo.python, listen=theirs
                )
                command = [*as_user(*command)] if theirs else command
            logs = ("--logs", str(log_dir), "--ranks", str(demo.ranks))
        ours = torchrun.environment(env, str(log_dir)) | {PART_MARK: "guardian"}
        if demo.builtin and env.get("TEACHRUN_DEVICE") == "cuda":
            ours = {name: v for name, v in STAGE_ENV.items() if name != "CUDA_VISIBLE_DEVICES"} | ours
        elif demo.builtin:
            ours = STAGE_ENV | ours
        else:
            ours = {name: value for name, value in ours.items() if name not in STAGE_ENV}
        self._polite = not demo.builtin
        self._kill = Kill(env["TEACHRUN_RUN"], int(env["TEACHRUN_GENERATION"]))
        self.child = Child(
            lambda fd: (
                *(sys.executable, "-P", "-m", "runtime.launch.guardian"),
                *("--fd", str(fd), "--parent", str(os.getpid())),
                *(("--cwd", str(demo.folder)) if demo.folder is not None else ()),
                *(*logs, "--", *command),
            ),
            {**os.environ, **ours},
            log_dir / "torchrun.log",
            on_order,
            on_lost,
        )

    async def end(self) -> bool:
        """End torchrun and all its descendants; True when the guardian, which does that, is gone."""
        if self._polite:
            with suppress(OSError):  # it is gone already
                await self.child.send(self._kill)
                await self.child.ended(guardian.GRACE_S + 0.5)
        return await self.child.end(within_s=4.0)
