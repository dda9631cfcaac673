"""In the shape of PyTorch's tutorial on distributed data parallel: a Trainer around a DDP model.

torchrun --standalone --nproc_per_node=2 tutorial_ddp.py 3 --batch_size 16
"""

import argparse
import os

import torch
import torch.nn.functional as F
from torch.distributed import destroy_process_group, init_process_group
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Noise(Dataset):
    def __init__(self, size):
        generator = torch.Generator().manual_seed(1)
        self.samples = [
            (torch.rand(20, generator=generator), torch.rand(1, generator=generator)) for _ in range(size)
        ]

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        return self.samples[index]


class Trainer:
    def __init__(self, model, loader, optimizer):
        self.rank = int(os.environ["LOCAL_RANK"])
        self.loader, self.optimizer = loader, optimizer
        self.model = DDP(model)

    def run_batch(self, source, targets):
        self.optimizer.zero_grad()
        loss = F.mse_loss(self.model(source), targets)
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def run_epoch(self, epoch):
        self.loader.sampler.set_epoch(epoch)
        losses = [self.run_batch(source, targets) for source, targets in self.loader]
        print(f"[rank {self.rank}] epoch {epoch} | steps {len(losses)} | loss {losses[-1]:.4f}", flush=True)

    def train(self, epochs):
        for epoch in range(epochs):
            self.run_epoch(epoch)


def main(epochs, batch_size):
    init_process_group(backend="gloo")
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(20, 512), torch.nn.Tanh(), torch.nn.Linear(512, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
    noise = Noise(128)
    loader = DataLoader(noise, batch_size=batch_size, shuffle=False, sampler=DistributedSampler(noise))
    Trainer(model, loader, optimizer).train(epochs)
    destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("epochs", type=int)
    parser.add_argument("--batch_size", type=int, default=32)
    args = parser.parse_args()
    main(args.epochs, args.batch_size)
