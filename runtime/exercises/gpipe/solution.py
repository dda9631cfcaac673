"""GPipe by hand: torchrun --nproc-per-node 4 gpipe.py"""

import torch
import torch.distributed as dist
import torch.nn.functional as F


def train(
    stage: torch.nn.Module,
    inputs: list[torch.Tensor],
    targets: list[torch.Tensor],
    count: int,
    shape: tuple[int, int],
) -> None:
    """Run all forwards, then all backwards, through this rank's stage.

    `inputs` is empty except on the first rank, `targets` except on the last.
    """
    # --- yours: from here
    rank, last = dist.get_rank(), dist.get_world_size() - 1
    kept = []
    for n in range(count):
        if rank == 0:
            x = inputs[n]
        else:
            x = torch.empty(shape)
            dist.recv(x, rank - 1)
            x.requires_grad_()
        y = stage(x)
        if rank < last:
            dist.send(y.detach(), rank + 1)
        kept.append((x, y))
    for n in range(count):
        x, y = kept[n]
        if rank == last:
            (F.mse_loss(y, targets[n]) / count).backward()
        else:
            gradient = torch.empty(shape)
            dist.recv(gradient, rank + 1)
            y.backward(gradient)
        if rank > 0:
            dist.send(x.grad, rank - 1)
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    stage = torch.nn.Linear(4, 4)
    batches = [torch.randn(2, 4) for _ in range(3)]
    first, last = dist.get_rank() == 0, dist.get_rank() == dist.get_world_size() - 1
    train(stage, batches if first else [], batches if last else [], 3, (2, 4))
    print(dist.get_rank(), stage.bias.grad)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
