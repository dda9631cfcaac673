"""From the key to the first step, and from a failure to the step after it: each phase in its time."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from runtime.protocol.figures import Recovery
from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.figures import numbers
from tui.views.parts.frame import DIM, axis, framed, nothing

TEXT, HEAD = Style(), Style("heading", bold=True)
BAR, LAST = Style("accent", "accent"), Style("good", "good")  # cells filled with their colour
_SPELLED = {
    "stage": "its turn has come",
    "fork": "forked where torch is loaded",
    "start": "process begins",
    "import": "torch and the script imported",
    "rendezvous": "ranks have found each other",
    "build": "model and optimizer built",
    "first step": "first step done",
    "detected": "the failure was seen",
    "killed": "every rank of it is gone",
    "forked": "new ranks forked",
    "loaded": "checkpoint loaded",
}
_WORDS_FROM = 96  # cells from which on every phase is spelled out
_AS_STEPS = 2  # lines of the comparison with a step, with the blank one over it


def launch(snapshot: Snapshot, width: int, height: int) -> list[Line]:
    """Exactly `height` lines of exactly `width` cells: the newest recovery last."""
    if not snapshot.phases and not snapshot.recoveries:
        return nothing("launch", "the phases come with the ranks' first words", width, height)
    blocks = [_waterfall("launch", snapshot.phases, width)] if snapshot.phases else []
    blocks += [_recovery(recovery, width) for recovery in snapshot.recoveries]
    # What happened last is what one looks for: older blocks go first.
    while len(blocks) > 1 and sum(len(block) + 1 for block in blocks) - 1 > height:
        blocks.pop(0)
    airy = sum(2 * len(block) + 1 for block in blocks) - 1 <= height
    # With plenty of room bars get it: what is large is read from afar.
    bars = sum(_bars(block) for block in blocks)
    spare = height - sum(2 * len(block) + 1 for block in blocks) + 1 - _AS_STEPS
    thick = 1 + max(0, min(2, spare // max(1, bars))) if airy else 1
    lines: list[Line] = []
    for block in blocks:
        lines += [()] * (1 + airy if lines else 0)
        lines += _spaced(block, thick, airy)
    if snapshot.phases and (said := _as_steps(snapshot)) and len(lines) + _AS_STEPS <= height:
        lines += [(), said]
    return framed(lines, width, height)


def _bars(block: Sequence[Line]) -> int:
    """Its lines but for head and axis."""
    return max(0, len(block) - 2)


def _spaced(block: Sequence[Line], thick: int, airy: bool) -> list[Line]:
    """Each bar `thick` lines high, its words on the first; with a blank line after each where it is airy."""
    lines: list[Line] = []
    for n, row in enumerate(block):
        bar = 0 < n <= _bars(block)
        alone = [s if s.style in (BAR, LAST) else Span(" " * cells.width(s.text)) for s in row]
        lines += [row, *[tuple(alone)] * (thick - 1 if bar else 0), *[()] * airy]
    return lines[: -1 if airy else None]


def _as_steps(snapshot: Snapshot) -> Line:
    """What the launch took beside what a step takes: how long it must run before that is nothing."""
    took = sum(seconds for _, seconds in snapshot.phases)
    steps = [row.step_s for row in snapshot.rows if row.step_s]
    if not steps or took <= 0:
        return ()
    typical = median(steps)
    return (
        Span("the launch took as long as ", DIM),
        Span(f"{took / typical:.0f} steps", TEXT),
        Span(f" of {numbers.ms(typical)}", DIM),
    )


def _recovery(recovery: Recovery, width: int) -> list[Line]:
    why = cells.clean(recovery.what)
    lost = recovery.lost_steps
    words = [f"generation {recovery.generation}"]
    words += [f"after: {why}"] if why else []
    if lost is not None:
        words.append("no step lost" if not lost else f"{lost} step{'s' * (lost != 1)} lost")
    return _waterfall(" · ".join(words), recovery.phases, width)


def _waterfall(title: str, phases: Sequence[tuple[str, float]], width: int) -> list[Line]:
    """A head with the sum, a bar per phase that begins where the one before it ended, and the axis."""
    named = [(cells.clean(name), max(0.0, seconds)) for name, seconds in phases]
    total = sum(seconds for _, seconds in named)
    head: Line = (Span(title, HEAD), Span(f"   {numbers.ms(total)}" if named else "   not yet", DIM))
    if not named:
        return [head]
    label = min(14, max(cells.width(name) for name, _ in named)) + 2
    words = max((len(_SPELLED.get(name, "")) for name, _ in named), default=0) + 2
    words = words if width >= _WORDS_FROM else 0
    room = max(1, width - label - 9 - words)
    lines, begun = [head], 0.0
    for n, (name, seconds) in enumerate(named):
        start = round(begun / total * room) if total > 0 else 0
        begun += seconds
        end = round(begun / total * room) if total > 0 else 0
        # Something that took no time to speak of still has its place.
        start = min(start, room - 1)
        bar = Span("█" * max(1, end - start), LAST if n == len(named) - 1 else BAR)
        line = cells.fit((Span(" " * start), bar), room)
        spelled = Span(f"  {_SPELLED.get(name, '')}" if words else "", DIM)
        short = cells.clip_text(name, label - 2)
        lines.append(
            (Span(f"{short:<{label}}", TEXT), *line, Span(f"{numbers.ms(seconds):>9}", TEXT), spelled)
        )
    lines.append((Span(" " * label), *axis(total, room, "s")))
    return lines
