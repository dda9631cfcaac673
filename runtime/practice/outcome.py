"""What is known of the run of an exercise, while it goes on and after it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from runtime.diagnosis.evidence import Evidence
from runtime.practice.exercise import Exercise
from runtime.protocol.diagnosis_message import Diagnosis


@dataclass
class CheckState:
    """One check: `state` is waiting, running, passed or failed; `seconds` of the slowest rank."""

    title: str
    state: str = "waiting"
    seconds: float | None = None


@dataclass
class Outcome:
    """What is known of a run, while it goes on and after it."""

    exercise: Exercise
    file: Path
    checks: list[CheckState]
    evidence: Evidence
    badge: str = "LIVE CPU"
    diagnosis: Diagnosis | None = None
    notes: list[str] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)
    seconds: float = 0.0
    first_check_s: float | None = None  # from the order to run until all ranks have started
    left: int = 0  # processes that could not be ended
    over: bool = False

    @property
    def solved(self) -> bool:
        """Whether all checks have passed."""
        return all(check.state == "passed" for check in self.checks)

    @property
    def passed(self) -> int:
        """How many checks have passed."""
        return sum(check.state == "passed" for check in self.checks)
