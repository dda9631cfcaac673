"""The lines about a run as a whole: its head, what went wrong, and the figures of all ranks together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

from runtime.protocol import ranks_on_cores
from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.large.letters import letters
from slides.drawing.text import Line, Span, Style
from tui.figures import numbers
from tui.figures.run_outcome import ENDED, sign_of_life
from tui.keys.table import key_of
from tui.views.run.table import notable, settled

TEXT, DIM, FAINT = Style(), Style("dim"), Style("faint")
FIGURE = Style("heading", bold=True)
CHIP = Style("background", "accent", bold=True)
_DOT = Span("  ·  ", FAINT)
_SIZES: tuple[Literal["bold", "low"], ...] = ("bold", "low")  # of letters


class _Piece(NamedTuple):
    """A part of a line that may be left out; the lowest `rank` stays longest."""

    rank: int
    line: Line


def head(snapshot: Snapshot, width: int, view: str = "", *, figures: bool = True) -> Line:
    """Demo, ranks and backend; the run's figures; at the right end where it runs and whether it is live.

    `view` is said beside the demo where there is no line of its own for that. Without `figures` only the time
    is told: `large` has the others.
    """
    badge = _badge(snapshot)
    chip: Line = (Span(f" {cells.clean(snapshot.demo)} ", CHIP), Span(" "))
    if view:
        chip = (*chip, Span(view, Style("accent", bold=True)), Span("  "))
    room = width - cells.line_width(chip) - cells.line_width(badge) - 2
    places = _places(snapshot)
    told = _figures(snapshot, width) if figures else _figures(snapshot, width)[-1:]
    gap = 3 if width >= 100 else 2
    kept = _keep([*places, *told], room, gap)
    left = _join([p.line for p in kept if p in places], (Span(" · ", FAINT),))
    middle = _join([p.line for p in kept if p in told], (Span(" " * gap),))
    start = (*chip, *left)
    # The figures stand by the badge, where the eye finds them at the same place on every run.
    free = width - cells.line_width(start) - cells.line_width(middle) - cells.line_width(badge)
    after = min(gap + 1, free // 2)
    line = (*start, Span(" " * (free - after)), *middle, Span(" " * after), *badge)
    return cells.fit(line if room > 0 else (*badge, Span(" "), *chip), width)


def large(snapshot: Snapshot, width: int) -> list[Line]:
    """The run's figures in letters under their names, for the last row of a room: four rows, or none where
    they have no room."""

    pieces = [piece.line for piece in _figures(snapshot, width)[:-1]]
    column = width // max(1, len(pieces))
    drawn = [
        letters(re.sub(" +", " ", "".join(span.text for span in line[1:])).strip(), column - 2, _SIZES, 1)
        for line in pieces
    ]
    if not pieces or not all(drawn):
        return []
    names = tuple(span for line in pieces for span in cells.fit(line[:1], column))
    rows = zip(*(rows for rows in drawn if rows), strict=True)
    return [names, *(tuple(Span(text.ljust(column), FIGURE) for text in row) for row in rows)]


def notices(snapshot: Snapshot, width: int, *, hints: bool = True) -> list[Line]:
    """What has to be said before any figure: how the run ended and why, and why it is stuck.

    `hints` False leaves keys unsaid.
    """
    lines = another(snapshot, width)
    why, fault, warning = (cells.clean(t).strip() for t in (snapshot.why, snapshot.fault, snapshot.warning))
    if snapshot.state in ENDED:
        mark, word, ink = ENDED[snapshot.state]
        end = Span(f"{mark} {word}", Style(ink, bold=True))
        took = Span(f" after {numbers.clock(snapshot.ran_s)}" if snapshot.ran_s > 0 else "", DIM)
        reason = "" if why == word else why or fault
        said = Span(f"  {reason}" if reason else "", Style(ink) if ink == "bad" else TEXT)
        again: Line = (
            _DOT,
            Span(key_of("demo"), Style("accent", bold=True)),
            Span(" starts it again", DIM),
        )
        again = again if hints else ()
        # A long reason gives way, so that what to do next is always read.
        room = max(12, width - cells.line_width(again))
        long = (end, took, said)
        line = long if cells.line_width(long) <= room else (end, said)
        lines.append((*cells.clip(line, room), *again))
        if why and fault and fault != why:
            lines.append((Span(fault, DIM),))
        lines += unshown(snapshot, width)
    elif snapshot.state == "stopping":
        lines.append(
            (Span("■ stopping", Style("warning", bold=True)), Span("  every rank is being ended", DIM))
        )
    for remark in snapshot.remarks:
        ink = "bad" if remark.startswith("loss") else "warning"
        lines += cells.wrap((Span(cells.clean(remark), Style(ink)),), max(8, width))
    if warning:
        # It names the rank, its phase and what to do: two lines of it are better than half.
        amber = Style("warning")
        first, *rest = cells.wrap((Span(warning, amber),), max(8, width - 2))
        lines.append((Span("! ", Style("warning", bold=True)), *first))
        if rest:
            lines.append((Span("  "), *(span for line in rest for span in (*line, Span(" ", amber)))))
    return [cells.clip(line, width) for line in lines]


def another(snapshot: Snapshot, width: int) -> list[Line]:
    """How a recorded run differs from what its slide asks for, in full: it must not be mistaken for it."""
    differs = snapshot.playback.differs if snapshot.playback is not None else ()
    if not differs:
        return []
    said = (
        Span("recorded with ", Style("warning", bold=True)),
        Span(", ".join(cells.clean(word) for word in differs), Style("warning")),
    )
    return cells.wrap(said, max(8, width))


def unshown(snapshot: Snapshot, width: int) -> list[Line]:
    """Why the run does not show what its demo is for, in full: a figure near it says the opposite."""
    why = cells.clean(snapshot.unshown).strip()
    if not why:
        return []
    said = (Span("this run does not show it: ", Style("warning", bold=True)), Span(why, Style("warning")))
    return cells.wrap(said, max(8, width))


def launching(snapshot: Snapshot, width: int) -> Line:
    """What most ranks are at now, then what each phase of the launch before it took."""
    states = Counter(cells.clean(row.state) for row in snapshot.rows if row.pid)
    now = states.most_common(1)[0][0] if states else "no rank has reported yet"
    spans: list[Span] = [
        Span("launching", Style("accent", bold=True)),
        Span(f" {numbers.ms(snapshot.ran_s)}  ", DIM),
        Span(f"{now} …", TEXT),
    ]
    for phase, seconds in snapshot.phases:
        spans += [_DOT, Span(f"{cells.clean(phase)} {numbers.ms(seconds)}", DIM)]
    return cells.clip(tuple(spans), width)


def summary(snapshot: Snapshot, width: int) -> Line:
    """Who is slowest, what is moved, whether the parameters agree: long words where they fit, else short."""
    # Whether the parameters agree is in the rows besides.
    parts = [(0, *_slowest(snapshot)), (1, *_moved(snapshot)), (2, *_equal(snapshot)), (3, *_norm(snapshot))]
    for shortened in ((), (0,), (0, 3), (0, 2), (0, 2, 3), (0, 1, 2, 3)):
        line = _join(
            [piece for n, long, short in parts if (piece := short if n in shortened else long)], (_DOT,)
        )
        if cells.line_width(line) <= width:
            return line
    kept = _keep([_Piece(rank, short) for rank, _, short in parts if short], width + 5, gap=5)
    return cells.clip(_join([piece.line for piece in kept], (_DOT,)), width)


# --- the head's pieces ----------------------------------------------------------------------------------


def _badge(snapshot: Snapshot) -> Line:
    """Where the figures are from."""
    if snapshot.state == "lost":
        return (Span("○ LOST", Style("warning", bold=True)),)
    sign, ink = sign_of_life(snapshot)
    return (Span(f"{sign} {cells.clean(snapshot.badge)}", Style(ink, bold=True)),)


def _places(snapshot: Snapshot) -> list[_Piece]:
    bent = [cells.clean(word) for word in snapshot.bent]
    ranks = f"{snapshot.world} rank{'s' * (snapshot.world != 1)}"
    # "4 ranks on 2 cores" says how many there are; it need not be said twice.
    words = [] if ranks_on_cores.found(bent).startswith(f"{ranks} ") else [(0, ranks)]
    words += [(1, word) for word in bent]
    words += [(6, cells.clean(snapshot.backend)), (8, cells.clean(snapshot.device).upper())]
    return [_Piece(rank, (Span(word, DIM),)) for rank, word in words if word]


def _figures(snapshot: Snapshot, width: int) -> list[_Piece]:
    rows = snapshot.rows
    steps = [row.step for row in rows if row.step is not None]
    losses = [row.loss for row in rows if row.loss is not None]
    speeds = [row.tokens_s for row in rows if row.tokens_s is not None]
    complete = len(rows)
    step = min(steps) if steps and len(steps) == complete else None
    # Only the ranks of a pipeline's last stage know one.
    loss = sum(losses) / len(losses) if losses and len(steps) == complete else None
    speed = sum(speeds) if speeds and len(speeds) == complete else None
    # Steps are numbered from 0, so of 200 steps number 199 is the last: against a total their count is shown.
    count = step if step is None or not snapshot.steps else step + 1
    of = f"/{snapshot.steps}" if snapshot.steps else ""
    word = "steps " if of else "step "
    # A figure keeps the room of its widest form, so that its neighbours stay where they are.
    pad = " " * (len(of) - 1 - len(numbers.whole(count)))
    late = snapshot.budget_s is not None and snapshot.ran_s > snapshot.budget_s
    budget = "" if snapshot.budget_s is None else f" of {numbers.clock(snapshot.budget_s)}"
    time = Span(numbers.clock(snapshot.ran_s) + budget, Style("warning" if late else "dim", bold=late))
    if snapshot.comparison is not None and snapshot.state in ENDED:
        return [_Piece(7, (time,))]  # the others are those of the run that came last
    rate = "tokens/s" if width >= 140 else "tok/s"
    over = settled(snapshot)  # what is not known by now will not be
    known = [
        (3, "loss", f"{numbers.loss(loss, 3):<5}", loss),
        (4, rate, f"{numbers.rate(speed):<4}", speed),
        (5, "overlap", f"{numbers.percent(snapshot.overlap):<4}", snapshot.overlap),
    ]
    return [
        _Piece(2, (Span(word, DIM), Span(numbers.whole(count), FIGURE), Span(of + pad, DIM))),
        *(
            _Piece(rank, (Span(f"{name} ", DIM), Span(text, FIGURE)))
            for rank, name, text, figure in known
            if figure is not None or not over
        ),
        _Piece(7, (time, *((Span(" over", Style("warning")),) if late else ()))),
    ]


# --- the summary's pieces, each as (long, short) --------------------------------------------------------

_Both = tuple[Line, Line]


def _slowest(snapshot: Snapshot) -> _Both:
    if snapshot.world == 1:
        return (), ()
    if snapshot.slowest is None and settled(snapshot):
        return (), ()  # nobody is
    if snapshot.slowest is None:
        line: Line = (Span(f"slowest rank {numbers.DASH}", DIM),)
        return line, line
    style = Style("warning", bold=True) if notable(snapshot) else TEXT
    line = (
        Span("slowest ", DIM),
        Span(f"rank {snapshot.slowest}, +{numbers.ms(snapshot.slowest_by_s)}", style),
    )
    return (*line, Span(" in most steps", DIM)), line  # not of the one step that a timeline below shows


def _equal(snapshot: Snapshot) -> _Both:
    if snapshot.world == 1:
        return (), ()
    if snapshot.equal is None and settled(snapshot):
        return (), ()  # nothing to compare
    if snapshot.equal is None:
        line: Line = (Span(f"parameters equal {numbers.DASH}", DIM),)
        return line, line
    at = "" if snapshot.equal_step is None else f" (step {snapshot.equal_step})"
    if snapshot.equal:
        good = Style("good")
        return (
            (Span("parameters ", DIM), Span("equal on all ranks ✓", good), Span(at, DIM)),
            (Span("parameters ", DIM), Span("equal ✓", good)),
        )
    bad = Style("bad", bold=True)
    return (
        (Span("parameters ", DIM), Span("differ between ranks ≠", bad), Span(at, DIM)),
        (Span("parameters ", DIM), Span("differ ≠", bad)),
    )


def _moved(snapshot: Snapshot) -> _Both:
    """How many collectives of which kind a step has, and its bytes by all three counts."""
    if snapshot.collectives is None or (snapshot.world == 1 and not snapshot.collectives):
        return (), ()
    usual = _usual(snapshot)
    unusual = bool(usual) and usual.isdisjoint(snapshot.bytes_by_op)  # its newest step is of another sort
    if (unusual or snapshot.collective_op is None) and (kinds := _kinds(snapshot, of_newest=not unusual)):
        count = " + ".join(_calls(calls, op) for calls, op in kinds)
    else:
        count = _calls(str(snapshot.collectives), cells.clean(snapshot.collective_op or "collective"))
    said: Line = (Span(count, TEXT), Span(" a step", DIM))
    payload = snapshot.collective_bytes if snapshot.payload is None else snapshot.payload
    if not payload:
        return said, said
    volume = counts(payload, snapshot.wire, snapshot.theory)
    return (*said, Span(": ", DIM), *volume), volume


def _calls(count: str, op: str) -> str:
    """`1 all-reduce`, `3 all-reduces`; without a `count` the kind alone."""
    return f"{count} {op}{'' if count in ('', '1') or op.endswith('s') else 's'}".strip()


def counts(payload: int | None, wire: int | None, theory: int | None) -> Line:
    """Bytes by the three counts (`runtime.metrics.collectives.byte_counts`), each by its name."""
    spans: list[Span] = []
    for word, size in (("payload", payload), ("wire", wire), ("theory", theory)):
        spans += [Span(f"{', ' if spans else ''}{word} ", DIM), Span(numbers.size(size), TEXT)]
    return tuple(spans)


def _usual(snapshot: Snapshot) -> set[str]:
    """The kinds that a step has on average."""
    calls: dict[str, float] = {}
    for row in snapshot.ops:
        calls[row.op] = calls.get(row.op, 0.0) + row.calls
    return {op for op, mean in calls.items() if mean >= 0.5}


def _kinds(snapshot: Snapshot, *, of_newest: bool) -> list[tuple[str, str]]:
    """Calls and kind for each kind of collective of a step, those with the most bytes first: the kinds of the
    newest step, or those that steps have on average."""
    calls: dict[str, float] = {}
    for row in snapshot.ops:
        calls[row.op] = calls.get(row.op, 0.0) + row.calls
    sizes = dict(snapshot.bytes_by_op) if of_newest else {}
    if not sizes:
        for row in snapshot.ops:
            sizes[row.op] = sizes.get(row.op, 0) + row.bytes
    usual = [op for op in sizes if calls.get(op, 1.0) >= 0.5]  # of what comes now and then a step has none
    order = sorted(usual or sizes, key=lambda op: -sizes[op])
    return [(numbers.count(calls[op]) if op in calls else "", cells.clean(op)) for op in order]


def _norm(snapshot: Snapshot) -> _Both:
    """Of the newest step in which it was taken, older than those of the rows; a range where ranks differ."""
    said = [row for row in snapshot.rows if row.grad_norm is not None]
    if not said:
        return (), ()
    step = max((row.grad_norm_step for row in said if row.grad_norm_step is not None), default=None)
    norms = [row.grad_norm for row in said if row.grad_norm is not None and row.grad_norm_step == step]
    ends = dict.fromkeys(map(numbers.figure, (min(norms), max(norms))))
    line: Line = (Span("gradient norm ", DIM), Span(" to ".join(ends), TEXT))
    return (*line, Span("" if step is None else f" (step {step})", DIM)), line


# --- fitting --------------------------------------------------------------------------------------------


def _keep(pieces: Sequence[_Piece], room: int, gap: int) -> list[_Piece]:
    """The pieces that fit together, the most wanted first, in their own order."""
    kept: set[int] = set()
    for n, piece in sorted(enumerate(pieces), key=lambda item: item[1].rank):
        size = cells.line_width(piece.line) + gap
        if size > room:
            break
        kept.add(n)
        room -= size
    return [piece for n, piece in enumerate(pieces) if n in kept]


def _join(lines: Sequence[Line], between: Line) -> Line:
    spans: list[Span] = []
    for n, line in enumerate(lines):
        spans += [*(between if n else ()), *line]
    return tuple(spans)
