"""What a run without a screen is at, on stderr: a line that is rewritten, or one now and then."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TextIO

from slides.drawing import cells
from tui.reports.runs.run_table import tokens_s

if TYPE_CHECKING:
    from runtime.protocol.messages import Snapshot

_LINE_EVERY_S = 2.0  # where stderr is not a terminal
_REWRITE_EVERY_S = 0.2


class Progress:
    """What happens now, on one line that is rewritten, or a line now and then where nobody watches."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._rewrites = out.isatty()
        self._last = ""
        self.pause = _REWRITE_EVERY_S if self._rewrites else _LINE_EVERY_S

    def show(self, snapshot: Snapshot, stage: str) -> None:
        """Write the progress line of a run and of its fork server."""
        self.say(progress_line(snapshot, stage))

    def say(self, text: str) -> None:
        """Write `text`, over the line before on a terminal; the same text twice is written once."""
        text = cells.clean(text)
        if text == self._last:
            return
        self._last = text
        try:
            if self._rewrites:
                self._out.write(self._over(text))
            else:
                self._out.write(text + "\n")
            self._out.flush()
        except (OSError, ValueError):
            pass  # nobody reads the progress any more

    def print(self, text: str) -> None:
        """Write a line that stays, and the progress below it anew."""
        text = f"{cells.clean(text)}\n"
        try:
            self._out.write(f"{self._over('')}\r{text}" if self._rewrites else text)
            self._last = ""
        except (OSError, ValueError):
            pass  # nobody reads it any more

    def end(self) -> None:
        """Clear the progress line from a terminal, so that results begin on an empty one."""
        if self._rewrites:
            self._last = ""
            try:
                self._out.write(f"{self._over('')}\r")
                self._out.flush()
            except (OSError, ValueError):
                pass

    def _over(self, text: str) -> str:
        """Return what writes `text` over the line before: with blanks, since no escape gets past what guards
        stderr (`tui/rendering/escape_filter.py`)."""
        columns = (os.get_terminal_size(self._out.fileno()).columns or 80) - 1
        text = cells.clip_text(text, columns)
        return f"\r{text}{' ' * (columns - cells.width(text))}"


def progress_line(snapshot: Snapshot, stage: str) -> str:
    """`ddp  step 12/50  loss 2.310  3.1k tokens/s`, or what the launch waits for."""
    if snapshot.warning:
        return f"{snapshot.demo}  {snapshot.warning}"
    reached = [row.step for row in snapshot.rows if row.step is not None]
    if not reached:
        if snapshot.state == "launching":
            return f"{snapshot.demo}  launching{f': {stage}' if stage else ''}"
        slowest = min(snapshot.rows, key=lambda row: row.pid > 0)
        where = f": {slowest.state}" if snapshot.state == "running" else ""
        return f"{snapshot.demo}  {snapshot.state}{where}"
    losses = [row.loss for row in snapshot.rows if row.loss is not None]
    parts = [snapshot.demo, f"step {min(reached) + 1}/{snapshot.steps or '?'}"]
    if losses:
        parts.append(f"loss {sum(losses) / len(losses):.3f}")
    total = tokens_s(snapshot)
    if total is not None:
        parts.append(f"{total:,.0f} tokens/s")
    return "  ".join(parts)
