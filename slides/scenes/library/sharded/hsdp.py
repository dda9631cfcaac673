"""HSDP on two machines: sliced inside a machine, copied between them, and what each wire carries for it.

Of a model of S bytes over n ranks of a machine, a rank sends S (n-1)/n with each all-gather and with the
reduce-scatter, all inside its machine. Then its slice of S/n is averaged with that of the rank at the same
place in the other machine: 2 (r-1)/r S/n with r = 2 machines (Zhao et al. 2023, PyTorch FSDP, section 3.2.2).
Of full sharding over all N = 2 n ranks in a ring, every link carries 3 S (N-1)/N, that between the machines
too. A real step works block by block; here all blocks go at once.
"""

from __future__ import annotations

from slides.scenes.library.collectives.chunks import beside
from slides.scenes.library.sharded.fsdp import mb
from slides.scenes.scene import Param, Scene, Values
from slides.scenes.shapes import AnyShape, Box, Label, Number, Packet, Path, Point, State

MACHINES = 2
PHASES = ("rest", "gather", "forward", "again", "backward", "scatter", "average", "update")
_BOX = ((12.0, 66.0), (94.0, 148.0))  # left and right of what a rank holds
_FRAME = ((1.0, 73.0), (87.0, 159.0))
_RAIL = (69.0, 91.0)  # x of the link inside a machine, on 80 columns in another cell than its frame
_TOP, _BOTTOM = 9.0, 47.0
_AT_WORK = {"gather": "params", "again": "params", "scatter": "grads"}


def inside(step: int, values: Values) -> float:
    """Return the MB that a rank has sent inside its machine by the end of a step."""
    n, size = int(values["ranks"]), float(values["model_mb"])
    return sum(phase in _AT_WORK for phase in PHASES[: step + 1]) * size * (n - 1) / n


def between(step: int, values: Values) -> float:
    """Return the MB that a rank has sent to the other machine by the end of a step."""
    n, size = int(values["ranks"]), float(values["model_mb"])
    return ("average" in PHASES[: step + 1]) * 2 * (MACHINES - 1) / MACHINES * size / n


def ring(values: Values) -> float:
    """Return the MB that each link of a ring over all ranks carries one way in a step, fully sharded."""
    every, size = MACHINES * int(values["ranks"]), float(values["model_mb"])
    return 3 * size * (every - 1) / every


def state(step: int, values: Values) -> State:
    """Return a step of one training step."""
    n = int(values["ranks"])
    phase = PHASES[step]
    pitch = (_BOTTOM - _TOP) / n
    shapes: list[AnyShape] = []
    for machine in range(MACHINES):
        shapes += _machine(machine, step, values)
        for place in range(n):
            shapes += _rank(machine, place, n, pitch, phase)
    shapes += _wires(n, pitch, phase)
    total = n * between(step, values)
    shapes.append(
        Number(id="between", at=(80, 54.5), value=total, decimals=1, before="between: ", after=" MB each way",
               ink="exposed", bold=True)
    )  # fmt: skip
    lead, caption = _words(phase, values)
    legend = (
        ("params", "parameters, slice by slice"),
        ("grads", "gradients"),
        ("hidden", "fast links"),
        ("exposed", "slow ones"),
    )
    return State(tuple(shapes), lead, caption, legend=legend, apart=pitch)


def _machine(machine: int, step: int, values: Values) -> list[AnyShape]:
    left, right = _FRAME[machine]
    n = int(values["ranks"])
    return [
        Box(id=f"machine{machine}", at=(left, 4), size=(right - left, 47), ink="faint", hollow=True,
            layer=-2),
        Label(id=f"name{machine}", at=((left + right) / 2, 4), text=f" machine {'AB'[machine]} ", ink="dim"),
        Number(id=f"inside{machine}", at=((left + right) / 2, 58), value=n * inside(step, values), decimals=1,
               before="inside: ", after=" MB", ink="hidden", bold=True),
    ]  # fmt: skip


def _rank(machine: int, place: int, n: int, pitch: float, phase: str) -> list[AnyShape]:
    """A rank: its slices of the parameters above, its gradients below."""
    left, right = _BOX[machine]
    rank = machine * n + place
    top, high, thin = _TOP + place * pitch, 0.4 * pitch, 0.3 * pitch
    slice_ = (right - left) / n
    full = phase in ("gather", "forward", "again", "backward")
    again = ".again" if phase in ("again", "backward") else ""
    name_at = (3.6, top) if machine == 0 else (150.2, top)  # within the frame
    found: list[AnyShape] = [
        beside(f"rank{rank}", f"rank {rank}", f"r{rank}", name_at, (7.6, high)),
        Box(id=f"place{rank}", at=(left, top), size=(right - left, high), ink="panel", layer=-1, whole=True),
    ]
    for owner in range(n):
        own = owner == place
        if own or full:
            found.append(
                Box(
                    id=f"p{owner}@{rank}" + ("" if own else again),
                    at=(left + owner * slice_, top),
                    size=(slice_, high),
                    ink="params",
                    text=str(owner),
                    alpha=1.0 if own else 0.7,
                    glow=0.6 if phase in ("forward", "backward") or (own and phase == "update") else 0.0,
                    comes_from="" if own else f"p{owner}@{machine * n + owner}",
                )
            )
        if phase == "backward" or (own and phase in ("scatter", "average", "update")):
            of = {"backward": 1, "scatter": n}.get(phase, MACHINES * n)
            found.append(
                Box(
                    id=f"g{owner}@{rank}",
                    at=(left + owner * slice_, top + high),
                    size=(slice_, thin),
                    ink="grads",
                    text=f"mean of {of}" if of > 1 else "own",
                    short=str(of),
                    glow=0.5 if phase in ("scatter", "average") else 0.0,
                    goes_to="" if own else f"g{owner}@{machine * n + owner}",
                )
            )
    return found


def _wires(n: int, pitch: float, phase: str) -> list[AnyShape]:
    """The links inside each machine, and the pairs between them; lit while something is on them."""
    found: list[AnyShape] = []
    first, last = _TOP + 0.2 * pitch, _TOP + (n - 1) * pitch + 0.2 * pitch
    for machine, x in enumerate(_RAIL):
        kind = _AT_WORK.get(phase)
        lit = 1.0 if kind else 0.4
        rail = ((x, first), (x, last))
        found.append(Path(id=f"fast{machine}", points=rail, width=1.2, ink="hidden", alpha=lit))
        if kind:
            found += _packets(f"{phase}{machine}", rail, kind, 0.55)
    for place in range(n):
        y = _TOP + (place + 0.2) * pitch
        lit = 1.0 if phase == "average" else 0.4
        pair = ((_FRAME[0][1], y), (_FRAME[1][0], y))
        found.append(Path(id=f"slow{place}", points=pair, ink="exposed", alpha=lit))
        if phase == "average":
            found += _packets(f"{phase}{place}", pair, "grads", 0.35)
    return found


def _packets(name: str, way: tuple[Point, Point], ink: str, along: float) -> list[AnyShape]:
    """One in each direction."""
    return [
        Packet(id=f"{name}.{n}", points=points, along=along, size=(3.2, 2.4), ink=ink, layer=1)
        for n, points in enumerate((way, way[::-1]))
    ]


def _words(phase: str, values: Values) -> tuple[str, str]:
    n, size = int(values["ranks"]), float(values["model_mb"])
    every = MACHINES * n
    last = len(PHASES) - 1
    return {
        "rest": (
            "The whole model in each machine",
            f"The {mb(size)} MB of the model are cut into {n} slices inside each machine: "
            "both hold all of it.",
        ),
        "gather": (
            "All-gather inside each machine",
            f"Every rank fetches what it does not own, {mb(size * (n - 1) / n)} MB. "
            "Nothing goes to the other machine.",
        ),
        "forward": ("Forward", "What is whole is used, and freed right after."),
        "again": (
            "All-gather again",
            "Backward needs it whole once more: as many bytes as before, inside again.",
        ),
        "backward": ("Backward", "Each rank has gradients of everything, from its own samples only."),
        "scatter": (
            "Reduce-scatter inside each machine",
            f"Each rank keeps one slice in {n}, now the mean over the {n} ranks of its machine.",
        ),
        "average": (
            "All-reduce between the machines",
            f"Only slices cross, {mb(size)} MB each way in all. Now it is the mean over all {every}.",
        ),
        "update": (
            "Update",
            f"The slow wire has carried {mb(n * between(last, values))} MB each way; a ring that shards over "
            f"all {every} ranks would carry {mb(ring(values))}.",
        ),
    }[phase]


SCENE = Scene(
    "hsdp",
    "HSDP: slices inside a machine, copies between two",
    steps=lambda values: len(PHASES),
    state=state,
    params=(
        Param("ranks", 2, "ranks on each of the two machines", 2, 4),
        Param("model_mb", 48.0, "MB of the parameters", 0.001, 1e6),
    ),
)
