"""What the front matter says of a talk stands on its title slide, once."""

from __future__ import annotations

from slides.deck import Heading, Paragraph
from slides.reading.parse import parse_slide
from slides.reading.split import split

FRONT = "---\ntitle: T\nsubtitle: S\nauthor: Grace\nevent: PyCon\ndate: 2026-11-30\n---\n"


def words(text: str, index: int = 0) -> list[str]:
    blocks = parse_slide(split(text, "d.md"), index).blocks
    assert all(isinstance(block, Heading | Paragraph) for block in blocks)
    return ["".join(part.text for part in block.content) for block in blocks]  # type: ignore[union-attr]


def test_a_title_slide_says_who_where_and_when() -> None:
    text = f"{FRONT}<!-- slide: {{layout: title}} -->\n# T\n"
    assert words(text) == ["T", "S", "Grace", "PyCon · 2026-11-30"]


def test_what_the_slide_says_itself_is_not_said_twice() -> None:
    own = "<!-- notes: S -->\n# T\n\nWhat it is about\n\ngrace, *PyCon*\n"
    text = f"{FRONT}<!-- slide: {{layout: title}} -->\n{own}"
    assert words(text) == ["T", "S", "What it is about", "grace, PyCon", "2026-11-30"]


def test_other_slides_are_as_they_are_written() -> None:
    assert words(f"{FRONT}# One\n") == ["One"]
    later = f"{FRONT}# One\n\n---\n\n<!-- slide: {{layout: title}} -->\n# Thanks\n"
    assert words(later, 1) == ["Thanks"]
    assert words("<!-- slide: {layout: title} -->\n# One\n") == ["One"]
