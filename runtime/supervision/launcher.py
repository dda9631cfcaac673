"""Starts the ranks of a run: forked by the fork server, or by torchrun under a guardian."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from pathlib import Path

from runtime.launch.fork_server_client import ForkServerClient
from runtime.launch.guarded_torchrun import GuardedTorchrun
from runtime.launch.missing_torch import no_torch
from runtime.launch.rank_environment import rank_environment
from runtime.protocol.stage_messages import AnyOrder, Fork
from runtime.supervision.agents.cluster_runs import ClusterRuns
from runtime.supervision.run import Run


class Launcher:
    """Starts a generation. `on_order` gets what a guardian reports, `on_lost(run)` is called when it dies."""

    def __init__(
        self,
        class_id: str,
        rank_socket: Path,
        stage: ForkServerClient,
        on_order: Callable[[AnyOrder], None],
        on_lost: Callable[[Run], None],
        cluster: ClusterRuns,
    ) -> None:
        self._cluster = cluster
        self._class_id, self._rank_socket, self._stage = class_id, rank_socket, stage
        self._on_order, self._on_lost = on_order, on_lost

    async def begin(self, run: Run) -> bool:
        """Start the ranks; False: `run.why` says why not. Raises `OSError`."""
        if run.demo.machines is not None:
            return await self._cluster.begin(run, run.demo.machines)
        simulated = run.demo.launcher == "simulated"
        refusal = run.placement.refusal
        if refusal is not None:
            run.why = f"{refusal.why}: {refusal.mend}"
            return False
        on_gpu = run.placement.device == "cuda"  # CUDA does not survive a fork
        apart = run.demo.network == "netns"  # the fork server is in a network already
        alone = run.demo.node is not None  # the ranks of other machines are to meet these
        torchrun = simulated or on_gpu or apart or alone or run.demo.launcher == "torchrun"
        if not torchrun:
            await self._wait_for_stage(run)
            if run.state != "launching":
                return False
            ready = self._stage.ready
            if ready is None:
                run.why = self._stage.detail
                return False
            torchrun = not ready.fork_ok
            if torchrun:
                run.warning = f"slow launch by torchrun: {ready.why}"
        run.processes.forked_at = time.monotonic()
        if torchrun:
            if self._stage.status == "absent" and not simulated:
                run.why = no_torch()
                return False
            run.processes.torchrun = GuardedTorchrun(
                run.demo, self._env(run), run.log_dir, self._on_order, lambda: self._on_lost(run)
            )
            return True
        with meeting_point(run.demo.ranks) as store:
            env = self._env(run) | {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(store.getsockname()[1])}
            await self._stage.fork(
                Fork(
                    run=run.id,
                    generation=run.generation,
                    world=run.demo.ranks,
                    script=str(run.demo.script),
                    argv=run.demo.argv,
                    env=env,
                    log_dir=str(run.log_dir),
                ),
                store,
            )
        return True

    async def _wait_for_stage(self, run: Run) -> None:
        asked = time.monotonic()
        settled = asyncio.create_task(self._stage.settled())
        ended = asyncio.create_task(run.processes.all_exited.wait())
        await asyncio.wait((settled, ended), return_when=asyncio.FIRST_COMPLETED)
        for task in (settled, ended):
            task.cancel()
        waited = time.monotonic() - asked
        if waited > 0.01:
            run.phases.append(("stage", waited))

    def _env(self, run: Run) -> dict[str, str]:
        demo = run.demo
        return {
            **rank_environment(self._class_id, run.id, run.generation, demo.ranks, demo.nodes),
            "TEACHRUN_SOCKET": str(self._rank_socket),
            "TEACHRUN_SCRATCH": str(run.scratch),
            "TEACHRUN_DEVICE": run.placement.device,
            "TEACHRUN_BACKEND": run.placement.backend,
            **dict(run.placement.env),
        }


def meeting_point(ranks: int) -> socket.socket:
    """Return a listening socket where the ranks of a run will meet. Raises `OSError` without a free port."""
    store = socket.socket()
    try:
        store.bind(("127.0.0.1", 0))
        store.listen(max(128, 2 * ranks))
    except OSError as error:
        store.close()
        raise OSError(
            f"the ranks have no free port to meet at ({error.strerror}); `ss -s` counts what is open"
        ) from error
    return store
