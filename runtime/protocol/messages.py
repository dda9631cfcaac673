"""What screens and host say to each other. One message a frame (`runtime.protocol.framing`), as msgpack.

Screens never interpret a rank's events: the host derives a `Snapshot` per run and sends the newest. Blobs are
opaque to the host: it hands the console's to consoles and the audience's to everybody else.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import Struct

from runtime.classroom.actions import AnyAction, Entry, Plan, Role
from runtime.classroom.state import ClassState
from runtime.protocol.figures import (
    Comparison,
    Curve,
    Earlier,
    Mark,
    Named,
    OpRow,
    Pipeline,
    Playback,
    RankRow,
    Recovery,
    Steering,
    Training,
    XRay,
)

VERSION = 3
Harm = Literal["slow", "stop", "go on", "kill", "desync", "seed", "oom", "disk"]
StageStatus = Literal["cold", "warming", "warm", "busy", "absent", "lost"]


class Message(Struct, frozen=True, tag_field="is"):
    pass


# --- screen -> host -------------------------------------------------------------------------------------


class Attach(Message, frozen=True, tag="attach"):
    """First message of a screen. `screen` is a random name; a screen that crashed comes back with its own.

    `where` is for people: the name it was given, or its terminal. `answers`: a screen of the room at which
    somebody answers, under `name` if one was chosen.
    """

    version: int
    role: Role
    screen: str
    pid: int
    where: str = ""
    answers: bool = False
    name: str = ""
    again: bool = False  # the one who answers under that name already is the same person


class Publish(Message, frozen=True, tag="publish"):
    """A deck revision and what each role may hold of it. Consoles only."""

    rev: str
    title: str
    path: str
    console: bytes
    audience: bytes
    plan: Plan = Plan()
    format: str = ""


class Act(Message, frozen=True, tag="act"):
    """An action already applied on the sender's screen; `n` counts within the screen. Consoles only.

    `at` is when that was (wall-clock seconds; screens and host share a machine), 0: now. A host that stood
    still orders it late, and the clock of the class must not go back by that.
    """

    n: int
    action: AnyAction
    at: float = 0.0


class Reply(Message, frozen=True, tag="reply"):
    """An answer from the room to the `round` (0-based) of a question: as `actions.Answer`. Of screens that
    attached to answer."""

    question: str
    round: int
    choice: tuple[int, ...]
    text: tuple[str, ...] = ()


class Launch(Message, frozen=True, tag="launch"):
    """Start a demo for a block of the deck; an older run of the block is ended first. Consoles only."""

    block: str
    demo: str
    params: dict[str, str]


class StopRun(Message, frozen=True, tag="stop-run"):
    block: str


class Steer(Message, frozen=True, tag="steer"):
    """Hold a run between two steps, or let it go on. Consoles only.

    `steps` None: it runs; 0: it is held before its next step; n: n more steps, then it is held. `pace_s`: the
    least time of a step in seconds, 0 for none.
    """

    block: str
    steps: int | None = None
    pace_s: float = 0.0


class Break(Message, frozen=True, tag="break"):
    """Do harm to one rank on purpose. Consoles only.

    `amount`: milliseconds a step for `slow` (0 ends it), bytes for `oom` and `disk`. `stop` and `go on` are
    the signals of that name.
    """

    block: str
    rank: int
    harm: Harm
    amount: float = 0.0


class TakeXRay(Message, frozen=True, tag="x-ray"):
    """Look at the next step of every rank with the profiler. Consoles only."""

    block: str


class Recall(Message, frozen=True, tag="recall"):
    """Show a recorded run in the block, in place of a live one: `run` by its id, "" for the one that fits the
    demo and its parameters best. Consoles only."""

    block: str
    demo: str
    params: dict[str, str]
    run: str = ""


class RunSnippet(Message, frozen=True, tag="run-snippet"):
    """Run the code of a block; an older run of it is ended first. Consoles only."""

    block: str
    lang: str
    source: str
    timeout_s: float = 30.0
    terminal: bool = False  # `source` is a command, to be run in a terminal that keys can be typed into
    picture: bool = False  # what it makes is a picture


class Keys(Message, frozen=True, tag="keys"):
    """What is typed into the terminal of a block, as a terminal sends it; and how large it is to be, 0: as it
    is. Consoles only."""

    block: str
    text: str
    pasted: bool = False
    columns: int = 0
    rows: int = 0


class Seek(Message, frozen=True, tag="seek"):
    """In a run that is played back: to `at_s` (None: from here on), at `speed` times its own (0: stand)."""

    block: str
    at_s: float | None = None
    speed: float = 1.0


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
    """An entry in the host's order. (`screen`, `n`) is the sender's own count; 0 for the host's entries.

    `partial`: of the questions of `state` only those that the entry has changed are there;
    `runtime.host.client` makes it whole again.
    """

    entry: Entry
    n: int
    state: ClassState | None = None  # given where applying the entry is not enough (undo, filtered roles)
    partial: bool = False


class Stage(Message, frozen=True, tag="stage"):
    status: StageStatus
    detail: str


class Seat(Struct, frozen=True):
    """An attached screen, by its name in the journal, and where it is."""

    screen: str
    role: Role
    where: str
    answers: bool = False


class Screens(Message, frozen=True, tag="screens"):
    """How many are attached; to consoles also which."""

    consoles: int
    audiences: int
    seats: tuple[Seat, ...] = ()


class Yours(Message, frozen=True, tag="yours"):
    """To a screen of the room: what its person has answered in the present `round` (0-based) of a question,
    before it came back or at another screen of that name."""

    question: str
    round: int
    choice: tuple[int, ...]
    text: tuple[str, ...] = ()


class Called(Message, frozen=True, tag="called"):
    """To a screen of the room: somebody who is here answers under `wanted`, so it answers under `name`."""

    name: str
    wanted: str


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


class Snapshot(Message, frozen=True, tag="snapshot"):
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
    rows: tuple[RankRow, ...] = ()
    curves: tuple[Curve, ...] = ()
    timeline: tuple[tuple[Mark, ...], ...] = ()  # per rank
    timeline_s: float | None = None
    values: tuple[Named, ...] = ()
    slowest: int | None = None
    slowest_by_s: float | None = None
    collectives: int | None = None  # per step and rank
    collective_bytes: int | None = None  # payload of the newest step
    collective_op: str | None = None
    bytes_by_op: dict[str, int] = {}  # `collective_bytes` by kind of collective
    payload: int | None = (
        None  # bytes a step, a rank's mean: `runtime.metrics.collectives.byte_counts` has the three
    )
    wire: int | None = None
    theory: int | None = None
    no_wire: str = ""  # why `wire` is not known
    costs: tuple[str, ...] = ()  # why it is more than `theory`
    overlap: float | None = None  # hidden / (hidden + exposed transfer)
    equal: bool | None = None  # parameter checksums of the newest common step
    equal_step: int | None = None
    phases: tuple[tuple[str, float], ...] = ()  # launch phases with seconds
    warning: str = ""  # the watchdog's sentence
    logs: tuple[str, ...] = ()  # last lines, untrusted
    fault: str = ""
    tails: tuple[tuple[str, ...], ...] = ()  # per rank, the last lines it wrote; untrusted
    ops: tuple[OpRow, ...] = ()
    formula: dict[str, int] = {}  # bytes by kind that theory gives a rank (`params.DemoSpec.memory`)
    pipeline: Pipeline | None = None
    earlier: tuple[Earlier, ...] = ()  # newest first
    recoveries: tuple[Recovery, ...] = ()
    xray: XRay | None = None
    playback: Playback | None = None
    steering: Steering | None = None
    comparison: Comparison | None = None
    view: str = "table"  # what the demo is best looked at with (`params.View`)
    left_out: dict[str, int] = {}  # what ranks said faster than it could be taken in (`Run.left_out`)
    remarks: tuple[str, ...] = ()  # what has to be said in words: a loss that is no number, ...
    trainings: tuple[Training, ...] = ()  # of a script that does several one after the other
    unshown: str = ""  # of a run that is done: why it does not show what its demo is for

    def value(self, name: str) -> Named | None:
        """What the ranks said under a name of the script's own."""
        return next((named for named in self.values if named.name == name), None)


Run = tuple[str, str, str, int]
"""Characters of one look: text (untrusted), ink, ground ("": the terminal's, one of its sixteen by name, or
`#rrggbb`), and marks as `runtime.snippets.emulator` counts them."""


class Grid(msgspec.Struct, frozen=True):
    """What a terminal shows. The cursor stands in column `x` of row `y`; rows end at their last character."""

    columns: int
    rows: tuple[tuple[Run, ...], ...]
    x: int = 0
    y: int = 0
    cursor: bool = True


class Output(Message, frozen=True, tag="output"):
    """How a snippet stands, and what is new of what it printed: `lines` from number `at` on, untrusted.

    `first` is the number of the oldest line that is kept, `end` that of the next one; `open` has no end yet.
    """

    block: str
    run: str
    lang: str
    state: str  # an actions.RunState
    why: str
    code: int | None
    signal: int | None
    ran_s: float
    timeout_s: float
    first: int
    at: int
    end: int
    lines: tuple[str, ...]
    open: str = ""
    screen: Grid | None = None  # of one in a terminal, instead of lines
    picture: bytes = b""  # that it made, untrusted; sent once, when it has ended


AnyMessage = (
    Attach
    | Publish
    | Act
    | Reply
    | Launch
    | StopRun
    | Steer
    | Break
    | TakeXRay
    | Recall
    | RunSnippet
    | Keys
    | Seek
    | Keep
    | Warm
    | Status
    | Shutdown
    | Welcome
    | Blob
    | Ordered
    | Stage
    | Screens
    | Yours
    | Called
    | Unsaved
    | Refused
    | Report
    | Snapshot
    | Output
)


_decoder: msgspec.msgpack.Decoder[AnyMessage] = msgspec.msgpack.Decoder(AnyMessage)
_encoder = msgspec.msgpack.Encoder()


def encode(message: Message) -> bytes:
    return _encoder.encode(message)


def decode(payload: bytes) -> AnyMessage:
    """Raises `msgspec.DecodeError` on anything that is no message."""
    return _decoder.decode(payload)
