"""Which module of a script is its model: what holds the parameters of its optimizers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.slow


def _pair(bare: tuple[Any, ...]) -> Any:
    """Two models in DDP over both ranks, as a generator and its critic are."""
    from runtime.ranks.hooks.trained_modules import Together

    def replica() -> Any:
        model = object.__new__(torch.nn.parallel.DistributedDataParallel)
        model.__dict__["process_group"] = SimpleNamespace(size=lambda: 2)
        return model

    return Together((replica(), replica()), bare)


def test_the_model_is_what_holds_the_parameters() -> None:
    from runtime.ranks.hooks.trained_modules import is_replica, model_of, optimizer_of

    encoder, decoder, teacher = (torch.nn.Linear(2, 2) for _ in range(3))
    whole = torch.nn.Sequential(encoder, torch.nn.Linear(2, 2))
    bare = torch.ones(3, requires_grad=True)

    def changing(*tensors: Any) -> Any:
        return torch.optim.SGD(list(tensors), lr=0.1, momentum=0.9)

    one = changing(*whole.parameters())
    assert model_of([encoder, whole, teacher], [one]) is whole  # called alone and inside: it counts once
    two = model_of(
        [encoder, decoder, teacher], [changing(*encoder.parameters()), changing(*decoder.parameters())]
    )
    assert {id(p) for p in two.parameters()} == {id(p) for m in (encoder, decoder) for p in m.parameters()}
    more = model_of([encoder], [changing(*encoder.parameters(), bare)])
    assert [p.shape for p in more.parameters()] == [(2, 2), (2,), (3,)]
    assert list(model_of([], [changing(bare)]).parameters()) == [bare]
    assert model_of([encoder, torch.nn.Tanh(), whole], []) is whole  # nobody says what is changed
    assert not is_replica(whole) and not is_replica(two)
    pair, bare_pair = (_pair(bare) for bare in ((), (torch.ones(1),)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("torch.distributed.get_world_size", lambda: 2)
        assert is_replica(pair) and not is_replica(bare_pair)
    first, second = SimpleNamespace(state={1: "a"}), SimpleNamespace(optim=SimpleNamespace(state={2: "b"}))
    assert optimizer_of([first, second]).state == {1: "a", 2: "b"}
    assert optimizer_of([first]) is first
