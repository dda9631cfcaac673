"""The code on the slide shown: run, stopped, its output looked through; and copied."""

from __future__ import annotations

from runtime.classroom.actions import Look
from slides.deck import Code
from slides.reading_order import blocks as walk
from tui.actions.action_group import ActionGroup
from tui.actions.context import ScreenContext
from tui.actions.running.estimate import EstimateActions
from tui.classroom.runs.start_on_slide import show_output
from tui.terminal.key_sequences import LEAVE, sequence

MOST_PASTED = 1 << 14  # characters into a terminal at once


class CodeActions(ActionGroup):
    """Keys for snippets, terminals and copying code."""

    def __init__(self, screen: ScreenContext) -> None:
        super().__init__(screen)
        self._estimate = EstimateActions(screen)
        self._copied: tuple[object, int] = (None, -1)  # the page, and which of its blocks

    # --- snippets ---------------------------------------------------------------------------------------

    def run_code(self) -> None:
        """Run the chosen block; while it runs, stop it, a second time without waiting."""
        block = self._room.outputs.chosen()
        if block is None:
            self._screen.say("no code block here is marked `run`", "dim")
            return
        self._open(block)
        alive = self._room.alive(block.id)
        if block.terminal and self._session.driving:
            self._room.outputs.type_into(block, anew=not alive)
        if not alive:
            self._room.run_code(block)
        elif not block.terminal:
            self._room.stop(block.id)
        self._classroom.show()

    def type(self, key: str, character: str | None) -> None:
        """Into the terminal that has the keys; one of them gives them back."""
        if key == LEAVE:
            self._room.outputs.leave()
            self._classroom.show()
        elif text := sequence(key, character):
            self._room.of_run.type(text)

    def paste(self, text: str) -> None:
        """Type pasted text into the terminal that has the keys, at most `MOST_PASTED` characters."""
        self._room.of_run.type(text[:MOST_PASTED], pasted=True)

    def next_code(self) -> None:
        """Choose the next block that runs, and look at what it printed; without one, an estimate's slider."""
        outputs = self._room.outputs
        blocks, chosen = outputs.runnable(), outputs.chosen()
        if chosen is None and self._estimate.choose():
            return
        if chosen is None:
            self._screen.say("no code block here is marked `run`", "dim")
            return
        self._open(blocks[(blocks.index(chosen) + 1) % len(blocks)])
        self._classroom.show()

    def stop_code(self) -> bool:
        """Stop the snippet whose output lies open; False where none runs."""
        heard = self._room.outputs.open()
        if heard is None or not self._room.alive(heard.output.block):
            return False
        self._room.stop(heard.output.block)
        self._classroom.show()
        return True

    def _open(self, block: Code) -> None:
        """Show its output on every screen, from the end."""
        show_output(self._room, block)
        self._classroom.output_top = None

    def close_code(self) -> bool:
        """Close the output; False where none lies open."""
        look = self._session.state.look
        if not look.snippet:
            return False
        self._room.refusals.pop(look.snippet, None)
        self._session.act(Look())
        self._classroom.show()
        return True

    def scroll_code(self, by: int) -> bool:
        """A page on or back in the output that lies open; False where there is none or no more that way."""
        from tui.views.blocks.snippet import last_top

        heard = self._room.outputs.open()
        if heard is None:
            return False
        height = max(2, self._classroom.panel.size.height - 1)
        last = last_top(heard, height)
        top = self._classroom.output_top
        moved = max(0, (last if top is None else top) + by * max(1, height - 3))
        self._classroom.output_top = None if moved >= last else moved
        self._classroom.panel.redraw()
        return True

    # --- copying ----------------------------------------------------------------------------------------

    async def copy_code(self) -> None:
        """To the clipboard and into a file; pressed again, the next block of the slide."""
        from tui.terminal import clipboard

        blocks = [
            block
            for block in walk(self._session.slide.blocks)
            if isinstance(block, Code) and block.at <= self._session.step
        ]
        if not blocks:
            self._screen.say("no code on this slide", "dim")
            return
        page = (self._session.slide.id, self._session.step, self._session.contents.rev)
        chosen = self._room.outputs.chosen()
        first = blocks.index(chosen) if chosen is not None else 0
        n = (self._copied[1] + 1) % len(blocks) if self._copied[0] == page else first
        self._copied = (page, n)
        text, lang = clipboard.text_of(blocks[n]), blocks[n].lang
        self._screen.to_terminal(clipboard.sequences(text))
        which = f" of block {n + 1} of {len(blocks)}" if len(blocks) > 1 else ""
        count = text.count("\n") + 1
        lines = "1 line" if count == 1 else f"{count} lines"
        self._screen.say(f"copied {lines}{which}, also into {await clipboard.keep(text, lang)}", "good")
