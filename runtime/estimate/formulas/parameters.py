"""How many parameters a model has, by part, and which of them a way of splitting divides.

Tensor parallelism splits matrices and the biases of their outputs; norms, routers and the biases that are
added after a sum stay whole on every rank (Megatron-LM). Expert parallelism divides routed experts only.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from runtime.estimate.inputs.models import Experts, Model


class Layer(NamedTuple):
    """Parameters of one layer. `matrices`: those that arithmetic is done with, of all that is not an
    expert."""

    split: int  # by tensor parallelism
    experts: int  # by expert and tensor parallelism
    whole: int  # on every rank
    matrices: int
    active_experts: int  # matrices of the experts that one token sees

    @property
    def total(self) -> int:
        """Parameters of a layer, with all experts."""
        return self.split + self.experts + self.whole


def attention_matrices(model: Model) -> int:
    """Projections to queries, keys and values and back: (2 h + 2 h_kv) h without latent attention."""
    h, latent = model.hidden, model.latent
    if latent is None:
        return h * (model.query_width + model.key_width + model.value_width + model.output_width)
    queries = latent.query_rank * (h + model.query_width) if latent.query_rank else h * model.query_width
    down = h * (latent.kv_rank + latent.rotary)
    up = latent.kv_rank * model.heads * (latent.plain + latent.value)
    return queries + down + up + model.output_width * h


def up_projections(model: Model) -> int:
    """Matrices of latent attention that make queries, keys and values of what was compressed."""
    latent = model.latent
    if latent is None:
        return 0
    queries = latent.query_rank * model.query_width
    return queries + latent.kv_rank * model.heads * (latent.plain + latent.value)


def mlp_matrices(model: Model, ffn: int) -> int:
    """Parameters of an MLP's matrices, without biases."""
    return (3 if model.gated else 2) * model.hidden * ffn


def norm_size(model: Model) -> int:
    """Parameters of one norm: a scale, and with LayerNorm a shift."""
    usual = 2 if model.family == "gpt" else 1
    return model.hidden * (usual if model.norm_numbers is None else model.norm_numbers)


def layer(model: Model, *, routed: bool | None = None) -> Layer:
    """One layer; `routed`: with experts (None: where the model has them at all)."""
    experts = model.experts if routed is not False else None
    attention = attention_matrices(model)
    biases = model.query_width + model.key_width + model.value_width if model.qkv_bias else 0
    whole = model.norms * norm_size(model) + (model.hidden if model.output_bias else 0)
    if model.qk_norm:
        whole += 2 * model.head_size
    if model.qk_norm_whole:
        whole += model.query_width + model.key_width
    if model.sinks:
        biases += model.heads  # split as heads are
    if model.latent:
        whole += model.latent.query_rank + model.latent.kv_rank  # norms of the compressed vectors
        if model.latent_bias:
            whole += model.latent.query_rank + model.latent.kv_rank + model.latent.rotary + model.hidden
    if experts is None:
        mlp = mlp_matrices(model, model.ffn)
        if model.mlp_bias:
            biases, whole = biases + (2 if model.gated else 1) * model.ffn, whole + model.hidden
        return Layer(attention + mlp + biases, 0, whole, attention + mlp, 0)
    one, shared = mlp_matrices(model, experts.ffn), mlp_matrices(model, shared_width(experts))
    router = experts.count * model.hidden
    whole += router + (experts.count if experts.router_bias else 0)
    whole += model.hidden if experts.shared_gate else 0
    matrices = attention + shared + router
    added = (2 if model.gated else 1) * experts.ffn + model.hidden if experts.bias else 0
    held = experts.count * (one + added)
    return Layer(attention + shared + biases, held, whole, matrices, experts.active * one)


def shared_width(experts: Experts) -> int:
    """Width of the experts that every token passes."""
    return experts.shared * (experts.shared_ffn or experts.ffn)


def embedding(model: Model) -> int:
    """The table of tokens."""
    return model.vocab * model.hidden


def outside(model: Model) -> int:
    """All that is in no layer: both ends, learned positions, the norms around the layers."""
    ends = embedding(model) * (1 if model.tied else 2) + (model.vocab if model.head_bias else 0)
    norms = model.final_norm + model.embedding_norm
    return ends + model.positions * model.hidden + norms * norm_size(model)


def total(model: Model) -> int:
    """All parameters, those of every expert included."""
    routed = model.expert_layers
    plain = model.layers - routed
    layers = routed * layer(model).total if routed else 0
    return layers + (plain * layer(model, routed=False).total if plain else 0) + outside(model)


def active(model: Model) -> int:
    """Parameters that see a token: `total` less the experts that the router does not choose."""
    if model.experts is None:
        return total(model)
    one = layer(model).experts // model.experts.count
    return total(model) - model.expert_layers * one * (model.experts.count - model.experts.active)


class Share(NamedTuple):
    """Parameters on one device before anything is sharded: `dense` and, split over other ranks, `experts`."""

    dense: int
    experts: int

    @property
    def total(self) -> int:
        """Parameters of a device's share."""
        return self.dense + self.experts


def _of_layers(model: Model, first: int, count: int, tp: int, ep: int) -> Share:
    routed = _routed(model, first, count)
    dense = experts = 0
    for number, kind in ((routed, True), (count - routed, False)):
        if number:
            found = layer(model, routed=kind)
            dense += number * (ceil(found.split / tp) + found.whole)
            experts += number * ceil(found.experts / (tp * ep))
    return Share(dense, experts)


def _routed(model: Model, first: int, count: int) -> int:
    """How many of `count` layers from `first` on have experts."""
    if model.experts is None:
        return 0
    begin, every = model.experts.dense_layers, model.experts.every
    until = len(range(begin, max(begin, first + count), every))
    return until - len(range(begin, max(begin, first), every))


def on_stage(model: Model, *, first: bool, last: bool, layers: int, tp: int = 1, ep: int = 1) -> Share:
    """Parameters of a device of the first, the last or a middle stage with so many layers.

    The vocabulary is split by tensor parallelism; a tied table stands on the first and on the last stage.
    """
    begin = 0 if first else model.layers - layers
    found = _of_layers(model, begin, layers, tp, ep)
    table = ceil(model.vocab / tp) * model.hidden
    ends = (table + model.positions * model.hidden) if first else 0
    ends += norm_size(model) if first and model.embedding_norm else 0
    if last:
        ends += ceil(model.vocab / tp) if model.head_bias else 0
        ends += norm_size(model) if model.final_norm else 0
        ends += 0 if model.tied and first else table
    return Share(found.dense + ends, found.experts)


def matrices(model: Model) -> list[tuple[int, int]]:
    """(rows, columns) of every matrix of a layer and of the ends, with how often: for factored optimizers.

    Given as (parameters, rows + columns) summed over all of the model.
    """
    h = model.hidden
    shapes = [(h, model.query_width), (h, model.key_width), (h, model.value_width), (model.output_width, h)]
    found = [(model.layers * r * c, model.layers * (r + c)) for r, c in shapes]
    ways = 3 if model.gated else 2
    routed = model.expert_layers
    plain = model.layers - routed
    found.append((plain * ways * h * model.ffn, plain * ways * (h + model.ffn)))
    if model.experts is not None:
        e = model.experts
        found.append((routed * ways * h * e.ffn * e.count, routed * ways * (h + e.ffn) * e.count))
        if e.shared:
            wide = shared_width(e)
            found.append((routed * ways * h * wide, routed * ways * (h + wide)))
    return found
