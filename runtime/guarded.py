"""Ranks started under a guardian, for what the stage must not fork: by torchrun, or played by a simulator."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from runtime import torchrun
from runtime.catalog import Launchable
from runtime.child import Child
from runtime.messages import AnyOrder
from runtime.processes import PART_MARK
from runtime.warmstage import STAGE_ENV


class GuardedTorchrun:
    """One torchrun with its guardian, started by the constructor (raises `OSError`).

    A `simulated` demo is one plain process that speaks for all ranks; its run is badged so.
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
        else:
            command = torchrun.command(str(demo.script), demo.argv, demo.ranks)
        ours = torchrun.environment(env, str(log_dir)) | {PART_MARK: "guardian"}
        self.child = Child(
            lambda fd: (
                *(sys.executable, "-P", "-m", "runtime.guardian"),
                *("--fd", str(fd), "--parent", str(os.getpid()), "--", *command),
            ),
            {**os.environ, **STAGE_ENV, **ours},
            log_dir / "torchrun.log",
            on_order,
            on_lost,
        )

    async def end(self) -> bool:
        """End torchrun and all its descendants; True when the guardian, which sees to that, is gone."""
        return await self.child.end(within_s=4.0)
