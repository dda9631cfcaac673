"""Two trainings in one script, with models and optimizers of their own: `late` has the second made when the
first is over, else both are there from the begin. The second one diverges with `--lr 1e30`."""

import argparse

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def made(width: int, lr: float) -> tuple[nn.Module, torch.optim.Optimizer]:
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(width, 1), nn.BatchNorm1d(1)))
    return model, torch.optim.SGD(model.parameters(), lr)


def train(name: str, model: nn.Module, optimizer: torch.optim.Optimizer, width: int, steps: int) -> None:
    for step in range(steps):
        torch.manual_seed(step)
        optimizer.zero_grad()
        loss = (model(torch.randn(8, width)) - 3.0).square().mean()
        loss.backward()
        optimizer.step()
        if dist.get_rank() == 0:
            print(name, step, f"{loss.item():.5f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--late", type=int, default=1)
    parser.add_argument("--lr", type=float, default=0.1)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    first = made(16, 0.1)
    second = None if args.late else made(256, args.lr)
    train("first", *first, 16, 6)
    train("second", *(second or made(256, args.lr)), 256, 8)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
