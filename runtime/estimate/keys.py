"""The keys of an estimate: what each may be, and what it says."""

from __future__ import annotations

import difflib
from typing import Any, Literal, NamedTuple

from runtime.estimate.formulas import collective_times, states
from runtime.estimate.inputs import gpus, presets
from runtime.estimate.inputs.layout import SCHEDULES, STRATEGIES

Kind = Literal[
    "whole", "count", "bytes", "bandwidth", "seconds", "flops", "share", "money", "flag", "word", "text"
]
MANY, HUGE = 10**6, 10**9
LISTED = 120  # characters of known words that stand beside what was probably meant


class Key(NamedTuple):
    """`low` and `high` are inclusive. `words` may stand for other words (`aliases`)."""

    name: str
    kind: Kind
    help: str
    low: float = 1
    high: float = MANY
    words: tuple[str, ...] = ()
    aliases: dict[str, str] = {}

    @property
    def expects(self) -> str:
        """What may be written, in words."""
        if self.kind in ("word", "flag"):
            return " or ".join(self.words or ("0", "1"))
        if self.kind == "text":
            return "a name or the path of a config.json"
        what = _WORDS[self.kind]
        return f"{what} from {plain(self.low)} to {plain(self.high)}"


_WORDS = {
    "whole": "a whole number", "count": "a number such as 7.5e9 or 7.5B", "bytes": "bytes such as "
                                                                                   "80e9 or 80GB",
    "bandwidth": "bytes a second such as 50e9, 50GB/s or 400Gb/s", "seconds": "seconds such as 5e-6 or 5us",
    "flops": "operations a second such as 312e12 or 312TFLOP/s", "share": "a share", "money": "a price",
}  # fmt: skip


def plain(value: float) -> str:
    """A number as people type it: whole below ten thousand million."""
    return f"{int(value):,}".replace(",", " ") if value == int(value) and abs(value) < 1e10 else f"{value:g}"


_ROWS = tuple(name.lower() for name in STRATEGIES)
_STAGES = {"zero1": "zero-1", "zero2": "zero-2", "zero3": "fsdp", "zero-3": "fsdp"}


def _whole(name: str, text: str, high: float = MANY, low: float = 1) -> Key:
    return Key(name, "whole", text, low, high)


KEYS = {
    key.name: key
    for key in (
        Key("model", "text", "a preset, or the path of a Hugging Face config.json"),
        Key("params", "count", "parameters, where nothing else of the model is known", 1, 1e16),
        _whole("layers", "layers of a model given by its shape (GPT layout with hidden and heads "
                         "alone)", 10**5),
        _whole("hidden", "width of the model"),
        _whole("heads", "attention heads", 10**5),
        _whole("kv_heads", "key and value heads; given, the layout is Llama's", 10**5),
        _whole("ffn", "inner width of the MLP; given, the layout is Llama's"),
        _whole("vocab", "tokens of the vocabulary (GPT 51 200, Llama 32 000)", 10**8),
        Key("layout", "word", "the family of a shape", words=("gpt", "llama")),
        Key("tied", "flag", "1: the head is the embedding", 0, 1),
        _whole("experts", "routed experts of a layer", 10**5),
        _whole("active_experts", "experts that see a token", 10**5),
        _whole("seq", "tokens of a sequence", 10**8),
        _whole("batch", "micro-batch: sequences of a device at a time"),
        _whole("micro_batches", "micro-batches a step"),
        _whole("global_batch", "sequences a step on all devices, in place of micro_batches", HUGE),
        _whole("interleave", "stages on each device of a pipeline", 10**4),
        Key("schedule", "word", "order of a pipeline", words=SCHEDULES,
            aliases={"zb1p": "zb-h1", "zbh1": "zb-h1", "zbh2": "zb-h2", "interleaved": "1f1b"}),
        Key("precision", "word", "bytes of weights, gradients and master copy",
            words=tuple(states.PRECISIONS), aliases=states.ALIASES),
        Key("optimizer", "word", "what keeps states", words=tuple(states.OPTIMIZERS),
            aliases={"adam8bit": "adamw8bit", "adamw-8bit": "adamw8bit", "adam-8bit": "adamw8bit"}),
        Key("recompute", "word", "what backward computes again", words=("none", "selective", "full")),
        Key("flash", "flag", "1: scores are never stored", 0, 1),
        Key("fused_mlp", "flag", "1: a gated MLP keeps its nonlinearity's input only (one kernel)", 0, 1),
        Key("sp", "flag", "1: sequence parallelism beside tensor parallelism", 0, 1),
        _whole("dp", "data parallel ranks"),
        _whole("tp", "tensor parallel ranks"),
        _whole("pp", "pipeline stages", 10**4),
        _whole("cp", "context parallel ranks"),
        _whole("ep", "expert parallel ranks, among the data parallel ones"),
        Key("zero", "word", "what data parallel ranks shard: 1 optimizer, 2 and gradients, 3 and "
                            "weights (FSDP)",
            words=("0", "1", "2", "3"), aliases={"fsdp": "3", "ddp": "0", "hsdp": "3"}),
        Key("offload", "word", "what waits in the host's memory: the optimizer (from zero=2 on with "
                               "gradients), or all, weights too", words=("none", "optimizer", "all"),
            aliases={"cpu": "optimizer", "0": "none", "1": "optimizer", "params": "all"}),
        _whole("shard", "ranks that share states, where fewer than all do (HSDP)"),
        Key("uneven", "flag", "1: stages may differ by a layer", 0, 1),
        Key("gpu", "word", "the device", words=tuple(gpus.GPUS), aliases=gpus.ALIASES),
        _whole("gpus", "devices in all: the layouts that fit are planned"),
        _whole("node", "devices that share the fast link"),
        Key("memory", "bytes", "of a device, in place of its preset's", 1e6, 1e15),
        Key("bandwidth", "bandwidth", "one way, of the slowest link that the layout crosses", 1, 1e16),
        Key("node_bandwidth", "bandwidth", "one way, of the link inside a node", 1, 1e16),
        Key("host_bandwidth", "bandwidth", "one way, between a device and its host", 1, 1e16),
        Key("latency", "seconds", "to start a message on that link", 0, 100),
        Key("efficiency", "share", "of the peak that arithmetic reaches (an assumption)", 0.01, 1),
        Key("margin", "share", "of memory that fragmentation may make unusable", 0, 0.9),
        Key("overhead", "bytes", "beside all tensors: driver and communicators", 0, 1e12),
        Key("tokens", "count", "of the whole training", 1, 1e18),
        Key("achieved", "flops", "measured FLOP/s of a device: days and utilization follow from it", 1, 1e18),
        Key("step_s", "seconds", "measured seconds of a step: its utilization follows", 1e-9, 1e9),
        Key("price", "money", "of a device for an hour", 0, 1e6),
        Key("collective", "word", "a collective alone", words=collective_times.OPS,
            aliases=collective_times.ALIASES),
        Key("bytes", "bytes", "the collective's whole buffer", 0, 1e18),
        _whole("ranks", "ranks of the collective"),
        Key("until", "word", "of a strategy table: its last row", words=_ROWS, aliases=_STAGES),
        Key("new", "word", "of a strategy table: rows from this one on are marked", words=_ROWS,
            aliases=_STAGES),
    )
}  # fmt: skip
MODELS = {**{name: name for name in presets.MODELS}, **presets.ALIASES}


def meant(word: str, known: Any, aliases: Any = ()) -> str:
    """What to write for a word that is not known; other names of the known ones are not listed."""
    begun = [name for name in known if word and name.startswith(word[:40])][:2]
    close = begun or difflib.get_close_matches(word[:40], [*known, *aliases], n=2, cutoff=0.5)
    every = " ".join(known)
    if not close:
        return f"known: {every}" if len(every) <= LISTED else "`teachrun estimate --keys` lists all"
    more = f"Known: {every}" if len(every) <= LISTED else "`teachrun estimate --keys` lists all"
    return f"did you mean {' or '.join(close)}? {more}"


def clipped(text: str) -> str:
    """At most 40 characters of what was typed."""
    return text if len(text) <= 40 else text[:39] + "…"
