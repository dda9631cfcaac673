"""A board of the room: words that it wrote, large where many did, or the points of its teams. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from runtime.protocol.class_messages.room_board import Board, BoardRow
from slides.drawing import cells
from slides.drawing.large.letters import Size, letters
from slides.drawing.text import Line, Span, Style

Say = Callable[[str], str]  # puts the program's words into the deck's language
_HEAD, _DIM = Style("heading", bold=True), Style("dim")
_INKS = tuple(Style(role, bold=True) for role in ("rank0", "rank1", "rank2", "rank3"))
_TALL = 36  # rows of a screen that has room for more letters
_GAP = 3  # cells between two words
_MOST = 16  # words in letters
_FEW = 6  # words that all stand in letters, though nobody wrote one twice
_LONG, _SHORT = 72, 40  # cells of a team's whole bar, in a wide room and in a narrow one


def lines(board: Board, width: int, height: int, say: Say = str) -> list[Line]:
    """The board at a size, from its first row; what does not fit is said."""
    heading: list[Line] = [*_heading(board.heading, width, height), ()]
    body = _teams(board.rows, width, height, say) if board.kind == "teams" else None
    return [*heading, *(body if body is not None else _cloud(board.rows, width, height - len(heading), say))]


def _heading(text: str, width: int, height: int) -> list[Line]:
    if height >= _TALL and (drawn := _letters(cells.clean(text), min(width - 8, 150), ("low",), 2)):
        return [*((Span(row, _HEAD),) for row in drawn), ()]
    return list(cells.wrap((Span(cells.clean(text), _HEAD),), min(100, width - 8)))


def _letters(text: str, width: int, sizes: tuple[Size, ...], most: int) -> list[str]:
    """Letters of blocks in rows of one length, as what is set around a middle must be; empty: no room."""
    drawn = letters(text, width, sizes, most) or []
    wide = max(map(cells.width, drawn), default=0)
    return [row + " " * (wide - cells.width(row)) for row in drawn]


# --- words ----------------------------------------------------------------------------------------------


def _cloud(rows: Sequence[BoardRow], width: int, height: int, say: Say) -> list[Line]:
    """Words around the middle: those of most in letters of blocks, the next in bold, the rest as they are."""
    room = min(width - 8, 150)
    for large in range(min(_MOST, len(rows)), -1, -1):  # as many in letters as the height has room for
        drawn, left = _set(rows, large, room, height)
        if not left or not large:
            return drawn if not left else [*drawn, (), (Span(say(f"and {left} more"), _DIM),)]
    return []


def _set(rows: Sequence[BoardRow], large: int, room: int, height: int) -> tuple[list[Line], int]:
    """The words with the first `large` in letters; and how many found no place."""
    most = rows[0].n if rows else 1
    blocks: list[list[Line]] = []
    for place, row in enumerate(rows):
        ink = _INKS[place % len(_INKS)]
        text = cells.clean(row.text)
        # In letters only what more than one wrote, and not so few beside the first: else all would shout.
        wants = place < large and (row.n > 1 or len(rows) <= _FEW) and 8 * row.n >= most
        tall = _letters(text, room, ("bold", "low"), 1) if wants else []
        count = Span(f" {row.n}" if row.n > 1 else "", _DIM)
        if tall:
            middle = len(tall) // 2
            wide = max(map(cells.width, tall))
            blocks.append(
                [
                    (
                        Span(line.ljust(wide), ink),
                        count if n == middle else Span(" " * cells.width(count.text)),
                    )
                    for n, line in enumerate(tall)
                ]
            )
        else:
            style = ink if 2 * row.n >= most and row.n > 1 else Style("text") if row.n > 1 else _DIM
            blocks.append([cells.clip((Span(text, style), count), room)])
    return _rows(blocks, room, height)


def _rows(blocks: Sequence[list[Line]], room: int, height: int) -> tuple[list[Line], int]:
    """Blocks beside each other as far as a row goes, rows of one height below each other."""
    rows: list[list[list[Line]]] = []
    used = 0
    for block in blocks:
        wide = cells.line_width(block[0])
        if not rows or used + _GAP + wide > room or len(rows[-1][0]) != len(block):
            rows.append([])
            used = -_GAP
        rows[-1].append(block)
        used += _GAP + wide
    lines: list[Line] = []
    set_ = 0
    for row in rows:
        tall = len(row[0])
        between = 1 if lines else 0
        if len(lines) + between + tall > max(1, height - 2):
            break
        lines += [()] * between
        for n in range(tall):
            line: tuple[Span, ...] = ()
            for block in row:
                line = (*line, *((Span(" " * _GAP),) if line else ()), *block[n])
            lines.append(line)
        set_ += len(row)
    return lines, len(blocks) - set_


# --- teams ----------------------------------------------------------------------------------------------


def _teams(rows: Sequence[BoardRow], width: int, height: int, say: Say) -> list[Line]:
    """A bar a team, all on one scale of 100 %; two rows high with a row between where there is room."""
    named = max((cells.width(cells.clean(row.text)) for row in rows), default=0)
    told = [f"{row.n} %" if row.people else "–" for row in rows]
    counted = [say("1 person" if row.people == 1 else f"{row.people} people") for row in rows]
    if height >= _TALL and (drawn := _in_letters(rows, told, counted, width, height)):
        return drawn
    beside = max(map(len, told), default=0) + max(map(len, counted), default=0) + 4
    whole = max(10, min(_LONG if width >= 120 else _SHORT, width - named - beside - 8))
    tall = 2 if len(rows) * 3 + 4 <= height else 1
    lines: list[Line] = []
    for n, row in enumerate(rows):
        name = cells.clean(row.text)
        name = " " * (named - cells.width(name)) + name
        words = Span(f"  {told[n]:>5}", _HEAD), Span(f"  {counted[n]}".ljust(10), _DIM)
        blank = Span(" " * cells.line_width(words))
        for part in range(tall):
            label = Span(f"{name}  " if not part else " " * (named + 2), Style("text", bold=True))
            lines.append((label, *_bar(row, whole), *(words if not part else (blank,))))
        lines += [()] if tall > 1 and n + 1 < len(rows) else []
    return lines


def _bar(row: BoardRow, whole: int) -> Line:
    filled = round(whole * max(0, min(100, row.n)) / 100)
    return Span("█" * filled, Style("accent")), Span(" " * (whole - filled), Style("text", "panel"))


def _in_letters(
    rows: Sequence[BoardRow], told: Sequence[str], counted: Sequence[str], width: int, height: int
) -> list[Line]:
    """The same with names and figures in letters of three rows; empty where they have no room."""
    names = [_letters(cells.clean(row.text), width // 3, ("bold", "low"), 1) for row in rows]
    figures = [_letters(text, width // 5, ("bold", "low"), 1) or [text] for text in told]
    if not all(names) or len(rows) * 4 + 6 > height:
        return []
    left = max(cells.width(line) for name in names for line in name)
    right = max(cells.width(line) for figure in figures for line in figure)
    whole = min(_LONG, width - left - right - 24)
    if whole < _SHORT // 2:
        return []
    lines: list[Line] = []
    for n, row in enumerate(rows):
        name, figure = names[n], figures[n]
        tall = max(3, len(name), len(figure))
        for part in range(tall):
            label = (name[part] if part < len(name) else "").rjust(left)
            value = (figure[part] if part < len(figure) else "").rjust(right)
            people = f"  {counted[n]}".ljust(12) if part == 1 else " " * 12
            bar = _bar(row, whole) if part < 3 else (Span(" " * whole),)
            lines.append(
                (
                    Span(label, Style("text", bold=True)),
                    Span("   "),
                    *bar,
                    Span(f"  {value}", _HEAD),
                    Span(people, _DIM),
                )
            )
        lines += [()] if n + 1 < len(rows) else []
    return lines
