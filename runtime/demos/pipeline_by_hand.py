"""A pipeline by hand, one forward, one backward: torchrun --nproc-per-node 4 pipeline_by_hand.py"""

from copy import deepcopy

import torch
import torch.distributed as dist
from model import Sentences, TinyLM, next_token_loss
from torch import Tensor, nn

BATCH, PIECES, SEQ, WIDTH, STEPS, RATE = 16, 8, 32, 64, 10, 3e-3


def order(rank: int, world: int) -> str:
    """A step of a rank: fill the pipe, then one forward and one backward, then empty it."""
    filling = min(world - 1 - rank, PIECES)
    return "F" * filling + "FB" * (PIECES - filling) + "B" * filling


class Stage:
    """Some of the layers, and what passes between them and the ranks before and after."""

    def __init__(self, lm: TinyLM, rank: int, world: int) -> None:
        self.rank, self.first, self.last = rank, rank == 0, rank == world - 1
        self.lm, self.layers = lm, nn.Sequential(lm.blocks[rank], *[lm.norm, lm.head] * self.last)
        self.parameters = [*self.layers.parameters(), *[lm.emb.weight, lm.pos.weight] * self.first]
        self.kept, self.most, self.sent, self.loss = [], 0, [], 0.0

    def forward(self, tokens: Tensor) -> None:
        """One micro-batch, from the rank before to the rank after."""
        x = self.embed(tokens) if self.first else self.receive(-1)
        y = self.layers(x)
        self.kept.append((x, y))
        self.most = max(self.most, len(self.kept))
        if not self.last:
            self.send(y.detach(), +1)

    def backward(self, targets: Tensor) -> None:
        """The oldest micro-batch that is kept; the loss is known on the last rank."""
        x, y = self.kept.pop(0)
        if self.last:
            share = next_token_loss(y, targets) / PIECES
            share.backward()
            self.loss += share.item()
        else:
            y.backward(self.receive(+1))
        if not self.first:
            self.send(x.grad, -1)

    def embed(self, tokens: Tensor) -> Tensor:
        """Map tokens [batch, seq] to [batch, seq, width]."""
        return self.lm.emb(tokens) + self.lm.pos(torch.arange(SEQ))

    def receive(self, way: int) -> Tensor:
        """Activations of the rank before (-1), or their gradient from the one behind (+1)."""
        arrived = torch.empty(BATCH // PIECES, SEQ, WIDTH, requires_grad=True)
        dist.recv(arrived.data, self.rank + way)
        return arrived

    def send(self, x: Tensor, way: int) -> None:
        """Without waiting: else two neighbours could wait for each other."""
        self.sent.append((x, dist.isend(x, self.rank + way)))


def train(stage: Stage, tokens: Tensor, targets: Tensor) -> None:
    """A batch, in micro-batches, in the order of this rank."""
    stage.loss, stage.sent = 0.0, []
    forwards = map(stage.forward, tokens.chunk(PIECES))
    backwards = map(stage.backward, targets.chunk(PIECES))
    for what in order(stage.rank, dist.get_world_size()):
        next(forwards if what == "F" else backwards)
    for _, sending in stage.sent:
        sending.wait()


def main() -> None:
    """Train in stages; the last rank trains the whole model, too: `off` is how their losses differ."""
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    rank, world, off = dist.get_rank(), dist.get_world_size(), 0.0
    lm, text = TinyLM(WIDTH, world, SEQ), Sentences(STEPS * BATCH, SEQ)
    whole, stage = deepcopy(lm), Stage(lm, rank, world)
    ours, theirs = (torch.optim.AdamW(p, lr=RATE) for p in (stage.parameters, whole.parameters()))
    for step in range(STEPS):
        batch = text.take(step * BATCH, BATCH)
        train(stage, *batch)
        if stage.last:
            alone = next_token_loss(whole(batch[0]), batch[1])
            alone.backward()
            off = max(off, abs(stage.loss - alone.item()))
        for optimizer in (ours, theirs):
            optimizer.step()
            optimizer.zero_grad()
    told = f"; loss {stage.loss:.4f}, off {off:.0e}" if stage.last else ""
    print(f"rank {rank}: {order(rank, world)}  keeps {stage.most} at most{told}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
# mypy: disable-error-code="union-attr, arg-type, var-annotated, no-untyped-call"
