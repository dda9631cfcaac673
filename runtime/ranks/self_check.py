"""Checks what a rank would find here: which torch, whether gloo works, whose `runtime` is imported.

Run as `python -P -m runtime.ranks.self_check` in a process of its own; prints one JSON object.
"""

from __future__ import annotations

import json
import time
from datetime import timedelta
from typing import Any

import runtime


def examine() -> dict[str, Any]:
    """Return the findings; `error` says why others are missing, `gloo` is "" if a collective worked."""
    found: dict[str, Any] = {"runtime": next(iter(runtime.__path__))}
    begun = time.monotonic()
    try:
        import torch
        import torch.distributed as dist
    except Exception as error:  # what is not installed, and what is broken
        return found | {
            "error": f"{type(error).__name__}: {error}",
            "missing": isinstance(error, ImportError),
        }
    found |= {"torch": torch.__version__, "import_s": time.monotonic() - begun}
    found["cuda"] = torch.version.cuda
    found["nccl"] = bool(dist.is_available() and dist.is_nccl_available())
    found["gloo"] = _gloo(torch, dist) if dist.is_available() else "this build has no distributed package"
    try:
        found["gpus"] = torch.cuda.device_count()
    except Exception as error:
        found |= {"gpus": 0, "gpu_error": str(error)}
    return found


def _gloo(torch: Any, dist: Any) -> str:
    """Try gloo with a group of one, which also resolves this machine's name and opens sockets."""
    try:
        store = dist.HashStore()
        dist.init_process_group("gloo", store=store, rank=0, world_size=1, timeout=timedelta(seconds=10))
        dist.all_reduce(torch.ones(4))
        dist.destroy_process_group()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


if __name__ == "__main__":
    print(json.dumps(examine()))
