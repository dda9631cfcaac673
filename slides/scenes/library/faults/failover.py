"""Failover: checkpoints, a rank that dies, and the steps that are done twice.

With a checkpoint every k steps, a rank lost in step s takes the training back to the last multiple of k: what
was done since is lost, and done again. Short intervals lose less and cost more; the best is about the square
root of 2 x the cost of a checkpoint x the time between failures (Young 1974).
"""

from __future__ import annotations

from slides.scenes.library.collectives.chunks import beside
from slides.scenes.scene import Param, Scene, Values
from slides.scenes.shapes import AnyShape, Box, Label, Number, Path, State

RANKS, VICTIM = 4, 2
_LEFT, _RIGHT = 20.0, 156.0
_TOP, _ROW = 8.0, 9.3
_HIGH = 6.3  # of a box: with a row of blanks below it in 14 rows, too


def last_checkpoint(every: int, killed: int) -> int:
    """Return the step that is gone back to when a rank dies in step `killed` (from 0)."""
    return killed // every * every


def happenings(steps: int, every: int, killed: int) -> list[tuple[str, int]]:
    """Return what happens in each step of the scene: (what, the training's step)."""
    before = [("step", n) for n in range(killed)]
    again = [("again" if n <= killed else "step", n) for n in range(last_checkpoint(every, killed), steps)]
    return [("start", 0), *before, ("killed", killed), ("rewind", last_checkpoint(every, killed)), *again]


def state(step: int, values: Values) -> State:
    """Return the timeline of four ranks until now."""
    steps, every, killed = (int(values[name]) for name in ("steps", "every", "kill"))
    story = happenings(steps, every, killed)
    what, now = story[step]
    wide = (_RIGHT - _LEFT) / steps
    shapes: list[AnyShape] = []
    back = last_checkpoint(every, killed)
    fell = any(kind == "killed" for kind, _ in story[: step + 1])
    returned = any(kind == "rewind" for kind, _ in story[: step + 1])
    last = max((n for kind, n in story[: step + 1] if kind in ("step", "again")), default=-1)
    since = story[killed + 3 : step + 1]  # what has been done since the way back
    reached = max((n for _, n in since), default=back - 1) if returned else last
    for rank in range(RANKS):
        top = _TOP + rank * _ROW
        shapes.append(beside(f"rank{rank}", f"rank {rank}", f"r{rank}", (0.0, top), (_LEFT - 3, _HIGH)))
        shapes.append(
            Box(
                id=f"lane{rank}",
                at=(_LEFT, top),
                size=(_RIGHT - _LEFT, _HIGH),
                ink="panel",
                layer=-2,
                whole=True,
            )
        )
        for n in range(killed if fell else last + 1):
            lost = returned and n >= back and n > reached
            ink = "faint" if lost else "warning" if returned and back <= n < killed else "compute"
            shapes.append(
                Box(
                    id=f"work{rank}.{n}",
                    at=(_LEFT + n * wide, top),
                    size=(wide * 0.86, _HIGH),
                    ink=ink,
                    text=str(n),
                    alpha=0.6 if lost else 1.0,
                    glow=float(n == now and what in ("step", "again")),
                )
            )
        if returned:
            shapes += [
                Box(
                    id=f"work{rank}.{n}",
                    at=(_LEFT + n * wide, top),
                    size=(wide * 0.86, _HIGH),
                    ink="compute",
                    text=str(n),
                    glow=float(n == now),
                )
                for n in range(killed, reached + 1)
            ]
    if fell and not returned:
        shapes.append(
            Box(
                id="dead",
                at=(_LEFT + killed * wide, _TOP + VICTIM * _ROW),
                size=(wide * 0.86, _HIGH),
                ink="bad",
                text="killed",
                short="✗",
                glow=0.5,
            )
        )
        shapes += [
            Box(
                id=f"wait{rank}",
                at=(_LEFT + killed * wide, _TOP + rank * _ROW),
                size=(wide * 0.86, _HIGH),
                ink="wait",
                text="waits",
                short="…",
            )
            for rank in range(RANKS)
            if rank != VICTIM
        ]
    for mark in range(every, last + 1 if not returned else max(reached, back) + 1, every):
        x, bottom = _LEFT + mark * wide - wide * 0.07, _TOP + RANKS * _ROW
        shapes += [
            Path(id=f"saved{mark}", points=((x, _TOP - 1), (x, bottom)), ink="good", layer=1),
            Label(id=f"saved{mark}.text", at=(x, bottom + 3.5), text="checkpoint", short="✓", ink="good"),
        ]
    if what == "rewind":
        y = _TOP + RANKS * _ROW + 10
        ends = ((_LEFT + (killed + 0.5) * wide, y), (_LEFT + back * wide, y))
        shapes.append(Path(id="back", points=ends, ink="warning", head=True))
    shapes.append(
        Number(
            id="twice",
            at=(_RIGHT, 3),
            value=max(0, min(reached + 1, killed) - back) if returned else 0,
            before="done twice: ",
            after=f" of {killed - back} steps",
            anchor="right",
            ink="warning" if returned else "dim",
        )
    )
    lead, caption = _words(what, now, every, killed, back, steps)
    return State(tuple(shapes), lead, caption, apart=_ROW, across=wide)


def _words(what: str, now: int, every: int, killed: int, back: int, steps: int) -> tuple[str, str]:
    if what == "start":
        return (
            "Before the first step",
            f"Four ranks, and a checkpoint every {every} steps: all that is needed to go on from there.",
        )
    if what == "killed":
        return (
            f"Rank {VICTIM} is killed",
            "The three others wait in an all-reduce that will never end, until the launcher stops them.",
        )
    if what == "rewind":
        if not back:
            return "Back to the start", f"There is no checkpoint yet: all {killed} steps are lost."
        return (
            f"Back to step {back}",
            f"All four start again from the last checkpoint. {killed - back} steps are lost.",
        )
    if what == "again":
        if now < killed:
            return (
                f"Step {now}, again",
                "The same data and the same numbers as before: all that it depends on was in the checkpoint.",
            )
        return f"Step {now}", "This is where it fell. From here on everything is new."
    if now and now % every == 0:
        return (
            f"Step {now}",
            "Before it all that it needs was saved: parameters, optimizer, place in the data, random states.",
        )
    if now == steps - 1:
        return f"Step {now}", "The last step, as if nothing had happened; only later."
    return f"Step {now}", "Every rank does its part, and the gradients are averaged."


def _check(values: Values) -> str:
    steps, killed = int(values["steps"]), int(values["kill"])
    return (
        f"the rank dies before the last of {steps} steps: write kill={steps - 2}"
        if killed >= steps - 1
        else ""
    )


SCENE = Scene(
    "failover",
    "a checkpoint, a rank that dies, and the way back",
    steps=lambda values: len(happenings(*(int(values[name]) for name in ("steps", "every", "kill")))),
    state=state,
    params=(
        Param("steps", 9, "steps of the training", 4, 16),
        Param("every", 3, "steps from one checkpoint to the next", 1, 16),
        Param("kill", 5, "the step in which rank 2 dies", 1, 14),
    ),
    check=_check,
)
