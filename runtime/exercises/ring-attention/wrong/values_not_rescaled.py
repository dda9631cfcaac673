"""Attention by a ring: torchrun --nproc-per-node 4 ring_attention.py"""
# told: wrong: the sum of values stays

import torch
import torch.distributed as dist


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Return the attention of this rank's queries over the keys and values of all ranks."""
    # --- yours: from here
    rank, world = dist.get_rank(), dist.get_world_size()
    right, left = (rank + 1) % world, (rank - 1) % world
    size = q.shape[1]
    largest = torch.full((q.shape[0], 1), float("-inf"))
    total = torch.zeros(q.shape[0], 1)
    out = torch.zeros_like(q)
    kv = torch.stack([k, v])
    for n in range(world):
        k, v = kv
        score = q @ k.T / size**0.5
        new = torch.maximum(largest, score.max(1, keepdim=True).values)
        scale = (largest - new).exp()
        weight = (score - new).exp()
        total = total * scale + weight.sum(1, keepdim=True)
        out = out + weight @ v
        largest = new
        if n < world - 1:
            got = torch.empty_like(kv)
            request = dist.isend(kv, right)
            dist.recv(got, left)
            request.wait()
            kv = got
    return out / total
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
