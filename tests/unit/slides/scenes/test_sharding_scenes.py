"""FSDP and HSDP beside their formulas, and beside what recorded runs put on their wires."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from runtime.protocol.events import Collective, Event, Group, Memory, Step, Wire
from runtime.recordings import files, recording
from slides.drawing.text import plain
from slides.palette import DARK
from slides.scenes.library.sharded import fsdp, hsdp
from slides.scenes.painting import lines
from slides.scenes.scene import NotDrawn, Values
from slides.scenes.scene_request import asked
from slides.scenes.shapes import Box, Number, State

STEP = 7


def values_of(**words: object) -> Values:
    return fsdp.SCENE.values({name: str(value) for name, value in words.items()})


def steps_of(values: Values) -> list[fsdp.Moment]:
    return fsdp.moments(len(fsdp.sizes(values)))


def recorded(name: str, rank: int = 0) -> list[Event]:
    return [event for event in recording.load(files.SHIPPED / name).events if event.rank == rank]


def collectives(name: str) -> list[Collective]:
    """Those of one step, without those of what is outside the blocks, which the scenes leave out."""
    found = [event for event in recorded(name) if isinstance(event, Collective) and event.step == STEP]
    blocks = max(event.bytes for event in found if event.op == "all-gather")
    assert len({event.bytes for event in found if event.op == "all-gather"}) == 2
    shard = {"all-reduce": 2}  # what is averaged is a slice already
    return [event for event in found if event.bytes * shard.get(event.op, 1) == blocks]


def theory(event: Collective, members: int) -> float:
    """Bytes that leave a rank (nccl-tests): (n-1)/n of the buffer, twice that for an all-reduce."""
    return event.bytes * (members - 1) / members * (2 if event.op == "all-reduce" else 1)


# --- FSDP -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ranks", [2, 3, 4, 8])
@pytest.mark.parametrize("sizes", ["12,12,12,12", "20,5,9", "4,8"])
def test_a_step_of_fsdp_sends_three_times_what_a_rank_does_not_own(ranks: int, sizes: str) -> None:
    values = values_of(ranks=ranks, sizes=sizes)
    steps, each = steps_of(values), fsdp.sizes(values)
    gathered = [block for moment in steps for block in fsdp.transfers(moment, len(each)).gathered]
    reduced = [block for moment in steps for block in fsdp.transfers(moment, len(each)).reduced]
    assert sorted(gathered) == sorted([*range(len(each))] * 2)
    assert sorted(reduced) == [*range(len(each))]
    assert fsdp.sent(len(steps), values) == pytest.approx(3 * sum(each) * (ranks - 1) / ranks)


def test_fsdp_sends_as_a_recorded_run_did() -> None:
    found = collectives("fsdp")
    blocks = [event.bytes / 1e6 for event in found if event.op == "reduce-scatter"]
    values = values_of(ranks=4, sizes=",".join(map(str, blocks)))
    mine = fsdp.sent(len(steps_of(values)), values)
    assert mine * 1e6 == pytest.approx(sum(theory(event, 4) for event in found))
    order = [event.op for event in found]
    wanted: list[str] = []
    for moment in steps_of(values):
        gathered, reduced = fsdp.transfers(moment, len(blocks))
        wanted += ["all-gather"] * len(gathered) + ["reduce-scatter"] * len(reduced)
    assert sorted(order) == sorted(wanted)
    assert order[: len(blocks) + 1] == wanted[: len(blocks) + 1] == ["all-gather"] * (len(blocks) + 1)


def test_two_whole_blocks_are_the_most_as_in_a_recorded_run() -> None:
    memory = next(event for event in recorded("fsdp") if isinstance(event, Memory) and event.step == 10)
    outside = min(
        event.bytes for event in recorded("fsdp") if isinstance(event, Collective) and event.step == STEP
    )
    blocks = [event.bytes for event in collectives("fsdp") if event.op == "reduce-scatter"]
    values = values_of(ranks=4, sizes=",".join(str(size / 1e6) for size in blocks))
    shard = sum(blocks) / 4 / 1e6
    most = max(fsdp.held(moment, values) for moment in steps_of(values))
    assert (most - shard) * 1e6 == pytest.approx((memory.gathered or 0) - outside)


@pytest.mark.parametrize("sizes", ["12,12,12,12", "20,5,9,20", "3,30,30,3", "1,2"])
def test_parameters_stay_below_the_bound_and_come_up_to_it_beside_the_largest(sizes: str) -> None:
    values = values_of(sizes=sizes)
    each = fsdp.sizes(values)
    held = [fsdp.held(moment, values) for moment in steps_of(values)]
    assert max(held) <= fsdp.bound(values) + 1e-9
    neighbours = {tuple(sorted(pair)) for pair in pairwise(each)}
    assert (max(held) == pytest.approx(fsdp.bound(values))) == (tuple(sorted(each)[-2:]) in neighbours)
    assert held[0] == held[-1] == pytest.approx(sum(each) / 4)


def drawn(state: State, start: str) -> dict[str, Box]:
    return {s.id: s for s in state.shapes if isinstance(s, Box) and s.id.startswith(start)}


@pytest.mark.parametrize("ranks", [2, 4, 8])
def test_no_slice_is_lost_or_made(ranks: int) -> None:
    """In every step each rank draws its own slice of each block once, and a whole block is all slices."""
    values = values_of(ranks=ranks)
    for n, moment in enumerate(steps_of(values)):
        slices = drawn(fsdp.SCENE.state(n, values), "p")
        for rank in range(ranks):
            for block in range(4):
                there = {
                    owner
                    for owner in range(ranks)
                    if {f"p{block}.{owner}@{rank}", f"p{block}.{owner}@{rank}.again"} & slices.keys()
                }
                assert there == (set(range(ranks)) if block in fsdp.whole(moment, 4) else {rank})


@pytest.mark.parametrize(
    "sizes", ["12", "1,2,3,4,5,6,7,8,9", "12,twelve", "12,-1", "1,nan", "1,inf", "1,50", ""]
)
def test_blocks_that_cannot_be_drawn_say_what_to_write(sizes: str) -> None:
    with pytest.raises(NotDrawn, match="write sizes=12,12"):
        values_of(sizes=sizes)


# --- HSDP -------------------------------------------------------------------------------------------------


def test_hsdp_sends_as_a_recorded_run_did() -> None:
    """Per link: inside the machine by payload and theory, between by the kernel's count as well."""
    groups = {event.id: event for event in recorded("hsdp") if isinstance(event, Group)}
    near = next(group for group in groups.values() if group.name == "mesh_shard")
    found = collectives("hsdp")
    model = sum(event.bytes for event in found if event.op == "reduce-scatter") / 1e6
    values = hsdp.SCENE.values({"ranks": str(len(near.ranks)), "model_mb": str(model)})
    last = len(hsdp.PHASES) - 1
    inside = sum(theory(event, len(near.ranks)) for event in found if event.group == near.id)
    between = sum(theory(event, 2) for event in found if event.group != near.id)
    assert hsdp.inside(last, values) * 1e6 == pytest.approx(inside)
    assert hsdp.between(last, values) * 1e6 == pytest.approx(between)
    wires = [event for event in recorded("hsdp") if isinstance(event, Wire)]
    counted = [after - before for before, after in zip(wires[STEP].sent, wires[STEP + 1].sent, strict=True)]
    outside = next(
        e
        for e in recorded("hsdp")
        if isinstance(e, Collective) and e.op == "all-reduce" and e.step == STEP and e not in found
    )
    slow = min(count for count in counted if count > 1e6)  # the other is to the neighbour
    assert hsdp.between(last, values) * 1e6 + theory(outside, 2) == pytest.approx(slow, rel=0.005)
    assert sum(isinstance(event, Step) and event.step == STEP for event in recorded("hsdp")) == 1


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_nothing_is_between_machines_but_slices_once(ranks: int) -> None:
    values = hsdp.SCENE.values({"ranks": str(ranks), "model_mb": "48"})
    for step, phase in enumerate(hsdp.PHASES):
        state = hsdp.SCENE.state(step, values)
        figures = {s.id: s.value for s in state.shapes if isinstance(s, Number)}
        crossed = hsdp.PHASES.index(phase) >= hsdp.PHASES.index("average")
        assert figures["between"] == pytest.approx(48.0 if crossed else 0.0)  # the whole model, whatever n is
        assert figures["inside0"] == figures["inside1"] == pytest.approx(ranks * hsdp.inside(step, values))
    assert hsdp.inside(len(hsdp.PHASES) - 1, values) == pytest.approx(3 * 48 * (ranks - 1) / ranks)
    every = 2 * ranks
    assert hsdp.ring(values) == pytest.approx(3 * 48 * (every - 1) / every)


@pytest.mark.parametrize("columns", [80, 100, 160])
def test_links_and_names_of_hsdp_share_no_cell_with_the_frame_of_their_machine(columns: int) -> None:
    drawn = [plain(line) for line in lines(asked("hsdp", {}).state(0), columns, 18, DARK, "sextants")]
    named = [n for n, row in enumerate(drawn) if re.search(r"r(ank )?\d", row)]
    between = drawn[(named[0] + named[1]) // 2]
    cells = [column for column, letter in enumerate(between) if letter != " "]
    assert len(named) == 2 and len(cells) >= 6, between  # four edges and two links
    for n in named:
        for match in re.finditer(r"r(ank )?\d", drawn[n]):
            assert not set(range(*match.span())) & {cells[0], cells[-1]}, drawn[n]
