"""Written for GPUs: a Trainer with snapshots as in PyTorch's examples, mixed precision as in GPT trainers.

torchrun --standalone --nproc_per_node=2 gpu_only.py --out DIR
"""

import argparse
import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.distributed import destroy_process_group, init_process_group
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class Trainer:
    def __init__(self, model, loader, optimizer, snapshot):
        self.gpu = int(os.environ["LOCAL_RANK"])
        self.model = model.to(self.gpu)
        self.loader, self.optimizer, self.snapshot = loader, optimizer, snapshot
        self.scaler = torch.amp.GradScaler("cuda")
        self.model = DDP(self.model, device_ids=[self.gpu], output_device=self.gpu)

    def run_batch(self, source, targets):
        source = source.pin_memory().to(f"cuda:{self.gpu}", non_blocking=True)
        targets = targets.cuda(self.gpu, non_blocking=True)
        with torch.autocast(device_type="cuda", dtype=torch.bfloat16):
            loss = F.mse_loss(self.model(source), targets)
        self.optimizer.zero_grad(set_to_none=True)
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss.detach()

    def run_epoch(self, epoch):
        self.loader.sampler.set_epoch(epoch)
        began, ended = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        began.record()
        total = torch.zeros(1, device=torch.device("cuda", self.gpu))
        for source, targets in self.loader:
            total += self.run_batch(source, targets)
        ended.record()
        torch.cuda.synchronize()
        dist.all_reduce(total, op=dist.ReduceOp.AVG)
        assert began.elapsed_time(ended) > 0
        print(f"[GPU{self.gpu}] epoch {epoch} | loss {total.item() / len(self.loader):.4f}", flush=True)

    def train(self, epochs):
        for epoch in range(epochs):
            self.run_epoch(epoch)
            if self.gpu == 0:
                torch.save(self.model.module.state_dict(), self.snapshot)
            dist.barrier(device_ids=[self.gpu])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    assert torch.cuda.is_available(), "this needs GPUs"
    local = int(os.environ["LOCAL_RANK"])
    assert local < torch.cuda.device_count()
    torch.cuda.set_device(local)
    init_process_group(backend="nccl", device_id=torch.device("cuda", local))
    torch.cuda.manual_seed(0)
    torch.manual_seed(0)
    x = torch.randn(64, 20)
    data = TensorDataset(x, x.sum(1, keepdim=True))
    loader = DataLoader(data, batch_size=8, pin_memory=True, shuffle=False, sampler=DistributedSampler(data))
    model = torch.nn.Sequential(torch.nn.Linear(20, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, fused=True)
    snapshot = args.out / "snapshot.pt"
    trainer = Trainer(model, loader, optimizer, snapshot)
    trainer.train(3)
    saved = torch.load(snapshot, map_location=f"cuda:{local}")
    equal = all(torch.equal(saved[name], value) for name, value in trainer.model.module.state_dict().items())
    print(f"snapshot equal {equal}, {torch.cuda.max_memory_allocated()} bytes of GPU memory", flush=True)
    destroy_process_group()


if __name__ == "__main__":
    main()
