"""From a recording as it was made to what is handed out: shortened, with chapters, captions and a page.

    python -P -m tui.recording.finished_recording FILE.cast

Progress goes to stdout, a number from 0 to 1 a line, then the path of the page; a process of its own, so that
the class goes on meanwhile. The recording itself is replaced only by one that is complete.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from runtime.atomic_write import put
from runtime.classroom import journal, state
from runtime.classroom.actions import Entry
from slides.reading.from_disk.source import DeckError
from tui.deck.contents import Contents, open_deck, parse_trusted
from tui.playback import caption_cues
from tui.recording import player_page
from tui.recording.captions import Caption, captions, vtt
from tui.recording.cast import OURS, CastError, Event, alone, line, read
from tui.recording.scenes_and_chapters import Chapter, Played, chapters, from_marks, places, scenes

MERGE_S = 1 / 30  # writes closer than this are one event to a viewer
REPORT_BYTES = 1 << 20
NOTE = (
    "From the speaker notes and slides, timed by the journal of the class; nobody transcribed what was said."
)

Progress = Callable[[float], None]


class Finished(NamedTuple):
    """What was made of a recording: its page, chapters and captions."""

    page: Path
    chapters: list[Chapter]
    captions: list[Caption]


def finish(cast: Path, journal_file: Path, progress: Progress = lambda part: None) -> Finished:
    """Make what is handed out beside the recording. One that was finished before stays as it is.

    Raises:
        CastError: the file is no recording, or somebody is at it.
        OSError: a file cannot be read or written; the recording is untouched then.
    """
    with alone(cast):
        return _finish(cast, journal_file, progress)


def _finish(cast: Path, journal_file: Path, progress: Progress) -> Finished:
    header, _ = read(cast)
    ours = header.get(OURS)
    if not isinstance(ours, dict) or not ours.get("raw"):
        raise CastError(f"{cast.name} was finished before")
    began = float(ours.get("began", header.get("timestamp", 0)))
    entries = journal.read(journal_file)
    marks, played, length = survey(cast, progress)
    contents = _contents(entries)
    found = places(entries, began, length) if contents is not None else []
    shown = scenes(found, played, length)
    if contents is not None and shown:
        parts = chapters(shown, contents)
        texts = captions(shown, _said(contents))
    else:
        parts, texts = from_marks([(played(t), text) for t, text in marks], played(length)), []
    faster = [(start, min(end, played(length)), speed) for start, end, speed in played.faster]
    done = {"class": ours.get("class", ""), "began": began, "seconds": round(length, 3), "faster": faster}
    html = cast.with_suffix(".html")
    title = str(header.get("title", "")) or cast.stem
    size = (int(header.get("width", 80)), int(header.get("height", 24)))
    language = contents.deck.meta.get("lang", "") if contents is not None else ""
    with _complete(cast) as new:
        _rewrite(cast, new, {**header, OURS: done}, parts, played, progress)
        for path, data in (
            (cast.with_suffix(".vtt"), vtt(texts, NOTE).encode()),
            (cast.with_suffix(".chapters.vtt"), vtt(parts, "Slides").encode()),
            (html, player_page.page(title, new, parts, texts, played.faster, size=size, language=language)),
        ):
            put(path, data)
    progress(1.0)
    return Finished(html, parts, texts)


def survey(cast: Path, progress: Progress) -> tuple[list[tuple[float, str]], Played, float]:
    """Slide marks in real seconds, the changes of speed, and the length."""
    marks: list[tuple[float, str]] = []
    played, length = Played(), 0.0
    for event, part in _told(cast):
        length = max(length, event.t)
        if event.code == "m":
            speed = _speed(event.data)
            if speed is None:
                marks.append((event.t, event.data))
            else:
                played.turn(event.t, speed)
        if part is not None:
            progress(0.45 * part)
    return marks, played, length


def _told(cast: Path) -> Iterator[tuple[Event, float | None]]:
    """Every event, and now and then how much of the file has been read."""
    size, seen, told = max(1, cast.stat().st_size), 0, 0
    for event in read(cast)[1]:
        seen += len(event.data)
        part = None
        if seen - told > REPORT_BYTES:
            told, part = seen, min(1.0, seen / size)
        yield event, part


def _speed(label: str) -> float | None:
    """The speed in the label of a marker that changes it; None for a slide's."""
    with contextlib.suppress(ValueError):
        return float(label[1:]) if label[:1] == "×" else None
    return None


def _contents(entries: list[Entry]) -> Contents | None:
    """The deck of the class as it is on disk now."""

    path = state.fold(entries).path
    try:
        return Contents(open_deck(path), parse_trusted) if path else None
    except (DeckError, OSError):
        return None


def _said(contents: Contents) -> Callable[[str, int], list[str]]:
    """The captions of a step: its notes (not where the front matter has `captions: slides`: notes may be
    nobody else's business), else what appears on the slide."""
    notes = contents.deck.meta.get("captions", "").lower() != "slides"

    def said(slide: str, step: int) -> list[str]:
        index = contents.find(slide)
        if index is None:
            return []
        told = caption_cues.notes_at(contents, index, step) if notes else []
        found = told or caption_cues.text_at(contents, index, step)
        return [cue for text in found for cue in caption_cues.cues(text)]

    return said


def _rewrite(
    cast: Path, new: Path, header: dict[str, Any], parts: list[Chapter], played: Played, progress: Progress
) -> None:
    """The recording in played seconds, a marker a chapter. Writes closer than `MERGE_S` become one."""
    due = list(reversed(parts))
    held: list[Event] = []
    with new.open("wb") as file:

        def let_go() -> None:
            if held:
                file.write(line(held[0].t, "o", "".join(event.data for event in held)))
                held.clear()

        file.write(json.dumps(header, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        for event, part in _told(cast):
            if part is not None:
                progress(0.45 + 0.45 * part)
            t = played(event.t)
            if held and (event.code != "o" or t - held[0].t > MERGE_S):
                let_go()
            while due and due[-1].start <= t:
                let_go()
                file.write(line(due[-1].start, "m", due.pop().title))
            if event.code == "o":
                held.append(event._replace(t=t))
            elif event.code != "m":
                file.write(line(t, event.code, event.data))
        let_go()


@contextlib.contextmanager
def _complete(path: Path) -> Iterator[Path]:
    """A file to write that takes the place of `path` when the block ends well. Raises `OSError`."""
    unfinished = path.with_name(path.name + ".part")
    try:
        yield unfinished
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        unfinished.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise


def main() -> int:
    """Exit status 0: the last line is the page's path; 1: it says what is wrong."""
    cast = Path(sys.argv[1])
    with contextlib.suppress(OSError):
        os.nice(10)

    def progress(part: float) -> None:
        print(f"{part:.2f}", flush=True)  # a screen that is gone ends this: what is there stays

    try:
        print(finish(cast, journal_of(cast), progress).page)
    except BrokenPipeError:
        return 1
    except (OSError, CastError) as error:
        print(getattr(error, "strerror", None) or error)
        return 1
    return 0


def journal_of(cast: Path) -> Path:
    """The journal of the class in whose folder the recording is."""
    return cast.parent.parent / "journal.jsonl"


if __name__ == "__main__":
    sys.exit(main())
