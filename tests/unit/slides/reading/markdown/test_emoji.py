"""Emoji by name, as decks of browsers have them."""

from __future__ import annotations

import pytest

from slides.reading.markdown.emoji import emoji


@pytest.mark.parametrize(
    ("name", "sign"),
    [
        ("rocket", "🚀"), ("thumbsup", "👍"), ("shrug", "🤷"), ("facepalm", "🤦"), ("bricks", "🧱"),
        ("thinking", "🤔"), ("coin", "🪙"), ("magic_wand", "🪄"), ("melting_face", "🫠"), ("de", "🇩🇪"),
        ("technologist", "🧑‍💻"),
    ],
)  # fmt: skip
def test_names_of_rich_of_unicode_and_of_github(name: str, sign: str) -> None:
    assert emoji(name) == sign


@pytest.mark.parametrize("name", ["comma", "space", "digit_one", "latin_small_letter_a", "gloo", "no_such"])
def test_other_words_between_colons_stay(name: str) -> None:
    assert emoji(name) == f":{name}:"
