"""ZeRO by DeepSpeed itself: what `zero` shows with PyTorch's own means, as its authors built it.

torchrun --nproc-per-node 4 zero_deepspeed.py --stage 3

Between backward and the optimizer step a rank of W holds, for N parameters in fp32 under AdamW:

  stage 0   everything                                                              4N     4N     8N
  stage 1   optimizer state and a copy of the parameters that it steps: its share   4N     4N/W   12N/W
  stage 2   the same, and gradients are thrown away during backward, not after it   4N     4N/W   12N/W
  stage 3   gathers each layer's parameters to use them, forward and backward       4N/W   4N/W   12N/W
                                                             bytes of parameters, gradients, optimizer

The copy is there for training in half precision, where it is the only one in fp32; DeepSpeed makes it in any
case. Up to stage 2 it averages by all-reduce, with twice the traffic of a reduce-scatter.
"""

import argparse
import os
import warnings

import torch
import torch.distributed as dist
from instruments import probe
from model import Sentences, TinyLM, next_token_loss
from torch import nn
from torch.optim import AdamW

os.environ["DS_ACCELERATOR"] = "cpu"
os.environ.setdefault("TORCHDYNAMO_DISABLE", "1")  # an optimizer that is not used here is compiled otherwise
import deepspeed  # when the environment says what it is to look for

warnings.filterwarnings("ignore", "`torch.distributed", FutureWarning)  # it calls torch by older names

# Nor is an all-reduce for inference compiled, which needs g++ and half a minute: there is no such operator.
deepspeed.ops.__compatible_ops__ = {}


def arguments() -> argparse.Namespace:
    """Read the command line: the options of `zero`, so that both can be compared."""
    parser = argparse.ArgumentParser(description="train a small transformer with the ZeRO of DeepSpeed")
    parser.add_argument("--stage", type=int, default=3, help="0: none, 1: optimizer, 2: + gradients, 3: all")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--batch", type=int, default=1, help="sequences per rank and step")
    parser.add_argument("--seq", type=int, default=16, help="tokens per sequence")
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def config(stage: int, batch: int, block: nn.Module) -> dict[str, object]:
    """DeepSpeed's own sizes are for models a thousand times as large: nothing would ever be let go of."""
    size = sum(p.numel() for p in block.parameters())
    return {
        "train_micro_batch_size_per_gpu": batch,
        "gradient_clipping": 0.0,  # else 1.0, and it learns otherwise than `zero`
        "zero_allow_untested_optimizer": True,  # PyTorch's; DeepSpeed's own would be compiled
        "zero_optimization": {
            "stage": stage,
            "overlap_comm": False,
            "reduce_bucket_size": size,
            "allgather_bucket_size": size,
            "stage3_param_persistence_threshold": 0,  # parameters too small to be cut
            "stage3_prefetch_bucket_size": 0,
            "stage3_max_live_parameters": size,
            "stage3_max_reuse_distance": 0,
        },
    }


def main() -> None:
    """Train with DeepSpeed's engine at the chosen stage; the probe measures what each rank stores."""
    args = arguments()
    probe.boot("rendezvous")
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()

    probe.boot("build")
    torch.manual_seed(args.seed)
    model = TinyLM(args.width, args.layers, args.seq)
    optimizer = AdamW(model.parameters(), lr=args.lr)
    engine, optimizer, _, _ = deepspeed.initialize(
        model=model, optimizer=optimizer, config=config(args.stage, args.batch, model.blocks[0])
    )
    probe.watch(model, optimizer)
    text = Sentences(args.steps * world * args.batch, args.seq, args.seed)

    for step in range(args.steps):
        with probe.step(tokens=args.batch * args.seq):
            with probe.phase("data"):
                tokens, targets = text.take((step * world + rank) * args.batch, args.batch)
            with probe.phase("forward"):
                loss = next_token_loss(engine(tokens), targets)
            with probe.phase("backward"):
                engine.backward(loss)
            with probe.phase("optimizer"):
                engine.step()  # and forgets the gradients
            probe.loss(loss)
        if rank == 0 and step % 10 == 0:
            print(f"step {step:4d}  loss {loss.item():.4f}", flush=True)

    probe.result(loss=loss.item(), steps=args.steps)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
