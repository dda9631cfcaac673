"""Buckets that travel during backward: torchrun --nproc-per-node 4 buckets.py"""
# told: wrong: its bucket was not sent

from collections.abc import Callable

import torch
import torch.distributed as dist


def bucketed(model: torch.nn.Module, most: int) -> Callable[[], None]:
    """Have backward send buckets of at most `most` numbers; returns what is called after it."""
    # --- yours: from here
    buckets, size = [[]], 0
    for parameter in reversed(list(model.parameters())):
        if buckets[-1] and size + parameter.numel() > most:
            buckets.append([])
            size = 0
        buckets[-1].append(parameter)
        size += parameter.numel()
    bucket_of = {parameter: bucket for bucket in buckets for parameter in bucket}
    there, sent = set(), []

    def hook(parameter: torch.Tensor) -> None:
        there.add(parameter)
        bucket = bucket_of[parameter]
        if there.issuperset(bucket):
            flat = torch.cat([it.grad.flatten() for it in bucket])
            sent.append((bucket, flat, dist.all_reduce(flat, async_op=True)))

    for parameter in bucket_of:
        parameter.register_post_accumulate_grad_hook(hook)

    def finish() -> None:
        for bucket, flat, work in sent:
            work.wait()
            parts = (flat / dist.get_world_size()).split([it.numel() for it in bucket])
            for parameter, part in zip(bucket, parts, strict=True):
                parameter.grad + part.view_as(parameter)
        sent.clear()
        there.clear()

    return finish
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 1))
    finish = bucketed(model, 10)
    model(torch.randn(2, 4) + dist.get_rank()).mean().backward()
    finish()
    print(dist.get_rank(), model[0].bias.grad)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
