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
    """The file of a lesson that is called by its name (`01-one-step`, or `acme/01-first` of a course that a
    package brings); all else is a path as it stands."""
    path = Path(text)
    if path.suffix or len(path.parts) > 2 or path.is_absolute() or path.exists():
        return text
    if len(path.parts) == 2:
        return str(_in_course(*path.parts) or text)
    return str(lessons().get(text, text))


def _in_course(course: str, name: str) -> Path | None:
    """The lesson `name` of a course that is here or that a package brings; None where there is none."""
    import teachrun

    folder = courses() / course
    if not folder.is_dir():
        try:
            found = teachrun.bring("courses", course)
        except teachrun.Unusable:  # `course show` says why
            return None
        if found is None:
            return None
        at = Path(str(getattr(found, "__file__", None) or found))
        folder = at.parent if at.is_file() else at
    file = folder / f"{name}.md"
    return file if file.is_file() else None
