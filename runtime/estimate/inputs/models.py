"""What a transformer is made of, as far as memory, arithmetic and traffic depend on it.

Two families: `gpt` (LayerNorm, biases, an MLP of two matrices, learned positions, dropout; the layout that
the Megatron-LM papers count) and `llama` (RMSNorm, no biases, a gated MLP of three matrices, rotary
positions). Either may have a mixture of experts, grouped key and value heads, or latent attention.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Family = Literal["gpt", "llama"]


@dataclass(frozen=True, slots=True)
class Experts:
    """The routed MLPs of a layer: `active` of `count` see a token, and `shared` ones see every token.

    `ffn` is the width of one. The first `dense_layers` layers, and all but each `every`th of the others,
    have an ordinary MLP instead.
    """

    count: int
    active: int
    ffn: int
    shared: int = 0
    shared_ffn: int = 0  # width of the shared expert, where it differs from `ffn`
    dense_layers: int = 0
    every: int = 1
    router_bias: bool = False
    shared_gate: bool = False
    bias: bool = False  # of the matrices of each routed expert


@dataclass(frozen=True, slots=True)
class Latent:
    """Multi-head latent attention (DeepSeek-V2): ranks of the compressed queries, keys and values, and the
    parts of a head that are rotated and not. `query_rank` 0: queries are not compressed."""

    query_rank: int
    kv_rank: int
    plain: int
    rotary: int
    value: int


@dataclass(frozen=True, slots=True)
class Window:
    """The `tokens` that a token of so many `layers` sees at most: itself and those right before it, or,
    `chunked`, those of its chunk up to it. The other layers see all before it."""

    tokens: int
    layers: int
    chunked: bool = False

    def keys(self, seq: int) -> float:
        """Keys that a token of a sequence of `seq` is scored with, counted as twice what the mask leaves: of
        a layer without a window that is `seq`, all of the square."""
        if seq <= self.tokens:
            return seq
        if not self.chunked:
            return self.tokens * (2 - self.tokens / seq)
        whole, rest = divmod(seq, self.tokens)
        return (whole * self.tokens**2 + rest**2) / seq


@dataclass(frozen=True, slots=True)
class Model:
    """A decoder. Counts of heads and layers, widths in elements, `vocab` in tokens.

    `positions` are learned ones (0: rotary). `final_norm` is false only where a paper's own formula leaves
    the last norm out.
    """

    name: str
    source: str
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_size: int
    ffn: int
    vocab: int
    family: Family = "llama"
    positions: int = 0
    tied: bool = False
    final_norm: bool = True
    qkv_bias: bool = False
    output_bias: bool = False
    latent_bias: bool = False  # of the matrices that compress, and of the output's
    mlp_bias: bool = False
    head_bias: bool = False
    qk_norm: bool = False  # of each head
    qk_norm_whole: bool = False  # of all heads together
    sinks: bool = False  # a learned score of each head that no token has (gpt-oss)
    embedding_norm: bool = False
    norm_numbers: int | None = None  # of an element in a norm; None: LayerNorm's 2 in a gpt, RMSNorm's 1
    norms: int = 2  # a layer; with one, attention and MLP have the same input
    dropout: bool = False
    experts: Experts | None = None
    latent: Latent | None = None
    window: Window | None = None

    @property
    def gated(self) -> bool:
        """Whether its MLP has a gate, so three matrices (SwiGLU, arXiv 2002.05202)."""
        return self.family == "llama"

    @property
    def query_width(self) -> int:
        """Elements of all heads' queries of a token; those of a key head's part that scores use."""
        size = self.latent.plain + self.latent.rotary if self.latent else self.head_size
        return self.heads * size

    @property
    def key_width(self) -> int:
        """Elements of a token's keys as attention sees them."""
        return self.query_width if self.latent else self.kv_heads * self.head_size

    @property
    def value_width(self) -> int:
        """Width of what attention gives before its output matrix."""
        return self.heads * self.latent.value if self.latent else self.kv_heads * self.head_size

    @property
    def output_width(self) -> int:
        """Elements of what attention gives, before its projection."""
        return self.heads * (self.latent.value if self.latent else self.head_size)

    @property
    def expert_layers(self) -> int:
        """Layers with routed experts."""
        if self.experts is None:
            return 0
        return len(range(self.experts.dense_layers, self.layers, self.experts.every))


def gpt(
    layers: int,
    hidden: int,
    heads: int,
    vocab: int = 51200,
    positions: int = 2048,
    ffn: int = 0,
    name: str = "",
) -> Model:
    """A GPT as the Megatron-LM papers count it: P = 12 l h² (1 + 13/(12 h) + (V + s)/(12 l h))."""
    return Model(
        name or f"GPT, {layers} layers of {hidden}",
        "GPT layout of arXiv 2104.04473, eq. 2",
        layers, hidden, heads, heads, hidden // heads, ffn or 4 * hidden, vocab,
        family="gpt", positions=positions, tied=True, final_norm=False, qkv_bias=True, output_bias=True,
        mlp_bias=True,
        dropout=True,
    )  # fmt: skip


def llama(
    layers: int,
    hidden: int,
    heads: int,
    kv_heads: int,
    ffn: int,
    vocab: int,
    *,
    tied: bool = False,
    head_size: int = 0,
    experts: Experts | None = None,
    name: str = "",
    source: str = "",
) -> Model:
    """A Llama: grouped key and value heads, gated MLP, no biases; with `experts` a Mixtral."""
    return Model(
        name or f"Llama layout, {layers} layers of {hidden}",
        source or "Llama layout of arXiv 2307.09288",
        layers, hidden, heads, kv_heads, head_size or hidden // heads, ffn, vocab, tied=tied, experts=experts,
    )  # fmt: skip
