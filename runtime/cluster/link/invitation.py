"""What an agent must have to come to a run: where the host is, the token, and the host's certificate.

It is a secret: a file that only its owner may read, or a line on standard input, never a word of a command.
"""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

import msgspec

from runtime.atomic_write import whole
from runtime.catalog.params import Refusal, printable

TOKEN = 32  # bytes
LONGEST = 1 << 16  # bytes, as JSON


class Invitation(msgspec.Struct, frozen=True):
    """`address` is `HOST:PORT` for a connection by TLS, or the path of a socket that `ssh -R` leads here.

    `number` and `token` are hexadecimal; `certificate` is PEM, "" for a socket.
    """

    address: str
    number: str
    token: str
    certificate: str = ""

    @property
    def path(self) -> str:
        """The path of the socket, "" where it is to be reached by TLS."""
        return self.address if self.address.startswith("/") else ""

    @property
    def endpoint(self) -> tuple[str, int]:
        """Host and port. Raises `ValueError` where the address has none."""
        host, _, port = self.address.rpartition(":")
        return host.strip("[]"), int(port)


def invite(address: str, certificate: str = "") -> Invitation:
    """Return an invitation with a token that nobody else has."""
    return Invitation(address, secrets.token_hex(8), secrets.token_hex(TOKEN), certificate)


def line(invitation: Invitation) -> bytes:
    """Return it as one line."""
    return msgspec.json.encode(invitation) + b"\n"


def read(text: bytes, where: str) -> Invitation | Refusal:
    """Read an invitation; `where` it stands is for the refusal."""
    try:
        found = msgspec.json.decode(text, type=Invitation)
        if len(bytes.fromhex(found.token)) != TOKEN or len(bytes.fromhex(found.number)) != 8:
            raise ValueError
        if not found.path:
            host, port = found.endpoint
            if not host or not 0 < port < 1 << 16 or not found.certificate:
                raise ValueError
    except (ValueError, msgspec.MsgspecError):
        return Refusal(f"{where} is not an invitation", "take the file that the host has written")
    return found


def read_file(path: str) -> Invitation | Refusal:
    """Read the file of an invitation. One that others may read is refused: they could have the token."""
    shown = printable(path)
    try:
        with Path(path).open("rb") as file:
            info = os.fstat(file.fileno())
            if info.st_mode & (stat.S_IRWXG | stat.S_IRWXO) or info.st_uid not in (os.getuid(), 0):
                return Refusal(
                    f"others may read {shown}", f"chmod 600 {shown}, and let the host write a new one"
                )
            text = file.read(LONGEST + 1)
    except OSError as error:
        return Refusal(f"{shown} cannot be read: {error.strerror}", "copy it here from the host's machine")
    return read(text, shown)


def write_file(path: Path, invitation: Invitation) -> None:
    """Write it for its owner alone. Raises `OSError`."""
    with whole(path, 0o600) as file:
        file.write(line(invitation))
