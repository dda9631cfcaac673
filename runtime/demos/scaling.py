"""How much faster are 2 ranks than 1, and 4 than 2? Measured one after the other, within one run.

torchrun --nproc-per-node 4 scaling.py

  strong   the batch of a step stays, ranks share it: the time to the goal falls, in the best case to 1/n
  weak     the batch of a rank stays, the step learns from n times as much in, at best, the same time

speed-up = tokens a second, over those of one rank; efficiency = speed-up / n. Every rank computes on one
core; those that do not take part wait at the end of every step. More ranks than cores share them, so that the
speed-up can be no more than there are cores: that bound, `possible`, is told beside what was measured.
"""

import argparse
from statistics import median

import torch
import torch.distributed as dist
from clock import mark, seconds
from cores import cores
from device import backend, device
from instruments import probe
from model import Sentences, TinyLM, next_token_loss
from torch.nn.parallel import DistributedDataParallel


def arguments() -> argparse.Namespace:
    """Read the command line; `--batch` is of one rank alone, and of each rank in weak scaling."""
    parser = argparse.ArgumentParser(description="strong and weak scaling of data parallel training")
    parser.add_argument("--steps", type=int, default=10, help="of every measurement")
    parser.add_argument("--batch", type=int, default=32, help="strong: of all ranks together, weak: of each")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def main() -> None:
    """Measure strong and weak scaling on 1, 2, 4, … ranks; check that strong trains to the same loss."""
    args = arguments()
    probe.boot("rendezvous")
    here = device()  # this rank's GPU, or the CPU
    dist.init_process_group(backend(here))
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.set_num_threads(1)

    probe.boot("build")
    sizes = [n for n in (1, 2, 4, 8, 16, 32, 64) if n <= world]
    groups = {n: dist.new_group(list(range(n))) for n in sizes}  # every rank has to call it for every group
    text = Sentences(args.steps * world * args.batch, seed=args.seed, here=here)

    def train(n: int, share: int) -> tuple[float, float]:
        """Tokens a second of the first `n` ranks, `share` sequences on each, and their last mean loss."""
        torch.manual_seed(args.seed)
        took, mean_loss = [], torch.zeros((), device=here)
        if rank < n:
            model = DistributedDataParallel(TinyLM().to(here), process_group=groups[n])
            optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
        for step in range(args.steps):
            with probe.step(tokens=share * text.seq if rank < n else 0):
                if rank < n:
                    with probe.phase("data"):
                        tokens, targets = text.take((step * n + rank) * share, share)
                    began = mark(here)
                    with probe.phase("forward"):
                        loss = next_token_loss(model(tokens), targets)
                    with probe.phase("backward"):
                        loss.backward()
                    with probe.phase("optimizer"):
                        optimizer.step()
                        optimizer.zero_grad()
                    took.append(seconds(began, mark(here)))
                    mean_loss = loss.detach() / n
                    probe.loss(loss)
                dist.barrier()
        dist.all_reduce(mean_loss)
        rate = torch.tensor(n * share * text.seq / median(took[1:] or took) if took else 0.0)
        dist.broadcast(rate, 0)  # all of a group end a step together: one of them tells
        return rate.item(), mean_loss.item()

    alone, loss_alone = train(1, args.batch)
    apart = 0.0
    result: dict[str, float] = {}
    possible = [float(n if here.type == "cuda" else min(n, cores())) for n in sizes]
    names = [f"{n} rank{'s' * (n > 1)}" for n in sizes]
    for kind in ("strong", "weak"):
        rates = [alone]
        for n in sizes[1:]:
            rate, loss = train(n, args.batch // n if kind == "strong" else args.batch)
            rates.append(rate)
            if kind == "strong":  # the same batches, so the same training
                apart = max(apart, abs(loss - loss_alone))
        speedup = [rate / alone for rate in rates]
        efficiency = [s / n for s, n in zip(speedup, sizes, strict=True)]
        probe.value(f"{kind}_tokens", rates, "tokens/s", names)
        probe.value(f"{kind}_speedup", speedup, labels=names)
        probe.value(f"{kind}_efficiency", efficiency, labels=names)
        probe.value(f"{kind}_possible", possible, labels=names)
        result |= {f"{kind}_speedup": speedup[-1], f"{kind}_efficiency": efficiency[-1]}
        if rank == 0:
            print(kind, *(f"{n} ranks x{s:.2f}" for n, s in zip(sizes, speedup, strict=True)), flush=True)

    probe.result(loss_difference=apart, ranks=sizes[-1], cores=cores(), **result)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
