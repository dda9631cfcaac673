"""How long a class goes on while no screen is attached: its runs to their budget, and at last its host."""

from __future__ import annotations

from runtime import paths
from runtime.supervision.run import Run

RUN_S = 10 * 60.0  # for a run without a budget
HOST_S = 30 * 60.0
# A host to which nobody comes back: a study that is gone on with has another one, and a class whose screen
# was lost before it told its deck has nothing to come back to.
LEFT_S = 15.0


def run_is_over(run: Run, alone_s: float) -> str:
    """Say why a run ends that nobody has watched for `alone_s` seconds, "" while it goes on."""
    budget = run.demo.seconds("budget")
    if budget is not None:
        return f"its {budget:g} s were over, and no screen was open" if run.ran_s > budget else ""
    return f"no screen was open for {RUN_S / 60:g} minutes" if alone_s > RUN_S else ""


def host_s(class_id: str, has_deck: bool) -> float:
    """Return the seconds that a host lives on without a screen."""
    left = not has_deck or class_id.startswith((paths.TOUR, paths.STUDY))
    return LEFT_S if left else HOST_S
