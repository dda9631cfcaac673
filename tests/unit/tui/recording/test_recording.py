"""A recording as it was made into what is handed out: chapters, captions, a shorter time, one page."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path

import pytest

from runtime.classroom.actions import Begin, Deck, Move, Record
from runtime.classroom.journal import Journal
from tui.deck.contents import Contents
from tui.playback import caption_cues
from tui.recording import finished_recording as finishing
from tui.recording.captions import Caption, captions, stamp, vtt
from tui.recording.cast import OURS, CastError, line, read
from tui.recording.finished_recording import finish, journal_of
from tui.recording.scenes_and_chapters import Chapter, Played, Scene, chapters, from_marks, places, scenes

DECK = """\
---
title: Four <copies>
lang: hi
---
# Start {#start}

The title slide.

<!-- notes: Welcome to the class. We begin with **one** model. -->

---

# Steps {#steps}

first words

<!-- pause -->

second words

<!-- notes: Now the second. -->

---

# Passed {#passed}

---

# The end {#end}
"""
BEGAN = 1_000_000.0


def made(folder: Path, deck: str = DECK, raw: bool = True) -> Path:
    """A class's folder with a recording of 100 s: a demo alone from 40 to 80."""
    (folder / "deck.md").write_text(deck)
    times = iter(
        [BEGAN - 60, BEGAN - 59, BEGAN - 58, BEGAN, BEGAN + 10, BEGAN + 20, BEGAN + 90, BEGAN + 90.5]
    )
    journal = Journal(folder / "class" / "journal.jsonl", now=lambda: next(times))
    for action in (
        Begin("c1", "1"),
        Deck("r", "Four", str(folder / "deck.md")),
        Move("start", 0),
        Record(True),
        Move("steps", 0),
        Move("steps", 1),
        Move("passed", 0),
        Move("end", 0),
    ):
        journal.append(action, "me")
    cast = folder / "class" / "recordings" / "a.cast"
    cast.parent.mkdir()
    header = {"version": 2, "width": 80, "height": 24, "title": "Four <copies>"}
    rows = [json.dumps({**header, OURS: {"class": "c1", "began": BEGAN, "raw": raw}}).encode() + b"\n"]
    rows += [line(0.0, "o", "picture"), line(0.0, "m", "1 · Start"), line(10.0, "m", "2 · Steps")]
    rows += [line(10.001, "o", "a"), line(10.002, "o", "b"), line(40.0, "m", "×8")]
    rows += [line(40.0 + n, "o", f"<{n}>") for n in range(40)]
    rows += [line(80.0, "m", "×1"), line(85.0, "r", "100x30"), line(100.0, "o", "end")]
    cast.write_bytes(b"".join(rows))
    return cast


def test_the_journal_beside_it_is_found(tmp_path: Path) -> None:
    assert journal_of(made(tmp_path)).is_file()


def test_time_with_a_demo_alone_is_shorter_and_everything_else_keeps_its_order(tmp_path: Path) -> None:
    cast = made(tmp_path)
    told: list[float] = []
    done = finish(cast, journal_of(cast), told.append)
    header, events = read(cast)
    events = list(events)
    assert header["title"] == "Four <copies>" and "raw" not in header[OURS]
    times = [event.t for event in events]
    assert times == sorted(times) and events[-1][:2] == (65.0, "o")  # 40 s in 5
    assert "".join(event.data for event in events if event.code == "o") == (
        "pictureab" + "".join(f"<{n}>" for n in range(40)) + "end"
    )
    assert [event for event in events if event.code == "m"] == [
        (0.0, "m", "1 · Start"),
        (10.0, "m", "2 · Steps"),
        (55.5, "m", "4 · The end"),
    ]
    assert ("ab" in [event.data for event in events]) and (50.0, "r", "100x30") in events
    assert done.page == cast.with_suffix(".html") and told[-1] == 1.0 and told == sorted(told)
    assert sorted(path.name for path in cast.parent.iterdir()) == [
        "a.cast",
        "a.chapters.vtt",
        "a.html",
        "a.vtt",
    ]


def test_captions_are_the_notes_by_the_journals_time(tmp_path: Path) -> None:
    cast = made(tmp_path)
    finish(cast, journal_of(cast))
    assert (
        cast.with_suffix(".vtt").read_text()
        == f"""\
WEBVTT

NOTE {finishing.NOTE}

1
00:00:00.000 --> 00:00:01.711
Welcome to the class.

2
00:00:01.711 --> 00:00:03.751
We begin with one model.

3
00:00:10.000 --> 00:00:11.600
Steps

4
00:00:11.600 --> 00:00:13.200
first words

5
00:00:20.000 --> 00:00:21.600
Now the second.

6
00:00:55.500 --> 00:00:57.100
The end
"""
    )
    assert (
        cast.with_suffix(".chapters.vtt").read_text()
        == """\
WEBVTT

NOTE Slides

1
00:00:00.000 --> 00:00:10.000
1 · Start

2
00:00:10.000 --> 00:00:55.500
2 · Steps

3
00:00:55.500 --> 00:01:05.000
4 · The end
"""
    )


def test_a_deck_may_keep_its_notes_to_itself(tmp_path: Path) -> None:
    cast = made(tmp_path, DECK.replace("lang: hi", "captions: slides"))
    finish(cast, journal_of(cast))
    for suffix in (".vtt", ".html"):
        text = cast.with_suffix(suffix).read_text()
        assert "Welcome to the class" not in text and "The title slide" in text


def test_the_page_holds_everything_and_its_title_is_text(tmp_path: Path) -> None:
    cast = made(tmp_path, DECK + "\n\n---\n\n# </script><b>x {#bad}\n")
    done = finish(cast, journal_of(cast))
    page = done.page.read_text()
    assert '<html lang="hi">' in page and "<h1>Four &lt;copies&gt;</h1>" in page
    packed = re.search(r'<script type="text/plain" id="cast">([^<]*)</script>', page)
    assert packed and gzip.decompress(base64.b64decode(packed[1])) == cast.read_bytes()
    assert "var AsciinemaPlayer" in page and "Marcin Kulik" in page
    assert "×8" in page or "[[40.0, 45.0, 8.0]]" in page
    assert '<button data-t="10.00"><time>0:10</time><span>2 · Steps</span></button>' in page
    for outside in ('src="http', "url(http", "@import", "<link"):
        assert outside not in page, outside
    assert page.count("</script>") == 4


def test_without_a_deck_or_a_journal_the_recordings_own_marks_are_its_chapters(tmp_path: Path) -> None:
    cast = made(tmp_path)
    journal_of(cast).unlink()
    done = finish(cast, journal_of(cast))
    assert [(part.start, part.title) for part in done.chapters] == [(0.0, "1 · Start"), (10.0, "2 · Steps")]
    assert done.captions == []


def test_what_cannot_be_finished_stays_as_it_was_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cast = made(tmp_path)
    before = cast.read_bytes()

    def full(*args: object, **more: object) -> bytes:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(finishing.player_page, "page", full)
    with pytest.raises(OSError, match="No space"):
        finish(cast, journal_of(cast))
    assert cast.read_bytes() == before
    assert not [path for path in cast.parent.iterdir() if path.suffix in (".part", ".html")]
    monkeypatch.undo()
    finish(cast, journal_of(cast))
    with pytest.raises(CastError, match="was finished before"):
        finish(cast, journal_of(cast))


# --- time ------------------------------------------------------------------------------------------------


def test_played_time_runs_slower_and_faster_than_real_time() -> None:
    played = Played()
    played.turn(10, 5)
    played.turn(20, 1)
    assert [played(t) for t in (-1, 0, 10, 15, 20, 30)] == [0, 0, 10, 11, 12, 22]
    assert played.faster == [(10, 12, 5)]


def test_slides_that_were_only_passed_are_no_chapters() -> None:
    contents = contents_of("# A\n\n---\n\n# B\n\n---\n\n# C\n")
    found = [(0.0, "a", 0), (5.0, "b", 0), (5.5, "c", 0), (20.0, "a", 0)]
    begun = chapters(scenes([(0.0, "a", 0), (1.0, "b", 0)], Played(), 9.0), contents)
    assert begun == [Chapter(0.0, 1.0, "1 · A"), Chapter(1.0, 9.0, "2 · B")]  # that is where it begins
    shown = scenes(found, Played(), 30.0)
    assert [scene.again for scene in shown] == [False, False, False, True]
    assert chapters(shown, contents) == [
        Chapter(0.0, 5.5, "1 · A"),
        Chapter(5.5, 20.0, "3 · C"),
        Chapter(20.0, 30.0, "1 · A"),
    ]
    assert from_marks([(0.0, "x"), (4.0, "y")], 9.0) == [Chapter(0.0, 4.0, "x"), Chapter(4.0, 9.0, "y")]


def contents_of(text: str) -> Contents:
    from slides.reading.split import split

    return Contents(split(text, "deck.md"))


def test_where_a_recording_began_is_where_the_class_was(tmp_path: Path) -> None:
    times = iter([90.0, 95.0, 103.0, 104.0, 150.0])
    journal = Journal(tmp_path / "j", now=lambda: next(times))
    for action in (Move("a", 0), Move("b", 1), Record(True), Move("c", 0), Move("d", 0)):
        journal.append(action)
    assert places(journal.entries, 100.0, 30.0) == [(0.0, "b", 1), (4.0, "c", 0)]


# --- captions --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "00:00:00.000"), (61.0005, "00:01:01.000"), (3661.25, "01:01:01.250"), (59.9996, "00:01:00.000")],
)
def test_stamps(seconds: float, said: str) -> None:
    assert stamp(seconds) == said


def test_captions_hurry_where_a_scene_is_short_and_are_left_out_where_it_is_shorter() -> None:
    text = ["one two three four five six seven eight nine ten"] * 4  # 3.3 s each, with a breath 3.7

    def said(slide: str, step: int) -> list[str]:
        return text

    def ends(length: float) -> list[float]:
        return [round(c.end, 1) for c in captions([Scene(0, length, "a", 0, False)], said)]

    assert ends(60) == [3.7, 7.4, 11.0, 14.7]
    assert ends(10) == [2.5, 5.0, 7.5, 10.0]
    assert ends(4) == [1.8, 3.7]
    assert captions([Scene(0, 60, "a", 0, True)], said) == []


def test_a_caption_cannot_break_its_file() -> None:
    text = vtt([Caption(0, 1, "a --> b <c> & \n\nd"), Caption(2, 2, "no time")], "x --> y")
    assert (
        text
        == "WEBVTT\n\nNOTE x --&gt; y\n\n1\n00:00:00.000 --> 00:00:01.000\na --&gt; b &lt;c&gt; &amp; d\n"
    )


# --- what is spoken --------------------------------------------------------------------------------------


def test_sentences() -> None:
    assert caption_cues.cues("A stop, e.g. this one, ends.  Next! Is it? “Quoted.” Then 3.5 GB is one.") == [
        "A stop, e.g. this one, ends.",
        "Next!",
        "Is it?",
        "“Quoted.”",
        "Then 3.5 GB is one.",
    ]
    assert caption_cues.cues("समझो ज़रा। फिर चलो।") == ["समझो ज़रा।", "फिर चलो।"]
    assert caption_cues.cues("你好。世界！") == ["你好。", "世界！"]
    assert caption_cues.cues("   ") == []


def test_a_long_sentence_is_parted_at_a_pause_and_nothing_is_lost() -> None:
    text = "When a gradient is ready in every rank, its bucket is sent (this is why order matters), and " * 3
    parts = caption_cues.cues(text)
    assert " ".join(parts) == " ".join(text.split())
    assert all(len(part) <= caption_cues.CUE for part in parts)
    assert all(len(part) > 20 for part in parts)
    assert "".join(caption_cues.cues("x" * 300)) == "x" * 300


def test_reading_times() -> None:
    assert caption_cues.aloud_s("word " * 183) == pytest.approx(60)
    assert caption_cues.silent_s("word " * 119) == pytest.approx(30)
    assert caption_cues.word_count("— … 3.5 GB") == 2
    assert caption_cues.word_count("你好 world") == pytest.approx(2.6)
