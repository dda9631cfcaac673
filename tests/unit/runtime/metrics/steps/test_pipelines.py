"""Pipelines from what ranks report: recognised by their order, figures moved by known causes."""

from __future__ import annotations

import random
from itertools import chain

import made_pipelines as made
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_steps import snap
from msgspec.structs import replace

from runtime.metrics.steps import pipeline, pipeline_schedules
from runtime.metrics.steps.pipeline_schedules import SCHEDULES, Shape
from runtime.metrics.store import RunStore
from runtime.protocol.events import Collective, Done, Group, Span, Step

SHAPES = [
    ("gpipe", Shape(4, 8)),
    ("1f1b", Shape(4, 8)),
    ("1f1b", Shape(2, 3)),
    ("interleaved", Shape(4, 8, 2)),
    ("interleaved", Shape(3, 4, 3)),
    ("zero-bubble", Shape(4, 8)),
    ("zero-bubble", Shape(4, 4, 2)),
    ("zbv", Shape(4, 8, 2)),
]


@pytest.mark.parametrize(("name", "shape"), SHAPES)
def test_a_schedule_is_known_by_its_order(name, shape):
    """However long its pieces and transfers take, whatever the spans' order of arrival."""
    spans = made.spans(name, shape, noise=2.0, transfer=0.5)
    for rank in spans:
        random.Random(1).shuffle(rank)
    seen = pipeline.measured(12, spans)
    assert seen is not None and seen.schedule == SCHEDULES[name].title
    assert seen.theory == pipeline_schedules.grid(name, shape)
    assert seen.live == seen.theory_live
    assert seen.bubble is not None and seen.bubble_ideal == pytest.approx(seen.bubble / (1 - seen.bubble))


@pytest.mark.parametrize(("name", "shape"), SHAPES)
def test_without_disturbance_measured_is_theory(name, shape):
    seen = pipeline.measured(12, made.spans(name, shape))
    assert seen is not None
    assert seen.bubble == pytest.approx(seen.theory_bubble)
    assert seen.bubble_ideal == pytest.approx(seen.theory_bubble_ideal)
    assert seen.span_s == pytest.approx(seen.theory_span * made.FORWARD_S / shape.chunks)


def test_the_formulas_come_where_they_hold():
    def formulas(name: str, *shape: int) -> tuple[str, ...]:
        seen = pipeline.measured(0, made.spans(name, Shape(*shape)))
        assert seen is not None
        return seen.formulas

    assert formulas("gpipe", 4, 8) == ("(p-1)/(m+p-1)", "(p-1)/m")
    assert formulas("interleaved", 4, 8, 2) == ("(p-1)/(vm+p-1)", "(p-1)/vm")
    assert formulas("zero-bubble", 4, 8) == ()


def test_a_stage_that_takes_longer_makes_the_others_wait():
    """One more unit in each piece of the last stage: 2/3 of a step more work there, none elsewhere."""
    spans = made.spans("gpipe", Shape(4, 8))
    even = pipeline.measured(0, spans)
    # GPipe's last rank never waits between its pieces: drawn out they still follow each other.
    last = spans[3]
    t, slow = last[0].t0, []
    for span in last:
        length = (span.t1 - span.t0) * 2
        slow.append(replace(span, t0=t, t1=t + length))
        t += length
    shifted = [
        [replace(s, t0=s.t0 + t, t1=s.t1 + t) if s.kind == "B" else s for s in rank] for rank in spans[:3]
    ]
    seen = pipeline.measured(0, [*shifted, slow])
    assert even is not None and seen is not None and even.bubble is not None
    assert seen.bubble is not None and seen.bubble > even.bubble
    assert seen.theory_bubble == even.theory_bubble


def test_lost_pieces_leave_no_figure():
    spans = made.spans("1f1b", Shape(4, 8))
    for lost in ((0, 0), (2, 7), (3, 15)):
        rank, at = lost
        seen = pipeline.measured(0, [s[:at] + s[at + 1 :] if n == rank else s for n, s in enumerate(spans)])
        assert seen is not None and sum(map(len, seen.lanes)) == 63
        assert (seen.bubble, seen.bubble_ideal, seen.schedule, seen.theory) == (None, None, "", ())


def test_an_order_of_its_own_is_shown_without_theory():
    """Micro-batches backward in the opposite order, as when somebody writes a schedule."""
    spans = made.spans("gpipe", Shape(2, 4))
    backward = [[replace(s, microbatch=3 - s.microbatch) if s.kind == "B" else s for s in r] for r in spans]
    seen = pipeline.measured(0, backward)
    assert seen is not None and seen.bubble == pytest.approx(1 / 5)
    assert seen.schedule == "" and seen.theory_bubble is None and seen.theory_live == ()


def test_replicas_of_a_stage_have_the_same_theory():
    """Data parallel across pipelines: ranks 0 1 and 2 3 are two pipelines of two stages."""
    one = made.spans("1f1b", Shape(2, 4))
    seen = pipeline.measured(0, [*one, *one])
    assert seen is not None and seen.schedule == "1F1B"
    assert seen.theory == pipeline_schedules.grid("1f1b", Shape(2, 4)) * 2
    assert [seen.bubble, seen.theory_bubble] == pytest.approx([1 / 5] * 2)


def test_a_rank_outside_the_pipeline_stays_empty():
    seen = pipeline.measured(0, [[], *made.spans("1f1b", Shape(2, 4))])
    assert seen is not None and seen.lanes[0] == () and seen.theory[0] == ()
    assert seen.bubble == pytest.approx(1 / 5)


def test_a_spans_of_a_script_is_no_piece():
    own = Span("r", 0, 0, 2.0, "checkpoint", 0, -1, 0, 3, 1.0, 2.0)
    assert not pipeline.is_piece(own) and pipeline.measured(3, [[own]]) is None


pieces = st.builds(
    Span, st.just("r"), st.just(0), st.integers(0, 3), st.just(0.0), st.sampled_from("FBIWx"),
    st.integers(-1, 5), st.integers(-1, 9), st.just(0), st.just(0), st.floats(0, 9), st.floats(0, 9),
)  # fmt: skip


@given(st.lists(st.lists(pieces, max_size=12), min_size=1, max_size=4))
def test_any_spans_give_a_picture_or_none(spans):
    seen = pipeline.measured(0, spans)
    known = [s for s in chain(*spans) if pipeline.is_piece(s)]
    assert (seen is None) == (not known)
    assert seen is None or sum(map(len, seen.lanes)) == len(known)


# --- in the store -----------------------------------------------------------------------------------------


def told(step: int, name: str = "1f1b", world: int = 4) -> list[list[Span]]:
    return made.spans(name, Shape(world, 8), step=step)


def step_event(rank: int, step: int) -> Step:
    return Step("r", 0, rank, 1001.0 + step, step, 1000.0 + step, None, 0, 0.0, 0.0, 0.0, 0.0, 1.0)


def newest(store: RunStore):
    return snap(store, now=None).pipeline


def test_a_step_is_shown_once_every_rank_has_reported_it():
    store = RunStore(4)
    for rank, spans in enumerate(told(0)):
        assert newest(store) is None
        store.ingest_all([*spans, step_event(rank, 0)])
    assert newest(store).step == 0 and newest(store).schedule == "1F1B"
    store.ingest_all(told(1, "gpipe")[0])
    assert newest(store).step == 0
    for rank, spans in enumerate(told(1, "gpipe")):
        store.ingest_all([*(spans if rank else ()), step_event(rank, 1)])
    assert newest(store).step == 1 and newest(store).schedule == "GPipe"


def test_steps_without_pieces_leave_the_newest_picture_and_nothing_piles_up():
    store = RunStore(2)
    for step in range(50):
        for rank, spans in enumerate(told(step, world=2)):
            store.ingest_all([*(spans if step < 40 else ()), step_event(rank, step)])
    assert newest(store).step == 39
    assert not store.pipeline.spans
    store.ingest_all([Done("r", 0, rank, 1100.0, 0, None, {}) for rank in range(2)])
    assert newest(store).step == 39


def test_a_step_bar_takes_forwards_and_backwards_from_where_they_were():
    """Between its forward and its backward rank 0 waits 0.3 s for rank 1, 0.2 s of it before rank 1 sends."""
    piece = [
        Span("r", 0, 0, 0.0, kind, 0, 0, 0, 0, t0, t1) for kind, t0, t1 in (("F", 0.2, 0.3), ("B", 0.6, 0.8))
    ]
    receive = Collective("r", 0, 0, 0.6, 0, "receive", "g", 1, 8, 0, 0.3, 0.6, 0.3)
    send = Collective("r", 0, 1, 0.6, 0, "send", "g", 0, 8, 0, 0.5, 0.6, 0.0)
    group = [Group("r", 0, rank, 0.0, "g", "", [0, 1]) for rank in range(2)]
    steps = [Step("r", 0, rank, 1.0, 0, 0.0, None, 0, 0.1, 0.1, 0.2, 0.1, 0.5) for rank in range(2)]
    store = RunStore(2)
    store.ingest_all([*group, *piece, receive, send, *steps])
    seen = snap(store, now=None)
    bar = seen.rows[0]
    parts = [bar.data, bar.compute, bar.hidden, bar.exposed, bar.wait, bar.optimizer, bar.other]
    assert parts == pytest.approx([0.1, 0.3, 0.0, 0.1, 0.2, 0.1, 0.2]) and sum(parts) == pytest.approx(1.0)
    own = [(m.kind, m.t0, m.t1) for m in seen.timeline[0] if m.kind != "receive"]
    assert [kind for kind, _, _ in own] == [
        "data", "other", "forward", "wait", "exposed", "backward", "other", "optimizer",
    ]  # fmt: skip
    assert [t0 for _, t0, _ in own] == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.5, 0.6, 0.8, 0.9])
    # Rank 1 reported no pieces: it is laid out as any other step.
    assert [m.kind for m in seen.timeline[1]][:4] == ["data", "forward", "backward", "optimizer"]


def test_too_many_ranks_are_not_drawn():
    store = RunStore(pipeline.MOST_RANKS + 1)
    store.ingest(told(0)[0][0])
    assert not store.pipeline.spans
