"""Slides as lines: layout joined with what their quiz and demo blocks look like at this moment."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from runtime.protocol.messages import Snapshot
from slides.deck import AnyBlock, Chart, Code, Demo, Estimate, Exercise, Image, Quiz
from slides.drawing.large.letters import glyphs
from slides.drawing.text import Line
from slides.drawing.text_size import COPIED, NORMAL, SMALL, Mode
from slides.reading_order import blocks as walk
from tui.classroom.room import Room
from tui.classroom.session import Session
from tui.classroom.things_to_try import Practice
from tui.rendering.pages import chart_pages, lone_block
from tui.rendering.pages.page import Page
from tui.rendering.pages.scene_look import SceneLook

if TYPE_CHECKING:
    from slides.drawing.author_layouts import Extent
    from slides.scenes.shapes import Camera
    from tui.graphics.picture_cache import PictureCache
    from tui.rendering.pages.scene_pictures import Movement, Place, Places

LETTERED_OUTPUT = 15  # rows for a picture from which on what code prints in its place may be in letters


class Hits(NamedTuple):
    """Words that were looked for, as they are marked on the slide that was gone to."""

    slide: int
    query: str


class Drawing:
    """Draws for one screen; everything is asked from the room at the moment of drawing."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self.coloured = True  # False draws code without colours: a lexer is slow to import and to start
        self.practice = Practice()
        self.mode: Mode = NORMAL
        self.letters = True  # False where words are looked for and copied
        self.hits: Hits | None = None
        self.gallery: PictureCache | None = None  # without one pictures are frames with their words
        self.theme = "dark"  # pictures are drawn in
        self.scenes = SceneLook(room.session)

    @property
    def _of_screen(self) -> Mode:
        """How densely its slides are set."""
        return COPIED if self.mode is NORMAL and not self.letters else self.mode

    def have_pictures(self, ready: Callable[[], object], first: Callable[[], object]) -> None:
        """Show pictures from now on: see `PictureCache`."""
        from tui.graphics.picture_cache import PictureCache

        self.gallery = PictureCache(ready, first)
        self.scenes.have_plates(ready, first)

    @property
    def _session(self) -> Session:
        return self._room.session

    def page(
        self,
        page: Page,
        width: int,
        height: int = 0,
        most: int = 0,
        *,
        part: int | None = None,
        mode: Mode | None = None,
        sharp: bool = True,
    ) -> list[Line]:
        """One state of a slide at `width` cells; `height` 0: as high as it is, `most` 0: to its end. Of
        `height`, `part` rows are seen, the others are a panel's.

        `sharp`: pictures by pixels, where the terminal has them.
        """
        below = self._to_try(page, width)
        seen = height if part is None else part
        rows = max(0, height - len(below)), max(0, seen - len(below))
        lines = self._laid_out(page, width, rows, mode or self._of_screen, most, sharp)
        return self.marked(page.slide, [*lines, *below])

    def _to_try(self, page: Page, width: int) -> list[Line]:
        """What a tour asks its user to do."""
        head = self._session.contents.heads[page.slide]
        return self.practice.lines(head, width) if self._session.role == "console" else []

    def arrived(self, slide: int) -> None:
        """Marks are of the slide that was looked for, and gone when it was left."""
        if self.hits is not None and self.hits.slide != slide:
            self.hits = None
        self.scenes.arrived(slide)

    def small(self, page: Page, width: int, height: int) -> list[Line]:
        """The same as a thumbnail; a run of its demo moves in its lower part."""
        lines = self._laid_out(page, width, (height, height), SMALL, height)
        if (snapshot := self._run_on(page)) is None:
            return lines
        from tui.views.parts.thumbnail import small

        run = small(snapshot, width, min(snapshot.world + 1, max(1, height - 3)))  # its title stays
        above = lines[: max(0, height - len(run))]
        return [*above, *[()] * (height - len(run) - len(above)), *run]

    def small_token(self, page: Page) -> Hashable:
        """What a thumbnail's look depends on: a run in it moves twice a second."""
        snapshot = self._run_on(page)
        return self.token(page), snapshot and int(2 * snapshot.ran_s)

    def _run_on(self, page: Page) -> Snapshot | None:
        """The run of the slide's demo, while there is one."""
        blocks = (demo.id for demo in self._session.contents.demos(page.slide) if self._room.alive(demo.id))
        return next((run for block in blocks if (run := self._room.snapshots.get(block)) is not None), None)

    def _laid_out(
        self, page: Page, width: int, rows: tuple[int, int], mode: Mode, most: int, sharp: bool = False
    ) -> list[Line]:
        if not self.scenes.blocks(page) and not (sharp and chart_pages.painted(self._room, page.slide)):
            return self._with_places(None, page, width, rows, mode, most, sharp)
        from tui.rendering.pages.scene_pictures import Places, still

        places = Places()
        lines = self._with_places(places, page, width, rows, mode, most, sharp)
        plates = self.scenes.by_pixels if sharp else None
        return places.painted(lines, still(self.scenes.of(page, self.theme), plates, page))

    def pictures_of_scenes(self, page: Page, width: int, rows: tuple[int, int]) -> list[Place]:
        """Return where the scenes of a page came to stand, of `rows` that there are, and that are seen."""
        from tui.rendering.pages.scene_pictures import Place, Places

        places = Places()
        lines = self._with_places(places, page, width, rows, self._of_screen, 0, sharp=False)
        return [place for place in places.used(lines) if isinstance(place, Place)]

    def movement(
        self, before: Page, page: Page, width: int, rows: tuple[int, int], camera: Camera | None = None
    ) -> Movement | None:
        """Return the way from another step of the slide to this one, or from another `camera`; None where
        nothing in it moves. `rows`: those there are, and those seen."""
        if camera is None and not self.scenes.moves(before, page):
            return None
        from tui.rendering.pages.scene_pictures import Movement, Places

        places, below = Places(), self._to_try(page, width)
        rows = max(0, rows[0] - len(below)), max(0, rows[1] - len(below))
        lines = [*self._with_places(places, page, width, rows, self._of_screen, 0, True), *below]
        steps, look = (before.step, page.step), self.scenes.of(page, self.theme)
        plates = self.scenes.by_pixels
        return Movement(self.marked(page.slide, lines), places, steps, look, camera, plates)

    def _with_places(
        self,
        places: Places | None,
        page: Page,
        width: int,
        rows: tuple[int, int],
        mode: Mode,
        most: int,
        sharp: bool,
    ) -> list[Line]:
        from slides.drawing.author_layouts import PICTURE_PART
        from slides.drawing.layout import layout

        pictures, painted = partial(self._picture, sharp=sharp), chart_pages.painted(self._room, page.slide)
        slide = chart_pages.slide(self._room, page.slide)
        height, part = rows
        asked_rows = 0 if mode.whole else lone_block.rows(slide, width, min(height, part), part < height)
        return layout(
            slide,
            page.step,
            width,
            height,
            part=part,
            most=most,
            mode=mode,
            special=partial(self._special, pictures, int(height * PICTURE_PART), asked_rows),
            pictures=pictures,
            scenes=None if places is None else places.hold,
            plots=places.plot if places is not None and sharp and painted else None,
        )

    def picture(self, block: Image, columns: int, rows: int) -> list[Line] | str:
        """A picture in at most so many cells, or why it cannot be shown now."""
        return self._picture(block, columns, rows, sharp=True)

    def _picture(
        self, block: Image, columns: int, rows: int, *, sharp: bool, data: bytes | None = None
    ) -> list[Line] | str:
        """`data`: the picture itself, where no file has it."""
        if self.gallery is None:
            return ""
        from tui.graphics.picture_cache import AWAY, Wanted

        sent = self._session.contents.pictures
        source = data if data is not None else Path(block.path) if sent is None else sent.get(block.path)
        wanted = Wanted(block.path, columns, rows, self.theme, bool(block.width))
        return self.gallery.get(wanted, source, sharp=sharp) if source is not None else AWAY

    def marked(self, slide: int, lines: list[Line]) -> list[Line]:
        """Lines of a slide or of its notes with what was looked for."""
        if self.hits is None or self.hits.slide != slide:
            return lines
        from tui.deck.search import mark

        return mark(lines, self.hits.query)

    def exists(self, page: Page) -> bool:
        """Tell whether the slide has this step."""
        return page.step < self._session.contents.slide(page.slide).steps

    def extent(self, page: Page) -> Extent:
        """Return the cells of a line that the slide may use."""
        from slides.drawing.author_layouts import extent

        return extent(self._session.contents.slide(page.slide))

    def tall(self, page: Page) -> bool:
        """Tell whether the slide is to have the whole height."""
        from slides.drawing.author_layouts import is_tall

        slide = self._session.contents.slide(page.slide)
        return is_tall(slide) or lone_block.of(slide, panel=True) is not None

    def token(self, page: Page) -> Hashable:
        """What a page's look depends on besides its text, place and size."""
        contents, room = self._session.contents, self._room
        hits = self.hits if self.hits is not None and self.hits.slide == page.slide else None
        tried = self.practice.token(contents.heads[page.slide])
        version = contents.version(page.slide)
        marks: list[Hashable] = [version, self.coloured, self.mode, glyphs(), hits, tried]
        for quiz in contents.quizzes(page.slide):
            # A question not yet opened looks as an open one without answers: arriving draws nothing anew.
            marks.append(room.answering.look(quiz.id))
            marks.append((room.answerers, room.counted.get(quiz.id), self._session.state.look.full))
            marks.append(contents.rev)  # a prediction is about other slides
            marks.append(self._session.state.seed)  # painted ahead of the class, its parts lie otherwise
            marks.append(quiz.directive == "predict" and tuple(room.living()))
            if "![" in quiz.body:
                marks.append((self.theme, self.gallery and self.gallery.seen))
        for demo in contents.demos(page.slide):
            # Of the label's own source: the journal knows of an end before the snapshot that tells it.
            snapshot = room.snapshots.get(demo.id)
            marks.append(snapshot and (snapshot.state, snapshot.why, snapshot.playback is None))
            marks.append(contents.rev)  # what it would run is looked at anew with every revision
        for code in contents.snippets(page.slide):
            heard = room.outputs.of.get(code.id)
            marks.append(heard and (heard.output.state, heard.output.why))
            marks.append(code.id == room.outputs.chosen_id)
            if code.gives:
                from tui.views.blocks import output_in_place

                marks.append(
                    (output_in_place.token(code, heard), self.theme, self.gallery and self.gallery.seen)
                )
        shown = walk(chart_pages.slide(self._room, page.slide).blocks)
        marks += (charts := [one for one in shown if isinstance(one, Chart)])
        if charts or self.scenes.blocks(page):
            marks.append((self.scenes.token(page, self.theme), contents.rev))
        if any(isinstance(block, Image) for block in walk(contents.slide(page.slide).blocks)):
            marks.append((self.theme, self.gallery and self.gallery.seen, contents.rev))
        if estimates := [one for one in walk(contents.slide(page.slide).blocks) if isinstance(one, Estimate)]:
            from tui.classroom import turned_estimate

            marks.append(turned_estimate.token(self._room, estimates))
        if exercises := contents.exercises(page.slide):
            from tui.practice import tries_and_hints

            marks += [tries_and_hints.known().get(one.name) for one in exercises]
        return tuple(marks)

    def _special(
        self,
        pictures: Callable[..., list[Line] | str],
        rows: int,
        asked_rows: int,
        block: AnyBlock,
        step: int,
        width: int,
    ) -> list[Line] | None:
        if isinstance(block, Demo):
            from tui.views.blocks.demo_line import demo_lines

            room = self._room
            driving = self._session.role == "console"
            trouble, say = room.trouble(block), self._session.say
            return demo_lines(block, room.snapshots.get(block.id), trouble, width, hints=driving, say=say)
        if isinstance(block, Estimate):
            from tui.classroom import turned_estimate
            from tui.views.blocks.estimate import estimate_lines

            turned, slider = turned_estimate.as_turned(self._session, block)
            measured = turned_estimate.compared(self._room) if block.table else None
            say = self._session.say
            return estimate_lines(turned, self._file, width, slider, measured, asked_rows, say)
        if isinstance(block, Exercise):
            from tui.views.blocks.exercise import exercise_lines

            return exercise_lines(block, self._file, width, hints=self._session.role != "audience")
        if isinstance(block, Quiz):
            from tui.rendering.pages import question_on_slide

            return question_on_slide.lines(
                self._room, block, width, asked_rows, pictures, letters=self.letters
            )
        if isinstance(block, Code) and block.run:
            return self._snippet(block, step, width, rows, partial(pictures, rows=rows or 24))
        if isinstance(block, Code) and block.lang and not self.coloured:
            from slides.drawing.layout import layout_blocks

            return layout_blocks((replace(block, lang=""),), step, width)
        return None

    def _snippet(
        self, block: Code, step: int, width: int, rows: int, pictures: Callable[..., list[Line] | str]
    ) -> list[Line]:
        from slides.drawing.blocks.listing import listing
        from tui.views.blocks.snippet import label

        outputs, hints = self._room.outputs, self._session.role == "console"
        chosen, heard = block.id == outputs.chosen_id, outputs.of.get(block.id)
        line = label(block, heard, width, chosen=chosen, hints=hints)
        shown = block if self.coloured else replace(block, lang="")
        frame = min(max(step - block.at, 0), block.frames - 1)
        if block.gives and heard is not None:
            from tui.views.blocks import output_in_place

            if output_in_place.ran(block, heard):
                made, deck = partial(pictures, data=heard.picture), self._session.contents.deck
                large = self.letters and rows >= LETTERED_OUTPUT
                return output_in_place.lines(shown, heard, line, frame, width, made, deck.path, large)
        return listing(shown, frame, width, line)

    @property
    def _file(self) -> str:
        return self._session.contents.deck.path
