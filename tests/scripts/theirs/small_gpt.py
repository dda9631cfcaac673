"""A small GPT on the bytes of this file: gradient accumulation, clipping, a warm-up, evaluation, checkpoints.

torchrun --standalone --nproc_per_node=2 small_gpt.py --out DIR
"""

import argparse
import math
from contextlib import nullcontext
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel as DDP


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        batch, time, width = x.shape
        q, k, v = (
            part.view(batch, time, self.heads, width // self.heads).transpose(1, 2)
            for part in self.qkv(self.ln_1(x)).split(width, dim=2)
        )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, time, width))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, width=64, depth=2, heads=4, context=64):
        super().__init__()
        self.token, self.place = nn.Embedding(256, width), nn.Embedding(context, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(depth)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 256, bias=False)
        self.head.weight = self.token.weight  # tied

    def forward(self, tokens, targets=None):
        x = self.token(tokens) + self.place(torch.arange(tokens.shape[1]))
        logits = self.head(self.norm(self.blocks(x)))
        loss = None if targets is None else F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        return logits, loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--accumulate", type=int, default=4)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--context", type=int, default=64)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()

    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(1337 + rank)
    text = torch.frombuffer(bytearray(Path(__file__).read_bytes()), dtype=torch.uint8).long()

    def get_batch():
        starts = torch.randint(len(text) - args.context - 1, (args.batch,))
        rows = torch.stack([text[start : start + args.context + 1] for start in starts])
        return rows[:, :-1], rows[:, 1:]

    raw = GPT(context=args.context)
    model = DDP(raw)
    decay = [p for p in raw.parameters() if p.dim() >= 2]
    rest = [p for p in raw.parameters() if p.dim() < 2]
    groups = [{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=3e-3, betas=(0.9, 0.95))
    warm_up = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 4))

    @torch.no_grad()
    def estimate():
        model.eval()
        losses = [raw(*get_batch())[1].item() for _ in range(3)]
        model.train()
        return sum(losses) / len(losses)

    for step in range(args.steps):
        if step % 5 == 0:
            print(f"step {step}: evaluated {estimate():.3f}", flush=True)
            if rank == 0:
                state = {"model": raw.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
                torch.save(state, args.out / "checkpoint.pt")
        for micro in range(args.accumulate):
            last = micro == args.accumulate - 1
            with nullcontext() if last else model.no_sync():
                _, loss = model(*get_batch())
                (loss / args.accumulate).backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        warm_up.step()
        assert math.isfinite(norm)
    size = (args.out / "checkpoint.pt").stat().st_size if rank == 0 else 0
    print(f"done, a checkpoint of {size} bytes, last loss {loss.item():.3f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
