"""What the snippets of a class have printed, as far as this screen has heard it; and which one is looked at.

The runnable block that `R` runs is the one that was chosen with Tab, else the first on the slide. Which
output lies open is the class's affair (`Look.snippet`): every screen shows it.
"""

from __future__ import annotations

from collections import deque
from itertools import islice

from msgspec.structs import replace

from runtime.protocol.class_messages.screen_messages import EXERCISE
from runtime.protocol.messages import Output
from slides.deck import Code, Exercise
from slides.drawing import cells
from tui.classroom.session import Session

TOGETHER_S = 3600.0  # an exercise that the room works on is ended by then
ALIVE = ("launching", "running", "stopping")


def together(block: Exercise) -> Code:
    """An exercise or a puzzle as a program in a terminal that the whole room sees."""
    return Code(
        lang=EXERCISE,
        source=block.name,
        run=True,
        id=f"{EXERCISE}/{block.name}",
        timeout_s=TOGETHER_S,
        terminal=True,
        line=block.line,
        at=block.at,
    )


class Heard:
    """One run of a snippet. `lines` are clean: `first` is the number of the oldest that is kept."""

    def __init__(self, output: Output) -> None:
        self.output = output
        self.first = output.first
        self.lines: deque[str] = deque()
        self.picture = b""  # that it made, untrusted

    def take(self, output: Output) -> None:
        """The newest of it: more lines, or another state."""
        end = self.first + len(self.lines)
        if output.at > end:
            self.lines.clear()
            self.first = output.at
        for _ in range(output.at, end):  # they were sent again
            self.lines.pop()
        self.lines.extend(cells.clean(line) for line in output.lines)
        while self.lines and self.first < output.first:
            self.lines.popleft()
            self.first += 1
        self.picture = output.picture or self.picture
        self.output = output

    @property
    def open(self) -> str:
        """The line that has no end yet."""
        return cells.clean(self.output.open)

    @property
    def alive(self) -> bool:
        """Whether the snippet or terminal still runs."""
        return self.output.state in ALIVE

    def rows(self, start: int, count: int) -> list[str]:
        """Lines by their place among those kept, the open one last."""
        found = list(islice(self.lines, max(0, start), max(0, start) + count))
        return [*found, self.open] if self.open and len(found) < count else found

    def __len__(self) -> int:
        return len(self.lines) + bool(self.open)


class Outputs:
    """Output of the class's snippets and terminals, by block."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.of: dict[str, Heard] = {}  # by block
        self._typing = ("", "")  # block of a terminal that has the keys; its run, where another is awaited

    def take(self, output: Output) -> None:
        """Take output from the host; that of another run replaces what is kept."""
        heard = self.of.get(output.block)
        if heard is None or heard.output.run != output.run:
            heard = self.of[output.block] = Heard(output)
        alive = heard.alive
        heard.take(output)
        if alive and output.lang == EXERCISE and output.state == "done" and not output.code:
            self._back_to_slide(output.block)

    def _back_to_slide(self, block: str) -> None:
        """An exercise was left by its own key: the room sees its slide again."""
        look = self._session.state.look
        if look.snippet == block and self._session.driving:
            self._session.act(replace(look, snippet="", full=False))

    def lost(self) -> None:
        """The host was lost, and every snippet with it."""
        for heard in self.of.values():
            if heard.alive:
                heard.output = replace(heard.output, state="lost", why="its host was lost; R runs it again")

    def runnable(self) -> tuple[Code, ...]:
        """The blocks of the slide that can be run and are on screen now."""
        session = self._session
        code = session.contents.snippets(session.index)
        written = (together(it) for it in session.contents.exercises(session.index))
        return tuple(b for b in (*code, *written) if b.at <= session.step)

    def typed_into(self) -> str:
        """The block of the terminal that has the keys of this screen; "" while none has."""
        block, before = self._typing
        heard = self.of.get(block)
        # It was started and is not there yet, or it is there.
        goes_on = heard is None or heard.output.run == before or heard.alive
        lies_open = block == self.chosen_id == self._session.state.look.snippet
        if block and not (goes_on and lies_open and self._session.driving):
            self._typing = ("", "")
        return self._typing[0]

    def type_into(self, block: Code, *, anew: bool = False) -> None:
        """From now on keys go there; `anew`: once it has been started again."""
        heard = self.of.get(block.id)
        self._typing = block.id, heard.output.run if heard is not None and anew else ""

    def leave(self, block: str = "") -> None:
        """The keys are this screen's again; with a `block`, if that has them."""
        if block in ("", self._typing[0]):
            self._typing = ("", "")

    def chosen(self) -> Code | None:
        """The block that `R` runs."""
        blocks = self.runnable()
        return next((b for b in blocks if b.id == self._session.state.look.snippet), next(iter(blocks), None))

    @property
    def chosen_id(self) -> str:
        """Return the id of the chosen block, "" where none is."""
        block = self.chosen()
        return block.id if block is not None else ""

    def open(self) -> Heard | None:
        """The output that lies open on the slide shown."""
        block = self.chosen()
        if block is None or block.id != self._session.state.look.snippet:
            return None
        return self.of.get(block.id)
