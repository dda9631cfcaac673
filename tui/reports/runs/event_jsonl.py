"""A line of JSON for each event of a run, as `--jsonl FILE` and `--jsonl -` have it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

import msgspec

from runtime.protocol.events import Event, as_dict
from tui.rendering.escape_filter import in_json


def opened(where: str) -> TextIO:
    """The file to write lines to, `-` being stdout. Raises `OSError` where it cannot be written."""
    return sys.stdout if where == "-" else Path(where).open("w", encoding="utf-8")


def write(events: Iterable[Event], to: TextIO) -> None:
    """Write a line an event, and see that it has gone. Raises `OSError` or `ValueError` where it cannot."""
    for event in events:
        to.write(in_json(msgspec.json.encode(as_dict(event)).decode()) + "\n")  # what is no number is null
    to.flush()


def give_up(broken: TextIO) -> None:
    """Close what can no longer be written: later it would fail once more, when the interpreter ends."""
    with contextlib.suppress(OSError):
        broken.close()
    if broken is sys.stdout:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123
