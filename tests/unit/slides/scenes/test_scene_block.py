"""`::: scene` in a deck: read, laid out in the room there is, and a box where it cannot be."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from made_scene import known

from slides.check import reading
from slides.deck import Box, Scene, Slide
from slides.drawing.large.read_letters import words as words_of
from slides.drawing.layout import layout
from slides.drawing.screen_reader_lines import linear
from slides.drawing.text import plain
from slides.drawing.text_size import NORMAL, SMALL
from slides.export import html, markdown, plain_words
from slides.reading.parse import parse_slide
from slides.reading.split import split
from slides.scenes import registry, scene_request
from slides.scenes.painting.characters import TEXTURES


@pytest.fixture(autouse=True)
def scene() -> Iterator[None]:
    with known():
        yield


def slide(text: str) -> Slide:
    return parse_slide(split(text, "d.md"), 0)


def shown(of: Slide, step: int, width: int, height: int) -> list[str]:
    return [plain(line).rstrip() for line in layout(of, step, width, height)]


def test_its_steps_are_steps_of_the_slide() -> None:
    read = slide("# A\n\n::: scene token ranks=5\n")
    (block,) = (block for block in read.blocks if isinstance(block, Scene))
    assert (block.name, block.params, block.frames, read.steps) == ("token", {"ranks": "5"}, 5, 5)
    other = slide("# A\n\n::: animate token ranks=5\n")
    assert other.steps == 5


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("scene tokn", "Did you mean `::: scene token`?"),
        ("scene nothing-like-it", "teachrun list scenes"),
        ("scene token rank=4", "Did you mean `ranks=`?"),
        ("scene token ranks=99", "ranks is 2 to 16, not '99'"),
        ("scene token ranks=nan", "a whole number"),
        ("scene", "has no name"),
    ],
)
def test_what_cannot_be_is_a_box_with_what_to_write(line: str, said: str) -> None:
    (box,) = (block for block in slide(f"# A\n\n::: {line}\n").blocks if isinstance(block, Box))
    assert said in f"{box.problem.message} {box.problem.mend}"
    assert box.problem.line == 3


def test_a_step_that_fails_is_a_box_on_its_slide_and_check_names_it() -> None:
    deck = split("# A\n\n::: scene token fails=2\n", "d.md")
    read = parse_slide(deck, 0)
    assert "RuntimeError: no such luck" in " ".join(shown(read, 0, 100, 30))
    (problem,) = reading(deck, [read])
    assert problem.line == 3 and "step 3" in problem.message and "no such luck" in problem.message


@pytest.mark.parametrize(("width", "height"), [(152, 40), (92, 26), (76, 20), (60, 14)])
def test_it_fills_the_room_and_all_steps_are_of_one_height(width: int, height: int) -> None:
    read = slide("# A title\n\n::: scene token ranks=4\n")
    pages = [shown(read, step, width, height) for step in range(4)]
    assert {len(page) for page in pages} == {height}
    for step, page in enumerate(pages):
        assert any(f"step {step + 1}/4" in row and "drawn, not measured" in row for row in page[-2:])
        words, title = page[_row_of(f"Rank {step} has it", page)], page[_row_of("A title", page)]
        assert len(words) - len(words.lstrip()) == len(title) - len(title.lstrip())
        assert (f"Rank {step} has it" in words) == (width < 104), "in a room they are in letters"


def _row_of(words: str, page: list[str]) -> int:
    """Where these words stand, in letters or in one row."""
    return next(
        n
        for n, row in enumerate(page)
        if words in row or words in " ".join(words_of(page[n : n + 3]).split())
    )


def test_a_picture_has_at_least_the_width_of_words_on_a_wide_screen() -> None:
    rows = shown(slide("# A title\n\n::: scene token ranks=4\n"), 3, 152, 40)
    title = rows[_row_of("A title", rows)]
    assert min(len(row) - len(row.lstrip()) for row in rows if row) <= len(title) - len(title.lstrip())


def test_words_and_columns_leave_it_what_is_over() -> None:
    above = shown(slide("# A\n\nwords\n\n::: scene token\n\nmore\n"), 0, 152, 40)
    assert len(above) == 40 and above[-1].strip() == "more"
    beside = slide("# A\n\n::: columns 1,2\n\nwords\n\n+++\n\n::: scene token\n\n:::\n")
    assert beside.steps == 4
    assert len(shown(beside, 0, 152, 40)) == 40


def test_a_thumbnail_is_the_picture_alone() -> None:
    lines = layout(slide("# A\n\n::: scene token\n"), 0, 40, 12, mode=SMALL)
    text = "\n".join(map(plain, lines))
    assert "step 1" not in text and len(lines) <= 13


def test_at_any_size_it_is_there() -> None:
    read = slide("# A\n\n::: scene token\n")
    for width in (1, 2, 7, 30, 200):
        for height in (0, 1, 5, 60):
            assert layout(read, 1, width, height, mode=NORMAL)


def test_without_a_picture_each_step_is_told_in_words() -> None:
    read = slide("# A\n\n::: scene token ranks=3\n")
    first = linear(read.blocks, -1, 0)
    assert first[1] == "scene token, 3 steps"
    assert first[2] == "Rank 0 has it" and first[-1] == "step 1 of 3, drawn, not measured"
    assert linear(read.blocks, 0, 1)[0] == "Rank 1 has it"
    fails = slide("# A\n\n::: scene token fails=1\n")
    assert "step 2 of 4 cannot be shown: RuntimeError" in linear(fails.blocks, 0, 1)[0]


def test_exports_have_every_step_with_its_words() -> None:
    deck = split("# A\n\n::: scene token ranks=3 fails=1\n", "d.md")
    read = parse_slide(deck, 0)
    page = html.page(deck, [html.Section(read, "1")])
    assert page.count('<svg class="scene"') == 2
    assert (
        page.count("Rank 0 has it") == 2 and "no such luck" in page
    )  # beside its picture, and in place of it
    text = markdown.page(deck, [html.Section(read, "1")])
    assert "1. **Rank 0 has it**" in text and "3. **Rank 2 has it**" in text and "no such luck" in text
    assert "Rank 2 has it" in plain_words.text(read.blocks)


@pytest.mark.parametrize("name", registry.names())
def test_what_a_legend_names_is_told_apart_without_colours(name: str) -> None:
    for state in scene_request.asked(name, {}).states():
        for look in (state, *filter(None, [state.plan])):
            inks = list(dict.fromkeys(ink for ink, _ in look.legend))
            textures = {ink: TEXTURES.get(ink, "█") for ink in inks}
            assert len(set(textures.values())) == len(inks), textures
