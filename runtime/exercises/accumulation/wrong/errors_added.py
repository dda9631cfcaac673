"""Accumulation that equals the large batch: torchrun --nproc-per-node 4 accumulation.py"""
# told: wrong: the mean is over both

import torch
import torch.distributed as dist
import torch.nn.functional as F


def gradients(model: torch.nn.Module, batches: list[tuple[torch.Tensor, torch.Tensor]]) -> None:
    """Leave in `.grad` the gradient of the mean loss over all samples of all ranks."""
    # --- yours: from here
    samples = sum(len(x) for x, _ in batches) * dist.get_world_size()
    for p in model.parameters():
        p.grad = None
    for x, y in batches:
        (F.mse_loss(model(x), y, reduction="sum") / samples).backward()
    for p in model.parameters():
        dist.all_reduce(p.grad)
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 1)
    gradients(model, [(torch.randn(2, 4), torch.randn(2, 1)), (torch.randn(2, 4), torch.randn(2, 1))])
    print(dist.get_rank(), model.bias.grad)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
