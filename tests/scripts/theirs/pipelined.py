"""A pipeline of `torch.distributed.pipelining`: a stage per rank, four micro-batches, 1F1B.

torchrun --standalone --nproc_per_node=2 pipelined.py
"""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining import PipelineStage, Schedule1F1B

WIDTH, BATCH, MICRO_BATCHES, STEPS = 64, 16, 4, 6


def main():
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    device = torch.device("cpu")
    dist.init_process_group("gloo")
    torch.manual_seed(rank)
    part = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Linear(WIDTH, WIDTH))
    stage = PipelineStage(part, rank, world, device)
    schedule = Schedule1F1B(stage, MICRO_BATCHES, loss_fn=nn.functional.mse_loss)
    optimizer = torch.optim.SGD(part.parameters(), lr=0.1)
    torch.manual_seed(7)
    x, y = torch.randn(BATCH, WIDTH), torch.randn(BATCH, WIDTH)
    for step in range(STEPS):
        losses = []
        if rank == 0:
            schedule.step(x)
        elif rank == world - 1:
            schedule.step(target=y, losses=losses)
        else:
            schedule.step()
        optimizer.step()
        optimizer.zero_grad()
        if losses:
            print(f"step {step} loss {torch.stack(losses).mean().item():.6f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
