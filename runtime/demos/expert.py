"""Expert parallelism: every rank holds one expert, and each token travels to the expert it is routed to.

torchrun --nproc-per-node 4 expert.py --skew 2

A router chooses an expert for each token. An all-to-all tells every rank how many tokens will come, a second
one brings them, the experts compute, and a third takes the results home. What an expert has to do is up to
the router: with skew most tokens want the same one, its rank computes and the others wait for it.
Lepikhin et al., "GShard", 2020; Fedus et al., "Switch transformers", 2021.
"""

import argparse

import torch
import torch.distributed as dist
from instruments import probe
from torch import Tensor, nn


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="route tokens to experts on other ranks and back")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--tokens", type=int, default=512, help="of a rank")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--skew", type=float, default=0.0, help="head start of expert 0 in the router")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def expert(width: int, seed: int) -> nn.Module:
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))


def send(rows: Tensor, out: list[int], back: list[int]) -> Tensor:
    """`out[r]` rows go to rank r in order, `back[r]` come from it."""
    arrived = rows.new_empty(sum(back), *rows.shape[1:])
    dist.all_to_all_single(arrived, rows, output_split_sizes=back, input_split_sizes=out)
    return arrived


def through_experts(tokens: Tensor, chosen: Tensor, mine: nn.Module) -> tuple[Tensor, int]:
    """Each token [n, width] through the expert chosen for it [n]; and how many this rank's had to do."""
    world = dist.get_world_size()
    order = chosen.argsort(stable=True)  # tokens for the same rank side by side
    leaving = torch.bincount(chosen, minlength=world)
    coming = torch.empty_like(leaving)
    dist.all_to_all_single(coming, leaving)  # how many
    out, back = leaving.tolist(), coming.tolist()
    arrived = send(tokens[order], out, back)  # the tokens
    done = send(mine(arrived), back, out)  # and home
    result = torch.empty_like(tokens)
    result[order] = done
    return result, len(arrived)


def main() -> None:
    args = arguments()
    probe.boot("rendezvous")
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()

    probe.boot("build")
    mine = expert(args.width, args.seed + rank)
    everybodys = [expert(args.width, args.seed + r) for r in range(world)]  # for the check alone
    router = torch.randn(args.width, world, generator=torch.Generator().manual_seed(args.seed))
    router /= args.width**0.5
    head_start = torch.zeros(world).index_fill(0, torch.tensor([0]), args.skew)
    numbers = torch.Generator().manual_seed(args.seed + rank)  # every rank has tokens of its own
    experts = [f"expert {r}" for r in range(world)]
    worst, all_loads = 0.0, torch.zeros(world)

    with torch.no_grad():
        for step in range(args.steps):
            tokens = torch.randn(args.tokens, args.width, generator=numbers)
            with probe.step(tokens=args.tokens), probe.phase("forward"):
                chosen = (tokens @ router + head_start).argmax(dim=1)
                result, load = through_experts(tokens, chosen, mine)
            if step == 0:
                expected = torch.stack(
                    [everybodys[e](x) for x, e in zip(tokens, chosen.tolist(), strict=True)]
                )
                worst = (result - expected).abs().max().item()
            probe.value("tokens of this expert", load, "tokens")
            sent = torch.bincount(chosen, minlength=world).tolist()
            probe.value("tokens sent to each", sent, "tokens", experts)
            all_loads[rank] += load

    dist.all_reduce(all_loads)
    fullest = (all_loads.max() / all_loads.mean()).item()  # 1: all experts have the same to do
    probe.result(max_difference=worst, fullest=fullest, routed=int(all_loads.sum().item()))
    if rank == 0:
        print(f"off by {worst:.2g}; the fullest expert has {fullest:.2f} times the mean", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
