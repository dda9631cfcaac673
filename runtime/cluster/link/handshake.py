"""How an agent and the host show each other that they know the same token, before either decodes anything.

Three frames of fixed length (`runtime.protocol.framing` puts their length in front):

1. host: `MAGIC`, 32 random bytes
2. agent: `MAGIC`, the number of its invitation (8 bytes), its node (2 bytes), 32 random bytes, an HMAC
3. host: an HMAC

Both are HMAC-SHA256 (RFC 2104) with the token as key, over both sides' random bytes, what is claimed, and who
speaks: an answer that was heard once fits no other challenge, and none can be sent back to who made it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import struct
from typing import NamedTuple

MAGIC = b"teachrn3"
RANDOM = 32  # bytes
MOST = 128  # bytes of a frame of a handshake
WITHIN_S = 5.0  # a connection that has not shown by then who it is, is closed
_ANSWER = struct.Struct(f"<8s8sH{RANDOM}s32s")
ANSWER = _ANSWER.size  # bytes of an agent's frame


class Stranger(Exception):
    """The other end does not know the token, or does not speak this protocol. Say nothing more to it."""


class Claim(NamedTuple):
    """Which invitation an agent says that it has, and which node it says that it is: not yet shown."""

    invitation: bytes
    node: int
    random: bytes
    mac: bytes


def challenge() -> bytes:
    """Return the first frame, another one for each connection."""
    return MAGIC + secrets.token_bytes(RANDOM)


def answer(token: bytes, invitation: bytes, node: int, challenged: bytes) -> tuple[bytes, bytes]:
    """Return an agent's frame and the host's that it has to wait for. Raises `Stranger`."""
    if len(challenged) != len(MAGIC) + RANDOM or not challenged.startswith(MAGIC):
        raise Stranger("the host does not speak this protocol, or another version of it")
    random = secrets.token_bytes(RANDOM)
    theirs = challenged[len(MAGIC) :]
    mac = _mac(token, b"agent", invitation, node, theirs, random)
    proof = _mac(token, b"host", invitation, node, theirs, random)
    return _ANSWER.pack(MAGIC, invitation, node, random, mac), proof


def claim(frame: bytes) -> Claim:
    """Take an agent's frame apart. Raises `Stranger`."""
    if len(frame) != ANSWER or not frame.startswith(MAGIC):
        raise Stranger("not an answer")
    return Claim(*_ANSWER.unpack(frame)[1:])


def proof(token: bytes, claimed: Claim, challenged: bytes) -> bytes:
    """Return the host's frame for an agent that has shown that it knows the token. Raises `Stranger`."""
    theirs = challenged[len(MAGIC) :]
    mac = _mac(token, b"agent", claimed.invitation, claimed.node, theirs, claimed.random)
    if not hmac.compare_digest(mac, claimed.mac):
        raise Stranger("another token")
    return _mac(token, b"host", claimed.invitation, claimed.node, theirs, claimed.random)


def same(proof: bytes, heard: bytes) -> bool:
    """Whether the host has shown that it knows the token; takes equally long for every wrong one."""
    return hmac.compare_digest(proof, heard)


def _mac(token: bytes, who: bytes, invitation: bytes, node: int, hosts: bytes, agents: bytes) -> bytes:
    said = b"".join((MAGIC, who.ljust(8), invitation, struct.pack("<H", node), hosts, agents))
    return hmac.new(token, said, hashlib.sha256).digest()
