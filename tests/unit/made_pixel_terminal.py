"""A terminal that shows pixels, as far as ours do: kitty's placeholders, sixels, iTerm2's inline images.

It reads what was written to it and gives the picture that somebody would see; letters are left out, their
cells have their ground.
"""

from __future__ import annotations

import io
import re
import zlib
from base64 import b64decode
from unicodedata import combining

from PIL import Image
from rich.cells import cell_len

from slides.pixel_cells import MARKS, SIGN

_SEQUENCE = re.compile(
    r"\x1b_G(?P<kitty>[^\x1b]*)\x1b\\|\x1b\]1337;File=(?P<inline>[^\x07]*)\x07|\x1bP(?P<sixel>[^\x1b]*)\x1b\\"
    r"|\x1b\[(?P<csi>[0-9;?]*)(?P<last>[a-zA-Z])|\x1b(?P<one>[78])"
)
_SIXEL = re.compile(r"#(\d+)(?:;2;(\d+);(\d+);(\d+))?|!(\d+)([?-~])|([?-~])|([$-])")


class PixelTerminal:
    """`images` are those that kitty remembers, by their ids; `deleted` how many it was told to forget."""

    def __init__(self, columns: int, rows: int, cell: tuple[int, int]) -> None:
        self.columns, self.rows, self.cell = columns, rows, cell
        self.images: dict[int, tuple[Image.Image, int, int]] = {}
        self.sent = self.deleted = 0
        self._grid: dict[tuple[int, int], tuple[int, int, int]] = {}  # (image, row, column) in a cell
        self._picture = Image.new("RGB", (columns * cell[0], rows * cell[1]))
        self._row = self._column = 0
        self._ink, self._ground = -1, (0, 0, 0)
        self._saved = (0, 0, -1, (0, 0, 0))
        self._sending: tuple[dict[str, str], str] = ({}, "")

    def feed(self, data: str) -> None:
        """Read what is written."""
        at = 0
        for match in _SEQUENCE.finditer(data):
            self._print(data[at : match.start()])
            at = match.end()
            if match["kitty"] is not None:
                self._kitty(match["kitty"])
            elif match["inline"] is not None:
                self._inline(match["inline"])
            elif match["sixel"] is not None:
                self._sixel(match["sixel"])
            elif match["one"] == "7":
                self._saved = self._row, self._column, self._ink, self._ground
            elif match["one"] == "8":
                self._row, self._column, self._ink, self._ground = self._saved
            else:
                self._csi(match["csi"], match["last"])
        self._print(data[at:])

    def seen(self) -> Image.Image:
        """Return the picture that is on the screen."""
        found = self._picture.copy()
        width, height = self.cell
        scaled: dict[int, Image.Image] = {}
        for (row, column), (number, y, x) in self._grid.items():
            if number not in self.images:
                continue  # it was forgotten, and nothing is seen
            image, columns, rows = self.images[number]
            if number not in scaled:
                scaled[number] = image.resize((columns * width, rows * height))
            part = scaled[number].crop((x * width, y * height, (x + 1) * width, (y + 1) * height))
            found.paste(part, (column * width, row * height))
        return found

    @property
    def shown(self) -> set[int]:
        """The ids of the images that cells name."""
        return {number for number, _, _ in self._grid.values()}

    def _print(self, text: str) -> None:
        if not text:
            return
        before: tuple[int, int, int] | None = None
        for piece in re.findall(f"{SIGN}[{MARKS}]*|[^{SIGN}]", text):
            width, height = self.cell
            place = self._column * width, self._row * height
            if piece[0] == SIGN:
                marks = [MARKS.index(mark) for mark in piece[1:]]
                if len(marks) == 3:
                    before = (marks[2] << 24 | self._ink, marks[0], marks[1])
                elif before is not None:  # it goes on as its neighbour does
                    before = (before[0], before[1], before[2] + 1)
                assert before is not None
                self._picture.paste(self._ground, (*place, place[0] + width, place[1] + height))
                self._grid[self._row, self._column] = before
                self._column += 1
                continue
            before = None
            if combining(piece):
                continue
            for n in range(cell_len(piece)):
                box = place[0] + n * width, place[1], place[0] + (n + 1) * width, place[1] + height
                self._picture.paste(self._ground, box)
                self._grid.pop((self._row, self._column + n), None)
            self._column += cell_len(piece)

    def _csi(self, numbers: str, last: str) -> None:
        values = [int(number or 0) for number in numbers.split(";")] if "?" not in numbers else []
        if last == "H":
            self._row, self._column = values[0] - 1, values[1] - 1
        elif last == "G":
            self._column = values[0] - 1
        elif last == "C":
            self._column += values[0]
        elif last == "X":
            row, column = self._row, self._column
            self._print(" " * values[0])
            self._row, self._column = row, column
        elif last == "m":
            self._colours(values)

    def _colours(self, values: list[int]) -> None:
        while values:
            code = values.pop(0)
            if code in (38, 48) and values[0] == 5:
                if code == 38:
                    self._ink = values[1]
                del values[:2]
            elif code in (38, 48):
                if code == 48:
                    self._ground = values[1], values[2], values[3]
                del values[:4]
            elif code == 0:
                self._ink, self._ground = -1, (0, 0, 0)

    def _kitty(self, text: str) -> None:
        keys_text, _, payload = text.partition(";")
        keys = dict(key.split("=") for key in keys_text.split(","))
        if keys.get("a") == "d":
            self.deleted += self.images.pop(int(keys["i"]), None) is not None
            return
        started, so_far = self._sending
        started = keys if "a" in keys else started
        self._sending = started, ("" if "a" in keys else so_far) + payload
        if keys["m"] == "1":
            return
        data = b64decode(self._sending[1])
        if started["f"] == "24":
            size = int(started["s"]), int(started["v"])
            image = Image.frombytes("RGB", size, zlib.decompress(data))
        else:
            image = Image.open(io.BytesIO(data)).convert("RGB")
        self.images[int(started["i"])] = image, int(started["c"]), int(started["r"])
        self.sent += 1

    def _inline(self, text: str) -> None:
        keys, _, payload = text.partition(":")
        named = dict(key.split("=") for key in keys.split(";"))
        image = Image.open(io.BytesIO(b64decode(payload))).convert("RGB")
        size = int(named["width"]) * self.cell[0], int(named["height"]) * self.cell[1]
        self._picture.paste(image.resize(size), (self._column * self.cell[0], self._row * self.cell[1]))
        self.sent += 1

    def _sixel(self, text: str) -> None:
        left, y = self._column * self.cell[0], self._row * self.cell[1]
        colours: dict[int, tuple[int, int, int]] = {}
        colour, x = (0, 0, 0), left
        body = text[text.index("q") + 1 :]
        _, _, body = body.partition("#")
        for match in _SIXEL.finditer("#" + body):
            number, red, green, blue, count, repeated, one, move = match.groups()
            if number:
                if red:
                    red, green, blue = (round(int(part) * 2.55) for part in (red, green, blue))
                    colours[int(number)] = red, green, blue
                colour = colours[int(number)]
            elif move:
                x, y = left, y + (6 if move == "-" else 0)
            else:
                bits = ord(repeated or one) - 63
                for _ in range(int(count or 1)):
                    for bit in range(6):
                        if bits >> bit & 1 and y + bit < self._picture.height:
                            self._picture.putpixel((x, y + bit), colour)
                    x += 1
        self.sent += 1
