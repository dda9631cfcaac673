"""The shapes of every step of every scene, and its text at 80x24 and 160x45, as they are stored.

After a wanted change: `python -m tests.unit.slides.scenes.test_golden_scenes` writes `golden/` anew; read the
difference. A step is told by its words, by the shapes that come (+) and go (-), and by a sum over all that
these are; the step in the middle by its text as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import pytest

import tui  # noqa: F401  # brings what slides cannot know
from slides.palette import MONO
from slides.scenes import composition, registry
from slides.scenes.painting import lines
from slides.scenes.scene_request import Asked, asked
from slides.scenes.shapes import NUMBERS, AnyShape

GOLDEN = Path(__file__).parent / "golden"
SIZES = ((80, 24), (160, 45))


def told(name: str) -> str:
    of = asked(name, {})
    return "\n".join([*_steps(of), *_text(of), ""])


def _steps(of: Asked) -> Iterator[str]:
    before: set[str] = set()
    for n, state in enumerate(of.states()):
        there = {shape.id: _shape(shape) for shape in state.shapes}
        everything = crc32("\n".join(f"{name} {words}" for name, words in there.items()).encode())
        yield f"step {n + 1}: {state.lead} | {state.caption} | {len(there)} shapes, {everything:08x}"
        for sign, names in (("+", there.keys() - before), ("-", before - there.keys())):
            if names:
                yield f"  {sign} {' '.join(sorted(name.replace(' ', '_') for name in names))}"
        before = set(there)


def _shape(shape: AnyShape) -> str:
    """Its kind, ink and words, and its numbers with as many digits as anybody could see."""
    words = [type(shape).__name__, shape.ink]
    words += [repr(text) for name in ("text", "before", "after") if (text := getattr(shape, name, ""))]
    words += [
        name for name in ("comes_from", "goes_to", "hollow", "dashed", "head") if getattr(shape, name, False)
    ]
    for name in NUMBERS[type(shape)]:
        value = getattr(shape, name)
        if value != (1.0 if name in ("alpha", "along", "drawn") else 0.0):
            words.append(f"{name}={_number(value)}")
    return " ".join(words)


def _number(value: object) -> str:
    if isinstance(value, tuple):
        return "(" + ",".join(map(_number, value)) + ")"
    assert isinstance(value, int | float)
    return f"{value + 0.0:.4g}"


def _text(of: Asked) -> Iterator[str]:
    step = of.steps // 2
    for columns, rows in SIZES:
        yield f"{columns}x{rows}, step {step + 1}:"
        picture = composition.composed(
            of, step, columns, rows, lambda wide, tall: lines(of.state(step), wide, tall, MONO)
        )
        assert len(picture) == rows
        yield from ("|" + "".join(span.text for span in line).rstrip() for line in picture)


@pytest.mark.parametrize("name", registry.names())
def test_a_scene_is_as_it_is_stored(name: str) -> None:
    assert told(name) == (GOLDEN / f"{name}.txt").read_text()


def test_nothing_is_stored_of_a_scene_that_is_gone() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(registry.names())


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for scene in registry.names():
        (GOLDEN / f"{scene}.txt").write_text(told(scene))
