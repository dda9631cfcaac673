"""Where the film of a step stands: a step is over in no time, so it is shown slowed, again and again.

A run that goes on is followed from sampled step to sampled step: the next one is taken when this one is over.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from runtime.protocol.figures import Film
from runtime.protocol.messages import Snapshot

SHOWN_S = 6.0  # how long a step is shown at least
REST_S = 1.0  # how long its end stands
SLOWED = (1, 2, 3, 4, 5, 8, 10, 15, 20, 30, 40, 50, 80, 100, 150, 200, 300, 400, 500, 800, 1000)
LEAP = 1 / 40  # of a step, for a key


class Playing(NamedTuple):
    """A moment of a step: `at` seconds from its start, shown `slowed` times as long as it took."""

    film: Film
    at: float
    slowed: float
    paused: bool = False


class FilmClock:
    """That of the run on the slide shown."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._run: tuple[str, int] | None = None
        self._film: Film | None = None
        self._at = 0.0  # of the step, at `_since`
        self._since = 0.0
        self._pace = 0  # so many steps of `SLOWED` faster (or slower) than by itself
        self.paused = False

    def playing(self, snapshot: Snapshot) -> Playing | None:
        """Return the moment to show; None where the ranks have not told of a step."""
        newest, run = snapshot.film, (snapshot.run, snapshot.generation)
        if newest is None or newest.span_s <= 0:
            return None
        if self._film is None or run != self._run:
            self._begin(newest, run)
        assert self._film is not None
        if not self.paused:
            self._move()
            if self._at >= self._film.span_s + REST_S / self._slowed():
                self._begin(newest, run)
        return Playing(self._film, min(self._at, self._film.span_s), self._slowed(), self.paused)

    def toggle(self) -> None:
        """Stand, or go on; from its end begin again."""
        self._move()
        self.paused = not self.paused
        if not self.paused and self._film is not None and self._at >= self._film.span_s:
            self._at = 0.0

    def scrub(self, by: int) -> bool:
        """Stand, a little on or back. False where there is no more of the step that way."""
        self._move()
        self.paused = True
        span = self._film.span_s if self._film is not None else 0.0
        if self._at >= span if by > 0 else self._at <= 0.0:
            return False
        self._at = max(0.0, min(span, self._at + by * LEAP * span))
        return True

    def leave(self) -> None:
        """Have the newest step shown next, from its start, be it standing or not."""
        self._film = None

    def faster(self, by: int) -> None:
        """Show it faster by so many steps, slower by as many below 0."""
        self._move()
        before = self._slowed()
        self._pace += by
        if self._slowed() == before:  # there is no faster one, or no slower
            self._pace -= by

    def _begin(self, film: Film, run: tuple[str, int]) -> None:
        if run != self._run:
            self.paused, self._pace = False, 0
        self._film, self._run, self._at, self._since = film, run, 0.0, self._now()

    def _move(self) -> None:
        now = self._now()
        if not self.paused and self._film is not None:
            self._at += (now - self._since) / self._slowed()
        self._since = now

    def _slowed(self) -> int:
        span = self._film.span_s if self._film is not None else 1.0
        own = next((n for n, by in enumerate(SLOWED) if by * span >= SHOWN_S), len(SLOWED) - 1)
        return SLOWED[max(0, min(len(SLOWED) - 1, own - self._pace))]
