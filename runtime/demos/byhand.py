"""All-reduce by hand, three ways, with nothing but sends and receives: every function sums `x` in place."""

import torch
import torch.distributed as dist
from torch import Tensor

sent = [0]  # bytes that left this rank


def transfer(send: tuple[Tensor, int] | None = None, receive: tuple[Tensor, int] | None = None) -> None:
    """Send a tensor to a rank and receive one from a rank, at the same time."""
    ops = []
    if send is not None:
        ops.append(dist.P2POp(dist.isend, *send))
        sent[0] += send[0].nbytes
    if receive is not None:
        ops.append(dist.P2POp(dist.irecv, *receive))
    for work in dist.batch_isend_irecv(ops):
        work.wait()


def naive(x: Tensor) -> None:
    """Gather everything on rank 0, add it up there in order of the ranks, and send the sums back."""
    rank, world = dist.get_rank(), dist.get_world_size()
    if rank > 0:
        transfer(send=(x, 0))
        transfer(receive=(x, 0))
        return
    arrived = torch.empty_like(x)
    for other in range(1, world):
        transfer(receive=(arrived, other))
        x += arrived
    for other in range(1, world):
        transfer(send=(x, other))


def tree(x: Tensor) -> None:
    """Ranks that differ in one bit meet: sums go to the lower one, then the result comes back that way."""
    rank, world = dist.get_rank(), dist.get_world_size()
    arrived = torch.empty_like(x)
    bits = [1 << i for i in range((world - 1).bit_length())]
    for bit in bits:
        if rank % (2 * bit) == bit:
            transfer(send=(x, rank - bit))
            break  # it has given its sum away
        if rank + bit < world:
            transfer(receive=(arrived, rank + bit))
            x += arrived
    for bit in reversed(bits):
        if rank % (2 * bit) == bit:
            transfer(receive=(x, rank - bit))
        elif rank % (2 * bit) == 0 and rank + bit < world:
            transfer(send=(x, rank + bit))


def ring(x: Tensor) -> None:
    """Reduce-scatter, then all-gather: chunks go round, to the right neighbour only."""
    rank, world = dist.get_rank(), dist.get_world_size()
    left, right = (rank - 1) % world, (rank + 1) % world
    chunks = x.tensor_split(world)
    arrived = torch.empty_like(chunks[0])
    for k in range(2 * (world - 1)):
        here = chunks[(rank - k) % world]
        there = chunks[(rank - k - 1) % world]
        into = arrived[: len(there)] if k < world - 1 else there
        transfer(send=(here, right), receive=(into, left))
        if k < world - 1:
            there += into
