"""Ring attention, experts and failover beside their definitions."""

import math

import pytest

from slides.scenes.library.faults import failover
from slides.scenes.library.model_parallel import experts, ring_attention
from slides.scenes.scene import NotDrawn
from slides.scenes.shapes import Box, Number


@pytest.mark.parametrize("ranks", [2, 3, 4, 8])
@pytest.mark.parametrize("causal", [True, False])
def test_after_all_rounds_every_query_has_seen_what_the_mask_allows(ranks: int, causal: bool) -> None:
    for rank in range(ranks):
        allowed = {part for part in range(ranks) if part <= rank or not causal}
        assert ring_attention.worked(rank, ranks, ranks, causal) == allowed
    for step in range(ranks):  # keys and values are never twice at one rank, nor lost
        assert sorted(ring_attention.visitor(rank, step, ranks) for rank in range(ranks)) == list(
            range(ranks)
        )


@pytest.mark.parametrize("ranks", [2, 4])
def test_keys_move_to_the_next_rank_only(ranks: int) -> None:
    for step in range(1, ranks):
        for rank in range(ranks):
            before = ring_attention.visitor((rank - 1) % ranks, step - 1, ranks)
            assert ring_attention.visitor(rank, step, ranks) == before


@pytest.mark.parametrize("ranks", [2, 3, 4])
@pytest.mark.parametrize("factor", [0.25, 1.0, 1.25, 4.0])
def test_experts_take_their_capacity_and_no_more(ranks: int, factor: float) -> None:
    """Fedus et al. 2021, equation 3: tokens / experts x capacity factor."""
    capacity = math.ceil(ranks * experts.TOKENS / ranks * factor)
    assert experts.capacity_of(ranks, factor) == capacity
    taken = experts.kept(ranks, factor)
    for expert, tokens in taken.items():
        wanted = [token for token in range(ranks * experts.TOKENS) if experts.CHOICE[token] % ranks == expert]
        assert tokens == wanted[:capacity]


def test_every_token_is_drawn_once_in_every_step_and_home_again() -> None:
    values = experts.SCENE.values({})
    states = [experts.SCENE.state(step, values) for step in range(experts.SCENE.steps(values))]
    places = []
    for state in states:
        tokens = {s.id: s.at for s in state.shapes if isinstance(s, Box) and s.id.startswith("token")}
        assert len(tokens) == 16
        places.append(tokens)
    assert places[0] == places[-1] != places[2]


@pytest.mark.parametrize(
    ("every", "killed", "back"), [(3, 5, 3), (3, 6, 6), (1, 5, 5), (16, 5, 0), (5, 4, 0)]
)
def test_the_way_back_is_to_the_last_checkpoint(every: int, killed: int, back: int) -> None:
    assert failover.last_checkpoint(every, killed) == back
    story = failover.happenings(9, every, killed)
    done = [n for what, n in story if what in ("step", "again")]
    assert done == [*range(killed), *range(back, 9)]  # every step once, those since the checkpoint twice


def test_what_is_done_twice_is_counted() -> None:
    values = failover.SCENE.values({"steps": "9", "every": "3", "kill": "5"})
    states = [failover.SCENE.state(step, values) for step in range(failover.SCENE.steps(values))]
    twice = [next(s.value for s in state.shapes if isinstance(s, Number)) for state in states]
    assert twice[-1] == 2 == max(twice) and twice == sorted(twice)
    last = {s.id for s in states[-1].shapes}
    assert all(f"work{rank}.{n}" in last for rank in range(4) for n in range(9))


def test_a_rank_dies_before_the_end() -> None:
    with pytest.raises(NotDrawn, match="kill=7"):
        failover.SCENE.values({"steps": "9", "kill": "8"})
