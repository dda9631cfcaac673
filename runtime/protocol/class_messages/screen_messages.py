"""Messages from a screen to the host of its class. `messages.py` has the codec."""

from __future__ import annotations

from typing import Literal

from runtime.classroom.actions import AnyAction, Plan, Role
from runtime.protocol.class_messages.message import Message
from runtime.protocol.class_messages.pointing import Point
from runtime.protocol.class_messages.room_board import Board
from runtime.protocol.class_messages.room_look import RoomLook
from runtime.protocol.link_speeds import Speed

Harm = Literal["slow", "stop", "go on", "kill", "desync", "seed", "oom", "disk"]


class Attach(Message, frozen=True, tag="attach"):
    """First message of a screen. `screen` is a random name; a screen that crashed comes back with its own.

    `where` is for people: the name it was given, or its terminal. `answers`: an audience screen at which
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
    points: bool = False  # it knows `Point`
    looks: bool = False  # it knows `RoomLook`
    phones: bool = False  # it knows `Phones`


class Publish(Message, frozen=True, tag="publish"):
    """A deck revision, and the part of it that each role may have. Consoles only."""

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
    """Start a demo for a block of the deck; an older run of the block is ended first. Consoles only.

    `hosts`: machines that ssh reaches, for a demo of ours with as many nodes (`host/blocks/launch_check.py`).
    """

    block: str
    demo: str
    params: dict[str, str]
    hosts: tuple[str, ...] = ()


class StopRun(Message, frozen=True, tag="stop-run"):
    """End the run, comparison or snippet in a block; a replay stands still. Consoles only."""

    block: str


class Steer(Message, frozen=True, tag="steer"):
    """Hold a run between two steps, or let it go on. Consoles only.

    `steps` None: it runs; 0: it is held before its next step; n: n more steps, then it is held. `pace_s`: the
    least time of a step in seconds, 0 for none.
    """

    block: str
    steps: int | None = None
    pace_s: float = 0.0


class SetLink(Message, frozen=True, tag="set-link"):
    """Hold the links between the nodes of a run to a speed, from now on. Consoles only."""

    block: str
    speed: Speed


class Break(Message, frozen=True, tag="break"):
    """Break one rank on purpose. Consoles only.

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


EXERCISE = "exercise"  # a language: the `source` is the name of an exercise or puzzle that comes with us


class RunSnippet(Message, frozen=True, tag="run-snippet"):
    """Run the code of a block; an older run of it is ended first. Consoles only."""

    block: str
    lang: str
    source: str
    timeout_s: float = 30.0
    terminal: bool = False  # `source` is a command, to be run in a terminal that keys can be typed into
    picture: bool = False  # what it makes is a picture


class Keys(Message, frozen=True, tag="keys"):
    """Keys typed into the terminal of a block, as a terminal sends them; and how large it is to be, 0: as it
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
    """The block's slide was left (its run is ended in `seconds`) or entered again (None)."""

    block: str
    seconds: float | None


class Warm(Message, frozen=True, tag="warm"):
    """A deck with demos is open: start the fork server unless it runs."""


class OpenPhones(Message, frozen=True, tag="open-phones"):
    """Serve the class's questions to browsers, or go on doing so; answered by `Phones`. Consoles only.

    Attributes:
        bind: Address of the one interface that is listened on.
        port: 0 for the one this class had, or one that is free.
        hosts: Names by which a tunnel or a reverse proxy is asked for the class, as `names.address_by` reads
            them; phones are shown the first.
        names: Phones ask for a name.
        teams: Teams that phones choose from; none: there are no teams.
        reactions: Phones may clap and the like.
        cert: File of a certificate chain, "" for plain HTTP; `key` the file of its key.
        open: Somebody new may come in.
        card: The room's screens show how to join.
        out: A seat to put out, by its name in the journal; "": none. `mute` one that may answer and no longer
            ask, or may again.
    """

    bind: str
    port: int = 0
    hosts: tuple[str, ...] = ()
    names: bool = False
    cert: str = ""
    key: str = ""
    open: bool = True
    card: bool = False
    out: str = ""
    teams: tuple[str, ...] = ()
    reactions: bool = False
    mute: str = ""


class ShutPhones(Message, frozen=True, tag="shut-phones"):
    """Serve no browser any more. Consoles only."""


class PickQuestion(Message, frozen=True, tag="pick-question"):
    """Let the room read what somebody asked (`shown`), only phones (`picked`), or nobody: it is done with.
    With the id 0 it is an answer that somebody typed, its words in `text`, or a `board` of many. Consoles
    only."""

    id: int
    do: Literal["shown", "picked", "done"]
    text: str = ""
    board: Board | None = None


class PhonePage(Message, frozen=True, tag="phone-page"):
    """What phones show from now on, JSON without a key that is not revealed. Consoles only.

    `pictures` are WebP, by the name that the page has for them (`phone_messages.ShowPage`).
    """

    body: bytes
    pictures: dict[str, bytes] = {}


class Status(Message, frozen=True, tag="status"):
    """Ask for a `Report`."""


class Shutdown(Message, frozen=True, tag="shutdown"):
    """End everything of this class, verify, then answer with a `Report`. Consoles only."""

    why: str = ""


FromScreen = (
    Attach
    | Publish
    | Act
    | Reply
    | Launch
    | StopRun
    | Steer
    | SetLink
    | Break
    | TakeXRay
    | Recall
    | RunSnippet
    | Keys
    | Seek
    | Keep
    | Warm
    | Point
    | RoomLook
    | OpenPhones
    | ShutPhones
    | PhonePage
    | PickQuestion
    | Status
    | Shutdown
)
