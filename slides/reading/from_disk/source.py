"""Reads the text of a deck's file, whatever its bytes."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

from slides.problems import Problem, did_you_mean, quoted

MAX_FILE = 64 * 1024 * 1024
WRITER_WITHIN_S = 3.0  # a pipe that nobody has opened to write until then is not waited for

_READ: dict[tuple[int, int], bytes] = {}  # what pipes held: they can be read once, and a command reads twice


class DeckError(Exception):
    """There is no deck to show: the file is missing, a directory, binary, empty or unreadable."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def read(path: Path) -> tuple[str, tuple[Problem, ...]]:
    """Return (text, what is wrong with its encoding) of the file at `path`; bad bytes become U+FFFD.

    Raises:
        DeckError: there is no readable text.
    """
    text, problems = _decode(_bytes(path), str(path))
    if not text.strip():
        raise DeckError(
            Problem(str(path), 1, "this file is empty", "Write a slide: `# Title`, and text below it.")
        )
    return text, problems


def normalise(text: str) -> str:
    """Return text as CommonMark reads it: `\\n` ends lines, NUL and lone surrogates are U+FFFD, no BOM."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    if not text.isascii():
        text = text.removeprefix("\ufeff").encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


class NoWriterError(OSError):
    """Nobody has opened a pipe to write into it: whoever reads it waits for ever."""

    def __init__(self) -> None:
        super().__init__("a pipe that nobody writes into")


def read_bytes(path: Path, most: int) -> bytes:
    """Return at most `most` bytes of a file; of a pipe (`<(command)`) what is written until its end, and the
    same again where nobody writes any more.

    Raises:
        OSError, ValueError: it cannot be read. NoWriterError: it is a pipe that nobody writes into.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        info = os.fstat(descriptor)
        os.set_blocking(descriptor, not stat.S_ISFIFO(info.st_mode))
        if os.get_blocking(descriptor):
            return file.read(most)
        known = info.st_dev, info.st_ino
        begun = _begun(descriptor, 0.0 if known in _READ else WRITER_WITHIN_S)
        if begun is not None:
            os.set_blocking(descriptor, True)
            _READ[known] = begun + file.read(most - len(begun))
        if known not in _READ:
            raise NoWriterError
        return _READ[known]


def _begun(pipe: int, within_s: float) -> bytes | None:
    """The first byte of a pipe; none where it is open to write and empty, and None where it is not open."""
    until = time.monotonic() + within_s
    while True:
        try:
            if begun := os.read(pipe, 1):
                return begun
        except BlockingIOError:  # only where there is a writer: without one a pipe is at its end
            return b""
        if time.monotonic() >= until:
            return None
        time.sleep(0.02)


def _bytes(path: Path) -> bytes:
    def error(message: str, mend: str) -> DeckError:
        return DeckError(Problem(str(path), 1, message, mend))

    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            deck = next((entry for entry in sorted(path.iterdir()) if entry.suffix == ".md"), None)
            example = f", for example {quoted(str(deck), 120)}" if deck else ""
            raise error("this is a directory, not a deck", f"Name the Markdown file in it{example}.")
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
            raise error("this is a device, not a deck", "Name a Markdown file.")
        data = read_bytes(path, MAX_FILE + 1)
    except NoWriterError:
        raise error("this is a pipe, and nothing writes into it", "Name a Markdown file.") from None
    except FileNotFoundError:
        near = _neighbour(path)
        mend = (
            f"Did you mean {quoted(near, 120)}?"
            if near
            else "Check the path, or leave it out for the built-in lesson."
        )
        raise error("there is no such file", mend) from None
    except PermissionError:
        raise error("this file may not be read", "Check its permissions.") from None
    except (OSError, ValueError) as reason:
        raise error(f"this file cannot be read: {quoted(str(reason), 80)}", "Check the path.") from None
    if len(data) > MAX_FILE:
        raise error(f"this file is larger than {MAX_FILE >> 20} MiB", "A deck is a Markdown file.")
    if _is_binary(data[:8192]):
        raise error("this is a binary file, not text", "A deck is a Markdown file in UTF-8.")
    return data


def _neighbour(path: Path) -> str:
    try:
        decks = [entry.name for entry in path.parent.iterdir() if entry.suffix == ".md" and entry.is_file()]
    except OSError:
        return ""
    names = {name.lower(): name for name in decks}
    near = did_you_mean(path.name, names)
    return str(path.with_name(names[near])) if near else ""


def _is_binary(sample: bytes) -> bool:
    """More than one byte in ten is not text: a control code, or no part of a UTF-8 character."""
    if sample.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    if sample.startswith(
        (b"\x7fELF", b"\x89PNG", b"%PDF", b"PK\x03\x04", b"\x1f\x8b", b"\xff\xd8\xff", b"GIF8")
    ):
        return True
    text = sample.decode("utf-8", "replace")
    odd = sum(c == "\ufffd" or (c < " " and c not in "\t\n\r\f\x1b") for c in text)
    return odd * 10 > len(text)


def _decode(data: bytes, path: str) -> tuple[str, tuple[Problem, ...]]:
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    try:
        return data.decode(encoding), ()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"byte 0x{data[error.start]:02x} is not {encoding.upper()}; it is shown as \ufffd"
        return data.decode(encoding, "replace"), (Problem(path, line, message, "Save the file as UTF-8."),)
