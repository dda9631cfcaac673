"""The screen of a puzzle: a board that is played with the arrow keys, scored at every key."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import msgspec
from textual.events import Key

from runtime.puzzles.puzzle import Puzzle
from runtime.puzzles.verdict import solves
from slides.drawing.text import Line
from tui.practice import puzzle_keys, tries_and_hints
from tui.practice.puzzle_keys import Board
from tui.screens.page_program import PageProgram, action_of
from tui.views.puzzle.screen import Shown, screen

UNDO = 500


class PuzzleScreen(PageProgram[None]):
    """Puzzles, the one shown, and what was done to its board."""

    def __init__(self, puzzles: list[Puzzle], at: int, theme: str) -> None:
        super().__init__(theme)
        self.puzzles, self.at = puzzles, at
        self._before: list[Board] = []
        self._open(at)

    def _draw(self, width: int, height: int) -> list[Line]:
        return screen(self.shown, width, height)

    def _open(self, at: int) -> None:
        self.at, puzzle = at, self.puzzles[at]
        known = tries_and_hints.load().get(puzzle.name, tries_and_hints.Progress())
        board = puzzle_keys.begin(puzzle, known.answer)
        self.shown = Shown(board, known, f"{at + 1} of {len(self.puzzles)}")
        self._before = []

    def _show_word(self, word: str) -> None:
        self._show(replace(self.shown, word=word))

    def _show(self, shown: Shown) -> None:
        self.shown = shown
        self.lines.redraw()

    def _play(self, board: Board) -> None:
        """Show the board as it is now, and keep an answer that is another."""
        before = self.shown.board
        if board.answer != before.answer:
            self._before = [*self._before[-UNDO:], before]
        self._show(replace(self.shown, board=board))
        if board.answer != before.answer and not board.lifted:
            self._keep(board)

    def _keep(self, board: Board) -> None:
        puzzle = board.puzzle
        judged = puzzle.judge(board.answer)
        solved = solves(judged, puzzle.best()[0])
        digest = hashlib.sha256(board.answer.encode()).hexdigest()[:16]
        counts = judged.valid and board.answer != puzzle.start()
        known = tries_and_hints.after(self.shown.progress, solved, counts, digest)
        least = known.score
        if judged.valid and judged.score is not None:
            least = min(known.score or judged.score, judged.score)
        known = msgspec.structs.replace(known, answer=board.answer, score=least)
        self.shown = replace(self.shown, progress=known)
        try:
            tries_and_hints.save(puzzle.name, known)
        except OSError as error:
            self.say(f"your answer cannot be saved: {error.strerror or error}")

    async def on_key(self, event: Key) -> None:
        event.stop()
        name = action_of("puzzle", event)
        puzzle = self.shown.board.puzzle
        match name:
            case None:
                return
            case "leave_puzzle":
                if self.shown.board.lifted:
                    self._play(puzzle_keys.press(self.shown.board, "puzzle_take"))
                    self._keep(self.shown.board)
                    return
                self.hush()
                self.exit()
            case "puzzle_undo":
                if self._before:
                    self._show(replace(self.shown, board=replace(self._before.pop(), lifted=False)))
                    self._keep(self.shown.board)
            case "puzzle_hint":
                self._show(replace(self.shown, hint=not self.shown.hint))
            case "puzzle_solution":
                if self.shown.progress.may_see_solution:
                    self._play(replace(self.shown.board, answer=puzzle.best()[1], lifted=False))
                    self.say("one of the best; u takes yours back")
                else:
                    left = tries_and_hints.TRIES_FOR_SOLUTION - self.shown.progress.tries
                    said = f"{left} answer{'s' * (left != 1)} that count{'s' * (left == 1)}"
                    self.say(f"the best known comes when you have it, or after {said}")
            case "puzzle_start_over":
                self._play(Board(puzzle, puzzle.start()))
                self.say("back to the original; u brings yours back")
            case "next_puzzle" | "previous_puzzle":
                self._open((self.at + (1 if name == "next_puzzle" else -1)) % len(self.puzzles))
                self.lines.redraw()
            case "theme":
                self.next_theme()
            case _:
                was = self.shown.board
                self._play(puzzle_keys.press(was, name))
                if was.lifted and not self.shown.board.lifted:
                    self._keep(self.shown.board)
