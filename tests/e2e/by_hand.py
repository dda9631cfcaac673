"""Runs a plain script of the course on ranks forked from the warm stage, where a cold torchrun takes 25 s.

That a rank of the stage computes what one of torchrun computes is held in `test_staged_is_torchrun.py`.
"""

from __future__ import annotations

from pathlib import Path

from stage_host import Receiver, StageHost

from runtime.demos import torchrun_by_hand

FOLDER = Path(torchrun_by_hand.__file__).parent


def printed(stage: StageHost, receiver: Receiver, file: Path, ranks: int, *argv: str) -> str:
    """What all ranks of a script printed, one rank after the other; every rank has ended well."""
    run = " ".join(("by hand", file.stem, *argv))
    stage.fork(run, receiver, *argv, world=ranks, script=str(file))
    exits = stage.exits(run, world=ranks, timeout_s=150)
    said = "".join(stage.printed(run, rank) for rank in range(ranks))
    assert [exited.code for exited in exits.values()] == [0] * ranks, said
    return said
