"""Recorded runs on disk: what `run.json` says, the events beside it, and which run somebody names.

A run is a folder with `run.json` and `events.jsonl.gz` (`runtime.recordings.recorder` writes both). A file
may be cut, of another version, or made by a stranger: all is bounded, what can be read is read, and the rest
is said. Which run is shown for one that was not named is `runtime.recordings.run_choice`.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from runtime import paths
from runtime.protocol.diagnosis_message import Diagnosis
from runtime.protocol.events import Event
from runtime.protocol.figures import Curve, Failure, Recovery
from runtime.recordings.recorded_events import MAX_LINE_BYTES, read_line

FORMAT = 1  # of a recorded run; a file with a higher one was written by a later version
SHIPPED = Path(__file__).parent / "shipped"
MAX_ABOUT_BYTES = 1 << 20
MAX_TEXT_BYTES = 1 << 30  # of events, uncompressed
MAX_RANKS = 4096
_CHUNK = 1 << 16


class Unreadable(Exception):
    """There is no recorded run to read: one sentence why."""


class Machine(Struct, frozen=True):
    """Where and with what a run was made. Nobody and no place on the network is named."""

    system: str = ""
    release: str = ""
    machine: str = ""
    cpu: str = ""
    cores: int | None = None
    python: str = ""
    teachrun: str | None = None
    torch: str | None = None

    def __str__(self) -> str:
        """`Linux x86_64, 2 cores, torch 2.13.0`."""
        cores = f"{self.cores} core{'' if self.cores == 1 else 's'}" if self.cores else ""
        torch = f"torch {self.torch}" if self.torch else ""
        named = f"{self.system} {self.machine}".strip()
        return ", ".join(word for word in (named, cores, torch) if word) or "an unnamed machine"


class Figures(Struct, frozen=True):
    """The key figures of a run, from its last snapshot: seconds, bytes, None for what is not known.

    `steps` is what every rank has done, `loss` the mean of the ranks' last losses, `step_s` their median
    step, `memory_bytes` the sum of the most of each kind on the rank where it is most, `peak_bytes` the most
    that one had at once. Bytes of a step are a rank's mean, but for
    `collective_bytes`, the payload of the newest one: what `runtime.metrics.collectives.byte_counts` calls
    payload, wire and theory.
    """

    steps: int | None = None
    loss: float | None = None
    tokens_per_s: float | None = None
    step_s: float | None = None
    overlap: float | None = None
    exposed_s: float | None = None
    equal: bool | None = None
    memory_bytes: int | None = None
    collective_bytes: int | None = None
    payload_bytes_step: int | None = None
    wire_bytes_step: int | None = None
    theory_bytes_step: int | None = None
    peak_bytes: int | None = None


class About(Struct, frozen=True):
    """`run.json`: what was asked for, where it ran, and, once it is over, what became of it.

    `asked_at` and `started` are one moment by the monotonic clock of the events and by the wall clock, in
    seconds. `state` is empty until the run is over: a file that keeps it so was cut off. `params` is what was
    written, `values` every parameter with its default. Unknown fields are skipped, missing ones are old.
    """

    run: str
    demo: str
    format: int = FORMAT
    block: str = ""
    params: dict[str, str] = {}
    values: dict[str, int | float | str | None] = {}
    ranks: Annotated[int, Meta(ge=1, le=MAX_RANKS)] | None = None
    steps: int | None = None
    started: float = 0.0
    asked_at: float | None = None
    badge: str = ""
    backend: str = ""
    device: str = ""
    bent: tuple[str, ...] = ()
    made_on: Machine = Machine()
    state: str = ""
    why: str = ""
    ran_s: float | None = None
    generation: int = 1
    faulted: bool = False  # somebody broke it on purpose
    phases: tuple[tuple[str, float], ...] = ()  # of the launch, before the ranks spoke
    figures: Figures = Figures()
    failures: tuple[Failure, ...] = ()  # of generations that others followed
    recoveries: tuple[Recovery, ...] = ()  # what became of each of them
    curve: Curve | None = None  # the loss, median of the ranks
    diagnosis: Diagnosis | None = None  # why its ranks stood still or failed

    @property
    def world(self) -> int:
        """How many ranks it had; files of the first versions have it among the values."""
        value = self.ranks or self.values.get("ranks")
        return value if isinstance(value, int) and 1 <= value <= MAX_RANKS else 1

    @property
    def made(self) -> str:
        """When, by the clock on the wall: `2026-11-21 04:10`; "" where it is not known."""
        try:
            return time.strftime("%Y-%m-%d %H:%M", time.localtime(self.started)) if self.started else ""
        except (OverflowError, ValueError, OSError):
            return ""


def read_about(folder: Path) -> About:
    """What `folder / run.json` says. Raises `Unreadable`."""
    file = folder / "run.json"
    try:
        with file.open("rb") as source:
            text = source.read(MAX_ABOUT_BYTES + 1)
    except FileNotFoundError:
        raise Unreadable("it is not a recorded run: it has no run.json") from None
    except NotADirectoryError:
        raise Unreadable(
            "it is not a recorded run: one is a folder with run.json and events.jsonl.gz"
        ) from None
    except OSError as error:
        raise Unreadable(f"its run.json cannot be read: {error.strerror or error}") from error
    if len(text) > MAX_ABOUT_BYTES:
        raise Unreadable("it is not a recorded run: its run.json is too large for one")
    try:
        version = msgspec.json.decode(text, type=_Format).format
        if version > FORMAT:
            raise Unreadable(
                f"a later teachrun recorded it (format {version}, this one reads up to {FORMAT}): "
                "install a newer teachrun"
            )
        return msgspec.json.decode(text, type=About)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise Unreadable(f"its run.json is not one of a run: {_one_line(error)}") from error


class _Format(Struct):
    format: int = FORMAT


def _one_line(error: Exception) -> str:
    return "".join(c if c.isprintable() else "?" for c in str(error))[:120]


class Events:
    """The events of a recorded run, in the order in which they came in, read as they are asked for.

    Iterate once; then `note` says what could not be read, "" when all of it was.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "events.jsonl.gz"
        self._skipped = 0
        self._trouble = ""

    @property
    def note(self) -> str:
        """What could not be read, and why; "" when all was, or before the events were iterated over."""
        lines = f"{self._skipped} line{'s' * (self._skipped != 1)} could not be read" if self._skipped else ""
        return "; ".join(word for word in (self._trouble, lines) if word)

    def __iter__(self) -> Iterator[Event]:
        for line in self._lines():
            event = read_line(line)
            if event is not None:
                yield event
            else:
                self._skipped += 1

    def _lines(self) -> Iterator[bytes]:
        rest = b""
        for text in self._text():
            *whole, rest = (rest + text).split(b"\n")
            yield from whole
            if len(rest) > MAX_LINE_BYTES:
                self._trouble = "what follows is not the events of a run"
                return
        if rest:
            self._trouble = self._trouble or "its last line is cut"

    def _text(self) -> Iterator[bytes]:
        """The file uncompressed, in pieces: one gzip member after the other, up to where it is cut."""
        total = 0
        try:
            with self._file.open("rb") as file:
                unzip, fed = zlib.decompressobj(wbits=31), False
                while chunk := file.read(_CHUNK):
                    while chunk:
                        fed = True
                        text = unzip.decompress(chunk, _CHUNK)
                        total += len(text)
                        if total > MAX_TEXT_BYTES:
                            self._trouble = f"only its first {MAX_TEXT_BYTES >> 20} MB are read"
                            return
                        yield text
                        chunk = unzip.unconsumed_tail
                        if unzip.eof:
                            chunk, fed = unzip.unused_data, False
                            unzip = zlib.decompressobj(wbits=31)
                if fed:
                    yield unzip.flush()
                    self._trouble = "its end is cut off"
        except FileNotFoundError:
            self._trouble = "it has no events"
        except zlib.error:
            self._trouble = (
                "from here on it is damaged" if total else "its events are damaged, or not those of a run"
            )
        except OSError as error:
            self._trouble = f"its events cannot be read: {error.strerror or error}"


# --- which run ------------------------------------------------------------------------------------------


def own() -> list[Path]:
    """The folders of all runs made here, the newest first (their names begin with the time)."""
    return sorted((d for d in paths.runs_dir().iterdir() if d.is_dir()), reverse=True)


def shipped() -> list[Path]:
    """The recordings that come with the lessons, by name."""
    return sorted(d for d in SHIPPED.iterdir() if d.is_dir()) if SHIPPED.is_dir() else []


def find(name: str, *, by_path: bool = False) -> Path:
    """The folder of the run that is meant: by its id or a unique beginning of it, `last`, the name of a
    shipped recording, or, where that is allowed, a path. Raises `Unreadable`."""
    mine = own()
    if name == "last":
        if not mine:
            raise Unreadable("no run was recorded here yet")
        return mine[0]
    for folder in (*mine, *shipped()):
        if folder.name == name:
            return folder
    if by_path and ("/" in name or Path(name).exists()):
        path = Path(name)
        return path.parent if path.name in ("run.json", "events.jsonl.gz") else path
    found = [folder for folder in mine if folder.name.startswith(name)]
    if len(found) == 1:
        return found[0]
    if not found:
        found = [folder for folder in shipped() if _id(folder) == name]
        if found:
            return found[0]
        raise Unreadable("no recorded run has this id; see `teachrun runs list`")
    raise Unreadable(f"{len(found)} runs begin so; write more of the id, such as {found[0].name}")


def _id(folder: Path) -> str:
    try:
        return read_about(folder).run
    except Unreadable:
        return ""
