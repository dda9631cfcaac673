"""What describes a demo: its script, its parameters, and the figures expected of it. No demo is named here.

Importing this module starts nothing and imports no torch.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from runtime.protocol.messages import Snapshot

from runtime.protocol.link_speeds import SPEEDS, UNLIMITED
from teachrun import install_extra

Kind = Literal["int", "float", "str", "choice", "seconds"]
Value = int | float | str
# What a demo can do with GPUs: compute on the CPU only; on one for each rank; also several ranks on one,
# where gloo has all the collectives it uses for tensors of a GPU (not send, receive, barrier).
Gpu = Literal["no", "own", "shared"]
Values = Mapping[str, "Value | None"]
DEMOS_DIR = Path(__file__).parents[1] / "demos"
_WORDS = {"int": "a whole number", "float": "a number", "seconds": "a time such as 30s or 2m"}
_DURATION = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*(ms|s|m|min|h)?")
_IN_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, None: 1.0}


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter. `low` and `high` are inclusive; `rank_arg`: the script gets it as `--name value`.

    `choices` are all that a choice can be; for a number they are words that may stand in its place.
    """

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
        what = " or ".join([*self.choices, _WORDS[self.kind]])
        if self.kind == "seconds" or self.low is None or self.high is None:
            return what
        return f"{what} from {_plain(self.low)} to {_plain(self.high)}"


@dataclass(frozen=True, slots=True)
class DemoSpec:
    """A demo that ships with teachrun: one plain script, runnable with torchrun as it is.

    `steps` tells from the values of the parameters how many steps a rank will report (usually its parameter
    of that name), `unfit` why the values do not go together (None: they do), and `expects` which key
    figures must come out of a run: name -> lowest and highest, inclusive, where a name is one of
    `figures.RankRow` or of the rank's own result.

    `unshown` looks at a run that is done: why its figures do not show what the demo is for, on this machine
    and this time, "" where they do.

    `memory` gives by formula the bytes a rank holds of each kind (keys: `params grads optimizer_bytes
    activations gathered`; a kind that the formula does not know is left out); `counted` gives what depends on
    the data as well, by what a rank of a run counted in its last step. `view` is what a panel of it
    shows first, `watch` the one sentence that says where to look, `when` when one would train so. `alike`
    gives the parameters with which it learns from the same samples in the same order as the other strategies,
    `batch` of them per rank and step, for a comparison of their losses. `resumes`: ranks that are started
    again read what all ranks have written. `needs` is a package that its script imports beside torch; the
    extra that installs it has its name. `stays` says in words why it computes on the CPU whatever GPUs there
    are (`gpu` "no"). `least` is what a rank has to send in a step by the method as
    published (bytes), and what its library calls instead; None: it calls just that.
    """

    name: str
    title: str
    file: Path
    params: tuple[Param, ...]
    steps: Callable[[Values], int] = lambda values: number(values["steps"])
    unfit: Callable[[Values], Refusal | None] = lambda values: None
    expects: Callable[[Values], Mapping[str, tuple[float, float]]] = lambda values: {}
    unshown: Callable[[Values, Snapshot], str] = lambda values, ran: ""
    memory: Callable[[Values], Mapping[str, int]] = lambda values: {}
    counted: Callable[[Values, Snapshot, int], Mapping[str, int]] | None = None
    view: str = "table"
    watch: str = ""
    when: str = ""
    alike: Callable[[Values], Mapping[str, str]] = lambda values: {}
    gpu: Gpu = "no"
    stays: str = ""
    needs: str = ""
    resumes: bool = False
    least: Callable[[Values], tuple[float, str] | None] = lambda values: None

    @property
    def missing(self) -> Refusal | None:
        """Why it cannot run here whatever its parameters; looked up each time, nothing is imported."""
        if not self.needs or find_spec(self.needs) is not None:
            return None
        return Refusal(f"{self.needs} is not installed here", install_extra(self.needs))

    def param(self, name: str) -> Param | None:
        """Return the parameter of that name, None if the demo has none."""
        return next((p for p in self.params if p.name == name), None)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something cannot be started, and what to do instead."""

    why: str
    mend: str


def number(value: Value | None) -> int:
    """Return a value that its parameter's kind (`int`, with a default) makes a whole number: for mypy."""
    assert isinstance(value, int)
    return value


def _plain(number: float) -> str:
    return str(int(number)) if number == int(number) else str(number)


def _number(param: Param, text: str) -> Value | None:
    """Return the value of `text`, None if it is not one within the parameter's range."""
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


def read(param: Param, text: str) -> Value | None:
    """Read a value of `param` from the text of a deck or a command line; None: it is not allowed."""
    if param.kind == "choice" or text in param.choices:
        return text if text in param.choices else None
    return text if param.kind == "str" else _number(param, text)


MOST_RANKS = 64
MOST_NODES = 128  # as many as a host was measured with
LAUNCH_PARAMS = (
    Param("ranks", "int", 4, "processes that work together, on each of the nodes", 1, MOST_RANKS),
    Param(
        "nodes",
        "int",
        1,
        "machines to simulate, each with that many ranks; all of them are this one",
        1,
        MOST_NODES,
    ),
    Param(
        "link",
        "choice",
        UNLIMITED,
        "what links between nodes are held to (Linux)",
        choices=tuple(SPEEDS),
    ),
    Param(
        "network",
        "choice",
        "loopback",
        "netns: two network namespaces, one shaped link (Linux); simulated: collectives are held back",
        choices=("loopback", "netns", "simulated"),
    ),
    Param("latency", "seconds", None, "between nodes: with network=netns or simulated", 0.0001, 1),
    Param("budget", "seconds", None, "class time planned for it; nothing watched is ended by it", 0.1, 86400),
    Param("timeout", "seconds", None, "end the run after this time, as failed", 0.1, 86400),
    Param("restarts", "int", 0, "how often it is started again when it fails", 0, 100),
    Param("launcher", "choice", "stage", "how the ranks are started", choices=("stage", "torchrun")),
    Param("device", "choice", "auto", "where the ranks compute", choices=("auto", "cpu", "gpu")),
)


def training(
    steps: int, layers: int, *, width: int = 128, seq: int = 64, batch: int = 8
) -> tuple[Param, ...]:
    """Return the parameters of all demos that train the small transformer with AdamW, with these defaults."""
    return (
        Param("steps", "int", steps, "optimizer steps", 1, 1_000_000, rank_arg=True),
        Param("seed", "int", 0, "seed of data and parameters", 0, 2**31 - 1, rank_arg=True),
        Param("batch", "int", batch, "sequences per rank and step", 1, 1024, rank_arg=True),
        Param("seq", "int", seq, "tokens per sequence", 2, 1024, rank_arg=True),
        Param("width", "int", width, "model width", 8, 2048, rank_arg=True),
        Param("layers", "int", layers, "transformer blocks", 1, 64, rank_arg=True),
        Param("lr", "float", 3e-3, "learning rate of AdamW", 0, 10, rank_arg=True),
    )


def stateful() -> tuple[Param, ...]:
    """Return the same for demos about model state: 6.4 million parameters, and so few tokens that 16 bytes a
    parameter are most of what a rank holds (a block saves 64 bytes a token and unit of width)."""
    return training(100, layers=8, width=256, seq=16, batch=1)


def exactly(sizes: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    """Return ranges of one value each, for figures that a formula gives to the byte."""
    return {name: (size, size) for name, size in sizes.items()}


def suggest(word: str, known: list[str]) -> str:
    """Return the word of `known` that was probably meant, or "": rather one with the same letters in another
    order than one with a letter less."""
    close = difflib.get_close_matches(word, known)
    return min(close, key=lambda name: sorted(name) != sorted(word), default="")


def printable(text: str, most: int = 40) -> str:
    """Return untrusted text as it can stand in a message: printable, at most so many characters."""
    clean = "".join(c if c.isprintable() else "?" for c in text)
    return clean if len(clean) <= most else clean[: most - 1] + "…"
