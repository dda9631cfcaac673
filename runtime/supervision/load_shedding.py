"""Sheds load when the host cannot keep up with its ranks: less is drawn, everything is recorded.

Recording an event costs far less than comparing it with those of all other ranks. So what comes too fast is
recorded whole, and of what panels draw the newest of each kind is enough; what that leaves out is counted,
and shown beside the badge.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from runtime.protocol.events import Beat, Check, Collective, Event, Gpu, Memory, Moments, Span, Step, Value


def thinned(events: Sequence[Event]) -> list[Event]:
    """Return what must be taken in of a batch: no collectives and spans, and of events that replace earlier
    ones the last. All others (what ranks are, how they end, what breaks) stay."""
    kept: list[Event] = []
    latest: set[tuple[type[Event], int, str]] = set()
    for event in reversed(events):
        match event:
            case Collective() | Moments() | Span():
                continue
            case Step() | Beat() | Memory() | Check() | Gpu() | Value():
                kind = (type(event), event.rank, event.name if isinstance(event, Value) else "")
                if kind in latest:
                    continue
                latest.add(kind)
            case _:
                pass
        kept.append(event)
    kept.reverse()
    return kept


def newest(events: Sequence[Event]) -> list[Event]:
    """Return what there is to draw of a batch that arrives together: a later sign of life has all that an
    earlier one of the same rank has."""
    kept: list[Event] = []
    alive: set[int] = set()
    for event in reversed(events):
        if isinstance(event, Beat):
            if event.rank in alive:
                continue
            alive.add(event.rank)
        kept.append(event)
    kept.reverse()
    return kept


def steps_left_out(events: Iterable[Event], kept: Iterable[Event]) -> dict[int, int]:
    """Return, by rank, the newest step of which something was left out."""
    stays = set(map(id, kept))
    newest: dict[int, int] = {}
    for event in events:
        if isinstance(event, Collective | Span) and id(event) not in stays:
            newest[event.rank] = max(event.step, newest.get(event.rank, -1))
    return newest
