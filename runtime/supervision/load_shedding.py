"""What a host that cannot keep up with its ranks leaves out: only what is drawn, never what is recorded.

To record an event takes far less than to compare it with those of all other ranks. So what comes faster than
it can be digested is recorded whole, and of what panels draw the newest of each kind is enough; how much that
left out is counted, and said beside the badge.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from runtime.protocol.events import Beat, Check, Collective, Event, Gpu, Memory, Span, Step, Value


def thinned(events: Sequence[Event]) -> list[Event]:
    """Of a batch what has to be taken in: no collective and no span, and of what replaces what was before it
    the last. All else (what ranks are, how they end, what breaks) is there once, and stays."""
    kept: list[Event] = []
    latest: set[tuple[type[Event], int, str]] = set()
    for event in reversed(events):
        match event:
            case Collective() | Span():
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


def steps_left_out(events: Iterable[Event], kept: Iterable[Event]) -> dict[int, int]:
    """Per rank, the newest step of which something was left out."""
    stays = set(map(id, kept))
    newest: dict[int, int] = {}
    for event in events:
        if isinstance(event, Collective | Span) and id(event) not in stays:
            newest[event.rank] = max(event.step, newest.get(event.rank, -1))
    return newest
