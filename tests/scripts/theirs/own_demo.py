"""A demo of one's own: gradient descent on a bowl, by every rank from another side, averaged each step.

It declares its parameters and shows a figure of its own. torchrun runs it too; then it shows nothing.

teachrun run ./own_demo.py ranks=2 lr=0.2 start=far
"""

import argparse

import torch
import torch.distributed as dist

try:
    from teachrun import probe  # where teachrun is installed
except ImportError:
    probe = None

TEACHRUN_PARAMS = {
    "lr": {"default": 0.1, "low": 0.0, "high": 1.0, "help": "learning rate"},
    "steps": {"default": 10, "low": 1, "high": 1000, "help": "steps of descent"},
    "start": ["near", "far"],
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--start", default="near")
    args = parser.parse_args()
    dist.init_process_group("gloo")
    far = 10.0 if args.start == "far" else 1.0
    theta = torch.tensor([far, -far * (1 + dist.get_rank())], requires_grad=True)
    optimizer = torch.optim.SGD([theta], lr=args.lr)
    for _ in range(args.steps):
        optimizer.zero_grad()
        loss = (theta**2).sum()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            dist.all_reduce(theta)
            theta /= dist.get_world_size()
        if probe is not None:
            probe.value("theta", theta.tolist())
    if probe is not None:
        probe.result(distance=theta.norm().item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
