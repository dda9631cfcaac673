"""Pipeline parallelism: a rank has some of the layers, the micro-batches of a step pass through all ranks.

torchrun --nproc-per-node 4 pipeline.py --schedule 1f1b --micro_batches 8

The loss is known on the rank of the last stage. The first step is checked against the whole model.
"""

import argparse
import copy
import time
from typing import Any

import torch
import torch.distributed as dist
from device import backend, device
from instruments import probe
from model import Sentences, TinyLM, next_token_loss
from padded import PaddedStage, pad_seconds
from torch import nn
from torch.distributed import pipelining

SCHEDULES: dict[str, Any] = {
    "gpipe": pipelining.ScheduleGPipe,
    "1f1b": pipelining.Schedule1F1B,
    "interleaved": pipelining.ScheduleInterleaved1F1B,
    "zero-bubble": pipelining.ScheduleInterleavedZeroBubble,
    "zbv": pipelining.ScheduleZBVZeroBubble,
}
MEASURED = 2  # the step whose time decides how long `auto` pads are


def arguments() -> argparse.Namespace:
    """Read the command line; `--chunks`, stages on a rank, only counts for schedules that have several."""
    parser = argparse.ArgumentParser(description="train a small transformer in pipeline stages")
    parser.add_argument("--schedule", choices=SCHEDULES, default="1f1b")
    parser.add_argument("--micro_batches", type=int, default=8, help="pieces the batch of a step is cut into")
    parser.add_argument("--chunks", type=int, default=2, help="stages on a rank (gpipe, 1f1b: one)")
    parser.add_argument(
        "--pad_ms", default="auto", help="sleep in a forward; auto: if cores are few, as measured"
    )
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--batch", type=int, default=8, help="sequences per rank and step")
    parser.add_argument("--seq", type=int, default=32, help="tokens per sequence")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


class Part(nn.Module):
    """One of `of` parts of the blocks; the first embeds the tokens, the last predicts the next ones."""

    def __init__(self, model: TinyLM, index: int, of: int) -> None:
        super().__init__()
        blocks = len(model.blocks)
        self.embed = nn.ModuleList([model.emb, model.pos] if index == 0 else [])
        self.blocks = model.blocks[index * blocks // of : (index + 1) * blocks // of]
        self.predict = nn.Sequential(*([model.norm, model.head] if index == of - 1 else []))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map tokens [batch, seq], or activations [batch, seq, width], to what the next part takes."""
        if self.embed:
            x = self.embed[0](x) + self.embed[1](torch.arange(x.shape[1], device=x.device))
        for block in self.blocks:
            x = block(x)
        return self.predict(x)


def main() -> None:
    """Train by the chosen schedule; report how far the first gradients are from the whole model's."""
    args = arguments()
    probe.boot("rendezvous")
    dist.init_process_group(backend(here := device()))  # this rank's GPU, or the CPU
    rank, world = dist.get_rank(), dist.get_world_size()

    probe.boot("build")
    torch.manual_seed(args.seed)
    model, batch = TinyLM(args.width, args.layers, args.seq).to(here), world * args.batch
    text = Sentences(args.steps * batch, args.seq, args.seed, here)
    whole = copy.deepcopy(model)  # to compare with

    several = args.schedule not in ("gpipe", "1f1b")
    chunks = args.chunks if several else 1
    last = world * chunks - 1
    # Stages go round the ranks; as a V they come back, and the last stage is on rank 0.
    mine = [rank, last - rank] if args.schedule == "zbv" else range(rank, last + 1, world)
    PaddedStage.pad_s = 0.0 if args.pad_ms == "auto" else float(args.pad_ms) / 1000 / chunks
    stages = [PaddedStage(Part(model, n, last + 1), n, last + 1, here) for n in mine]
    schedule = SCHEDULES[args.schedule](stages if several else stages[0], args.micro_batches, next_token_loss)
    kept = nn.ModuleList(stage.submod for stage in stages)
    optimizer = torch.optim.AdamW(kept.parameters(), lr=args.lr)
    probe.watch(kept, optimizer, copies=False)

    for step in range(args.steps):
        with probe.step(tokens=args.batch * args.seq):
            with probe.phase("data"):
                tokens, targets = text.take(step * batch, batch)
            losses: list[torch.Tensor] = []
            began = time.monotonic()
            inputs = [tokens] if 0 in mine else []
            schedule.step(*inputs, target=targets, losses=losses, return_outputs=False)  # no logits kept
            took = time.monotonic() - began
            if step == 0:
                found = [p.grad for p in model.parameters()]  # None: it is on another rank
            with probe.phase("optimizer"):
                optimizer.step()
                optimizer.zero_grad()
            if losses:
                loss = torch.stack(losses).mean()
                probe.loss(loss)
                print(f"step {step:4d}  loss {loss.item():.3f}", flush=True)
        if step == 0:
            right = torch.autograd.grad(next_token_loss(whole(tokens), targets), list(whole.parameters()))
            off = max(((g - r).abs().max() / r.abs().max()).item()
                      for g, r in zip(found, right, strict=True) if g is not None)  # fmt: skip
            del whole, found, right, model  # a rank has its stages, and no more
        if step == MEASURED and args.pad_ms == "auto" and here.type == "cpu":
            PaddedStage.pad_s = pad_seconds(took, args.micro_batches) / chunks
    probe.result(steps=args.steps, gradient_difference=off, pad_ms=1000 * PaddedStage.pad_s * chunks)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
