"""A theme beside its deck: read as one's own are, told by `check`, worn by everybody who shows it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from slides import palette
from slides.problems import Problem
from slides.reading.split import split
from tui import cli
from tui.config import user_theme
from tui.deck import deck_upload, reloading
from tui.deck.contents import Contents, open_deck
from tui.rendering.themed_strips import Painter

THEME = 'base = "light"\n[colours]\nbackground = "#fdf6e3"\naccent = "#123456"\n'


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    before = dict(palette.THEMES)
    yield
    palette.THEMES.clear()
    palette.THEMES.update(before)


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    (tmp_path / "acme.toml").write_text(THEME)
    file = tmp_path / "deck.md"
    file.write_text("---\ntitle: T\ntheme: acme.toml\n---\n# One\n\nwords\n")
    return file


def problems(file: Path) -> list[Problem]:
    return list(open_deck(file).problems)


def test_it_is_worn_as_the_deck_asks(deck: Path) -> None:
    found = open_deck(deck)
    assert found.problems == () and palette.asked_for(found.meta) == "acme.toml"
    made = palette.THEMES["acme.toml"]
    assert (made.colour("accent"), made.colour("background"), made.dark) == ("#123456", "#fdf6e3", False)
    assert made.colour("text") == palette.LIGHT.colour("text")
    assert Painter("acme.toml").colour("accent") == "#123456"


@pytest.mark.parametrize(
    ("name", "line", "why"),
    [("gone.toml", 3, "there is no file"), ("../acme.toml", 3, "outside"), ("/etc/x.toml", 3, "outside")],
)
def test_a_file_that_cannot_be_read_is_told_at_its_line(deck: Path, name: str, line: int, why: str) -> None:
    deck.write_text(deck.read_text().replace("acme.toml", name))
    (problem,) = problems(deck)
    assert problem.line == line and why in problem.message and problem.file == str(deck)
    assert palette.asked_for(open_deck(deck).meta) == "dark"


def test_what_is_wrong_in_it_names_the_file_and_the_line(deck: Path) -> None:
    (deck.parent / "acme.toml").write_text(
        'base = "light"\n[colours]\naccent = "#fafafa"\nackcent = "#000000"\ntext = "red"\n'
    )
    found = {(Path(problem.file).name, problem.line) for problem in problems(deck)}
    assert found == {("acme.toml", 3), ("acme.toml", 4), ("acme.toml", 5)}


def test_check_tells_it(deck: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", str(deck)]) == 0
    capsys.readouterr()
    (deck.parent / "acme.toml").write_text('base = "light"\n[colours]\ntext = "#eeeeee"\n')
    assert cli.main(["check", str(deck)]) == 1
    out = capsys.readouterr().out
    assert (
        "acme.toml:3" in out and "text has a contrast of 1." in out and "Below 4.5 it cannot be read" in out
    )


def test_a_saved_theme_is_another_look(deck: Path) -> None:
    before = Contents(open_deck(deck))
    painter = Painter("acme.toml")
    assert reloading.read(before) is None
    (deck.parent / "acme.toml").write_text(THEME.replace("#123456", "#654321"))
    fresh = reloading.read(before)
    assert fresh is not None and fresh.contents is not None
    after = Painter("acme.toml")
    assert after.colour("accent") == "#654321" and after.look != painter.look


def test_two_decks_with_a_file_of_one_name_have_their_own(deck: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "acme.toml").write_text('[colours]\naccent = "#abcdef"\n')
    (other / "deck.md").write_text(deck.read_text())
    open_deck(deck)
    open_deck(other / "deck.md")
    assert Painter("acme.toml").colour("accent") == "#abcdef"


@pytest.mark.parametrize("role", ["audience", "console"])
def test_its_colours_travel_to_screens_that_have_no_file(deck: Path, role: str) -> None:
    contents = Contents(open_deck(deck))
    blob = (
        deck_upload.for_audience(contents) if role == "audience" else deck_upload.for_console(contents.deck)
    )
    del palette.THEMES["acme.toml"]
    theirs = deck_upload.contents(blob, role)
    assert palette.asked_for(theirs.deck.meta) == "acme.toml"
    assert palette.THEMES["acme.toml"].colour("accent") == "#123456"


@pytest.mark.parametrize(
    "colours",
    [{}, {"background": "red"}, {"background": "#ffffff", "accent": "\x1b]0;x\x07", "boo": "#000000"}],
)
def test_what_came_and_is_no_colour_is_none(colours: dict[str, str]) -> None:
    deck = split("---\ntheme: x.toml\n---\n# One\n", "d.md")
    user_theme.received(deck, colours)
    made = palette.THEMES.get("x.toml")
    assert made is None or (
        made.colour("accent") == palette.LIGHT.colour("accent") and "boo" not in made.colours
    )
    user_theme.received(split("---\ntheme: dark\n---\n# One\n", "d.md"), {"background": "#ffffff"})
    assert palette.THEMES["dark"] is palette.DARK


def test_pictures_of_slides_wear_it(deck: Path, tmp_path: Path) -> None:
    from PIL import Image

    out = tmp_path / "out"
    assert cli.main(["export", str(deck), "--png", "--size", "40x10", "-o", str(out)]) == 0
    (file,) = out.glob("*.png")
    with Image.open(file) as drawn:
        assert drawn.convert("RGB").getpixel((2, 2)) == (0xFD, 0xF6, 0xE3)
