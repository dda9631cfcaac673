"""What of an estimate can be turned, notch by notch: the values that a key of a request goes through."""

from __future__ import annotations

from typing import Any, NamedTuple

from runtime.estimate.formulas.states import OPTIMIZERS, PRECISIONS
from runtime.estimate.inputs.gpus import GPUS
from runtime.estimate.inputs.presets import MODELS
from runtime.estimate.request import Refused, Request, request


class Slider(NamedTuple):
    """`notches` are all values in order; `scale`: they are more and less of something, drawn as a line."""

    key: str
    title: str
    notches: tuple[Any, ...]
    scale: bool = False


def _doubling(most: int, least: int = 1) -> tuple[int, ...]:
    found = [least]
    while found[-1] < most:
        found.append(found[-1] * 2)
    return tuple(found)


SLIDERS = (
    Slider("model", "model", tuple(MODELS)),
    Slider("seq", "sequence", _doubling(1 << 20, 512), scale=True),
    Slider("batch", "micro-batch", _doubling(64), scale=True),
    Slider("precision", "precision", tuple(PRECISIONS)),
    Slider("optimizer", "optimizer", tuple(OPTIMIZERS)),
    Slider("recompute", "recompute", ("none", "selective", "full")),
    Slider("flash", "flash", (0, 1)),
    Slider("gpu", "GPU", tuple(GPUS)),
    Slider("dp", "data parallel", _doubling(16384), scale=True),
    Slider("zero", "shard", (0, 1, 2, 3)),
    Slider("shard", "shard over", (0, *_doubling(1024, 2)), scale=True),  # 0: all that hold the model
    Slider("tp", "tensor parallel", _doubling(64), scale=True),
    Slider("pp", "pipeline", (1, 2, 3, 4, 5, 6, 7, 8, 12, 14, 16, 18, 32, 35, 42, 63, 64), scale=True),
    Slider("cp", "context parallel", _doubling(64), scale=True),
    Slider("ep", "expert parallel", _doubling(256), scale=True),
    Slider("micro_batches", "micro-batches", _doubling(4096), scale=True),
    Slider("bandwidth", "link", tuple(gbits * 1e9 / 8 for gbits in _doubling(6400, 25)), scale=True),
)


def place(slider: Slider, asked: Request) -> int | None:
    """The notch of what is asked for, or the one below it; None: it is none of them."""
    now = current(slider, asked)
    if slider.scale:
        return max((n for n, notch in enumerate(slider.notches) if notch <= (now or 0)), default=0)
    return slider.notches.index(now) if now in slider.notches else None


def current(slider: Slider, asked: Request) -> Any:
    """The value in force, given or by default."""
    if slider.key in asked.values and slider.key != "model":
        return asked.values[slider.key]
    if slider.key == "model":
        model = asked.subject.model
        return next((name for name, known in MODELS.items() if known is model), None)
    if slider.key == "gpu":
        return next((name for name, known in GPUS.items() if known is asked.gpu), None)
    if slider.key == "bandwidth":
        from runtime.estimate.estimate import links

        found = links(asked)
        slow = found and (found[1] if asked.layout.devices > found[2] else found[0])
        return slow.bandwidth if slow else None
    if slider.key in ("precision", "optimizer"):
        return asked.precision_name if slider.key == "precision" else asked.optimizer
    return getattr(asked.layout, slider.key)


def turned(slider: Slider, asked: Request, by: int) -> Request:
    """The request one notch on (`by` 1) or back, at the next notch with which it can be; itself at an end."""
    begin = place(slider, asked)
    at = -1 if begin is None and by > 0 else len(slider.notches) if begin is None else begin
    for notch in slider.notches[at + by :] if by > 0 else reversed(slider.notches[: max(0, at)]):
        values = {**asked.values, slider.key: notch}
        if slider.key == "model":
            for key in ("params", "layers", "hidden", "heads", "kv_heads", "ffn", "vocab", "layout", "tied"):
                values.pop(key, None)
        if slider.key == "shard" and not notch:
            del values["shard"]  # as if nobody had said over how many
        try:
            return request(values)
        except Refused:
            continue
    return asked


def words(asked: Request) -> tuple[str, ...]:
    """The `KEY=VALUE` words that give `asked` again."""
    return tuple(f"{key}={value}" for key, value in asked.values.items())
