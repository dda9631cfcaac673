"""The last lines that every rank wrote, or those of one. Untrusted text."""

from __future__ import annotations

import re

from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.views.parts.frame import DIM, framed, nothing
from tui.views.parts.headline import FROM, HIGH, headline

HEAD, RULE = Style("heading", bold=True), Style("line")
_SAID = re.compile(r"rank (\d{1,6}): (.*)", re.DOTALL)
_BESIDE = 120  # cells from which on two ranks stand side by side
_BUILT_AT = re.compile(r"\[/[^\s\]]*/([^/\s\]]+:\d+)\]")  # gloo's errors begin with a path of who built it
_FAILED = ("failed", "lost")


def log(snapshot: Snapshot, width: int, height: int, rank: int | None = None) -> list[Line]:
    """Exactly `height` lines of exactly `width` cells; `rank` picks one."""
    tails = by_rank(snapshot)
    if rank is not None:
        tails = {rank: tails[rank]} if rank in tails else {}
    if not tails:
        if snapshot.logs and rank is None:
            return _lines("last lines", snapshot.logs, width, height)
        why = "no rank has written a line" if rank is None else f"rank {rank} has written nothing"
        return nothing("log", why, width, height)
    if len(tails) == 1:
        ((n, tail),) = tails.items()
        return _alone(snapshot, n, tail, width, height)
    if len(tails) * 2 > height or width < 30:
        return _short(tails, width, height)
    return _blocks(tails, width, height)


def by_rank(snapshot: Snapshot) -> dict[int, tuple[str, ...]]:
    """What each rank wrote last; where only all of it together is known, as far as that names them."""
    if any(snapshot.tails):
        return {n: tail for n, tail in enumerate(snapshot.tails) if tail}
    found: dict[int, tuple[str, ...]] = {}
    for line in snapshot.logs:
        if match := _SAID.match(line):
            rank = int(match[1])
            found[rank] = (*found.get(rank, ()), match[2])
    return dict(sorted(found.items()))


def _alone(snapshot: Snapshot, rank: int, tail: tuple[str, ...], width: int, height: int) -> list[Line]:
    """One rank; where there is room besides, what it does now and who has written nothing."""
    drawn = headline((Span(_said(tail[-1])),), width, 3) if width >= FROM[0] and height >= 2 * HIGH else []
    kept = tail[:-1] if drawn else tail
    room = height - len(drawn) - bool(drawn)
    lines = _lines(f"rank {rank}, its last lines", kept, width, min(room, len(kept) + 1))
    lines += [(), *drawn] if drawn else []
    row = next((row for row in snapshot.rows if row.rank == rank), None)
    silent = [str(n) for n, said in enumerate(snapshot.tails) if not said]
    facts: list[str] = []
    if row is not None:
        after = "" if row.step is None else f", {row.step + 1} step{'s' * (row.step != 0)} done"
        facts.append(f"rank {rank}: {row.state}{after}")
    if 0 < len(silent) < snapshot.world and len(snapshot.tails) > 1:
        facts.append(f"nothing written by rank{'s' * (len(silent) > 1)} {' '.join(silent)}")
    if facts and height >= len(lines) + 2:
        lines += [(), (Span(cells.clean(" · ".join(facts)), DIM),)]
    return framed(lines, width, height)


def _lines(title: str, tail: tuple[str, ...], width: int, height: int) -> list[Line]:
    room = max(0, height - 1)
    shown = tail[-room:] if room else ()
    return framed([(Span(title, DIM),), *((Span(cells.clean(text)),) for text in shown)], width, height)


def _short(tails: dict[int, tuple[str, ...]], width: int, height: int) -> list[Line]:
    """A line a rank, its last one: where there is no room for more."""
    shown = list(tails.items())[: height if len(tails) <= height else max(0, height - 1)]
    gutter = len(str(max(tails))) + 2
    lines: list[Line] = [(Span(f"{n:<{gutter}}", HEAD), Span(cells.clean(tail[-1]))) for n, tail in shown]
    if len(shown) < len(tails):
        lines.append((Span(f"and {len(tails) - len(shown)} more ranks: r picks one", DIM),))
    return framed(lines, width, height)


def _blocks(tails: dict[int, tuple[str, ...]], width: int, height: int) -> list[Line]:
    """A block a rank, one below the other; in two columns where it is wide."""
    full = height
    if width >= FROM[0] and (large := _last_in_letters(tails, width, height)):
        return framed(large, width, height)
    columns = 2 if width >= _BESIDE and len(tails) > 1 else 1
    gap = 3
    each = (width - gap * (columns - 1)) // columns
    rows = -(-len(tails) // columns)
    ranks = list(tails)
    height = min(height, rows * (max(map(len, tails.values())) + 2))
    lines: list[Line] = []
    for row in range(rows):
        block_h = height * (row + 1) // rows - height * row // rows
        side = [_block(n, tails[n], each, block_h) for n in ranks[row * columns : (row + 1) * columns]]
        side += [[()] * block_h] * (columns - len(side))
        for parts in zip(*side, strict=True):
            line: list[Span] = []
            for at, part in enumerate(parts):
                line += [Span(" " * gap)] * (at > 0)
                line += cells.fit(part, each)
            lines.append(tuple(line))
    return framed(lines, width, full)


def _last_in_letters(tails: dict[int, tuple[str, ...]], width: int, height: int) -> list[Line]:
    """What each rank wrote last in letters, over it the lines before in their own size; empty: no room."""
    lines: list[Line] = []
    room = height // len(tails)
    for rank, tail in tails.items():
        drawn = headline((Span(_said(tail[-1])),), width, 2)
        if not drawn or len(drawn) + 2 > room:
            return []
        before = tail[:-1][len(drawn) + 2 - room :] if room > len(drawn) + 2 else ()
        lines += [_head(rank, width), *((Span(cells.clean(text)),) for text in before), *drawn, ()]
    return lines


def _block(rank: int, tail: tuple[str, ...], width: int, height: int) -> list[Line]:
    """A heading and the newest lines; a blank line below where there are three or more."""
    room = height - 1 - (height >= 4)
    lines: list[Line] = [_head(rank, width), *((Span(cells.clean(text)),) for text in tail[-room:])]
    return framed(lines, width, height)


def _said(text: str) -> str:
    return _BUILT_AT.sub(r"[\1]", cells.clean(text))


def _head(rank: int, width: int) -> Line:
    name = f"rank {rank} "
    return (Span(name, HEAD), Span("─" * max(0, width - len(name)), RULE))


def last_words(snapshot: Snapshot, width: int, height: int) -> list[Line]:
    """What ranks wrote last, beside other charts: of a run that failed each rank's last line, the error."""
    head: Line = (Span("last lines of the ranks", DIM),)
    tails, room = by_rank(snapshot), max(0, height - 1)
    if snapshot.state not in _FAILED or not 0 < len(tails) <= room:
        return framed([head, *((Span(cells.clean(text)),) for text in snapshot.logs[-room:])], width, height)
    lines = [head]
    for rank, tail in tails.items():
        name = f"rank {rank}  "
        said = cells.wrap((Span(_said(tail[-1])),), max(1, width - len(name)))
        shown = said[: room // len(tails)]
        lines.append((Span(name, HEAD), *shown[0]))
        lines += [(Span(" " * len(name)), *line) for line in shown[1:]]
    return framed(lines, width, height)
