"""What is being done with a run: held or paced, harmed, replayed, looked into, brought back. In words."""

from __future__ import annotations

import re
from collections import Counter

from runtime.protocol.figures import STALE, Playback, RankRow
from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.figures import numbers

TEXT, DIM, FAINT = Style(), Style("dim"), Style("faint")
MARK, HARM, GOOD = Style("warning", bold=True), Style("bad", bold=True), Style("good", bold=True)
_DOT = Span(" · ", FAINT)
_SLOWED = re.compile(r"rank (\d+) slowed ")  # as a badge says it
_NAMED = 2  # ranks harmed that get a line each; more are counted


def doings(snapshot: Snapshot, width: int, *, hints: bool = True) -> list[Line]:
    """A line each, at most `width` cells; none while a run simply runs. `hints` False leaves keys unsaid."""
    lines = [*_replayed(snapshot, width, hints), *_steered(snapshot, hints), *_harmed(snapshot, width)]
    lines += _other_is_slowest(snapshot)
    lines += [*_recovered(snapshot, width), *_looked_into(snapshot, hints)]
    return [cells.clip(line, width) for line in lines]


def _key(key: str, does: str, hints: bool) -> Line:
    return (_DOT, Span(key, Style("accent", bold=True)), Span(f" {does}", DIM)) if hints else ()


def _replayed(snapshot: Snapshot, width: int, hints: bool) -> list[Line]:
    play = snapshot.playback
    if play is None:
        return []
    at_end = play.at_s >= play.length_s > 0
    state = "ended" if at_end else "paused" if play.speed == 0 else f"{play.speed:g}×"
    where = f"{numbers.clock(play.at_s)} of {numbers.clock(play.length_s)}"
    line: Line = (Span("▶ " if play.speed and not at_end else "‖ ", MARK), Span(f"{where}  {state}", MARK))
    line += (_DOT, Span(f"recorded {cells.clean(play.made)}", TEXT))
    # Of a long name the first words tell machines apart.
    names = cells.clean(play.machine).split(", ")
    said = [f" on {', '.join(names[:n])}" for n in range(len(names), 0, -1)]
    line += next(((Span(name, TEXT),) for name in said if _fits(line, name, width)), ())
    space = "again" if at_end else "resumes" if play.speed == 0 else "pauses"
    for key in (_key("Space", space, hints), _key("{ }", "back, on", hints)):
        line = (*line, *key) if cells.line_width((*line, *key)) <= width else line
    room = min(30, width - cells.line_width(line) - 2)
    return [(*line[:2], *_played(play, room), *line[2:])]


def _fits(line: Line, text: str, width: int) -> bool:
    return cells.line_width(line) + cells.width(text) <= width


def _played(play: Playback, width: int) -> Line:
    if width < 6:
        return ()
    done = round(width * min(1.0, play.at_s / play.length_s)) if play.length_s > 0 else 0
    return (Span("  "), Span("━" * done, Style("accent")), Span("━" * (width - done), Style("line")))


def _steered(snapshot: Snapshot, hints: bool) -> list[Line]:
    steering = snapshot.steering
    if steering is None or snapshot.state not in ("launching", "running"):
        return []
    pace = f"a step takes {numbers.ms(steering.pace_s)} at least" if steering.pace_s else ""
    if steering.until is not None:
        begun = min((row.step for row in snapshot.rows if row.step is not None), default=-1)
        # `until` is the last step it may begin: until that has ended it only will be held.
        first = "the first step" if steering.until < 0 else f"step {steering.until}"
        when = "before" if steering.until < 0 else "after"
        words = f"‖ {'held' if begun >= steering.until else 'will be held'} {when} {first}"
        paced: Line = (_DOT, Span(pace, DIM)) if pace else ()
        return [(Span(words, MARK), *paced, *_key("P", "steps on", hints))]
    slowed = (Span("‖ slowed down", MARK), _DOT, Span(pace, TEXT), *_key("P", "changes it", hints))
    return [slowed] if pace else []


def _harmed(snapshot: Snapshot, width: int) -> list[Line]:
    """The victims, and once something stalls where each rank stands: the collective it entered last."""
    harmed = [row for row in snapshot.rows if row.harm]
    stalled = bool(snapshot.warning) or snapshot.state == "failed"
    lines: list[Line] = []
    for row in harmed[:_NAMED]:
        line: Line = (Span(f"! rank {row.rank} {cells.clean(row.harm)}", HARM),)
        for more in (_how_much(row, snapshot), _entered(row, snapshot)):
            line = (
                (*line, *more) if cells.line_width((*line, *more)) <= width else line
            )  # whole, or not at all
        lines.append(line)
    if len(harmed) > _NAMED:
        lines.append((Span(f"! and {len(harmed) - _NAMED} more ranks harmed", HARM),))
    if stalled and not harmed and (behind := _behind(snapshot)):
        lines.append((Span("! ", MARK), Span(behind, TEXT)))
    return lines


def noise_s(snapshot: Snapshot) -> float | None:
    """By how many seconds a step the ranks differ of which nobody has asked it; None: not known.

    What a rank is slowed by has to be more, or nobody sees it.
    """
    slow = slowed(snapshot)
    late = [r.late_s for r in snapshot.rows if r.late_s is not None and not r.harm and r.rank not in slow]
    return max(late) - min(late) if len(late) > 1 else None


def slowed(snapshot: Snapshot) -> frozenset[int]:
    """Ranks that are slow on purpose: by the line that started the run, or by hand."""
    asked = (_SLOWED.match(word) for word in snapshot.bent)
    return frozenset(int(found[1]) for found in asked if found)


def _how_much(row: RankRow, snapshot: Snapshot) -> Line:
    """A slowdown as part of the step it is in, beside what the ranks differ by anyway."""
    found = re.search(r"slowed ([\d.]+) ms", row.harm)
    if found is None or row.step_s is None:
        return ()
    by_s, noise = float(found[1]) / 1000, noise_s(snapshot)
    if by_s >= row.step_s:  # the step shown is one from before it
        return ()
    # By how much its steps became longer is less: while it sleeps, ranks that share its core are faster.
    said = f"{numbers.percent(by_s / row.step_s)} of its step"
    said += f"; the others differ by {numbers.ms(noise)}" if noise is not None else ""
    return (_DOT, Span(said, TEXT))


def _other_is_slowest(snapshot: Snapshot) -> list[Line]:
    """One rank is slow on purpose and another one is the slowest: why both can be true."""
    slow = slowed(snapshot)
    if not slow or snapshot.slowest is None or snapshot.slowest in slow or snapshot.state != "running":
        return []
    crowd = next((word for word in snapshot.bent if re.match(r"\d+ ranks on \d+ core", word)), "")
    why = f"{crowd}, and a rank that sleeps leaves its core to the others" if crowd else ""
    why = why or "something else takes its time"
    named = " and ".join(map(str, sorted(slow)))
    ranks = f"ranks {named} are" if len(slow) > 1 else f"rank {named} is"
    said = f"{ranks} slowed, yet rank {snapshot.slowest} is the slowest, by "
    said += f"{numbers.ms(snapshot.slowest_by_s)}: {cells.clean(why)}"
    return [(Span("! ", MARK), Span(said, TEXT))]


def _entered(row: RankRow, snapshot: Snapshot) -> Line:
    """The collective it entered last, and that of the others where it is another one; nothing stale."""
    if not row.last or row.state == STALE:
        return ()
    others = Counter(r.last for r in snapshot.rows if r.last and r.rank != row.rank and r.state != STALE)
    most = others.most_common(1)[0][0] if others else row.last
    if most == row.last:
        return (_DOT, Span(f"last entered {cells.clean(row.last)}", DIM))
    every = len(others) == 1
    many = len(snapshot.rows) > 2
    who = "the other" if not many else "the others" if every else "most others"
    there = "entered" if snapshot.state != "running" else "are in" if many else "is in"
    said = f"last entered {cells.clean(row.last)}; {who} {there} {_number(most, row.last)}"
    return (_DOT, Span(said, TEXT))


def _number(name: str, other: str) -> str:
    """`#41` beside `all-reduce #40`: the kind is said once."""
    kind, mark, number = name.rpartition("#")
    return cells.clean(mark + number if mark and other.startswith(kind) else name)


def _behind(snapshot: Snapshot) -> str:
    """Which ranks entered another collective last than most, of those whose word is not stale."""
    heard = [row for row in snapshot.rows if row.last and row.state != STALE]
    lasts = Counter(row.last for row in heard)
    if len(lasts) < 2:
        return ""
    most = lasts.most_common(1)[0][0]
    odd = [row for row in heard if row.last != most]
    said = ", ".join(f"rank {row.rank} {cells.clean(row.last)}" for row in odd[:3])
    more = f" and {len(odd) - 3} more" if len(odd) > 3 else ""
    return f"entered last: {said}{more}; the others {_number(most, odd[0].last)}"


def coming_back(snapshot: Snapshot) -> bool:
    """Whether ranks are started anew after a failure, and have not stepped yet."""
    newest = max(snapshot.recoveries, key=lambda recovery: recovery.generation, default=None)
    return newest is not None and all(name != "first step" for name, _ in newest.phases)


def _recovered(snapshot: Snapshot, width: int) -> list[Line]:
    if not snapshot.recoveries:
        return []
    newest = max(snapshot.recoveries, key=lambda recovery: recovery.generation)
    done = not coming_back(snapshot)
    total = sum(seconds for _, seconds in newest.phases)
    lost = newest.lost_steps
    head: Line = (
        Span(f"✓ back after {numbers.ms(total)}" if done else "◌ coming back", GOOD if done else MARK),
        *((_DOT, Span(f"{lost} step{'s' * (lost != 1)} lost", TEXT)) if lost is not None else ()),
    )
    phases = list(newest.phases)
    while phases and cells.line_width(head + _said(phases)) > width:
        phases.remove(min(phases, key=lambda phase: phase[1]))  # what took long is what the room asks about
    return [head + _said(phases)]


def _said(phases: list[tuple[str, float]]) -> Line:
    said: list[Span] = []
    for name, seconds in phases:
        said += [_DOT, Span(f"{cells.clean(name)} ", DIM), Span(numbers.ms(seconds), TEXT)]
    return tuple(said)


def _looked_into(snapshot: Snapshot, hints: bool) -> list[Line]:
    xray = snapshot.xray
    if xray is None:
        return []
    if xray.state == "taking":
        return [(Span("◌ x-ray", MARK), Span(" of the next step is being taken …", DIM))]
    if xray.state == "failed":
        return [(Span("✗ no x-ray", HARM), Span(f"  {cells.clean(xray.why)}", TEXT))]
    return [(Span("✓ x-ray", GOOD), Span(f" of step {xray.step}", TEXT), *_key("3", "shows it", hints))]
