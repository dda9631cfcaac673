"""The tensors of a run: whose part of each lies where, and under it how many bytes of each kind a rank holds.

Where parts lie is what the ranks have told after the first step (`tui/views/parts/tensor_map.py`). Bytes are
what the room shows rank by rank: widths are proportional to them, on one scale for all kinds and ranks, of a
moment of a step that the ranks have told of, else the most of each kind in a step. Ranks of a machine stand
together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from runtime.protocol.figures import RankRow
from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from slides.palette import DARK, Palette
from slides.scenes.painting import Surface, lines
from slides.scenes.shapes import AnyShape, Box, Label, State
from tui.classroom.runs.slow_motion import Playing
from tui.figures import numbers
from tui.views.parts.frame import framed, nothing
from tui.views.parts.machine_room_from_above import KINDS
from tui.views.parts.machine_room_known import room_known
from tui.views.parts.ranks import step_moment
from tui.views.parts.tensor_map import tensor_map

WIDE = 100.0
_NAMES, _GAP = 14.0, 2.0  # of the ranks at the left, and between kinds
_APART = 0.6  # ranks that would stand between two machines
_LEAST = 50, 6


def tensors(
    snapshot: Snapshot,
    width: int,
    height: int,
    palette: Palette = DARK,
    surface: Surface = "halves",
    playing: Playing | None = None,
    pixels: Callable[[State, int, int], list[Line] | None] | None = None,
) -> list[Line]:
    """Return exactly `height` lines of exactly `width` cells; the arguments are those of the room."""
    if width < _LEAST[0] or height < _LEAST[1]:
        return nothing("the tensors", "they need more room than this panel has", width, height)
    if not room_known(snapshot):
        waits = snapshot.state in ("launching", "running")
        why = "known after the first step" if waits else "no rank said what its memory holds"
        return nothing("the tensors", why, width, height)
    placed = _placed(snapshot, width, height)
    left = height - len(placed)
    if snapshot.placement is not None and left < _least(snapshot):
        return framed(placed, width, height)
    return framed([*placed, *_bytes(snapshot, width, left, palette, surface, playing, pixels)], width, height)


def _placed(snapshot: Snapshot, width: int, height: int) -> list[Line]:
    """Whose part lies where, and a blank line under it; or why that is not known."""
    if snapshot.placement is not None:
        return [*tensor_map(snapshot.placement, snapshot.world, snapshot.equal, width, height), ()]
    why = "which part of a tensor a rank has was not told"
    if snapshot.playback is not None:
        why = "which part of a tensor a rank has is not in this recording: it is older than that"
    return [cells.clip((Span(why, Style("dim")),), width)] if height > _LEAST[1] else []


def _least(snapshot: Snapshot) -> int:
    """The rows that bytes need to be read."""
    return snapshot.world + 5


def _bytes(
    snapshot: Snapshot,
    width: int,
    height: int,
    palette: Palette,
    surface: Surface,
    playing: Playing | None,
    pixels: Callable[[State, int, int], list[Line] | None] | None,
) -> list[Line]:
    """The bytes of each kind on each rank."""
    head = [step_moment.bar(playing, width)] if playing is not None else []
    shown = state(snapshot.rows, playing, height - len(head), width)
    letters = surface == "characters" or not palette.colours
    drawn = pixels(shown, width, height - len(head)) if pixels is not None and not letters else None
    if drawn is None:
        drawn = lines(shown, width, height - len(head), palette, surface)
    return [*head, *drawn]


def state(rows: Sequence[RankRow], playing: Playing | None, high: int, cells: int = 160) -> State:
    """Return the tensors as a flat scene of `high` rows, `cells` wide: a column a kind, a row a rank."""
    nodes = sorted({row.node for row in rows})
    head = min(max(3.0, 0.3 * high), 8.0)
    lanes = len(rows) + _APART * (len(nodes) - 1)
    unit = min(max(2.0, 0.13 * high), (high - head) / lanes)  # rows of a rank
    places: dict[int, float] = {}
    shapes: list[AnyShape] = []
    y = head
    for node in nodes:
        machine = f"{numbers.node(node)}: " if len(nodes) > 1 else ""
        for row in (row for row in rows if row.node == node):
            ink = "bad" if row.state in ("dead", "lost") else "heading"
            at = (0.0, y + _half(unit))
            name = f"{machine}rank {row.rank}"
            shapes.append(Label(id=f"rank {row.rank}", at=at, text=name, anchor="left", ink=ink))
            places[row.rank] = y
            y += unit
        y += _APART * unit
    most = {row.rank: step_moment.held(row, None) for row in rows}
    now = {row.rank: step_moment.held(row, playing) for row in rows}
    kinds = [kind for kind in KINDS if any(sum(_pieces(held, kind[0]).values()) for held in most.values())]
    widest = [max(sum(_pieces(held, field).values()) for held in most.values()) for field, _, _ in kinds]
    # Every column has room for its name, and what is left is shared by bytes.
    room = WIDE - _NAMES - _GAP * len(kinds)
    least = room / 2 / max(len(kinds), 1)
    scale = room / 2 / max(sum(widest), 1)
    left = _NAMES
    for (field, ink, word), wide in zip(kinds, widest, strict=True):
        whole = numbers.size(sum(sum(_pieces(held, field).values()) for held in now.values()))
        summed = f"{whole} in all"
        if len(summed) + 1 > (least + wide * scale + _GAP) * cells / WIDE:
            summed = whole  # else it would be sought another row, a rank's, for all of it
        for n, (text, short, style) in enumerate(((word, "", ink), (summed, "", "dim"))):
            at = (left, head * (0.25 + 0.42 * n))
            shapes.append(Label(id=f"{field}.{n}", at=at, text=text, short=short, anchor="left", ink=style))
        for rank, held in now.items():
            x = left
            for part, size in _pieces(held, field).items():
                if size:
                    alpha = 0.5 if part == "gathered" else 1.0
                    at, box = (x, places[rank]), (size * scale, 2 * _half(unit))
                    shapes.append(Box(id=f"{part}@{rank}", at=at, size=box, ink=ink, alpha=alpha))
                x += size * scale
        left += least + wide * scale + _GAP
    return State(tuple(shapes), size=(WIDE, float(high)))


def _half(unit: float) -> float:
    """Half the height of a bar: ranks stand a row apart where they have two."""
    return max(1, round(unit) - 1) / 2 if unit >= 1 else unit / 2


def _pieces(held: Mapping[str, int], field: str) -> dict[str, int]:
    """The bytes of a kind on a rank: of parameters those that it keeps, and those that it has gathered."""
    return {part: held[part] for part in ((field, "gathered") if field == "params" else (field,))}
