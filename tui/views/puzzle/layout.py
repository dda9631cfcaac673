"""The board of a layout: the choices, the GPUs by stage and replica, their memory and their step."""

from __future__ import annotations

from runtime.estimate.estimate import Estimate
from runtime.estimate.quantities import engineering
from runtime.puzzles.cluster import CHOICES, NAMES, Cluster
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.figures import categories
from tui.figures.categories import Kind
from tui.practice.puzzle_keys import Board

HEAD, DIM, TEXT = Style("heading", bold=True), Style("dim"), Style("text")
BAD, GOOD = Style("bad", bold=True), Style("good", bold=True)
CHOSEN = Style("accent", bold=True)
CURSOR = Style("background", "accent", bold=True, underline=True)
LEFT = 28  # cells of the choices
INKS = tuple(f"rank{n}" for n in range(8))  # of pipeline stages, over and over
DRIVER = Kind("overhead", "driver", "driver", "wait", "░", "idle", "text")
MEMORY = tuple(
    zip(("parameters", "gradients", "optimizer", "activations", "gathered"), categories.MEMORY, strict=False)
)
COMPUTE = Kind("compute", "arithmetic", "comp", "compute", "█")
IDLE = Kind("idle", "bubble", "idle", "wait", "░", "idle", "text")
EXPOSED = Kind("exposed", "not hidden", "exp", "exposed", "▒")


def board(it: Board, rules: Cluster, width: int, height: int) -> list[Line]:
    """At most `height` lines: choices beside GPUs, and two bars below them."""
    chosen = rules.read(it.answer)
    found = rules.estimated(chosen)
    bars = _bars(rules, found, width) if isinstance(found, Estimate) else [(Span(found, BAD),)]
    room = height - len(bars) - 1
    gpus = _gpus(rules, int(chosen["tp"]), int(chosen["pp"]), width - LEFT - 2, room)
    left = _choices(it, chosen, rules, room)
    rows = max(len(left), len(gpus))
    lines: list[Line] = []
    for n in range(min(rows, room)):
        a = left[n] if n < len(left) else ()
        b = gpus[n] if n < len(gpus) else ()
        lines.append((*cells.fit(a, LEFT), Span("  "), *b))
    return [*lines, (), *bars]


def _choices(it: Board, chosen: dict[str, object], rules: Cluster, room: int) -> list[Line]:
    lines: list[Line] = []
    apart = 1 if room >= 2 * len(CHOICES) + 2 else 0
    for row, (key, values) in enumerate(CHOICES.items()):
        here = row == it.row
        spans = [Span("▸ " if here else "  ", CHOSEN), Span(NAMES[key].ljust(16), HEAD if here else TEXT)]
        value = str(chosen[key])
        at = values.index(chosen[key])
        spans.append(Span("◂" if here and at else " ", CHOSEN))
        spans.append(Span(f" {value} ", CURSOR if here else CHOSEN))
        spans.append(Span("▸" if here and at < len(values) - 1 else " ", CHOSEN))
        lines += [tuple(spans), *[()] * apart]
    split = int(str(chosen["tp"])) * int(str(chosen["pp"]))
    replicas = f"{rules.gpus // split}" if rules.gpus % split == 0 else "–"
    return [*lines, (Span("  data parallel".ljust(20), DIM), Span(replicas, DIM))]


def _gpus(rules: Cluster, tp: int, pp: int, width: int, room: int) -> list[Line]:
    """Machines as rows of GPUs; a GPU has the colour and number of its stage, and its replica."""
    if rules.gpus % (tp * pp):
        return []
    machines = -(-rules.gpus // rules.node)
    across = max(1, min(2 if machines > 4 else 1, width // (rules.node * 4 + 4)))
    cell = max(3, min(7, (width // across - 3) // rules.node))
    rows = -(-machines // across)
    high = 2 if rows * 3 + 2 <= room else 1
    apart = 1 if rows * (high + 1) + 2 <= room else 0
    lines: list[Line] = []
    for row in range(rows):
        for y in range(high):
            spans: list[Span] = []
            for machine in range(row * across, min((row + 1) * across, machines)):
                for n in range(rules.node):
                    gpu = machine * rules.node + n
                    spans += _gpu(gpu, tp, pp, rules.gpus, cell, y)
                spans.append(Span("   "))
            lines.append(tuple(spans))
        lines += [()] * (apart if row < rows - 1 else 0)
    says = "number: stage, r: replica, touching: tensor parallel, a row of 8: a machine"
    if cells.width(says) > width:
        says = "number: stage, touching: tensor parallel"
    return [*lines, (), (Span(cells.clip_text(says, width), DIM),)]


def _gpu(gpu: int, tp: int, pp: int, gpus: int, cell: int, y: int) -> list[Span]:
    """Tensor parallel ranks are neighbours, then replicas, then stages: what talks most is nearest."""
    replicas = gpus // (tp * pp)
    stage, replica = gpu // (tp * replicas), gpu // tp % replicas
    style = Style("background", INKS[stage % len(INKS)], bold=y == 0)
    text = f"{stage}" if y == 0 else f"r{replica}"
    apart = int(gpu % tp == tp - 1)
    inner = cell - apart
    return [*cells.fit((Span(text, style),), inner, style, "center"), Span(" " * apart)]


def _bars(rules: Cluster, found: Estimate, width: int) -> list[Line]:
    """Memory of the fullest GPU against what fits, and the seconds of a step by what they go to."""
    limit, held = found.limit or 0.0, found.memory
    room = max(10, width - LEFT - 2)
    scale = max(limit, held.total)
    parts = [(kind, float(getattr(held, name))) for name, kind in MEMORY] + [(DRIVER, float(held.overhead))]
    fits = bool(found.fits)
    memory = f"{engineering(held.total, 'B')} of {engineering(limit, 'B')}"
    over = min(room, round(limit / scale * room))
    lines: list[Line] = [
        (
            *cells.fit((Span("memory  ", HEAD), Span(memory, GOOD if fits else BAD)), LEFT + 2),
            *_blocks(parts, scale, room),
        ),
        (Span(" " * (LEFT + 2 + max(0, over - 1))), Span("▲ fits", DIM)) if over < room - 6 else (),
    ]
    time = found.time
    if time is not None:
        seconds = [(COMPUTE, time.compute), (IDLE, time.idle), (EXPOSED, time.exposed_s)]
        title = (Span("step    ", HEAD), Span(f"{time.step:.2f} s, estimated", TEXT))
        lines.append((*cells.fit(title, LEFT + 2), *_blocks(seconds, time.step, room)))
    return lines


def _blocks(parts: list[tuple[Kind, float]], scale: float, room: int) -> Line:
    return tuple(
        span
        for kind, count in categories.bar(parts, scale, room)
        for span in kind.block(count, [kind.word, kind.short, kind.short[0]])
    )
