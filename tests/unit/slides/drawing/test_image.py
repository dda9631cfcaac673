"""Pictures in cells, and what stands in their place where there is none."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from slides.drawing.blocks import image
from slides.drawing.blocks.image import Unreadable, picture
from slides.drawing.cells import line_width
from slides.drawing.text import Span, Style, plain
from slides.palette import DARK, LIGHT, MONO
from slides.reading.split import load
from tui.deck import deck_upload as deck_payload
from tui.deck.contents import Contents
from tui.graphics.picture_cache import AWAY, READING, PictureCache, Pixels, Wanted
from tui.graphics.pixel_pictures import PixelPictures
from tui.graphics.placeholder import pieces

RED, BLUE = (255, 0, 0, 255), (0, 0, 255, 255)


def png(rows: list[list[tuple[int, int, int, int]]], format: str = "PNG") -> bytes:
    made = Image.new("RGBA", (len(rows[0]), len(rows)))
    made.putdata([pixel for row in rows for pixel in row])
    out = io.BytesIO()
    (made if format == "PNG" else made.convert("RGB")).save(out, format)
    return out.getvalue()


def test_a_picture_is_made_small_for_phones_and_keeps_its_shape() -> None:
    noise = Image.effect_noise((2400, 1200), 90).convert("RGB")
    out = io.BytesIO()
    exif = Image.Exif()
    exif[0x010E] = "where it was taken"
    noise.save(out, "JPEG", exif=exif)
    small = image.reduced(out.getvalue(), 720, 64_000)
    read = Image.open(io.BytesIO(small))
    assert read.format == "WEBP" and read.width <= 720 and abs(read.width / read.height - 2) < 0.02
    assert len(small) <= 64_000 and b"taken" not in small
    clear = Image.open(io.BytesIO(image.reduced(png([[(0, 0, 0, 0)] * 40] * 20), 720, 64_000)))
    assert clear.size == (40, 20) and clear.convert("RGB").getpixel((5, 5)) == (255, 255, 255)
    with pytest.raises(Unreadable):
        image.reduced(b"\x89PNG no picture", 720, 64_000)
    with pytest.raises(Unreadable, match="small enough"):
        image.reduced(out.getvalue(), 720, 100)


def test_a_cell_is_two_pixels() -> None:
    (line,) = picture(png([[RED, BLUE], [BLUE, BLUE]]), 80, 24, DARK)
    assert line == (Span("▀", Style("#ff0000", "#0000ff")), Span("█", Style("#0000ff", "#0000ff")))


def test_what_is_transparent_has_the_background_of_the_theme() -> None:
    half, none = (255, 0, 0, 128), (0, 0, 0, 0)
    for palette in (DARK, LIGHT):
        (line,) = picture(png([[half, none], [none, none]]), 80, 24, palette)
        assert line[0].style.ground == palette.colour("background")
        assert line[0].style.ink not in ("#ff0000", palette.colour("background"))
        assert line[1] == Span(" ")


@pytest.mark.parametrize(
    ("size", "room", "grow", "cells"),
    [
        ((40, 20), (80, 24), False, (40, 10)),  # no larger than it is
        ((40, 20), (80, 24), True, (80, 20)),
        ((400, 200), (80, 24), False, (80, 20)),
        ((400, 200), (80, 10), False, (40, 10)),
        ((20, 400), (80, 24), False, (2, 24)),
        ((400, 2), (80, 24), False, (80, 1)),
    ],
)
def test_a_picture_keeps_its_proportions(
    size: tuple[int, int], room: tuple[int, int], grow: bool, cells: tuple[int, int]
) -> None:
    data = png([[RED] * size[0]] * size[1])
    lines = picture(data, *room, DARK, grow=grow)
    assert (line_width(lines[0]), len(lines)) == cells
    assert {line_width(line) for line in lines} == {cells[0]}
    dots = picture(data, *room, MONO, grow=grow)
    assert (line_width(dots[0]), len(dots)) == cells


def test_without_colours_it_is_dots() -> None:
    white, black = (255, 255, 255, 255), (0, 0, 0, 255)
    (line,) = picture(png([[white, black], [white, black]]), 80, 24, MONO, grow=False)
    assert plain(line) == "⣿ "  # light on dark
    assert {span.style for span in line} == {Style()}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"no picture", "not a PNG, JPEG"),
        (b"\x89PNG\r\n\x1a\nbroken", "not a PNG, JPEG"),
        (b"", "not a PNG, JPEG"),
    ],
)
def test_what_is_no_picture_says_so(data: bytes, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        picture(data, 80, 24, DARK)


def test_a_file_that_ends_too_soon_says_so(tmp_path: Path) -> None:
    whole = png([[(n % 256, n // 7 % 256, 9, 255) for n in range(300)]] * 90, "JPEG")
    with pytest.raises(Unreadable):
        picture(whole[: len(whole) // 2], 80, 24, DARK)
    with pytest.raises(Unreadable):
        picture(tmp_path / "absent.png", 80, 24, DARK)


def test_too_many_pixels_are_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image, "MOST_PIXELS", 3)
    with pytest.raises(Unreadable, match="2 x 2 pixels are too many"):
        picture(png([[RED, RED], [RED, RED]]), 80, 24, DARK)


def test_without_pillow_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image, "available", lambda: False)
    with pytest.raises(Unreadable, match="install pillow"):
        picture(b"", 80, 24, DARK)
    gallery = PictureCache()
    assert "install pillow" in str(gallery.get(Wanted("a.png", 9, 9, "dark", False), b""))


def test_pictures_are_decoded_by_a_thread_and_kept() -> None:
    done = threading.Event()
    gallery = PictureCache(done.set)
    wanted, data = Wanted("a.png", 80, 24, "dark", False), png([[RED, BLUE], [BLUE, BLUE]])
    assert gallery.get(wanted, data) == READING
    assert done.wait(20) and gallery.seen == 1
    assert gallery.get(wanted, data) == picture(data, 80, 24, DARK)
    done.clear()
    assert gallery.get(wanted._replace(name="b.png"), b"none") == READING
    assert done.wait(20)
    assert "not a PNG" in str(gallery.get(wanted._replace(name="b.png"), b"none"))
    done.clear()
    gallery.forget()  # what it was stays until it is read again
    assert gallery.get(wanted, png([[BLUE, BLUE], [BLUE, BLUE]])) == picture(data, 80, 24, DARK)
    assert done.wait(20)
    assert gallery.get(wanted, b"") == picture(png([[BLUE, BLUE], [BLUE, BLUE]]), 80, 24, DARK)


def test_pictures_travel_to_an_audience(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = png([[RED]])
    (tmp_path / "a b.png").write_bytes(data)
    (tmp_path / "large.png").write_bytes(data + bytes(5000))
    (tmp_path / "secret.png").write_text("no picture")
    (tmp_path / "deck.md").write_text(
        "![one](a%20b.png)\n\n![two](large.png){width=50%}\n\n![three](secret.png)\n\n![four](/etc/hostname)\n"
    )
    monkeypatch.setattr(deck_payload, "LARGEST", 4000)
    theirs = deck_payload.contents(
        deck_payload.for_audience(Contents(load(tmp_path / "deck.md"))), "audience"
    )
    assert theirs.pictures == {"a%20b.png": data}
    ours = deck_payload.contents(deck_payload.for_console(load(tmp_path / "deck.md")), "console")
    assert ours.pictures is None  # its folder is here


def test_an_audience_never_reads_the_teachers_disk(tmp_path: Path) -> None:
    from tui.rendering.pages.offscreen import Offscreen

    (tmp_path / "a.png").write_bytes(png([[RED] * 8] * 8))
    path = tmp_path / "deck.md"
    path.write_text("# T\n\nwords\n\n![one](a.png)\n\n![two](b.png)\n")
    contents = deck_payload.contents(deck_payload.for_audience(Contents(load(path))), "audience")
    still = Offscreen(contents, role="audience")
    still.drawing.gallery = PictureCache()
    from tui.rendering.pages.page import Page

    text = "\n".join(plain(line) for line in still.drawing.page(Page(0, 0), 60))
    assert "████" in text and AWAY in text


def test_a_question_shows_its_picture_to_the_teacher_and_the_room(tmp_path: Path) -> None:
    from tui.rendering.pages.offscreen import Offscreen
    from tui.rendering.pages.page import Page

    (tmp_path / "a.png").write_bytes(png([[RED] * 8] * 8))
    path = tmp_path / "deck.md"
    path.write_text("# T\n\n::: quiz {#q}\nWhat?\n\n![one](a.png)\n\n- [x] red\n- [ ] blue\n:::\n")
    ours = Contents(load(path))
    for contents in (ours, deck_payload.contents(deck_payload.for_audience(ours), "audience")):
        still = Offscreen(contents, role="console" if contents is ours else "audience")
        still.drawing.gallery = PictureCache()
        text = "\n".join(plain(line) for line in still.drawing.page(Page(0, 0), 60))
        assert "████" in text and AWAY not in text


class Way:
    """Pixels that are only counted."""

    remembers = False

    def prepare(self, image: Image.Image, columns: int, rows: int, cell: tuple[int, int]) -> object:
        return image.size

    def begin(self, number: int, columns: int, rows: int, payload: object) -> str:
        return ""

    def draw(self, piece: object, columns: int, payload: object) -> str:
        return ""

    def end(self, number: int) -> str:
        return ""


def settled(gallery: PictureCache, met: Callable[[], bool]) -> None:
    """Wait until its thread has come so far."""
    until = time.monotonic() + 20
    while not met():
        assert time.monotonic() < until
        time.sleep(0.005)


def test_half_blocks_stay_until_pixels_are_ready_and_come_back_without_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[str] = []  # by its thread, in turn
    read = image.read
    monkeypatch.setattr(image, "read", lambda source: done.append("read") or read(source))
    gallery = PictureCache(lambda: done.append("ready"))
    wanted, data = Wanted("a.png", 80, 24, "dark", True), png([[RED, BLUE], [BLUE, BLUE]])
    settled(gallery, lambda: gallery.get(wanted, data, sharp=True) != READING)
    blocks = gallery.get(wanted, data)
    plates = PixelPictures(Way())
    gallery.show_by(Pixels(plates, lambda: (10, 20)))
    assert gallery.get(wanted, data, sharp=True) == blocks  # until the thread has made them
    settled(gallery, lambda: gallery.get(wanted, data, sharp=True) != blocks)
    lines = gallery.get(wanted, data, sharp=True)
    assert isinstance(lines, list) and isinstance(blocks, list)
    assert [line_width(line) for line in lines] == [line_width(line) for line in blocks]
    assert gallery.get(wanted, data) == blocks  # thumbnails
    (piece,) = pieces(lines[0][0].text)
    plate = plates.plate(piece.number)
    assert plate is not None and plate.payload == (10 * plate.columns, 20 * plate.rows)
    before = len(done)
    gallery.forget()  # the file was saved, and is the same: nothing is sent anew
    gallery.get(wanted, data, sharp=True)
    settled(gallery, lambda: "read ready" in " ".join(done[before:]))
    assert gallery.get(wanted, data, sharp=True) == lines
    gallery.show_by(None)
    assert gallery.get(wanted, data, sharp=True) == blocks


def test_pixels_are_made_anew_for_cells_of_another_size() -> None:
    gallery, cell = PictureCache(), [(10, 20)]
    plates = PixelPictures(Way())
    gallery.show_by(Pixels(plates, lambda: cell[0]))
    wanted, data = Wanted("a.png", 80, 24, "dark", True), png([[RED, BLUE], [BLUE, BLUE]])

    def size() -> object:
        lines = gallery.get(wanted, data, sharp=True)
        assert isinstance(lines, list)
        plate = plates.plate(next(iter(pieces(lines[0][0].text))).number)
        return plate.payload if plate is not None else None

    assert size() == (480, 480)
    cell[0] = (8, 17)
    assert size() == (384, 408)
    assert sum(plates.plate(n) is not None for n in range(300)) == 1  # the other is taken down


def test_only_so_many_are_kept_by_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    from tui.graphics import picture_cache as galleries

    monkeypatch.setattr(galleries, "SHARP", 3)
    gallery, plates = PictureCache(), PixelPictures(Way())
    gallery.show_by(Pixels(plates, lambda: (10, 20)))
    data = png([[RED, BLUE], [BLUE, BLUE]])
    for n in range(6):
        gallery.get(Wanted(f"{n}.png", 8, 8, "dark", True), data, sharp=True)
    assert sum(plates.plate(n) is not None for n in range(300)) == 3
    lines = gallery.get(Wanted("0.png", 8, 8, "dark", True), data, sharp=True)
    assert isinstance(lines, list) and pieces(lines[0][0].text)


def test_a_mono_theme_has_no_pixels() -> None:
    gallery = PictureCache()
    gallery.show_by(Pixels(PixelPictures(Way()), lambda: (10, 20)))
    wanted = Wanted("a.png", 80, 24, "mono", True)
    data = png([[RED, BLUE], [BLUE, BLUE]])
    assert gallery.get(wanted, data, sharp=True) == picture(data, 80, 24, MONO, grow=True)


def test_a_picture_of_nearly_this_size_stands_in_while_somebody_resizes() -> None:
    done = threading.Event()
    gallery, data = PictureCache(done.set), png([[RED, BLUE]] * 40)
    wanted = Wanted("a.png", 80, 24, "dark", True)
    gallery.get(wanted, data)
    assert done.wait(20)
    lines = gallery.get(wanted, data)
    near = gallery.get(wanted._replace(columns=76, rows=20), data)
    assert isinstance(lines, list) and isinstance(near, list)
    assert near == lines[:20]
    assert gallery.get(wanted._replace(columns=30), data) == READING
