"""One training step by hand: what forward keeps, what backward makes of it, what Adam remembers.

python step_by_hand.py

A byte is predicted from the byte before it: embedding, two matrices, a loss. No autograd: every gradient
is a line of `backward`. In the first step autograd is asked all the same, and has to agree.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

try:
    from model import VOCAB, Sentences
except ImportError:  # imported, not started as a script
    from runtime.demos.model import VOCAB, Sentences

WIDTH, BATCH, SEQ, STEPS, RATE = 64, 8, 32, 100, 0.01


def forward(weights: list[Tensor], tokens: Tensor, targets: Tensor) -> tuple[Tensor, list[Tensor]]:
    """The mean loss over all `n` tokens [n], and what backward will ask for: the activations."""
    embedding, up, down = weights
    x = embedding[tokens]
    hidden = (x @ up).relu()
    chances = (hidden @ down).softmax(1)
    loss = -chances[torch.arange(len(targets)), targets].log().mean()
    return loss, [x, hidden, chances]


def backward(weights: list[Tensor], kept: list[Tensor], tokens: Tensor, targets: Tensor) -> list[Tensor]:
    """The gradient of each weight, the last layer's first. Everything in `kept` is used, and used once."""
    embedding, up, down = weights
    x, hidden, chances = kept
    d_logits = (chances - F.one_hot(targets, VOCAB)) / len(targets)
    d_down = hidden.T @ d_logits
    d_hidden = (d_logits @ down.T) * (hidden > 0)  # back through relu
    d_up = x.T @ d_hidden
    d_x = d_hidden @ up.T
    d_embedding = torch.zeros_like(embedding)
    d_embedding.index_add_(0, tokens, d_x)  # rows that were read
    return [d_embedding, d_up, d_down]


def adam(weights: list[Tensor], gradients: list[Tensor], state: list[Tensor], step: int) -> None:
    """Kingma and Ba, 2015, algorithm 1. `state` is empty before the first step, then twice the weights."""
    if not state:
        state += [torch.zeros_like(w) for w in weights for _ in range(2)]
    for w, g, m, v in zip(weights, gradients, state[::2], state[1::2], strict=True):
        m.lerp_(g, 0.1)  # mean of the gradient
        v.lerp_(g * g, 0.001)  # and of its square
        w -= RATE * (m / (1 - 0.9**step)) / ((v / (1 - 0.999**step)).sqrt() + 1e-8)


def kilobytes(*kinds: list[Tensor]) -> str:
    """Thousands of bytes of each kind, and their sum."""
    sizes = [sum(t.nbytes for t in tensors) / 1e3 for tensors in kinds]
    return "".join(f"{size:11.0f}" for size in sizes) + f"{sum(sizes):10.0f}"


def main() -> None:
    """Train, and weigh the first two steps at five points."""
    torch.manual_seed(0)
    torch.set_num_threads(1)  # matrices as small as these are not worth sharing
    shapes = ((VOCAB, WIDTH), (WIDTH, 4 * WIDTH), (4 * WIDTH, VOCAB))
    weights = [torch.randn(*shape) * shape[0] ** -0.5 for shape in shapes]
    text, state = Sentences(STEPS * BATCH, SEQ), list[Tensor]()
    print("kB              parameters  gradients  optimizer activations       sum")
    for step in range(1, STEPS + 1):
        tokens, targets = (t.flatten() for t in text.take((step - 1) * BATCH, BATCH))
        points = [("before", kilobytes(weights, [], state, []))]
        loss, kept = forward(weights, tokens, targets)
        points += [("forward", kilobytes(weights, [], state, kept))]
        gradients = backward(weights, kept, tokens, targets)
        points += [("backward", kilobytes(weights, gradients, state, kept := []))]
        if step == 1:
            own = [w.clone().requires_grad_() for w in weights]
            wanted = torch.autograd.grad(forward(own, tokens, targets)[0], own)
            pairs = zip(gradients, wanted, strict=True)
            off = max(float((g - w).abs().max() / w.abs().max()) for g, w in pairs)
        adam(weights, gradients, state, step)
        points += [("update", kilobytes(weights, gradients, state, []))]
        points += [("zero_grad", kilobytes(weights, gradients := [], state, []))]
        if step <= 2:
            print("\n".join(f"step {step} {name:9}{row}" for name, row in points), flush=True)
    print(f"gradients are autograd's, to {off:.0e}; loss after {STEPS} steps {loss:.2f}")


if __name__ == "__main__":
    main()
