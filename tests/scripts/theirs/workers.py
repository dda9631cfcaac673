"""DataLoader worker processes, one of each kind: forked for training, spawned for evaluating.

torchrun --standalone --nproc_per_node=2 workers.py
"""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Augmented(Dataset):
    """Its samples pass through a small module, in the worker."""

    def __init__(self, size):
        self.size = size
        self.blur = nn.Conv1d(1, 1, 3, padding=1)

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        assert get_worker_info() is not None
        generator = torch.Generator().manual_seed(index)
        x = torch.randn(1, 32, generator=generator)
        return self.blur(x).detach().squeeze(0), torch.tensor(index % 4), os.getpid()


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 4)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    criterion = nn.CrossEntropyLoss()
    pids = set()
    for _ in range(2):
        for x, y, pid in DataLoader(Augmented(48), batch_size=8, num_workers=2):
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            pids |= set(pid.tolist())
    with torch.no_grad():
        loader = DataLoader(Augmented(8), batch_size=8, num_workers=1, multiprocessing_context="spawn")
        right = sum((model(x).argmax(1) == y).sum().item() for x, y, _ in loader)
    assert os.getpid() not in pids
    print(f"{len(pids)} forked workers, {right} of 8 right", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
