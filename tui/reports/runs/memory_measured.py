"""An estimate beside the allocator of this machine: the matching demo is run, and each term compared."""

from __future__ import annotations

import os
from typing import Any

from runtime import paths
from runtime.catalog.params import Refusal
from runtime.estimate.inputs.layout import Layout
from runtime.estimate.quantities import engineering
from runtime.supervision.memory_formula_check import MemoryCheck, Term, check, matching
from runtime.supervision.supervisor import Supervisor


async def measure(layout: Layout) -> MemoryCheck | Refusal:
    """Run the demo that splits states as `layout` does. Nothing of it is left when this returns."""
    name = f"estimate-{os.getpid()}"
    supervisor = Supervisor(name, paths.rank_socket(name))
    await supervisor.start()
    try:
        return await check(supervisor, matching(layout))
    finally:
        await supervisor.close()


def as_object(found: MemoryCheck) -> dict[str, Any]:
    """What `--json` has of it, under `measured`."""
    terms = {term.kind: _object(term) for term in (*found.terms, found.peak)}
    where = {"demo": found.line, "rank": found.rank, "ranks": found.world, "badge": found.badge}
    ranks = [{"measured": size} for size in found.peaks]
    if found.counted:
        where["counted"] = "the formula took what this rank counted in the run"
    more = {"highest_peak": found.highest, "peaks": ranks}
    return where | {"terms": terms} | more


def _object(term: Term) -> dict[str, Any]:
    return {"formula": term.formula, "measured": term.found, "apart": term.apart}


def summary(found: MemoryCheck) -> str:
    """One line: what the formula and the allocator say of a peak, how far they are apart, and of which demo.

    It ends first with what a narrow screen has no room for.
    """
    peak = found.peak
    where = f"demo {found.line}, rank {found.rank}, {found.badge}"
    if not peak.found:
        return f"{found.line}: the allocator's peak is not known here"
    if peak.formula is None:
        return (
            f"{where}: allocator's peak {engineering(float(peak.found), 'B')}, and no formula of it is known"
        )
    formula, measured = (engineering(float(size), "B") for size in (peak.formula, peak.found))
    most = engineering(float(found.highest or 0), "B")
    other = f" (another rank had {most})" if found.highest != peak.found else ""
    by = "formula with the tokens that came" if found.counted else "formula"
    return f"{by} {formula}, allocator's peak {measured}, {peak.apart:+.2%}: {where}{other}"


def lines(found: MemoryCheck) -> list[str]:
    """A line for each term, under the summary."""
    rows = [f"measured: {summary(found)}"]
    for term in (*found.terms, found.peak):
        if term.formula is None or term.found is None:
            continue
        apart = "" if term.apart is None else f"{term.apart:+9.2%}"
        said = (engineering(float(size), "B") for size in (term.formula, term.found))
        rows.append(f"  {term.kind:<16}{next(said):>12} by formula{next(said):>12} measured{apart}")
    return [*rows, *_of_ranks(found)]


def _of_ranks(found: MemoryCheck) -> list[str]:
    """The peak of every rank, and how far the formula is from it."""
    return [
        f"  peak of rank {rank:<3}{engineering(float(size), 'B'):>13}{found.peak.formula / size - 1:+9.2%}"
        for rank, size in enumerate(found.peaks)
        if size and found.peak.formula
    ]
