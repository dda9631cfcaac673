"""Communication hooks for `ddp`: what is done to a bucket of gradients in place of a plain all-reduce.

A hook gets a bucket as soon as all its gradients are ready, and returns at once: a future of their mean.
PyTorch's own `bf16_compress_hook` wants NCCL, and its PowerSGD hook does not run on gloo.
"""

from collections.abc import Callable, Mapping

import torch
import torch.distributed as dist
from clock import Mark, mark, seconds
from instruments import probe
from torch import Tensor
from torch.distributed import GradBucket  # type: ignore[attr-defined]  # public, but not in `__all__`
from torch.futures import Future

Hook = Callable[[object, GradBucket], Future[Tensor]]


def compressed(dtype: torch.dtype) -> Hook:
    """Half the bytes: a bucket travels, and is added up, in 16 bits a number."""

    def hook(_: object, bucket: GradBucket) -> Future[Tensor]:
        gradients = bucket.buffer()
        # Divided first, for fp16 ends at 65 504.
        short = (gradients / dist.get_world_size()).to(dtype)
        sent = dist.all_reduce(short, async_op=True).get_future()
        return sent.then(lambda done: gradients.copy_(done.value()[0]))

    return hook


def timed(_: object, bucket: GradBucket) -> Future[Tensor]:
    """The plain all-reduce, and how long each bucket took from ready to arrived."""
    gradients = bucket.buffer()
    ready = mark(gradients.device)
    if bucket.index() == 0 and travels:
        probe.value("bucket_ms", [1000 * seconds(*travel) for travel in travels], "ms")
        travels.clear()
    sent = dist.all_reduce(gradients.div_(dist.get_world_size()), async_op=True).get_future()

    def arrived(future: Future[list[Tensor]]) -> Tensor:
        travels.append((ready, mark(gradients.device)))
        return future.value()[0]

    return sent.then(arrived)


travels: list[tuple[Mark, Mark]] = []  # of the buckets of this step: ready, arrived; told with the next
HOOKS: Mapping[str, Hook | None] = {
    "none": None,
    "fp16": compressed(torch.float16),
    "bf16": compressed(torch.bfloat16),
    "timed": timed,
}
