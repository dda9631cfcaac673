"""A plan for a training, by hand: every way to cut GPT 7.5B over 64 A100s, what it holds, how long it takes.

python plan_by_hand.py

Nothing is started and nothing is measured: these are formulas, and each says whose it is. The optimizer's
state is shared by the replicas (ZeRO-1), activations between blocks are cut, too (sequence parallelism), and
scores are never stored (FlashAttention). No talking hides behind computing: this is the worst case.
"""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

LAYERS, WIDTH, HEADS, SEQ, VOCAB = 36, 4096, 32, 2048, 51200  # Narayanan et al., 2104.04473, table 1
PARAMETERS = 12 * LAYERS * WIDTH**2 * (1 + 13 / (12 * WIDTH) + (VOCAB + SEQ) / (12 * LAYERS * WIDTH))  # eq. 2
TOKENS, BATCH, DEVICES, NODE = 300e9, 512, 64, 8
MEMORY = 40e9 * 0.95 - 2.1e9  # less 5 % for fragmentation and what drivers and communicators take
PEAK, REACHED = 312e12, 0.6  # FLOP/s of an A100 in bf16, and the share that its matrix products reach
INSIDE = (300e9, 5e-6)  # NVLink 3: bytes a second of a device one way, and seconds until a message starts
BETWEEN = (25e9, 15e-6)  # 200 Gbit/s a device between nodes


class Plan(NamedTuple):
    """A way to cut it; bytes of the fullest device, seconds of a step."""

    data: int
    tensor: int
    stages: int
    again: bool  # whether backward computes every block once more
    held: float
    compute: float
    idle: float
    talk: float

    @property
    def step(self) -> float:
        """Seconds."""
        return self.compute + self.idle + self.talk


def ring(ranks: int, size: float, bandwidth: float, start: float) -> float:
    """Seconds of an all-reduce: 2 (n - 1) starts, and 2 (n - 1) / n of its bytes."""
    return 2 * (ranks - 1) * start + 2 * (ranks - 1) / ranks * size / bandwidth


def held(data: int, tensor: int, stages: int, again: bool) -> float:
    """Bytes of the fullest device."""
    share = PARAMETERS / (tensor * stages)
    state = 4 * share + 12 * share / data  # ZeRO-1: 1910.02054, 5.1
    under_way = LAYERS / stages * min(stages, BATCH // data)
    block = 34 * SEQ * WIDTH  # all of it: 2205.05198, 4.1
    kept = 2 * SEQ * WIDTH if again else block  # its input: 5
    whole = block if again else 0.0
    return state + (under_way * kept + whole) / tensor


def talk(data: int, tensor: int, stages: int, again: bool) -> float:
    """Seconds on the wires, none of them hidden."""
    near = min(data, NODE // tensor)  # copies that share a node
    blocks = LAYERS / stages * BATCH / data
    calls = 6 if again else 4  # of a block: 1909.08053, 3
    total = blocks * calls * ring(tensor, 2 * SEQ * WIDTH, *INSIDE)
    gradients = 2 * PARAMETERS / (tensor * stages)
    total += ring(near, gradients, *INSIDE)
    return total + ring(data // near, gradients / near, *BETWEEN)


def plans() -> Iterator[Plan]:
    """Each way to cut it that comes out even, one sequence at a time."""
    for tensor, stages, again in product((1, 2, 4, 8), (1, 2, 4, 12), (False, True)):
        data = DEVICES // (tensor * stages)
        if tensor * stages * data != DEVICES:
            continue
        # 6 N, and attention's 12 L h s, which grows with the sequence; a third more where forward runs again
        work = (6 * PARAMETERS + 12 * LAYERS * WIDTH * SEQ) * (4 / 3 if again else 1)
        compute = BATCH * SEQ * work / (DEVICES * PEAK * REACHED)
        idle = compute * (stages - 1) / (BATCH / data)  # 2104.04473, section 2.2
        cut = (data, tensor, stages, again)
        yield Plan(*cut, held(*cut), compute, idle, talk(*cut))


def main() -> None:
    """The best that fit, the shortest step first; and what the best would need if there were no limit."""
    every = sorted(plans(), key=lambda plan: plan.step)
    fitting = [plan for plan in every if plan.held <= MEMORY]
    least = min(every, key=lambda plan: plan.compute + plan.idle)
    whole = f"{least.data} copies, only the optimizer shared: {least.held / 1e9:.1f} GB"
    print(f"{len(every)} plans, {len(fitting)} fit; {whole}")
    print("copies tensor stages again     GB  compute  idle   talk = step s  days")
    for plan in fitting[:10]:
        cut = f"{plan.data:6} {plan.tensor:6} {plan.stages:6} {'yes' if plan.again else 'no':>5}"
        times = f"{plan.compute:7.2f} {plan.idle:5.2f} {plan.talk:6.2f} {plan.step:8.2f}"
        days = TOKENS / (BATCH * SEQ) * plan.step / 86400
        print(f"{cut} {plan.held / 1e9:6.1f}  {times} {days:5.1f}")


if __name__ == "__main__":
    main()
