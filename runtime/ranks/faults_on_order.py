"""Failures a rank brings about in itself when ordered to: real ones, within bounds.

The process is the only victim: it limits what the system may give it, and then asks for more.
"""

from __future__ import annotations

import random
import resource
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import torch

from runtime.ranks.rank_orders import RankAction

if TYPE_CHECKING:
    from runtime.ranks.hooks.collective_waits import Collectives
    from runtime.ranks.sensors.memory import Ledger

OTHER_SEED = 1234567
_PIECE = 32 << 20


def do(deed: RankAction, collectives: Collectives | None, ledger: Ledger | None) -> None:
    """Carry out an action before a step. Raises what the failure raises, which is meant to end the script."""
    match deed.what:
        case "desync" if collectives is not None:
            collectives.skip_next()
        case "seed":
            begin_again_elsewhere(ledger)
        case "oom":
            run_out_of_memory(int(deed.amount))
        case "disk":
            limit_files(int(deed.amount))
        case _:
            pass


def begin_again_elsewhere(ledger: Ledger | None) -> None:
    """Reseed all random numbers from now on, and the parameters as if they had been drawn with that seed.

    Each parameter is drawn anew with the mean and standard deviation that it has.
    """
    random.seed(OTHER_SEED)
    torch.manual_seed(OTHER_SEED)
    if ledger is None:
        return
    with torch.no_grad():
        for part in ledger.parts():
            if part.is_floating_point() and part.numel() > 1:
                part.copy_(torch.randn_like(part) * part.std() + part.mean())


def run_out_of_memory(more: int) -> NoReturn:
    """Limit this process to `more` further bytes of address space, and allocate until it is refused.

    Raises the allocator's own error. Nothing is written to the memory, so the machine does not run out of
    it; the limit is lifted for the script's last output.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    present = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (present + more, hard))
    taken: list[torch.Tensor] = []
    try:
        while len(taken) * _PIECE <= more:
            taken.append(torch.empty(_PIECE, dtype=torch.uint8))
    finally:
        taken.clear()
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    raise MemoryError("this system does not keep a process to its limit")


def limit_files(size: int) -> None:
    """Let no file of this process grow beyond `size` bytes from now on, as on a full disk."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
