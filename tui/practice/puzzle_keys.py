"""A puzzle under somebody's hands: the answer so far, the cursor, and what each key makes of them. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from runtime.puzzles import schedule
from runtime.puzzles.cluster import CHOICES, Cluster
from runtime.puzzles.puzzle import Puzzle
from runtime.puzzles.schedule import Pipeline
from runtime.puzzles.streams import Streams

AIR = 2  # steps behind the last block, and behind the best known


@dataclass(frozen=True)
class Board:
    """`row` and `at` are the cursor: device and step, place in the queue, or which choice.

    `lifted`: the collective at the cursor moves with it. `word` says why a key did nothing.
    """

    puzzle: Puzzle
    answer: str
    row: int = 0
    at: int = 0
    lifted: bool = False
    word: str = ""

    @property
    def columns(self) -> int:
        """Return the steps of a schedule that are shown."""
        most = int(self.puzzle.best()[0])
        score = self.puzzle.judge(self.answer).score
        return max(most + AIR, int(score or 0) + 1, self.at + 1)


def begin(puzzle: Puzzle, answer: str = "") -> Board:
    """Return the board of a puzzle, with the answer that was kept if it still is one."""
    try:
        puzzle.judge(answer)
    except Exception:  # kept by another version, or by hand
        answer = ""
    return Board(puzzle, answer if answer.strip() else puzzle.start())


def press(board: Board, action: str) -> Board:
    """Return the board after an action of the table (`puzzle_left`, `puzzle_put` …)."""
    board = replace(board, word="")
    match board.puzzle.rules:
        case Pipeline():
            return _schedule(board, board.puzzle.rules, action)
        case Streams():
            return _order(board, board.puzzle.rules, action)
        case Cluster():
            return _layout(board, board.puzzle.rules, action)


def _schedule(board: Board, rules: Pipeline, action: str) -> Board:
    devices = rules.read(board.answer)
    here = {start: kind for kind, start in devices[board.row]}
    covering = next((s for s, kind in here.items() if s <= board.at < s + rules.length(kind)), None)
    match action:
        case "puzzle_up" | "puzzle_down":
            step = 1 if action == "puzzle_down" else -1
            return replace(board, row=max(0, min(board.row + step, rules.devices - 1)))
        case "puzzle_first":
            return replace(board, at=0)
        case "puzzle_right":
            step = rules.length(here[covering]) - (board.at - covering) if covering is not None else 1
            return replace(board, at=min(board.at + step, schedule.MOST - 3))
        case "puzzle_left":
            before = max(0, board.at - 1)
            inside = next((s for s, kind in here.items() if s <= before < s + rules.length(kind)), before)
            return replace(board, at=inside)
        case "puzzle_put":
            return _next_kind(board, rules, covering)
        case "puzzle_take":
            at = board.at if covering is None else covering
            if covering is None and at and here:  # the one to the left, as in an editor
                left = replace(board, at=at - 1)
                return _schedule(_schedule(board, rules, "puzzle_left"), rules, "puzzle_take") if any(
                    s <= left.at < s + rules.length(k) for s, k in here.items()
                ) else left  # fmt: skip
            return replace(
                board, answer=rules.written(schedule.put(rules, devices, board.row, at, "")), at=at
            )
    kind = {"puzzle_forward": "F", "puzzle_backward": "B", "puzzle_weights": "W"}.get(action, "")
    if kind and kind in rules.kinds:
        new = schedule.put(rules, devices, board.row, board.at, kind)
        return replace(board, answer=rules.written(new), at=board.at + rules.length(kind))
    return board


def _next_kind(board: Board, rules: Pipeline, covering: int | None) -> Board:
    """Put the first block that breaks no rule; on one that is there, the next, and after the last none."""
    devices = rules.read(board.answer)
    at = board.at if covering is None else covering
    there = next((kind for kind, start in devices[board.row] if start == at), "")
    can = schedule.fitting(rules, devices, board.row, at)
    if not can and not there:
        return replace(board, word=_why_not(board, rules))
    after = can[can.index(there) + 1 :] if there in can and there else can if not there else ""
    new = schedule.put(rules, devices, board.row, at, after[:1])
    return replace(board, answer=rules.written(new), at=at)


def _why_not(board: Board, rules: Pipeline) -> str:
    """Why nothing can stand at the cursor: the rule that a forward would break, or else a backward."""
    devices = rules.read(board.answer)
    for kind in rules.kinds:
        if sum(one == kind for one, _ in devices[board.row]) >= rules.microbatches:
            continue
        tried = rules.judge(rules.written(schedule.put(rules, devices, board.row, board.at, kind)))
        told = {fault.text for fault in rules.judge(board.answer).faults}
        broken = next((fault.text for fault in tried.faults if fault.at >= 0 and fault.text not in told), "")
        if broken:
            return broken
    return f"device {board.row} has all its blocks"


def _order(board: Board, rules: Streams, action: str) -> Board:
    order = list(rules.read(board.answer))
    match action:
        case "puzzle_put":
            return replace(board, lifted=not board.lifted)
        case "puzzle_take":
            return replace(board, lifted=False)
        case "puzzle_left" | "puzzle_right" | "puzzle_up" | "puzzle_down":
            step = 1 if action in ("puzzle_right", "puzzle_down") else -1
            at = max(0, min(board.at + step, len(order) - 1))
            if board.lifted:
                order.insert(at, order.pop(board.at))
            return replace(board, at=at, answer=" ".join(order))
    return board


def _layout(board: Board, rules: Cluster, action: str) -> Board:
    chosen = rules.read(board.answer)
    keys = list(CHOICES)
    key = keys[board.row]
    values = CHOICES[key]
    match action:
        case "puzzle_up" | "puzzle_down":
            step = 1 if action == "puzzle_down" else -1
            return replace(board, row=max(0, min(board.row + step, len(keys) - 1)))
        case "puzzle_left" | "puzzle_right":
            step = 1 if action == "puzzle_right" else -1
            chosen[key] = values[max(0, min(values.index(chosen[key]) + step, len(values) - 1))]
        case "puzzle_put":
            chosen[key] = values[(values.index(chosen[key]) + 1) % len(values)]
        case "puzzle_take":
            chosen[key] = values[0]
    return replace(board, answer=rules.written(chosen))
