"""Bytes a parameter costs while it is trained: itself, its gradient, what its optimizer keeps.

Mixed precision with Adam is ZeRO's 2 + 2 + 12 (arXiv 1910.02054, section 3.1): 16-bit weights and gradients,
and in fp32 a copy of the weight, its momentum and its variance.
"""

from __future__ import annotations

from typing import NamedTuple

from runtime.estimate.cited_works import at
from runtime.estimate.formulas import parameters
from runtime.estimate.inputs.models import Model


class Precision(NamedTuple):
    """Bytes of a weight, of its gradient, of its fp32 copy, of a number the optimizer keeps, of an
    activation.

    `peak` names the arithmetic that a GPU's preset has a peak for.
    """

    title: str
    weight: int
    gradient: int
    master: int
    state: int
    activation: int
    peak: str
    source: str


PRECISIONS = {
    "mixed": Precision("16-bit, fp32 master", 2, 2, 4, 4, 2, "bf16", at("ZERO", "section 3.1")),
    "fp32": Precision("fp32", 4, 4, 0, 4, 4, "fp32", at("COUNTED")),
    "bf16-pure": Precision("bf16 without a master", 2, 2, 0, 2, 2, "bf16", at("COUNTED")),
    "bf16-fp32-states": Precision(
        "bf16 without a master, fp32 optimizer states", 2, 2, 0, 4, 2, "bf16",
        "Austin et al., How to Scale Your Model (2025), part 6",
    ),
    "mixed-fp32-grads": Precision(
        "16-bit, fp32 gradients and master", 2, 4, 4, 4, 2, "bf16", at("MEGATRON_DOCS")
    ),
    "mixed-fp32-accumulation": Precision(
        "16-bit, gradients summed up in fp32 beside them", 2, 6, 4, 4, 2, "bf16",
        "Hugging Face, The Ultra-Scale Playbook, memory of gradients",
    ),
    "fp8": Precision("fp8 weights, 16-bit activations, fp32 master", 1, 2, 4, 4, 2, "fp8", at(
        "DEEPSEEK", "3.3")),
}  # fmt: skip
ALIASES = {
    "bf16": "mixed", "fp16": "mixed", "amp": "mixed", "bf16-mixed": "mixed", "fp16-mixed": "mixed",
    "mixed-bf16": "mixed", "mixed-fp16": "mixed", "pure-bf16": "bf16-pure", "pure": "bf16-pure",
    "float32": "fp32", "full": "fp32",
}  # fmt: skip


class Optimizer(NamedTuple):
    """`numbers` of the precision's own width that it keeps for a parameter, and `fixed` bytes beside them."""

    title: str
    numbers: int
    fixed: float
    source: str


OPTIMIZERS = {
    "adam": Optimizer("Adam", 2, 0, at("ZERO", "section 3.1")),
    "adamw": Optimizer("AdamW", 2, 0, at("ZERO", "section 3.1")),
    "sgd": Optimizer("SGD", 0, 0, at("COUNTED")),
    "momentum": Optimizer("SGD with momentum", 1, 0, at("COUNTED")),
    "adamw8bit": Optimizer(
        "AdamW, 8-bit states", 0, 2 + 8 / 2048, at("DETTMERS", "section 2: blocks of 2048")
    ),
    "adafactor": Optimizer("Adafactor", 0, 0, at("ADAFACTOR", "section 3")),
    "muon": Optimizer("Muon, AdamW on all that is not a matrix of a layer", 1, 0, at("MUON")),
}


def optimizer_bytes(name: str, precision: Precision, model: Model | None) -> float:
    """Bytes of the optimizer for a parameter, the fp32 copy included.

    What Adafactor and Muon keep depends on shapes; of a model that is only a number they are taken as if all
    of it were large matrices.
    """
    chosen = OPTIMIZERS[name]
    own = chosen.numbers * precision.state + chosen.fixed
    if name == "adafactor":
        own = 4 * _sum_of_sides(model)
    elif name == "muon":
        own += precision.state * _outside_matrices(model)
    return precision.master + own


def _sum_of_sides(model: Model | None) -> float:
    """(rows + columns) / (rows x columns) over all matrices: what a factored second moment keeps."""
    if model is None:
        return 0.0
    found = parameters.matrices(model)
    ends = (parameters.embedding(model), model.vocab + model.hidden)
    return sum(sides for _, sides in [*found, ends]) / sum(size for size, _ in [*found, ends])


def _outside_matrices(model: Model | None) -> float:
    """The share of parameters that Muon leaves to AdamW: both ends, norms and biases."""
    if model is None:
        return 0.0
    return 1 - sum(size for size, _ in parameters.matrices(model)) / parameters.total(model)
