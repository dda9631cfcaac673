"""A puzzle: its rules, what it begins with, and the best there is, which is searched for."""

from __future__ import annotations

from dataclasses import dataclass

from runtime.puzzles import cluster, schedule_best, streams
from runtime.puzzles.cluster import Cluster
from runtime.puzzles.schedule import Pipeline
from runtime.puzzles.streams import Streams
from runtime.puzzles.verdict import Judged

Rules = Pipeline | Streams | Cluster


@dataclass(frozen=True)
class Puzzle:
    """One puzzle. `lesson` is that of the course, `task` Markdown."""

    name: str
    title: str
    lesson: int
    minutes: int
    task: str
    rules: Rules
    hint: str

    @property
    def kind(self) -> str:
        """Return what is to be found: a schedule, an order or a layout."""
        return {Pipeline: "schedule", Streams: "order", Cluster: "layout"}[type(self.rules)]

    @property
    def unit(self) -> str:
        """Return what a score counts: steps, or estimated seconds."""
        return "s" if isinstance(self.rules, Cluster) else "steps"

    def start(self) -> str:
        """Return the answer a puzzle begins with."""
        match self.rules:
            case Pipeline():
                return self.rules.written([()] * self.rules.devices)
            case Streams():
                return " ".join(self.rules.first())
            case Cluster():
                return self.rules.written(self.rules.first())

    def judge(self, answer: str) -> Judged:
        """Hold an answer to the rules. Raises `Unreadable`."""
        return self.rules.judge(answer)

    def best(self) -> tuple[float, str]:
        """Return the least score there is and an answer that has it; all others were ruled out or tried."""
        match self.rules:
            case Pipeline():
                return schedule_best.best(self.rules)
            case Streams():
                return streams.best(self.rules)
            case Cluster():
                return cluster.best(self.rules)


def score_words(score: float, unit: str) -> str:
    """Return a score in words: `18 steps`, `6.40 s`."""
    return f"{score:.2f} s" if unit == "s" else f"{score:.0f} step{'s' * (score != 1)}"
