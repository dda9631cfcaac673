"""User themes: `themes/NAME.toml` beside the settings, or a file beside a deck, over one of ours.

    base = "light"               # one of ours with colours; dark where none is said

    [colours]
    background = "#fdf6e3"
    accent = "#268bd2"

Names of colours are those of `slides.palette`. What is wrong in a file names its line and is left out.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from msgspec import structs

import teachrun
from slides import palette
from slides.contrast import luminance, unreadable
from slides.deck import Deck
from slides.palette import Palette
from slides.problems import Mistake, Problem, did_you_mean, one_line, quoted
from slides.reading.from_disk.named_files import locate
from tui.files.toml_file import read

BASES = tuple(name for name, theme in palette.THEMES.items() if theme.colours)  # before any of theirs
MOST = 40  # files that are read
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
OURS = palette.NAMES
SUFFIX = ".toml"  # of a theme beside a deck: what ends so is not a name of another theme


def load(folder: Path) -> tuple[Problem, ...]:
    """Make the themes in `folder` known; what is wrong with them."""
    problems: list[Problem] = []
    for file in sorted(folder.glob("*.toml"))[:MOST] if folder.is_dir() else ():
        if not _NAME.fullmatch(file.stem) or file.stem in OURS:
            mend = f"Use lower-case letters, digits, - and _, and none of {', '.join(OURS)}."
            problems.append(Problem(str(file), 1, f"{quoted(file.stem)} cannot name a theme", mend))
            continue
        _make_known(theme(file, problems))
    return tuple(problems)


def _make_known(made: Palette) -> None:
    """Under its name; in the place of another one of that name it has another version."""
    known = palette.THEMES.get(made.name)
    if known is None or (known.colours, known.dark) != (made.colours, made.dark):
        version = known.version + 1 if known is not None else 0
        palette.THEMES[made.name] = replace(made, version=version)


def theme(file: Path, problems: list[Problem]) -> Palette:
    """The theme in a file, as far as it can be read."""
    table = read(file)
    problems += table.problems
    base = palette.THEMES[table.take("base", BASES, problems) or "dark"]
    own: dict[str, str] = {}

    def wrong(key: str, message: str, mend: str) -> None:
        problems.append(Problem(str(file), table.line(key), message, mend))

    for name, value in table.section("colours", problems).items():
        if name not in base.colours:
            near = did_you_mean(name, tuple(base.colours))
            mend = f"Did you mean `{near}`?" if near else f"Known are {', '.join(base.colours)}."
            wrong(name, f"{quoted(name)} is not a colour of a theme", mend)
        elif not isinstance(value, str) or not _COLOUR.fullmatch(value):
            wrong(name, f"{quoted(str(value))} is not a colour", 'Write "#rrggbb".')
        else:
            own[name] = value.lower()
    for key in table.values:
        if key not in ("base", "colours"):
            wrong(key, f"{quoted(key)} is not a setting of a theme", "Known are base and [colours].")
    colours = palette.laid_over(base.colours, own)
    for ink, found, least in unreadable(colours):
        wrong(
            ink,
            f"{ink} has a contrast of {found:.1f} on the background",
            f"Below {least} it cannot be read.",
        )
    return Palette(file.stem, luminance(colours["background"]) < 0.5, colours, base.marks)


def beside(deck: Deck) -> Deck:
    """The deck, with what is wrong with the theme that it names by a file beside it (`theme: acme.toml`); it
    is known by this name from now on. Never raises."""
    written = deck.meta.get("theme", "").strip()
    if not written.endswith(SUFFIX):
        return deck
    problems: list[Problem] = []
    files = deck.files
    try:
        file = locate(Path(deck.path).parent, written)
        _make_known(replace(theme(file, problems), name=written))
        files = (*files, str(file))
    except Mistake as mistake:
        line = next((n for n, text in enumerate(deck.source.split("\n", 200), 1) if written in text), 1)
        line = deck.places[line - 1] if line <= len(deck.places) else line
        problems.append(Problem(deck.path, line, mistake.message, mistake.mend))
    return structs.replace(deck, problems=(*deck.problems, *problems), files=files)


def colours_of(deck: Deck) -> dict[str, str]:
    """The colours of the theme that a deck brings, for screens that have no file of it; {} for none."""
    written = deck.meta.get("theme", "").strip()
    made = palette.THEMES.get(written) if written.endswith(SUFFIX) else None
    return dict(made.colours) if made is not None else {}


def received(deck: Deck, colours: dict[str, str]) -> None:
    """Make the theme known that came with a deck; of colours that are none, those of ours stay."""
    written = deck.meta.get("theme", "").strip()
    background = colours.get("background", "")
    if not written.endswith(SUFFIX) or not _COLOUR.fullmatch(background):
        return
    dark = luminance(background) < 0.5
    base = palette.THEMES["dark" if dark else "light"]
    sound = {
        key: colour for key, colour in colours.items() if key in base.colours and _COLOUR.fullmatch(colour)
    }
    _make_known(Palette(written, dark, palette.laid_over(base.colours, sound), base.marks))


def bring(name: str) -> Problem | None:
    """Make the theme known that another package brings (entry point `teachrun.themes`: a `Palette`, or the
    path of a TOML file as above); what is wrong with it. Nothing where nobody brings it. Never raises."""
    problems: list[Problem] = []
    try:
        found = teachrun.bring("themes", name)
    except teachrun.Unusable as error:
        return Problem(quoted(name), 1, one_line(str(error)), "Fix or remove it.")
    if found is None or name in palette.THEMES:
        return None
    who = teachrun.bringer("themes", name)
    if isinstance(found, str | Path) and Path(found).is_file():
        found = theme(Path(found), problems)
    if not isinstance(found, Palette) or not all(map(_COLOUR.fullmatch, found.colours.values())):
        said = f"{who} brings a theme that is not a Palette of colours #rrggbb, and no TOML file"
        return Problem(quoted(name), 1, said, "Fix or remove it.")
    base = palette.THEMES["dark" if found.dark else "light"]
    colours = palette.laid_over(base.colours, found.colours) if found.colours else {}
    palette.THEMES[name] = replace(found, name=name, colours=colours)
    return problems[0]._replace(message=f"{who}: {problems[0].message}") if problems else None
