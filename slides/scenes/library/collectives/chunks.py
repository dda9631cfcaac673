"""Ranks with buffers of chunks, and transfers between them: what the scenes of collectives are made of.

What a rank holds is worked out by doing the transfers: a chunk is the set of ranks whose contribution is in
it. Everything of a step goes at once, from what was there before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from slides.scenes.shapes import AnyShape, Box, Label, Path, State

LEFT, RIGHT = 18.0, 138.0  # of the buffers on the plane
_HEAD = 8.5
_WIDEST = 112.0  # of a chunk


class Transfer(NamedTuple):
    """`source` sends `chunk` to `target`, which adds it to its own, or else copies it over."""

    source: int
    chunk: int
    target: int
    adds: bool = False


Steps = tuple[tuple[Transfer, ...], ...]
Buffers = tuple[tuple[frozenset[int], ...], ...]
"""[rank][chunk]: the ranks whose contribution is in it."""


@lru_cache(64)
def buffers(start: Buffers, steps: Steps) -> tuple[Buffers, ...]:
    """Return what is held before the first step and after each."""
    states = [start]
    for step in steps:
        before = states[-1]
        held = [list(row) for row in before]
        for sent in step:
            own = held[sent.target][sent.chunk] if sent.adds else frozenset()
            held[sent.target][sent.chunk] = own | before[sent.source][sent.chunk]
        states.append(tuple(map(tuple, held)))
    return tuple(states)


def own(ranks: int, chunks: int) -> Buffers:
    """Return the start of a reduction: every chunk of a rank holds its own contribution."""
    return tuple(tuple(frozenset({rank}) for _ in range(chunks)) for rank in range(ranks))


def chunks_sent(steps: Steps, until: int, rank: int) -> int:
    """Return how many chunks `rank` has sent in the first `until` steps."""
    return sum(sent.source == rank for step in steps[:until] for sent in step)


def picture(
    start: Buffers, steps: Steps, n: int, *, heads: Sequence[str] = (), share: str = "S", whole: int = 0
) -> list[AnyShape]:
    """Return the shapes after `n` steps: a row a rank, a column a chunk, contributions in the ranks' colours.

    Args:
        start: What is held before the first step.
        steps: What is sent in each.
        n: How many of them have been done.
        heads: A word above each chunk.
        share: What the figure at the right counts, in buffers: "S", or "" for no figure.
        whole: How many contributions make a chunk complete; 0: all ranks'.
    """
    ranks, chunks = len(start), len(start[0])
    held = buffers(start, steps)[n]
    pitch = min((RIGHT - LEFT) / chunks, _WIDEST)
    gutter = min(8.7, pitch * 0.29)
    row = _row(ranks)
    high = min(row * 0.62, 7.0)
    every = whole or ranks  # pieces that are side by side in a chunk
    piece = (pitch - gutter) / every
    now = steps[n - 1] if n else ()
    shapes: list[AnyShape] = []
    for chunk in range(chunks):
        text = heads[chunk] if heads else f"chunk {chunk}"
        middle = LEFT + chunk * pitch + (pitch - gutter) / 2
        shapes.append(Label(id=f"head{chunk}", at=(middle, 3), text=text, short=str(chunk), ink="dim"))
    if share:
        shapes.append(Label(id="sent", at=((RIGHT + 164) / 2, 3), text="sent", ink="dim"))
    for rank in range(ranks):
        top = _HEAD + rank * row
        shapes.append(beside(f"rank{rank}", f"rank {rank}", f"r{rank}", (0.0, top), (LEFT - 3, high)))
        for chunk in range(chunks):
            left = LEFT + chunk * pitch
            shapes += _chunk(rank, chunk, held[rank][chunk], now, left, top, piece, high, every)
            if len(held[rank][chunk]) == (whole or ranks):
                at, name = (left + pitch - gutter + 0.5, top), f"whole{rank}.{chunk}"
                shapes.append(beside(name, "✓", "", at, (gutter * 0.5, high), "good"))
        if share:
            figure = f"{chunks_sent(steps, n, rank) / chunks:.2f} {share}"
            shapes.append(
                beside(f"sent{rank}", figure, "", (RIGHT + 4, top), (160 - RIGHT - 4, high), "text")
            )
    lanes: dict[int, list[int]] = {}
    for sent in now:
        ends = lanes.setdefault(sent.chunk, [])  # the last row of the arrows in each lane beside a chunk
        first, last = sorted((sent.source, sent.target))
        lane = next((n for n, end in enumerate(ends) if end < first), len(ends))
        ends[lane : lane + 1] = [last]
        shapes.append(_arrow(sent, pitch, gutter, row, high, lane))
    return shapes


def in_rows(ranks: int, shapes: Sequence[AnyShape], lead: str, caption: str) -> State:
    """Return a step of a picture with a row a rank."""
    pieces = (shape.size[0] for shape in shapes if isinstance(shape, Box) and shape.id.startswith("piece"))
    return State(tuple(shapes), lead, caption, apart=_row(ranks), across=min(pieces, default=0.0))


def _row(ranks: int) -> float:
    return (60.0 - _HEAD) / ranks


def beside(
    name: str, text: str, short: str, at: tuple[float, float], size: tuple[float, float], ink: str = "heading"
) -> Box:
    """Return words that stand on the row of the boxes beside them, at every size: in a box without a side."""
    return Box(id=name, at=at, size=size, text=text, short=short, ink=ink, edge="background", hollow=True)


def exchange(name: str, start: float, end: float, rows: Sequence[float]) -> list[AnyShape]:
    """Return the lines of a collective: from rows at `start` to one wire, from it to rows at `end`."""
    middle = (start + end) / 2
    shapes: list[AnyShape] = [
        Path(id=f"{name}.wire", points=((middle, rows[0]), (middle, rows[-1])), ink="exposed")
    ]
    for n, y in enumerate(rows):
        shapes.append(Path(id=f"{name}.out{n}", points=((start, y), (middle, y)), ink="exposed"))
        ends = ((middle, y), (end, y))
        shapes.append(Path(id=f"{name}.in{n}", points=ends, ink="exposed", head=True))
    return shapes


def _chunk(
    rank: int,
    chunk: int,
    held: frozenset[int],
    now: Sequence[Transfer],
    left: float,
    top: float,
    piece: float,
    high: float,
    every: int,
) -> list[AnyShape]:
    """A chunk's place, and in it a piece for each rank whose contribution is there."""
    arrived = next((sent for sent in now if sent.target == rank and sent.chunk == chunk), None)
    shapes: list[AnyShape] = [
        Box(
            id=f"place{rank}.{chunk}",
            at=(left, top),
            size=(piece * every, high),
            ink="panel",
            layer=-1,
            whole=True,
        )
    ]
    for who in sorted(held):
        source = f"piece{arrived.source}.{chunk}.{who}" if arrived is not None else ""
        shapes.append(
            Box(
                id=f"piece{rank}.{chunk}.{who}",
                at=(left + (who * piece if every > 1 else 0.0), top),
                size=(piece, high),
                ink=f"rank{who % 8}",
                text=str(who),
                comes_from=source,
                glow=0.5 * (arrived is not None),
            )
        )
    return shapes


def _arrow(sent: Transfer, pitch: float, gutter: float, row: float, high: float, lane: int) -> AnyShape:
    """Beside the chunk that is sent, from the row of who sends it to that of who gets it."""
    x = LEFT + (sent.chunk + 1) * pitch - gutter * 0.35 + 3.0 * lane
    y0, y1 = (_HEAD + rank * row + high / 2 for rank in (sent.source, sent.target))
    name = f"arrow{sent.source}.{sent.chunk}.{sent.target}"
    return Path(id=name, points=((x, y0), (x, y1)), ink="accent", head=True, layer=1)
