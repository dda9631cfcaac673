"""The puzzles that come with teachrun, in the order of the course."""

from __future__ import annotations

from runtime.puzzles.cluster import Cluster
from runtime.puzzles.puzzle import Puzzle
from runtime.puzzles.schedule import Pipeline
from runtime.puzzles.streams import Collective, Streams, Work

_ROOM = 99  # activations: more than there are


def _gradients() -> Streams:
    """The end of a step and the beginning of the next: gradients leave as they come."""
    sizes = ((4, 5), (3, 3), (2, 2), (1, 2))
    back = (Work(f"B{n}", 2, kind="backward") for n, _ in sizes)
    ahead = (Work(f"F{n}", 1, (f"g{n}",)) for n in (1, 2, 3, 4))
    return Streams((*back, *ahead), tuple(Collective(f"g{n}", steps, f"B{n}") for n, steps in sizes))


def _sharded(slots: int, gather: int, reduce: int) -> Streams:
    """A step of FSDP on four layers; its first order gathers nothing before it is needed."""
    layers = (1, 2, 3, 4)
    work = [Work(f"F{n}", 2, (f"a{n}",)) for n in layers]
    work += [Work(f"B{n}", 4, (f"a{n}" if n == 4 else f"b{n}",), "backward") for n in reversed(layers)]
    calls = [Collective(f"a{n}", gather, "", f"F{n}" if n < 4 else "B4") for n in layers]
    calls.append(Collective("r4", reduce, "B4"))
    for n in (3, 2, 1):
        calls += [Collective(f"b{n}", gather, "", f"B{n}"), Collective(f"r{n}", reduce, f"B{n}")]
    return Streams(tuple(work), tuple(calls), slots)


_BLOCKS = """Every micro-batch goes forward through all devices, then back. `F` takes one step, `B` two;
a device does one thing at a time, and what it sends takes no time."""
_HALVES = """The backward is in two halves of one step each: `B`, the gradient of the inputs, which the device
before waits for, and `W`, that of the weights, which nobody waits for."""
_QUEUE = """The lower stream sends one collective after the other, in your order. Work waits for what it
needs; what is sent waits for the work that makes it."""
_LAYOUT = """Lay the training out over the cluster: it has to fit, and a step is to be short. The seconds are
those of `teachrun estimate`, computed and not measured."""

PUZZLES: tuple[Puzzle, ...] = (
    Puzzle(
        "gradients-first", "Whose gradient goes first?", 6, 5,
        f"A step ends, the next begins: `F1` needs `g1`, but `B4` is ready first. {_QUEUE}\n\n"
        "Find the order in which the next step is done earliest.",
        _gradients(),
        "The order in which gradients come is the reverse of that in which they are needed. Do not let the "
        "link idle, but ask of the large ones: who waits for it, and when?",
    ),
    Puzzle(
        "gather-ahead", "Gather ahead, with two slots", 7, 8,
        f"FSDP: `a` gathers weights for a forward, `b` for a backward, `r` shares gradients out. {_QUEUE}\n\n"
        "Gathered weights take one of **two** slots until they are used. Hide as much as you can.",
        _sharded(2, 3, 3),
        "Gather the next layer while this one computes: `b3` does not need to wait for `r4`. With two slots "
        "there is no room for more than one ahead.",
    ),
    Puzzle(
        "gather-further", "Three slots: how far ahead?", 7, 8,
        f"The same layers, a slower link, and **three** slots for gathered weights. {_QUEUE}\n\n"
        "What is worth gathering two layers ahead, and what is in its way?",
        _sharded(3, 3, 4),
        "A reduce in front of a gather delays the work that needs the gather; behind it, it delays nobody "
        "until the end, where all that is left of them is not hidden.",
    ),
    Puzzle(
        "layout-8b", "Llama 3 8B on one machine", 7, 5,
        f"{_LAYOUT}\n\n**Llama 3 8B**, 64 sequences of 8192 tokens, on 8 GPUs of one machine.",
        Cluster("llama3-8b", "h100", 8, 8192, 64),
        "What takes the memory: states or activations? Within a machine links are fast, and what is hidden "
        "behind arithmetic costs nothing.",
    ),
    Puzzle(
        "pipeline-fill", "Fill the pipeline", 10, 5,
        f"{_BLOCKS}\n\nThree devices, four micro-batches, and memory for all of them: the fewest steps.",
        Pipeline(4, (_ROOM,) * 3),
        "The last device is the first that can go back. Whenever it has nothing to do, all others are late.",
    ),
    Puzzle(
        "pipeline-memory", "The same steps in less memory", 10, 10,
        f"{_BLOCKS}\n\nNow the four devices hold at most 4, 3, 2 and 1 activations: each from its `F` to the "
        "end of its `B`. Six micro-batches: the fewest steps.",
        Pipeline(6, (4, 3, 2, 1)),
        "A device that goes back as soon as it can frees memory for the next forward: one forward, one "
        "backward.",
    ),
    Puzzle(
        "pipeline-tight", "Two activations each", 10, 10,
        f"{_BLOCKS}\n\nThree devices that hold two activations each, four micro-batches. The bubble grows: "
        "by how little?",
        Pipeline(4, (2, 2, 2)),
        "The first device is the one that waits: its activation is held longest. What has to come back to it "
        "before it may send the third micro-batch?",
    ),
    Puzzle(
        "bubble-halves", "Fill the bubble with halves", 10, 12,
        f"{_BLOCKS.partition(' `F`')[0]} {_HALVES}\n\nThree devices with three activations each, held until "
        "`W` is done; four micro-batches.",
        Pipeline(4, (3, 3, 3), split=True),
        "Do `B` as soon as you can, since others wait for it. `W` is what you do when you would be idle, or "
        "when memory is full.",
    ),
    Puzzle(
        "layout-4090", "Llama 3 8B on gaming cards", 13, 8,
        f"{_LAYOUT}\n\n**Llama 3 8B**, 128 sequences of 4096 tokens, on 32 cards of 24 GB, 8 in a machine; "
        "slow links between machines.",
        Cluster("llama3-8b", "rtx4090", 32, 4096, 128),
        "Weights and gradients of data parallelism cross the slow link. What crosses it least often, and "
        "what never should?",
    ),
    Puzzle(
        "layout-70b", "Llama 3 70B on 64 GPUs", 13, 8,
        f"{_LAYOUT}\n\n**Llama 3 70B**, 128 sequences of 8192 tokens, on 64 GPUs, 8 in a machine.",
        Cluster("llama3-70b", "h100", 64, 8192, 128),
        "Tensor parallelism stays inside a machine. What is left: a pipeline with its bubble, or shards with "
        "their gathers?",
    ),
    Puzzle(
        "layout-175b", "GPT-3 on 64 GPUs", 13, 8,
        f"{_LAYOUT}\n\n**GPT-3 175B**, 256 sequences of 2048 tokens, on 64 GPUs of 80 GB, 8 in a machine.",
        Cluster("gpt3-175b", "a100-80", 64, 2048, 256),
        "Full recomputation costs a third of the arithmetic. How many stages does it take to do without?",
    ),
)  # fmt: skip


def listed() -> dict[str, Puzzle]:
    """Return all puzzles, by name."""
    return {puzzle.name: puzzle for puzzle in PUZZLES}
