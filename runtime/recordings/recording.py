"""Reads a run from disk, with the time at which each of its events is due."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from runtime.protocol.events import Event, Log
from runtime.recordings import files
from runtime.recordings.files import About, Events

MAX_EVENTS = 300_000  # held in memory for one replay
_SLACK_S = 1.0  # an event later than its run by more than this was stamped by another clock


class Recording(NamedTuple):
    """A run read from disk. `due[n]` is when `events[n]` is shown, in seconds from `origin`, the first word
    of a rank by the clock of the events. `note` says what could not be read."""

    about: About
    events: list[Event]
    due: list[float]
    origin: float
    note: str

    @property
    def length_s(self) -> float:
        """Seconds from the beginning to the last event; 0 without events."""
        return self.due[-1] if self.due else 0.0


def load(folder: Path, most: int = MAX_EVENTS) -> Recording:
    """Read the run in `folder` with its first `most` events. Raises `Unreadable`; a damaged end is left out
    and noted."""
    about = files.read_about(folder)
    source, events, full = Events(folder), list[Event](), ""
    for event in source:
        if len(events) >= most:
            full = f"only its first {most:,} events are shown"
            break
        events.append(event)
    notes = (full or source.note, "" if about.state else "it was cut off before its end")
    origin, due = due_times(about, events)
    return Recording(about, events, due, origin, "; ".join(note for note in notes if note))


def due_times(about: About, events: list[Event]) -> tuple[float, list[float]]:
    """When each event is due. They are kept in the order in which they came: a time that goes back, or one by
    the clock of another machine, is as late as the event before it."""
    spoken = (event.t for event in events if event.rank >= 0 and not isinstance(event, Log))
    origin = next(spoken, about.asked_at or 0.0)
    end = float("inf")
    if about.asked_at is not None and about.ran_s is not None:
        end = about.asked_at + about.ran_s + _SLACK_S
    due, latest = [], 0.0
    for event in events:
        if latest < event.t - origin and event.t <= end:
            latest = event.t - origin
        due.append(latest)
    return origin, due
