"""Mixed precision by hand: why an update needs an fp32 copy of parameters that are bf16.

python precision.py

The network of `step_by_hand.py`, trained three times on the same text from the same start: in fp32, in bf16
alone, and in bf16 with an fp32 copy that the updates go to. Adam's averages are fp32 in all three.
"""

import torch
from torch import Tensor

try:
    from model import VOCAB, Sentences
    from step_by_hand import BATCH, SEQ, WIDTH, backward, forward
except ImportError:  # imported, not started as a script
    from runtime.demos.model import VOCAB, Sentences
    from runtime.demos.step_by_hand import BATCH, SEQ, WIDTH, backward, forward

STEPS, RATE = 200, 3e-4  # a rate that large models are trained with
RECIPES = {  # what is computed in, and what is updated
    "fp32": (torch.float32, torch.float32),
    "bf16 alone": (torch.bfloat16, torch.bfloat16),
    "bf16, fp32 copy": (torch.bfloat16, torch.float32),
}


def adam(gradient: Tensor, mean: Tensor, square: Tensor, step: int) -> Tensor:
    """What is to be added to a parameter (Kingma and Ba, 2015, algorithm 1), in fp32."""
    mean.lerp_(gradient.float(), 0.1)
    square.lerp_(gradient.float() ** 2, 0.001)
    return -RATE * (mean / (1 - 0.9**step)) / ((square / (1 - 0.999**step)).sqrt() + 1e-8)


def add_up(update: float, times: int, kind: torch.dtype) -> float:
    """1, and `update` added to it again and again, in numbers of this kind."""
    total = torch.ones((), dtype=kind)
    for _ in range(times):
        total += update
    return float(total)


def train(computed: torch.dtype, updated: torch.dtype) -> tuple[float, float]:
    """The loss at the end, and which share of the parameters the last update has changed."""
    torch.manual_seed(0)
    shapes = ((VOCAB, WIDTH), (WIDTH, 4 * WIDTH), (4 * WIDTH, VOCAB))
    masters = [(torch.randn(*shape) * shape[0] ** -0.5).to(updated) for shape in shapes]
    states = [(torch.zeros(*shape), torch.zeros(*shape)) for shape in shapes]
    text = Sentences(STEPS * BATCH, SEQ)
    for step in range(1, STEPS + 1):
        weights = [master.to(computed) for master in masters]
        batch = text.take((step - 1) * BATCH, BATCH)
        tokens, targets = (t.flatten() for t in batch)
        loss, kept = forward(weights, tokens, targets)
        gradients = backward(weights, kept, tokens, targets)
        before = [master.clone() for master in masters]
        for at, master in enumerate(masters):
            update = adam(gradients[at], *states[at], step)
            master += update.to(updated)
    changed = sum(int((a != b).sum()) for a, b in zip(before, masters, strict=True))
    return float(loss), changed / sum(master.numel() for master in masters)


def main() -> None:
    """Add 0.001 to 1 a thousand times, then train by the three recipes."""
    torch.set_num_threads(1)  # matrices as small as these are not worth sharing
    for kind in (torch.float32, torch.bfloat16):
        print(f"1 + 1000 x 0.001 in {str(kind)[6:]:9} {add_up(0.001, 1000, kind):.3f}", flush=True)
    for name, (computed, updated) in RECIPES.items():
        loss, changed = train(computed, updated)
        copy = updated.itemsize if updated != computed else 0
        size = 2 * computed.itemsize + copy + 8  # parameter, gradient, copy, two averages
        print(f"{name:16} {size} B a parameter  loss {loss:.2f}  changed {changed:4.0%}", flush=True)


if __name__ == "__main__":
    main()
