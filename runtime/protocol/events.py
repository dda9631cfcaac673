"""The events a rank sends: the only list of them.

Every event names its run, generation, rank and time. Times are seconds of the machine's monotonic clock
(`time.monotonic`, one clock for all processes of a machine; `Hello` pairs it with the wall clock), sizes are
bytes. `None` means "not known" and is drawn as a dash; nothing is ever filled in.

On the wire an event is an array `[tag, run, generation, rank, t, *fields]`. A rank whose interpreter has no
msgspec (a user's own environment) sends the same arrays as JSON: `Hello.codec` says which.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

VERSION = 1

if TYPE_CHECKING:
    from msgspec import Struct
else:
    try:
        from msgspec import Struct
    except ImportError:  # the rank side must work with the standard library and torch alone

        class Struct:
            """The few features of `msgspec.Struct` an event uses: ordered fields, defaults, a tag."""

            __struct_fields__: tuple[str, ...] = ()
            tag = ""

            def __init_subclass__(cls, tag: str = "", **_: object) -> None:
                own = tuple(n for n in vars(cls).get("__annotations__", {}) if n != "tag")
                cls.__struct_fields__ = (*cls.__struct_fields__, *own)
                cls.tag = tag

            def __init__(self, *args: Any, **kwargs: Any) -> None:
                values = dict(zip(self.__struct_fields__, args, strict=False)) | kwargs
                for name in self.__struct_fields__:
                    value = values[name] if name in values else getattr(type(self), name)
                    object.__setattr__(self, name, value)


class Event(Struct, frozen=True, array_like=True, gc=False):
    """What all events carry. `rank` is -1 where the supervisor speaks for the whole run."""

    run: str
    generation: int
    rank: int
    t: float


class Hello(Event, frozen=True, array_like=True, tag="hello"):
    """First event of a rank. `mono` and `wall` are the two clocks read together, in seconds."""

    version: int
    local_rank: int
    node: int
    world: int
    pid: int
    device: str
    backend: str
    mono: float
    wall: float
    codec: str


class Boot(Event, frozen=True, array_like=True, tag="boot"):
    """A launch phase begins; `BOOT_PHASES` gives the order."""

    phase: str


class Group(Event, frozen=True, array_like=True, tag="group"):
    """A process group this rank belongs to, with its members. Torch names the group of a mesh dimension
    `mesh_` and the dimension; the place of a rank in it is its coordinate there."""

    id: str
    name: str
    ranks: list[int]


class Step(Event, frozen=True, array_like=True, tag="step"):
    """One optimizer step, from `t0` to `t`; the five durations sum to `t - t0` (seconds)."""

    step: int
    t0: float
    loss: float | None
    tokens: int
    data: float
    forward: float
    backward: float
    optimizer: float
    other: float
    training: int = 0  # of a script that trains one thing after the other: which of them, from 0


class Collective(Event, frozen=True, array_like=True, tag="collective"):
    """One collective or transfer, sent once it is done (`t_done` None: completion is not observable).

    `seq` counts within (generation, group). `exposed` is the time the training thread could do nothing else
    because of it; that interval ends at `t_done`.
    """

    seq: int
    op: str
    group: str
    peer: int
    bytes: int
    step: int
    t_issue: float
    t_done: float | None
    exposed: float


class Links(Event, frozen=True, array_like=True, tag="links"):
    """The TCP connections of this rank, each as its own end and the other one (`127.0.0.1:4711`), sent again
    when they change. The host finds who is at the other end: that rank has the same pair, reversed.
    `why`: what this rank sends cannot be counted here."""

    ends: list[tuple[str, str]]
    why: str = ""


class Wire(Event, frozen=True, array_like=True, tag="wire"):
    """Bytes sent over each of the latest `Links` by the end of `step`, counted by the kernel since the
    connection was made; -1 is not known. The first such event is from before the first step."""

    step: int
    sent: list[int]


class Memory(Event, frozen=True, array_like=True, tag="memory"):
    """Bytes by kind on this rank. `peak`, `reserved`, `limit` are the allocator's, where it has them."""

    step: int
    params: int | None
    grads: int | None
    optimizer: int | None
    activations: int | None
    gathered: int | None
    temporary: int | None
    peak: int | None
    reserved: int | None
    limit: int | None
    buffers: int | None = None  # of modules: running means and the like, which nothing trains


class Shards(Event, frozen=True, array_like=True, tag="shards"):
    """Which part of each parameter is on this rank, and of the optimizer's state of it: sent after the first
    step, and again when the state came later. Of at most `MAX_SHARDS` parameters, `more` are left out; not
    sent at all with more than `MAX_SHARD_RANKS` ranks.

    `tensors`: its name, its shape, the part of it that this rank stores, and the part whose state it has. A
    part is its offset in every dimension, then its size in every dimension. [] as the part that is stored:
    torch has not cut it, and `shape` is all that this rank has of it. [] as the state: there is none here.
    """

    tensors: list[tuple[str, list[int], list[int], list[int]]]
    more: int = 0


class Moments(Event, frozen=True, array_like=True, tag="moments"):
    """Bytes held within a sampled step, moment by moment, `at` seconds of the common clock: gathered weights,
    what autograd saved, and gradients. Sent before the `Step` that they belong to."""

    step: int
    at: list[float]
    gathered: list[int]
    activations: list[int]
    grads: list[int]


class Span(Event, frozen=True, array_like=True, tag="span"):
    """A piece of work on a pipeline stage or a named part of a step, from `t0` to `t1`."""

    kind: str
    stage: int
    microbatch: int
    chunk: int
    step: int
    t0: float
    t1: float


class Check(Event, frozen=True, array_like=True, tag="check"):
    """Checksum of this rank's parameters after `step`; equal checksums mean equal bytes.

    `part` names the part of the model that a rank of a sharded one has, "" is all of it. Ranks with the same
    part must have the same checksum, which is "" where nobody else has it or it is not known. `grad_norm` is
    over the part; `share` is what this rank adds to the square of the norm of the whole gradient, None where
    its part is the whole (`runtime.ranks.sensors.gradient_norm`).
    """

    step: int
    checksum: str
    grad_norm: float | None
    part: str = ""
    share: float | None = None


class Value(Event, frozen=True, array_like=True, tag="value"):
    """A named figure of the script's own: at most `MAX_VALUES` numbers in `unit`; `labels` says what each of
    them is of, where that is needed."""

    name: str
    unit: str
    step: int
    values: list[float]
    labels: list[str] = []


class Gpu(Event, frozen=True, array_like=True, tag="gpu"):
    """What the GPU's management library reports: utilisation 0-1, watts, degrees Celsius, bytes."""

    util: float | None
    watt: float | None
    celsius: float | None
    memory: int | None


class Beat(Event, frozen=True, array_like=True, tag="beat"):
    """Sign of life from the sender's thread, so that a stuck training thread is visible."""

    phase: str
    step: int
    seq_issued: int
    seq_done: int
    drops: int
    last: str = ""  # the collective entered last: `all-reduce #41`
    heard: int = 0  # the newest hold it was told of: it begins no further step unless it may
    waits: str = ""  # the collective its training thread stands in: `receive #12`; "" none
    group: str = ""  # of that
    peer: int = -1  # of a transfer, counted in the group
    entered: dict[str, int] = {}  # how many collectives of each group it has entered, transfers aside
    line: int = 0  # of the script, that its training thread is in; 0: in none of it
    bytes: int = 0  # of what it stands in
    since: float = 0.0  # when it began to stand there; 0: it does not


def beat_s(world: int) -> float:
    """Return the seconds between two signs of life of a rank: a tenth, more where many ranks would give a
    host more of them than it can take in beside a class."""
    return max(0.1, world / MOST_BEATS_S)


class XRay(Event, frozen=True, array_like=True, tag="xray"):
    """One step seen by the profiler: `[kind, t0, t1, label]` by the common clock, the allocator's peak in
    bytes, and the file with the whole trace. `failed` says why there is none."""

    step: int
    t0: float
    t1: float
    peak: int | None
    file: str
    failed: str
    marks: list[tuple[str, float, float, str]]


class Fault(Event, frozen=True, array_like=True, tag="fault"):
    """Something went wrong here; `root` says what caused it, as far as known. `refused`: the script ended
    itself and said why (`SystemExit` with a text), so it would do so again."""

    what: str
    root: str
    refused: bool = False


class Changed(Event, frozen=True, array_like=True, tag="changed"):
    """Something was changed under this script so that it runs here, `times` times on this rank; sent again at
    its end if more than once."""

    what: str
    times: int


class Lost(Event, frozen=True, array_like=True, tag="lost"):
    """The probe itself failed to do `what`, because of `why`: a figure is missing, the script went on."""

    what: str
    why: str


class Log(Event, frozen=True, array_like=True, tag="log"):
    """One line of a rank's output; `stream` is `out` or `err`. Untrusted text."""

    stream: str
    line: str


class Done(Event, frozen=True, array_like=True, tag="done"):
    """The rank's process ended: exit code, or the signal that killed it, and the demo's own result."""

    code: int | None
    signal: int | None
    result: dict[str, bool | int | float | str | None]


AnyEvent = (
    Hello
    | Boot
    | Group
    | Step
    | Collective
    | Links
    | Wire
    | Memory
    | Shards
    | Moments
    | Span
    | Check
    | Value
    | Gpu
    | Beat
    | XRay
    | Fault
    | Changed
    | Lost
    | Log
    | Done
)
MOST_BEATS_S = 2048  # signs of life a second of all ranks
BOOT_PHASES = ("start", "import", "rendezvous", "build", "load", "train")
ON_PURPOSE = "done on purpose"  # the root of a fault that somebody asked for; its `what` is all that was done
MAX_VALUES = 64
MAX_LABEL = 24  # characters
MAX_SHARDS, MAX_SHARD_NAME, MAX_SHARD_RANKS = 512, 96, 64  # parameters of a rank, characters, ranks


def tag_of(event: Event | type[Event]) -> str:
    """The event's name on the wire and in JSON lines (`step`, `collective`, ...)."""
    cls = event if isinstance(event, type) else type(event)
    config = getattr(cls, "__struct_config__", None)
    return str(config.tag if config is not None else cls.__dict__.get("tag", ""))


def as_dict(event: Event) -> dict[str, Any]:
    """The JSON-lines form: `type`, then the common fields, then the event's own."""
    fields = {name: getattr(event, name) for name in event.__struct_fields__}
    return {"type": tag_of(event), **fields}


def as_array(event: Event) -> list[Any]:
    """The wire form without msgspec: what `msgspec` makes of the struct, as plain values."""
    return [tag_of(event), *(getattr(event, name) for name in event.__struct_fields__)]
