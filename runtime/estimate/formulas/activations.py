"""Bytes that a forward pass keeps for the backward pass, layer by layer.

The terms of a GPT layer are those of Korthikanti et al. (arXiv 2205.05198, section 4): with 16-bit numbers
and one-byte dropout masks they sum to s b h (34 + 5 a s / h). The same count, operator by operator, gives
a Llama layer, an expert and latent attention. T is the tokens of one micro-batch on one device, e the
bytes of a number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from runtime.estimate.formulas.parameters import shared_width
from runtime.estimate.inputs.layout import Layout, stage_layers
from runtime.estimate.inputs.models import Model

MASK = 1  # bytes of a dropout mask's element
STATISTICS = 4  # bytes flash attention keeps of each row of scores (fp32)
LOGIT = 4  # bytes of a logit: the loss is computed in fp32


class LayerActivations(NamedTuple):
    """Bytes of one layer and one micro-batch. `whole`: on every tensor-parallel rank unless sequences are
    split; `split`: divided by tensor parallelism; `scores`: what selective recomputation does not keep."""

    whole: float
    split: float
    scores: float

    @property
    def total(self) -> float:
        """Bytes of a layer for one micro-batch on a device."""
        return self.whole + self.split + self.scores


def every(model: Model, layout: Layout, width: int, *, routed: bool) -> LayerActivations:
    """All that a layer keeps without recomputation. `width`: bytes of a number."""
    tokens, t = layout.local_tokens, layout.tp
    masks = MASK if model.dropout else 0
    # Inputs of both norms, of attention and of the MLP, and the masks behind both; Korthikanti's 10 s b h.
    inputs = model.norms + min(2, model.norms)
    whole = tokens * model.hidden * (inputs * width + 2 * masks)
    attended = model.query_width + model.key_width + model.value_width + model.output_width
    if model.latent:
        whole += tokens * width * 2 * (model.latent.query_rank + model.latent.kv_rank)
    split = tokens * width * (attended + _mlp(model, layout, routed))
    if routed and model.experts:
        # What is sent to experts and comes back, before it is weighted.
        whole += tokens * width * 2 * model.experts.active * model.hidden
    if layout.flash:
        scores = STATISTICS * tokens * model.heads
    else:
        # Softmax's output, and with dropout its mask and what is left: 5 a s s b.
        of_a_score = width + (width + MASK if model.dropout else 0)
        scores = of_a_score * tokens * layout.seq * model.heads
    return LayerActivations(whole / (t if layout.sp else 1), split / t, scores / t)


def mlp_copies(model: Model, layout: Layout) -> int:
    """Numbers of an MLP's width that are kept: input and output of the nonlinearity, and with a gate the
    other factor and the product. A fused kernel computes that output again from its input."""
    return (3 if layout.fused_mlp else 4) if model.gated else 2


def _mlp(model: Model, layout: Layout, routed: bool) -> int:
    copies = mlp_copies(model, layout)
    if not routed or model.experts is None:
        return copies * model.ffn
    return copies * (model.experts.active * model.experts.ffn + shared_width(model.experts))


def kept(model: Model, layout: Layout, width: int, *, routed: bool) -> float:
    """Bytes of one layer and one micro-batch that are kept until its backward (table 2 of the paper)."""
    found = every(model, layout, width, routed=routed)
    if layout.recompute == "full":
        return width * layout.local_tokens * model.hidden / (layout.tp if layout.sp else 1)
    if layout.recompute == "none":
        return found.total
    return found.total - found.scores - _of_latent(model, layout, width, routed=routed)


def _of_latent(model: Model, layout: Layout, width: int, *, routed: bool) -> float:
    """What a model with latent attention computes again beside scores: outputs of norms, queries, keys and
    values behind the up-projections (DeepSeek-V3, section 3.2.3), and SwiGLU's output (section 3.3.3)."""
    if not model.latent:
        return 0.0
    tokens, t = layout.local_tokens, layout.tp
    norms = tokens * width * min(2, model.norms) * model.hidden / (t if layout.sp else 1)
    wide = model.query_width + model.key_width + model.value_width
    if not layout.fused_mlp:  # else its output is not kept as it is
        wide += _mlp(model, layout, routed) // mlp_copies(model, layout)
    return norms + tokens * width * wide / t


def per_layer(model: Model, layout: Layout, width: int) -> float:
    """Bytes kept of a layer, the mean of all: where some have experts and some do not, they differ."""
    return _mean(model, lambda routed: kept(model, layout, width, routed=routed))


def recomputed(model: Model, layout: Layout, width: int) -> float:
    """Bytes that come back for the one layer whose backward is running."""
    routed = model.expert_layers > 0
    found = every(model, layout, width, routed=routed)
    return found.total - kept(model, layout, width, routed=routed)


def _mean(model: Model, of: Callable[[bool], float]) -> float:
    routed = model.expert_layers
    plain = model.layers - routed
    return ((routed * of(True) if routed else 0) + (plain * of(False) if plain else 0)) / model.layers


# --- a pipeline's stages --------------------------------------------------------------------------------


def in_flight(layout: Layout, stage: int = 0) -> float:
    """Micro-batches whose activations a stage holds at once; parts where stages are interleaved.

    GPipe: all. 1F1B: p - stage, or all there are. Interleaved: p (1 + (p - 1) / (p V)) on the first stage
    (Korthikanti et al., section 4.2.3), fewer where there are few micro-batches. ZB-H1: p, ZB-H2: 2 p - 1 (Qi
    et al., section 2). DualPipe: p + 1 on every device (DeepSeek-V3, table 2).
    """
    p, m, v = layout.pp, layout.micro_batches, layout.interleave
    if p == 1:
        return 1
    if layout.schedule == "gpipe":
        return m
    if layout.schedule == "dualpipe":
        return min(m, p + 1)
    if layout.schedule in ("zb-h1", "zb-h2"):
        return min(m, p if layout.schedule == "zb-h1" else 2 * (p - stage) - 1)
    if v == 1:
        return min(m, p - stage)
    chunks = (v - 1) * p + 2 * (p - 1 - stage) + 1
    return min(m * v, chunks) / v


def first_stage(model: Model, layout: Layout, width: int) -> float:
    """Bytes of the layers of the first stage, which holds the most micro-batches: L layers' worth with
    1F1B."""
    return in_flight(layout) * stage_layers(model, layout) * per_layer(model, layout, width)


def embedding(model: Model, layout: Layout, stage: int = 0) -> float:
    """Bytes of the mask of the dropout behind the embedding: s b h p / t with p micro-batches in flight."""
    if stage or not model.dropout:
        return 0.0
    split = layout.tp if layout.sp else 1
    return MASK * layout.local_tokens * model.hidden * in_flight(layout) / split


def head(model: Model, layout: Layout, width: int) -> float:
    """Bytes behind the last layer: inputs of the last norm and of the head, and logits in fp32.

    4 s b h / t (1 + v / h) in the paper, where the first is split by sequence parallelism.
    """
    tokens = layout.local_tokens
    inputs = 2 * width * tokens * model.hidden / (layout.tp if layout.sp else 1)
    return inputs + LOGIT * tokens * model.vocab / layout.tp
