"""Everything a panel shows of one run, in one message.

Screens never interpret a rank's events: the host derives a `Snapshot` per run and sends the newest.
"""

from __future__ import annotations

from runtime.protocol.class_messages.message import Message
from runtime.protocol.diagnosis_message import Diagnosis
from runtime.protocol.figures import (
    Comparison,
    Curve,
    Earlier,
    Film,
    Mark,
    Named,
    OpRow,
    Pipeline,
    Placement,
    Playback,
    RankRow,
    Recovery,
    Steering,
    Training,
    XRay,
)


class RunFigures(Message, frozen=True, kw_only=True):
    """Figures derived from the events of a run's ranks: seconds and bytes, None for what is not known.

    `runtime.metrics.run_figures` reads it out of a store; a `Snapshot` adds what is known of the run itself.
    """

    rows: tuple[RankRow, ...] = ()
    curves: tuple[Curve, ...] = ()
    timeline: tuple[tuple[Mark, ...], ...] = ()  # per rank
    timeline_s: float | None = None
    film: Film | None = None  # what the ranks held and sent within one step
    placement: Placement | None = None  # whose part of each tensor lies where; None: nobody told
    values: tuple[Named, ...] = ()
    slowest: int | None = None
    slowest_by_s: float | None = None
    collectives: int | None = None  # per step and rank
    collective_bytes: int | None = None  # payload of the newest step
    collective_op: str | None = None
    bytes_by_op: dict[str, int] = {}  # `collective_bytes` by kind of collective
    # bytes a step, a rank's mean: `runtime.metrics.collectives.byte_counts` has the three
    payload: int | None = None
    wire: int | None = None
    theory: int | None = None
    no_wire: str = ""  # why `wire` is not known
    costs: tuple[str, ...] = ()  # why it is more than `theory`
    overlap: float | None = None  # hidden / (hidden + exposed transfer)
    equal: bool | None = None  # parameter checksums of the newest common step
    equal_step: int | None = None
    logs: tuple[str, ...] = ()  # last lines, untrusted
    tails: tuple[tuple[str, ...], ...] = ()  # per rank, the last lines it wrote; untrusted
    ops: tuple[OpRow, ...] = ()
    pipeline: Pipeline | None = None
    xray: XRay | None = None
    between: tuple[tuple[int, int, int], ...] = ()  # bytes a step from one node to another
    routes: tuple[tuple[int, int, str], ...] = ()  # how NCCL goes from rank to rank, if asked; untrusted
    remarks: tuple[str, ...] = ()  # what has to be said in words: a loss that is not a number, ...
    trainings: tuple[Training, ...] = ()  # of a script that does several one after the other

    @property
    def crossing(self) -> int | None:
        """Bytes of a step that go from one node to another; None: not known, or there is one node."""
        return sum(size for _, _, size in self.between) if self.between else None

    def value(self, name: str) -> Named | None:
        """Return what the ranks sent as `probe.value` under that name, None if nothing."""
        return next((named for named in self.values if named.name == name), None)


class Snapshot(RunFigures, frozen=True, kw_only=True, tag="snapshot"):
    """All that a panel needs of one run, complete in itself: the newest replaces the one before."""

    block: str
    run: str
    generation: int
    demo: str
    params: dict[str, str]
    state: str  # an actions.RunState
    why: str
    world: int
    badge: str  # LIVE CPU, LIVE GPU, SIMULATED, REPLAY
    bent: tuple[str, ...]  # what was bent: "4 ranks on 2 cores", "padded 10 ms"
    backend: str
    device: str
    ran_s: float
    budget_s: float | None
    steps: int | None  # asked for
    phases: tuple[tuple[str, float], ...] = ()  # launch phases with seconds
    warning: str = ""  # the sentence that says why a run is stuck
    diagnosis: Diagnosis | None = None  # why its ranks stand still or have failed
    fault: str = ""
    formula: dict[str, int] = {}  # bytes by kind that theory gives a rank (`params.DemoSpec.memory`)
    earlier: tuple[Earlier, ...] = ()  # newest first
    recoveries: tuple[Recovery, ...] = ()
    playback: Playback | None = None
    steering: Steering | None = None
    within_s: float | None = None  # so far the clocks of its machines may be apart; None: there is one clock
    link: str = ""  # what the links between its nodes are held to (`link_speeds`); "": it has one node
    comparison: Comparison | None = None
    view: str = "table"  # what the demo is best looked at with (a row of `tui/views/registry.py`)
    left_out: dict[str, int] = {}  # what ranks said faster than it could be taken in (`Run.left_out`)
    unshown: str = ""  # of a run that is done: why it does not show what its demo is for
