"""Runs a demo as on a machine with GPUs, on one without: `as_on_gpu.py DEMO.py ARGUMENTS…`, a rank each.

torch computes on the CPU throughout. Which device a tensor would be on is kept beside it, and what torch or
NCCL refuse there ends the demo: an operation on two devices, numpy of a GPU's numbers, numbers of a GPU drawn
by a generator of the CPU. So does what would go by unseen: work of some size on the CPU, or handed from there
to a collective. What a library makes for itself (buckets, gathered parameters) is on no known device, and
goes with both.
"""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.overrides import TorchFunctionMode

from runtime.catalog.params import DEMOS_DIR
from runtime.ranks.on_cpu.gpu_on_cpu import GpuOnCpu

SMALL = 64  # numbers: an example, a count, a time may be on the CPU
COMPUTES = ("linear", "matmul", "__matmul__", "embedding", "cross_entropy", "scaled_dot_product_attention",
            "layer_norm", "softmax")  # fmt: skip
CROSSES = (
    "copy_",
    "__setitem__",
    "__getitem__",
    "to",
    "__set__",
)  # from one device to another, or indices of one
COLLECTIVES = ("all_reduce", "broadcast", "reduce", "all_gather", "gather", "scatter", "reduce_scatter",
               "all_to_all_single", "all_gather_into_tensor", "all_gather_single", "reduce_scatter_tensor",
               "reduce_scatter_single")  # fmt: skip
on_device = {"computed": 0, "sent": 0}
script = Path()


class WrongDeviceError(RuntimeError):
    """What a GPU would have refused, or what should have been on it and was not."""


def kind(device: Any) -> str:
    """`cuda` or `cpu`, of a device or its name."""
    return str(device).partition(":")[0]


def tensors(found: Any) -> Iterator[Tensor]:
    """All tensors in arguments, or in what came back."""
    if isinstance(found, Tensor):
        yield found
    elif isinstance(found, list | tuple):
        for one in found:
            yield from tensors(one)
    elif isinstance(found, dict):
        yield from tensors([*found.values()])


def place_of(tensor: Tensor) -> str:
    """Where it would be: `cuda:0`, `cpu`, or "" where nobody knows."""
    return str(getattr(tensor, "placed", ""))


def asked_by_demo() -> bool:
    """Whether the innermost frame outside this file is a demo's."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename == __file__ and frame.f_back is not None:
        frame = frame.f_back
    return Path(frame.f_code.co_filename).parent in (DEMOS_DIR, script.parent)


class Places(TorchFunctionMode):
    """Keeps for every tensor that Python sees where it would be."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Let torch do it on the CPU, unless a GPU would not have."""
        given = dict(kwargs or {})
        name = getattr(func, "__name__", str(func))
        if name in ("device", "_parse_to"):  # a name, not a place yet
            return func(*args, **given)
        first = args[0] if args and isinstance(args[0], Tensor) else None
        if name == "__get__" and first is not None:
            return self._read(func, first, args, given)
        asked = [a for a in (*args, *given.values()) if isinstance(a, torch.device | str) and is_device(a)]
        known = {place_of(t) for t in tensors([args, given]) if t.dim() and place_of(t)}
        if len(known) > 1 and name not in CROSSES:
            raise WrongDeviceError(f"{name}: expected all tensors on one device, found {sorted(known)}")
        if name == "numpy" and first is not None and kind(place_of(first)) == "cuda":
            raise WrongDeviceError("numpy: a GPU's numbers have to be copied to the CPU first")
        if name in COMPUTES and known == {"cpu"} and max(t.numel() for t in tensors(args)) > SMALL:
            raise WrongDeviceError(f"{name}: computed on the CPU")
        on_device["computed"] += name in COMPUTES and any(kind(place) == "cuda" for place in known)
        if asked and kind(asked[0]) == "cuda":
            if isinstance(given.get("generator"), torch.Generator):
                raise WrongDeviceError(f"{name}: a generator of the CPU draws nothing on a GPU")
            args = tuple("cpu" if is_gpu(a) else a for a in args)
            given = {key: "cpu" if is_gpu(a) else a for key, a in given.items()}
        made = func(*args, **given)
        if name in ("to", "cpu", "cuda") and first is not None and made is first:
            made = first.clone() if place_of(first) not in ("", self._asked(name, asked)) else first
        here = self._after(name, asked, known, [args, given])
        for tensor in tensors(made):
            if here and (not place_of(tensor) or name in ("to", "cpu", "cuda")):
                tensor.placed = here  # type: ignore[attr-defined]
        if name == "__set__" and first is not None and isinstance(args[1], Tensor) and place_of(args[1]):
            first.placed = place_of(args[1])  # type: ignore[attr-defined]
        return made

    def _read(self, func: Any, tensor: Tensor, args: tuple[Any, ...], given: dict[str, Any]) -> Any:
        """A property; a demo that asks for the device is told where the tensor would be."""
        made = func(*args, **given)
        if isinstance(made, torch.device) and place_of(tensor) and asked_by_demo():
            return torch.device(place_of(tensor))
        if isinstance(made, Tensor) and not place_of(made) and place_of(tensor):
            made.placed = place_of(tensor)  # type: ignore[attr-defined]
        return made

    def _asked(self, name: str, asked: list[Any]) -> str:
        return "cpu" if name == "cpu" else str(asked[0]) if asked else "cuda:0" if name == "cuda" else ""

    def _after(self, name: str, asked: list[Any], known: set[str], given: Any) -> str:
        """Where what was made would be: as asked for, as what it was made of, else on the CPU."""
        if said := self._asked(name, asked):
            return said if is_gpu(said) or asked_by_demo() else ""
        of = known or {place_of(t) for t in tensors(given) if place_of(t)}
        if of:
            return max(of)  # of both, a scalar of the CPU and a tensor of a GPU: the GPU
        return "cpu" if asked_by_demo() and not list(tensors(given)) else ""


def is_device(word: Any) -> bool:
    """Whether it names a device."""
    return kind(word) in ("cuda", "cpu")


def is_gpu(word: Any) -> bool:
    """Whether it names a GPU."""
    return isinstance(word, torch.device | str) and kind(word) == "cuda"


def watched(name: str, plain: Callable[..., Any]) -> Callable[..., Any]:
    """A collective that refuses what should have been on the GPU."""

    def collective(*args: Any, **kwargs: Any) -> Any:
        handed = list(tensors([args, kwargs]))
        places = {place_of(t) for t in handed if place_of(t)}
        if len(places) > 1:
            raise WrongDeviceError(f"{name}: tensors of {sorted(places)}")
        if places == {"cpu"} and max(t.numel() for t in handed) > SMALL:
            raise WrongDeviceError(f"{name}: handed over from the CPU")
        on_device["sent"] += any(kind(place) == "cuda" for place in places)
        return plain(*args, **kwargs)

    return collective


def main() -> None:
    """Run the script that is named, then see that it was on the GPU at all."""
    os.environ |= {"TEACHRUN_DEVICE": "cuda", "TEACHRUN_BACKEND": "cpu:gloo,cuda:nccl"}
    global script
    script = Path(sys.argv.pop(1))
    stand_in = GpuOnCpu(lambda what, times: None)
    stand_in.change_groups()
    stand_in.change_answers()
    for name in COLLECTIVES:
        if hasattr(dist, name):
            setattr(dist, name, watched(name, getattr(dist, name)))
    plain = dist.P2POp
    dist.P2POp = lambda op, tensor, *rest: watched(op.__name__, plain)(op, tensor, *rest)  # type: ignore[misc, assignment]
    sys.path.insert(0, str(DEMOS_DIR))
    code: Any = 0
    with Places():
        try:
            runpy.run_path(str(script), run_name="__main__")
        except SystemExit as ended:
            code = ended.code
    print("on the device:", on_device, flush=True)
    sys.exit(code or (0 if any(on_device.values()) else "nothing was on the GPU"))


if __name__ == "__main__":
    main()
