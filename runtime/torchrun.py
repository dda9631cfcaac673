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
# Its report at the end: those that had failed when it looked, and last the one it takes for the cause.
_FAILED = re.compile(rb"\n\s*rank\s*:\s*(\d+) \(local_rank.*?\n\s*exitcode\s*:\s*(-?\d+) ", re.DOTALL)
_REPORT = b"Root Cause"


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
    """Number and exit code (negative: the signal) of the rank that failed first, as torchrun's log has it.

    It looks ten times a second, and of those it then finds dead names the one it happened to see first: where
    a signal has killed one of them, the others have only failed of that.
    """
    end = _end_of(log)
    failed = [(int(rank), int(code)) for rank, code in _FAILED.findall(end)] if _REPORT in end else []
    killed = [one for one in failed if one[1] < 0]
    return next(reversed(killed or failed), None)


def last_word(log: Path) -> str:
    """The last line torchrun wrote, untrusted; why it could not even begin."""
    lines = [line for line in _end_of(log).decode(errors="replace").splitlines() if line.strip()]
    return lines[-1].strip()[:200] if lines else ""


def _end_of(log: Path) -> bytes:
    try:
        return log.read_bytes()[-MAX_LOG:]
    except OSError:
        return b""
