"""Runs a demo on ranks forked from a warm stage, and holds what came out of it against what is promised."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

import pytest
from msgspec.structs import asdict
from stage_host import Receiver, StageHost

from runtime.catalog import registry
from runtime.catalog.registry import Launchable
from runtime.metrics.run_figures import figures
from runtime.metrics.store import RunStore
from runtime.protocol.events import AnyEvent, Collective, Done, Step
from runtime.protocol.figures import RankRow
from runtime.protocol.messages import Snapshot


@dataclass
class Ran:
    """A run that has ended well, as a panel and as its ranks saw it."""

    demo: Launchable
    snapshot: Snapshot
    events: list[AnyEvent]

    def figures(self, rank: int = 0) -> dict[str, object]:
        row = self.snapshot.rows[rank]
        return {name: getattr(row, name) for name in RankRow.__struct_fields__} | (row.result or {})

    def losses(self, rank: int) -> list[float | None]:
        return [e.loss for e in self.events if isinstance(e, Step) and e.rank == rank]

    def issued(self, step: int, rank: int = 0) -> tuple[Counter[str], Counter[str]]:
        """Calls and bytes of one step by collective."""
        calls: Counter[str] = Counter()
        size: Counter[str] = Counter()
        for e in self.events:
            if isinstance(e, Collective) and (e.rank, e.step) == (rank, step):
                calls[e.op] += 1
                size[e.op] += e.bytes
        return calls, size


Run = Callable[..., Ran]


def known(figure: int | None) -> int:
    assert figure is not None
    return figure


def as_promised(ran: Ran) -> None:
    """The key figures of every rank lie in the ranges declared beside the demo, and its step bars sum up."""
    promised = registry.DEMOS[ran.demo.name].expects(ran.demo.values)
    assert promised
    for row in ran.snapshot.rows:
        figures = ran.figures(row.rank)
        for name, (low, high) in promised.items():
            value = figures[name]
            assert isinstance(value, int | float), f"{name} of rank {row.rank} is {value}"
            assert low <= value <= high, f"{name} of rank {row.rank}"
        parts = [getattr(row, name) for name in ("data", "compute", "hidden", "exposed", "wait")]
        assert None not in parts and row.optimizer is not None and row.other is not None
        assert sum(parts) + row.optimizer + row.other == pytest.approx(row.step_s)
        assert row.step is not None and row.step + 1 == ran.demo.steps


def runner(host: StageHost) -> Run:
    """What the fixture `run` gives: `run("ddp", ranks=2, steps=4)`. What has run once is not run again, also
    where a parameter that has its default anyway is written out."""
    done: dict[tuple[str, str], Ran] = {}
    number = count()

    def run(name: str, **params: object) -> Ran:
        line = " ".join([name, *(f"{key}={value}" for key, value in sorted(params.items()))])
        demo = registry.check(name, {key: str(value) for key, value in params.items()})
        assert isinstance(demo, Launchable), demo
        asked = (name, repr(sorted(demo.values.items())))
        if asked in done:
            return done[asked]
        receiver = Receiver(host.folder / f"events{next(number)}")
        try:
            host.fork(line, receiver, *demo.argv, world=demo.ranks, nodes=demo.nodes, script=str(demo.script))
            exits = host.exits(line, world=demo.ranks)
            logs = "".join(host.printed(line, rank)[-2000:] for rank in exits)
            assert {(e.code, e.signal) for e in exits.values()} == {(0, None)}, logs
            deadline = time.monotonic() + 20
            while len(receiver.of(Done)) < demo.ranks:
                assert time.monotonic() < deadline, "a rank's last event did not arrive"
                time.sleep(0.01)
        finally:
            receiver.close()
        store = RunStore(demo.ranks)
        store.ingest_all(receiver.events)
        shown = figures(store, "gloo", registry.DEMOS[name].least(demo.values))
        snapshot = Snapshot(
            block="", run=line, generation=0, demo=name, params=demo.params, state="done", why="",
            world=demo.ranks, badge="", bent=(), backend="gloo", device="cpu", ran_s=0.0, budget_s=None,
            steps=demo.steps, **asdict(shown),
        )  # fmt: skip
        done[asked] = Ran(demo, snapshot, receiver.events)
        return done[asked]

    return run
