"""What demos share in which every rank holds the whole model."""

from __future__ import annotations

from runtime.catalog.params import Refusal, Values, number
from runtime.catalog.specs.sizes import tinylm_parameters


def uneven_batch(values: Values) -> Refusal | None:
    """Micro-batches of different sizes would not weigh the same in a mean of means."""
    batch, k = number(values["batch"]), number(values["micro_batches"])
    if batch % k == 0:
        return None
    even = max(batch // k, 1) * k
    return Refusal(f"batch={batch} does not fall into {k} equal micro-batches", f"write batch={even}")


def replica(values: Values, states: int = 2) -> dict[str, int]:
    """Bytes of a whole model in fp32 on a rank, with so many numbers of optimizer state a parameter."""
    whole = 4 * tinylm_parameters(values)
    return {"params": whole, "grads": whole, "optimizer_bytes": states * whole}
