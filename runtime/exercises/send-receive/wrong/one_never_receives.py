"""Send to the right, receive from the left: torchrun --nproc-per-node 4 send_receive.py"""
# told: deadlock: which has finished and never receives it

import torch
import torch.distributed as dist


def exchange(mine: torch.Tensor) -> torch.Tensor:
    """Send `mine` to the right, and return what the left neighbour sent."""
    # --- yours: from here
    rank, world = dist.get_rank(), dist.get_world_size()
    arrived = torch.empty_like(mine)
    sending = dist.isend(mine, (rank + 1) % world)
    if rank:
        dist.recv(arrived, (rank - 1) % world)
        sending.wait()
    return arrived
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    mine = torch.full((4,), float(dist.get_rank()))
    print(dist.get_rank(), exchange(mine))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
