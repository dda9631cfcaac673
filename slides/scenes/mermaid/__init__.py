"""Mermaid's flowcharts and sequence diagrams as scenes: a reader of what people write most, and its layout.

What is not read here (other diagrams, what has no place in cells) stays text, as every code block does.
"""

from __future__ import annotations

import re
from functools import lru_cache

from slides.problems import Mistake
from slides.scenes.mermaid import flowchart, sequence_diagram
from slides.scenes.scene import Scene, Values
from slides.scenes.shapes import State

MOST_CHARACTERS = 20_000
_FRONT = re.compile(r"\A\s*---\n.*?\n---\s*\n", re.DOTALL)


class NotRead(Mistake):
    """Raised for a diagram that is not drawn, with what can be."""


@lru_cache(128)
def scene(body: str, stepwise: bool = False) -> Scene:
    """Return the scene of a diagram; `stepwise`: a layer or a message a step.

    Raises:
        NotRead: It is another diagram, or a line of it cannot be read.
    """
    text = _FRONT.sub("", body[:MOST_CHARACTERS]) if body.lstrip().startswith("---") else body
    lines = [line.strip() for line in text.split("\n")]
    lines = [line for line in lines if line and not line.startswith("%%")]
    if len(body) > MOST_CHARACTERS or not lines:
        raise NotRead("this diagram is empty or too long", "Write `flowchart LR`, and `a --> b` below it.")
    head = lines[0].replace(";", " ").split()
    if head[0] in ("flowchart", "graph"):
        states = flowchart.states(lines, stepwise)
    elif head[0] == "sequenceDiagram":
        states = sequence_diagram.states(lines[1:], stepwise)
    else:
        raise NotRead(
            f"a diagram of mermaid that begins with {head[0][:30]!r} is not drawn, but shown as text",
            "Drawn are `flowchart` and `sequenceDiagram`; show others as a picture: `![words](file.png)`.",
        )
    made = tuple(states)
    return Scene("diagram", "", lambda values: len(made), lambda step, values: _state(made, step, values))


def _state(made: tuple[State, ...], step: int, values: Values) -> State:
    return made[step]
