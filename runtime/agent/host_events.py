"""An event of this machine as the host is to have it: of the host's run and generation, by its clock."""

from __future__ import annotations

import msgspec

from runtime.protocol.events import (
    Beat,
    Collective,
    Event,
    Hello,
    Moments,
    Span,
    Step,
    XRay,
)

_replace = msgspec.structs.replace


def as_the_hosts(event: Event, run: str, generation: int, ahead: float) -> Event:
    """Return `event` with every time moved by `ahead` seconds, which the host's clock is ahead of ours.

    Durations stay as they were measured. The pair of clocks of a `Hello` stays a pair of one moment.
    """
    same = {"run": run, "generation": generation, "t": event.t + ahead}
    match event:
        case Step() | Span():
            return _span(event, same, ahead)
        case Collective():
            done = None if event.t_done is None else event.t_done + ahead
            return _replace(event, **same, t_issue=event.t_issue + ahead, t_done=done)
        case Beat():
            return _replace(event, **same, since=event.since + ahead if event.since else 0.0)
        case Hello():
            return _replace(event, **same, mono=event.mono + ahead)
        case Moments():
            return _replace(event, **same, at=[at + ahead for at in event.at])
        case XRay():
            marks = [(kind, t0 + ahead, t1 + ahead, label) for kind, t0, t1, label in event.marks]
            return _replace(event, **same, t0=event.t0 + ahead, t1=event.t1 + ahead, marks=marks)
        case _:
            return _replace(event, **same)


def _span(event: Step | Span, same: dict[str, object], ahead: float) -> Event:
    if isinstance(event, Step):
        return _replace(event, **same, t0=event.t0 + ahead)
    return _replace(event, **same, t0=event.t0 + ahead, t1=event.t1 + ahead)
