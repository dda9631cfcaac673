"""Recordings and slides as films: what is in a frame, how long it is shown, in which colours."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageColor

from slides.export.drawings import animation_writer as writers
from slides.export.drawings.animation_writer import Film, Frame, Row
from slides.export.drawings.png import CELL_H, CELL_W, GROUND, Cell
from tui import cli
from tui.recording import film_frames as recorded
from tui.recording.cast import CastError
from tui.recording.film_frames import RATE_S, STILL_S, film

RED, BLUE = "#c80000", "#0000c8"
HEADER = {"version": 2, "width": 20, "height": 4, "theme": {"fg": "#ffffff", "bg": "#101010"}}


def cast(path: Path, events: Sequence[tuple[float, str, str]], **more: Any) -> Path:
    lines = [json.dumps({**HEADER, **more}), *(json.dumps(event) for event in events)]
    path.write_text("\n".join(lines) + "\n")
    return path


def words(rows: Sequence[Row]) -> list[str]:
    return ["".join(cell.text for cell in row).rstrip() for row in rows]


def at(text: str, row: int = 1) -> str:
    return f"\x1b[{row};1H{text}"


def test_a_frame_is_what_a_viewer_sees_and_stillness_is_short(tmp_path: Path) -> None:
    file = cast(
        tmp_path / "a.cast",
        [
            (0.0, "o", "\x1b[?25l\x1b[2J" + at("one")),
            (1.0, "o", at("two")),
            (1.0 + RATE_S / 4, "o", at("three", 2)),  # too soon for a frame of its own
            (60.0, "o", at("four", 3)),
        ],
    )
    made = film(file)
    assert [words(frame.rows) for frame in made.frames] == [
        ["one", "", "", ""],
        ["two", "three", "", ""],
        ["two", "three", "four", ""],
    ]
    assert [frame.seconds for frame in made.frames] == pytest.approx([1.0, STILL_S, STILL_S])
    assert (made.columns, made.height, made.ground) == (20, 4, "#101010")


def test_colours_are_those_that_were_sent(tmp_path: Path) -> None:
    text = "\x1b[38;2;200;0;0;48;2;0;0;200mA\x1b[0mB\x1b[7mC\x1b[0;31mD\x1b[0;38;5;231mE\x1b[0;1;3;4;9mF漢"
    (frame,) = film(cast(tmp_path / "a.cast", [(0.0, "o", text)])).frames
    a, b, c, d, e, f, wide, *_ = frame.rows[0]
    assert (a.text, a.ink, a.ground) == ("A", RED, BLUE)
    assert (b.ink, b.ground) == ("#ffffff", "#101010") == (c.ground, c.ink)
    assert d.ink == "#ff6b6b" and e.ink == "#ffffff"
    assert f.bold and f.italic and f.underline and f.strike
    assert (wide.text, wide.width) == ("漢", 2)


def test_a_terminal_that_grows_and_what_only_it_is_asked(tmp_path: Path) -> None:
    file = cast(
        tmp_path / "a.cast",
        [
            (0.0, "o", "\x1b[>25u\x1b[?2026$p\x1bP>|x\x1b\\\x1b_Gi=1\x1b\\small"),
            (1.0, "r", "30x6"),
            (1.0, "o", "\x1b[2J\x1b[6;26Hlarge"),
        ],
    )
    made = film(file)
    assert (made.columns, made.height) == (30, 6)
    assert words(made.frames[0].rows)[0] == "small" and words(made.frames[-1].rows)[5].endswith("large")


RUN = [
    (0.0, "m", "1 · One"),
    (0.0, "o", at("slide one")),
    (2.0, "m", "2 · Two"),
    (2.0, "o", "\x1b[2J" + at("slide two")),
    (4.0, "m", "×8"),
    (12.0, "o", at("panel", 2)),
    (20.0, "m", "×1"),
    (20.0, "m", "1 · One"),
    (20.0, "o", "\x1b[2J" + at("again")),
]


def test_what_plays_faster_does_and_says_so(tmp_path: Path) -> None:
    raw = cast(tmp_path / "raw.cast", RUN, teachrun={"raw": True})
    made = film(raw)
    assert [frame.seconds for frame in made.frames] == pytest.approx([2.0, 3.0, 1.0, STILL_S])
    assert words(made.frames[2].rows)[:2] == ["slide two     ▸▸ ×8", "panel"]
    assert words(made.frames[3].rows)[0] == "again"
    # One that was finished has played seconds already, and where it was faster in its header.
    done = [(0.0, "o", at("x")), (2.0, "o", at("y")), (4.0, "o", at("z"))]
    made = film(cast(tmp_path / "done.cast", done, teachrun={"faster": [[2.0, 4.0, 8.0]]}))
    assert ["×8" in words(frame.rows)[0] for frame in made.frames] == [False, True, False]


def test_one_slide_of_a_recording(tmp_path: Path) -> None:
    raw = cast(tmp_path / "raw.cast", RUN, teachrun={"raw": True})
    assert [words(frame.rows)[0] for frame in film(raw, "1").frames] == ["slide one", "again"]
    with pytest.raises(CastError, match="nothing of slide 7"):
        film(raw, "7")


def moving() -> Film:
    def row(text: str, ink: str) -> Row:
        return tuple(Cell(letter, 1, ink, GROUND) for letter in text)

    first = (row("██", RED), row("██", BLUE), ())
    return Film(
        [Frame(0.5, first), Frame(0.334, (first[0], row("█", RED), ())), Frame(0.0, first)], 3, 3, GROUND
    )


def pixel(image: Image.Image, column: int, row: int) -> tuple[int, ...]:
    found = image.convert("RGB").getpixel((column * CELL_W + 5, row * CELL_H + 9))
    assert isinstance(found, tuple)
    return found


@pytest.mark.parametrize("write", [writers.gif, writers.webp])
def test_every_frame_is_whole_in_its_own_colours(write: Any) -> None:
    out = io.BytesIO()
    parts: list[float] = []
    cut = write(moving(), 1, out.write, parts.append)
    assert cut.frames == 3 and parts[-1] == 1.0
    red, blue, ground = (200, 0, 0), (0, 0, 200), (14, 17, 22)
    seen = []
    with Image.open(out) as image:
        assert image.n_frames == 3 and image.info["loop"] == 0  # type: ignore[attr-defined]
        for n in range(3):
            image.seek(n)
            image.load()
            places = ((0, 0), (1, 1), (0, 1), (2, 2))
            seen.append(([pixel(image, *place) for place in places], image.info["duration"]))
    assert [colours for colours, _ in seen] == [
        [red, blue, blue, ground],
        [red, ground, red, ground],
        [red, blue, blue, ground],
    ]
    assert seen[0][1] == 500 and seen[1][1] in (330, 334) and seen[2][1] == 20


def test_a_legend_keeps_its_colours_beside_a_picture_of_thousands() -> None:
    """What a colour means is said in one small mark, and the picture has more colours than a GIF."""
    inks = ("#3a86e8", "#95e6b3", "#f2a60f", "#e6c7fa")
    picture = [
        tuple(
            Cell("▀", ink=f"#{4 * x:02x}{9 * y:02x}40", ground=f"#40{4 * x:02x}{9 * y:02x}")
            for x in range(60)
        )
        for y in range(20)
    ]
    legend = tuple(cell for ink in inks for cell in (Cell(" "), Cell("■", ink=ink)))
    made = Film([Frame(1.0, (*picture, legend))], 60, 21, GROUND)
    out = io.BytesIO()
    writers.gif(made, 1, out.write, lambda part: None)
    with Image.open(out) as shot:
        for n, ink in enumerate(inks):
            meant = ImageColor.getrgb(ink)
            assert max(abs(x - y) for x, y in zip(pixel(shot, 2 * n + 1, 20), meant, strict=True)) <= 3, ink


def test_what_would_be_too_large_is_cut_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(writers, "MOST_BYTES", 2000)
    file = cast(tmp_path / "a.cast", [(n * 0.5, "o", at(f"frame {n}")) for n in range(40)])
    assert cli.main(["export", str(file), "--gif", "-o", str(tmp_path / "a.gif")]) == 0
    told = capsys.readouterr()
    assert "only the first" in told.err and "pictures" in told.out
    with Image.open(tmp_path / "a.gif") as image:
        assert 1 < image.n_frames < 40  # type: ignore[attr-defined]
    assert (tmp_path / "a.gif").stat().st_size < 2100


def test_the_steps_of_a_slide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("DATA", "STATE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    monkeypatch.chdir(tmp_path)
    Path("deck.md").write_text(
        "# One\n\n- a\n\n<!-- pause -->\n\n- b\n\n---\n\n# Two\n\n::: animate ring ranks=2\n"
    )
    assert cli.main(["export", "deck.md", "--gif", "--slide", "1", "--size", "60x16"]) == 0
    with Image.open("deck-one.gif") as image:
        assert image.n_frames == 2 and image.size == (60 * CELL_W, 16 * CELL_H)  # type: ignore[attr-defined]
    assert cli.main(["export", "deck.md", "--webp", "--slide", "two", "-o", "ring.webp"]) == 0
    with Image.open("ring.webp") as image:
        assert image.n_frames > 2  # type: ignore[attr-defined]
    capsys.readouterr()
    for wrong in ([], ["--slide", "9"]):
        assert cli.main(["export", "deck.md", "--gif", *wrong]) == 2
        assert "--slide with its number, 1 to 2" in capsys.readouterr().err
    assert cli.main(["export", "nothing.cast", "--gif"]) == 2
    assert "there is no recording nothing.cast" in capsys.readouterr().err
    Path("broken.cast").write_text("no recording")
    assert cli.main(["export", "broken.cast", "--gif"]) == 2
    assert "is not asciicast v2" in capsys.readouterr().err
    monkeypatch.setattr(recorded, "available", lambda: False)
    assert cli.main(["export", "broken.cast", "--gif"]) == 2
    said = capsys.readouterr().err
    assert "install" in said and "pyte" in said and "teachrun[" not in said


@pytest.mark.parametrize("write", [writers.gif, writers.webp])
def test_a_film_of_one_frame_shows_it(write: Any) -> None:
    out = io.BytesIO()
    row = tuple(Cell("█", 1, RED) for _ in range(6))
    write(Film([Frame(1.0, (row, row))], 6, 2, GROUND), 1, out.write, lambda part: None)
    with Image.open(out) as image:
        assert image.convert("RGB").getcolors() == [(6 * CELL_W * 2 * CELL_H, (200, 0, 0))]
