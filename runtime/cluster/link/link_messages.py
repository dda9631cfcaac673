"""What an agent and the host say to each other once they know each other: one msgpack object a frame.

An agent's `Events` and `Ended` have numbers that count up from 1; the host answers with the newest number
that it has taken in and recorded, and first of all to `Here`: an agent sends again what is newer, and nothing
before that answer.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

MOST = 8 << 20  # bytes of a frame


class Message(Struct, frozen=True, tag_field="is"):
    """Base of all messages of the link."""


class Here(Message, frozen=True, tag="here"):
    """An agent's first word. `session` is random, one for each start of an agent: the same one comes back
    with what it still has, another one has nothing of the old one's. It was started for so many `nodes` of so
    many `ranks` each; `torch` is the version that it has, `gpus` the models of its GPUs."""

    session: str
    pid: int
    machine: str
    nodes: int
    ranks: int
    torch: str = ""
    gpus: tuple[str, ...] = ()


class Events(Message, frozen=True, tag="events"):
    """Events of the ranks of one node, times by the host's clock.

    `drawn` are those that a panel needs (`runtime.protocol.rank_decoder`), `recorded` are all of them as they
    are recorded (`runtime.recordings.recorder.member`): the host looks whether all are lines of this node's,
    and writes them down as they are.
    """

    number: int
    generation: int
    drawn: bytes
    recorded: bytes


class Ended(Message, frozen=True, tag="ended"):
    """A node's part of a generation is over and its ranks are gone, but for `left`.

    `state` is that of a run, `why` in words; `rank` failed first of those here; `victim`: it complains only
    that one of another node is gone.
    """

    number: int
    generation: int
    state: str
    why: str
    rank: int | None
    victim: bool
    left: int = 0


class Ping(Message, frozen=True, tag="ping"):
    """Asks for the host's clock. `ahead` is what the agent knows of it so far, `within` how sure that is;
    `at_work`: since the last one a rank of this node ran, or waited for a processor or a disk."""

    sent: float
    ahead: float | None = None
    within: float | None = None
    at_work: bool = False


class Begin(Message, frozen=True, tag="begin"):
    """Start this generation of `run` on your node; all nodes meet at `host` and `port`; with host "" each
    was told where by who started it."""

    run: str
    generation: int
    host: str
    port: int


class Order(Message, frozen=True, tag="order"):
    """An order for a rank (`runtime.ranks.rank_orders`), for all of the node with None."""

    rank: int | None
    order: dict[str, Any]


class Signal(Message, frozen=True, tag="signal"):
    """Send a rank the signal of a harm that was asked for (`steering/injected_faults.py`, SIGNALS)."""

    rank: int
    harm: str


class Kill(Message, frozen=True, tag="kill"):
    """End your ranks of this generation."""

    generation: int


class Over(Message, frozen=True, tag="over"):
    """There is nothing more to do: end your ranks, and yourself."""


class Taken(Message, frozen=True, tag="taken"):
    """All numbers up to this one are recorded: forget them."""

    number: int


class Pong(Message, frozen=True, tag="pong"):
    """The host's clock `at` the moment when a `Ping` came that was `sent` by the agent's; `taken` as in
    `Taken`."""

    sent: float
    at: float
    taken: int = 0


FromAgent = Here | Events | Ended | Ping
FromHost = Begin | Order | Signal | Kill | Over | Taken | Pong


class Unreadable(Exception):
    """Who knows the token has sent what is no message: another version, or a fault of ours."""


_encoder = msgspec.msgpack.Encoder()
_from_agent: msgspec.msgpack.Decoder[FromAgent] = msgspec.msgpack.Decoder(FromAgent)
_from_host: msgspec.msgpack.Decoder[FromHost] = msgspec.msgpack.Decoder(FromHost)


def encode(message: Message) -> bytes:
    """Return the payload of one frame."""
    return _encoder.encode(message)


def from_agent(payload: bytes) -> FromAgent:
    """Raises `Unreadable` and nothing else."""
    try:
        return _from_agent.decode(payload)
    except (ValueError, RecursionError, msgspec.MsgspecError) as error:
        raise Unreadable(str(error)) from error


def from_host(payload: bytes) -> FromHost:
    """Raises `Unreadable` and nothing else."""
    try:
        return _from_host.decode(payload)
    except (ValueError, RecursionError, msgspec.MsgspecError) as error:
        raise Unreadable(str(error)) from error
