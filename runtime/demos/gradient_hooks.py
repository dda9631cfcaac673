"""Communication hooks for `ddp`: what is done to a bucket of gradients in place of a plain all-reduce.

A hook gets a bucket as soon as all its gradients are ready, and returns at once: a future of their mean.
PyTorch's own `bf16_compress_hook` wants NCCL, and its PowerSGD hook does not run on gloo.
"""

import time
from collections.abc import Callable, Mapping

import torch
import torch.distributed as dist
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
    ready, gradients = time.monotonic(), bucket.buffer()
    if bucket.index() == 0:
        took.clear()
    sent = dist.all_reduce(gradients.div_(dist.get_world_size()), async_op=True).get_future()

    def arrived(future: Future[list[Tensor]]) -> Tensor:
        took.append(1000 * (time.monotonic() - ready))
        probe.value("bucket_ms", took, "ms")
        return future.value()[0]

    return sent.then(arrived)


took: list[float] = []  # by the buckets of this step that have arrived
HOOKS: Mapping[str, Hook | None] = {
    "none": None,
    "fp16": compressed(torch.float16),
    "bf16": compressed(torch.bfloat16),
    "timed": timed,
}
