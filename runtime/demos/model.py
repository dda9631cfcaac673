"""The model and the text that all demos share: a small transformer, and sentences it can learn in seconds."""

import math
import random
from collections.abc import Iterable

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.data import Dataset

VOCAB = 256  # one token is one byte
CPU = torch.device("cpu")


class Block(nn.Module):
    """Pre-norm transformer block: attention, then an MLP four times as wide."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.head_width = width // heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.q = nn.Linear(width, width, bias=False)
        self.k = nn.Linear(width, width, bias=False)
        self.v = nn.Linear(width, width, bias=False)
        self.o = nn.Linear(width, width, bias=False)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        """Return what the block makes of `x`, both [batch, seq, width]."""
        return self.mlp(self.attention(x))

    def attention(self, x: Tensor) -> Tensor:
        """Add causal self-attention to `x` [batch, seq, width] (Vaswani et al., 2017, section 3.2)."""
        n = self.norm1(x)
        batch, seq, _ = n.shape
        # -1 heads: with tensor parallelism a rank holds only some of them.
        q, k, v = (
            f(n).view(batch, seq, -1, self.head_width).transpose(1, 2) for f in (self.q, self.k, self.v)
        )
        mixed = self.core(q, k, v)
        return x + self.o(mixed.transpose(1, 2).reshape(batch, seq, -1))

    def core(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """All that happens between q, k, v and their mixture, each [batch, heads, seq, head width]."""
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    def mlp(self, x: Tensor) -> Tensor:
        """Add the MLP, token by token, to `x` [batch, seq, width]."""
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class TinyLM(nn.Module):
    """Predicts the next byte. 469 504 parameters at width 128, 2 layers, 64 positions."""

    def __init__(self, width: int = 128, layers: int = 2, seq: int = 64) -> None:
        super().__init__()
        self.emb, self.pos = nn.Embedding(VOCAB, width), nn.Embedding(seq, width)
        self.blocks = nn.ModuleList(Block(width, heads=math.gcd(width, 4)) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, VOCAB, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        """Tokens [batch, seq] to logits [batch, seq, VOCAB]."""
        x = self.emb(tokens) + self.pos(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def next_token_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Mean cross-entropy in nats per byte: ln 256 = 5.55 for a model that knows nothing."""
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


_ADJECTIVES = ("slow", "warm", "small", "quiet", "first", "last", "heavy", "sparse")
_NOUNS = ("rank", "ring", "bucket", "tensor", "gradient", "node", "shard", "batch")
_VERBS = ("sends", "waits for", "adds", "gathers", "splits", "copies", "reduces", "scatters")
_ENDINGS = (".", " again.", " in turn.", " and rests.")


def sentence(rng: random.Random) -> str:
    """One sentence of a tiny grammar: `the slow rank waits for a bucket again.`"""
    pick = rng.choice
    subject = f"the {pick(_ADJECTIVES)} {pick(_NOUNS)}"
    return f"{subject} {pick(_VERBS)} a {pick(_NOUNS)}{pick(_ENDINGS)}"


class Sentences(Dataset[tuple[Tensor, Tensor]]):
    """`length` samples of text made on the spot; sample i is the same on every rank and in every run.

    Whole batches (`take`, `pick`) are put on the device `here`.
    """

    def __init__(self, length: int, seq: int = 64, seed: int = 0, here: torch.device = CPU) -> None:
        self.length, self.seq, self.seed, self.here = length, seq, seed, here

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        """Tokens [seq] and the tokens that follow them [seq]."""
        rng = random.Random(self.seed * 1_000_003 + index)
        text = sentence(rng)
        skip = rng.randrange(len(text))  # samples begin anywhere in a sentence
        while len(text) < skip + self.seq + 1:
            text += " " + sentence(rng)
        tokens = torch.tensor(list(text[skip : skip + self.seq + 1].encode()))
        return tokens[:-1], tokens[1:]

    def take(self, first: int, count: int) -> tuple[Tensor, Tensor]:
        """Samples `first` to `first + count - 1` as one batch: tokens and targets, [count, seq] each."""
        return self.pick(range(first, first + count))

    def pick(self, numbers: Iterable[int]) -> tuple[Tensor, Tensor]:
        """The samples of these numbers as one batch, in the same way."""
        tokens, targets = zip(*(self[i] for i in numbers), strict=True)
        return torch.stack(tokens).to(self.here), torch.stack(targets).to(self.here)
