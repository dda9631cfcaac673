"""Orders to a rank while it trains: to wait, to go slowly, to be profiled, to pace its links, to break.

Orders arrive on the sender's thread, at any moment (`obey`). The training thread looks at them only between
two steps, so whatever is ordered happens before a whole step; links are paced at once.

**Holding** needs no common clock. A rank that hears of a hold promises to begin no step after the one it is
in, and reports that step with its next beat; the host answers with the newest step of any rank, up to which
all may go. So all stop before the same step, and none waits in a collective for one that is held.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from runtime.ranks import socket_pacing
from runtime.ranks.fail_safe import harmless
from runtime.ranks.slowed_rank import SlowedRank

MAX_ORDER = 4096  # bytes
FAULTS = ("desync", "seed", "oom", "disk")
now = time.monotonic


class RankAction(NamedTuple):
    """Something done once, before the next step; `amount` in bytes."""

    what: str
    amount: float


class Orders:
    """The orders of one rank. `obey` and `heard` are for the sender's thread, the rest for training's."""

    def __init__(self) -> None:
        self._news = threading.Condition()
        self._hold = 0  # its number; 0: there is none
        self._until = -1  # the last step it may begin
        self._begun = -1
        self._begun_at = 0.0
        self._pace_s = 0.0
        self.slowed = SlowedRank()
        self._faults: list[RankAction] = []
        self._x_ray: tuple[int, str] | None = None
        # Of a simulated one: bytes a second (0: any), seconds, ranks of each node.
        self.link: tuple[int, float, int] = 0, 0.0, 1

    @property
    def heard(self) -> int:
        """Number of the newest hold this rank has heard of."""
        return self._hold

    def obey(self, payload: bytes) -> None:
        """Take in one order, a JSON object. Raises `ValueError` on anything else."""
        order = json.loads(payload)
        if not isinstance(order, dict):
            raise ValueError(f"an order is an object, not {payload[:40]!r}")
        try:
            with self._news:
                self._take(order)
                self._news.notify()
        except (KeyError, TypeError) as error:
            raise ValueError(f"not an order: {payload[:80]!r}") from error

    def _take(self, order: dict[str, Any]) -> None:
        match order["do"]:
            case "steer":
                hold, until = int(order["hold"]), int(order["until"])
                # What was begun cannot be taken back. A hold that is known already is only prolonged.
                self._until = max(until, self._begun if hold != self._hold else self._until)
                self._hold, self._pace_s = hold, float(order["pace_s"])
            case "slow":
                self.slowed.seconds = float(order["seconds"])
            case "x-ray":
                self._x_ray = int(order["step"]), str(order["folder"])
            case "link":
                ends = {(int(own), int(other)) for own, other in order["ends"]}
                with harmless("hold links to a rate"):
                    socket_pacing.hold(ends, int(order["bytes_s"]))
            case "hold back":
                self.link = int(order["bytes_s"]), float(order["latency_s"]), int(order["each"])
            case str(what) if what in FAULTS:
                self._faults.append(RankAction(what, float(order["amount"])))
            case _:
                pass  # of a newer host

    def before(self, step: int, standing: Callable[[str], None]) -> list[RankAction]:
        """Wait until `step` may begin, and begin it; returns the actions to take on this rank first.

        `standing("held")` or `("paced")` is called whenever it has to wait.
        """
        with self._news:
            while True:
                left = self._begun_at + self._pace_s - now()
                if self._hold and step > self._until:
                    standing("held")
                    self._news.wait()
                elif left > 0:
                    standing("paced")
                    self._news.wait(left)
                else:
                    break
            self._begun, self._begun_at = step, now()
            faults, self._faults = self._faults, []
        return faults

    def x_ray(self) -> str | None:
        """Return the folder for an x-ray of the step begun last; None if it is another step's, "" if the
        order came too late."""
        if self._x_ray is None or self._begun < self._x_ray[0]:
            return None
        (step, folder), self._x_ray = self._x_ray, None
        return folder if step == self._begun else ""
