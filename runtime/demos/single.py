"""One process trains alone, and says after every part of a step what its memory is full of.

torchrun --nproc-per-node 1 single.py --optimizer adam

  before      parameters, and what the optimizer remembers: nothing at all before its first step
  forward     + activations: what autograd keeps of every layer, to find gradients with
  backward    - activations, + gradients
  optimizer   + its state, in the first step; from then on it stays
  zero_grad   - gradients
"""

import argparse
from collections.abc import Iterable, Iterator

import torch
from device import device
from instruments import probe
from model import Sentences, TinyLM, next_token_loss
from torch import Tensor, nn
from torch.optim import SGD, Adam, AdamW, Optimizer

POINTS = ("before", "forward", "backward", "optimizer", "zero_grad")
OPTIMIZERS = {
    "sgd": lambda parameters, lr: SGD(parameters, lr=lr),
    "momentum": lambda parameters, lr: SGD(parameters, lr=lr, momentum=0.9),  # one average
    "adam": lambda parameters, lr: Adam(parameters, lr=lr),  # two
    "adamw": lambda parameters, lr: AdamW(parameters, lr=lr),
}


def arguments() -> argparse.Namespace:
    """Read the command line; Adam keeps two averages a parameter, momentum one, plain SGD none."""
    parser = argparse.ArgumentParser(description="train a small transformer and weigh its memory")
    parser.add_argument("--optimizer", choices=OPTIMIZERS, default="adamw")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--batch", type=int, default=4, help="sequences per step")
    parser.add_argument("--seq", type=int, default=32, help="tokens per sequence")
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def nbytes(tensors: Iterable[Tensor | None]) -> int:
    """Bytes of the memory behind `tensors`, each piece counted once."""
    pieces = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in tensors if t is not None}
    return sum(pieces.values())


def saved(loss: Tensor) -> Iterator[Tensor]:
    """What autograd keeps for backward: the `_saved_…` of every operation that led to `loss`."""
    todo, seen = [loss.grad_fn], set()
    while todo:
        operation = todo.pop()
        if operation is None or operation in seen:
            continue
        seen.add(operation)
        for name in dir(operation):
            if name.startswith("_saved_"):
                try:
                    kept = getattr(operation, name)
                except RuntimeError:  # backward has used it and let it go
                    continue
                yield from (
                    t for t in (kept if isinstance(kept, tuple) else (kept,)) if isinstance(t, Tensor)
                )
        todo += [before for before, _ in operation.next_functions]


def weigh(model: nn.Module, optimizer: Optimizer, loss: Tensor | None = None) -> list[int]:
    """Bytes of parameters, gradients, optimizer state and activations at this moment."""
    parameters = list(model.parameters())
    own = {p.untyped_storage().data_ptr() for p in parameters}
    state = (t for values in optimizer.state.values() for t in values.values() if t.dim())  # no step counts
    kept = () if loss is None else (t for t in saved(loss) if t.untyped_storage().data_ptr() not in own)
    return [nbytes(parameters), nbytes(p.grad for p in parameters), nbytes(state), nbytes(kept)]


def main() -> None:
    """Train and report bytes by kind at each of the `POINTS` of a step; the highest of them is the peak."""
    args = arguments()
    probe.boot("build")
    here = device()  # this rank's GPU, or the CPU
    torch.manual_seed(args.seed)
    model = TinyLM(args.width, args.layers, args.seq).to(here)
    optimizer = OPTIMIZERS[args.optimizer](model.parameters(), args.lr)
    probe.watch(model, optimizer)
    text = Sentences(args.steps * args.batch, args.seq, args.seed, here)
    unused = weigh(model, optimizer)[2]  # what the optimizer holds before its first step

    for step in range(args.steps):
        with probe.step(tokens=args.batch * args.seq):
            with probe.phase("data"):
                tokens, targets = text.take(step * args.batch, args.batch)
            mountain = [weigh(model, optimizer)]
            with probe.phase("forward"):
                loss = next_token_loss(model(tokens), targets)
            mountain.append(weigh(model, optimizer, loss))
            with probe.phase("backward"):
                loss.backward()
            mountain.append(weigh(model, optimizer, loss))
            with probe.phase("optimizer"):
                optimizer.step()
                mountain.append(weigh(model, optimizer, loss))
                optimizer.zero_grad()
            mountain.append(weigh(model, optimizer, loss))
            probe.loss(loss)
        kinds = ("parameters", "gradients", "optimizer_state", "activations")
        for kind, at_points in zip(kinds, zip(*mountain, strict=True), strict=True):
            probe.value(kind, at_points, "bytes", POINTS)
        total = [sum(point) for point in mountain]
        probe.value("memory", total, "bytes", POINTS)
        if step % 10 == 0:
            heights = "  ".join(f"{p} {b / 1e6:.2f}" for p, b in zip(POINTS, total, strict=True))
            print(f"step {step:4d}  loss {loss.item():.3f}  MB: {heights}", flush=True)

    top = max(range(len(total)), key=total.__getitem__)
    probe.result(loss=loss.item(), steps=args.steps, state_before_first_step=unused)
    probe.result(peak_bytes=total[top], peak_after=POINTS[top], rest_bytes=total[-1])


if __name__ == "__main__":
    main()
