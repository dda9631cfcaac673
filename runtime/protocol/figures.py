"""The figures of a run as its snapshot carries them: seconds, bytes, and None for what is not known.

Everything here is derived by the host (`runtime/metrics/run_figures.py`), drawn by `tui/views/`, and knows
neither. What comes by the hundred in a snapshot goes over the wire as an array, without names of fields
(`array_like`).
"""

from __future__ import annotations

from msgspec import Struct

STALE = "stale"  # the state of a rank whose machine is not heard for the moment


class Device(Struct, frozen=True):
    """What a GPU's management library reports of a rank's device: share of time in use, W, °C, bytes."""

    util: float | None = None
    watt: float | None = None
    celsius: float | None = None
    memory: int | None = None


class RankRow(Struct, frozen=True, array_like=True):
    """One rank in a snapshot. Seconds and bytes; None is not known. The step bar sums to `step_s`.

    `data compute hidden exposed wait optimizer other` partition the wall time of the rank's last complete
    step; `hidden` is compute with communication behind it. Means over the last steps, so that they sum.
    """

    rank: int
    node: int
    pid: int
    state: str  # start import rendezvous build data forward backward all-reduce optimizer idle done dead …
    step: int | None = None
    loss: float | None = None
    tokens_s: float | None = None
    step_s: float | None = None
    data: float | None = None
    compute: float | None = None
    hidden: float | None = None
    exposed: float | None = None
    wait: float | None = None
    optimizer: float | None = None
    other: float | None = None
    late_s: float | None = None  # busy in a step (neither waiting nor in a transfer) minus the others' median
    params: int | None = None
    grads: int | None = None
    optimizer_bytes: int | None = None
    activations: int | None = None
    gathered: int | None = None
    temporary: int | None = None
    peak: int | None = None  # most bytes at once by the allocator: a GPU's in every step, else of the x-rayed
    checksum: str | None = None
    checksum_step: int | None = None
    grad_norm: float | None = None
    seq: int | None = None  # collectives issued, for the sentence that says why a run is stuck
    last: str = ""  # the collective it entered last: `all-reduce #41`
    harm: str = ""  # what was done to it on purpose: `slowed 50 ms`
    gpu: Device | None = None
    drops: int = 0
    silent_s: float = 0.0  # since the last event of any kind
    result: dict[str, bool | int | float | str | None] | None = None  # what its script found out
    payload: int | None = (
        None  # bytes it hands to collectives a step (`runtime.metrics.collectives.byte_counts` has the three)
    )
    wire: int | None = None  # bytes that leave it for other ranks a step, as its kernel counts them
    theory: int | None = None  # bytes that have to, by kind and size of group
    links: dict[int, int] = {}  # `wire` by the rank it goes to
    buffers: int | None = None  # bytes of modules' buffers
    grad_norm_step: int | None = None  # parameters and gradients are looked at in a step of several
    waits: str = ""  # for whom it stands in a collective, longer than a step takes: `2`, `1, 3`, `5 ranks`

    @property
    def held(self) -> dict[str, int]:
        """Bytes held by kind, as far as they are known."""
        kinds = ("params", "grads", "optimizer_bytes", "activations", "gathered", "temporary", "buffers")
        return {kind: size for kind in kinds if (size := getattr(self, kind)) is not None}

    @property
    def held_sum(self) -> int | None:
        """Sum of the most bytes of each kind; they need not be held at once, so `peak` may be less."""
        held = self.held
        return sum(held.values()) if held else None


class Mark(Struct, frozen=True, array_like=True):
    """A piece of one rank's last complete step on a common time axis (seconds from the axis start)."""

    kind: str  # data forward backward optimizer exposed wait all-reduce …
    t0: float
    t1: float
    label: str = ""


class Moment(Struct, frozen=True, array_like=True):
    """Bytes that a rank held at `t` seconds from the start of its step, and on until the next one."""

    t: float
    gathered: int
    activations: int
    grads: int


class Transfer(Struct, frozen=True, array_like=True):
    """A collective of one rank's step: from the entry of its last member to its end, in seconds from the
    start of the step. `bytes` is payload, `ranks` its members, () where they are not known."""

    op: str
    t0: float
    t1: float
    bytes: int
    ranks: tuple[int, ...] = ()


class RankStep(Struct, frozen=True):
    """What happened on one rank in a step: what it held, what it sent, and what it was at (`Timeline`'s)."""

    moments: tuple[Moment, ...] = ()
    transfers: tuple[Transfer, ...] = ()
    phases: tuple[Mark, ...] = ()


class Film(Struct, frozen=True):
    """The newest sampled step of all ranks on one time axis; `()` for a rank that did not report it."""

    step: int
    span_s: float
    ranks: tuple[RankStep, ...]


class Part(Struct, frozen=True, array_like=True):
    """A part of a tensor, by its offset and size in each dimension, and the ranks that have it."""

    offset: tuple[int, ...]
    size: tuple[int, ...]
    ranks: tuple[int, ...]


class PlacedTensor(Struct, frozen=True, array_like=True):
    """Where the parts of a parameter lie: of one, or of `count` that are alike but for numbers in their name.

    `cut`: torch has cut it, or copied it to several ranks. Else `stored` only says who has one of that name
    and shape, and whether these are copies is not known. `states` is the optimizer's state: one entry that
    holds for all of them, or one for each; () where it is not known.
    """

    name: str  # of several with `*` in place of the numbers
    count: int
    shape: tuple[int, ...]
    cut: bool
    stored: tuple[Part, ...]
    states: tuple[tuple[Part, ...], ...] = ()


class Placement(Struct, frozen=True):
    """Where the parts of all parameters lie; `more` are not in it."""

    tensors: tuple[PlacedTensor, ...]
    more: int = 0


class Curve(Struct, frozen=True):
    """Loss by step of one rank, thinned to what a screen can show."""

    rank: int
    steps: list[int]
    losses: list[float]


class Training(Struct, frozen=True):
    """One of several trainings in one script; `loss` is its last, the ranks' median."""

    first_step: int
    steps: int
    loss: float | None = None


class Named(Struct, frozen=True):
    """A figure of the script's own as each rank last sent it; `()` for a rank that did not."""

    name: str
    unit: str
    step: int  # the newest of any rank; -1 before the first
    ranks: tuple[tuple[float, ...], ...]
    labels: tuple[str, ...] = ()  # what each number of a rank is of


class OpRow(Struct, frozen=True):
    """One kind of collective in one group, per step and rank (means over the ranks that take part).

    Groups of the same place in a mesh are one row: `group` is the name of the dimension, `ranks` the members
    of each of them (`0,1 2,3`; "" where that is all ranks, or not known).

    `seconds` is transfer only: from the entry of the last rank to the end. `algbw` is bytes / seconds,
    `busbw` what the wires carry for it (nccl-tests, doc/PERFORMANCE.md); bytes a second. `bytes` is payload,
    `theory` what of it a rank has to send on average (`runtime.metrics.collectives.theory`).
    """

    op: str
    group: str
    members: int
    calls: float
    bytes: int
    seconds: float | None = None
    algbw: float | None = None
    busbw: float | None = None
    ranks: str = ""
    theory: int | None = None


class Piece(Struct, frozen=True, array_like=True):
    """One micro-batch on one stage of a pipeline. `kind`: F forward, B backward, W weight gradients, I input
    gradients. Seconds from the start of the axis; in a theoretical grid, units of one forward."""

    kind: str
    stage: int
    microbatch: int
    t0: float
    t1: float


class Pipeline(Struct, frozen=True):
    """One step of a pipeline as measured, beside what its schedule promises.

    Both shares of idle time by name: `bubble` is idle / total, `bubble_ideal` idle / ideal work, averaged
    over ranks; `theory_*` the same for the theoretical grid (backward twice a forward, transfers free).
    `formulas` are those of `theory_bubble` and `theory_bubble_ideal`, where they are as simple as that.
    """

    schedule: str
    step: int
    lanes: tuple[tuple[Piece, ...], ...]  # per rank
    span_s: float
    bubble: float | None
    bubble_ideal: float | None
    theory: tuple[tuple[Piece, ...], ...]  # per rank
    theory_span: float
    theory_bubble: float | None
    theory_bubble_ideal: float | None
    live: tuple[int, ...] = ()  # of `counted`, the most whose activations a rank held at once
    theory_live: tuple[int, ...] = ()
    formulas: tuple[str, ...] = ()

    @property
    def counted(self) -> str:
        """What `live` counts: where a rank has several stages, a micro-batch is held once on each of them."""
        several = any(len({piece.stage for piece in lane}) > 1 for lane in self.lanes)
        return "stage chunks" if several else "micro-batches"


class Earlier(Struct, frozen=True):
    """The loss of an earlier run of the same block, and in which parameters it differs from this one."""

    run: str
    label: str
    curve: Curve


class Recovery(Struct, frozen=True):
    """A generation that failed and the one that followed it: seconds of each phase from the failure on
    (`detected killed forked rendezvous loaded`, `first step`), as far as they are reached."""

    generation: int  # the new one
    what: str  # why the old one ended
    phases: tuple[tuple[str, float], ...] = ()
    lost_steps: int | None = None


class Failure(Struct, frozen=True):
    """How a generation failed and the one after it began: moments on the clock of the events, seconds.

    `failed_at` is when a rank failed by its own account or by ours who did it, `noticed_at` when we saw it,
    `ended_at` when the last process of the old generation was gone, `forked_at` when the new ones were there;
    None: not known (yet). `reached` is the newest step of the old generation.
    """

    generation: int  # the new one
    what: str
    reached: int
    failed_at: float | None
    noticed_at: float
    ended_at: float
    forked_at: float | None = None


class XRay(Struct, frozen=True):
    """One step looked at with the profiler. `state`: taking, ready or failed (then `why`)."""

    state: str
    why: str = ""
    step: int = -1
    lanes: tuple[tuple[Mark, ...], ...] = ()  # per rank
    span_s: float = 0.0
    peaks: tuple[int | None, ...] = ()  # bytes, by the allocator, of everything the step had at once
    trace: str = ""  # the Perfetto file


class Strategy(Struct, frozen=True):
    """One line of a comparison: what the runs of one demo had in common, and how far they lay apart.

    `memory_bytes` is the sum of `memory` on the rank that holds most, and `peak_bytes` the most that a rank
    had at once (an x-ray of one step of its first run); `step_s` is the median of the runs' median
    steps with the lowest and highest of them, `tokens_s` of all ranks together. `payload`, `wire` and
    `theory` are bytes of a step, a rank's mean (`runtime.metrics.collectives.byte_counts`); `no_wire` says
    why one is missing.
    `exposed` is the share of a step in which it stood still for a transfer. `same`: its loss after the same
    number of steps is that of the first line (None: not known).
    """

    label: str
    demo: str
    state: str = "waiting"  # waiting, running, done, failed
    why: str = ""
    runs: int = 0  # that ended well
    memory_bytes: int | None = None
    memory: dict[str, int] = {}
    step_s: float | None = None
    step_low_s: float | None = None
    step_high_s: float | None = None
    tokens_s: float | None = None
    payload: int | None = None
    wire: int | None = None
    theory: int | None = None
    no_wire: str = ""
    costs: tuple[str, ...] = ()  # why `wire` is more than `theory`
    exposed: float | None = None
    loss: float | None = None
    same: bool | None = None
    when: str = ""
    peak_bytes: int | None = None
    crossing: int | None = None  # bytes of a step that go from node to node, all ranks together


class Comparison(Struct, frozen=True):
    """Several strategies side by side, each run `runs` times in turn."""

    rows: tuple[Strategy, ...]
    ranks: int
    runs: int
    steps: int | None

    @property
    def costs(self) -> dict[str, list[str]]:
        """Notes on bytes on the wire, and which strategies they are about."""
        said: dict[str, list[str]] = {}
        for row in self.rows:
            for words in (*row.costs, *([f"wire not known: {row.no_wire}"] if row.no_wire else [])):
                said.setdefault(words, []).append(row.label)
        return said


class Playback(Struct, frozen=True):
    """A recorded run that is shown again: when and where it was made, and where in it we are (seconds)."""

    made: str  # 2026-11-21 04:10
    machine: str
    at_s: float
    length_s: float
    speed: float  # 0: it stands
    differs: tuple[str, ...] = ()  # from what the slide asks for: `slow_rank=-1 (asked 2)`


class Steering(Struct, frozen=True):
    """How a run is held back: `until` is the last step it may begin, `pace_s` the least time of a step."""

    until: int | None = None
    pace_s: float = 0.0

    @property
    def held(self) -> bool:
        """Whether the ranks stop after a certain step."""
        return self.until is not None
