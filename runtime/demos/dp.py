"""Data parallel by threads: one process, with a thread and a replica of the model for each piece of a batch.

torchrun --nproc-per-node 1 dp.py --threads 4

As `nn.DataParallel` on GPUs (on CPUs it only calls the model): copy the parameters from the first replica to
the others, let threads compute, add the gradients up on the first, which alone has an optimizer. Its threads
run the forward only: the outputs are gathered on device 0, which takes the loss and fills up first, and the
one backward is autograd's, with a thread of its own for each device. Here a thread goes back as well, from
the loss of its own piece: the same gradient, and no gathering. Nobody trains so any more: threads take turns
at Python's lock, copying hides behind nothing, one process is one machine. One thread does every batch, too.
"""

import argparse
import copy
from concurrent.futures import ThreadPoolExecutor
from statistics import median

import torch
from clock import mark, seconds
from cores import cores
from device import device
from instruments import probe
from model import Sentences, TinyLM, next_token_loss
from torch import Tensor, nn


def arguments() -> argparse.Namespace:
    """Read the command line; the batch of a step is `--threads` times `--batch` sequences."""
    parser = argparse.ArgumentParser(description="train a small transformer with one thread for each replica")
    parser.add_argument("--threads", type=int, default=4, help="replicas, each with a thread")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--batch", type=int, default=8, help="sequences per thread and step")
    parser.add_argument("--seq", type=int, default=64, help="tokens per sequence")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def forward_backward(model: TinyLM, tokens: Tensor, targets: Tensor) -> Tensor:
    """Add the gradients of one piece to a replica, in its own thread; returns the piece's mean loss."""
    loss = next_token_loss(model(tokens), targets)
    loss.backward()
    return loss.detach()


@torch.no_grad()
def broadcast(replicas: list[TinyLM]) -> None:
    """Parameters of the first to all the others."""
    for replica in replicas[1:]:
        for own, first in zip(replica.parameters(), replicas[0].parameters(), strict=True):
            own.copy_(first)


@torch.no_grad()
def reduce(replicas: list[TinyLM]) -> None:
    """The mean of all gradients on the first; the others forget theirs."""
    for parameters in zip(*(replica.parameters() for replica in replicas), strict=True):
        gradients = [p.grad.to(parameters[0].device) for p in parameters if p.grad is not None]
        parameters[0].grad = torch.stack(gradients).mean(0)
    for replica in replicas[1:]:
        replica.zero_grad()


def alone(model: TinyLM, tokens: Tensor, targets: Tensor) -> tuple[float, list[Tensor]]:
    """Seconds and gradients of one thread on the whole batch."""
    begun = mark(tokens.device)
    forward_backward(model, tokens, targets)
    took = seconds(begun, mark(tokens.device))
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    model.zero_grad()
    return took, gradients


def difference(model: TinyLM, expected: list[Tensor]) -> float:
    """The largest error of any gradient tensor, relative to the largest number in it."""
    pairs = zip([p.grad for p in model.parameters() if p.grad is not None], expected, strict=True)
    return max(((own - wanted).abs().max() / wanted.abs().max()).item() for own, wanted in pairs)


def main() -> None:
    """Do every batch with one thread and with all, check the first gradients, report the speed-up."""
    args = arguments()
    probe.boot("build")
    here, gpus = device(), max(1, torch.cuda.device_count())
    torch.manual_seed(args.seed)
    model = TinyLM(args.width, args.layers, args.seq).to(here)
    places = [torch.device(here.type, i % gpus) if here.type == "cuda" else here for i in range(args.threads)]
    replicas = [model, *(copy.deepcopy(model).to(place) for place in places[1:])]
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    probe.watch(nn.ModuleList(replicas), optimizer, copies=False)
    batch = args.threads * args.batch
    text = Sentences(args.steps * batch, args.seq, args.seed, here)
    one, many, off = [], [], 0.0  # seconds of every step; how far the first gradients are apart
    with ThreadPoolExecutor(args.threads) as pool:
        for step in range(args.steps):
            tokens, targets = text.take(step * batch, batch)
            pieces = [map(Tensor.to, whole.chunk(args.threads), places) for whole in (tokens, targets)]
            took, expected = alone(model, tokens, targets)
            one.append(took)
            with probe.step(tokens=batch * args.seq):
                begun = mark(here)
                broadcast(replicas)
                with probe.phase("backward"):  # and forward, of all threads
                    losses = list(pool.map(forward_backward, replicas, *pieces))
                reduce(replicas)
                many.append(seconds(begun, mark(here)))
                off = difference(model, expected) if step == 0 else off
                with probe.phase("optimizer"):
                    optimizer.step()
                    optimizer.zero_grad()
                loss = torch.stack([each.to(here) for each in losses]).mean()
                probe.loss(loss)
            probe.value("step", [one[-1], many[-1]], "s", ("one thread", "all threads"))
            if step % 10 == 0:
                print(f"step {step:4d}  loss {loss.item():.3f}", flush=True)

    probe.result(loss=loss.item(), steps=args.steps, gradient_difference=off)
    one_s, many_s = median(one), median(many)
    probe.result(one_thread_s=one_s, threads_s=many_s, speedup=one_s / many_s, cores=cores())


if __name__ == "__main__":
    main()
