"""ZeRO-1: a share of the optimizer: torchrun --nproc-per-node 4 zero_1.py"""
# told: wrong: write into it, in place

import torch
import torch.distributed as dist


class Momentum:
    """SGD with momentum 0.9, whose state is divided among the ranks."""

    def __init__(self, parameters: torch.Tensor, lr: float) -> None:
        self.parameters, self.lr = parameters, lr
        # --- yours: from here
        self.momentum = torch.zeros(len(parameters) // dist.get_world_size())
        # --- to here

    def step(self, gradient: torch.Tensor) -> None:
        """Update all parameters, in place, by the mean of the ranks' gradients."""
        # --- yours: from here
        world, rank = dist.get_world_size(), dist.get_rank()
        g = torch.empty_like(self.momentum)
        dist.reduce_scatter_tensor(g, gradient)
        g /= world
        self.momentum = 0.9 * self.momentum + g
        n = len(g)
        mine = self.parameters[rank * n : (rank + 1) * n] - self.lr * self.momentum
        out = torch.empty_like(self.parameters)
        dist.all_gather_into_tensor(out, mine)
        self.parameters = out
        # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    parameters = torch.ones(8)
    optimizer = Momentum(parameters, 0.1)
    optimizer.step(torch.full((8,), float(dist.get_rank())))
    print(dist.get_rank(), parameters)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
