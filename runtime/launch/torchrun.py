"""Starts ranks with torchrun: scripts of users, and demos where forking is not possible (macOS, GPUs).

Each worker runs the script inside `runtime/ranks/bootstrap.py`, so its events, log and exit code are those of
a forked rank, in whatever interpreter and folder it is started.
"""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

BOOTSTRAP = Path(__file__).parents[1] / "ranks" / "bootstrap.py"
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
    meet: Sequence[str] = (),
    python: str = sys.executable,
    listen: bool = False,
) -> list[str]:
    """Return the command for `world` ranks on this node.

    With several nodes `master` (host, port) is needed, or in `meet` the words of another rendezvous;
    raises `ValueError` without either.
    `listen`: the script does not tell the probe what it does (`runtime.ranks.hooks.auto_instrumentation`).
    """
    launch = [python, "-P", "-m", "torch.distributed.run", f"--nproc-per-node={world}", "--max-restarts=0"]
    if meet:
        launch += [f"--nnodes={nodes}", *meet]
    elif master is None:
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


def c10d(endpoint: str, job: str, is_host: str) -> list[str]:
    """Return how torchrun is told to meet by its own rendezvous, which needs no numbers of nodes.

    Args:
        endpoint: `HOST:PORT` of the node whose torchrun keeps the store.
        job: The same on all nodes that belong together, and on no others.
        is_host: "1" on that node, "0" on the others: by itself it guesses from names of machines.
    """
    return [
        "--rdzv-backend=c10d", f"--rdzv-endpoint={endpoint}", f"--rdzv-id={job}",
        f"--rdzv-conf=is_host={is_host}",
    ]  # fmt: skip


def environment(rank_env: Mapping[str, str], log_dir: str) -> dict[str, str]:
    """Return `rank_env` (as in `stage_messages.Fork.env`) without what torchrun sets itself."""
    torchruns_own = ("WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
    kept = {name: value for name, value in rank_env.items() if name not in torchruns_own}
    return kept | {"TEACHRUN_LOG_DIR": log_dir}


def failures(log: Path) -> list[tuple[int, int]]:
    """Return rank and exit code (negative: the signal) of each failure in torchrun's log.

    The first is the one it happened to see first: it looks ten times a second. The others failed too, or it
    has ended them itself (SIGTERM).
    """
    end = _end_of(log)
    failed = [(int(rank), int(code)) for rank, code in _FAILED.findall(end)] if _REPORT in end else []
    return failed[::-1]  # it ends with the first


def first_failure(log: Path, told: Collection[int] = (), *, alone: bool = True) -> tuple[int, int] | None:
    """Of `failures` the one that brought the others down; `told`: ranks that said of what they failed.

    One that failed and said nothing was killed, or left by a decision of its own. Where the one seen first
    has said something, that may be what it suffered from another that a signal has killed. Not `alone`, that
    one may be another node's, and who has SIGTERM here was ended by this torchrun.
    """
    failed = failures(log)
    if not failed or failed[0][0] not in told:
        return failed[0] if failed else None
    killed = [one for one in failed if one[1] < 0 and (alone or one[1] != -signal.SIGTERM)]
    return next((one for one in killed if one[1] != -signal.SIGTERM), (killed or failed)[0])


def last_word(log: Path) -> str:
    """Return the last line torchrun wrote, untrusted: why it could not even start."""
    lines = [line for line in _end_of(log).decode(errors="replace").splitlines() if line.strip()]
    return lines[-1].strip()[:300] if lines else ""


def _end_of(log: Path) -> bytes:
    try:
        return log.read_bytes()[-MAX_LOG:]
    except OSError:
        return b""
