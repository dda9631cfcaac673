"""Events of another machine by the host's clock: every moment moves, no duration does."""

from __future__ import annotations

from typing import get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.agent.host_events import as_the_hosts
from runtime.cluster.link.clock import KEPT_S, Clock
from runtime.protocol.events import (
    AnyEvent,
    Beat,
    Collective,
    Event,
    Hello,
    Memory,
    Moments,
    Span,
    Step,
    XRay,
)

EVENTS: list[tuple[Event, set[str]]] = [
    (Step("l", 1, 3, 10.0, 4, 9.0, 1.5, 64, 0.1, 0.2, 0.3, 0.1, 0.3), {"t", "t0"}),
    (Collective("l", 1, 3, 10.0, 7, "all_reduce", "g", -1, 8, 4, 9.5, 10.0, 0.2), {"t", "t_issue", "t_done"}),
    (Collective("l", 1, 3, 10.0, 7, "all_reduce", "g", -1, 8, 4, 9.5, None, 0.2), {"t", "t_issue"}),
    (Span("l", 1, 3, 10.0, "F", 0, 1, 0, 4, 9.0, 9.5), {"t", "t0", "t1"}),
    (Beat("l", 1, 3, 10.0, "train", 4, 1, 1, 0, since=9.0), {"t", "since"}),
    (Beat("l", 1, 3, 10.0, "train", 4, 1, 1, 0), {"t"}),  # since 0: it stands in nothing
    (Hello("l", 1, 3, 10.0, 1, 1, 1, 4, 99, "cpu", "gloo", 10.0, 1.7e9, "msgpack"), {"t", "mono"}),
    (Memory("l", 1, 3, 10.0, 4, 1, 2, 3, 4, 5, 6, 7, 8, 9), {"t"}),
]


@pytest.mark.parametrize(("event", "moments"), EVENTS)
@given(ahead=st.floats(-1e6, 1e6))
def test_moments_move_and_nothing_else_does(event: Event, moments: set[str], ahead: float) -> None:
    moved = as_the_hosts(event, "host's", 5, ahead)
    assert (moved.run, moved.generation, moved.rank) == ("host's", 5, 3)
    for name in event.__struct_fields__:
        before, after = getattr(event, name), getattr(moved, name)
        if name in moments:
            assert after == before + ahead
        elif name not in ("run", "generation"):
            assert after == before


def test_lists_of_moments_move_too() -> None:
    held = as_the_hosts(Moments("l", 1, 0, 2.0, 4, [1.0, 1.5], [1, 2], [3, 4], [5, 6]), "h", 1, 10.0)
    assert isinstance(held, Moments) and held.at == [11.0, 11.5]
    seen = as_the_hosts(
        XRay("l", 1, 0, 2.0, 4, 1.0, 2.0, None, "f", "", [("F", 1.0, 1.5, "x")]), "h", 1, 10.0
    )
    assert isinstance(seen, XRay)
    assert (seen.t0, seen.t1, seen.marks) == (11.0, 12.0, [("F", 11.0, 11.5, "x")])


MOMENTS = {"t", "t0", "t1", "t_issue", "t_done", "since", "mono"}
# Durations, sizes and rates, and the wall clock, which is another machine's to keep right.
OTHERS = {"data", "forward", "backward", "optimizer", "other", "exposed", "wall", "loss", "grad_norm",
          "share", "util", "watt", "celsius"}  # fmt: skip


def test_a_number_that_is_added_to_an_event_is_known_as_a_moment_or_not() -> None:
    named = {
        name
        for event in get_args(AnyEvent)
        for name, kind in get_type_hints(event).items()
        if float in (kind, *get_args(kind)) and get_origin(kind) not in (list, dict)
    }
    assert named == MOMENTS | OTHERS
    assert {name for _, moments in EVENTS for name in moments} == MOMENTS


TRIPS = st.lists(st.tuples(st.floats(0.0, 0.5), st.floats(0.0, 0.5)), min_size=1, max_size=20)


@given(TRIPS, st.floats(-1e3, 1e3))
def test_the_true_difference_lies_within_what_is_said(ways: list[tuple[float, float]], ahead: float) -> None:
    clock, now = Clock(), 0.0
    for there, back in ways:
        clock.heard(now, now + there + ahead, now + there + back)
        now += there + back + 0.01
    known = clock.difference
    assert known is not None
    assert abs(known.ahead - ahead) <= known.within + 1e-9


def test_what_was_measured_long_ago_is_forgotten() -> None:
    clock = Clock()
    clock.heard(0.0, 5.0, 0.001)
    clock.heard(KEPT_S + 1, KEPT_S + 7, KEPT_S + 1.1)
    assert clock.difference is not None
    assert clock.difference.within == pytest.approx(0.05)
    clock.heard(3.0, 1.0, 2.0)  # an answer from before the question is none
    assert clock.difference.within == pytest.approx(0.05)
