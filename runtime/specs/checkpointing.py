"""`checkpointing`: parameters and key figures."""

from __future__ import annotations

from dataclasses import replace

from runtime.params import DEMOS_DIR, LAUNCH_PARAMS, DemoSpec, Param, Values, exactly, number, training
from runtime.specs.replicated import replica
from runtime.specs.sizes import activations

MODES = ("none", "selective", "full")


def kept(values: Values, mode: str) -> int:
    """Bytes that autograd holds after a forward (`sizes.activations`).

    `selective` drops what the MLP keeps but for its input: the second norm's output and its two figures a
    token, and both sides of the gelu. `full` keeps the block's input of all it has.
    """
    width, layers = number(values["width"]), number(values["layers"])
    tokens = number(values["seq"]) * number(values["batch"])
    whole = activations(values)
    block = (whole - activations({**values, "layers": 0})) // layers
    dropped = {"none": 0, "selective": 4 * (9 * width + 2) * tokens, "full": block - 4 * width * tokens}
    return whole - layers * dropped[mode]


def _expects(values: Values) -> dict[str, tuple[float, float]]:
    mode = str(values["mode"])
    sizes = [kept(values, m) for m in (MODES[: number(values["ranks"])] if mode == "each" else (mode,))]
    return {**exactly(replica(values)), "activations": (min(sizes), max(sizes))}


SPEC = DemoSpec(
    "checkpointing",
    "Activation checkpointing: forget in forward what backward can compute once more",
    DEMOS_DIR / "checkpointing.py",
    (
        replace(LAUNCH_PARAMS[0], default=3, help="processes; each trains alone"),
        *LAUNCH_PARAMS[1:],
        Param("mode", "choice", "each", "what is forgotten; each: none, selective, full on ranks in turn",
              choices=("each", *MODES), rank_arg=True),
        *training(steps=50, layers=4),
    ),
    steps=lambda values: number(values["steps"]),
    expects=_expects,
    memory=lambda values: {**replica(values), "activations": kept(values, MODES[0] if values["mode"] == "each"
                                                                  else str(values["mode"]))},
    view="memory",
    watch="fewer activations from rank to rank, longer backwards, the same loss to the last bit",
    when="activations, not weights, are what does not fit: long sequences, deep models",
)  # fmt: skip
