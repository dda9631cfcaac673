"""Context parallelism: one long sequence cut among the ranks, whose keys and values go round a ring.

torchrun --nproc-per-node 4 context.py --order zigzag

Every rank keeps its queries and, while it works on the keys and values it has, passes them to its right
neighbour and gets the next ones from its left. No rank ever holds the scores of the whole sequence: softmax
is kept up online, by its largest score and its sum so far (Liu et al., "Ring attention", 2023).

With a causal mask a token sees only those before it, so in plain order the last rank has most to do. Zigzag
cuts twice as many chunks and gives rank r the chunks r and 2n-1-r: the same work for all.

In backward the gradient of keys and values goes round the other way and collects what each rank adds.
Autograd keeps what came by for that. A real one does not, or a rank would hold the whole sequence after all:
it sends keys and values round once more, with their gradients beside them.
"""

import argparse

import torch
import torch.distributed as dist
import torch.nn.functional as F
from device import backend, device
from instruments import probe
from ring_attention import chunks_of, ring_attention


def arguments() -> argparse.Namespace:
    """Read the command line; `--seq` is the whole sequence, of which a rank holds 1/N."""
    parser = argparse.ArgumentParser(description="ring attention by hand, checked against full attention")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--seq", type=int, default=1024, help="tokens of the whole sequence")
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--width", type=int, default=32, help="of a head")
    parser.add_argument("--order", choices=("plain", "zigzag"), default="zigzag")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def main() -> None:
    """Compare ring attention with attention over the whole sequence, forward and backward, in every step."""
    args = arguments()
    probe.boot("rendezvous")
    here = device()  # this rank's GPU, or the CPU
    dist.init_process_group(backend(here))
    rank, world = dist.get_rank(), dist.get_world_size()
    own, worst, wrong = list(chunks_of(rank, world, args.order)), 0.0, 0.0

    def cut(x: torch.Tensor) -> torch.Tensor:
        """This rank's two chunks of a sequence [..., seq, width], in front: [2, ..., tokens, width]."""
        return torch.stack(x.chunk(2 * world, dim=-2))[own]

    for step in range(args.steps):
        torch.manual_seed(args.seed + step)  # the same on every rank, for the check alone
        whole = torch.randn(3, args.heads, args.seq, args.width).to(here).requires_grad_()
        wish = torch.randn(args.heads, args.seq, args.width).to(here)  # the gradient that comes from above
        mine = cut(whole.detach())
        q = mine[:, 0].contiguous().requires_grad_()
        kv = mine[:, 1:].transpose(0, 1).contiguous().requires_grad_()  # [keys and values, chunk, ...]
        with probe.step(tokens=args.seq // world):
            with probe.phase("forward"):
                mixed, pairs = ring_attention(q, kv, args.order)
            with probe.phase("backward"):
                mixed.backward(cut(wish))
        expected = F.scaled_dot_product_attention(whole[0], whole[1], whole[2], is_causal=True)
        [gradient] = torch.autograd.grad(expected, whole, wish)
        worst = max(worst, (mixed - cut(expected)).abs().max().item())
        assert q.grad is not None and kv.grad is not None
        found = torch.cat([q.grad[:, None], kv.grad.transpose(0, 1)], dim=1)
        wrong = max(wrong, (found - cut(gradient)).abs().max().item())
        probe.value("pairs", pairs)
        probe.value("difference", worst)

    probe.result(max_difference=worst, gradient_difference=wrong, pairs=pairs)
    probe.result(ring_bytes=(world - 1) * kv.nbytes)  # of forward, and of backward
    if rank == 0:
        print(
            f"off by {worst:.2g} from attention over the whole sequence, in gradients {wrong:.2g}", flush=True
        )
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
