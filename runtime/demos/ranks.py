"""Who is who: every rank says on which node it is, which one there, which one of all, and how it knows.

torchrun --nproc-per-node 4 ranks.py
torchrun --nnodes 2 --nproc-per-node 2 --node-rank 0 --master-addr HOST --master-port 29500 ranks.py   (and 1)

All that a rank knows at its start stands in its environment: whoever started it put it there. `LOCAL_RANK`
picks the device, `RANK` picks the data, and rank 0 is where all meet (`MASTER_ADDR`, `MASTER_PORT`).
"""

import argparse
import os
import platform
import time

import torch
import torch.distributed as dist
from device import backend, device
from instruments import probe

TOLD = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "MASTER_ADDR", "MASTER_PORT",
        "OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES")  # fmt: skip
COLUMNS = ("node", "local", "rank", "pid")


def arguments() -> argparse.Namespace:
    """Read the command line; `--pause_ms` is slept after each step, to keep the ranks in view."""
    parser = argparse.ArgumentParser(description="a roll call of all ranks")
    parser.add_argument("--steps", type=int, default=10, help="roll calls")
    parser.add_argument("--pause_ms", type=float, default=500.0, help="time to look, after each of them")
    return parser.parse_args()


def main() -> None:
    """Print who this rank is, gather every rank's numbers, and report whether they are consistent."""
    args = arguments()
    for name in TOLD:
        print(f"{name:20s} {os.environ.get(name, '-')}", flush=True)
    node, local = int(os.environ.get("GROUP_RANK", "0")), int(os.environ["LOCAL_RANK"])
    probe.boot("rendezvous")
    here = device()
    dist.init_process_group(
        backend(here)
    )  # every rank calls the master, learns where the others are, connects
    rank, world, pid = dist.get_rank(), dist.get_world_size(), os.getpid()
    print(f"{'host, pid, device':20s} {platform.node()}, {pid}, {here}", flush=True)
    probe.value("node", node)
    probe.value("local_rank", local)
    probe.value("pid", pid)

    rows = [torch.zeros(len(COLUMNS), dtype=torch.long, device=here) for _ in range(world)]
    for step in range(args.steps):
        with probe.step():
            dist.all_gather(rows, torch.tensor([node, local, rank, pid], device=here))
        if rank == 0 and step == 0:
            print(("{:>8s}" * len(COLUMNS)).format(*COLUMNS), flush=True)
            for row in rows:
                print(("{:8d}" * len(COLUMNS)).format(*row.tolist()), flush=True)
        time.sleep(args.pause_ms / 1000)

    table = torch.stack(rows)
    ranks_on_node = int(os.environ["LOCAL_WORLD_SIZE"])
    consistent = (
        table[:, 2].tolist() == list(range(world))
        and torch.equal(table[:, 0] * ranks_on_node + table[:, 1], table[:, 2])
        and len(set(table[:, 3].tolist())) == world  # of one machine: no two processes are one
    )
    # The machine's name is only printed: a recorded run is handed on, and names nobody's machine.
    probe.result(node=node, local_rank=local, rank=rank, pid=pid, device=str(here),
                 nodes=len(set(table[:, 0].tolist())), consistent=consistent)  # fmt: skip
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
