"""What a run of a script has told, by `--json` and `--jsonl` or to a supervisor: figures and events."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

THEIRS = Path(__file__).parents[1] / "scripts" / "theirs"
PARTS = ("data_s", "compute_s", "hidden_s", "exposed_s", "wait_s", "optimizer_s", "other_s")
BOOT = {"start", "import", "rendezvous", "build", "first step"}


class Told:
    """A run that has ended well: `found` is its summary, `events` are those of its ranks."""

    def __init__(self, found: dict[str, Any], events: list[dict[str, Any]]) -> None:
        self.found, self.events = found, events
        self.ranks: list[dict[str, Any]] = found["ranks"]

    def of(self, kind: str, rank: int = 0) -> list[dict[str, Any]]:
        return [event for event in self.events if (event["type"], event["rank"]) == (kind, rank)]

    def bytes_of(self, step: int, rank: int = 0) -> Counter[str]:
        size: Counter[str] = Counter()
        for event in self.of("collective", rank):
            if event["step"] == step:
                size[event["op"]] += event["bytes"]
        return size

    def losses(self, rank: int = 0) -> list[float | None]:
        return [event["loss"] for event in self.of("step", rank)]

    def log(self, rank: int = 0) -> str:
        return "\n".join(event["line"] for event in self.of("log", rank))

    def fills_the_panel(self, steps: int, has_loss: tuple[int, ...] = (0, 1)) -> None:
        """Steps, phases, memory, and a step bar that sums to the step, for every rank."""
        assert (self.found["state"], self.found["why"]) == ("done", "")
        assert (self.found["backend"], self.found["device"]) == ("gloo", "cpu")
        assert self.found["badge"] == "LIVE CPU" and "your script" in self.found["bent"]
        assert self.found["launch_s"].keys() >= BOOT
        for row in self.ranks:
            assert row["steps"] == steps and row["drops"] == 0
            assert row["tokens_per_s"] is None  # nobody knows what a token is here
            assert sum(row[part] for part in PARTS) == pytest.approx(row["step_s"])
            assert (row["loss"] is not None) == (row["rank"] in has_loss)
            assert row["activations_bytes"] > 0 and row["compute_s"] > 0 and row["optimizer_s"] > 0
            steps_told = self.of("step", row["rank"])
            for event in steps_told:
                parts = ("data", "forward", "backward", "optimizer", "other")
                assert sum(event[p] for p in parts) == pytest.approx(event["t"] - event["t0"])
                assert min(event[p] for p in parts) >= 0
                assert event["forward"] > 0 and event["backward"] > 0
