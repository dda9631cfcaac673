"""How ranks are started with torchrun: on macOS, where a stage must not fork, and to show torchrun itself.

Each worker runs the script inside `runtime.ranks.runner`, so its events, log and exit code are those of a
rank forked by the stage.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence


def command(
    script: str,
    argv: Sequence[str],
    world: int,
    *,
    nodes: int = 1,
    node: int = 0,
    master: tuple[str, int] | None = None,
    python: str = sys.executable,
) -> list[str]:
    """torchrun for `world` ranks on this machine. `master` (host, port) is needed with more than one node."""
    launch = [python, "-P", "-m", "torch.distributed.run", f"--nproc-per-node={world}", "--max-restarts=0"]
    if master is None:
        if nodes != 1:
            raise ValueError("more than one node needs a master to meet at")
        launch.append("--standalone")  # its own store on a free port
    else:
        host, port = master
        launch += [
            f"--nnodes={nodes}",
            f"--node-rank={node}",
            f"--master-addr={host}",
            f"--master-port={port}",
        ]
    return [*launch, "-m", "runtime.ranks.runner", script, *argv]


def environment(rank_env: Mapping[str, str], log_dir: str) -> dict[str, str]:
    """`rank_env` (as in `messages.Fork.env`) without what torchrun sets itself, for torchrun's process."""
    torchruns_own = ("WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
    kept = {name: value for name, value in rank_env.items() if name not in torchruns_own}
    # A worker starts as `python -u -m`: without this, a folder named `runtime` where we stand would be taken.
    return kept | {"TEACHRUN_LOG_DIR": log_dir, "PYTHONSAFEPATH": "1"}
