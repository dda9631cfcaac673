"""Many ranks are divided together, and to the last bit as one by one: `partition` and `transfer_s` judge."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import pytest
from made_steps import G, R, ddp_step

from runtime.metrics.collectives.bandwidth import kinds_of, transfer_s
from runtime.metrics.collectives.waiting_time import Entered
from runtime.metrics.run_figures import figures
from runtime.metrics.steps import compare_ranks_on_a_step, many_ranks
from runtime.metrics.steps.step_breakdown import Parts, partition
from runtime.metrics.store import RunStore
from runtime.protocol.events import Beat, Collective, Event, Group, Step
from runtime.protocol.snapshot import RunFigures

WORLD = 96


def step_of(noise: random.Random, rank: int, step: int, calls: int, group: str) -> list[Event]:
    """A step of one rank as no program would make it: ends before begins, nothing exposed or all of it, ends
    that nobody saw, entries at the very same moment."""
    t0 = 100.0 + step
    phases = [noise.uniform(0, 0.2) for _ in range(5)]
    t = t0 + sum(phases)
    events: list[Event] = []
    for n in range(calls):
        issue = round(noise.uniform(t0, t), noise.choice([1, 2, 9]))
        done = round(issue + noise.uniform(-0.01, 0.3), noise.choice([1, 2, 9]))
        exposed = noise.choice([0.0, 0.0, 0.001, noise.uniform(0, 0.2)])
        end = None if noise.random() < 0.01 else done
        op = ("all-reduce", "all-gather", "all-reduce")[n % 3]
        seq, size = calls * step + n, 1000 * (n + 1)
        events.append(
            Collective(R, G, rank, t, seq, op, "0" if n % 2 else group, -1, size, step, issue, end, exposed)
        )
    events.append(Step(R, G, rank, t, step, t0, noise.uniform(1, 3), 64, *phases))
    return events


def made(seed: int, steps: int = 6) -> Iterator[Event]:
    """What many ranks say: in two groups beside that of all; some lose a collective, some are blind, some do
    transfers between two."""
    noise = random.Random(seed)
    halves = range(0, WORLD, 2), range(1, WORLD, 2)
    for rank in range(WORLD):
        yield Group(R, G, rank, 0.0, "0", "world", list(range(WORLD)))
        yield Group(R, G, rank, 0.0, f"h{rank % 2}", "mesh_half", list(halves[rank % 2]))
    yield Beat(R, G, 5, 1.0, "backward", 0, -1, -1, 0)  # cannot see its collectives
    for step in range(steps):
        calls = noise.choice([0, 1, 3, 7])
        for rank in range(WORLD):
            said = step_of(noise, rank, step, calls, f"h{rank % 2}")
            if noise.random() < 0.02 and len(said) > 1:
                del said[noise.randrange(len(said) - 1)]
            if step % 3 == 2 and rank < 4:  # in pairs, of which one sees the end
                other, op = rank ^ 1, "send" if rank % 2 else "receive"
                at = said[-1].t - 0.05
                said.insert(
                    0,
                    Collective(R, G, rank, at, 900 + step, op, "0", other, 77, step, at - 0.02, at, 0.01),
                )
            yield from said


def told(events: Sequence[Event]) -> tuple[RunFigures, list[tuple[Step, list[Entered], Parts]]]:
    compared: list[tuple[Step, list[Entered], Parts]] = []
    asked = RunStore(WORLD, 0.0, lambda step, entered, parts: compared.append((step, list(entered), parts)))
    drawn = RunStore(WORLD, 0.0)
    for store in (asked, drawn):
        for begin in range(0, len(events), 50):
            store.ingest_all(events[begin : begin + 50], 1.0)
    shown = figures(drawn, "gloo", now=2.0)
    assert shown == figures(asked, "gloo", now=2.0)
    return shown, compared


@pytest.mark.parametrize("seed", range(12))
def test_together_they_are_what_they_are_one_by_one(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    events = list(made(seed))
    together = told(events)
    monkeypatch.setattr(compare_ranks_on_a_step, "MANY", WORLD + 1)
    alone = told(events)
    assert together == alone
    assert len(alone[1]) == 6 * WORLD


def test_the_parts_of_each_rank_by_the_arithmetic_of_one_rank() -> None:
    noise = random.Random(1)
    reports, lasts, what = [], [], []
    for rank in range(200):
        *issued, step = step_of(noise, rank, 0, 4, "h")
        assert isinstance(step, Step)
        calls = [event for event in issued if isinstance(event, Collective)]
        reports.append((step, calls))
        lasts.append([c.t_issue + noise.choice([0.0, 0.01, 0.2]) for c in calls])
        what.append(tuple((c.op, c.group, c.bytes) for c in calls))
    divided = many_ranks.divide(reports, lasts, what, [True] * 200)
    found = 0
    for (step, calls), last, own, one in zip(reports, lasts, what, divided, strict=True):
        if one is None:
            continue
        found += 1
        parts, (kinds, seconds) = one
        entered = [Entered(c, at) for c, at in zip(calls, last, strict=True)]
        assert parts == partition(step, entered)
        of_kind = [
            [e for e in entered if (e.collective.op, e.collective.group) == kind] for kind, *_ in kinds
        ]
        assert list(seconds) == [transfer_s(those) for those in of_kind]
        assert kinds == kinds_of(own).sums
    assert found > 100  # and not: all of them left to be looked at one by one


@pytest.mark.parametrize("chains", [(2,), (3, 1), (1, 2, 4)])
def test_who_stood_for_several_at_once_is_divided_with_the_others(chains: tuple[int, ...]) -> None:
    """As at the end of backward, where one waits for bucket after bucket; other ranks stood for one each."""
    noise = random.Random(sum(chains))
    reports, lasts, what = [], [], []
    for rank in range(200):
        t0, calls, entered = 10.0, list[Collective](), list[float]()
        at = t0 + 0.3
        for chain in chains:
            issued = at + noise.uniform(-0.2, 0.01)
            for n in range(chain):
                stood = noise.uniform(0.0, 0.05)
                done = at + stood
                issue = min(issued + 0.001 * n, done) if rank % 3 else at
                last = issue + noise.choice([0.0, 0.02, 0.3])
                seq = len(calls)
                calls.append(
                    Collective(R, G, rank, done, seq, "all-reduce", "0", -1, 8, 0, issue, done, stood)
                )
                entered.append(last)
                at = done + noise.choice([0.0, 0.0004, 0.005])
            at += 0.1
        reports.append((Step(R, G, rank, at + 0.1, 0, t0, None, 0, 0.0, 0.3, at - t0 - 0.3, 0.1, 0.0), calls))
        lasts.append(entered)
        what.append(tuple((c.op, c.group, c.bytes) for c in calls))
    divided = many_ranks.divide(reports, lasts, what, [True] * 200)
    several = 0
    for (step, calls), last, one in zip(reports, lasts, divided, strict=True):
        assert one is not None
        assert one[0] == partition(step, [Entered(c, at) for c, at in zip(calls, last, strict=True)])
        several += one[0].wait != partition(step, [Entered(calls[0], last[0])]).wait
    assert several


def test_of_very_many_collectives_who_stood_for_several_at_once_is_looked_at_alone() -> None:
    t0 = 10.0
    step = Step(R, G, 0, t0 + 1.0, 0, t0, None, 0, 0.0, 0.3, 0.6, 0.1, 0.0)
    for number, alone in ((many_ranks.MOST_AT_ONCE, False), (many_ranks.MOST_AT_ONCE + 1, True)):
        calls = [
            Collective(R, G, 0, 11.0, n, "all-reduce", "0", -1, 8, 0, t0 + 0.4, t0 + 0.5 + 0.01 * n, 0.01)
            for n in range(number)
        ]
        what = tuple((c.op, c.group, c.bytes) for c in calls)
        entered = [t0 + 0.45] * len(calls)
        divided = many_ranks.divide([(step, calls)] * 20, [entered] * 20, [what] * 20, [True] * 20)
        assert [one is None for one in divided] == [alone] * 20


def test_the_steps_of_a_real_loop_are_divided_together() -> None:
    here = {
        rank: (step, [event])
        for event, step in zip(*[iter(ddp_step(0, WORLD, {3: 0.01}))] * 2, strict=True)
        if isinstance(event, Collective) and isinstance(step, Step)
        for rank in [step.rank]
    }
    what = [tuple((c.op, c.group, c.bytes) for c in calls) for _, calls in here.values()]
    last = max(calls[0].t_issue for _, calls in here.values())
    divided = many_ranks.divide(list(here.values()), [[last]] * WORLD, what, [True] * WORLD)
    assert None not in divided
