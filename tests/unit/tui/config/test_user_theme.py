"""Themes of one's own: what is right is worn, what is wrong names its line, and ours stay as they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from slides import palette
from tui.config import user_theme
from tui.rendering.themed_strips import Painter, following

SUN = 'base = "light"\n\n[colours]\nbackground = "#FDF6E3"\naccent = "#268bd2"\n'


@pytest.fixture(autouse=True)
def known() -> Iterator[None]:
    before = dict(palette.THEMES)
    yield
    palette.THEMES.clear()
    palette.THEMES.update(before)


def test_a_theme_is_laid_over_one_of_ours(tmp_path: Path) -> None:
    (tmp_path / "sun.toml").write_text(SUN)
    assert user_theme.load(tmp_path) == ()
    sun = palette.THEMES["sun"]
    assert (sun.colour("background"), sun.colour("accent"), sun.dark) == ("#fdf6e3", "#268bd2", False)
    assert sun.colour("text") == palette.LIGHT.colour("text") and palette.LIGHT.colour("accent") != "#268bd2"
    assert palette.names()[-1] == "sun" and palette.asked_for({"theme": "sun"}) == "sun"
    assert following("system") == "sun" and following("sun") == "dark"


def test_what_follows_a_colour_follows_that_of_the_theme(tmp_path: Path) -> None:
    """Else words on the ground of what waits are in the theme's colour on that of another theme."""
    light = 'background = "#fafafa"\ntext = "#1f2733"\nline = "#c4cad3"\nrank0 = "#0055aa"\n'
    (tmp_path / "day.toml").write_text(f"[colours]\n{light}")
    (tmp_path / "own.toml").write_text(f'[colours]\n{light}idle = "#ffffff"\n')
    user_theme.load(tmp_path)
    day, own = palette.THEMES["day"], palette.THEMES["own"]
    assert (day.colour("idle"), day.colour("params")) == ("#c4cad3", "#0055aa")
    assert own.colour("idle") == "#ffffff"


def test_saved_again_it_is_another_one_and_unchanged_the_same(tmp_path: Path) -> None:
    (tmp_path / "sun.toml").write_text(SUN)
    user_theme.load(tmp_path)
    first = Painter("sun")
    user_theme.load(tmp_path)
    assert Painter("sun").look == first.look
    (tmp_path / "sun.toml").write_text(SUN.replace("268bd2", "2a8bd2"))
    user_theme.load(tmp_path)
    assert Painter("sun").look != first.look and Painter("sun").colour("accent") == "#2a8bd2"


@pytest.mark.parametrize(
    ("name", "text", "line", "said"),
    [
        ("dark", SUN, 1, "`dark` cannot name a theme"),
        ("Sun!", SUN, 1, "`Sun!` cannot name a theme"),
        ("sun", 'base = "lihgt"\n', 1, "`lihgt` is no base"),
        (
            "sun",
            '[colours]\nacent = "#268bd2"\n',
            2,
            "`acent` is not a colour of a theme. Did you mean `accent`?",
        ),
        ("sun", '[colours]\naccent = "blue"\n', 2, "`blue` is not a colour"),
        ("sun", "[colours]\naccent = 3\n", 2, "`3` is not a colour"),
        ("sun", 'colours = "x"\n', 1, "`colours` is not a table"),
        ("sun", "fast = 1\n", 1, "`fast` is not a setting of a theme"),
        ("sun", '[colours]\ntext = "#0e1116"\n', 2, "text has a contrast of 1.0 on the background"),
        ("sun", "x = [\n", 2, "this is not TOML"),
        ("sun", "x = " + "[" * 3000, 1, "this is not TOML: brackets stand in each other too deep"),
    ],
)
def test_what_is_wrong_names_its_line(tmp_path: Path, name: str, text: str, line: int, said: str) -> None:
    (tmp_path / f"{name}.toml").write_text(text)
    ours = [palette.THEMES[known].colours for known in palette.NAMES if known != "system"]
    (problem,) = user_theme.load(tmp_path)
    assert problem.line == line and f"{problem.message}. {problem.mend}".startswith(said)
    assert [palette.THEMES[known].colours for known in palette.NAMES if known != "system"] == ours
    assert name != "sun" or palette.THEMES["sun"].colour("good") == palette.DARK.colour("good")


def test_every_command_knows_a_theme_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tui import cli

    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    themes = tmp_path / "teachrun" / "themes"
    themes.mkdir(parents=True)
    (themes / "sun.toml").write_text(SUN.replace("#FDF6E3", "#0000ff").replace('"light"', '"dark"'))
    monkeypatch.chdir(tmp_path)
    Path("deck.md").write_text("---\ntheme: sun\n---\n# One\n\nWords.\n")
    Path("other.md").write_text("---\ntheme: marsh\n---\n# One\n\nWords.\n")
    assert cli.main(["check", "deck.md"]) == 0, capsys.readouterr().out
    assert cli.main(["export", "deck.md", "--png", "-o", "its"]) == 0
    assert cli.main(["export", "other.md", "--png", "-o", "asked", "--theme", "sun"]) == 0
    assert "marsh" not in capsys.readouterr().err
    assert cli.main(["export", "other.md", "--png", "-o", "neither"]) == 0
    assert "marsh is not a theme here, dark is taken" in capsys.readouterr().err

    def corner(folder: str) -> tuple[int, ...]:
        from PIL import Image

        with Image.open(next(Path(folder).glob("*.png"))) as picture:
            return tuple(picture.convert("RGB").getpixel((0, 0)))  # type: ignore[arg-type]

    assert (corner("its"), corner("asked")) == ((0, 0, 255), (0, 0, 255))
    assert corner("neither") == tuple(bytes.fromhex(palette.DARK.colour("background")[1:]))


def test_a_page_wears_the_theme_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tui import cli

    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    themes = tmp_path / "teachrun" / "themes"
    themes.mkdir(parents=True)
    (themes / "sun.toml").write_text(SUN)
    (themes / "night.toml").write_text('[colours]\nbackground = "#010203"\n')
    monkeypatch.chdir(tmp_path)

    def page(front: str, *words: str) -> tuple[str, str]:
        Path("deck.md").write_text(f"---\ntitle: A deck\n{front}---\n# One\n\nWords.\n")
        assert cli.main(["export", "deck.md", "--html", "-o", "deck.html", *words]) == 0
        return Path("deck.html").read_text(), capsys.readouterr().err

    of_deck, said = page("theme: sun\n")
    assert "--background:#fdf6e3" in of_deck and "prefers-color-scheme" not in of_deck and not said
    asked, _ = page("theme: sun\n", "--theme", "night")
    assert "color-scheme:dark;--background:#010203" in asked and "#fdf6e3" not in asked
    assert asked.index("--background:#fb") < asked.index("@media screen")  # dark is not for paper
    unknown, said = page("theme: marsh\n")
    assert "marsh is not a theme here, the reader's light or dark is taken" in said
    assert "prefers-color-scheme" in unknown and unknown == page("")[0] == page("theme: system\n")[0]
    assert "--text:CanvasText" in page("", "--theme", "mono")[0]
    assert cli.main(["export", "deck.md", "--html", "--theme", "marsh"]) == 2
    assert "marsh is not a theme here. --theme takes dark, light" in capsys.readouterr().err


def test_an_option_of_another_format_is_said_to_be_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tui import cli

    monkeypatch.chdir(tmp_path)
    Path("deck.md").write_text("# One\n\nWords.\n")
    assert cli.main(["export", "deck.md", "--md", "-o", "-", "--theme", "light", "--slide", "1"]) == 0
    assert capsys.readouterr().err.splitlines() == [
        "teachrun: --slide is for --gif, --webp, and left out here",
        "teachrun: --theme is for --html, --pdf, --png, --gif, --webp, and left out here",
    ]
