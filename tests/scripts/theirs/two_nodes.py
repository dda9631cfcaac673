"""Trains with DDP and prints what torchrun told it, and how fast the kernel lets each connection be."""

import json
import os
import socket
import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

TOLD = ("RANK", "LOCAL_RANK", "GROUP_RANK", "ROLE_RANK", "ROLE_NAME", "WORLD_SIZE", "LOCAL_WORLD_SIZE",
        "GROUP_WORLD_SIZE", "ROLE_WORLD_SIZE", "MASTER_ADDR", "TORCHELASTIC_USE_AGENT_STORE",
        "TORCHELASTIC_RESTART_COUNT")  # fmt: skip
PACING = 47  # SO_MAX_PACING_RATE
STORE = int(os.environ["MASTER_PORT"])


def rates() -> dict[str, int]:
    """Of every connection, by the ports of its ends."""
    found = {}
    for fd in range(256):
        try:
            link = socket.socket(fileno=fd)
        except OSError:
            continue
        try:
            if link.family in (socket.AF_INET, socket.AF_INET6):
                ends = link.getsockname()[1], link.getpeername()[1]
                rate = link.getsockopt(socket.SOL_SOCKET, PACING, 8)
                if STORE not in ends:
                    found[f"{ends[0]} {ends[1]}"] = int.from_bytes(rate, sys.byteorder)
        except OSError:
            pass  # it listens
        finally:
            link.detach()
    return found


dist.init_process_group("gloo")
torch.manual_seed(0)
model = DistributedDataParallel(torch.nn.Linear(512, 512))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(30):
    optimizer.zero_grad()
    model(torch.randn(8, 512)).square().mean().backward()
    optimizer.step()
print("told", json.dumps({name: os.environ.get(name) for name in TOLD}), flush=True)
print("rates", json.dumps(rates()), flush=True)
dist.barrier()  # nobody hangs up while another still looks
dist.destroy_process_group()
