"""Slides as lines: layout joined with what their quiz and demo blocks look like at this moment."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace

from quiz.question import Question
from runtime.liveclass import QuestionState
from slides import cells
from slides.deck import Animate, AnyBlock, Box, Code, Columns, Demo, Quiz
from slides.problems import Problem
from slides.text import Line, Span, Style
from tui.chrome import spread
from tui.page import Page
from tui.room import Room
from tui.session import Session

Special = Callable[[AnyBlock, int, int], "list[Line] | None"]
FAINT, DIM = Style("faint"), Style("dim")
HEAD = Style("dim", bold=True)


class Drawing:
    """Draws for one screen; everything is asked from the room at the moment of drawing."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self.coloured = True  # False draws code without colours: a lexer is slow to import and to start

    @property
    def _session(self) -> Session:
        return self._room.session

    def page(self, page: Page, width: int) -> list[Line]:
        """One state of a slide at `width` cells."""
        from slides.layout import layout

        return layout(self._session.contents.slide(page.slide), page.step, width, special=self._special)

    def wide(self, page: Page) -> bool:
        blocks = self._session.contents.slide(page.slide).blocks
        return any(isinstance(block, Columns | Animate) for block in blocks)

    def token(self, page: Page) -> Hashable:
        """What a page's look depends on besides its text, place and size."""
        contents, room = self._session.contents, self._room
        marks: list[Hashable] = [contents.rev, self.coloured]
        for quiz in contents.quizzes(page.slide):
            # A question not yet opened looks as an open one without answers: arriving draws nothing anew.
            state = self._session.question(quiz.id) or QuestionState(quiz.id, "", 0)
            marks.append((state.phase, any(state.counts) and state.counts, room.answering.picked(quiz.id)))
        for demo in contents.demos(page.slide):
            # Of the label's own source: the journal knows of an end before the snapshot that tells it.
            snapshot = room.snapshots.get(demo.id)
            marks.append(snapshot and (snapshot.state, snapshot.why, snapshot.playback is None))
        return tuple(marks)

    def _special(self, block: AnyBlock, step: int, width: int) -> list[Line] | None:
        if isinstance(block, Demo):
            from tui.views.demo import demo_lines

            room = self._room
            driving = self._session.role == "console"
            return demo_lines(block, room.snapshots.get(block.id), room.trouble(block), width, hints=driving)
        if isinstance(block, Quiz):
            return self._quiz(block, width)
        if isinstance(block, Code) and block.lang and not self.coloured:
            from slides.layout import layout_blocks

            return layout_blocks((replace(block, lang=""),), step, width)
        return None

    def _quiz(self, block: Quiz, width: int) -> list[Line]:
        from slides.layout import layout_blocks
        from tui.views.quiz import question_lines

        room, driving = self._room, self._session.role == "console"
        parsed = room.answering.parsed(block)
        if isinstance(parsed, Question):
            return question_lines(
                parsed,
                self._session.question(block.id),
                room.answering.picked(block.id),
                width,
                hints=driving,
            )
        deck = self._session.contents.deck
        boxes = tuple(
            Box(
                Problem(deck.path, trouble.line, trouble.message, trouble.mend),
                raw=block.body,
                line=trouble.line,
            )
            for trouble in parsed
        )
        return layout_blocks(boxes[:1], 0, width)

    # --- the console's right side -----------------------------------------------------------------------

    def aside(self, width: int, height: int, notes_top: int) -> tuple[list[Line], int]:
        """Next, notes and status in `width` x `height`, and the scroll place of the notes."""
        airy = height >= 30
        above = [*[()] * airy, (Span("NEXT", HEAD),), *self._next(width, max(4, min(14, height // 3))), ()]
        below = [(Span("─" * width, Style("line")),), *self._status(width)]
        room = height - len(above) - len(below)
        notes, top = self._notes_window(width, room, notes_top, (), airy)
        return [*above, *notes, *below][:height], top

    def notes_below(self, width: int, height: int, notes_top: int) -> tuple[list[Line], int]:
        """The same under the slide of a narrow terminal: notes, and one line each for next and status."""
        following = self._session.after()
        title = "the end" if following is None else self._session.contents.heads[following[0]].title
        same = following is not None and following[0] == self._session.index
        word = "next step" if same else f"next: {cells.clean(title)}"
        notes, top = self._notes_window(width, height, notes_top, (Span(word, DIM),))
        return notes[:height], top

    def _notes_window(
        self, width: int, height: int, top: int, right: Line, airy: bool = False
    ) -> tuple[list[Line], int]:
        """The head line and as many rows of the notes as fit, from row `top` on; padded to `height`."""
        notes = self._notes(width)
        room = max(1, height - 1 - airy)
        top = max(0, min(top, len(notes) - room))
        more = len(notes) - room - top
        if more > 0 or top:
            arrows = ("↑" if top else "") + ("↓" if more > 0 else "")
            right = (*right, Span(f"  J K {arrows}", FAINT))
        head = spread((Span("NOTES", HEAD),), right, width)
        shown = notes[top : top + room]
        return [head, *[()] * airy, *shown, *[()] * (room - len(shown))], top

    def _next(self, width: int, height: int) -> list[Line]:
        following = self._session.after()
        ground = "panel"
        if following is None:
            body: list[Line] = [(Span("end of the deck", FAINT),)]
        else:
            body = self.page(Page(*following), max(1, width - 4))[: height - 2]
        rows: list[Line] = [(), *body, *[()] * (height - 2 - len(body)), ()]
        return [_on(row, ground, width) for row in rows]

    def _notes(self, width: int) -> list[Line]:
        from slides.layout import layout_blocks
        from slides.parse import parse_blocks

        session = self._session
        shown = [note for note in session.slide.notes if note.at <= session.step]
        if not shown:
            return [(Span("no notes on this slide", FAINT),)]
        lines: list[Line] = []
        for note in shown:
            blocks = parse_blocks(note.markdown, session.contents.deck.path, note.line or 1)
            lines += [*([()] if lines else []), *layout_blocks(blocks, 0, width)]
        return lines

    def _status(self, width: int) -> list[Line]:
        """Stage, demo and screens, one line each, as far as they are known."""
        room = self._room
        word, detail = room.stage
        rows = [("stage", f"{word}, {detail}" if detail else word, self._stage_ink)]
        rows += [("demo", text, "warning") for text in self._running()] or [("demo", "none running", "dim")]
        screens = f"audience {room.audiences} · console {room.consoles}"
        rows.append(("screens", screens if not room.link_word else room.link_word, "text"))
        return [
            (
                Span(f"{name:<9}", DIM),
                Span(cells.clip_text(cells.clean(text), max(1, width - 9)), Style(ink)),
            )
            for name, text, ink in rows
        ]

    def status_line(self) -> Line:
        """The same in one line, for a narrow console."""
        room = self._room
        spans = [Span("stage ", DIM), Span(room.stage[0], Style(self._stage_ink))]
        for text in self._running()[:1]:
            spans += [Span("  ·  ", FAINT), Span(cells.clean(text), Style("warning"))]
        screens = f"audience {room.audiences}" if not room.link_word else cells.clean(room.link_word)
        return (*spans, Span("  ·  ", FAINT), Span(screens))

    @property
    def _stage_ink(self) -> str:
        return {"warm": "good", "busy": "good", "lost": "bad", "absent": "warning"}.get(
            self._room.stage[0], "dim"
        )

    def _running(self) -> list[str]:
        """Demos that run, in words."""
        texts = []
        for block in self._room.living()[:2]:
            snapshot = self._room.snapshots.get(block)
            text = self._room.run_state(block)
            if snapshot is not None:
                of = f"/{snapshot.budget_s:.0f}" if snapshot.budget_s else ""
                text = f"{snapshot.demo} {snapshot.state} {snapshot.ran_s:.0f}{of} s"
            texts.append(text)
        return texts


def _on(line: Line, ground: str, width: int) -> Line:
    """The line on a box of `ground`, two cells in."""
    used = cells.line_width(line)
    spans = [Span(span.text, span.style if span.style.ground else span.style.on(ground)) for span in line]
    pad = Style().on(ground)
    return (Span("  ", pad), *spans, Span(" " * max(0, width - used - 2), pad))
