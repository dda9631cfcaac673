"""Messages from the host of a class to its screens. The `Snapshot` of a run is in `snapshot.py`, the codec in
`messages.py`."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from runtime.classroom.actions import Entry, Role
from runtime.classroom.state import ClassState
from runtime.protocol.class_messages.message import Message
from runtime.protocol.class_messages.room_board import Board
from runtime.protocol.class_messages.screen_messages import OpenPhones

StageStatus = Literal["cold", "warming", "warm", "busy", "absent", "lost"]


class Welcome(Message, frozen=True, tag="welcome"):
    """The whole state for a screen that attaches, and the blob its role may see (empty: none yet)."""

    version: int
    class_id: str
    pid: int
    state: ClassState
    blob: bytes
    stage: StageStatus
    detail: str
    points: bool = False  # it knows `Point`
    looks: bool = False  # it knows `RoomLook`
    phones: bool = False  # it knows `OpenPhones`


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
    """How the fork server is (`status`) and a word on it (`detail`): what it imports, or why it is down."""

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


class Answered(Message, frozen=True, tag="answered"):
    """To the room's screen: how many have answered the present round of a question, and how many could by
    key. What they answered nobody there is told before the reveal."""

    question: str
    answered: int
    people: int


class Yours(Message, frozen=True, tag="yours"):
    """To an audience screen: what its person has answered in the present `round` (0-based) of a question,
    before it came back or at another screen of that name."""

    question: str
    round: int
    choice: tuple[int, ...]
    text: tuple[str, ...] = ()


class Called(Message, frozen=True, tag="called"):
    """To an audience screen: somebody else answers under `wanted`, so this one answers under `name`."""

    name: str
    wanted: str


class Unsaved(Message, frozen=True, tag="unsaved"):
    """To consoles: why the journal cannot be written; empty when everything is on disk again."""

    why: str


class Refused(Message, frozen=True, tag="refused"):
    """The host refused a request: why, and what to do instead. Never a traceback."""

    block: str
    why: str
    mend: str


class Phones(Message, frozen=True, tag="phones"):
    """How phones reach the class: everybody in the room may know it.

    Attributes:
        state: `off`, `starting`, `on`, or `failed` with `why` and the `mend`.
        url: Address without the code; `code` lets a phone in.
        here: How many are connected; `seats` how many ever joined.
        open: Somebody new may come in.
        card: The room's screens show how to join.
        question: What somebody in the room asked and everybody reads now; untrusted.
        board: Its words or its teams, as the teacher shows them.
        teams: Teams that phones choose from.
        asked: How they are served, for consoles only: another one goes on from it.
    """

    state: Literal["off", "starting", "on", "failed"] = "off"
    url: str = ""
    code: str = ""
    here: int = 0
    seats: int = 0
    open: bool = True
    card: bool = False
    question: str = ""
    why: str = ""
    mend: str = ""
    board: Board | None = None
    teams: tuple[str, ...] = ()
    asked: OpenPhones | None = None


class RoomQuestion(Struct, frozen=True):
    """What somebody in the room asks the lecturer: how many would ask it too, and whether it was `picked`,
    so that the room may read it. `text` is untrusted."""

    id: int
    seat: str
    who: str
    text: str
    votes: int = 1
    picked: bool = False


class RoomVoices(Message, frozen=True, tag="room-voices"):
    """To consoles: what phones ask, the oldest first, for how many it is too fast or has been lost, and how
    many reacted of late, by word."""

    questions: tuple[RoomQuestion, ...] = ()
    fast: int = 0
    lost: int = 0
    reactions: dict[str, int] = {}


class Process(Struct, frozen=True):
    """One process of ours, for `teachrun ps`."""

    pid: int
    what: str
    rank: int | None = None
    run: str = ""
    started: float = 0.0


class Report(Message, frozen=True, tag="report"):
    """A class as `teachrun ps` and a shutdown see it: its host, state, processes and attached screens."""

    class_id: str
    pid: int
    state: ClassState
    stage: StageStatus
    detail: str
    processes: tuple[Process, ...]
    screens: tuple[str, ...]
    left: int = 0  # after a shutdown: processes that could not be ended


Run = tuple[str, str, str, int]
"""Characters of one look: text (untrusted), ink, ground ("": the terminal's, one of its sixteen by name, or
`#rrggbb`), and marks as `runtime.snippets.emulator` counts them."""


class Grid(Struct, frozen=True):
    """What a terminal shows. The cursor stands in column `x` of row `y`; rows end at their last character."""

    columns: int
    rows: tuple[tuple[Run, ...], ...]
    x: int = 0
    y: int = 0
    cursor: bool = True


class Output(Message, frozen=True, tag="output"):
    """State of a snippet, and what is new in its output: `lines` from number `at` on, untrusted.

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


FromHost = (
    Welcome
    | Blob
    | Ordered
    | Stage
    | Screens
    | Answered
    | Yours
    | Called
    | Unsaved
    | Refused
    | Phones
    | RoomVoices
    | Report
    | Output
)
