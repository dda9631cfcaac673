"""What screens, host and stage say to each other. One message a frame (`runtime.wire`), as msgpack.

Screens never interpret a rank's events: the host derives a `Snapshot` per run and sends the newest. Blobs are
opaque to the host: it hands the console's to consoles and the audience's to everybody else.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct

from runtime.liveclass import AnyAction, ClassState, Entry

VERSION = 1
Role = Literal["console", "audience"]
StageStatus = Literal["cold", "warming", "warm", "busy", "absent", "lost"]


class Message(Struct, frozen=True, tag_field="is"):
    pass


# --- screen -> host -------------------------------------------------------------------------------------


class Attach(Message, frozen=True, tag="attach"):
    """First message of a screen. `screen` is a random name that lives as long as the process."""

    version: int
    role: Role
    screen: str
    pid: int


class Publish(Message, frozen=True, tag="publish"):
    """A deck revision and what each role may hold of it. Consoles only."""

    rev: str
    title: str
    path: str
    console: bytes
    audience: bytes


class Act(Message, frozen=True, tag="act"):
    """An action already applied on the sender's screen; `n` counts within the screen. Consoles only."""

    n: int
    action: AnyAction


class Launch(Message, frozen=True, tag="launch"):
    """Start a demo for a block of the deck; an older run of the block is ended first. Consoles only."""

    block: str
    demo: str
    params: dict[str, str]


class StopRun(Message, frozen=True, tag="stop-run"):
    block: str


class Keep(Message, frozen=True, tag="keep"):
    """The block's slide was left (`seconds` until its run is ended) or entered again (None)."""

    block: str
    seconds: float | None


class Warm(Message, frozen=True, tag="warm"):
    """A deck with demos is open: start the stage now if it is not there."""


class Status(Message, frozen=True, tag="status"):
    """Ask for a `Report`."""


class Shutdown(Message, frozen=True, tag="shutdown"):
    """End everything of this class, verify, then answer with a `Report`. Consoles only."""

    why: str = ""


# --- host -> screen -------------------------------------------------------------------------------------


class Welcome(Message, frozen=True, tag="welcome"):
    """The whole state for a screen that attaches, and the blob its role may see (empty: none yet)."""

    version: int
    class_id: str
    pid: int
    state: ClassState
    blob: bytes
    stage: StageStatus
    detail: str


class Blob(Message, frozen=True, tag="blob"):
    """A new deck revision for this role."""

    rev: str
    blob: bytes


class Ordered(Message, frozen=True, tag="ordered"):
    """An entry in the host's order. (`screen`, `n`) is the sender's own count; 0 for the host's entries."""

    entry: Entry
    n: int
    state: ClassState | None = None  # given where applying the entry is not enough (undo, filtered roles)


class Stage(Message, frozen=True, tag="stage"):
    status: StageStatus
    detail: str


class Screens(Message, frozen=True, tag="screens"):
    consoles: int
    audiences: int


class Unsaved(Message, frozen=True, tag="unsaved"):
    """To consoles: why the journal cannot be written; empty when everything is on disk again."""

    why: str


class Refused(Message, frozen=True, tag="refused"):
    """The host did not do it: why, and what to do instead. Never a traceback."""

    block: str
    why: str
    mend: str


class Process(Struct, frozen=True):
    """One process of ours, for `teachrun ps`."""

    pid: int
    what: str
    rank: int | None = None
    run: str = ""
    started: float = 0.0


class Report(Message, frozen=True, tag="report"):
    class_id: str
    pid: int
    state: ClassState
    stage: StageStatus
    detail: str
    processes: tuple[Process, ...]
    screens: tuple[str, ...]
    left: int = 0  # after a shutdown: processes that could not be ended


class RankRow(Struct, frozen=True):
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
    late_s: float | None = None  # entry into the last collective minus the median of the others
    params: int | None = None
    grads: int | None = None
    optimizer_bytes: int | None = None
    activations: int | None = None
    gathered: int | None = None
    temporary: int | None = None
    checksum: str | None = None
    checksum_step: int | None = None
    grad_norm: float | None = None
    seq: int | None = None  # collectives issued, for the watchdog's sentence
    drops: int = 0
    silent_s: float = 0.0  # since the last event of any kind
    result: dict[str, bool | int | float | str | None] | None = None  # what its script found out


class Mark(Struct, frozen=True):
    """A piece of one rank's last complete step on a common time axis (seconds from the axis start)."""

    kind: str  # data forward backward optimizer exposed wait all-reduce …
    t0: float
    t1: float
    label: str = ""


class Curve(Struct, frozen=True):
    """Loss by step of one rank (thinned to the screen's need)."""

    rank: int
    steps: list[int]
    losses: list[float]


class Named(Struct, frozen=True):
    """A figure of the script's own as its ranks said it last; `()` for a rank that did not."""

    name: str
    unit: str
    step: int  # the newest of any rank; -1 before the first
    ranks: tuple[tuple[float, ...], ...]


class Snapshot(Message, frozen=True, tag="snapshot"):
    """All that a panel needs of one run, complete in itself: the newest replaces the one before."""

    block: str
    run: str
    generation: int
    demo: str
    params: dict[str, str]
    state: str  # a liveclass.RunState
    why: str
    world: int
    badge: str  # LIVE CPU, LIVE GPU, SIMULATED, REPLAY
    bent: tuple[str, ...]  # what was bent: "4 ranks on 2 cores", "padded 10 ms"
    backend: str
    device: str
    ran_s: float
    budget_s: float | None
    steps: int | None  # asked for
    rows: tuple[RankRow, ...] = ()
    curves: tuple[Curve, ...] = ()
    timeline: tuple[tuple[Mark, ...], ...] = ()  # per rank
    timeline_s: float | None = None
    values: tuple[Named, ...] = ()
    slowest: int | None = None
    slowest_by_s: float | None = None
    collectives: int | None = None  # per step and rank
    collective_bytes: int | None = None
    collective_op: str | None = None
    bytes_by_op: dict[str, int] = {}  # `collective_bytes` by kind of collective
    overlap: float | None = None  # hidden / (hidden + exposed transfer)
    equal: bool | None = None  # parameter checksums of the newest common step
    equal_step: int | None = None
    phases: tuple[tuple[str, float], ...] = ()  # launch phases with seconds
    warning: str = ""  # the watchdog's sentence
    logs: tuple[str, ...] = ()  # last lines, untrusted
    fault: str = ""


AnyMessage = (
    Attach
    | Publish
    | Act
    | Launch
    | StopRun
    | Keep
    | Warm
    | Status
    | Shutdown
    | Welcome
    | Blob
    | Ordered
    | Stage
    | Screens
    | Unsaved
    | Refused
    | Report
    | Snapshot
)


# --- host <-> stage -------------------------------------------------------------------------------------


class Order(Struct, frozen=True, tag_field="is"):
    pass


class Fork(Order, frozen=True, tag="fork"):
    """Fork `world` ranks of a script. The listening store socket comes with this frame (SCM_RIGHTS).

    `env` is complete but for RANK and LOCAL_RANK, which the stage sets per child.
    """

    run: str
    generation: int
    world: int
    script: str
    argv: tuple[str, ...]
    env: dict[str, str]
    log_dir: str


class Kill(Order, frozen=True, tag="kill"):
    run: str
    generation: int


class Ready(Order, frozen=True, tag="ready"):
    """The stage is warm: one OS thread (`fork_ok`), or it says why it must not fork."""

    pid: int
    fork_ok: bool
    why: str
    torch: str
    seconds: float


class Forked(Order, frozen=True, tag="forked"):
    run: str
    generation: int
    pids: tuple[int, ...]


class Exited(Order, frozen=True, tag="exited"):
    run: str
    generation: int
    rank: int
    pid: int
    code: int | None
    signal: int | None


class Warming(Order, frozen=True, tag="warming"):
    what: str


AnyOrder = Fork | Kill | Ready | Forked | Exited | Warming

_message_decoder: msgspec.msgpack.Decoder[AnyMessage] = msgspec.msgpack.Decoder(AnyMessage)
_order_decoder: msgspec.msgpack.Decoder[AnyOrder] = msgspec.msgpack.Decoder(AnyOrder)
_encoder = msgspec.msgpack.Encoder()


def encode(message: Struct | list[Any]) -> bytes:
    return _encoder.encode(message)


def decode(payload: bytes) -> AnyMessage:
    """A screen's or the host's message. Raises `msgspec.DecodeError` on anything else."""
    return _message_decoder.decode(payload)


def decode_order(payload: bytes) -> AnyOrder:
    """A message between host and stage. Raises `msgspec.DecodeError` on anything else."""
    return _order_decoder.decode(payload)
