"""Attention by a ring: torchrun --nproc-per-node 4 ring_attention.py"""
# told: wrong: before a larger score came

import torch
import torch.distributed as dist


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Return the attention of this rank's queries over the keys and values of all ranks."""
    # --- yours: from here
    rank, world = dist.get_rank(), dist.get_world_size()
    largest = torch.full((len(q), 1), -torch.inf)
    total, weighted = torch.zeros(len(q), 1), torch.zeros_like(q)
    for n in range(world):
        scores = q @ k.T / q.shape[1] ** 0.5
        new = torch.maximum(largest, scores.max(1, keepdim=True).values)
        old, weights = (largest - new).exp(), (scores - new).exp()
        total = total + weights.sum(1, keepdim=True)
        weighted = weighted + weights @ v
        largest = new
        if n < world - 1:
            both = torch.stack([k, v])
            arriving = torch.empty_like(both)
            sent = dist.isend(both, (rank + 1) % world)
            dist.recv(arriving, (rank - 1) % world)
            sent.wait()
            k, v = arriving
    return weighted / total
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    torch.manual_seed(dist.get_rank())
    q, k, v = torch.randn(3, 2, 4)
    print(dist.get_rank(), attention(q, k, v))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
