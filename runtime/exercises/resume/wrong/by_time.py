"""Resume after losing a rank: torchrun --nproc-per-node 4 resume.py"""
# told: wrong: an older checkpoint

from pathlib import Path

import torch
import torch.distributed as dist


def resume(folder: Path, old: int, size: int, group: dist.ProcessGroup) -> tuple[torch.Tensor, list[int]]:
    """Return this rank's part of the state, and the samples it is to see."""
    # --- yours: from here
    steps = []
    for d in folder.iterdir():
        if d.name.startswith("step-") and all((d / f"{r}.pt").exists() for r in range(old)):
            steps.append((int(d.name.split("-")[1]), d))
    newest = max(steps, key=lambda s: s[1].stat().st_mtime)[1]
    files = [torch.load(newest / f"{r}.pt") for r in range(old)]
    state = torch.cat([f["shard"] for f in files])
    left = []
    for r, f in enumerate(files):
        left += list(range(r, size, old))[f["done"] :]
    left.sort()
    me, world = dist.get_rank(group), dist.get_world_size(group)
    return state.chunk(world)[me], left[me::world]
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
