"""Ring all-reduce, step by step: n ranks, n chunks, 2(n-1) steps, each over every link of the ring at once.

Patarasuk and Yuan (2009): in reduce-scatter step k (from 0) rank r sends chunk (r - k) mod n to its right
neighbour, which adds it; after n-1 steps rank r owns the sum of chunk (r + 1) mod n. In all-gather step k it
sends chunk (r + 1 - k) mod n on, which the neighbour copies. Every rank sends 2(n-1) chunks of S/n bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from slides.drawing.cells import clip, wrap
from slides.drawing.text import PLAIN, Line, Span, Style

MOST_RANKS = 8


class Transfer(NamedTuple):
    """`source` sends `chunk` to `target`, which adds it to its own, or else copies it over."""

    source: int
    chunk: int
    target: int
    adds: bool


def transfers(ranks: int) -> list[list[Transfer]]:
    """What is sent in each of the 2(n-1) steps."""
    scatter = [
        [Transfer(r, (r - k) % ranks, (r + 1) % ranks, True) for r in range(ranks)] for k in range(ranks - 1)
    ]
    gather = [
        [Transfer(r, (r + 1 - k) % ranks, (r + 1) % ranks, False) for r in range(ranks)]
        for k in range(ranks - 1)
    ]
    return scatter + gather


Buffers = tuple[tuple[frozenset[int], ...], ...]


@lru_cache(16)
def buffers(ranks: int) -> tuple[Buffers, ...]:
    """Before the first step and after each: [rank][chunk] is the set of ranks summed in it."""
    held = [[frozenset({r})] * ranks for r in range(ranks)]
    states = [tuple(map(tuple, held))]
    for step in transfers(ranks):
        before = states[-1]
        for sent in step:
            own = before[sent.target][sent.chunk] if sent.adds else frozenset()
            held[sent.target][sent.chunk] = own | before[sent.source][sent.chunk]
        states.append(tuple(map(tuple, held)))
    return tuple(states)


def check(params: Mapping[str, str]) -> str:
    """Return what is wrong with `ranks` or `chunks` and what to write instead, or ""."""
    unknown = sorted(set(params) - {"ranks", "chunks"})
    if unknown:
        return f"ring does not know {unknown[0]!r}: it takes ranks and chunks"
    ranks = params.get("ranks", "4")
    if not (ranks.isascii() and ranks.isdecimal()) or not 2 <= int(ranks[:4]) <= MOST_RANKS:
        return f"ring shows 2 to {MOST_RANKS} ranks, not {ranks!r}: write ranks=4"
    if params.get("chunks", ranks) != ranks:
        return f"the ring cuts the buffer into one chunk per rank: write chunks={ranks}, or leave chunks out"
    return ""


def _ranks(params: Mapping[str, str]) -> int:
    return int(params.get("ranks", "4"))


def frames(params: Mapping[str, str]) -> int:
    """The start, each step, and the end."""
    return 2 * _ranks(params)


def frame(step: int, w: int, h: int, params: Mapping[str, str]) -> list[Line]:
    """Return the picture of `step`, of the same height for every step, clipped to `w` cells."""
    ranks = _ranks(params)
    lines = [_progress(ranks, step, w), (), *_picture(ranks, step, w), (), *_caption(ranks, step, w)]
    tallest = max(len(_caption(ranks, n, w)) for n in range(2 * ranks))
    lines += [()] * (tallest + 2 * ranks + 5 - len(lines))
    lines = [clip(line, max(w, 0)) for line in lines]
    return lines[:h] if h else lines


def _sent(ranks: int, step: int) -> list[Transfer]:
    """What is sent in frame `step`: nothing at the start and at the end."""
    return transfers(ranks)[step - 1] if 1 <= step <= 2 * (ranks - 1) else []


def _progress(ranks: int, step: int, w: int) -> Line:
    spans: list[Span] = []
    steps = ranks - 1
    dash = 3 if 8 * steps + 33 <= w else 1
    for name, first in (("reduce-scatter", 1), ("all-gather", ranks)):
        now = first <= step < first + steps
        ink = "accent" if now else "dim"
        spans.append(Span(f"{name}  ", Style(ink, bold=now)))
        for n in range(first, first + steps):
            done = n <= step
            spans.append(Span(("━" if done else "─") * dash + " ", Style("accent" if done else "line")))
        spans.append(Span("   "))
    return tuple(spans[:-1])


class _Grid(NamedTuple):
    """Where things are. A chunk is `ranks` segments of `segment` cells, or the text `2/8` where that is 0."""

    label: int
    segment: int
    cell: int
    gap: int
    sent: int


@lru_cache(64)
def _grid(ranks: int, w: int) -> _Grid:
    for segment in (3, 2, 1):
        for gap in (4, 3, 2):
            cell = ranks * segment
            if cell >= 3 and 8 + ranks * (cell + gap) + 8 <= w:
                return _Grid(8, segment, cell, gap, 8)
    for label, gap, sent in ((8, 2, 8), (7, 2, 6), (3, 2, 6), (3, 1, 0)):
        if label + ranks * (3 + gap) + sent <= w:
            break
    return _Grid(label, 0, 3, gap, sent)


def _cell(held: frozenset[int], ranks: int, grid: _Grid, fresh: bool) -> list[Span]:
    """What is summed in one chunk: a segment per rank, its number on its colour, a dot where missing."""
    whole = len(held) == ranks
    mark = Span(("✓" if whole else "").center(grid.gap), Style("good", bold=True))
    if not grid.segment:
        style = Style("good" if whole else "accent" if fresh else "text", bold=fresh)
        return [Span(f"{len(held)}/{ranks}", style), mark]
    spans = []
    for rank in range(ranks):
        if rank in held:
            style = Style("background", f"rank{rank}", bold=True)
            spans.append(Span(str(rank).center(grid.segment), style))
        else:
            spans.append(Span("·".center(grid.segment), Style("faint", "panel")))
    return [*spans, mark]


def _picture(ranks: int, step: int, w: int) -> list[Line]:
    grid = _grid(ranks, w)
    held = buffers(ranks)[min(step, 2 * (ranks - 1))]
    sent = _sent(ranks, step)
    by_source = {transfer.source: transfer for transfer in sent}
    fresh = {(transfer.target, transfer.chunk) for transfer in sent}
    word = "rank " if grid.label > 6 else "r"

    heads = [f"chunk {n}" if grid.cell + grid.gap > 8 else f"c{n}" for n in range(ranks)]
    head = " " * grid.label + "".join(text.ljust(grid.cell + grid.gap) for text in heads)
    lines: list[Line] = [(Span(head, Style("dim")), Span("sent" if grid.sent else "", Style("dim")))]
    lines.append(_arrow(by_source.get(ranks - 1), grid, f"from {ranks - 1}"))
    for rank in range(ranks):
        spans = [Span(f"{word}{rank}".ljust(grid.label), Style("heading", bold=True))]
        for chunk in range(ranks):
            spans += _cell(held[rank][chunk], ranks, grid, (rank, chunk) in fresh)
        if grid.sent:
            steps = min(step, 2 * (ranks - 1))
            spans.append(Span(f"{steps}/{ranks} S" if steps else "–", Style("text" if steps else "faint")))
        lines.append(tuple(spans))
        transfer = by_source.get(rank)
        note = "to 0" if rank == ranks - 1 else ("add" if transfer and transfer.adds else "copy")
        lines.append(_arrow(transfer, grid, note))
    return lines


def _arrow(transfer: Transfer | None, grid: _Grid, note: str) -> Line:
    """The arrow stands under the chunk that is sent, right above the one that receives it."""
    if transfer is None:
        return ()
    middle = max(grid.cell // 2 - 1, 0) if grid.segment else 1
    before = grid.label + transfer.chunk * (grid.cell + grid.gap) + middle
    text = f"↓ {note}" if len(note) + 2 <= grid.cell - middle + grid.gap else "↓"
    return (Span(" " * before), Span(text, Style("accent", bold=True)))


def _caption(ranks: int, step: int, w: int) -> list[Line]:
    """The step in words, wrapped."""
    last = 2 * (ranks - 1)
    strong = Style("heading", bold=True)
    if step == 0:
        spans = [
            Span("start: ", strong),
            Span(f"every rank holds its own S bytes of gradients, cut into {ranks} chunks. "),
            Span("A number in a chunk says whose gradients are in the sum."),
        ]
    elif step > last:
        share = f"{last / ranks:.2f}".rstrip("0").rstrip(".")
        spans = [
            Span("end: ", strong),
            Span("every rank holds every sum. Each has sent "),
            Span(f"{last} chunks of S/{ranks} = 2(n-1)/n\u00a0·\u00a0S = {share}\u00a0S", strong),
            Span(" bytes; more ranks bring it near 2 S, never above."),
        ]
    else:
        sent = _sent(ranks, step)
        adds = sent[0].adds
        name, number = ("reduce-scatter", step) if adds else ("all-gather", step - (ranks - 1))
        shown = sent if ranks <= 4 else sent[:2]
        told = ", ".join(
            f"rank\u00a0{t.source} sends chunk\u00a0{t.chunk} to rank\u00a0{t.target}" for t in shown
        )
        told += "." if ranks <= 4 else ", and so on round the ring."
        if step == ranks - 1:
            told += " Added up: now every rank owns the whole sum of one chunk."
        else:
            told += " Each adds what it gets." if adds else " Each copies what it gets."
        spans = [Span(f"{name} step {number} of {ranks - 1}: ", strong), Span(told, PLAIN)]
    return wrap(spans, max(min(w, 100), 1))
