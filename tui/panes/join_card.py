"""The card by which a room joins with its phones: a code to scan, an address and a code, who is in."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from runtime.protocol.messages import Phones
from slides.drawing import cells
from slides.drawing.large.letters import letters
from slides.drawing.text import Line, Span, Style
from tui.keys.table import key_of
from tui.panes import qr_code, room_board
from tui.panes.edges.footer_lines import DIM
from tui.views.parts.headline import headline

Say = Callable[[str], str]  # puts the program's words into the deck's language
_HEAD, _GOOD, _BAD = Style("heading", bold=True), Style("good"), Style("warning")


def address(phones: Phones) -> str:
    """What the code that is scanned leads to. Behind `#` a browser sends nothing to any server."""
    return f"{phones.url}/#{phones.code}"


def lines(phones: Phones, width: int, height: int, console: bool, say: Say = str) -> list[Line]:
    """The card, in the middle. `console`: whoever drives is told the key."""
    if phones.board is not None:
        return _middle(room_board.lines(phones.board, width, height, say), width, height)
    if phones.question:
        return _asked(cells.clean(phones.question), width, height, say)
    words = _words(phones, console, say)
    if phones.state != "on":
        return _middle(words, width, height)
    side = width - 4 - max(map(cells.line_width, words), default=0) - 4
    code = qr_code.cells_of(address(phones), side, height - 2)
    if not code:
        small = qr_code.cells_of(address(phones), width, height - len(words) - 1)
        return _middle([*small, (), *words] if small else words, width, height)
    room = width - cells.line_width(code[0]) - 8
    big = _large(phones, room)
    ways = ([*big, *_words(phones, console, say, room)], [*big, *words])
    return _beside(code, next((way for way in ways if len(way) <= len(code)), words), width, height)


def _words(phones: Phones, console: bool, say: Say, room: int = 0) -> list[Line]:
    """All that it says; what to do and where in letters where they have `room`."""
    key = key_of("phones")
    match phones.state:
        case "failed":
            found: list[Line] = [(Span(say("Phones cannot join"), _HEAD),)]
            found += [(Span(cells.clean(phones.why), _BAD),), (Span(cells.clean(phones.mend)),)]
        case "on":
            found = [
                *_said(say("Answer with your phone"), _HEAD, room),
                (),
                *_said(phones.url, Style("accent", bold=True), room),
                (Span(f"{say('code')} ", DIM), Span(phones.code, _HEAD)),
                (),
                (Span(_in(phones, say), _GOOD),),
            ]
            if phones.url.startswith("http:"):
                told = ("plain HTTP: others in this network", "can read along")
                found += [(Span(say(words), DIM),) for words in told]
        case _:
            found = [(Span(say("Phones: starting …"), _HEAD),)]
    return (
        [*found, (), (Span(f"{key} {say('or')} Esc: {say('back to the slide')}", DIM),)] if console else found
    )


def _said(text: str, style: Style, room: int) -> list[Line]:
    """In letters and with air below where there is room, else as it is."""
    drawn = headline((Span(text, style),), room)
    return [*drawn, ()] if drawn else [(Span(text, style),)]


def _asked(text: str, width: int, height: int, say: Say) -> list[Line]:
    """What somebody in the room asks, in the middle, in letters where they fit."""
    rows = letters(text, min(width - 8, 150), ("bold", "low"), 4)
    drawn: list[Line] = [(Span(row, _HEAD),) for row in rows] if rows and height > 20 else []
    plain = list(cells.wrap((Span(text, _HEAD),), min(72, width - 8)))
    return _middle([(Span(say("From the room"), DIM),), (), *(drawn or plain)], width, height)


def _in(phones: Phones, say: Say) -> str:
    """Who is in, and that nobody else may come where joining is closed."""
    here = "1 is in" if phones.here == 1 else f"{phones.here} are in"
    away = phones.seats - phones.here
    told = f"{say(here)}, {say(f'{away} away')}" if away > 0 else say(here)
    return told if phones.open else f"{told}; {say('joining is closed')}"


def _large(phones: Phones, width: int) -> list[Line]:
    """The code in letters for the back row, where they fit."""
    drawn = letters(phones.code, width, ("bold", "low"), 1) or []
    return [*((Span(row, _HEAD),) for row in drawn), ()] if drawn else []


def _middle(found: Sequence[Line], width: int, height: int) -> list[Line]:
    above: list[Line] = [()] * max(0, (height - len(found)) // 2)
    return [*above, *(_centred(line, width) for line in found)][:height]


def _centred(line: Line, width: int) -> Line:
    clipped = cells.clip(line, width)
    left = (width - cells.line_width(clipped)) // 2
    return (Span(" " * left), *clipped) if left > 0 and clipped else clipped


def _beside(code: Sequence[Line], words: Sequence[Line], width: int, height: int) -> list[Line]:
    wide = cells.line_width(code[0])
    room = max(map(cells.line_width, words), default=0)
    left = max(0, (width - wide - 4 - room) // 2)
    above = max(0, (len(code) - len(words)) // 2)
    rows: list[Line] = [
        (Span(" " * left), *row, Span("    "), *(words[n - above] if 0 <= n - above < len(words) else ()))
        for n, row in enumerate(code)
    ]
    return _top([cells.clip(row, width) for row in rows], height)


def _top(rows: list[Line], height: int) -> list[Line]:
    return [*([()] * max(0, (height - len(rows)) // 2)), *rows][:height]
