"""Context parallelism: one long sequence cut among the ranks, whose keys and values go round a ring.

torchrun --nproc-per-node 4 context.py --order zigzag

Every rank keeps its queries and, while it works on the keys and values it has, passes them to its right
neighbour and gets the next ones from its left. No rank ever holds the scores of the whole sequence: softmax
is kept up online, by its largest score and its sum so far (Liu et al., "Ring attention", 2023).

With a causal mask a token sees only those before it, so in plain order the last rank has most to do. Zigzag
cuts twice as many chunks and gives rank r the chunks r and 2n-1-r: the same work for all.
"""

import argparse
from collections.abc import Iterator

import torch
import torch.distributed as dist
import torch.nn.functional as F
from instruments import probe
from torch import Tensor


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="ring attention by hand, checked against full attention")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--seq", type=int, default=1024, help="tokens of the whole sequence")
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--width", type=int, default=32, help="of a head")
    parser.add_argument("--order", choices=("plain", "zigzag"), default="zigzag")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def chunks_of(rank: int, world: int, order: str) -> tuple[int, int]:
    """The two chunks of the sequence, of 2n, that a rank holds."""
    return (2 * rank, 2 * rank + 1) if order == "plain" else (rank, 2 * world - 1 - rank)


def around(kv: Tensor) -> Iterator[tuple[int, Tensor]]:
    """The keys and values of every rank, with its number: own ones first, then those that arrive."""
    rank, world = dist.get_rank(), dist.get_world_size()
    left, right = (rank - 1) % world, (rank + 1) % world
    for k in range(world):
        transfers, arriving = [], torch.empty_like(kv)
        if k < world - 1:
            both = [dist.P2POp(dist.isend, kv, right), dist.P2POp(dist.irecv, arriving, left)]
            transfers = dist.batch_isend_irecv(both)
        yield (rank - k) % world, kv  # while the next ones are on their way
        for transfer in transfers:
            transfer.wait()
        kv = arriving


class OnlineSoftmax:
    """Attention of one chunk of queries [heads, tokens, width] to keys that come piece by piece."""

    def __init__(self, q: Tensor) -> None:
        self.q = q / q.shape[-1] ** 0.5
        self.largest = torch.full((*q.shape[:-1], 1), -torch.inf)
        self.total, self.mixed = torch.zeros_like(self.largest), torch.zeros_like(q)

    def see(self, k: Tensor, v: Tensor, same: bool) -> None:
        """`same`: they are of the queries' own chunk, and only those before a token count."""
        scores = self.q @ k.transpose(-1, -2)
        if same:
            scores = scores.masked_fill(torch.ones(scores.shape[-2:]).triu(1).bool(), -torch.inf)
        largest = torch.maximum(self.largest, scores.amax(-1, keepdim=True))
        weights, before = (scores - largest).exp(), (self.largest - largest).exp()
        self.total = self.total * before + weights.sum(-1, keepdim=True)
        self.mixed = self.mixed * before + weights @ v
        self.largest = largest

    def result(self) -> Tensor:
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
    return torch.stack([softmax.result() for _, softmax in mine]), pairs


def main() -> None:
    args = arguments()
    probe.boot("rendezvous")
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    own, worst = list(chunks_of(rank, world, args.order)), 0.0

    for step in range(args.steps):
        torch.manual_seed(args.seed + step)
        qkv = torch.randn(3, args.heads, args.seq, args.width)  # the same on every rank, for the check alone
        cut = torch.stack(qkv.chunk(2 * world, dim=2), dim=1)  # [3, chunk, heads, tokens, width]
        q, kv = cut[0, own].contiguous(), cut[1:, own].contiguous()
        with probe.step(tokens=args.seq // world), probe.phase("forward"):
            mixed, pairs = ring_attention(q, kv, args.order)
        whole = F.scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], is_causal=True)
        expected = torch.stack(whole.chunk(2 * world, dim=1))[own]
        worst = max(worst, (mixed - expected).abs().max().item())
        probe.value("pairs", pairs)
        probe.value("difference", worst)

    probe.result(max_difference=worst, pairs=pairs, ring_bytes=(world - 1) * kv.nbytes)
    if rank == 0:
        print(f"off by {worst:.2g} from attention over the whole sequence", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
