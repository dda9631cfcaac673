"""What lookatme's extensions draw."""

from __future__ import annotations

from pathlib import Path

import pytest

from slides.deck import Paragraph
from slides.dialects import translate
from slides.reading.parse import parse_slide
from slides.reading.split import split


@pytest.mark.parametrize(
    ("fence", "shown"),
    [
        ("```qrcode\nhttps://example.org/a\n```", [("https://example.org/a", "https://example.org/a")]),
        ("```qrcode\nhello *all*\n```", [("hello all", "")]),
        (
            "```qrcode-ex\ncolumns:\n  - data: https://example.org/a_b\n    caption: Ours\n"
            "  - data: mailto:a@example.org\n```",
            [("Ours", "https://example.org/a_b"), ("mailto:a@example.org", "mailto:a@example.org")],
        ),
        ("```qrcode-ex\ncolumns:\n- data: 'javascript:x'\n  caption: '[a](b)'\n```", [("a (b)", "")]),
    ],
)
def test_a_code_for_phones_is_the_link_in_it(fence: str, shown: list[tuple[str, str]]) -> None:
    found = translate(f"# A\n\n{fence}\n\n# B\n", "lookatme", Path("deck.md"))
    deck = split(found.text, "deck.md")
    slide = parse_slide(deck, 0)
    assert [
        ("".join(part.text for part in block.content), block.content[0].href)
        for block in slide.blocks
        if isinstance(block, Paragraph)
    ] == shown
    assert [problem.line for problem in found.problems] == [3]
