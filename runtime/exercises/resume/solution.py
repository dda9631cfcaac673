"""Resume after losing a rank: torchrun --nproc-per-node 4 resume.py"""

from pathlib import Path

import torch
import torch.distributed as dist


def resume(folder: Path, old: int, size: int, group: dist.ProcessGroup) -> tuple[torch.Tensor, list[int]]:
    """Return this rank's part of the state, and the samples it is to see."""
    # --- yours: from here
    steps = [
        int(it.name.removeprefix("step-"))
        for it in folder.glob("step-*")
        if all((it / f"{r}.pt").exists() for r in range(old))
    ]
    saved = [torch.load(folder / f"step-{max(steps)}" / f"{r}.pt") for r in range(old)]
    rank, world = dist.get_rank(group), group.size()
    state = torch.cat([it["shard"] for it in saved])
    seen = {n for r, it in enumerate(saved) for n in range(r, size, old)[: it["done"]]}
    left = [n for n in range(size) if n not in seen]
    return state.chunk(world)[rank], left[rank::world]
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    folder = Path("checkpoints/step-10")
    folder.mkdir(parents=True, exist_ok=True)
    torch.save({"shard": torch.zeros(3), "done": 2}, folder / f"{dist.get_rank()}.pt")
    dist.barrier()
    print(dist.get_rank(), resume(folder.parent, 4, 16, dist.group.WORLD))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
