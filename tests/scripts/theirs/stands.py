"""Training in which one rank stands for ever in its forward, at the fourth step: data parallel, with shards,
or a pipeline.

torchrun --nproc-per-node 4 stands.py --how pipeline --rank 1
"""

import argparse
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.pipelining import PipelineStage, Schedule1F1B
from torch.nn.parallel import DistributedDataParallel

WIDTH = 64


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(WIDTH, WIDTH)
        self.stands = False

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.stands:
            time.sleep(1000)
        return torch.tanh(self.linear(x))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--how", choices=("ddp", "fsdp", "pipeline"), default="ddp")
    parser.add_argument("--rank", type=int, default=1)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    layers = [Layer() for _ in range(1 if args.how == "pipeline" else 3)]
    model = nn.Sequential(*layers)
    x = torch.randn(8, WIDTH)
    schedule = None
    if args.how == "ddp":
        model = DistributedDataParallel(model)
    elif args.how == "fsdp":
        for layer in (*layers, model):
            fully_shard(layer)
    else:
        stage = PipelineStage(model, rank, world, torch.device("cpu"))
        schedule = Schedule1F1B(stage, 8, loss_fn=lambda out, y: (out - y).square().mean())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(10):
        layers[-1].stands = step == 3 and rank == args.rank
        if schedule is None:
            model(x).square().mean().backward()
        else:
            schedule.step(*([x] if rank == 0 else []), **({"target": x} if rank == world - 1 else {}))
        optimizer.step()
        optimizer.zero_grad()
        time.sleep(0.05)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
