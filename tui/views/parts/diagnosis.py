"""Why ranks stand still or have failed: words, who waits where for whom, and the circle drawn."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.diagnosis.evidence import size
from runtime.protocol.diagnosis_message import Diagnosis, RankRow
from slides.drawing import cells
from slides.drawing.cells import clean
from slides.drawing.text import Line, Span, Style
from tui.views.parts.headline import headline
from tui.views.parts.ranks.rank_circle import circle

DIM, TEXT, HEAD = Style("dim"), Style("text"), Style("heading", bold=True)
BAD, WARN, GOOD = Style("bad", bold=True), Style("warning"), Style("good")
MOST_RANKS = 8  # that are compared one below the other
WIDEST = 20  # cells of a value that has a column


def diagnosed(found: Diagnosis, ranks: int, width: int, height: int, *, large: bool = False) -> list[Line]:
    """As many lines as the words take; the picture below them where `height` has room for it. `large`: what
    was found is in letters, where there is room for all besides."""
    said: Line = (Span(clean(found.headline), BAD),)
    drawn = headline(said, width, 3) if large else []
    if drawn and len(lines := _below(found, ranks, width, height, drawn)) <= height:
        return lines
    return _below(found, ranks, width, height, cells.wrap(said, width))


def _below(found: Diagnosis, ranks: int, width: int, height: int, head: list[Line]) -> list[Line]:
    """All that is known of it, below its headline."""
    lines = list(head)
    table = [row for row in found.rows if row.since_s is not None and row.line]
    if found.edges and table:
        lines += [(), *_table(found, width)]
    elif compared := _compared(found, width):
        lines += [(), *compared]
    else:
        details = [clean(line) for line in found.details]
        lines += [()] if details else []
        for line in details:
            lines += cells.wrap((Span(line, TEXT),), width)
    if found.meaning:
        lines += [(), *cells.wrap((Span(clean(found.meaning), HEAD),), width)]
    doing = {row.rank: _verb(row.doing) for row in found.rows}
    picture = circle(ranks, found.edges, doing, width, height - len(lines) - 1)
    if picture and len(lines) + 1 + len(picture) <= height:
        lines += [(), *picture]
    return lines


def _verb(doing: str) -> str:
    word, *rest = doing.split(" ")
    if word == "does":  # not report: half of it would say nothing
        return doing
    if word in ("has", "was"):  # ended, killed by a signal
        return " ".join((word, *rest[:1]))
    return (
        f"in {word}" if word in ("send", "receive", "barrier", "broadcast", "reduce") or "-" in word else word
    )


def _compared(found: Diagnosis, width: int) -> list[Line]:
    """The ranks one below the other: what each got beside what it should, its bytes beside their bound, or
    the calls that do not fit. Nothing where that is not known of more than one, or does not fit in."""
    if not 1 < len(found.rows) <= MOST_RANKS:
        return []
    if found.kind == "bytes":
        return _bars(found.rows, width)
    if found.kind == "mismatch":
        called = [(str(row.rank), str(row.line or "–"), clean(row.doing)) for row in found.rows]
        return _columns(("rank", "line", "calls"), called, found.rows, width)
    if found.kind == "wrong" and any(row.expected for row in found.rows):
        got = [
            (str(row.rank), clean(row.place), clean(row.expected), clean(row.got))
            if row.expected
            else (str(row.rank), "", "right" if not row.bad else clean(row.doing)[:WIDEST], "")
            for row in found.rows
        ]
        return _columns(("rank", "at", "expected", "got"), got, found.rows, width)
    return []


def _columns(
    names: Sequence[str], rows: Sequence[Sequence[str]], of: Sequence[RankRow], width: int
) -> list[Line]:
    last = len(names) - 1
    wide = [max(map(len, column)) + 2 for column in zip(names, *rows, strict=True)]
    if sum(wide) > width or any(len(value) > WIDEST for row in rows for value in row[:last]):
        return []
    lines: list[Line] = [(Span("".join(f"{name:<{w}}" for name, w in zip(names, wide, strict=True)), DIM),)]
    for row, its in zip(rows, of, strict=True):
        spans = [Span(f"{value:<{w}}", TEXT) for value, w in zip(row, wide, strict=True)]
        spans[0] = Span(spans[0].text, HEAD)
        spans[last] = Span(spans[last].text, WARN if its.bad else TEXT)
        if not its.bad and "right" in row:
            spans[row.index("right")] = Span(spans[row.index("right")].text, GOOD)
        lines.append(tuple(spans))
    return lines


def _bars(rows: Sequence[RankRow], width: int) -> list[Line]:
    """What each rank has sent, as bars above that of the bound."""
    bound = max(row.bound for row in rows)
    most, room = max(max(row.measured for row in rows), bound), min(40, width - 22)
    if bound <= 0 or room < 8:
        return []
    lines: list[Line] = []
    for row in rows:
        name = (Span(f"{f'rank {row.rank}':<10}", HEAD),)
        if not row.measured:
            lines.append((*name, Span("within the bound", GOOD) if not row.bad else Span("–", DIM)))
            continue
        full = max(1, round(room * row.measured / most))
        within = min(full, max(1, round(room * bound / most)))
        over = Span("█" * (full - within), Style("bad"))
        lines.append((*name, Span("█" * within, GOOD), over, Span(f" {size(row.measured)}", WARN)))
    least = "█" * max(1, round(room * bound / most))
    return [*lines, (Span(f"{'at most':<10}", DIM), Span(least, Style("dim")), Span(f" {size(bound)}", TEXT))]


def _table(found: Diagnosis, width: int) -> list[Line]:
    places = [f"{row.line or '–'}" + (f" → {row.waits_at}" if row.waits_at else "") for row in found.rows]
    place = "line → wait" if any(row.waits_at for row in found.rows) else "line"
    wide = max(map(len, (place, *places))) + 2
    what = max(12, min(26, width - 28 - wide))
    lines: list[Line] = [(Span(f"rank  {place:<{wide}}{'doing':<{what}}{'waits for':<12}since", DIM),)]
    for row, at in zip(found.rows, places, strict=True):
        since = f"{row.since_s:.2f} s" if row.since_s is not None and row.line else ""
        lines.append(
            (
                Span(f"{row.rank:<6}", HEAD),
                Span(f"{at:<{wide}}", TEXT),
                Span(f"{cells.clip_text(clean(row.doing), what - 1):<{what}}", WARN if row.bad else DIM),
                Span(f"{cells.clip_text(clean(row.partner).removeprefix('ranks '), 11):<12}", TEXT),
                Span(since, TEXT),
            )
        )
    return lines
