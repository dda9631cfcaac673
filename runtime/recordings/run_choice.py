"""Which recorded run is shown where a live one will not start, or is wanted beside one: the nearest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from runtime import paths
from runtime.catalog import registry
from runtime.catalog.params import LAUNCH_PARAMS, printable
from runtime.recordings import files
from runtime.recordings.files import About, Unreadable

TRIAL = "check"  # the block of a run by which a deck was only tried: no later run is held against it
NEAR = 3  # parameters in which a recorded run may be another, to be shown for one all the same
MAX_LOOKED_AT = 1000  # of the newest runs, for one that fits
# How a run is launched does not change what it computes. How many ranks and nodes, and what is between
# them, is seen by all.
_LAUNCH_ONLY = {p.name for p in LAUNCH_PARAMS} - {"ranks", "nodes", "link", "network", "latency"}


class Fitting(NamedTuple):
    """A recorded run for what was asked. `differs`: its other parameters, `slow_rank=-1 (asked 2)`; () of the
    very same ones."""

    folder: Path
    differs: tuple[str, ...] = ()


def fitting(demo: str, params: Mapping[str, str]) -> Fitting:
    """The recorded run to show where `demo` with `params` was asked for.

    One of the same parameters: the newest made here that went well, else one that ships with the lessons.
    Else the one that differs in fewest, of equal ones a shipped one, if it is near: then `differs` says how.
    Raises `Unreadable` where there is none, or none that is near.
    """
    wanted = computed(demo, params)
    mine = [(about, paths.runs_dir() / about.run) for about in done(demo)]
    kept = [(about, folder) for folder in files.shipped() if (about := _done(folder, demo)) is not None]
    found = [(differing(wanted, about), folder) for about, folder in (*mine, *kept)]
    for differs, folder in found:
        if not differs:
            return Fitting(folder)
    if not found:
        raise Unreadable(f"there is no recorded run of {printable(demo)} yet")
    # Of two as near as each other the one of as many steps, then one that ships.
    shown = found[len(mine) :] + found[: len(mine)]
    apart, folder = min(shown, key=lambda one: (distance(one[0]), len(one[0])))
    if distance(apart) > NEAR:
        raise Unreadable(
            f"no recorded run of {printable(demo)} is like this one: the nearest has {', '.join(apart)}"
        )
    return Fitting(folder, apart)


def differing(wanted: Mapping[str, Any], about: About) -> tuple[str, ...]:
    """The parameters in which a recorded run differs from the one wanted, each as `ranks=4 (asked 2)`.

    What a run had is what it says: a default may have been another when it was made.
    """
    then = computed(about.demo, about.params)
    then = {name: about.values.get(name, value) for name, value in then.items()}
    names = dict.fromkeys((*wanted, *then))
    return tuple(
        f"{name}={_word(then.get(name))} (asked {_word(wanted.get(name))})"
        for name in names
        if then.get(name) != wanted.get(name)
    )


def _word(value: object) -> str:
    return printable("none" if value is None else f"{value:g}" if isinstance(value, float) else str(value))


def distance(differs: Sequence[str]) -> int:
    """How many parameters; a shorter or a longer run shows the same."""
    return sum(not word.startswith("steps=") for word in differs)


def done(demo: str) -> Iterator[About]:
    """The runs of `demo` made here that went well, the newest first; not those by which it was tried."""
    for folder in files.own()[:MAX_LOOKED_AT]:
        about = _done(folder, demo)
        if about is not None and about.run == folder.name and about.block != TRIAL:
            yield about


def computed(demo: str, params: Mapping[str, str]) -> Mapping[str, Any]:
    """The values that decide what is computed, with this version's defaults (a strange demo: as written)."""
    checked = registry.check(demo, params, here=False)
    values = params if isinstance(checked, registry.Refusal) else checked.values
    return {name: value for name, value in values.items() if name not in _LAUNCH_ONLY}


def _done(folder: Path, demo: str) -> About | None:
    """What the run says of itself if it is one of `demo` that went well by itself."""
    try:
        about = files.read_about(folder)
    except Unreadable:
        return None
    return about if (about.demo, about.state, about.faulted) == (demo, "done", False) else None
