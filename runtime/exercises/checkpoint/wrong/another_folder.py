"""A checkpoint that survives kill -9: torchrun --nproc-per-node 4 checkpoint.py"""
# told: wrong: not beside the old one

import os
import tempfile
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist


def save(state: dict[str, Any], path: Path) -> None:
    """Write `state` in the place of the checkpoint before; one of both is whole at every moment."""
    # --- yours: from here
    new = Path(tempfile.gettempdir()) / f"new-{os.getpid()}.pt"
    with new.open("wb") as f:
        torch.save(state, f)
        f.flush()
        os.fsync(f.fileno())
    os.replace(new, path)
    # --- to here


def load(path: Path) -> dict[str, Any] | None:
    """Return the checkpoint, None if there is none yet."""
    # --- yours: from here
    return torch.load(path) if path.exists() else None
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    path = Path(f"checkpoint-{dist.get_rank()}.pt")
    save({"step": 10}, path)
    print(dist.get_rank(), load(path))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
