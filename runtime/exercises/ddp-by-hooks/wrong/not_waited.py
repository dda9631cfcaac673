"""Data parallel by hooks: torchrun --nproc-per-node 4 ddp_by_hooks.py"""
# told: wrong: nobody calls wait()

import torch
import torch.distributed as dist


def replicate(model: torch.nn.Module) -> None:
    """Make `model` the same on all ranks, and have each backward average its gradients."""

    # --- yours: from here
    def hook(p):
        dist.all_reduce(p.grad, async_op=True)
        p.grad /= dist.get_world_size()

    for p in model.parameters():
        dist.broadcast(p.data, 0)
        p.register_post_accumulate_grad_hook(hook)
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    torch.manual_seed(dist.get_rank())
    model = torch.nn.Linear(4, 1)
    replicate(model)
    model(torch.randn(2, 4)).mean().backward()
    print(dist.get_rank(), model.bias.data, model.weight.grad)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
