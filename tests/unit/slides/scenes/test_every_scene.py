"""What holds for every scene that ships: words for each step, ids, places, and a picture at any size."""

import itertools
import math
import re

import pytest

import tui  # noqa: F401  # brings what slides cannot know
from slides.drawing.cells import line_width
from slides.drawing.large import read_letters
from slides.palette import DARK, MONO, THEMES
from slides.scenes import registry
from slides.scenes.motion import between
from slides.scenes.painting import lines, marks_of, written
from slides.scenes.painting.strokes import Face
from slides.scenes.scene import Scene, Values
from slides.scenes.shapes import Axis, Box, Bracket, Label, Number, Packet, State, finite


def scene(name: str) -> Scene:
    found = registry.scene(name)
    assert found is not None
    return found


def extremes(found: Scene) -> list[Values]:
    """The defaults, and each number at either end of its range, as far as these go together."""
    chosen = [found.values({})]
    for param in found.params:
        words = (
            [str(param.low), str(param.high)] if not isinstance(param.default, str) else list(param.choices)
        )
        for word in words:
            try:
                chosen.append(found.values({param.name: word.removesuffix(".0")}))
            except ValueError:
                continue
    return chosen


def states(name: str) -> list[State]:
    values = scene(name).values({})
    return [scene(name).state(step, values) for step in range(scene(name).steps(values))]


@pytest.mark.parametrize("name", registry.names())
def test_it_is_called_as_its_file_and_says_what_it_shows(name: str) -> None:
    assert scene(name).name == name and scene(name).title
    assert all(param.about for param in scene(name).params)


@pytest.mark.parametrize("name", registry.names())
def test_every_step_is_told_in_words_of_its_own(name: str) -> None:
    told = [(state.lead, state.caption) for state in states(name)]
    assert all(lead and caption for lead, caption in told)
    assert len(set(told)) == len(told)


@pytest.mark.parametrize("name", registry.names())
def test_it_is_whole_at_the_ends_of_its_parameters(name: str) -> None:
    for values in extremes(scene(name)):
        for step in range(scene(name).steps(values)):
            state = scene(name).state(step, values)
            ids = [shape.id for shape in state.shapes]
            assert len(ids) == len(set(ids)), (values, step)
            assert state.lead and state.caption
            dimensions = 2 if state.camera is None else 3
            assert all(finite(shape, dimensions) for shape in state.shapes), (values, step)
            assert all(shape.ink in THEMES["dark"].colours for shape in state.shapes), (values, step)


@pytest.mark.parametrize("name", registry.names())
def test_a_flat_one_stays_on_its_plane(name: str) -> None:
    for state in states(name):
        if state.camera is not None:
            continue
        wide, high = state.size
        for shape in state.shapes:
            ends = []
            if isinstance(shape, Box):
                ends = [shape.at, (shape.at[0] + shape.size[0], shape.at[1] + shape.size[1])]
            elif isinstance(shape, (Label, Number)):
                ends = [shape.at]
            elif isinstance(shape, (Bracket, Axis)):
                ends = [shape.start, shape.end]
            elif isinstance(shape, Packet):
                ends = list(shape.points)
            assert all(-1e-6 <= x <= wide + 1e-6 and -1e-6 <= y <= high + 1e-6 for x, y in ends), shape


@pytest.mark.parametrize("name", registry.names())
def test_it_is_drawn_at_every_size_and_between_its_steps(name: str) -> None:
    found = states(name)
    for n, (before, after) in enumerate(itertools.pairwise(found)):
        size = ((150, 30), (76, 12), (20, 5))[n % 3]
        for state in (before, between(before, after, 0.5)):
            drawn = lines(state, *size, DARK, "quadrants")
            assert [line_width(line) for line in drawn] == [size[0]] * size[1]
    assert len(lines(found[-1], 76, 12, MONO)) == 12


@pytest.mark.parametrize("name", registry.names())
def test_an_arrow_that_grows_points_where_it_goes(name: str) -> None:
    """Of a line that is shorter than a cell, a head that is put into whole cells may point back."""

    def heads(state: State) -> set[str]:
        return {text for line in lines(state, 76, 12, MONO) for span in line for text in span.text} & set(
            "▲▼◀▶"
        )

    for before, after in itertools.pairwise(states(name)):
        assert heads(between(before, after, 0.1)) <= heads(before) | heads(after)


@pytest.mark.parametrize("name", [name for name in registry.names() if states(name)[0].apart])
def test_its_ranks_stand_equally_far_apart(name: str) -> None:
    for columns, rows in [(160, 31), (100, 21), (80, 24)]:
        drawn = lines(states(name)[0], columns, rows, DARK)
        texts = ["".join(span.text for span in line) for line in drawn]
        said = [f"{row} {read_letters.words(texts[n : n + 3])}" for n, row in enumerate(texts)]
        found = [n for n, line in enumerate(said) if re.search(r"(?<!\w)r(ank )?\d(?!\w)", line)]
        apart = {below - above for above, below in itertools.pairwise(found)}
        assert len(found) >= 2 and len(apart) == 1, (columns, rows, found)


FLAT = [name for name in registry.names() if states(name)[0].camera is None]


@pytest.mark.parametrize("name", FLAT)
def test_no_words_beside_a_box_lie_upon_one(name: str) -> None:
    for columns, rows in [(80, 20), (80, 15), (100, 24), (100, 19), (160, 36), (160, 30)]:
        for n, state in enumerate(states(name)):
            assert not upon_boxes(state, columns, rows), (columns, rows, n)


@pytest.mark.parametrize("name", FLAT)
def test_nor_do_they_with_other_parameters(name: str) -> None:
    """Each number at its ends and as a deck may say it, on pages of 80x24, 100x30 and 160x45."""
    found = scene(name)
    chosen = extremes(found)
    for param in found.params:
        if isinstance(param.default, int):
            few = range(max(int(param.low), 1), min(int(param.high), 8) + 1)
            chosen += [found.values({param.name: str(n)}) for n in few if allowed(found, param.name, n)]
    for values in chosen:
        steps = found.steps(values)
        for columns, rows in [(76, 13), (80, 14), (100, 19), (160, 26)]:
            for n in sorted({0, steps // 2, steps * 3 // 5, steps - 1}):
                wrong = upon_boxes(found.state(n, values), columns, rows)
                assert not wrong, (values, columns, rows, n, wrong)


def allowed(found: Scene, name: str, value: int) -> bool:
    try:
        return bool(found.values({name: str(value)}))
    except ValueError:
        return False


def upon_boxes(state: State, columns: int, rows: int) -> list[str]:
    """Return the letters beside boxes that lie upon one all the same."""
    marks, words = marks_of(state, columns, rows)
    painted: set[tuple[int, int]] = set()
    for mark in marks:
        if isinstance(mark, Face) and mark.alpha >= 0.3 and mark.ink not in ("panel", "background"):
            (left, top), (right, bottom) = mark.points[0], mark.points[2]
            across = range(math.floor(left * columns + 0.2), math.ceil(right * columns - 0.2))
            down = range(math.floor(top * rows + 0.1), math.ceil(bottom * rows - 0.1))
            painted.update(itertools.product(down, across))
    cells = written(marks, words, columns, rows, state).cells
    # What is within a box has no ink of its own; lines and their arrows may go through one.
    return [
        glyph.text
        for at, glyph in sorted(cells.items())
        if glyph.ink and glyph.text.isalnum() and at in painted
    ]
