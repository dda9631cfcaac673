"""Floating point operations of a step: what the model needs, and what the hardware does with recomputation.

A multiply and an add are two. A backward is two forwards. A GPT gives the closed forms of the papers:
72 B L s h² (1 + s/6h + V/12hL) for the model (Korthikanti et al., eq. 7), with full recomputation
96 B L s h² (1 + s/6h + V/16hL) (Narayanan et al., eq. 3). Attention counts all of the square, masked or not,
as the papers and PaLM do; of a layer whose tokens see a window, as much more than its mask leaves.
"""

from __future__ import annotations

from typing import NamedTuple

from runtime.estimate.formulas import parameters
from runtime.estimate.formulas.memory import Subject
from runtime.estimate.inputs.layout import Layout
from runtime.estimate.inputs.models import Model

TRAINED = 6  # operations a parameter and token: a forward and its backward


class PerToken(NamedTuple):
    """Operations of a forward and backward, for one token: matrices of the layers, attention, the head."""

    layers: float
    attention: float
    head: float

    @property
    def total(self) -> float:
        """FLOPs a token, forward only."""
        return sum(self)


def per_token(subject: Subject, seq: int) -> PerToken:
    """Of a sequence of `seq`. Of a model that is only a number: 6 N (Kaplan et al., section 2.1)."""
    model = subject.model
    if model is None:
        return PerToken(TRAINED * subject.active, 0.0, 0.0)
    scores = TRAINED * keys(model, seq) * (model.query_width + model.output_width)
    return PerToken(TRAINED * matrices(model), scores, TRAINED * model.hidden * model.vocab)


def keys(model: Model, seq: int) -> float:
    """Keys that a token is scored with, in all layers together; `seq` in each that has no window."""
    if model.window is None:
        return model.layers * seq
    return (model.layers - model.window.layers) * seq + model.window.layers * model.window.keys(seq)


def matrices(model: Model) -> int:
    """Parameters of all layers' matrices that a token is multiplied with."""
    routed = model.expert_layers
    plain = model.layers - routed
    found = 0
    for number, kind in ((routed, True), (plain, False)):
        if number:
            one = parameters.layer(model, routed=kind)
            found += number * (one.matrices + one.active_experts)
    return found


def model_flops(subject: Subject, layout: Layout) -> float:
    """Of a step on all devices."""
    return per_token(subject, layout.seq).total * layout.tokens


def recomputed_flops(subject: Subject, layout: Layout) -> float:
    """What recomputation adds to a step.

    Full: a forward of all layers. Selective: Korthikanti et al. (eq. 8) put s/3h in place of s/6h, the
    attention term twice; counting 4 B s² h for a second forward of scores gives a third of the term, not
    all of it. Their table 5 follows their equation, and so do we.
    """
    found = per_token(subject, layout.seq)
    if layout.recompute == "full":
        return (found.layers + found.attention) / 3 * layout.tokens
    if layout.recompute == "selective" and subject.model is not None and subject.model.latent is not None:
        again = 0.0 if layout.flash else found.attention
        return (
            again + TRAINED / 3 * subject.model.layers * parameters.up_projections(subject.model)
        ) * layout.tokens
    if layout.recompute == "selective":
        return found.attention * layout.tokens
    return 0.0


def in_16_bit(subject: Subject, layout: Layout) -> float:
    """Of a step with fp8 weights, what is computed in 16 bit all the same: attention and the head, with what
    is computed again of them (DeepSeek-V3, section 3.3.1)."""
    found = per_token(subject, layout.seq)
    again = found.attention / 3 if layout.recompute == "full" else 0.0
    return (found.attention + again + found.head) * layout.tokens


def palm_per_token(subject: Subject, seq: int) -> float:
    """6 N + 12 L H Q T (PaLM, appendix B): all parameters, those of the embedding included."""
    return TRAINED * subject.active + per_token(subject, seq).attention


def conventions(subject: Subject, seq: int) -> dict[str, float]:
    """FLOPs a token as other sources count them; of a model that is only a number 6 N alone.

    `6n`: 6 N with every active parameter (Kaplan et al.; GPT-3, table D.1; Chinchilla, table 3). `palm`: that
    and all of attention (PaLM, appendix B; nanoGPT). `causal`: `per_token` with the half of attention that a
    mask leaves. `chinchilla`: `per_token`, the embedding as a matrix and three operations for each number of
    a softmax (Hoffmann et al., appendix F).
    """
    model = subject.model
    found = {"6n": float(TRAINED * subject.active)}
    if model is None:
        return found
    parts = per_token(subject, seq)
    ends = TRAINED * model.hidden * model.vocab + 9 * model.heads * keys(model, seq)
    return found | {
        "palm": palm_per_token(subject, seq),
        "causal": parts.total - parts.attention / 2,
        "chinchilla": parts.total + ends,
    }


def utilization(flops: float, seconds: float, devices: int, peak: float) -> float:
    """The share of the peak that `flops` in `seconds` are: MFU of the model's, HFU of the hardware's."""
    return flops / (seconds * devices * peak)
