"""When a rank is dead: its process has ended, as the fork server, torchrun's guardian or an agent saw it.

A rank that stands still or says nothing is not dead (`stall_watch.py` says what it waits for). One that said
itself that it is done is not either, and one that we killed ended with the others. `root_cause.py` names the
one that the others died of.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from runtime.protocol.events import Done
from runtime.protocol.stage_messages import Exited
from runtime.supervision.run import Run


def death(run: Run, exited: Exited) -> Done | None:
    """Return the end of a rank whose process exited; None for other processes, and where it told itself."""
    if not 0 <= exited.rank < run.world or (exited.code == 0 and run.ended(exited.rank)):
        return None
    died_of = None if exited.killed else exited.signal  # by us: of the others' end
    return Done(run.id, run.generation, exited.rank, time.monotonic(), exited.code, died_of, {})


def with_the_others(run: Run, ranks: Iterable[int]) -> list[Done]:
    """Return the ends of ranks that ended because of others and could not report it."""
    now = time.monotonic()
    return [Done(run.id, run.generation, rank, now, None, None, {}) for rank in ranks]


def none_is_left(run: Run, exited: Exited) -> bool:
    """Whether with this exit all of its generation have ended. torchrun and agents end after ranks."""
    if run.nodes is not None:
        return run.nodes.all_over
    launcher = exited.rank < 0 and run.torchrun is not None
    return launcher or sum(one.rank >= 0 for one in run.exits) >= run.world
