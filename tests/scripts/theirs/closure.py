"""Each rank fits a model of its own, for itself; LBFGS has its gradients made in a closure."""

import os

import torch
from torch import nn


def main() -> None:
    torch.manual_seed(int(os.environ["RANK"]))
    x = torch.randn(64, 10)
    y = (x @ torch.randn(10, 1)).tanh()
    model = nn.Sequential(nn.Linear(10, 32), nn.Tanh(), nn.Linear(32, 1))
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=5)

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        losses = (model(x) - y).square().flatten()
        losses.backward(torch.full_like(losses, 1 / len(losses)))  # the mean
        return losses.mean()

    for _ in range(6):
        loss = optimizer.step(closure)
        print(f"{float(loss):.6f}", flush=True)


if __name__ == "__main__":
    main()
