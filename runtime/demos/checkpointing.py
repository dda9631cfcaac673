"""Activation checkpointing: forget in forward what backward can compute once more.

torchrun --nproc-per-node 4 checkpointing.py

  none       keeps everything autograd asks for: 16 numbers a token and unit of width in every block, and the
             attention weights, heads x seq numbers a token
  selective  computes the core of attention again from q, k and v: keeps no weights, for little arithmetic
             (Korthikanti et al., 2022)
  mlp        computes the MLP again, which keeps most: 9 of the 16, for more than half of the block's forward
  full       computes the whole block again from its input: keeps 1, for another forward (Chen et al., 2016)

Attention is written out here, as it was when the second of these was found: a fused kernel (flash attention,
`F.scaled_dot_product_attention`) keeps no weights anyway and computes them again in its own backward.

With `each` the ranks do these side by side. They train alone, on the same text from the same parameters: what
they compute again is what they had, so their parameters stay equal to the last bit.
"""

import argparse
import os
import time
from functools import partial

import torch
from clock import mark, seconds
from device import device
from instruments import probe
from model import Block, Sentences, TinyLM, next_token_loss
from torch import Tensor
from torch.utils.checkpoint import checkpoint

MODES = ("none", "selective", "mlp", "full")


def arguments() -> argparse.Namespace:
    """Read the command line; `--mode each` gives every rank a mode of its own."""
    parser = argparse.ArgumentParser(description="train a small transformer that keeps fewer activations")
    parser.add_argument("--mode", choices=("each", *MODES), default="each")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--batch", type=int, default=8, help="sequences per step")
    parser.add_argument("--seq", type=int, default=64, help="tokens per sequence")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def attention_core(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Mixtures of the values by causal attention, with its weights as a tensor of their own."""
    later = q.new_full((q.shape[-2], q.shape[-2]), -torch.inf).triu(1)
    weights = (q * q.shape[-1] ** -0.5 @ k.transpose(-1, -2) + later).softmax(-1)
    return weights @ v


def forgetful(block: Block, mode: str) -> None:
    """From now on this part of the block keeps its input alone, and runs a second time in backward."""
    again = partial(checkpoint, use_reentrant=False)
    block.core = attention_core
    if mode == "selective":
        block.core = partial(again, attention_core)
    elif mode == "mlp":
        block.mlp = partial(again, block.mlp)
    elif mode == "full":
        block.forward = partial(again, block.forward)


def main() -> None:
    """Train each rank by itself; report the processor seconds of forward and backward in its mode."""
    args = arguments()
    probe.boot("build")
    here = device()  # this rank's GPU, or the CPU
    rank = int(os.environ.get("RANK", "0"))
    mode = MODES[rank % len(MODES)] if args.mode == "each" else args.mode
    torch.manual_seed(args.seed)
    model = TinyLM(args.width, args.layers, args.seq).to(here)
    for block in model.blocks:
        forgetful(block, mode)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    probe.watch(model, optimizer)
    text = Sentences(args.steps * args.batch, args.seq, args.seed, here)
    forward_s = backward_s = 0.0  # of its processor, whatever else the machine does, or of its GPU

    for step in range(args.steps):
        with probe.step(tokens=args.batch * args.seq):
            with probe.phase("data"):
                tokens, targets = text.take(step * args.batch, args.batch)
            begun = mark(here, time.thread_time)
            with probe.phase("forward"):
                loss = next_token_loss(model(tokens), targets)
            turned = mark(here, time.thread_time)
            with probe.phase("backward"):
                loss.backward()
            ended = mark(here, time.thread_time)
            with probe.phase("optimizer"):
                optimizer.step()
                optimizer.zero_grad()
            probe.loss(loss)
        forward_s += seconds(begun, turned)
        backward_s += seconds(turned, ended)
        if step % 10 == 0:
            print(f"step {step:4d}  loss {loss.item():.4f}", flush=True)
    probe.result(mode=mode, loss=loss.item(), steps=args.steps)
    probe.result(**{f"forward_{here.type}_s": forward_s, f"backward_{here.type}_s": backward_s})


if __name__ == "__main__":
    main()
