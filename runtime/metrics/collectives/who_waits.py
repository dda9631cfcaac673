"""Finds which ranks wait in a collective, and for whom, from the ranks' signs of life.

Ranks of a pipeline enter different transfers, and groups of a mesh different collectives, so a rank's total
says nothing. A collective waits for the members of its group that have entered fewer of that group's
collectives, a transfer for its other end.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from runtime.metrics.collectives.bandwidth import Members
from runtime.protocol.events import Beat

LONG_S = 1.5  # a rank beats every 0.1 s, so this long without a word means that it stands still
_NAMED = 2  # ranks; more are counted


class Stands(NamedTuple):
    """A rank is in `what` (`receive #12`) and waits for `ranks`; `()`: all of them have entered."""

    what: str
    group: str
    ranks: tuple[int, ...]


def standing(
    beats: Mapping[int, Beat], ended: Collection[int], groups: Mapping[str, Members], world: int
) -> dict[int, Stands]:
    """Return, by rank, what the ranks that wait and have not `ended` wait for."""
    found = {}
    entered: dict[tuple[str, str], tuple[int, ...]] = {}  # who is missing; the same for all that stand in it
    for rank, beat in beats.items():
        if not beat.waits or rank in ended:
            continue
        known = groups.get(beat.group)
        members = range(world) if known is None else known.ranks
        if beat.peer >= 0:
            other = members[beat.peer] if beat.peer < len(members) else beat.peer
            found[rank] = Stands(beat.waits, beat.group, (other,))
            continue
        key = beat.group, beat.waits.rpartition("#")[2]
        if key not in entered:
            seq = int(key[1]) if key[1].isdecimal() else -1
            entered[key] = tuple(
                m for m in members if (b := beats.get(m)) is None or b.entered.get(beat.group, 0) <= seq
            )
        found[rank] = Stands(beat.waits, beat.group, entered[key])
    return found


def waited_for(
    stands: Mapping[int, Stands], silent: Collection[int], groups: Mapping[str, Members]
) -> dict[int, str]:
    """Return in words whom these ranks wait for: `2`, `1, 3`, `5 ranks`. Where all have entered, it is those
    of the group that are `silent`."""
    found = {}
    mute_of: dict[str, list[int]] = {}  # by group
    for rank, stand in stands.items():
        if (mute := mute_of.get(stand.group)) is None:
            members = groups.get(stand.group)
            inside = None if members is None else set(members.ranks)
            mute = mute_of[stand.group] = [r for r in silent if inside is None or r in inside]
        named = stand.ranks or [r for r in mute if r != rank]
        found[rank] = ", ".join(map(str, named)) if len(named) <= _NAMED else f"{len(named)} ranks"
    return found
