"""A comparison in words: its table for a terminal, as Markdown and as an object, with caption and advice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slides.drawing.cells import clean
from tui.command_line import narrow_table
from tui.command_line.line_folding import columns, folded

if TYPE_CHECKING:
    from runtime.protocol.figures import Comparison, Strategy


def caption(table: Comparison) -> str:
    """Return the line above a comparison: ranks, steps, and how many runs."""
    return f"{table.ranks} ranks, {table.steps} steps, {_runs(table.runs)}"


def _runs(count: int) -> str:
    return "one run of each" if count == 1 else f"medians of {count} runs of each, in turn"


HEAD = ("strategy", "peak", "sum", "ms a step", "lowest-highest", "tokens/s",
         "payload", "wire", "theory", "exposed", "loss")  # fmt: skip


MEANT = "MB a step and rank: payload handed to the library, wire measured, theory the least possible"


HELD = (
    "MB of a rank, peak: the most at once, by the profiler; sum: the most of each kind, not all at one moment"
)


def _words(row: Strategy) -> tuple[str, ...]:
    """A row of the table; a dash is what is not known."""

    def figure(value: float | None, form: str, scale: float = 1.0) -> str:
        return "-" if value is None else format(value * scale, form)

    spread = f"{figure(row.step_low_s, '.1f', 1e3)}-{figure(row.step_high_s, '.1f', 1e3)}"
    loss = figure(row.loss, ".4f") + {True: " =", False: " differs", None: ""}[row.same]
    return (
        clean(row.label),
        figure(row.peak_bytes, ".1f", 1e-6),
        figure(row.memory_bytes, ".1f", 1e-6),
        figure(row.step_s, ".1f", 1e3),
        spread if row.step_s is not None else row.state,
        figure(row.tokens_s, ",.0f"),
        figure(row.payload, ".2f", 1e-6),
        figure(row.wire, ".2f", 1e-6),
        figure(row.theory, ".2f", 1e-6),
        figure(row.exposed, ".0%"),
        loss,
    )


def terminal(table: Comparison) -> list[str]:
    """The table; in a narrower terminal without the spread, then with less air, then without tokens/s."""
    body, spread = [HEAD, *map(_words, table.rows)], "lowest-highest"
    ways = ((2, ()), (2, (spread,)), (1, (spread,)), (1, (spread, "tokens/s")))
    return [*narrow_table.lines(body, ways, columns(), left=("strategy", "loss")), *explained(table)]


def explained(table: Comparison) -> list[str]:
    """What the three counts of bytes are, why one is a dash, and why the wire carries more than theory."""
    said = [f"{', '.join(of)}: {words}" for words, of in table.costs.items()]
    crossing = [f"{row.label} {row.crossing / 1e6:.2f}" for row in table.rows if row.crossing is not None]
    between = [f"MB of a step between nodes, all ranks together: {', '.join(crossing)}"] if crossing else []
    return [folded(clean(line), 2) for line in (*between, HELD, MEANT, *said)]


def advice(table: Comparison) -> list[str]:
    """When one would train so, for the strategies whose demo says it."""
    said = [(row.label, row.when) for row in table.rows if row.when]
    width = max((len(label) for label, _ in said), default=0)
    lines = [folded(f"{clean(label):<{width}}  {when}", width + 2) for label, when in said]
    return ["", *lines] if said else []


def markdown(table: Comparison) -> list[str]:
    """Return the comparison as the lines of a Markdown table, figures aligned right."""

    def cell(text: str) -> str:
        return text.replace("|", "\\|")

    head, last = (*HEAD, "when"), len(HEAD)
    lines = [
        f"| {' | '.join(head)} |",
        f"|{'|'.join(' --- ' if n in (0, last - 1, last) else ' ---: ' for n in range(last + 1))}|",
    ]
    lines += [
        f"| {' | '.join(cell(word) for word in (*_words(row), row.when or '-'))} |" for row in table.rows
    ]
    return lines


def as_object(table: Comparison) -> dict[str, Any]:
    """Seconds end in `_s`, bytes in `_bytes`, unknown is null."""
    return {
        "ranks": table.ranks,
        "steps": table.steps,
        "runs": table.runs,
        "strategies": [
            {
                "label": row.label,
                "demo": row.demo,
                "state": row.state,
                "why": row.why,
                "runs": row.runs,
                "peak_bytes": row.peak_bytes,
                "memory_bytes": row.memory_bytes,
                "memory_by_kind_bytes": row.memory,
                "step_s": row.step_s,
                "step_low_s": row.step_low_s,
                "step_high_s": row.step_high_s,
                "tokens_per_s": row.tokens_s,
                "payload_bytes_step": row.payload,
                "wire_bytes_step": row.wire,
                "theory_bytes_step": row.theory,
                "crossing_bytes_step": row.crossing,
                "wire_unknown": row.no_wire,
                "wire_costs": list(row.costs),
                "exposed": row.exposed,
                "loss": row.loss,
                "same_loss": row.same,
                "when": row.when,
            }
            for row in table.rows
        ],
    }
