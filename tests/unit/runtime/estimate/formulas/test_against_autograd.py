"""Parameters and activations of a layer against torch itself: what autograd saves in one forward.

The layers are written here as the papers draw them, from torch's operators; nothing of the demos is used.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from made_estimates import estimated
from torch import Tensor, nn

S, B, H, A, KV, FFN = 128, 2, 256, 8, 2, 640
DTYPE = torch.bfloat16


def dropout(x: Tensor) -> Tensor:
    """As on a GPU, with a mask of one byte; `F.dropout` on a CPU has one of the numbers' own size."""
    return torch.native_dropout(x, 0.1, True)[0]


class FusedNorm(torch.autograd.Function):
    """RMSNorm in one kernel keeps its input and one number a token."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor) -> Tensor:
        scale = x.float().pow(2).mean(-1, keepdim=True).add(1e-6).rsqrt()
        ctx.save_for_backward(x, weight, scale)
        return (x.float() * scale).to(x.dtype) * weight

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        raise NotImplementedError


class GptLayer(nn.Module):
    """Korthikanti et al., fig. 2: LayerNorm, attention, an MLP of 4 h, dropout of scores and behind both."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(H), nn.LayerNorm(H)
        self.qkv, self.out = nn.Linear(H, 3 * H), nn.Linear(H, H)
        self.up, self.down = nn.Linear(H, 4 * H), nn.Linear(4 * H, H)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (
            part.view(B, S, A, H // A).transpose(1, 2) for part in self.qkv(self.first(x)).chunk(3, -1)
        )
        scores = dropout(torch.softmax(q @ k.transpose(-1, -2) / (H // A) ** 0.5, -1))
        x = x + dropout(self.out((scores @ v).transpose(1, 2).reshape(B, S, H)))
        return x + dropout(self.down(F.gelu(self.up(self.second(x)))))


class LlamaLayer(nn.Module):
    """RMSNorm, grouped queries, flash attention, a gated MLP."""

    fused = True

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.RMSNorm(H), nn.RMSNorm(H)
        size = H // A
        self.q, self.k, self.v = (nn.Linear(H, n * size, bias=False) for n in (A, KV, KV))
        self.out = nn.Linear(H, H, bias=False)
        self.gate, self.up = nn.Linear(H, FFN, bias=False), nn.Linear(H, FFN, bias=False)
        self.down = nn.Linear(FFN, H, bias=False)

    def norm(self, by: nn.RMSNorm, x: Tensor) -> Tensor:
        if self.fused:
            return FusedNorm.apply(x, by.weight)  # type: ignore[no-any-return,no-untyped-call]
        return by(x)  # type: ignore[no-any-return]

    def forward(self, x: Tensor) -> Tensor:
        y, size = self.norm(self.first, x), H // A
        q, k, v = (part(y).view(B, S, -1, size).transpose(1, 2) for part in (self.q, self.k, self.v))
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + self.out(attended.transpose(1, 2).reshape(B, S, H))
        y = self.norm(self.second, x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


def saved(layer: nn.Module, dtype: torch.dtype = DTYPE) -> int:
    """Bytes of all storages that autograd keeps for backward, parameters apart."""
    x = torch.randn(B, S, H, dtype=dtype, requires_grad=True)
    own = {p.untyped_storage().data_ptr() for p in layer.parameters()}
    kept: dict[int, tuple[int, Tensor]] = {}

    def pack(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            kept[storage.data_ptr()] = storage.nbytes(), tensor
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        layer(x)
    return sum(size for size, _ in kept.values())


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (GptLayer, f"hidden={H} heads={A}"),
        (LlamaLayer, f"hidden={H} heads={A} kv_heads={KV} ffn={FFN} flash=1"),
    ],
)
@pytest.mark.parametrize(("precision", "dtype"), [("mixed", torch.bfloat16), ("fp32", torch.float32)])
def test_a_layer_keeps_what_the_formula_says(
    made: type[nn.Module], words: str, precision: str, dtype: torch.dtype
) -> None:
    found = estimated(f"layers=1 {words} seq={S} batch={B} precision={precision}")["activations"]
    assert saved(made().to(dtype), dtype) == pytest.approx(found["per_layer"], rel=0.02)


def test_norms_of_many_operators_keep_more() -> None:
    """What `disagreements` says of a Llama layer: norms of several operators keep more copies."""
    fused, loose = LlamaLayer().to(DTYPE), LlamaLayer().to(DTYPE)
    loose.fused = False
    copies = (saved(loose) - saved(fused)) / (2 * B * S * H)
    assert 5 <= copies <= 9


@pytest.mark.parametrize(
    ("made", "words"),
    [(GptLayer, f"hidden={H} heads={A}"), (LlamaLayer, f"hidden={H} heads={A} kv_heads={KV} ffn={FFN}")],
)
def test_a_layer_has_as_many_parameters(made: type[nn.Module], words: str) -> None:
    one, two = (estimated(f"layers={n} {words} seq={S}")["params"] for n in (1, 2))
    assert two - one == sum(p.numel() for p in made().parameters())


def test_a_layer_needs_the_operations_that_torch_counts() -> None:
    """Multiplications of matrices in a forward and its backward, as torch's own counter sees them; the input
    of the layer needs a gradient, as that of every layer but the first does."""
    from torch.utils.flop_counter import FlopCounterMode

    layer, x = GptLayer(), torch.randn(B, S, H, requires_grad=True)
    with FlopCounterMode(display=False) as counter:
        layer(x).sum().backward()
    one, two = (estimated(f"layers={n} hidden={H} heads={A} seq={S} batch={B}")["flops"] for n in (1, 2))
    assert counter.get_total_flops() == two - one


def test_full_recomputation_is_one_more_forward() -> None:
    from torch.utils.checkpoint import checkpoint
    from torch.utils.flop_counter import FlopCounterMode

    layer, x = GptLayer(), torch.randn(B, S, H, requires_grad=True)
    with FlopCounterMode(display=False) as counter:
        checkpoint(layer, x, use_reentrant=False, preserve_rng_state=False).sum().backward()
    line = f"hidden={H} heads={A} seq={S} batch={B} recompute=full"
    one, two = (estimated(f"layers={n} {line}")["flops_hardware"] for n in (1, 2))
    assert counter.get_total_flops() == pytest.approx(two - one, rel=0.01)


def test_a_fused_mlp_keeps_one_number_of_its_width_less() -> None:
    """The sigmoid's product with the gate is computed again: gate, other factor and product are left."""
    shape = f"layers=1 hidden={H} heads={A} kv_heads={KV} ffn={FFN} seq={S} batch={B} flash=1"
    every, fused = (estimated(f"{shape} fused_mlp={flag}")["activations"]["per_layer"] for flag in (0, 1))
    assert every - fused == S * B * FFN * 2
    gpt = f"layers=1 hidden={H} heads={A} seq={S} batch={B}"
    assert estimated(f"{gpt} fused_mlp=1")["activations"] == estimated(gpt)["activations"]
