"""The ledger moves by exactly what was changed."""

from __future__ import annotations

import zlib

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from runtime.demos.model import Sentences, TinyLM, next_token_loss  # noqa: E402
from runtime.ranks.hooks.saved_tensors import Held, SavedTensors  # noqa: E402
from runtime.ranks.sensors.memory import Ledger, storage_bytes  # noqa: E402

MIB = 1 << 20


def count(model: nn.Module) -> int:
    return sum(p.numel() for p in model.parameters())


def weigh(
    model: nn.Module, optimizer: torch.optim.Optimizer | None = None, batch: int = 8
) -> dict[str, int | None]:
    """One training step under the ledger."""
    ledger = Ledger()
    ledger.watch(model, optimizer)
    samples = [Sentences(batch)[i] for i in range(batch)]
    tokens, targets = (torch.stack(part) for part in zip(*samples, strict=True))
    with ledger.activations():
        loss = next_token_loss(model(tokens), targets)
    loss.backward()
    ledger.weigh_gradients()
    if optimizer is not None:
        optimizer.step()
        optimizer.zero_grad()
    return ledger.bytes_by_kind()


def test_adamw_in_fp32_is_four_four_and_eight_bytes_a_parameter() -> None:
    model = TinyLM()
    assert count(model) == 469_504
    seen = weigh(model, torch.optim.AdamW(model.parameters()))
    n = count(model)
    assert (seen["params"], seen["grads"], seen["optimizer"]) == (4 * n, 4 * n, 8 * n)


def test_sgd_holds_nothing_and_momentum_four_bytes() -> None:
    model = TinyLM(32, 1)
    assert weigh(model, torch.optim.SGD(model.parameters()))["optimizer"] == 0
    assert weigh(model, torch.optim.SGD(model.parameters(), momentum=0.9))["optimizer"] == 4 * count(model)


def test_what_lbfgs_keeps_in_lists_is_its_state() -> None:
    """A flat gradient, a direction, two lists of `history_size`: each vector as long as all parameters."""
    model = nn.Linear(200, 10)
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=12, history_size=3, tolerance_grad=0)
    samples, wanted = torch.randn(64, 200), torch.randint(0, 10, (64,))

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(samples), wanted)
        loss.backward()
        return loss

    ledger = Ledger()
    ledger.watch(model, optimizer)
    for _ in range(2):
        optimizer.step(closure)  # type: ignore[arg-type]  # torch's stub wants a float
    assert ledger.bytes_by_kind()["optimizer"] == (2 + 2 * 3) * 4 * count(model)


def test_a_buffer_of_8_mib_is_no_parameter() -> None:
    model = TinyLM(32, 1)
    before = weigh(model)
    model.register_buffer("mask", torch.zeros(2 * MIB))
    after = weigh(model)
    assert before["params"] == after["params"] is not None
    assert (before["buffers"], after["buffers"]) == (0, 8 * MIB)
    assert after["grads"] == before["grads"] and after["activations"] == before["activations"]


def test_twice_the_width_is_what_the_shapes_say() -> None:
    small, large = TinyLM(64), TinyLM(128)
    seen = weigh(large)["params"], weigh(small)["params"]
    assert seen == (4 * count(large), 4 * count(small))


def test_tied_weights_are_counted_once() -> None:
    model = TinyLM(32, 1)
    before = weigh(model)
    model.head.weight = model.emb.weight
    after = weigh(model)
    assert before["params"] is not None and before["params"] - (after["params"] or 0) == 256 * 32 * 4


def test_gradients_that_share_one_bucket_are_counted_once() -> None:
    bucket = torch.zeros(100)
    assert storage_bytes([bucket[:40], bucket[40:]]) == 400


def test_activations_grow_with_the_batch_and_follow_the_formula() -> None:
    """Saved per block and token, in units of the width D: x twice (norm inputs), the two norms' outputs, q,
    k, v, what attention gives, and 4 + 4 around the gelu, as fp32; the head adds logits."""
    model = TinyLM()
    eight, sixteen = weigh(model, batch=8)["activations"], weigh(model, batch=16)["activations"]
    assert eight is not None and sixteen is not None
    assert sixteen / eight == pytest.approx(2, rel=0.02)
    tokens, width = 8 * 64, 128
    blocks = 2 * 16 * tokens * width * 4
    head = (2 * width + 256) * tokens * 4  # the last norm in and out, log-softmax over the vocabulary
    assert eight == pytest.approx(blocks + head, rel=0.05)


@pytest.mark.parametrize("held", [1, 2, 4])
def test_micro_batches_count_for_as_long_as_they_are_held(held: int) -> None:
    """Four micro-batches, a backward as soon as `held` forwards wait for one: as in a pipeline."""
    model = TinyLM(32, 1)
    one = weigh(model, batch=2)["activations"]
    ledger = Ledger()
    ledger.watch(model)
    losses = []
    for n in range(4):
        tokens, targets = Sentences(8).take(2 * n, 2)
        with ledger.activations():
            losses.append(next_token_loss(model(tokens), targets))
        if len(losses) == held:
            losses.pop(0).backward()
    while losses:
        losses.pop(0).backward()
    assert one is not None and ledger.bytes_by_kind()["activations"] == pytest.approx(held * one, rel=0.01)
    assert ledger.bytes_by_kind()["activations"] == 0  # nothing is held any more


def test_weights_are_no_activations() -> None:
    model = nn.Sequential(nn.Linear(512, 512, bias=False), nn.Linear(512, 512, bias=False))
    ledger = Ledger()
    ledger.watch(model)
    x = torch.zeros(1, 512, requires_grad=True)
    with ledger.activations():
        model(x)
    assert ledger.bytes_by_kind()["activations"] == 2 * 512 * 4  # the two inputs; not 2 MiB of weights


def test_what_is_not_known_is_none() -> None:
    ledger = Ledger()
    assert not ledger.watching and ledger.weigh_gradients() == (None, None)
    ledger.watch(nn.Linear(2, 2))
    seen = ledger.bytes_by_kind()
    assert {name for name, size in seen.items() if size is None} == {
        "grads", "optimizer", "activations", "temporary", "peak", "reserved", "limit",
    }  # fmt: skip
    assert seen["gathered"] == 0


def test_the_checksum_is_that_of_the_bytes_in_order() -> None:
    model = nn.Linear(3, 2)
    ledger = Ledger()
    ledger.watch(model)
    raw = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
    assert ledger.checksum() == f"{zlib.crc32(raw):08x}"
    with torch.no_grad():
        model.weight[1, 2] = torch.nextafter(model.weight[1, 2], torch.tensor(9.0))  # one bit
    assert ledger.checksum() != f"{zlib.crc32(raw):08x}"


def test_the_norm_is_over_all_gradients() -> None:
    model = nn.Linear(2, 1, bias=False)
    ledger = Ledger()
    ledger.watch(model)
    model.weight.grad = torch.tensor([[3.0, 4.0]])
    assert ledger.weigh_gradients() == (pytest.approx(5.0), None)  # alone it has all of it
    assert ledger.bytes_by_kind()["grads"] == 8


def test_within_a_step_activations_rise_and_fall_and_gradients_come_as_they_go() -> None:
    model = TinyLM()
    ledger = Ledger()
    ledger.watch(model, torch.optim.AdamW(model.parameters()))
    samples = [Sentences(8)[i] for i in range(8)]
    tokens, targets = (torch.stack(part) for part in zip(*samples, strict=True))
    with ledger.activations():
        loss = next_token_loss(model(tokens), targets)
    loss.backward()
    del loss
    ledger.weigh_gradients()
    seen = ledger.moments()
    kept = [moment.activations for moment in seen]
    most = kept.index(max(kept))
    assert kept[: most + 1] == sorted(kept[: most + 1])  # rises through forward
    assert kept[most:] == sorted(kept[most:], reverse=True) and kept[-1] == 0  # and falls through backward
    said = ledger.bytes_by_kind()
    assert said["activations"] is not None and 0.9 * said["activations"] <= max(kept) <= said["activations"]
    grads = [moment.grads for moment in seen]
    assert grads[most] == 0 and grads == sorted(grads) and grads[-1] == said["grads"] == 4 * count(model)
    assert [moment.t for moment in seen] == sorted(moment.t for moment in seen)
    assert {moment.gathered for moment in seen} == {0} and len(seen) <= 64
    assert ledger.moments() == []  # told once


def test_of_a_step_with_very_many_moments_every_other_is_left_out() -> None:
    from runtime.ranks.sensors.memory_within_step import MOST, Moments

    moments = Moments()
    for n in range(1000):
        moments.note(n, 0, lambda: 0)
    held = [moment.gathered for moment in moments.seen]
    assert len(held) <= MOST and held == sorted(held) and held[0] == 0 and held[-1] == 999


def test_what_is_saved_goes_with_a_graph_that_never_ran() -> None:
    """A loss that nobody goes back from: its graph is dropped, and with it what its nodes saved."""
    saved = SavedTensors()
    model = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 8), nn.LogSoftmax(-1))

    def pack(tensor: torch.Tensor) -> Held:
        storage = tensor.untyped_storage()
        return saved.hold(tensor, {storage.data_ptr(): storage.nbytes()})

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda held: held.tensor):
        out = model(torch.ones(4, 8))
    assert saved.now > 0
    del out
    assert saved.now == 0
