"""Pictures behind a slide are how it looks and no part of it; alone on it they are shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from slides.dialects import translate

BEHIND = [
    '<div style="position: absolute; z-index: -1;">\n  <img src="a.png" style="width: 100%"/>\n</div>',
    '<div style="position: absolute; top: 0; width: 100%; height: 100%;"><img src="a.png"></div>',
    '<img src="a.png" class="absolute inset-0 w-full h-full" />',
    '<img class="w-full -z-1" src="a.png">',
    '<div class="my-header"><a href="https://x.org"><img src="a.png" height="100%"></a></div>',
]
ICONS = [
    '<img src="a.png" style="width: 20px; height: 20px; border-radius: 50%" title="A">',
    '<img width="48" src="a.png">',
]
OTHERS = [
    '<img src="a.png">',
    '<div class="relative"><img src="a.png" class="w-full"></div>',
    '<img src="a.png" width="480">',
    '<img src="a.png" style="width: 40%">',
]


@pytest.mark.parametrize("name", ["slidev", "marp", "remark", "revealmd"])
@pytest.mark.parametrize("written", BEHIND)
def test_a_picture_behind_words_goes(name: str, written: str) -> None:
    deck = f"# A\n\n---\n\n{written}\n\n# Words\n\n---\n\n# B\n"
    assert "a.png" not in _shown(translate(deck, name, Path("deck.md")).text)


@pytest.mark.parametrize("name", ["slidev", "marp", "remark", "revealmd"])
@pytest.mark.parametrize("written", BEHIND)
def test_a_picture_alone_is_shown(name: str, written: str) -> None:
    deck = f"# A\n\n---\n\n{written}\n\n<!-- words of a note -->\n\n---\n\n# B\n"
    assert "a.png" in _shown(translate(deck, name, Path("deck.md")).text)


@pytest.mark.parametrize("written", ICONS)
def test_an_icon_beside_words_is_none_of_its_pictures(written: str) -> None:
    assert "a.png" not in _shown(translate(f"{written}\n\n# Words\n", "slidev", Path("deck.md")).text)


def test_a_picture_behind_another_goes() -> None:
    text = translate(f"{BEHIND[0]}\n\n<img src='b.png'>\n", "slidev", Path("deck.md")).text
    assert "b.png" in _shown(text) and "a.png" not in _shown(text)


@pytest.mark.parametrize("written", OTHERS)
def test_another_picture_is_part_of_its_slide(written: str) -> None:
    assert "a.png" in _shown(translate(f"{written}\n\n# Words\n", "slidev", Path("deck.md")).text)


def test_what_reveal_loads_late_is_a_picture() -> None:
    page = '<section>\n<p><img data-src="a.png" /></p>\n</section>\n'
    assert "![](a.png)" in translate(page, "revealhtml", Path("deck.html")).text


def _shown(native: str) -> str:
    return "\n".join(line for line in native.split("\n") if "![" in line)
