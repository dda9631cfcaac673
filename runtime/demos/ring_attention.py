"""Attention of queries that stay to keys and values that go round a ring, forward and backward."""

from collections.abc import Iterator
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor


def chunks_of(rank: int, world: int, order: str) -> tuple[int, int]:
    """The two chunks of the sequence, of 2n, that a rank holds."""
    return (2 * rank, 2 * rank + 1) if order == "plain" else (rank, 2 * world - 1 - rank)


class Arrived(torch.autograd.Function):
    """Forward: what the left neighbour sent, once it is there. Backward: its gradient goes back to the left,
    and that of what this rank has sent comes from the right."""

    @staticmethod
    def forward(ctx: Any, kv: Tensor, arriving: Tensor, transfers: list[dist.Work]) -> Tensor:
        """Wait for the transfers and return what arrived; `kv` is only there for its gradient."""
        for transfer in transfers:
            transfer.wait()
        return arriving

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        """Return the gradient of what this rank sent, which its right neighbour computed."""
        rank, world = dist.get_rank(), dist.get_world_size()
        left, right = (rank - 1) % world, (rank + 1) % world
        back, own = gradient.contiguous(), torch.empty_like(gradient)
        both = [dist.P2POp(dist.isend, back, left), dist.P2POp(dist.irecv, own, right)]
        for transfer in dist.batch_isend_irecv(both):
            transfer.wait()
        return own, None, None


def around(kv: Tensor) -> Iterator[tuple[int, Tensor]]:
    """The keys and values of every rank, with its number: own ones first, then those that arrive."""
    rank, world = dist.get_rank(), dist.get_world_size()
    left, right = (rank - 1) % world, (rank + 1) % world
    for k in range(world):
        transfers, arriving = [], torch.empty_like(kv)
        if k < world - 1:
            there = dist.P2POp(dist.isend, kv.detach(), right)
            here = dist.P2POp(dist.irecv, arriving, left)
            transfers = dist.batch_isend_irecv([there, here])
        yield (rank - k) % world, kv  # the next ones travel
        if transfers:
            kv = Arrived.apply(kv, arriving, transfers)


class OnlineSoftmax:
    """Attention of one chunk of queries [heads, tokens, width] to keys that come piece by piece."""

    def __init__(self, q: Tensor) -> None:
        self.q = q / q.shape[-1] ** 0.5
        self.largest = q.new_full((*q.shape[:-1], 1), -torch.inf)
        self.total, self.mixed = torch.zeros_like(self.largest), torch.zeros_like(q)

    def see(self, k: Tensor, v: Tensor, same: bool) -> None:
        """`same`: they are of the queries' own chunk, and only those before a token count."""
        scores = self.q @ k.transpose(-1, -2)
        if same:
            later = torch.ones_like(scores[0]).triu(1).bool()
            scores = scores.masked_fill(later, -torch.inf)
        highest = scores.detach().amax(-1, keepdim=True)  # cancels out
        largest = torch.maximum(self.largest, highest)
        weights = (scores - largest).exp()
        before = (self.largest - largest).exp()
        self.total = self.total * before + weights.sum(-1, keepdim=True)
        self.mixed = self.mixed * before + weights @ v
        self.largest = largest

    def result(self) -> Tensor:
        """Return the attention over all keys seen so far, [heads, tokens, width]."""
        return self.mixed / self.total


def ring_attention(q: Tensor, kv: Tensor, order: str) -> tuple[Tensor, int]:
    """Of this rank's two chunks, q [2, heads, tokens, width] and kv [2, 2, ...]; and the pairs computed."""
    rank, world, pairs = dist.get_rank(), dist.get_world_size(), 0
    mine = [(chunk, OnlineSoftmax(x)) for chunk, x in zip(chunks_of(rank, world, order), q, strict=True)]
    for owner, (keys, values) in around(kv):
        for theirs, k, v in zip(chunks_of(owner, world, order), keys, values, strict=True):
            for own, softmax in mine:
                if theirs <= own:  # what comes later is not seen
                    softmax.see(k, v, same=theirs == own)
                    pairs += 1
    # Nothing of the last ones may count for this rank, but its backward hands their gradient on all the same.
    return torch.stack([softmax.result() for _, softmax in mine]) + 0 * (keys.sum() + values.sum()), pairs
