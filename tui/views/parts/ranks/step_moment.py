"""What a rank holds, does and sends at a moment of a step: read off the film of that step."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from runtime.protocol.figures import RankRow, RankStep, Transfer
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.classroom.runs.slow_motion import Playing
from tui.figures import numbers

KINDS = ("params", "gathered", "grads", "optimizer_bytes", "activations")
_DOING = {"exposed": "in a transfer", "wait": "waits", "other": ""}
_DIM, _TEXT = Style("dim"), Style("text")


def held(row: RankRow, playing: Playing | None) -> Mapping[str, int]:
    """Return the bytes of each of `KINDS`: at this moment, or the most of each in a step."""
    most = {kind: getattr(row, kind) or 0 for kind in KINDS}
    step = of_rank(row.rank, playing)
    if playing is None or step is None or not step.moments:
        return most
    at = bisect_right(step.moments, playing.at, key=lambda moment: moment.t)
    now = step.moments[at - 1] if at else None
    changing = {
        "gathered": now.gathered if now else 0,
        "grads": now.grads if now else 0,
        "activations": now.activations if now else 0,
    }
    return {**most, **changing}


def of_rank(rank: int, playing: Playing | None) -> RankStep | None:
    """Return the film of one rank; None where there is none."""
    if playing is None or not 0 <= rank < len(playing.film.ranks):
        return None
    return playing.film.ranks[rank]


def doing(row: RankRow, playing: Playing | None) -> str:
    """Return what a rank is at: the phase of this moment, or what it is at now."""
    step = of_rank(row.rank, playing)
    if playing is None or step is None:
        return row.state
    kind = next((mark.kind for mark in step.phases if mark.t0 <= playing.at < mark.t1), "")
    return _DOING.get(kind, kind)


class Sent(NamedTuple):
    """A transfer under way from a rank to the next of its group, and how far it has come, 0 to 1."""

    transfer: Transfer
    source: int
    target: int
    share: float


def sending(playing: Playing) -> Iterator[Sent]:
    """Return what is on the wires at this moment. Of a collective each rank has a packet to the next one."""
    for rank, step in enumerate(playing.film.ranks):
        for transfer in step.transfers:
            if transfer.t0 <= playing.at < transfer.t1 and rank in transfer.ranks and transfer.bytes:
                place = transfer.ranks.index(rank)
                target = transfer.ranks[(place + 1) % len(transfer.ranks)]
                if target != rank:
                    share = (playing.at - transfer.t0) / (transfer.t1 - transfer.t0)
                    yield Sent(transfer, rank, target, share)


def bar(playing: Playing, width: int) -> Line:
    """Return the step, how far it is shown, how much slower than it was, and what is on the wires."""
    film = playing.film
    before = f"step {film.step}  "
    slowed = "at its own pace" if playing.slowed == 1 else f"slowed {playing.slowed:g}x"
    after = f"  {numbers.ms(playing.at)} of {numbers.ms(film.span_s)}, {slowed}"
    if playing.paused:
        after += ", paused"
    ops: dict[str, int] = {}
    for sent in sending(playing):
        ops[sent.transfer.op] = max(ops.get(sent.transfer.op, 0), sent.transfer.bytes)
    going = "   ".join(f"{op} {numbers.size(size)}" for op, size in ops.items())
    room = max(0, min(36, width // 5, width - cells.width(before) - cells.width(after) - 4))
    done = round(room * playing.at / film.span_s)
    spans = (
        Span(before, _TEXT),
        Span("━" * done, Style("accent")),
        Span("─" * (room - done), Style("line")),
        Span(after, _DIM),
        Span(f"   {cells.clean(going)}" if going else "", Style("exposed")),
    )
    return cells.clip(tuple(span for span in spans if span.text), width)
