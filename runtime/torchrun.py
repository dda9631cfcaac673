"""How ranks are started with torchrun: scripts of users, and demos where a stage must not fork (macOS, GPUs).

Each worker runs the script inside `runtime/ranks/bootstrap.py`, so its events, log and exit code are those of
a rank forked by the stage, in whatever interpreter and folder it is started.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

BOOTSTRAP = Path(__file__).parent / "ranks" / "bootstrap.py"
MAX_LOG = 1 << 16
_FIRST = re.compile(rb"Root Cause.*?\n\s*rank\s*:\s*(\d+).*?\n\s*exitcode\s*:\s*(-?\d+)", re.DOTALL)


def command(
    script: str,
    argv: Sequence[str],
    world: int,
    *,
    nodes: int = 1,
    node: int = 0,
    master: tuple[str, int] | None = None,
    python: str = sys.executable,
    listen: bool = False,
) -> list[str]:
    """torchrun for `world` ranks on this machine. `master` (host, port) is needed with more than one node.

    `listen`: the script does not tell the probe what it does (`runtime.ranks.implicit`).
    """
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
    # `--`: else torchrun takes `--start` of the script for the beginning of an option of its own.
    return [*launch, "--", str(BOOTSTRAP), *(["--listen"] if listen else []), script, *argv]


def environment(rank_env: Mapping[str, str], log_dir: str) -> dict[str, str]:
    """`rank_env` (as in `messages.Fork.env`) without what torchrun sets itself, for torchrun's process."""
    torchruns_own = ("WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
    kept = {name: value for name, value in rank_env.items() if name not in torchruns_own}
    return kept | {"TEACHRUN_LOG_DIR": log_dir}


def first_failure(log: Path) -> tuple[int, int] | None:
    """Number and exit code (negative: the signal) of the rank that failed first, as torchrun's log has it."""
    found = _FIRST.search(_end_of(log))
    return (int(found[1]), int(found[2])) if found else None


def last_word(log: Path) -> str:
    """The last line torchrun wrote, untrusted; why it could not even begin."""
    lines = [line for line in _end_of(log).decode(errors="replace").splitlines() if line.strip()]
    return lines[-1].strip()[:200] if lines else ""


def _end_of(log: Path) -> bytes:
    try:
        return log.read_bytes()[-MAX_LOG:]
    except OSError:
        return b""
