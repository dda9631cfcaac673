"""What somebody has set for all his classes: `config.toml` and `keymap.toml` in `$XDG_CONFIG_HOME/teachrun`.

    theme = "projector"      # one of `slides.palette.NAMES`, or your own
    text = "big"             # normal, big, compact
    console = true           # start with the notes and the next slide beside this one
    keymap = "presenterm"    # keys with the habits of presenterm, reveal or pdfpc
    name = "front desk"      # the name by which other consoles know this screen
    transition = "push"      # none, push, wipe: how one slide becomes another; never over SSH
    mouse = false            # leave the mouse to the terminal: selecting text without Shift
    pictures = "blocks"      # auto, kitty, sixel, iterm2, blocks: how they are drawn
    motion = "off"           # auto, on, off: whether scenes move from step to step; auto is off over SSH
    scenes = "quadrants"     # auto, sextants, quadrants, halves, characters: what they are painted with
    [run.haskell]            # what runs such code blocks (`runtime.snippets.language_commands`)
    command = "runghc {file}"

Flags go before it, it goes before what a deck says. What is wrong in it names its line and is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from slides.problems import Problem, did_you_mean, quoted
from tui.keys import table as key_table

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from slides.drawing.text_size import Mode
    from tui.files.toml_file import Table
    from tui.keys.user_keymap import Keys

TEXTS = ("normal", "big", "compact")
Transition = Literal["none", "push", "wipe"]
TRANSITIONS: tuple[Transition, ...] = ("none", "push", "wipe")
MOTIONS = ("auto", "on", "off")
SCENES = ("auto", "sextants", "quadrants", "halves", "characters")
PICTURES = ("auto", "kitty", "sixel", "iterm2", "blocks")
KNOWN = (
    "theme", "text", "console", "keymap", "name", "pictures", "transition", "mouse", "motion", "scenes",
    "run",
)  # fmt: skip


class Settings(NamedTuple):
    """`keys` is None where they are those of our table."""

    theme: str = ""
    text: str = ""
    console: bool = False
    name: str = ""
    pictures: str = ""
    transition: str = ""
    mouse: bool = True
    motion: str = ""
    scenes: str = ""
    keys: Keys | None = None
    problems: tuple[Problem, ...] = ()


def given() -> Settings:
    """The settings as the files have them now. Never raises; without a file it costs two looks for one."""
    from runtime import paths

    try:
        folder = paths.config_dir()
    except paths.PathError:
        return Settings()
    config, keymap_file = folder / "config.toml", folder / "keymap.toml"
    own = themes_of(folder)
    if not config.is_file() and not keymap_file.is_file():
        return Settings(problems=own)
    from slides import palette
    from tui.files.toml_file import read
    from tui.keys.user_keymap import PRESETS, keymap

    table = read(config)
    theme = str(table.values.get("theme", ""))
    if theme and theme not in palette.names():
        from tui.config import user_theme

        user_theme.bring(theme)
    problems = list(table.problems)
    found = keymap(keymap_file, table.take("keymap", PRESETS, problems))
    settings = Settings(
        theme=table.take("theme", palette.names(), problems),
        text=table.take("text", TEXTS, problems),
        console=bool(_of_type(table, "console", bool, "true or false", problems)),
        name=str(_of_type(table, "name", str, 'text: `name = "front desk"`', problems) or ""),
        pictures=table.take("pictures", PICTURES, problems),
        transition=table.take("transition", TRANSITIONS, problems),
        mouse=_of_type(table, "mouse", bool, "true or false", problems) is not False,
        motion=table.take("motion", MOTIONS, problems),
        scenes=table.take("scenes", SCENES, problems),
        keys=found.keys,
    )
    for key in table.values:
        if key not in KNOWN:
            near = did_you_mean(key, KNOWN)
            mend = f"Did you mean `{near}`?" if near else f"Known are {', '.join(KNOWN)}."
            problems.append(Problem(table.file, table.line(key), f"{quoted(key)} is not a setting", mend))
    return settings._replace(problems=(*problems, *found.problems, *own))


def find_themes() -> None:
    """Register the user's themes; what is wrong with them is reported with the settings."""
    from runtime import paths

    try:
        themes_of(paths.config_dir())
    except paths.PathError:
        pass


def themes_of(folder: Path) -> tuple[Problem, ...]:
    """Register the user's themes and return what is wrong with them. Without any it costs one look."""
    if not (folder / "themes").is_dir():
        return ()
    from tui.config import user_theme

    return user_theme.load(folder / "themes")


def _of_type(table: Table, key: str, kind: type, expected: str, problems: list[Problem]) -> object:
    value = table.values.get(key)
    if value is None or isinstance(value, kind):
        return value
    shown = quoted(str(value))
    problems.append(Problem(table.file, table.line(key), f"{shown} is no {key}", f"Write {expected}."))
    return None


def take(args: argparse.Namespace) -> Settings:
    """The settings, given to what the command line leaves open and to the keys."""
    found = given()
    args.theme = args.theme or found.theme
    args.name = args.name or found.name
    if found.keys is not None:
        key_table.rebind(found.keys)
    return found._replace(mouse=found.mouse and not args.no_mouse)


def mode(text: str) -> Mode:
    """The size of text of this name, the normal one where there is none."""
    from slides.drawing import text_size

    return next((mode for mode in text_size.CHOICE if mode.name == text), text_size.NORMAL)
