"""Carries out what people do to a run while it runs: hold it, break a rank, look into a step.

A run that cannot be held or broken says why, and stays as it was.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from runtime.catalog.params import Refusal
from runtime.protocol.events import ON_PURPOSE, Beat, Event, Fault, beat_s
from runtime.protocol.link_speeds import Speed
from runtime.protocol.messages import Break, SetLink, Steer, TakeXRay
from runtime.supervision.run import OVER, Run
from runtime.supervision.steering import injected_faults as harms

NOTICE_S = 0.2  # in which every rank has heard of an order, once a sign of life has told where it is


class Tell(Protocol):
    """Sends an order to one rank, or to all with `rank` None; False: nobody could be told."""

    def __call__(self, run: Run, order: Mapping[str, Any], rank: int | None = None) -> bool: ...


def standing(run: Run, rank: int) -> list[dict[str, Any]]:
    """Return the orders in force for a rank, sent when it connects or connects again."""
    x_ray = [x_ray_order(run)] if run.store.xrays.taking else []
    return [run.step_gate.order, *x_ray, *run.harms.orders(rank), *run.links.standing(rank)]


def nothing(run: Run, rank: int) -> list[dict[str, Any]]:
    """Return the orders in force for a rank of an agent's: those of its host, which come by themselves."""
    return []


def x_ray_order(run: Run) -> dict[str, Any]:
    """Return the order to look at the step that was agreed on."""
    return {"do": "x-ray", "step": run.store.xrays.step, "folder": str(run.log_dir.parent)}


class Control:
    """Carries out requests of consoles. `tell` sends an order to ranks, `take` records what was done."""

    def __init__(
        self, runs: Mapping[str, Run], tell: Tell, take: Callable[[Run, Iterable[Event]], None]
    ) -> None:
        self._runs, self._tell, self._take = runs, tell, take

    def heard(self, run: Run, events: Sequence[Event]) -> int:
        """Tell the ranks what follows from what they have said; returns how many of these are beats."""
        beats = [event for event in events if isinstance(event, Beat)]
        # One look at each, not `any`: all of them count.
        if beats and sum([run.step_gate.heard(beat) for beat in beats]):
            self._tell(run, run.step_gate.order)
        if run.links.concerned(events):
            self._pace_links(run)
        return len(beats)

    def obey(self, wish: Steer | SetLink | Break | TakeXRay) -> Refusal | None:
        """Carry out a request, or return why it cannot be."""
        run = self._runs.get(wish.block)
        if run is None or run.state in (*OVER, "stopping"):
            return Refusal("nothing runs here", "start it first")
        if run.demo.launcher == "simulated":
            return Refusal("a simulated run has no real ranks", "start a real one")
        match wish:
            case Steer():
                return self._steer(run, wish.steps, wish.pace_s)
            case SetLink():
                return self._set_link(run, wish.speed)
            case Break():
                return self._break(run, wish)
            case TakeXRay():
                return self._x_ray(run)

    def _steer(self, run: Run, steps: int | None, pace_s: float) -> Refusal | None:
        if not 0 <= pace_s <= harms.LONGEST_MS / 1000 or (steps is not None and not 0 <= steps <= 10**6):
            return Refusal("that is out of range", "write a pace of 0 to 60 s, or at most a million steps")
        run.let_go_at = time.monotonic()
        run.step_gate.steer(steps, pace_s)
        self._tell(run, run.step_gate.order)
        return None

    def _set_link(self, run: Run, speed: Speed) -> Refusal | None:
        if run.nodes is not None:
            return Refusal("a real network cannot be slowed", "simulate the nodes on this machine: nodes=2")
        refusal = run.links.refusal(speed)
        if refusal is None:
            run.links.speed = speed
            self._pace_links(run)
        return refusal

    def _pace_links(self, run: Run) -> None:
        for rank, order in run.links.orders(run.store):
            self._tell(run, order, rank)

    def _break(self, run: Run, wish: Break) -> Refusal | None:
        refusal = harms.refusal(wish.harm, wish.amount)
        if refusal is not None:
            return refusal
        rank, own, at = wish.rank, run.ranks.get(wish.rank), time.monotonic()
        there = run.nodes is not None and 0 <= rank < run.world and run.store.ranks[rank].pid > 0
        if (own is None and not there) or run.ended(rank):
            known = sorted(run.ranks) if run.nodes is None else range(run.world)
            living = ", ".join(str(r) for r in known if not run.ended(r))
            return Refusal(f"rank {rank} is not there to be broken", f"choose one of: {living or 'none'}")
        if wish.harm in harms.SIGNALS and own is not None:
            own.kill(harms.SIGNALS[wish.harm])
        elif wish.harm in harms.SIGNALS and run.nodes is not None:
            if not run.nodes.signal(rank, wish.harm):
                return Refusal(f"the machine of rank {rank} does not answer", "wait until it comes back")
        elif not self._tell(run, harms.order(wish.harm, wish.amount), rank):
            return Refusal(f"rank {rank} does not listen yet", "wait for its first step")
        run.faulted = True
        what = run.harms.note(rank, wish.harm, wish.amount, at)
        self._take(run, (Fault(run.id, run.generation, rank, at, what, ON_PURPOSE),))
        return None

    def _x_ray(self, run: Run) -> Refusal | None:
        """Of one step, the same on all ranks: one that none begins before it has heard of it."""
        if run.nodes is not None:
            return Refusal("traces stay on the machines of the ranks", "run it on this machine, nodes=2")
        step = run.step_gate.next_step
        if run.step_gate.until is None:
            notice_s = NOTICE_S + beat_s(run.world)
            step += math.ceil(notice_s / max(run.store.median_step_s or notice_s, run.step_gate.pace_s))
        run.store.xrays.order(step)
        self._tell(run, x_ray_order(run))  # who does not listen yet is told when it does
        return None
