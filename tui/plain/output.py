"""What the code of slides prints, told in lines: the first as they come, the last when it ends."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from tui.classroom.runs.snippet_outputs import Heard

FIRST, LAST = 40, 5  # lines of a run: endless output must not drown the class


class OutputAnnouncements:
    """Says each line once."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._runs: dict[str, tuple[str, int, int]] = {}  # block -> run, the next line, how many were told
        self._ended: set[str] = set()

    def heard(self, block: str, heard: Heard) -> None:
        """Say what a snippet wrote since the last call, the first lines of a run only, and its end."""
        output = heard.output
        run, line, told = self._runs.get(block, ("", 0, 0))
        if output.run != run:
            line = told = 0
            self._say(f"{output.lang} runs, for {output.timeout_s:g} s at most; stop ends it")
        fresh = list(islice(heard.lines, max(0, line - heard.first), None))
        for text in fresh[: max(0, FIRST - told)]:
            self._say(f"    {text}" if text else "    (empty line)")
        count = len(fresh)
        end = heard.first + len(heard.lines)
        self._runs[block] = output.run, max(line, end), told + count
        if not heard.alive and output.run not in self._ended:
            self._ended.add(output.run)
            self._end(heard, told + count)

    def _end(self, heard: Heard, printed: int) -> None:
        output = heard.output
        if (more := printed - FIRST) > 0:
            last = list(heard.lines)[-min(LAST, more) :]
            if more > len(last):
                self._say(f"    … {more - len(last)} more lines, then")
            for text in last:
                self._say(f"    {text}")
        if heard.open:
            self._say(f"    {heard.open}")
        if heard.picture:
            self._say(f"    a picture of {len(heard.picture):,} bytes stands in the place of the code")
        why = f": {output.why}" if output.why else ""
        self._say(f"{output.lang} {output.state} after {output.ran_s:.1f} s{why}")
