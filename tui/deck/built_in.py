"""The decks that come with teachrun."""

from __future__ import annotations

from pathlib import Path


def courses() -> Path:
    """The folder of the courses, a folder each."""
    import slides

    return Path(str(slides.__file__)).parent / "courses"


def first_lesson() -> Path:
    """What is shown where no deck is named."""
    return courses() / "distributed" / "05-ddp.md"


def tour() -> Path:
    """The deck that teaches the keys."""
    return courses() / "tour.md"


def lessons() -> dict[str, Path]:
    """All of them by name, in the order of the course; what they are translated into lies deeper."""
    found = [*courses().glob("*.md"), *courses().glob("*/*.md")]
    return {path.stem: path for path in sorted(found)}


def deck_file(text: str) -> str:
    """The file of a lesson that is called by its name (`01-one-step`); all else is a path as it stands."""
    path = Path(text)
    if path.suffix or len(path.parts) != 1 or path.exists():
        return text
    return str(lessons().get(text, text))
