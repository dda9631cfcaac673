"""The room of a run: machines and devices, what each rank holds as volumes, what went between them as links.

Volumes are proportional to bytes: of a moment of a step that the ranks have told of, shown slowed, else to
the most of each kind in a step. Links are as thick as the bytes that left a rank for another in a step, as
its kernel counted them. Packets are transfers at their measured times, from each rank to the next of its
group; where no step is shown, between ranks that are in a collective now. It is the picture of
`slides.scenes`, with measured bytes instead of a formula's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from runtime.protocol.figures import RankRow
from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from slides.palette import DARK, Palette
from slides.scenes.painting import Surface, lines
from slides.scenes.painting.characters import TEXTURES
from slides.scenes.shapes import AnyShape, Box, Camera, Label, Packet, Path, State
from tui.classroom.runs.slow_motion import Playing
from tui.figures import numbers
from tui.views.parts.frame import framed, nothing
from tui.views.parts.machine_room_from_above import flat
from tui.views.parts.machine_room_known import room_known
from tui.views.parts.ranks import step_moment

TALLEST = 2.4  # units that the largest volume is high
_LEAST_ROWS = 9
_TOWERS = (
    ("params", "params", "parameters"),
    ("gathered", "params", "gathered"),
    ("grads", "grads", "gradients"),
    ("optimizer_bytes", "optimizer", "optimizer state"),
    ("activations", "activations", "activations"),
)
_FOOT, _DEEP, _GAP = 0.44, 0.9, 0.08
_TRANSFERS = ("all-", "reduce", "broadcast", "gather", "scatter", "send", "recv", "barrier")
_DIM = Style("dim")


def room(
    snapshot: Snapshot,
    width: int,
    height: int,
    palette: Palette = DARK,
    surface: Surface = "halves",
    playing: Playing | None = None,
    camera: Camera | None = None,
    pixels: Callable[[State, int, int], list[Line] | None] | None = None,
) -> list[Line]:
    """Return exactly `height` lines of exactly `width` cells, in the colours of `palette`.

    `playing` is the moment of a step to show, None: the most of it; `camera` where it is looked at from by
    hand; `pixels` paints it where the terminal has some.
    """
    if height < _LEAST_ROWS or width < 30:
        return nothing("the room", "it needs more room than this panel has", width, height)
    if not room_known(snapshot):
        waits = snapshot.state in ("launching", "running")
        why = "known after the first step" if waits else "no rank said what its memory holds"
        return nothing("the room", why, width, height)
    letters = surface == "characters" or not palette.colours
    head = [_head(snapshot, width, playing, letters)]
    if playing is not None:
        head.append(step_moment.bar(playing, width))
    shown = state(snapshot, playing)
    if camera is not None:
        shown = replace(shown, camera=camera)
    rows = height - len(head)
    drawn = pixels(shown, width, rows) if pixels is not None and not letters else None
    if drawn is None:
        drawn = lines(shown, width, rows, palette, surface)
    return framed([*head, *drawn], width, height)


def _head(snapshot: Snapshot, width: int, playing: Playing | None, letters: bool) -> Line:
    """What the colours mean, or the textures; a plan of `letters` says itself what goes over the wire."""
    said = "at this moment   " if playing is not None else "the most of each kind in a step   "
    kinds: list[Span] = []
    for field, ink, word in _TOWERS:
        if any(getattr(row, field) for row in snapshot.rows):
            mark = "░ " if field == "gathered" else f"{TEXTURES[ink]} " if letters else "█ "
            kinds += [Span(mark, Style(ink)), Span(f"{word}   ", _DIM)]
    wire = Span("━ ", Style("exposed"))
    linked = not letters and any(row.links for row in snapshot.rows)
    line: Line = ()
    for before, words in ((said, "bytes on the wire a step"), (said, "bytes a step"), ("", "bytes a step")):
        line = (Span(before, _DIM), *kinds, *((wire, Span(words, _DIM)) if linked else ()))
        if cells.line_width(line) <= width:
            break
    return cells.clip(line, width)


def state(snapshot: Snapshot, playing: Playing | None = None) -> State:
    """Return the run as a scene in space: a plate a machine, a plate a rank, a tower a kind of memory."""
    rows = snapshot.rows
    places = _places(rows)
    most = max((_height(step_moment.held(row, None)) for row in rows), default=0) or 1
    shapes: list[AnyShape] = [*_floor(places), *_machines(rows, places)]
    for row in rows:
        shapes += _device(row, places[row.rank], TALLEST / most, playing)
    shapes += [*_links(rows, places, playing is None), *_between(snapshot.between, rows, places)]
    if playing is not None:
        shapes += _under_way(rows, places, playing)
    wide = max(abs(x) for x, _ in places.values()) + 1.6
    deep = max(abs(z) for _, z in places.values()) + 1.0
    distance = max(7.5, 1.85 * wide + deep)
    camera = Camera(10.0, 30.0, distance, (0.0, 0.62, -0.25))
    return State(tuple(shapes), camera=camera, plan=flat(rows, playing, snapshot.between))


def _height(held: Mapping[str, int]) -> int:
    return max(held["params"] + held["gathered"], held["grads"], held["optimizer_bytes"], held["activations"])


def _places(rows: Sequence[RankRow]) -> dict[int, tuple[float, float]]:
    """The middle (x, z) of each rank's device: machines side by side, at most four devices in a row."""
    nodes = sorted({row.node for row in rows})
    found: dict[int, tuple[float, float]] = {}
    left = 0.0
    for node in nodes:
        ranks = [row.rank for row in rows if row.node == node]
        across = min(len(ranks), 4)
        for n, rank in enumerate(ranks):
            found[rank] = left + (n % across) * 2.7, (n // across) * 2.6
        left += across * 2.7 + 0.9
    middle_x = (min(x for x, _ in found.values()) + max(x for x, _ in found.values())) / 2
    middle_z = max(z for _, z in found.values()) / 2
    return {rank: (x - middle_x, z - middle_z) for rank, (x, z) in found.items()}


def _floor(places: dict[int, tuple[float, float]]) -> list[AnyShape]:
    wide = math.ceil(max(abs(x) for x, _ in places.values()) / 1.6 + 2)
    deep = math.ceil(max(abs(z) for _, z in places.values()) / 1.6 + 2)
    found: list[AnyShape] = []
    for n in range(-wide, wide + 1):
        ends = ((n * 1.6, -0.3, -deep * 1.6), (n * 1.6, -0.3, deep * 1.6))
        found += [Path(id=f"floor.x{n}", points=ends, ink="line", layer=-9)]
    for n in range(-deep, deep + 1):
        ends = ((-wide * 1.6, -0.3, n * 1.6), (wide * 1.6, -0.3, n * 1.6))
        found += [Path(id=f"floor.z{n}", points=ends, ink="line", layer=-9)]
    return found


def _machines(rows: Sequence[RankRow], places: dict[int, tuple[float, float]]) -> list[AnyShape]:
    found: list[AnyShape] = []
    nodes = sorted({row.node for row in rows})
    for node in nodes:
        mine = [places[row.rank] for row in rows if row.node == node]
        x0, x1 = min(x for x, _ in mine) - 1.45, max(x for x, _ in mine) + 1.45
        z0, z1 = min(z for _, z in mine) - 1.2, max(z for _, z in mine) + 1.1
        plate = Box(id=f"machine{node}", ink="panel", edge="line", layer=-8,
                    at=(x0, -0.28, z0), size=(x1 - x0, 0.2, z1 - z0))  # fmt: skip
        name = f"machine {numbers.node(node)}" if len(nodes) > 1 else "one machine"
        found += [plate, Label(id=f"name{node}", at=((x0 + x1) / 2, -0.28, z0 - 1.5), text=name, ink="dim")]
    return found


def _device(
    row: RankRow, place: tuple[float, float], scale: float, playing: Playing | None
) -> list[AnyShape]:
    """A rank's plate, its towers in `scale` units a byte, and its name."""
    x, z = place
    gone = row.state in ("dead", "lost")
    found: list[AnyShape] = [
        Box(id=f"device{row.rank}", at=(x - 1.2, -0.08, z - 0.95), size=(2.4, 0.1, 1.8), ink="select",
            edge="bad" if gone else "faint", layer=-7)
    ]  # fmt: skip
    bytes_ = step_moment.held(row, playing)
    left, base = x - 2 * _FOOT - 1.5 * _GAP, 0.0
    for field, ink, _ in _TOWERS:
        size = bytes_[field]
        if field == "gathered":
            left, base = left - _FOOT - _GAP, bytes_["params"] * scale
        if size:
            tower = Box(
                id=f"{field}@{row.rank}",
                at=(left, 0.03 + base, z - _DEEP / 2),
                size=(_FOOT, size * scale, _DEEP),
                ink=ink,
                edge="background",
                alpha=0.25 if gone else 0.5 if field == "gathered" else 1.0,
            )
            found.append(tower)
        left, base = left + _FOOT + _GAP, 0.0
    held = row.peak if row.peak is not None else row.held_sum
    if playing is not None:
        held = sum(bytes_.values())
    words = cells.clean(f"rank {row.rank}  {numbers.size(held)}" if held else f"rank {row.rank}")
    ink = "bad" if gone else "heading"
    short = f"rank {row.rank}"
    name = Label(id=short, at=(x, -0.1, z - 1.35), text=words, short=short, bold=True, ink=ink, layer=1)
    at_work = cells.clean(step_moment.doing(row, playing))
    doing = Label(id=f"doing{row.rank}", at=(x, -0.1, z - 1.75), text=at_work, ink="dim", layer=-1)
    return [*found, name, doing]


def _under_way(
    rows: Sequence[RankRow], places: dict[int, tuple[float, float]], playing: Playing
) -> list[AnyShape]:
    """A packet for each transfer, whose volume is its bytes."""
    going = [sent for sent in step_moment.sending(playing) if {sent.source, sent.target} <= places.keys()]
    most = max((one.bytes for step in playing.film.ranks for one in step.transfers), default=0)
    found: list[AnyShape] = []
    for n, sent in enumerate(going):
        side = 0.12 + 0.18 * (sent.transfer.bytes / most) ** (1 / 3)
        way = _arch(places[sent.source], places[sent.target])
        ink = "params" if sent.transfer.op == "all-gather" else "grads"
        found.append(
            Packet(id=f"sent{n}", points=way, size=(side, side, side), along=sent.share, ink=ink, layer=1)
        )
    return found


def _links(rows: Sequence[RankRow], places: dict[int, tuple[float, float]], packets: bool) -> list[AnyShape]:
    """An arch from rank to rank, as thick as its bytes; `packets`: one where both are in a collective."""
    sent = {(row.rank, other): size for row in rows for other, size in row.links.items() if other in places}
    most = max(sent.values(), default=0)
    at_work = {row.rank for row in rows if row.state.startswith(_TRANSFERS)}
    found: list[AnyShape] = []
    for (a, b), size in sorted(sent.items()):
        if size <= most / 200:  # a greeting, no gradients; or nothing
            continue
        back = sent.get((b, a), 0)
        if a < b or not back:
            total = max(size, back)
            width = 0.02 + 0.1 * total / most
            found += [
                Path(
                    id=f"link{a}.{b}",
                    points=_arch(places[a], places[b]),
                    ink="exposed",
                    width=width,
                    alpha=0.8,
                )
            ]
        if packets and a in at_work and b in at_work:
            side = 0.12 + 0.14 * (size / most) ** (1 / 3)  # its volume is its bytes
            way, size3 = _arch(places[a], places[b]), (side, side, side)
            found += [Packet(id=f"packet{a}.{b}", points=way, size=size3, along=0.35, ink="warning", layer=1)]
    return found


def _between(
    between: Sequence[tuple[int, int, int]],
    rows: Sequence[RankRow],
    places: dict[int, tuple[float, float]],
) -> list[AnyShape]:
    """What goes from each machine to its neighbour and back in a step, before where their plates meet."""
    sent = {(a, b): size for a, b, size in between if size}
    found: list[AnyShape] = []
    for a, b in pairwise(sorted({row.node for row in rows})):
        if not {(a, b), (b, a)} & sent.keys():
            continue
        there, back = (numbers.size(sent.get(pair, 0)) for pair in ((a, b), (b, a)))
        near, far = ([places[row.rank] for row in rows if row.node == node] for node in (a, b))
        x = (max(x for x, _ in near) + min(x for x, _ in far)) / 2
        at = (x, -0.28, min(z for _, z in (*near, *far)) - 2.7)
        words = f"{there} → · ← {back} a step"
        found.append(Label(id=f"between{a}.{b}", at=at, text=words, ink="exposed", layer=1))
    return found


def _arch(a: tuple[float, float], b: tuple[float, float]) -> tuple[tuple[float, float, float], ...]:
    """Points of an arch before the towers: the longer its way, the further before them and the higher."""
    far = math.dist(a, b)
    steps = 10
    points = []
    for n in range(steps + 1):
        share = n / steps
        x, z = a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share
        bow = math.sin(math.pi * share)
        points.append((x, 0.06 + 0.1 * far * bow, z - 0.75 - 0.12 * far * bow))
    return tuple(points)
