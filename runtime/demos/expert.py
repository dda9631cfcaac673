"""Expert parallelism: every rank holds one expert, and each token travels to the expert it is routed to.

torchrun --nproc-per-node 4 expert.py --skew 2

A router chooses `top_k` experts for each token. An all-to-all tells every rank how many tokens will come, a
second one brings them, the experts compute, and a third takes the results home; backward goes the same way
back. What an expert has to do is up to the router: with skew most tokens want the same one, its rank computes
and the others wait for it. So an expert has room for `capacity` times its fair share, what does not fit is
dropped, and a balancing loss pulls the router back.
Lepikhin et al., "GShard", 2020; Fedus et al., "Switch transformers", 2021.
"""

import argparse

import torch
import torch.distributed as dist
from device import backend, device
from instruments import probe
from routing import Exchange, Routes, route
from torch import Tensor, nn


def arguments() -> argparse.Namespace:
    """Read the command line; `--skew` is added to the router's logits of expert 0."""
    parser = argparse.ArgumentParser(description="route tokens to experts on other ranks and back")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--tokens", type=int, default=512, help="of a rank")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--top_k", type=int, default=2, help="experts of a token")
    parser.add_argument("--capacity", type=float, default=1.25, help="room of an expert, in fair shares")
    parser.add_argument("--skew", type=float, default=0.0, help="head start of expert 0 in the router")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def expert(width: int, seed: int) -> nn.Module:
    """Build the MLP of one expert, [tokens, width] to [tokens, width]; equal seeds give equal experts."""
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))


def through_experts(tokens: Tensor, routes: Routes, mine: nn.Module) -> tuple[Tensor, list[int], int]:
    """Tokens [n, width] as their experts make them; how many went to each, how many came to this rank's."""
    leaving = torch.bincount(routes.expert, minlength=dist.get_world_size())
    coming = torch.empty_like(leaving)
    dist.all_to_all_single(coming, leaving)  # how many
    out, back = leaving.tolist(), coming.tolist()
    arrived = Exchange.apply(tokens[routes.token], out, back)  # the tokens
    done = Exchange.apply(mine(arrived), back, out)  # and home
    return torch.zeros_like(tokens).index_add(0, routes.token, routes.weight[:, None] * done), out, sum(back)


def alone(tokens: Tensor, routes: Routes, experts: list[nn.Module]) -> Tensor:
    """The same by one process that has all experts: for the check."""
    done = torch.stack([experts[e](tokens[t]) for t, e in zip(routes.token, routes.expert, strict=True)])
    return torch.zeros_like(tokens).index_add(0, routes.token, routes.weight[:, None] * done)


def main() -> None:
    """Route new tokens in every step; report each expert's load and how far step 0 is from one process."""
    args = arguments()
    probe.boot("rendezvous")
    here = device()  # this rank's GPU, or the CPU
    dist.init_process_group(backend(here))
    rank, world = dist.get_rank(), dist.get_world_size()

    probe.boot("build")
    everybodys = [expert(args.width, args.seed + r).to(here) for r in range(world)]  # for the check alone
    mine = expert(args.width, args.seed + rank).to(here)
    router = torch.randn(args.width, world, generator=torch.Generator().manual_seed(args.seed))
    router = (router / args.width**0.5).to(here).requires_grad_()
    head_start = torch.tensor([args.skew] + [0.0] * (world - 1), device=here)
    numbers = torch.Generator().manual_seed(args.seed + rank)  # every rank has tokens of its own
    names, loads = [f"expert {r}" for r in range(world)], torch.zeros(world, device=here)
    worst = wrong = 0.0
    dropped, k = 0, min(args.top_k, world)

    for step in range(args.steps):
        tokens = torch.randn(args.tokens, args.width, generator=numbers).to(here).requires_grad_()
        with probe.step(tokens=args.tokens):
            with probe.phase("forward"):
                routes = route(tokens @ router + head_start, k, args.capacity)
                result, sent, load = through_experts(tokens, routes, mine)
                loss = result.square().mean() + 0.01 * routes.balance
            with probe.phase("backward"):
                grads = torch.autograd.grad(loss, [tokens, router, *mine.parameters()])
        if step == 0:
            routes = route(tokens @ router + head_start, k, args.capacity)
            there, goal = alone(tokens, routes, everybodys), 0.01 * routes.balance
            every = [tokens, router, *(p for one in everybodys for p in one.parameters())]
            right = list(torch.autograd.grad(there.square().mean() + goal, every, materialize_grads=True))
            for part in right[2:]:
                dist.all_reduce(part)  # what the tokens of all ranks want of each expert
            own = [*right[:2], *right[2 + 4 * rank : 6 + 4 * rank]]
            worst = (result - there).abs().max().item()
            wrong = max((g - r).abs().max().item() for g, r in zip(grads, own, strict=True))
        probe.value("tokens of this expert", load, "tokens")
        probe.value("tokens sent to each", sent, "tokens", names)
        probe.value("dropped", routes.dropped, "choices")
        probe.value("balancing loss", routes.balance.item())
        loads[rank], dropped = loads[rank] + load, dropped + routes.dropped

    dist.all_reduce(loads)
    fullest = (loads.max() / loads.mean()).item()  # 1: all experts have the same to do
    probe.result(max_difference=worst, gradient_difference=wrong, fullest=fullest, dropped=dropped)
    probe.result(asked=k * args.tokens * args.steps, routed=int(loads.sum().item()))
    if rank == 0:
        print(f"off by {worst:.2g}; the fullest expert has {fullest:.2f} times the mean", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
