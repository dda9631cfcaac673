"""Every theme knows every meaning, and what must be read can be read (WCAG 2.2, 1.4.3 and 1.4.11)."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from rich.color import Color, ColorSystem
from rich.style import Style

from slides.contrast import contrast
from slides.palette import DARK, MONO, THEMES, Attributes, Palette
from tui.rendering.row_strip import look

COLOURED = [palette for palette in THEMES.values() if palette.colours]
TEXT = ["text", "heading", "dim", "accent", "good", "warning", "bad", "code"]
CODE = [name for name in DARK.colours if name.startswith("code.")]
PIECES = ["forward", "backward", "weight"]
DECORATION = ["faint", "wait", "params", "grads", "optimizer", "activations", "compute", "hidden", "exposed"]
RANKS = [f"rank{n}" for n in range(8)]


def below(palette: Palette, inks: list[str], grounds: list[str], bound: float) -> list[str]:
    return [
        f"{ink} on {ground}: {found:.2f}"
        for ink in inks
        for ground in grounds
        if (found := contrast(palette.colour(ink), palette.colour(ground))) < bound
    ]


def test_contrast_is_the_formula_of_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)  # the known near miss


@pytest.mark.parametrize("palette", COLOURED, ids=lambda palette: palette.name)
def test_text_keeps_aa(palette: Palette) -> None:
    assert below(palette, TEXT, ["background", "panel"], 4.5) == []
    assert below(palette, [*CODE, "text", "dim"], ["panel", "select"], 4.5) == []
    assert below(palette, [*CODE, "text", "dim", "good"], ["added"], 4.5) == []
    assert below(palette, [*CODE, "text", "dim", "bad"], ["removed"], 4.5) == []


@pytest.mark.parametrize("palette", COLOURED, ids=lambda palette: palette.name)
def test_decoration_keeps_three_to_one(palette: Palette) -> None:
    assert below(palette, [*DECORATION, *PIECES, *RANKS], ["background", "panel"], 3.0) == []


@pytest.mark.parametrize("palette", COLOURED, ids=lambda palette: palette.name)
def test_numbers_on_rank_colours_can_be_read(palette: Palette) -> None:
    assert below(palette, ["background"], [*RANKS, *PIECES, "accent"], 4.5) == []


@pytest.mark.parametrize("palette", COLOURED, ids=lambda palette: palette.name)
def test_words_on_what_waits_can_be_read_and_its_dots_are_seen(palette: Palette) -> None:
    assert below(palette, ["text"], ["idle"], 4.5) == []
    assert below(palette, ["wait"], ["idle"], 1.5) == []


def test_a_projector_shows_text_at_seven_to_one() -> None:
    projector = THEMES["projector"]
    assert below(projector, [*TEXT, *CODE], ["background", "panel"], 7.0) == []
    assert below(projector, ["faint"], ["background", "panel"], 4.5) == []


@pytest.mark.parametrize("palette", COLOURED, ids=lambda palette: palette.name)
def test_themes_know_the_same_meanings(palette: Palette) -> None:
    assert set(palette.colours) == set(DARK.colours)
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in palette.colours.values())
    assert len({palette.colour(name) for name in RANKS}) == len(RANKS)


# --- who sees two of the three primaries ----------------------------------------------------------------

SIGHTS = ("", "protan", "deutan", "tritan")


def difference(one: str, other: str, sight: str) -> float:
    """CIEDE2000 of two colours as somebody with that sight has them, by coloraide (Machado et al., 2009)."""
    coloraide = pytest.importorskip("coloraide")
    seen = [
        coloraide.Color(colour).filter(sight, method="machado") if sight else coloraide.Color(colour)
        for colour in (one, other)
    ]
    return float(seen[0].delta_e(seen[1], method="2000"))


def closest(palette: Palette, names: list[str], sight: str) -> tuple[float, str]:
    return min(
        (difference(palette.colour(a), palette.colour(b), sight), f"{a} and {b}")
        for a, b in combinations(names, 2)
    )


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("palette", COLOURED, ids=lambda palette: palette.name)
def test_ranks_are_told_apart_by_everybody(palette: Palette, sight: str) -> None:
    assert closest(palette, RANKS[:4], sight) > (14, "")
    assert closest(palette, RANKS, sight) > (8, "")
    assert closest(palette, ["params", "grads", "optimizer", "activations"], sight) > (14, "")


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("palette", COLOURED, ids=lambda palette: palette.name)
def test_added_and_removed_are_told_apart_by_everybody(palette: Palette, sight: str) -> None:
    assert closest(palette, ["added", "removed"], sight) > (12, "")


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("palette", COLOURED, ids=lambda palette: palette.name)
def test_right_and_wrong_are_told_apart_by_everybody(palette: Palette, sight: str) -> None:
    assert closest(palette, ["good", "bad"], sight) > (14, "")
    assert closest(palette, ["good", "warning", "bad"], sight) > (8, "")


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("palette", COLOURED, ids=lambda palette: palette.name)
def test_what_a_step_is_made_of_is_told_apart_by_everybody(palette: Palette, sight: str) -> None:
    assert closest(palette, ["compute", "hidden", "exposed", "wait"], sight) > (9, "")


@pytest.mark.parametrize("palette", COLOURED, ids=lambda palette: palette.name)
def test_ranks_have_colours_of_their_own_among_sixteen(palette: Palette) -> None:
    shown = [look(Style(color=Color.parse(palette.colour(rank))), ColorSystem.STANDARD).ink for rank in RANKS]
    assert len(set(shown)) == len(RANKS)
    ground = look(Style(color=Color.parse(palette.colour("background"))), ColorSystem.STANDARD).ink
    assert ground not in shown


def test_a_name_unknown_to_the_palette_is_text() -> None:
    assert DARK.colour("code.unheard-of") == DARK.colour("text")
    assert DARK.colour("") == ""


def test_mono_has_no_colour_and_tells_meanings_apart_by_attributes() -> None:
    assert not any(MONO.colour(name) for name in DARK.colours)
    told = [MONO.attributes(name) for name in ("text", "accent", "warning", "bad", "dim", "select")]
    assert len(set(told)) == len(told)


def test_mono_shows_what_fills_a_shape_by_reverse_and_leaves_panels_alone() -> None:
    assert MONO.attributes("background", "good").reverse
    assert MONO.attributes("text", "#3b8be6").reverse  # a box of a scene
    assert not MONO.attributes("accent", "accent").reverse  # "█": a blank if it were
    assert MONO.attributes("text", "wait") == Attributes(reverse=True, dim=True)
    assert not any(MONO.attributes("text", name).reverse for name in ("", "background", "panel", "added"))
    assert not DARK.attributes("background", "good").reverse
