"""A training to be laid over a cluster: the choices, and an answer scored by the estimator.

An answer is `tp=4 pp=2 zero=1 batch=1 recompute=none`; what is left of the devices is data parallel. Its
score is the seconds of a step of the whole batch by `runtime.estimate`: computed, never measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

from runtime.estimate.estimate import Estimate, estimate, node_of
from runtime.estimate.request import Refused, request
from runtime.puzzles.verdict import Fault, Judged, Unreadable

CHOICES: dict[str, tuple[Any, ...]] = {
    "tp": (1, 2, 4, 8),
    "pp": (1, 2, 4, 8, 16),
    "zero": (0, 1, 2, 3),
    "batch": (1, 2, 4, 8),
    "recompute": ("none", "full"),
}
NAMES = {
    "tp": "tensor parallel", "pp": "pipeline stages", "zero": "ZeRO stage", "batch": "micro-batch",
    "recompute": "recompute",
}  # fmt: skip


@dataclass(frozen=True)
class Cluster:
    """A model by its name in the estimator, GPUs, and sequences of `seq` tokens in a step."""

    model: str
    gpu: str
    gpus: int
    seq: int
    global_batch: int

    def first(self) -> dict[str, Any]:
        """Return the choices a puzzle begins with: nothing is split."""
        return {key: values[0] for key, values in CHOICES.items()}

    def read(self, text: str) -> dict[str, Any]:
        """Read the choices; what is not named is as at first. Raises `Unreadable`."""
        chosen = self.first()
        for word in text.replace(",", " ").split():
            key, _, value = word.partition("=")
            if key not in CHOICES:
                raise Unreadable(f"{word[:30]!r} is none of {' '.join(f'{key}=' for key in CHOICES)}")
            known = {str(one): one for one in CHOICES[key]}
            if value not in known:
                raise Unreadable(f"{word[:30]}: write {key}={' or '.join(known)}")
            chosen[key] = known[value]
        return chosen

    def written(self, chosen: Mapping[str, Any]) -> str:
        """Return the text of choices, as `read` takes it."""
        return " ".join(f"{key}={chosen[key]}" for key in CHOICES)

    def estimated(self, chosen: Mapping[str, Any]) -> Estimate | str:
        """Return what the estimator says, or in words why there can be no such layout."""
        split = chosen["tp"] * chosen["pp"]
        if self.gpus % split:
            return f"tp x pp = {split} does not divide {self.gpus} GPUs"
        if chosen["zero"] == 3 and chosen["pp"] > 1:
            return "ZeRO 3 gathers weights for each micro-batch: beside a pipeline it is not used"
        values = {
            "model": self.model, "gpu": self.gpu, "seq": self.seq, "global_batch": self.global_batch,
            "flash": 1, "dp": self.gpus // split, "sp": int(chosen["tp"] > 1), **chosen,
        }  # fmt: skip
        try:
            return estimate(request(values))
        except Refused as refused:
            return f"{refused.why}: {refused.mend}"

    @property
    def node(self) -> int:
        """GPUs that share the fast link."""
        return node_of(request({"model": self.model, "gpu": self.gpu}))

    def judge(self, text: str) -> Judged:
        """Score choices by the seconds of a step; they count where they fit. Raises `Unreadable`."""
        found = self.estimated(self.read(text))
        if isinstance(found, str):
            return Judged(None, (Fault(found),))
        if not found.fits:
            over = (found.memory.total - (found.limit or 0.0)) / 1e9
            return Judged(
                found.step_s, (Fault(f"it does not fit: {over:.1f} GB too much on the fullest GPU"),)
            )
        return Judged(found.step_s)


def every(cluster: Cluster) -> Iterator[dict[str, Any]]:
    """Yield all answers there are."""
    for values in product(*CHOICES.values()):
        yield dict(zip(CHOICES, values, strict=True))


@lru_cache(16)
def best(cluster: Cluster) -> tuple[float, str]:
    """Return the shortest step, in seconds, and the choices for it, all of which are tried."""
    found = [
        (judged.score, text)
        for one in every(cluster)
        if (judged := cluster.judge(text := cluster.written(one))).valid
    ]
    return min((score, text) for score, text in found if score is not None)
