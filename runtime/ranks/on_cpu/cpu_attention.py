"""Attention of a script written for GPUs, where there is only a CPU (`runtime.ranks.on_cpu.gpu_on_cpu`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

SHARDED = "attention of sharded tensors step by step"
KERNELS = "attention not by a GPU's kernels alone"


def any_kernel(plain: Any, note: Callable[[str], None]) -> Any:
    """Return `scaled_dot_product_attention` for scripts that allow only kernels of a GPU: the CPU has two."""
    import torch

    def attention(*args: Any, **kwargs: Any) -> Any:
        if torch.backends.cuda.math_sdp_enabled():
            return plain(*args, **kwargs)
        from torch.nn.attention import SDPBackend, sdpa_kernel

        note(KERNELS)
        with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]):
            return plain(*args, **kwargs)

    return attention


def of_sharded(plain: Any, note: Callable[[str], None]) -> Any:
    """Return the same for sharded tensors. DTensor knows how to split the fused attention of GPUs, and not
    that of CPUs: that one is computed by operators which it can split."""
    from torch.distributed.tensor import DTensor
    from torch.distributed.tensor.experimental import implicit_replication
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def attention(*args: Any, **kwargs: Any) -> Any:
        if not any(isinstance(it, DTensor) for it in args):
            return plain(*args, **kwargs)
        note(SHARDED)
        # A causal mask is made on the way, the same on every rank.
        with sdpa_kernel(SDPBackend.MATH), implicit_replication():
            return plain(*args, **kwargs)

    return attention
