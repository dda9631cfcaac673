"""The key that records: 3, 2, 1, what the chrome says, and every way in which it ends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from folders import in_folders
from made_screen import FakeLink, Screenful, press, snapshot, until

from runtime.classroom.actions import Record, Run
from runtime.classroom.state import ClassState
from tui.app import TeachApp
from tui.recording import disk_limits
from tui.recording.cast import alone, read
from tui.recording.cast_writer import Writer
from tui.recording.controller import RecordingController, clock_mmss, short
from tui.recording.playing_speed import PATIENCE_S
from tui.rendering import textual_private


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    in_folders(tmp_path, monkeypatch)
    yield tmp_path


class Recorded(Screenful):
    def __init__(self, linked: bool = True, **options: Any) -> None:
        super().__init__(**options)
        if not linked:  # the test says when it joins
            self.app = TeachApp(self.session, None, **options)

    async def join(self, state: ClassState) -> None:
        """A class that goes on already."""

        def connect(receive: Any, word: Any) -> FakeLink:
            link = self.connect(receive, word)
            link.state = state
            return link

        await self.app.room.open(connect)

    @property
    def studio(self) -> RecordingController:
        return self.app.studio

    def wait(self, seconds: float) -> None:
        """So much time passes at once."""
        self.now += seconds
        self.studio.tick()

    def casts(self, home: Path) -> list[Path]:
        return sorted(home.glob("data/teachrun/classes/test-class/recordings/*.cast"))


async def begun(full: Recorded, pilot: Any) -> None:
    await pilot.pause()
    await pilot.press("v")
    full.wait(3.0)


async def test_three_two_one_and_escape_cancels(home: Path) -> None:
    full = Recorded()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("v")
        assert "●●●  3    this screen will be recorded   Esc cancels" in full.text()
        full.wait(1.1)
        await until(pilot, lambda: "●●○  2 " in full.text())
        assert "●●○  2 " in full.text()
        await pilot.press("right")  # a class does not wait for it
        assert full.session.slide.id == "steps"
        full.wait(1.1)
        await until(pilot, lambda: "●○○  1 " in full.text())
        assert "●○○  1 " in full.text()
        await pilot.press("escape")
        assert "nothing is recorded" in full.text() and full.studio.phase == "idle"
        full.wait(5)
        assert full.studio.phase == "idle" and not full.session.state.recording
    assert full.casts(home) == []


async def test_with_notes_on_it_says_so() -> None:
    full = Recorded(console=True)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        await pilot.press("v")
        assert "this screen will be recorded, notes and all" in full.text()


async def test_from_the_key_to_the_page(home: Path) -> None:
    full = Recorded()
    async with full.app.run_test(size=(90, 30)) as pilot:
        await begun(full, pilot)
        assert full.session.state.recording and "● REC 00:00" in full.text()
        assert "3 " not in full.text().splitlines()[-2]
        full.wait(65)
        await until(pilot, lambda: "● REC 01:05" in full.text())
        assert "● REC 01:05" in full.text()
        # No screen of a pilot writes to a terminal: what one would write is said here.
        textual_private.write(full.app, "a frame")
        await pilot.press("right")
        textual_private.write(full.app, "another")
        await pilot.press("v")
        assert not full.session.state.recording and "REC" not in full.text()
        await until(pilot, lambda: full.studio.done)
        (page,) = full.studio.done
        assert page.name.endswith(".html") and page.stat().st_size > 200_000
        await until(pilot, lambda: "recorded: " in full.text())
    (cast,) = full.casts(home)
    header, events = read(cast)
    said = [event.data for event in events if event.code == "o"]
    assert header["width"] == 90 and "The title slide." in said[0]
    assert "".join(said[1:]).startswith("a frameanother")
    assert [event.data for event in read(cast)[1] if event.code == "m"] == ["1 · Start", "2 · Steps"]


async def test_while_only_a_demo_goes_on_its_viewers_see_it_faster(home: Path) -> None:
    full = Recorded()
    async with full.app.run_test(size=(100, 30)) as pilot:
        await begun(full, pilot)
        await pilot.press("right", "right", "right")
        full.wait(1)
        full.wait(PATIENCE_S + 1)
        assert full.studio.badge() is not None and "×8" not in full.text()  # nothing runs
        run = Run("live/1", "r1", 1, "ddp", {}, "running")
        full.link.order(run)
        full.link.receive(snapshot("live/1"))
        full.wait(1)
        assert "×8" not in full.text()
        full.wait(PATIENCE_S)
        await until(pilot, lambda: "● REC 00:19 ▸▸ ×8" in full.text())
        assert "● REC 00:19 ▸▸ ×8" in full.text()
        await pilot.press("z")  # somebody does something
        await until(pilot, lambda: "▸▸" not in full.text() and "● REC" in full.text())
        assert "▸▸" not in full.text() and "● REC" in full.text()
        full.studio.stop()
        await until(pilot, lambda: full.studio.done)
    (cast,) = full.casts(home)
    assert json.loads(cast.read_text().splitlines()[0])["teachrun"]["class"] == "test-class"


async def test_a_long_class_is_recorded_in_parts(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = Recorded()
    async with full.app.run_test(size=(90, 30)) as pilot:
        await begun(full, pilot)
        first = full.studio.recorder
        assert first is not None
        await until(pilot, lambda: first.written)
        monkeypatch.setattr(disk_limits, "LARGEST", first.written)
        full.wait(1)
        assert full.studio.recorder not in (None, first) and full.studio.phase == "recording"
        assert "the recording goes on in a second file" in full.text() and "● REC 00:01" in full.text()
        monkeypatch.setattr(disk_limits, "LARGEST", 1 << 30)
        await until(pilot, lambda: len(full.studio.done) == 1)
        textual_private.write(full.app, "a frame")
        await pilot.press("v")
        await until(pilot, lambda: len(full.studio.done) == 2)
    casts = full.casts(home)
    assert [cast.stem.split("-")[2:] for cast in casts] == [["2"], []]
    said = ["".join(event.data for event in read(cast)[1]) for cast in reversed(casts)]
    assert all("The title slide." in text for text in said) and "a frame" in said[1]


async def test_another_console_stops_it_and_can_be_stopped() -> None:
    full = Recorded()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await begun(full, pilot)
        full.link.order(Record(False))
        assert full.studio.phase == "idle"
        await until(pilot, lambda: full.studio.done)
        full.link.order(Record(True))
        await until(pilot, lambda: "● REC" in full.text())
        assert "● REC" in full.text()
        await pilot.press("v")
        assert not full.session.state.recording and full.studio.phase == "idle"
        assert "the recording at the other console is stopped" in full.text()


async def test_a_full_disk_is_said_and_the_class_goes_on(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = Recorded()
    async with full.app.run_test(size=(100, 30)) as pilot:
        await begun(full, pilot)
        await until(pilot, lambda: full.casts(home))

        def full_disk(fd: int, data: bytes) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("tui.recording.cast_writer._append", full_disk)
        textual_private.write(full.app, "a frame")
        await until(pilot, lambda: full.studio.recorder is None or full.studio.recorder.failed)
        full.wait(1)
        assert "the recording stopped: No space left on device; the class goes on" in full.text()
        assert full.studio.phase == "idle" and not full.session.state.recording
        await pilot.press("right")
        assert full.session.slide.id == "steps"


async def test_what_a_killed_screen_left_is_processed_by_the_next(home: Path) -> None:
    folder = home / "data" / "teachrun" / "classes" / "test-class" / "recordings"
    writer = Writer(
        folder / "old.cast",
        {"version": 2, "width": 80, "height": 24, "teachrun": {"began": 1.0, "raw": True}},
    )
    writer.put("o", "what there is")
    writer.close()
    full = Recorded(linked=False)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        await full.join(ClassState(rev=5, recording=True, pos=full.session.state.pos))
        await until(pilot, lambda: full.studio.done)
        assert not full.session.state.recording
    assert (folder / "old.html").exists()


async def test_what_an_earlier_class_left_is_processed_when_another_begins(home: Path) -> None:
    folder = home / "data" / "teachrun" / "classes" / "earlier" / "recordings"
    for name, raw in (("left", True), ("done", False), ("broken", True), ("busy", True)):
        header = {"version": 2, "width": 80, "height": 24, "teachrun": {"began": 1.0, "raw": raw}}
        writer = Writer(folder / f"{name}.cast", header)
        writer.put("o", "what there is")
        writer.close()
    (folder / "broken.cast").write_text("no recording\n")
    full = Recorded(stopped=lambda: None, again=lambda class_id: None)
    with alone(folder / "busy.cast"):
        async with full.app.run_test(size=(100, 30)) as pilot:
            await until(pilot, lambda: full.studio.done)
            assert (
                "a recording was cut off with an earlier class" in full.text() or "recorded: " in full.text()
            )
            assert full.studio.unfinished == []
    assert [path.name for path in folder.glob("*.html")] == ["left.html"]


async def test_one_that_is_still_written_is_left_alone(home: Path) -> None:
    folder = home / "data" / "teachrun" / "classes" / "test-class" / "recordings"
    writer = Writer(folder / "other.cast", {"version": 2, "width": 80, "height": 24})
    writer.put("o", "x")
    while not (folder / "other.cast").exists() or not (folder / "other.cast").stat().st_size:
        await asyncio.sleep(0.01)
    full = Recorded(linked=False)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        await full.join(ClassState(rev=5, recording=True, pos=full.session.state.pos))
        await pilot.pause()
        assert full.session.state.recording and full.studio.unfinished == []
    writer.close()


async def test_without_a_class_there_is_nothing_to_record() -> None:
    full = Recorded(linked=False)
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("v")
        assert "there is no class to record yet" in full.text() and full.studio.phase == "idle"


# --- the private names of Textual that it needs -----------------------------------------------------------


async def test_a_tap_hears_everything_that_is_written_until_it_is_closed() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        driver = textual_private.driver_of(full.app)
        assert driver is not None
        heard: list[str] = []
        plain = driver.write
        untap = textual_private.tap(full.app, heard.append)
        driver.write("one")
        untap()
        driver.write("two")
        assert heard == ["one"] and driver.write == plain


async def test_the_picture_is_the_whole_screen_with_what_lies_over_it() -> None:
    import pyte

    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await press(pilot, "g")
        screen = pyte.Screen(80, 24)
        pyte.Stream(screen).feed(textual_private.picture(full.app))
        assert [row.rstrip() for row in screen.display] == full.text().split("\n")
        assert any("go to" in row for row in screen.display)
        assert any("The title slide." in row for row in screen.display)


def test_words() -> None:
    assert [clock_mmss(s) for s in (0, 65.9, 3605)] == ["00:00", "01:05", "1:00:05"]
    assert short(Path("/very/long/way/to/a.html"), 12) == "…y/to/a.html"
    assert short(Path.home() / "a.html", 40) == "~/a.html"
