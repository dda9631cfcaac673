"""Where nobody who knows kinds of questions is asked, a question is told without what answers it."""

from __future__ import annotations

import pytest

from slides import deck as d
from slides.drawing.layout import layout_blocks
from slides.drawing.screen_reader_lines import linear
from slides.drawing.text import plain
from slides.export.plain_words import text

BODIES = {
    "single": "Stem\n\n- [x] a\n- [ ] b\n\n> SECRET",
    "explained option": "Stem\n\n- [x] a\n  > SECRET\n- [ ] b",
    "part of the points": "Stem\n\n- [50%] a\n- [ ] b",
    "numeric": "Stem\n\n= 987654 ± 5%\n  > SECRET",
    "nothing but an answer": "Stem\n\n= 987654",
    "text": "Stem\n= SECRET | *SECRET*\n~ SECRET",
    "cloze": "Stem {{SECRET}}",
    "cloze over lines": "Stem {{a}} and {{SEC\nRET}}",
    "order": "Stem\n\n1. SECRET\n2. SECRET",
    "match": "Stem\n\n- SECRET => SECRET",
    "open fence": "Stem\n\n```\ncode\n- [x] a\n= 987654",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=[*BODIES])
@pytest.mark.parametrize("kind", ["", "single", "multi", "numeric", "text", "cloze", "order", "match"])
def test_its_key_is_not_told(body: str, kind: str) -> None:
    blocks = (d.Quiz("q", kind, {}, body, 1),)
    for told in (
        text(blocks),
        "\n".join(linear(blocks, -1, 99)),
        "\n".join(map(plain, layout_blocks(blocks, 99, 80))),
    ):
        assert "Stem" in told
        assert not [key for key in ("SECRET", "987654", "[x]", "[50%]") if key in told], told


def test_what_is_asked_is_told() -> None:
    poll = (d.Quiz("q", "", {}, "Stem\n\n- [ ] a\n- [ ] b\n\n```py\nx = [1]\n```", 1, "poll"),)
    assert text(poll).split("\n")[:1] == ["Stem"]
    for word in ("a", "b", "x = [1]"):
        assert word in text(poll)
    cloze = (d.Quiz("q", "cloze", {}, "A rank {{waits}} here.", 1),)
    assert "A rank ____ here." in text(cloze)
