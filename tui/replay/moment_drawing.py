"""Draws a class that was held as the room saw it at any of its moments: slides, answers, figures of runs.

Nothing runs and no host is asked. What is not there any more, a deck or a recording, is said in its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from runtime import paths
from runtime.classroom import journal
from runtime.classroom.actions import Deck, Entry
from runtime.classroom.state import ClassState
from runtime.host import kept_decks
from runtime.protocol.messages import Snapshot
from runtime.recordings import files
from runtime.recordings.files import Unreadable
from runtime.recordings.recording import load
from runtime.recordings.replay import Replay
from slides.deck import Demo
from slides.drawing.text import Line
from slides.reading.from_disk.source import DeckError
from slides.screen_size import Size
from tui.classroom.answering.prediction import demo_named
from tui.classroom.runs import run_charts
from tui.deck import deck_upload
from tui.deck.contents import Contents, open_deck, parse_trusted
from tui.rendering.pages.offscreen import Offscreen
from tui.replay.moments import Moment, length_s, moments


class NoReplay(Exception):
    """A class cannot be walked again; the text says why, and what can be done."""


class Walk:
    """A class by its moments. Raises `NoReplay` where it showed nothing, or nothing of it is left."""

    def __init__(self, class_id: str, entries: Sequence[Entry] | None = None) -> None:
        self.class_id = class_id
        self._folder = paths.journal_file(class_id).parent
        known = journal.read(paths.journal_file(class_id)) if entries is None else list(entries)
        self.moments = moments(known)
        self.length_s = length_s(self.moments, known)
        self._paths = {
            e.action.rev: (e.action.path, e.action.format) for e in known if isinstance(e.action, Deck)
        }
        self._stills: dict[str, Offscreen | None] = {}
        self._runs: dict[str, Replay | None] = {}
        self.changed = False  # a deck is not the one of the class, but the file as it is now
        if not self.moments:
            raise NoReplay("no slide was shown in this class")
        if self._still(self.moments[-1].state) is None:
            path = self._paths.get(self.moments[-1].state.deck_rev, ("", ""))[0]
            raise NoReplay(f"its deck is gone: {path or 'no file is named'}")

    @property
    def title(self) -> str:
        """What the class was about."""
        return self.moments[-1].state.title or self.class_id

    # --- decks ------------------------------------------------------------------------------------------

    def contents(self, moment: Moment) -> Contents | None:
        """Return the deck of a moment."""
        still = self._still(moment.state)
        return still.contents if still is not None else None

    def _still(self, state: ClassState) -> Offscreen | None:
        rev = state.deck_rev
        if rev not in self._stills:
            found = self._opened(rev)
            self._stills[rev] = Offscreen(found, role="audience") if found is not None else None
        return self._stills[rev]

    def _opened(self, rev: str) -> Contents | None:
        """The deck as the room had it; of a class that kept none, the file if there is one."""
        if (blob := kept_decks.read(self._folder, rev)) is not None:
            try:
                return deck_upload.contents(blob, "audience")
            except (ValueError, DeckError):
                pass  # cut, or of a later version: the file may still be there
        path, format = self._paths.get(rev, ("", ""))
        if not path or not Path(path).exists():
            return None
        try:
            deck = open_deck(path, format)
        except (DeckError, OSError):
            return None
        self.changed = self.changed or deck.rev != rev
        return Contents(deck, parse_trusted)

    # --- runs -------------------------------------------------------------------------------------------

    def needed(self, moment: Moment) -> list[str]:
        """The runs on the slide of a moment that are not loaded yet."""
        return [run for _, run in self._on_slide(moment) if run not in self._runs]

    def fetch(self, run: str, block: str = "") -> None:
        """Load the recording of a run, which may take a while; one that is gone is known as such."""
        try:
            self._runs[run] = Replay(block, load(files.find(run)))
        except (Unreadable, OSError):
            self._runs[run] = None

    def gone(self, moment: Moment) -> list[str]:
        """The runs of the slide of which no recording is left."""
        return [run for _, run in self._on_slide(moment) if run in self._runs and self._runs[run] is None]

    def _on_slide(self, moment: Moment) -> list[tuple[Demo, str]]:
        """The demos whose figures the slide shows, with their runs: its own, those it has in a chart, and
        those that were measured on it."""
        contents = self.contents(moment)
        index = contents.find(moment.state.pos.slide) if contents is not None else None
        if contents is None or index is None:
            return []
        measured = (demo_named(contents, block) for block in sorted(moment.here))
        demos = {demo.id: demo for demo in (*run_charts.demos_on(contents, index), *filter(None, measured))}
        runs = moment.state.runs
        return [(demo, runs[id].run) for id, demo in demos.items() if id in runs]

    def _snapshot(self, demo: Demo, run: str, moment: Moment, t: float) -> Snapshot | None:
        """The panel of a run at the wall-clock time `t`."""
        replay = self._runs.get(run)
        if replay is None:
            return None
        replay.block = demo.id
        about, state = replay.recording.about, moment.state.runs[demo.id].state
        if state == "replay":  # it was a recording in the class, too
            at = t - moment.since.get(demo.id, t)
        elif about.asked_at is not None:
            at = t - about.started - (replay.recording.origin - about.asked_at)
        else:
            at = t - about.started
        over = state not in ("launching", "running", "stopping", "replay")
        replay.seek(replay.length_s if over else max(0.0, at), 0.0)
        return replay.snapshot()

    # --- what is drawn ----------------------------------------------------------------------------------

    def screen(self, number: int, size: Size, after_s: float = 0.0) -> list[Line]:
        """Moment `number` (from 0), `after_s` seconds into it, as a screen of that size had it."""
        moment = self.moments[number]
        still = self._still(moment.state)
        if still is None:
            return [()] * size.height
        state = moment.state
        still.put(state)
        still.room.snapshots.clear()
        for demo, run in self._on_slide(moment):
            if (shown := self._snapshot(demo, run, moment, moment.t + after_s)) is not None:
                still.room.snapshots[demo.id] = shown
        return still.of_class(size)

    def place(self, number: int) -> str:
        """`12 · Buckets`: the slide of a moment."""
        from tui.recording.scenes_and_chapters import label

        moment = self.moments[number]
        contents = self.contents(moment)
        slide = moment.state.pos.slide
        return label(contents, slide) if contents is not None else slide

    def at(self, seconds: float) -> int:
        """The moment at so many seconds of the bar."""
        found = 0
        for number, moment in enumerate(self.moments):
            if moment.at <= seconds + 1e-6:
                found = number
        return found

    def slide_from(self, number: int, by: int) -> int:
        """The first moment of the next slide (`by` 1) or the one before (-1); where there is none, itself."""
        here = self.moments[number].state.pos.slide
        if by > 0:
            rest = range(number + 1, len(self.moments))
            return next((n for n in rest if self.moments[n].state.pos.slide != here), number)
        first = number
        while first > 0 and self.moments[first - 1].state.pos.slide == here:
            first -= 1
        if first == 0:
            return 0
        before = self.moments[first - 1].state.pos.slide
        found = first - 1
        while found > 0 and self.moments[found - 1].state.pos.slide == before:
            found -= 1
        return found
