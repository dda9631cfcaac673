"""The screen of a puzzle: a board that is played with the arrow keys, scored at every key."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import replace

import msgspec
from textual.app import App, ComposeResult
from textual.events import Key

from runtime.puzzles.puzzle import Puzzle
from runtime.puzzles.verdict import solves
from slides.drawing.text import Line
from tui.keys.table import for_role
from tui.practice import boards, progress
from tui.practice.boards import Board
from tui.rendering import themed_strips
from tui.rendering.themed_strips import Painter
from tui.views.puzzle.screen import Shown, screen
from tui.widgets.lines import Lines

SAID_S = 6.0
UNDO = 500


class PuzzleScreen(App[None], inherit_bindings=False):
    """Puzzles, the one shown, and what was done to its board."""

    ENABLE_COMMAND_PALETTE = False
    DEFAULT_CSS = "#puzzle { width: 100%; height: 100%; }"

    def __init__(self, puzzles: list[Puzzle], at: int, theme: str) -> None:
        super().__init__()
        self.puzzles, self.at = puzzles, at
        self.look = theme or "dark"
        self.lines = Lines(Painter(themed_strips.resolve(self.look)), self._draw, id="puzzle")
        self._before: list[Board] = []
        self._word_timer: asyncio.TimerHandle | None = None
        self._open(at)

    def compose(self) -> ComposeResult:
        yield self.lines

    def on_mount(self) -> None:
        self._colour()

    def _draw(self, width: int, height: int) -> list[Line]:
        return screen(self.shown, width, height)

    def _colour(self) -> None:
        self.lines.painter = Painter(themed_strips.resolve(self.look))
        self.screen.styles.background = self.lines.painter.colour("background") or "ansi_default"
        self.lines.redraw()

    def _open(self, at: int) -> None:
        self.at, puzzle = at, self.puzzles[at]
        known = progress.load().get(puzzle.name, progress.Progress())
        board = boards.begin(puzzle, known.answer)
        self.shown = Shown(board, known, f"{at + 1} of {len(self.puzzles)}")
        self._before = []

    def say(self, word: str) -> None:
        """Say something at the foot for a moment."""
        self._show(replace(self.shown, word=word))
        if self._word_timer is not None:
            self._word_timer.cancel()
        loop = asyncio.get_running_loop()
        self._word_timer = loop.call_later(SAID_S, lambda: self._show(replace(self.shown, word="")))

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
        known = progress.after(self.shown.progress, solved, counts, digest)
        least = known.score
        if judged.valid and judged.score is not None:
            least = min(known.score or judged.score, judged.score)
        known = msgspec.structs.replace(known, answer=board.answer, score=least)
        self.shown = replace(self.shown, progress=known)
        try:
            progress.save(puzzle.name, known)
        except OSError as error:
            self.say(f"your answer cannot be kept: {error.strerror or error}")

    async def on_key(self, event: Key) -> None:
        event.stop()
        keys = {key: action.name for action in for_role("puzzle") for key in action.keys}
        name = keys.get(event.key) or keys.get(event.character or "")
        puzzle = self.shown.board.puzzle
        match name:
            case None:
                return
            case "leave_puzzle":
                if self.shown.board.lifted:
                    self._play(boards.press(self.shown.board, "puzzle_take"))
                    self._keep(self.shown.board)
                    return
                if self._word_timer is not None:
                    self._word_timer.cancel()
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
                    left = progress.TRIES_FOR_SOLUTION - self.shown.progress.tries
                    said = f"{left} answer{'s' * (left != 1)} that count{'s' * (left == 1)}"
                    self.say(f"the best known comes when you have it, or after {said}")
            case "puzzle_start_over":
                self._play(Board(puzzle, puzzle.start()))
                self.say("back to the original; u brings yours back")
            case "next_puzzle" | "previous_puzzle":
                self._open((self.at + (1 if name == "next_puzzle" else -1)) % len(self.puzzles))
                self.lines.redraw()
            case "theme":
                self.look = themed_strips.following(self.look)
                self._colour()
            case _:
                was = self.shown.board
                self._play(boards.press(was, name))
                if was.lifted and not self.shown.board.lifted:
                    self._keep(self.shown.board)
