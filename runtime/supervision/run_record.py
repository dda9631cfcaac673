"""Makes what `run.json` keeps of a run (`runtime.recordings.files.About`)."""

from __future__ import annotations

from msgspec.structs import replace

from runtime.metrics.loss_curves import middle_curve
from runtime.recordings.files import About
from runtime.recordings.summary import key_figures
from runtime.supervision.run import Run


def begun(run: Run) -> About:
    """Return what is known of a run before its first event."""
    return About(
        run=run.id,
        demo=run.demo.name,
        block=run.block,
        params=run.demo.params,
        values=dict(run.demo.values),
        ranks=run.demo.ranks,
        steps=run.demo.steps,
        started=run.started,
        asked_at=run.asked_at,
        badge=run.placement.badge,
        backend=run.placement.backend,
        device=run.placement.device,
        bent=run.placement.bent,
    )


def ended(run: Run) -> About:
    """Return what `begun` does, with how the run ended."""
    shown = run.snapshot()
    return replace(
        begun(run),
        badge=shown.badge,
        backend=shown.backend,
        device=shown.device,
        bent=shown.bent,
        state=run.state,
        why=run.why,
        ran_s=run.ran_s,
        generation=run.generation,
        faulted=run.faulted,
        phases=tuple(run.phases),
        figures=key_figures(shown),
        failures=tuple(recovering.failure for recovering in run.recoveries),
        recoveries=shown.recoveries,
        curve=middle_curve(shown.curves),
        diagnosis=run.diagnosis,
    )
