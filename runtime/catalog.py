"""The demos that can be started, their parameters, and the one check of what somebody asked for.

A deck's `::: demo ddp ranks=4`, `teachrun run ddp ranks=4` and a screen's launch all come through `check`.
Importing this module starts nothing and imports no torch.
"""

from __future__ import annotations

import difflib
import math
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["int", "float", "str", "choice", "seconds"]
Value = int | float | str
Values = Mapping[str, "Value | None"]
_DEMOS_DIR = Path(__file__).parent / "demos"
_WORDS = {"int": "a whole number", "float": "a number", "seconds": "a time such as 30s or 2m"}
_DURATION = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*(ms|s|m|min|h)?")
_IN_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, None: 1.0}


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter. `low` and `high` are inclusive; `rank_arg`: the script gets it as `--name value`."""

    name: str
    kind: Kind
    default: Value | None
    help: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    rank_arg: bool = False

    @property
    def expects(self) -> str:
        """What may be written, in words: `a whole number from 1 to 64`."""
        if self.kind == "choice":
            return " or ".join(self.choices)
        if self.kind == "str":
            return "text"
        what = _WORDS[self.kind]
        if self.kind == "seconds" or self.low is None or self.high is None:
            return what
        return f"{what} from {_plain(self.low)} to {_plain(self.high)}"


@dataclass(frozen=True, slots=True)
class DemoSpec:
    """A demo that ships with teachrun: one plain script, runnable with torchrun as it is.

    `steps` tells from the values of the parameters how many steps a rank will report, `unfit` why the values
    do not go together (None: they do), and `expects` which key figures must come out of a run: name -> lowest
    and highest, inclusive, where a name is one of `messages.RankRow` or of the rank's own result.
    """

    name: str
    title: str
    file: Path
    params: tuple[Param, ...]
    steps: Callable[[Values], int]
    unfit: Callable[[Values], Refusal | None] = lambda values: None
    expects: Callable[[Values], Mapping[str, tuple[float, float]]] = lambda values: {}

    def param(self, name: str) -> Param | None:
        return next((p for p in self.params if p.name == name), None)


@dataclass(frozen=True, slots=True)
class Launchable:
    """A request that was checked. `params` is what was written, `values` every parameter with defaults."""

    name: str
    title: str
    script: Path
    params: dict[str, str]
    values: dict[str, Value | None]
    argv: tuple[str, ...]
    builtin: bool = True
    steps: int | None = None  # that a rank will report, where it is known before

    @property
    def ranks(self) -> int:
        value = self.values["ranks"]
        assert isinstance(value, int)
        return value

    def seconds(self, name: str) -> float | None:
        """`budget` or `timeout` in seconds; None where none was given."""
        value = self.values.get(name)
        return float(value) if isinstance(value, int | float) else None

    @property
    def launcher(self) -> str:
        return str(self.values["launcher"])


@dataclass(frozen=True, slots=True)
class Refusal:
    """It cannot be started: `why`, and what to write instead."""

    why: str
    mend: str


def _int(value: Value | None) -> int:
    assert isinstance(value, int)
    return value


def tinylm_block(values: Values) -> int:
    """Parameters of one block of `demos.model.TinyLM`: 12 d^2 in matrices, 9 d in norms and biases."""
    width = _int(values["width"])
    return 12 * width**2 + 9 * width


def tinylm_parameters(values: Values) -> int:
    """Parameters of all of it: the blocks, two embeddings, the last norm, the head."""
    width, layers, seq = (_int(values[name]) for name in ("width", "layers", "seq"))
    return layers * tinylm_block(values) + (2 * 256 + seq + 2) * width


def _even_shards(values: Values, parts: int) -> bool:
    """Do the first dimensions of all parameters fall into so many equal shards, with no padding?"""
    return all(size % parts == 0 for size in (_int(values["width"]), _int(values["seq"]), 256))


def _plain(number: float) -> str:
    return str(int(number)) if number == int(number) else str(number)


LAUNCH_PARAMS = (
    Param("ranks", "int", 4, "processes that work together", 1, 64),
    Param("budget", "seconds", None, "class time planned for it; nothing watched is ended by it", 0.1, 86400),
    Param("timeout", "seconds", None, "end the run after this time, as failed", 0.1, 86400),
    Param("launcher", "choice", "stage", "how the ranks are started", choices=("stage", "torchrun")),
)


def _training(steps: int, layers: int) -> tuple[Param, ...]:
    """What all demos take that train the small transformer with AdamW."""
    return (
        Param("steps", "int", steps, "optimizer steps", 1, 1_000_000, rank_arg=True),
        Param("seed", "int", 0, "seed of data and parameters", 0, 2**31 - 1, rank_arg=True),
        Param("batch", "int", 8, "sequences per rank and step", 1, 1024, rank_arg=True),
        Param("seq", "int", 64, "tokens per sequence", 2, 1024, rank_arg=True),
        Param("width", "int", 128, "model width", 8, 2048, rank_arg=True),
        Param("layers", "int", layers, "transformer blocks", 1, 64, rank_arg=True),
        Param("lr", "float", 3e-3, "learning rate of AdamW", 0, 10, rank_arg=True),
    )


DDP = DemoSpec(
    "ddp",
    "Distributed data parallel: one small transformer, a replica per rank",
    _DEMOS_DIR / "ddp.py",
    (
        *LAUNCH_PARAMS,
        *_training(steps=200, layers=2),
        Param("bucket_mb", "float", 25.0, "size of a gradient bucket in MiB", 0.001, 1024, rank_arg=True),
        Param("slow_rank", "int", -1, "rank to slow down (-1: none)", -1, 63, rank_arg=True),
        Param("slow_ms", "float", 0.0, "by how many milliseconds a step", 0, 10_000, rank_arg=True),
    ),
    steps=lambda values: _int(values["steps"]),
)

ALLREDUCE = DemoSpec(
    "allreduce",
    "Ring all-reduce by hand: every transfer, and what every rank holds after it",
    _DEMOS_DIR / "allreduce.py",
    (
        *LAUNCH_PARAMS,
        Param("rounds", "int", 10, "all-reduces, each on new numbers", 1, 100_000, rank_arg=True),
        Param("size", "int", 1, "numbers in a chunk; the first is shown", 1, 1 << 22, rank_arg=True),
        Param("pause_ms", "float", 500.0, "time to look, after each transfer", 0, 10_000, rank_arg=True),
    ),
    # The transfers of a round, and the all-reduce that checks it.
    steps=lambda values: _int(values["rounds"]) * (2 * (_int(values["ranks"]) - 1) + 1),
)


def _uneven_batch(values: Values) -> Refusal | None:
    batch, k = _int(values["batch"]), _int(values["micro_batches"])
    if batch % k == 0:
        return None
    even = max(batch // k, 1) * k
    return Refusal(f"batch={batch} does not fall into {k} equal micro-batches", f"write batch={even}")


def _accumulate_expects(values: Values) -> dict[str, tuple[float, float]]:
    """Equal gradients but for rounding; with the 1/k forgotten they are k times, off by k - 1."""
    off = _int(values["micro_batches"]) - 1 if values["forget_divide"] else 0
    parameters = 4 * tinylm_parameters(values)
    return {
        "gradient_difference": (max(0.0, 0.99 * off - 1e-4), 1.01 * off + 1e-4),
        "params": (parameters, parameters),
        "grads": (parameters, parameters),
        "optimizer_bytes": (0, 0),  # plain SGD
    }


ACCUMULATE = DemoSpec(
    "accumulate",
    "Gradient accumulation: k micro-batches give the gradient of one large batch",
    _DEMOS_DIR / "accumulate.py",
    (
        *LAUNCH_PARAMS,
        Param("steps", "int", 50, "optimizer steps", 1, 1_000_000, rank_arg=True),
        Param("seed", "int", 0, "seed of data and parameters", 0, 2**31 - 1, rank_arg=True),
        Param("batch", "int", 16, "sequences per rank and optimizer step", 1, 1024, rank_arg=True),
        Param("micro_batches", "int", 4, "pieces the batch is cut into (k)", 1, 1024, rank_arg=True),
        Param(
            "forget_divide", "int", 0, "1: the mistake of adding losses not divided by k", 0, 1, rank_arg=True
        ),
        Param("sync_every", "int", 0, "1: the mistake of k all-reduces a step", 0, 1, rank_arg=True),
        Param("seq", "int", 64, "tokens per sequence", 2, 1024, rank_arg=True),
        Param("width", "int", 128, "model width", 8, 2048, rank_arg=True),
        Param("layers", "int", 2, "transformer blocks", 1, 64, rank_arg=True),
        Param("lr", "float", 0.3, "learning rate of SGD", 0, 10, rank_arg=True),
    ),
    steps=lambda values: _int(values["steps"]),
    unfit=_uneven_batch,
    expects=_accumulate_expects,
)


def _sharded(values: Values, parts: int, reshard: bool) -> dict[str, float]:
    """What a rank of `fully_shard` holds of the model in `parts` slices, in bytes."""
    if parts == 1 or not _even_shards(values, parts):
        return {}  # nothing to gather, or padded slices
    share = 4 * tinylm_parameters(values) / parts
    gathered = gathered_at_once(values, reshard)
    return {"params": share, "grads": share, "optimizer_bytes": 2 * share, "gathered": gathered}


def _exactly(sizes: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    return {name: (size, size) for name, size in sizes.items()}


def _zero_expects(values: Values) -> dict[str, tuple[float, float]]:
    """4N, 4N and 8N bytes and their shares (Rajbhandari et al., 2020, table 1, for fp32)."""
    stage, ranks, whole = _int(values["stage"]), _int(values["ranks"]), 4 * tinylm_parameters(values)
    if stage >= 2:
        return _exactly(_sharded(values, ranks, reshard=stage == 3))
    expected = _exactly({"params": whole, "grads": whole, "optimizer_bytes": 2 * whole, "gathered": 0})
    if stage == 1:
        # Whole tensors are dealt out, the largest first to whoever has least: off by one tensor at most.
        share, width = 2 * whole / ranks, _int(values["width"])
        largest = 8 * width * max(4 * width, 256, _int(values["seq"]))
        expected["optimizer_bytes"] = (max(0.0, share - largest), share + largest)
    return expected


def gathered_at_once(values: Values, reshard: bool) -> int:
    """Most bytes of whole weights on a rank of `fully_shard`, blocks as units.

    With `reshard`: what is outside the blocks, the block in use, and the one fetched before it is needed (in
    forward the buffer that the block in use came in). Without: everything, and that buffer.
    """
    block, whole = 4 * tinylm_block(values), 4 * tinylm_parameters(values)
    return whole - (_int(values["layers"]) - 2) * block if reshard else whole + block


ZERO = DemoSpec(
    "zero",
    "ZeRO stages 0 to 3: the same training with less and less state on every rank",
    _DEMOS_DIR / "zero.py",
    (
        *LAUNCH_PARAMS,
        Param("stage", "int", 3, "0: DDP, 1: optimizer state sharded, 2: + gradients, 3: + parameters", 0, 3,
              rank_arg=True),
        *_training(steps=100, layers=4),
    ),
    steps=lambda values: _int(values["steps"]),
    expects=_zero_expects,
)  # fmt: skip


def _fsdp_expects(values: Values) -> dict[str, tuple[float, float]]:
    ranks, reshard = _int(values["ranks"]), values["reshard"] == 1
    bound = 4 * tinylm_parameters(values) // ranks + gathered_at_once(values, reshard)
    return _exactly({**_sharded(values, ranks, reshard), "upper_bound_bytes": bound})


FSDP = DemoSpec(
    "fsdp",
    "Fully sharded data parallel: slices of every parameter, a block gathered while it is used",
    _DEMOS_DIR / "fsdp.py",
    (
        *LAUNCH_PARAMS,
        Param("reshard", "int", 1, "1: free a block's parameters after its forward", 0, 1, rank_arg=True),
        *_training(steps=100, layers=6),
    ),
    steps=lambda values: _int(values["steps"]),
    expects=_fsdp_expects,
)


def _no_mesh(values: Values) -> Refusal | None:
    ranks, replicas = _int(values["ranks"]), _int(values["replicas"])
    columns = max(2, ranks // replicas)
    if ranks == replicas * columns:
        return None
    return Refusal(
        f"{ranks} ranks do not make a mesh of {replicas} rows of 2 ranks or more",
        f"write ranks={replicas * columns}",
    )


HSDP = DemoSpec(
    "hsdp",
    "Hybrid sharding: slices among near ranks, replicas across, on a mesh of two dimensions",
    _DEMOS_DIR / "hsdp.py",
    (
        *LAUNCH_PARAMS,
        Param("replicas", "int", 2, "rows of the mesh, each a copy of the model", 2, 32, rank_arg=True),
        *_training(steps=100, layers=4),
    ),
    steps=lambda values: _int(values["steps"]),
    unfit=_no_mesh,
    expects=lambda values: _exactly(
        _sharded(values, _int(values["ranks"]) // _int(values["replicas"]), reshard=True)
    ),
)

DEMOS: dict[str, DemoSpec] = {spec.name: spec for spec in (DDP, ALLREDUCE, ACCUMULATE, ZERO, FSDP, HSDP)}


def demo_file(name: str) -> Path | None:
    """The script of a demo, for showing its code; None for a name nobody knows."""
    spec = DEMOS.get(name)
    return spec.file if spec else None


def _suggest(word: str, known: list[str]) -> str:
    close = difflib.get_close_matches(word, known, n=1)
    return close[0] if close else ""


def _printable(text: str) -> str:
    """A stranger's text inside our sentence: nothing a terminal would obey, and not without end."""
    clean = "".join(c if c.isprintable() else "?" for c in text)
    return clean if len(clean) <= 40 else clean[:39] + "…"


def _number(param: Param, text: str) -> Value | None:
    """The value of `text`, or None when it is not one."""
    value: Value
    try:
        if param.kind == "seconds":
            match = _DURATION.fullmatch(text.strip())
            if match is None:
                return None
            value = float(match[1]) * _IN_SECONDS[match[2]]
        else:
            value = int(text) if param.kind == "int" else float(text)
    except ValueError:
        return None
    if not math.isfinite(value):
        return None
    too_low = param.low is not None and value < param.low
    too_high = param.high is not None and value > param.high
    return None if too_low or too_high else value


def _value(param: Param, text: str) -> Value | None:
    if param.kind == "choice":
        return text if text in param.choices else None
    return text if param.kind == "str" else _number(param, text)


def check(name: str, params: Mapping[str, str]) -> Launchable | Refusal:
    """What was asked for, ready to launch, or why not. Never raises."""
    spec = DEMOS.get(name)
    if spec is None:
        if "/" in name or name.endswith(".py"):
            return Refusal(
                f"{_printable(name)} is a script: this version runs its own demos only",
                "run it with torchrun, or choose a demo from `teachrun list`",
            )
        close = _suggest(name, list(DEMOS))
        return Refusal(
            f"there is no demo named {_printable(name)}",
            f"did you mean {close}?" if close else f"write one of: {', '.join(DEMOS)}",
        )
    values: dict[str, Value | None] = {p.name: p.default for p in spec.params}
    for key, text in params.items():
        param = spec.param(key)
        if param is None:
            known = [p.name for p in spec.params]
            close = _suggest(key, known)
            return Refusal(
                f"{name} has no parameter {_printable(key)}",
                f"did you mean {close}?" if close else f"write one of: {', '.join(known)}",
            )
        value = _value(param, text)
        if value is None:
            return Refusal(f"{key}={_printable(text)} cannot be used", f"write {key}= with {param.expects}")
        values[key] = value
    ranks, slow = values["ranks"], values.get("slow_rank")
    if isinstance(ranks, int) and isinstance(slow, int) and slow >= ranks:
        return Refusal(
            f"slow_rank={slow} is none of the ranks 0 to {ranks - 1}", f"write slow_rank={ranks - 1}"
        )
    refusal = spec.unfit(values)
    if refusal is not None:
        return refusal
    argv: list[str] = []
    for param in spec.params:
        if param.rank_arg and values[param.name] != param.default:
            argv += [f"--{param.name}", str(values[param.name])]
    return Launchable(
        name, spec.title, spec.file, dict(params), values, tuple(argv), steps=spec.steps(values)
    )


def parse_words(words: list[str]) -> tuple[str, dict[str, str]] | Refusal:
    """`["ddp", "ranks=4"]` as a name and its parameters; the last of two equal keys counts."""
    if not words:
        return Refusal("no demo is named", f"write one of: {', '.join(DEMOS)}")
    name, *rest = words
    params: dict[str, str] = {}
    for word in rest:
        key, equals, value = word.partition("=")
        if not equals or not key or not value:
            return Refusal(f"{_printable(word)} is not key=value", "write parameters as ranks=4 steps=200")
        params[key] = value
    return name, params


def parse_line(line: str) -> tuple[str, dict[str, str]] | Refusal:
    """`ddp ranks=4 steps=200`: the one grammar of decks, `run` and `compare`."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        return Refusal(f"the line cannot be read: {error}", "close the quotation mark")
    return parse_words(words)
