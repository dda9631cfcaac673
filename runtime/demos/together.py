"""The same training by as many processes as there are devices: what `alone.py` needs to be distributed.

torchrun --nproc-per-node 4 together.py [model.pt]
"""

import os
import sys

import torch
import torch.distributed as dist
from model import Sentences, TinyLM, next_token_loss
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

BATCH, SEQ, EPOCHS = 8, 64, 3


def main() -> None:
    """Train for some epochs of 256 sentences; the loss is in nats per byte."""
    local = os.environ["LOCAL_RANK"]
    here = f"cuda:{local}" if torch.cuda.is_available() else "cpu"
    dist.init_process_group()  # nccl on GPUs, gloo on CPUs
    torch.manual_seed(0)
    model = DistributedDataParallel(TinyLM().to(here))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    text = Sentences(32 * BATCH, SEQ)
    sampler: DistributedSampler[int] = DistributedSampler(text)
    batches = DataLoader(text, BATCH, sampler=sampler)

    for epoch in range(EPOCHS):
        sampler.set_epoch(epoch)
        for x, y in batches:
            loss = next_token_loss(model(x.to(here)), y.to(here))
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        if dist.get_rank() == 0:
            print(f"{epoch}: {len(batches)} steps, loss {loss:.2f}")
    if dist.get_rank() == 0 and sys.argv[1:]:
        torch.save(model.module.state_dict(), sys.argv[1])
    del model  # before its group, which DDP holds
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
