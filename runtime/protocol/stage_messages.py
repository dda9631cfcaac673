"""Orders between the host and its helper processes, the fork server and guardians: ranks to fork and to
kill, and what became of them. One order a frame (`runtime.protocol.framing`), as msgpack.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct


class Order(Struct, frozen=True, tag_field="is"):
    """Base of what goes over this socket, in both directions; its kind is the tag in the field `is`."""


class Fork(Order, frozen=True, tag="fork"):
    """Fork `world` ranks of a script. The listening store socket comes with this frame (SCM_RIGHTS).

    `env` is complete but for RANK and LOCAL_RANK, which the fork server sets in each child.
    """

    run: str
    generation: int
    world: int
    script: str
    argv: tuple[str, ...]
    env: dict[str, str]
    log_dir: str


class Kill(Order, frozen=True, tag="kill"):
    """End the ranks of one generation of a run, or a guardian's command; answered by `Exited`."""

    run: str
    generation: int


class Ready(Order, frozen=True, tag="ready"):
    """The fork server is warm: it has one OS thread (`fork_ok`), or says why it must not fork."""

    pid: int
    fork_ok: bool
    why: str
    torch: str
    seconds: float


class Forked(Order, frozen=True, tag="forked"):
    """The processes that were started, by rank; from a guardian the one pid of its command."""

    run: str
    generation: int
    pids: tuple[int, ...]


class Exited(Order, frozen=True, tag="exited"):
    """A rank ended. Rank -1 is what the ranks depend on: torchrun, or the keeper of forked ranks' store."""

    run: str
    generation: int
    rank: int
    pid: int
    code: int | None
    signal: int | None
    killed: bool = False  # after a Kill, by the stage


class Warming(Order, frozen=True, tag="warming"):
    """What the fork server imports at the moment."""

    what: str


AnyOrder = Fork | Kill | Ready | Forked | Exited | Warming

_decoder: msgspec.msgpack.Decoder[AnyOrder] = msgspec.msgpack.Decoder(AnyOrder)
_encoder = msgspec.msgpack.Encoder()


def encode(order: Order) -> bytes:
    """Return an order as msgpack, without the length that frames it."""
    return _encoder.encode(order)


def decode(payload: bytes) -> AnyOrder:
    """Unpack one order. Raises `msgspec.DecodeError` on anything else."""
    return _decoder.decode(payload)
