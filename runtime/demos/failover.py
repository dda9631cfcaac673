"""Failover: a rank dies in the middle of the training, all are started again, and go on from a checkpoint.

TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1 torchrun --nproc-per-node 4 --max-restarts 1 failover.py

Without the variable the ranks that come back look into the store of torchrun (torch 2.13, gloo), and find the
addresses of those that are gone.
"""

import argparse
import os
import shutil
import signal
import time
from pathlib import Path

import torch
import torch.distributed as dist
from device import backend, device
from instruments import probe
from model import Sentences, TinyLM, next_token_loss
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.checkpoint.state_dict_loader import load
from torch.distributed.checkpoint.state_dict_saver import save
from torch.nn.parallel import DistributedDataParallel

FOLDER = Path(os.environ.get("TEACHRUN_SCRATCH", "checkpoints"))
KEPT = 2  # checkpoints


def arguments() -> argparse.Namespace:
    """Read the command line: how often to save, and which rank dies before which step."""
    parser = argparse.ArgumentParser(description="lose a rank, and train on from the last checkpoint")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--batch", type=int, default=8, help="sequences per rank and step")
    parser.add_argument("--seq", type=int, default=64, help="tokens per sequence")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--every", type=int, default=5, help="steps between two checkpoints")
    parser.add_argument("--kill_rank", type=int, default=1, help="the rank that kills itself once (-1: none)")
    parser.add_argument("--kill_at", type=int, default=13, help="... before this step")
    return parser.parse_args()


def complete() -> list[Path]:
    """All checkpoints that are whole, the newest last: the metadata is written when all ranks are done."""
    return sorted(metadata.parent for metadata in FOLDER.glob("step-*/.metadata"))


def seen_by_all(rank: int) -> bool:
    """Whether this rank sees in the folder what the first one has just written there."""
    moment = torch.tensor(time.time_ns())
    if rank == 0:
        FOLDER.mkdir(parents=True, exist_ok=True)
        for old in FOLDER.glob("seen-*"):
            old.unlink()
        (FOLDER / f"seen-{int(moment)}").touch()
    dist.broadcast(moment, 0)
    return (FOLDER / f"seen-{int(moment)}").exists()


def main() -> None:
    """Train from the newest whole checkpoint on, if there is one; the chosen rank kills itself once."""
    args = arguments()
    probe.boot("rendezvous")
    dist.init_process_group(backend(here := device()))  # this rank's GPU, or the CPU
    rank, world = dist.get_rank(), dist.get_world_size()

    probe.boot("build")
    torch.manual_seed(args.seed)
    model = TinyLM(args.width, args.layers, args.seq).to(here)
    model = DistributedDataParallel(model, gradient_as_bucket_view=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    probe.watch(model, optimizer)
    text = Sentences(args.steps * args.batch * world, args.seq, args.seed, here)

    probe.boot("load")
    if not seen_by_all(rank):
        raise SystemExit(f"this node does not see the checkpoints of rank 0: share the folder {FOLDER}")
    first = 0
    if found := complete():
        weights, states = get_state_dict(model, optimizer)
        done = torch.zeros((), dtype=torch.int64)
        whole = {"model": weights, "optimizer": states, "step": done}
        load(whole, checkpoint_id=found[-1])  # into what is there
        first = int(done)
        set_state_dict(model, optimizer, model_state_dict=weights, optim_state_dict=states)
        probe.resume(first)
        print(f"rank {rank} goes on with step {first}", flush=True)

    killed = FOLDER / "killed"
    for step in range(first, args.steps):
        if (rank, step) == (args.kill_rank, args.kill_at) and not killed.exists():
            killed.touch()
            probe.fault("kills itself, as it was asked to")
            os.kill(os.getpid(), signal.SIGKILL)  # no goodbye, as when its machine is gone

        with probe.step(tokens=args.batch * args.seq):
            with probe.phase("data"):  # which samples are due follows from the step: none is read twice
                tokens, targets = text.take((step * world + rank) * args.batch, args.batch)
            with probe.phase("forward"):
                loss = next_token_loss(model(tokens), targets)
            with probe.phase("backward"):
                loss.backward()
            with probe.phase("optimizer"):
                optimizer.step()
                optimizer.zero_grad()
            probe.loss(loss)
        probe.result(loss=loss.item(), resumed_at=first)

        if (step + 1) % args.every == 0:  # each rank writes a part
            weights, states = get_state_dict(model, optimizer)
            done = torch.tensor(step + 1)
            whole = {"model": weights, "optimizer": states, "step": done}
            save(whole, checkpoint_id=FOLDER / f"step-{step + 1:06d}")
            for old in complete()[:-KEPT] if rank == 0 else ():
                shutil.rmtree(old, ignore_errors=True)

    del model  # first: DDP, as the last to hold a group, can wait for ever for the thread of gloo
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
