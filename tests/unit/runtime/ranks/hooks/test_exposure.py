"""How long training stood still for communication, on made-up times and with stand-in works."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from runtime.ranks.hooks import collective_waits as module  # noqa: E402
from runtime.ranks.hooks.collective_hooks import nbytes, whole_bytes  # noqa: E402
from runtime.ranks.hooks.collective_waits import Collectives, Flight, exposure  # noqa: E402

times = st.floats(0, 100)


def test_one_bucket_is_exposed_from_its_issue_to_its_end() -> None:
    #   issue 10 ──────── 14 done, backward returns with it
    assert exposure(10, [14], 14) == [4]


def test_only_what_comes_after_the_last_issue_is_exposed() -> None:
    # bucket 0   5 ──── 8            hidden behind the rest of backward
    # bucket 1      7 ───── 11       1 s of it after the last issue
    # bucket 2         10 ────── 13
    assert exposure(10, [8, 11, 13], 13) == [0, 1, 2]


def test_a_report_that_comes_after_backward_returned_does_not_lengthen_it() -> None:
    assert exposure(10, [12, 15], 13) == [2, 1]


@given(times, st.lists(times, min_size=1).map(sorted), times)
def test_the_parts_are_the_whole(last_issue: float, done: list[float], returned: float) -> None:
    parts = exposure(last_issue, done, returned)
    assert all(p >= 0 for p in parts)
    whole = max(0.0, min(done[-1], returned) - last_issue)
    assert sum(parts) == pytest.approx(whole, abs=1e-9)


def test_bytes_of_nested_tensors() -> None:
    assert nbytes([torch.zeros(3), [torch.zeros(2, dtype=torch.float64)]]) == 12 + 16
    assert nbytes("text") == 0


def test_the_size_of_a_collective_is_the_same_on_all_its_ranks() -> None:
    one, four = torch.zeros(2), [torch.zeros(2)] * 4
    assert whole_bytes("all-gather", (four, one), 4) == 32
    assert whole_bytes("reduce-scatter", (one, four), 4) == 32
    assert whole_bytes("gather", ([four], [one]), 4) == whole_bytes("gather", ([], [one]), 4) == 32
    assert whole_bytes("scatter", ([one], [four]), 4) == whole_bytes("scatter", ([one], []), 4) == 32
    assert whole_bytes("all-reduce", ([one],), 4) == whole_bytes("broadcast", ([one],), 4) == 8
    assert whole_bytes("barrier", (one,), 4) == 0


class Work:
    """A collective that is done when the test says so."""

    def __init__(self) -> None:
        self.callbacks: list[Callable[[object], None]] = []

    def get_future(self) -> Work:
        return self

    def add_done_callback(self, callback: Callable[[object], None]) -> None:
        self.callbacks.append(callback)

    def done(self) -> None:
        for callback in self.callbacks:
            callback(self)


class NoFuture(Work):
    def get_future(self) -> Work:
        raise RuntimeError("not implemented")


class Clock:
    t = 0.0

    def __call__(self) -> float:
        return self.t


class Rig:
    """Collectives with a clock in the test's hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.clock = Clock()
        monkeypatch.setattr(module, "now", self.clock)
        self.sent: list[dict[str, Any]] = []
        self.following = Collectives(lambda **f: self.sent.append(f), lambda **f: None, lambda: 3)

    def issue(self, t: float, work: Work, *, reducer: bool) -> Flight:
        self.clock.t = t
        group = type("Group", (), {"group_name": "0", "group_desc": "default"})()
        flight = self.following.take_off("all-reduce", group, -1, 100, reducer=reducer)
        self.following.follow(flight, work)
        return flight

    def end(self, t: float, work: Work) -> None:
        self.clock.t = t
        work.done()


@pytest.fixture
def rig(monkeypatch: pytest.MonkeyPatch) -> Rig:
    return Rig(monkeypatch)


def test_buckets_of_a_backward_are_told_when_it_returns(rig: Rig) -> None:
    rig.following.backward_begins()
    one, two = Work(), Work()
    rig.issue(5, one, reducer=True)
    rig.end(8, one)
    rig.issue(10, two, reducer=True)
    assert rig.following.counts() == (2, 1)
    rig.end(13, two)
    assert rig.sent == []
    rig.following.backward_returned(13)
    assert [(e["seq"], e["t_done"], e["exposed"], e["step"]) for e in rig.sent] == [
        (0, 8, 0, 3),
        (1, 13, 3, 3),
    ]


def test_a_bucket_whose_news_are_late_ended_with_backward(rig: Rig) -> None:
    rig.following.backward_begins()
    work = Work()
    rig.issue(10, work, reducer=True)
    rig.following.backward_returned(14)
    assert [(e["t_done"], e["exposed"]) for e in rig.sent] == [(14, 4)]
    rig.end(15, work)
    assert len(rig.sent) == 1
    assert rig.following.counts() == (1, 1)


def test_waiting_in_python_is_exposed_from_the_wait_on(rig: Rig) -> None:
    work = NoFuture()
    flight = rig.issue(1, work, reducer=False)
    assert rig.sent == []
    flight.wait_from = 4
    rig.following.landed(flight, 6)
    assert [(e["t_issue"], e["t_done"], e["exposed"]) for e in rig.sent] == [(1, 6, 2)]


def test_done_before_anybody_waited_is_not_exposed(rig: Rig) -> None:
    work = Work()
    rig.issue(1, work, reducer=False)
    rig.end(2, work)
    assert [e["exposed"] for e in rig.sent] == [0]


def waited(rig: Rig, flight: Flight, since: float, until: float) -> None:
    rig.clock.t = since
    rig.following.waits(flight)
    rig.clock.t = until
    rig.following.waited(flight)


def test_fetched_in_a_backward_before_somebody_waits_is_not_exposed(rig: Rig) -> None:
    """FSDP's next block: done at 4, asked for at 6. The last issue of the backward has no part in it."""
    rig.following.backward_begins()
    early, late = Work(), NoFuture()
    fetched = rig.issue(2, early, reducer=False)
    rig.end(4, early)
    waited(rig, fetched, 6, 6)
    scattered = rig.issue(7, late, reducer=False)
    waited(rig, scattered, 7, 9)
    rig.following.backward_returned(10)
    assert [(e["t_done"], e["exposed"]) for e in rig.sent] == [(4, 0), (9, 2)]
    assert rig.following.counts() == (2, 2)


def test_an_asynchronous_one_that_outlives_backward_is_judged_by_its_own_wait(rig: Rig) -> None:
    rig.following.backward_begins()
    work = Work()
    flight = rig.issue(2, work, reducer=False)
    rig.following.backward_returned(5)
    assert rig.sent == []
    flight.wait_from = 7
    rig.end(9, work)
    assert [e["exposed"] for e in rig.sent] == [2]


def test_outside_backward_the_reducer_stands_waiting_from_the_issue(rig: Rig) -> None:
    one, two = Work(), Work()
    rig.issue(1, one, reducer=True)
    rig.issue(2, two, reducer=True)
    rig.end(4, one)
    rig.end(5, two)
    assert [e["exposed"] for e in rig.sent] == [3, 1]  # not counted twice


def test_every_group_counts_for_itself_and_transfers_apart(rig: Rig) -> None:
    def group(name: str) -> object:
        return type("Group", (), {"group_name": name, "group_desc": name})()

    take = rig.following.take_off
    seqs = [
        take("all-reduce", group("0"), -1, 1, reducer=False).seq,
        take("send", group("0"), 1, 1, reducer=False).seq,
        take("all-reduce", group("1"), -1, 1, reducer=False).seq,
        take("send", group("0"), 1, 1, reducer=False).seq,
        take("all-reduce", group("0"), -1, 1, reducer=False).seq,
    ]
    assert seqs == [0, 0, 0, 1, 1]
    assert rig.following.last == "all-reduce #1"


def functional(rig: Rig, t: float, work: Work, *storages: int) -> Flight:
    flight = rig.issue(t, work, reducer=False)
    rig.following.expect(flight, storages)
    return flight


def test_a_functional_collective_is_exposed_while_its_tensor_is_waited_for(rig: Rig) -> None:
    flight = functional(rig, 1, NoFuture(), 0xA, 0xB)
    assert rig.following.expected(0xA) is rig.following.expected(0xB) is flight
    waited(rig, flight, 4, 6)
    assert [(e["t_issue"], e["t_done"], e["exposed"]) for e in rig.sent] == [(1, 6, 2)]
    assert rig.following.expected(0xA) is rig.following.expected(0xB) is None


def test_memory_used_again_is_the_newer_collectives(rig: Rig) -> None:
    first, newer = (functional(rig, t, Work(), 0xA) for t in (1, 2))
    waited(rig, first, 3, 4)
    assert rig.following.expected(0xA) is newer


def test_a_functional_one_done_in_backward_before_its_wait_is_hidden(rig: Rig) -> None:
    """The reducer's rule, that all after the last issue is waiting, is not for it."""
    rig.following.backward_begins()
    asked, bucket = Work(), Work()
    functional(rig, 2, asked, 0xA)
    rig.issue(3, bucket, reducer=True)
    rig.end(6, bucket)
    rig.end(8, asked)
    rig.following.backward_returned(9)
    assert sorted((e["t_issue"], e["exposed"]) for e in rig.sent) == [(2, 0), (3, 3)]
    assert rig.following.expected(0xA) is None


def test_when_a_transfer_ended_that_nobody_stood_for_is_not_known(rig: Rig) -> None:
    """gloo tells the end of a send or receive to who waits for it only: later is no news of when."""
    posted = rig.issue(1, NoFuture(), reducer=False)
    waited(rig, posted, 7, 7.00001)
    assert [(e["t_issue"], e["t_done"], e["exposed"]) for e in rig.sent] == [(1, None, 0.0)]
    assert rig.following.counts() == (1, 1)
    at_once = rig.issue(8, NoFuture(), reducer=False)
    waited(rig, at_once, 8, 8.00001)  # a call that returns with the result: as long as it took
    assert rig.sent[1]["t_done"] == 8.00001
