"""What people ask of this rank while it trains: to wait, to go slowly, to be looked at, to break.

Orders come in on the sender's thread, at any moment (`obey`). The training thread looks at them between two
steps only, so whatever is asked for happens before a step as a whole.

**Holding** needs no clock in common. A rank that hears of a hold promises to begin no step but the one it is
in, and says with its next beat which that is; the host answers with the newest step of any rank, and up to
that step all may go. So all of them stop before the same step, and nobody waits in a collective for one that
stands.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

MAX_ORDER = 4096  # bytes
DEEDS = ("desync", "seed", "oom", "disk")
now = time.monotonic


class RankAction(NamedTuple):
    """Something done once, before the next step; `amount` in bytes."""

    what: str
    amount: float


class Orders:
    """The orders of one rank. `obey` and `heard` belong to the sender's thread, the rest to training."""

    def __init__(self) -> None:
        self._news = threading.Condition()
        self._hold = 0  # its number; 0: there is none
        self._until = -1  # the last step it may begin
        self._begun = -1
        self._begun_at = 0.0
        self._pace_s = self._slow_s = 0.0
        self._deeds: list[RankAction] = []
        self._x_ray: tuple[int, str] | None = None

    @property
    def heard(self) -> int:
        """The number of the hold that this rank keeps to."""
        return self._hold

    def obey(self, payload: bytes) -> None:
        """Take one order, a JSON object. Raises `ValueError` on what is none."""
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
                self._slow_s = float(order["seconds"])
            case "x-ray":
                self._x_ray = int(order["step"]), str(order["folder"])
            case str(what) if what in DEEDS:
                self._deeds.append(RankAction(what, float(order["amount"])))
            case _:
                pass  # of a newer host

    def before(self, step: int, standing: Callable[[str], None]) -> list[RankAction]:
        """Wait until `step` may begin, and begin it; returns what is to be done to this rank first.

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
            deeds, self._deeds = self._deeds, []
        return deeds

    def drag(self) -> None:
        """Be as slow as somebody asked for, inside the step. It is said beside the badge."""
        if self._slow_s > 0:
            time.sleep(self._slow_s)

    def x_ray(self) -> str | None:
        """The folder for an x-ray of the step begun last; None where it is not the one; "" where the order
        for one came too late."""
        if self._x_ray is None or self._begun < self._x_ray[0]:
            return None
        (step, folder), self._x_ray = self._x_ray, None
        return folder if step == self._begun else ""
