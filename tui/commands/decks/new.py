"""`teachrun new FILE`: a deck that shows every part of the format, to be changed into one's own."""

from __future__ import annotations

import argparse
from pathlib import Path

from tui.command_line.exit_codes import DONE
from tui.command_line.refusals import complain

TITLE = "My talk"  # as the template has it
MAX_NAME = 40  # of a file, for a command with it to stand on one line of a slide


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the Markdown file to make, such as talk.md")


def main(args: argparse.Namespace) -> int:
    from slides.drawing.cells import clean
    from slides.reading.split import load

    path = Path(args.file)
    if path.suffix == "" and not path.is_dir():
        path = path.with_suffix(".md")
    shown = clean(str(path))
    if path.suffix.lower() not in (".md", ".markdown"):
        return complain(f"{shown} is no name for a deck. Write {clean(path.stem) or 'talk'}.md")
    if not path.parent.is_dir():
        return complain(f"there is no folder {clean(str(path.parent))}. Make it first")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text(path))
    except FileExistsError:
        return complain(f"{shown} exists already and is left as it is. Choose another name")
    slides = len(load(path).slides)
    print(f"{shown}: {slides} slides, each shows a part of the format")
    print(f"show it:  teachrun present {shown}")
    print(f"check it: teachrun check {shown}")
    return DONE


def text(path: Path) -> str:
    """The template, with the file's name as its title and in its examples."""
    import slides
    from slides.drawing.cells import clean

    template = (Path(slides.__file__).parent / "templates" / "deck.md").read_text("utf-8")
    words = " ".join("".join(c if c.isalnum() else " " for c in clean(path.stem)).split())
    title = words[:1].upper() + words[1:] if words else TITLE
    name = clean(path.name)
    return template.replace(TITLE, title).replace("talk.md", name if len(name) <= MAX_NAME else "talk.md")
