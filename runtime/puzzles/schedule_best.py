"""The fewest steps a pipeline can take: a search over everything the devices could do.

Micro-batches are alike, so a state is how many of them are how far, and on each device how many weight
gradients are still open. A* (Hart, Nilsson and Raphael, 1968) goes through the states step by step; what it
adds is never more than the steps really left, so the first end it reaches is the best there is.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from functools import lru_cache
from itertools import product

from runtime.puzzles.schedule import Pipeline, Placed

# How many micro-batches have done 0, 1, 2 … of their 3p (split: 2p) units, open W's, done W's.
State = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


class _Search:
    """A micro-batch does F on devices 0 to p-1 (unit 0 to p-1), then B from p-1 to 0: two units each, or one
    where it is split. Position n: units done."""

    def __init__(self, pipeline: Pipeline) -> None:
        self.pipeline = pipeline
        self.b = pipeline.length("B")
        p = self.p = pipeline.devices
        self.units = p + self.b * p
        self.device = [*range(p), *(d for d in reversed(range(p)) for _ in range(self.b))]

    def start(self) -> State:
        p = self.p
        return (self.pipeline.microbatches, *[0] * self.units), (0,) * p, (0,) * p

    def over(self, state: State) -> bool:
        m = self.pipeline.microbatches
        return state[0][-1] == m and (not self.pipeline.split or all(done == m for done in state[2]))

    def least(self, state: State) -> int:
        """Steps that are left at least: of the device with most to do, then its last backward's way back."""
        at, most, m = state[0], 0, self.pipeline.microbatches
        for d in range(self.p):
            back = self.p + self.b * (self.p - 1 - d)  # the first unit of its B
            before = sum(at[: d + 1])
            inside = sum(at[n] * (back + self.b - n) for n in range(back + 1, back + self.b))
            left_b = self.b * sum(at[: back + 1]) + inside
            whole = before + left_b + ((m - state[2][d]) if self.pipeline.split else 0)
            tail = self.b * d if left_b else 0
            most = max(most, before + left_b + tail, whole)
            first = next((n for n in range(d + 1) if at[n]), d)
            if before == m:  # nothing has come to it yet
                most = max(most, (d - first) + before + left_b + tail)
        return most

    def moves(self, state: State) -> Iterator[tuple[State, str]]:
        """All that can happen in a step, with a letter for each device."""
        at, open_w, done_w = state
        choices: list[str] = []
        for d in range(self.p):
            back = self.p + self.b * (self.p - 1 - d)
            if self.b == 2 and at[back + 1]:
                choices.append("-")  # in the middle of a backward, which is not interrupted
                continue
            can = ""
            if at[back]:
                can += "B"
            if at[d] and self._held(state, d) < self.pipeline.memory[d]:
                can += "F"
            if open_w[d]:
                can += "W"
            choices.append(can + ".")
        for letters in product(*choices):
            new, opened, done = list(at), list(open_w), list(done_w)
            for d, letter in enumerate(letters):
                back = self.p + self.b * (self.p - 1 - d)
                if letter == "W":
                    opened[d] -= 1
                    done[d] += 1
                    continue
                n = {"F": d, "B": back, "-": back + 1}.get(letter)
                if n is not None:
                    new[n] -= 1
                    new[n + 1] += 1
                    if self.pipeline.split and letter == "B":
                        opened[d] += 1
            yield (tuple(new), tuple(opened), tuple(done)), "".join(letters)

    def _held(self, state: State, d: int) -> int:
        back = self.p + self.b * (self.p - 1 - d)
        return sum(state[0][d + 1 : back + self.b]) + state[1][d]


@lru_cache(32)
def best(pipeline: Pipeline) -> tuple[int, str]:
    """Return the fewest steps, and an answer that takes them. Raises `ValueError` where there is none."""
    search = _Search(pipeline)
    begin = search.start()
    queue: list[tuple[int, int, State]] = [(search.least(begin), 0, begin)]
    came: dict[State, tuple[int, State | None, str]] = {begin: (0, None, "")}
    while queue:
        _, minus, state = heapq.heappop(queue)
        steps = -minus
        if came[state][0] < steps:
            continue
        if search.over(state):
            return steps, _text(pipeline, came, state)
        for new, letters in search.moves(state):
            known = came.get(new)
            if new != state and (known is None or known[0] > steps + 1):
                came[new] = (steps + 1, state, letters)
                heapq.heappush(queue, (steps + 1 + search.least(new), -(steps + 1), new))
    raise ValueError("no order of the blocks fits into this memory")


def _text(pipeline: Pipeline, came: dict[State, tuple[int, State | None, str]], end: State) -> str:
    steps: list[str] = []
    state: State | None = end
    while state is not None:
        _, before, letters = came[state]
        if letters:
            steps.append(letters)
        state = before
    steps.reverse()
    placed: list[Placed] = [
        tuple((letters[d], step) for step, letters in enumerate(steps) if letters[d] in "FBW")
        for d in range(pipeline.devices)
    ]
    return pipeline.written(placed)
