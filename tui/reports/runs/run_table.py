"""A run as a table for people: a row per rank, then what all of them say together. A dash is not known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slides.drawing import cells
from tui.command_line import narrow_table
from tui.command_line.line_folding import columns, folded
from tui.figures import numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runtime.protocol.figures import RankRow
    from runtime.protocol.messages import Snapshot


WIDEST = 110
UNLIKE = 1.1  # ranks whose bytes differ by so much are told one by one


def tokens_s(snapshot: Snapshot) -> float | None:
    """Tokens a second of all ranks together; None while one of them is not known."""
    each = [row.tokens_s for row in snapshot.rows]
    return sum(t for t in each if t is not None) if each and None not in each else None


def _share(part: float | None, whole: float | None) -> str:
    return f"{100 * part / whole:.0f}%" if part is not None and whole else "-"


def _figure(value: float | None, form: str) -> str:
    return format(value, form) if value is not None else "-"


HEAD = ("rank", "state", "steps", "loss", "ms/step", "tokens/s",
         "compute", "hidden", "exposed", "wait", "other", "sum", "peak", "checksum")  # fmt: skip


def cells_of(row: RankRow) -> tuple[str, ...]:
    """A line of the table; a dash is what is not known."""
    rest = (row.data, row.optimizer, row.other)
    held, peak = row.held_sum, row.peak
    return (
        str(row.rank),
        row.state,
        str(row.step + 1) if row.step is not None else "-",
        _figure(row.loss, ".4f"),
        _figure(row.step_s * 1000 if row.step_s is not None else None, ".1f"),
        _figure(row.tokens_s, ",.0f"),
        _share(row.compute, row.step_s),
        _share(row.hidden, row.step_s),
        _share(row.exposed, row.step_s),
        _share(row.wait, row.step_s),
        _share(sum(p for p in rest if p is not None) if None not in rest else None, row.step_s),
        _figure(held / 1e6 if held is not None else None, ".1f"),
        _figure(peak / 1e6 if peak is not None else None, ".1f"),
        row.checksum or "-",
    )


def lines(snapshot: Snapshot) -> list[str]:
    """The table per rank and in total, for people. A dash is what is not known."""
    text = table_lines([HEAD, *(cells_of(row) for row in snapshot.rows)], columns())
    bent = "".join(f" · {cells.clean(b)}" for b in snapshot.bent)
    where = f"{snapshot.demo} · {snapshot.world} ranks · {snapshot.backend} · {snapshot.device}"
    facts = [f"{snapshot.state} after {snapshot.ran_s:.1f} s"]
    total = tokens_s(snapshot)
    if total is not None:
        facts.append(f"{total:,.0f} tokens/s in total")
    if snapshot.overlap is not None:
        facts.append(f"overlap {100 * snapshot.overlap:.0f}%")
    if snapshot.slowest is not None and snapshot.slowest_by_s is not None:
        facts.append(f"slowest rank {snapshot.slowest}, +{snapshot.slowest_by_s * 1000:.1f} ms")
    if snapshot.equal is not None:
        equal = "equal on all ranks" if snapshot.equal else "NOT equal"
        facts.append(f"parameters {equal} after step {snapshot.equal_step}")
    launch = ", ".join(f"{cells.clean(name)} {seconds:.2f} s" for name, seconds in snapshot.phases)
    return [
        cells.clean(f"{where} · {snapshot.badge}") + bent,
        *text,
        folded(" · ".join(facts), 2),
        *(folded(cells.clean(remark), 2) for remark in snapshot.remarks),
        *_trainings(snapshot),
        *_held(snapshot),
        *_volume(snapshot),
        *_pipeline(snapshot),
        *_recovered(snapshot),
        *_xray(snapshot),
        *results(snapshot),
        *([folded(f"this run does not show it: {snapshot.unshown}", 2)] if snapshot.unshown else []),
        *_parameters(snapshot),
        *([folded(f"launch: {launch}", 2)] if launch else []),
    ]


def _parameters(snapshot: Snapshot) -> list[str]:
    """With what it ran, defaults as well: what was not written decides no less."""
    from runtime.recordings.run_choice import computed

    said = [
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in computed(snapshot.demo, snapshot.params).items()
        if value not in (None, "")
    ]
    return [folded(cells.clean(f"parameters: {' '.join(said)}"), 2)] if said else []


def _held(snapshot: Snapshot) -> list[str]:
    """What the two counts of memory are, where one might be taken for the other."""
    if not any(row.held for row in snapshot.rows):
        return []
    said = "MB of a rank, sum: the most of each kind, not all at one moment; peak: the most at once"
    unknown = all(row.peak is None for row in snapshot.rows) and snapshot.device == "cpu"
    return [folded(said + (", which --xray STEP measures" if unknown else ""), 2)]


def _volume(snapshot: Snapshot) -> list[str]:
    """What a step is of, by all three counts, and why they differ; of every rank where ranks differ."""
    if not snapshot.payload:
        return []
    sizes: dict[str, int] = {}
    for row in snapshot.ops:
        sizes[row.op] = sizes.get(row.op, 0) + row.bytes
    kinds = ", ".join(f"{cells.clean(op)} {numbers.size(size)}" for op, size in sizes.items() if size)
    facts = [
        f"payload {numbers.size(snapshot.payload)}" + (f" ({kinds})" if len(sizes) > 1 else ""),
        f"on the wire {numbers.size(snapshot.wire)}"
        + (f" ({cells.clean(snapshot.no_wire)})" if snapshot.no_wire else ""),
        f"theory {numbers.size(snapshot.theory)}",
    ]
    lines = [folded("a step, mean of a rank: " + " · ".join(facts), 2)]
    each = [rank.wire for rank in snapshot.rows]
    known = [size for size in each if size is not None]
    if len(known) == len(each) and max(known) > UNLIKE * min(known):
        lines.append(folded("on the wire by rank: " + ", ".join(map(numbers.size, each)), 2))
    return lines + [folded(cells.clean(cost), 2) for cost in snapshot.costs if snapshot.wire is not None]


def table_lines(body: list[tuple[str, ...]], most: int | None) -> list[str]:
    """The rows; in a terminal of `most` columns with less air, then without what is least of use."""
    ways = ((2, ()), (1, ()), (1, ("checksum",)), (1, ("checksum", "other")))
    return narrow_table.lines([[cells.clean(cell) for cell in row] for row in body], ways, most)


def _trainings(snapshot: Snapshot) -> list[str]:
    """Steps and loss of each training of a script that does several."""
    return [
        f"training {n}: steps {t.first_step} to {t.first_step + t.steps - 1}, loss {_figure(t.loss, '.4f')}"
        for n, t in enumerate(snapshot.trainings, 1)
    ]


def _pipeline(snapshot: Snapshot) -> list[str]:
    """Both bubbles of the newest step, measured and as its schedule has them, and what was live at once."""
    seen = snapshot.pipeline
    if seen is None:
        return []
    said = [
        f"bubble {_share(measured, 1)} of {whole} time"
        + (f" (theory {_share(theory, 1)})" if seen.theory else "")
        for whole, measured, theory in (
            ("all", seen.bubble, seen.theory_bubble),
            ("ideal", seen.bubble_ideal, seen.theory_bubble_ideal),
        )
    ]
    live = f"live {seen.counted} " + ", ".join(map(str, seen.live))
    return [" · ".join((seen.schedule or "a schedule of its own", *said, live))]


def _recovered(snapshot: Snapshot) -> list[str]:
    """Each new generation: why the one before it ended, the seconds of its phases, what was lost."""
    said = []
    for recovery in snapshot.recoveries:
        phases, lost = dict(recovery.phases), recovery.lost_steps
        words = [f"generation {recovery.generation}, after {cells.clean(recovery.what)}"]
        if "first step" in phases:
            words.append(f"back after {sum(phases.values()):.2f} s")
        if phases:
            words.append(
                ", ".join(f"{cells.clean(name)} {seconds:.2f} s" for name, seconds in phases.items())
            )
        if lost is not None:
            words.append(f"{lost} step{'s' * (lost != 1)} lost")
        said.append(" · ".join(words))
    return said


def _xray(snapshot: Snapshot) -> list[str]:
    """What the profiler saw of one step, where somebody asked for it."""
    taken = snapshot.xray
    if taken is None:
        return []
    if taken.state != "ready":
        return [f"no x-ray: {cells.clean(taken.why) or f'step {taken.step} was not reached'}"]
    peaks = ", ".join("-" if peak is None else f"{peak / 1e6:.1f}" for peak in taken.peaks)
    said = f"x-ray of step {taken.step}: {1000 * taken.span_s:.1f} ms, peak by the allocator {peaks} MB"
    formula = snapshot.formula.get("peak")
    return [
        said + (f", by formula {formula / 1e6:.1f} MB" if formula else ""),
        f"trace for ui.perfetto.dev: {cells.clean(taken.trace or taken.why)}",
    ]


def results(snapshot: Snapshot) -> list[str]:
    """What the script itself found out: once where all ranks say the same, else of each."""
    said = {
        row.rank: [f"{cells.clean(key)} {_result(key, value)}" for key, value in row.result.items()]
        for row in snapshot.rows
        if row.result
    }
    if len(said) == snapshot.world and all(facts == said[0] for facts in said.values()):
        return _folded("result of every rank:", said[0])
    return [line for rank, facts in said.items() for line in _folded(f"result of rank {rank}:", facts)]


def _folded(head: str, facts: Sequence[str]) -> list[str]:
    """On one line, or on several where that would be wider than a table."""
    folded = [f"{head} {facts[0]}"]
    for fact in facts[1:]:
        longer = f"{folded[-1]} · {fact}"
        if cells.width(longer) <= WIDEST:
            folded[-1] = longer
        else:
            folded.append(f"  {fact}")
    return folded


_UNITS = {"_bytes_per_s": "B/s", "_bytes": "B", "_s": "s"}  # how the name of a figure ends


def _result(key: str, value: float | int | str | None) -> str:
    unit = next((unit for end, unit in _UNITS.items() if key.endswith(end)), "")
    if isinstance(value, float) or (unit and isinstance(value, int)):
        return numbers.quantity(value, unit)
    return "-" if value is None else cells.clean(str(value))
