"""Send to the right, receive from the left: torchrun --nproc-per-node 4 send_receive.py"""
# told: crash: a rank that does not exist

import torch
import torch.distributed as dist


def exchange(mine: torch.Tensor) -> torch.Tensor:
    """Send `mine` to the right, and return what the left neighbour sent."""
    # --- yours: from here
    rank = dist.get_rank()
    arrived = torch.empty_like(mine)
    if rank % 2 == 0:
        dist.recv(arrived, rank - 1)
        dist.send(mine, rank + 1)
    else:
        dist.send(mine, rank + 1)
        dist.recv(arrived, rank - 1)
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
