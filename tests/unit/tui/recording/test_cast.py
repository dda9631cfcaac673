"""asciicast v2: golden lines, a writer that never blocks, never fails and loses no whole line."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from tui.recording.cast import CastError, Event, is_written, line, read
from tui.recording.cast_writer import Writer
from tui.recording.disk_limits import LEAST_FREE
from tui.recording.recorder import AGAIN, BEGIN, END, Place, Recorder

HEADER = {"version": 2, "width": 80, "height": 24, "title": "Vier Kopien, समझो"}


def test_an_event_is_a_line() -> None:
    assert line(1.25, "o", "\x1b[1mé → \n").decode() == '[1.25, "o", "\\u001b[1mé → \\n"]\n'
    assert line(0.1234567, "m", 'say "hi"') == b'[0.123457, "m", "say \\"hi\\""]\n'
    json.loads(line(0, "o", "\udc80 lone"))


def clock(*times: float) -> object:
    left = list(times)
    return lambda: left.pop(0) if len(left) > 1 else left[0]


def test_what_was_put_is_in_the_file_in_order(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.cast"
    writer = Writer(path, HEADER, now=clock(100.0, 100.5, 101.0, 101.0))  # type: ignore[arg-type]
    assert writer.put("o", "one") and writer.put("m", "Slide")
    writer.close()
    header, events = read(path)
    assert header == HEADER
    assert list(events) == [Event(0.5, "o", "one"), Event(1.0, "m", "Slide")]
    assert path.read_text().splitlines()[1] == '[0.5, "o", "one"]'
    assert path.stat().st_mode & 0o077 == 0


def test_a_cut_file_is_read_up_to_the_cut(tmp_path: Path) -> None:
    path = tmp_path / "a.cast"
    path.write_bytes(json.dumps(HEADER).encode() + b"\n" + line(1, "o", "whole") + line(2, "o", "cut")[:-4])
    assert [event.data for event in read(path)[1]] == ["whole"]


@pytest.mark.parametrize("text", ["", "{}", "[1, 2]", '{"version": 3}', "\xff\x00", "[" * 5000])
def test_what_is_no_recording_is_said_so(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.cast"
    path.write_text(text)
    with pytest.raises(CastError, match=r"a\.cast is not asciicast v2"):
        read(path)


def test_a_file_that_is_there_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "a.cast"
    path.write_text("mine")
    writer = Writer(path, HEADER)
    writer.close()
    assert writer.failed == "File exists" and not writer.put("o", "x")
    assert path.read_text() == "mine"


def test_a_recording_is_locked_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.cast"
    writer = Writer(path, HEADER)
    writer.put("o", "x")
    while not (path.exists() and b"x" in path.read_bytes()):
        assert not writer.failed
    assert is_written(path)
    writer.close()
    assert not is_written(path)


FULL = """
import resource, signal, sys
from pathlib import Path
from tui.recording.cast import read
from tui.recording.cast_writer import Writer
resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
path = Path(sys.argv[1])
writer = Writer(path, {"version": 2, "width": 80, "height": 24})
n = 0
while writer.put("o", f"{n} " + "x" * 400):
    n += 1
writer.close()
print(writer.failed)
"""


def test_a_full_disk_ends_a_recording_at_its_last_whole_line(tmp_path: Path) -> None:
    path = tmp_path / "a.cast"
    done = subprocess.run(
        [sys.executable, "-P", "-c", FULL, path], capture_output=True, text=True, check=True
    )
    assert done.stdout == "File too large\n"
    data = path.read_bytes()
    assert data.endswith(b"]\n") and 8000 < len(data) <= 9000
    told = [int(event.data.split()[0]) for event in read(path)[1]]
    assert told == list(range(len(told))) and len(told) > 10


def test_a_recording_leaves_the_class_some_of_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [3 * LEAST_FREE, LEAST_FREE - 1]
    monkeypatch.setattr(
        "tui.recording.disk_limits.os.fstatvfs",
        lambda fd: SimpleNamespace(f_bavail=left.pop(0) if len(left) > 1 else left[0], f_frsize=1),
    )
    monkeypatch.setattr("tui.recording.cast_writer.LOOK_S", 0.0)
    writer = Writer(tmp_path / "a.cast", HEADER)
    while writer.put("o", "words"):
        time.sleep(0.001)
    assert writer.failed == "only 100 MB are left on the disk"
    writer.close()
    assert writer.written == (tmp_path / "a.cast").stat().st_size > 0


# --- the recorder ----------------------------------------------------------------------------------------


class Kept:
    """A writer that keeps what it gets; `room` is how much it takes before it is full."""

    def __init__(self, path: Path, header: dict[str, object]) -> None:
        self.header, self.put_in, self.room, self.failed, self.elapsed = header, [], 999, "", 7.0
        self.closed, self.written = False, 0

    def put(self, code: str, data: str) -> bool:
        if self.room <= 0:
            return False
        self.room -= 1
        self.put_in.append((code, data))
        return True

    def close(self) -> None:
        self.closed = True


class Screen:
    def __init__(self) -> None:
        self.place = Place("start", "1 · Start", (80, 24))
        self.asked = 0

    def picture(self) -> str:
        self.asked += 1
        return f"<picture {self.asked}>"


def recorder(screen: Screen) -> tuple[Recorder, Kept]:
    kept: list[Kept] = []

    def make(path: Path, header: dict[str, object]) -> Kept:
        kept.append(Kept(path, header))
        return kept[0]

    made = Recorder(Path("a.cast"), "Deck", "c1", screen.picture, lambda: screen.place, {}, make)  # type: ignore[arg-type]
    return made, kept[0]


def test_a_recording_begins_with_the_whole_picture_and_the_slide() -> None:
    made, kept = recorder(Screen())
    assert kept.put_in == [("o", BEGIN + "<picture 1>"), ("m", "1 · Start")]
    assert (kept.header["width"], kept.header["height"], kept.header["title"]) == (80, 24, "Deck")
    made.close()
    assert kept.put_in[-1] == ("o", END) and kept.closed


def test_slides_sizes_and_paces_are_marked_before_what_is_painted_then() -> None:
    screen = Screen()
    made, kept = recorder(screen)
    screen.place = Place("two", "2 · Two", (80, 24))
    made.take("frame")
    screen.place = Place("two", "2 · Two", (100, 30))
    made.take("other")
    made.pace(8.0)
    made.pace(8.0)
    made.pace(1.0)
    assert kept.put_in[2:] == [
        ("m", "2 · Two"),
        ("o", "frame"),
        ("r", "100x30"),
        ("o", "other"),
        ("m", "×8"),
        ("m", "×1"),
    ]


def test_what_plays_faster_is_kept_as_pictures() -> None:
    screen = Screen()
    made, kept = recorder(screen)
    made.pace(8.0)
    for n in range(100):  # 10 s of a panel that moves
        kept.elapsed = 20.0 + n / 10
        made.take(f"frame {n}")
    told = kept.put_in[3:]
    assert told[0] == ("o", "frame 0") and len(told) == 10
    assert all(data.startswith(AGAIN + "<picture") and "[2J" not in data for _, data in told[1:])
    screen.place = Place("two", "2 · Two", (80, 24))
    made.take("of another slide")
    made.take("left out")
    made.pace(1.0)
    made.take("as it is")
    kinds = [(code, data.removeprefix(AGAIN)[:9]) for code, data in kept.put_in[13:]]
    assert kinds == [
        *(("m", "2 · Two"), ("o", "\x1b[2J<pict"), ("o", "<picture "), ("m", "×1"), ("o", "as it is"))
    ]


@pytest.mark.parametrize(
    "talk", ["\x1b[?1049h", "\x1b[>25u\x1b[?1004h", "\x1b[?2026$p", "\x1b[<u", "\x1b]52;c;c2VjcmV0\x07"]
)
def test_talk_with_the_terminal_and_the_clipboard_are_not_recorded(talk: str) -> None:
    made, kept = recorder(Screen())
    made.take(talk)
    assert len(kept.put_in) == 2


def test_where_frames_were_lost_the_whole_picture_follows() -> None:
    screen = Screen()
    made, kept = recorder(screen)
    kept.room = 1
    made.take("kept")
    made.take("lost")
    made.take("lost too")
    kept.room = 9
    made.take("after")
    made.take("next")
    data = [data for _, data in kept.put_in[2:]]
    assert data[0] == "kept" and data[1].startswith(BEGIN + "<picture") and data[2] == "next"


def test_a_recording_that_breaks_breaks_nothing_else() -> None:
    screen = Screen()
    made, _ = recorder(screen)
    screen.place = None  # type: ignore[assignment]
    made.take("frame")
    made.take("frame")
    assert made.failed.startswith("AttributeError")


def test_a_disk_that_stands_still_holds_up_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = threading.Event()
    monkeypatch.setattr("tui.recording.cast_writer._append", lambda fd, data: held.wait(20))
    writer = Writer(tmp_path / "a.cast", HEADER, capacity=4)
    taken = [writer.put("o", str(n)) for n in range(50)]
    assert not all(taken) and not writer.failed
    held.set()
    writer.close()
