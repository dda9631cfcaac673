"""What stands on a slide where its demo block is: one line that says what the keys do now.

The slide is drawn once and kept, so nothing here moves by itself: times and figures are the panel's.
"""

from __future__ import annotations

from collections.abc import Callable

from runtime.catalog import registry
from runtime.protocol.messages import Snapshot
from slides.deck import Demo
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.classroom.runs.demo_requests import OWN
from tui.figures.run_outcome import ENDED
from tui.keys.table import key_of

DIM, FAINT, TEXT = Style("dim"), Style("faint"), Style()
KEY = Style("accent", bold=True)
_DOT = Span("\u00a0· ", FAINT)  # stays with what is before it: no line begins with a dot


def demo_lines(
    block: Demo,
    snapshot: Snapshot | None,
    trouble: str,
    width: int,
    *,
    hints: bool = True,
    say: Callable[[str], str] = str,
) -> list[Line]:
    """The label of a demo block, at most `width` cells wide. `trouble` is why it cannot be started.

    `hints` False leaves keys unsaid: an audience's screen has no use for them. The time planned is the
    panel's to say, where no room looks on. `say` puts its words into the deck's language.
    """
    width = max(1, width)
    if trouble:
        return _refused(block, cells.clean(trouble), width)
    state = snapshot.state if snapshot is not None else ""
    if snapshot is not None and snapshot.playback is not None:
        state = "replay"  # whatever became of it then
    name = cells.clean(block.name)
    if snapshot is None:
        mark, words, keys = Span("▷ ", KEY), _asked(block, say), [_key("demo", say("starts"))]
    elif state == "launching":
        mark, words, keys = Span("◌ ", KEY), [(Span(say("launching"), KEY),)], [_key("demo", say("stops"))]
    elif state == "running":
        mark, words = Span("■ ", Style("good")), [(Span(say("running"), Style("good", bold=True)),)]
        keys = [_key("demo", say("stops")), _key("restart_demo", say("restarts"))]
    elif state == "stopping":
        mark, words, keys = Span("■ ", Style("warning")), [(Span(say("stopping"), Style("warning")),)], []
    elif state == "replay":
        mark = Span("▶ ", Style("warning"))
        words = [(Span(say("a recorded run"), Style("warning", bold=True)),)]
        keys = [_key("demo", say("starts it live"))]
    else:
        sign, word, ink = ENDED.get(state, ("■", cells.clean(state), "warning"))
        mark, words = Span(f"{sign} ", Style(ink)), [(Span(say(word), Style(ink, bold=True)),)]
        if snapshot.why and state not in ("done", snapshot.why):
            words.append((Span(cells.clean(snapshot.why), TEXT),))
        keys = []  # the panel below says it, beside why it ended
    spans = [mark, Span(name, Style("heading", bold=True))]
    for line in [*words, *(keys if hints else ())]:
        spans += [_DOT, *line]
    return cells.wrap(spans, width)


def _asked(block: Demo, say: Callable[[str], str]) -> list[Line]:
    """Ranks and steps as the deck asks for them, or as the demo has them where it does not."""
    known = registry.find(block.name)
    own = known.param("nodes") if known is not None else None
    nodes = block.params.get("nodes", str(own.default) if own is not None else "1")
    lines: list[Line] = [] if nodes == "1" else [(Span(say(f"{cells.clean(nodes)} nodes"), TEXT),)]
    for name in ("ranks", "steps"):
        value = block.params.get(name)
        if value is None and known is not None and (param := known.param(name)) is not None:
            value = str(param.default)
        if value is not None:
            word = name[:-1] if value == "1" else name
            each = f" {say('each')}" if name == "ranks" and nodes != "1" else ""
            lines.append((Span(f"{cells.clean(value)} {word}{each}", TEXT),))
    others = {
        key: value
        for key, value in block.params.items()
        if key not in ("ranks", "nodes", "steps", "budget", *OWN)
    }
    return lines + [(Span(cells.clean(f"{key}={value}"), TEXT),) for key, value in others.items()]


def _key(action: str, does: str) -> Line:
    return (Span(key_of(action), KEY), Span(f"\u00a0{does}", DIM))  # one word to the wrapping


def _refused(block: Demo, trouble: str, width: int) -> list[Line]:
    """A label in the warning's ink, then why and what to write instead, indented below it."""
    name = Span(cells.clean(f"{block.name} cannot start"), Style("warning", bold=True))
    head = cells.wrap((Span("! ", Style("warning", bold=True)), name), width)
    indent = 2 if width > 12 else 0
    body = cells.wrap((Span(trouble, TEXT),), width - indent)
    return [*head, *((Span(" " * indent), *line) for line in body)]
