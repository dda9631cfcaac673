"""Cells of pictures as text: what names them, what is sent in their place, and nothing of it left behind."""

from __future__ import annotations

import io
import re
from base64 import b64decode

import numpy as np
import pytest
from PIL import Image
from rich.cells import cell_len

from slides.drawing import cells
from slides.drawing.text import Span, Style
from slides.pixel_cells import MARKS, MOST, SIGN
from tui.graphics import iterm2, kitty, placeholder, sixel
from tui.graphics.pixel_pictures import HELD, PixelPicture, PixelPictures, Way
from tui.graphics.placeholder import Piece, pieces
from tui.rendering.ambiguous_width import disputed

CELL = (8, 14)


def drawing(width: int, height: int) -> Image.Image:
    """Four colours in quarters, a corner of them clear."""
    made = Image.new("RGBA", (width, height), (200, 0, 0, 255))
    made.paste((0, 200, 0, 255), (width // 2, 0, width, height // 2))
    made.paste((0, 0, 200, 255), (0, height // 2, width // 2, height))
    made.paste((0, 0, 0, 0), (width // 2, height // 2, width, height))
    return made


def hung(way: Way, columns: int = 6, rows: int = 4, height: int = 0) -> tuple[PixelPictures, int]:
    plates = PixelPictures(way, lambda: height)
    made = drawing(columns * CELL[0], rows * CELL[1])
    blue = Style("#0000c8", "#0000c8")
    blocks = [(Span("█" * (columns // 2), blue), Span(" " * (columns - columns // 2)))] * rows
    number = plates.hang(PixelPicture(columns, rows, way.prepare(made, columns, rows, CELL), blocks))
    assert number
    return plates, number


def test_every_cell_is_one_cell_wide_and_may_be_cut_anywhere() -> None:
    assert MOST == len(set(MARKS)) == 297  # as many as the protocol has
    assert {cells.width(SIGN + 3 * mark) for mark in MARKS} == {1}
    text = placeholder.row(7, 3, 20)
    assert cells.width(text) == 20 and cells.clean(text) == text
    (cut,) = cells.clip((Span(text),), 9)
    assert cells.width(cut.text) == 9
    wide = placeholder.row(MOST - 1, MOST - 1, 240)
    assert cells.width(f"ab{wide}字") == 244 == 2 + cell_len(wide) + 2
    assert not disputed(wide)  # it is never written as it stands, whatever scripts its marks are of


def test_a_run_says_what_it_shows() -> None:
    text = placeholder.row(7, 3, 20)
    assert list(pieces(text)) == [Piece(7, 3, 0, 20)]
    assert list(pieces(text[4 * 5 : 4 * 9])) == [Piece(7, 3, 5, 4)]
    beside = text[: 4 * 2] + placeholder.row(9, 3, 4) + text[: 4 * 2]
    assert list(pieces(beside)) == [Piece(7, 3, 0, 2), Piece(9, 3, 0, 4), Piece(7, 3, 0, 2)]


def test_kitty_is_sent_a_picture_once_and_told_when_it_is_gone() -> None:
    plates, number = hung(kitty.Kitty(77))
    row = placeholder.row(number, 1, 6)
    first = plates.shown(f"\x1b[2;3H\x1b[38;2;1;2;3m{row}\x1b[0m rest")
    id_ = number << 24 | 77
    parts = re.findall("\x1b_G([^;]*);([^\x1b]*)\x1b\\\\", first)
    assert parts[0][0].startswith(f"a=T,U=1,q=2,f=100,i={id_},c=6,r=4,m=")
    assert [part[0][-1] for part in parts] == ["1"] * (len(parts) - 1) + ["0"]
    sent = Image.open(io.BytesIO(b64decode("".join(part[1] for part in parts))))
    assert sent.size == (6 * 8, 4 * 14) and sent.getpixel((1, 1)) == (200, 0, 0, 255)
    cells = f"\x1b7\x1b[38;5;77m{row}\x1b8\x1b[6C"  # and the colours are as they were
    assert first.endswith(f"\x1b[2;3H\x1b[38;2;1;2;3m{cells}\x1b[0m rest")
    assert plates.shown(row) == cells  # not sent again
    plates.take_down(number)
    assert plates.shown("words") == "words"
    assert plates.shown(row) == " " * 6 + f"\x1b_Ga=d,d=I,q=2,i={id_}\x1b\\" and plates.clear() == ""


def test_kitty_is_sent_it_again_when_it_has_forgotten() -> None:
    plates, number = hung(kitty.Kitty(77))
    row = placeholder.row(number, 0, 6)
    assert "a=T" in plates.shown(row) and "a=T" not in plates.shown(row)
    plates.lost()
    assert "a=T" in plates.shown(row)
    assert "a=d" in plates.clear() and plates.clear() == ""


def test_a_terminal_keeps_no_more_pictures_than_it_has_room_for() -> None:
    plates, _ = hung(kitty.Kitty(77), 1, 1)
    again = plates.plate(1)
    assert again is not None
    numbers = [n for _ in range(HELD + 2) if (n := plates.hang(again))]
    told = "".join(plates.shown(placeholder.row(n, 0, 1)) for n in numbers)
    assert told.count("a=T") == HELD + 2 and told.count("a=d") == 2
    assert len(set(numbers)) == len(numbers)


def test_tmux_is_given_each_sequence_to_hand_on() -> None:
    way = kitty.Kitty(20, kitty.through_tmux)
    plates, number = hung(way)
    shown = plates.shown(placeholder.row(number, 0, 6))
    assert shown.startswith("\x1bPtmux;\x1b\x1b_Ga=T") and "\x1b\x1b\\\x1b\\" in shown


def test_colours_of_text_around_do_not_matter() -> None:
    """A picture keeps its place in a line that somebody dims, marks or puts on another ground."""
    plates, number = hung(sixel.Sixel())
    row = placeholder.row(number, 2, 6)
    plain, dim = plates.shown(row), plates.shown(f"\x1b[2;3;38;5;8m{row}")
    assert dim == f"\x1b[2;3;38;5;8m{plain}"


def decoded(text: str, width: int, height: int) -> list[list[tuple[int, int, int] | None]]:
    """A sixel sequence as pixels, None where it draws none."""
    body = re.fullmatch(r"\x1bP0;1;0q\"1;1;(\d+);(\d+)(.*)\x1b\\", text, re.DOTALL)
    assert body and (int(body[1]), int(body[2])) == (width, height)
    pixels: list[list[tuple[int, int, int] | None]] = [[None] * width for _ in range(height)]
    shades: dict[int, tuple[int, int, int]] = {}
    shade, x, top = 0, 0, 0
    for part in re.finditer(r"#(\d+);2;(\d+);(\d+);(\d+)|#(\d+)|!(\d+)(.)|([$-])|([?-~])", body[3]):
        if part[1]:
            shades[int(part[1])] = int(part[2]), int(part[3]), int(part[4])
        elif part[5]:
            shade = int(part[5])
        elif part[8]:
            x, top = 0, top + 6 * (part[8] == "-")
        else:
            count, bits = int(part[6] or 1), ord(part[7] or part[9]) - 63
            for n in range(6):
                if bits >> n & 1:
                    for at in range(x, x + count):
                        pixels[top + n][at] = shades[shade]
            x += count
    return pixels


def test_a_row_of_sixels_shows_its_pixels_and_wipes_no_others() -> None:
    plates, number = hung(sixel.Sixel())
    for y in range(4):
        shown = plates.shown(placeholder.row(number, y, 6))
        assert shown.startswith("\x1b[6X\x1b7") and shown.endswith("\x1b8\x1b[6C")
        pixels = decoded(shown[len("\x1b[6X\x1b7") : -len("\x1b8\x1b[6C")], 48, 14)
        left, right = ((78, 0, 0), (0, 78, 0)) if y < 2 else ((0, 0, 78), None)
        assert pixels == [[left] * 24 + [right] * 24] * 14


def test_a_part_of_a_row_is_cut_out_of_it() -> None:
    plates, number = hung(sixel.Sixel())
    cut = plates.shown(placeholder.row(number, 0, 6)[4 * 2 : 4 * 4])
    pixels = decoded(cut[len("\x1b[2X\x1b7") : -len("\x1b8\x1b[2C")], 16, 14)
    assert pixels == [[(78, 0, 0)] * 8 + [(0, 78, 0)] * 8] * 14


def test_wide_rows_come_in_sequences_that_every_terminal_takes() -> None:
    columns = 3 * sixel.WIDEST // CELL[0] // 2
    payload = sixel.Sixel().prepare(drawing(columns * 8, 14), columns, 1, CELL)
    assert payload is not None
    widths = [int(width) for width in re.findall(r'"1;1;(\d+);', payload.rows[0])]
    assert sum(widths) == columns * 8 and max(widths) <= sixel.WIDEST
    assert f"\x1b8\x1b[{widths[0] // 8}C" in payload.rows[0]


def test_photographs_have_as_many_colours_as_there_are_registers() -> None:
    ramp = np.linspace(0, 255, 96 * 70 * 3).reshape(70, 96, 3).astype(np.uint8)
    payload = sixel.Sixel(16).prepare(Image.fromarray(ramp).convert("RGBA"), 12, 5, CELL)
    assert payload is not None
    assert 2 < len(np.unique(payload.pixels)) <= 16


def test_what_is_too_large_stays_in_half_blocks() -> None:
    large = Image.new("RGBA", (2000, 1300))
    assert sixel.Sixel().prepare(large, 200, 65, (10, 20)) is None
    assert iterm2.Inline().prepare(large, 200, 65, (10, 20)) is None
    sent = kitty.Kitty(20, most_pixels=10_000).prepare(large, 200, 65, (10, 20))
    width, height = Image.open(io.BytesIO(b64decode("".join(sent)))).size
    assert width * height <= 10_100 and abs(width / height - 2000 / 1300) < 0.05


def test_inline_images_are_slices_of_one_row() -> None:
    plates, number = hung(iterm2.Inline())
    shown = plates.shown(placeholder.row(number, 3, 6))
    match = re.fullmatch(r"\x1b\[6X\x1b7\x1b\]1337;File=([^:]*):([^\x07]*)\x07\x1b8\x1b\[6C", shown)
    assert match and "width=6;height=1;" in match[1] and "inline=1" in match[1]
    data = b64decode(match[2])
    assert f"size={len(data)};" in match[1]  # some terminals draw nothing without it
    slice_ = Image.open(io.BytesIO(data))
    assert slice_.size == (48, 14) and slice_.getpixel((2, 2)) == (0, 0, 200, 255)
    assert slice_.getchannel("A").getpixel((40, 2)) == 0


@pytest.mark.parametrize("way", [sixel.Sixel(), iterm2.Inline()])
def test_the_last_row_of_a_terminal_is_never_scrolled(way: Way) -> None:
    plates, number = hung(way, height=30)
    row = placeholder.row(number, 0, 6)
    for line, blocks in ((29, False), (30, True)):
        shown = plates.shown(f"\x1b[{line};4H\x1b[1mtitle \x1b[0m{row}")
        assert ("\x1b[6X" not in shown) is blocks and ("█" in shown) is blocks


@pytest.mark.parametrize("way", [sixel.Sixel(), iterm2.Inline()])
def test_slides_that_move_are_not_encoded_frame_by_frame(way: Way) -> None:
    plates, number = hung(way)
    cut = [placeholder.row(number, y, 6)[4 * 2 :] for y in range(4)]
    shown = plates.shown("\n".join(cut)).split("\n")
    assert ["\x1b[4X" in line for line in shown] == [True, True, False, False]
    assert all("█" in line for line in shown[2:])
    kept, number = hung(kitty.Kitty(77))
    assert "█" not in kept.shown("".join(placeholder.row(number, y, 6)[4 * 2 :] for y in range(4)))


def test_recordings_have_half_blocks_in_the_colours_around() -> None:
    plates, number = hung(kitty.Kitty(77))
    row = placeholder.row(number, 3, 6)
    line = plates.as_blocks(f"a\x1b[38;2;9;9;9m{row}\x1b[0mb")
    blue = "\x1b[38;2;0;0;200m\x1b[48;2;0;0;200m█"
    assert line == f"a\x1b[38;2;9;9;9m\x1b7{blue}██\x1b8\x1b[3C   \x1b[0mb"
    plates.take_down(number)
    assert plates.as_blocks(row) == " " * 6
    assert plates.as_blocks("nothing of ours") == "nothing of ours"


def test_cells_that_somebody_wrote_into_a_deck_show_nothing() -> None:
    plates, number = hung(sixel.Sixel())
    for forged in (placeholder.row(number + 1, 0, 3), placeholder.row(number, 200, 3)):
        assert plates.shown(f"a{forged}b") == "a   b" == plates.as_blocks(f"a{forged}b")
