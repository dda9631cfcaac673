"""Words that a component is given are said: without it nobody would read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from slides.dialects import translate
from slides.export.plain_words import text
from slides.reading.parse import parse_slide
from slides.reading.split import split


def words(written: str) -> list[str]:
    native = translate(f"# A\n\n{written}\n", "slidev", Path("deck.md")).text
    return text(parse_slide(split(native, "deck.md"), 0).blocks).split("\n")[1:]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('<Card title="Key idea" variant="tip">\n\nIt holds.\n\n</Card>', ["Key idea", "It holds."]),
        ('<Count :minutes="5" label=\'left to go\' size="lg" />', ["left to go"]),
        ('<Lead :title="\'Quoted\'" class="x" />', ["Quoted"]),
        (
            "<Grid\n  :columns=\"2\"\n  :items=\"[\n    { icon: 'i', title: '<1s', text: 'to be back' },\n"
            "    { title: 'Twice', tone: 'teal' },\n  ]\"\n/>",
            ["<1s — to be back", "Twice"],
        ),
        (
            "<List :groups=\"[{ title: 'One', items: [{ label: 'a' }, { label: 'b' }] }]\" />",
            ["One", "a", "b"],
        ),
        ("<Steps :steps=\"['read', 'write']\" />", ["read", "write"]),
        ('<Box color="red" width="3" />', []),
        ('<Tweet id="20" />', ["▶ https://twitter.com/i/status/20"]),
        ("words\n\n<Tweet />", ["words"]),
    ],
)
def test_what_a_component_is_given(written: str, said: list[str]) -> None:
    assert words(written) == said


@pytest.mark.parametrize("part", ["'", "{", "[", "a:", "\\", "`"])
def test_any_attribute_is_read_in_time_that_grows_with_it(part: str) -> None:
    from slides.dialects.html.props import said

    assert isinstance(said(f':items="[{part * 3000}"'), str)


def test_what_a_layout_is_given_stands_on_a_slide_with_nothing_else() -> None:
    deck = (
        "---\ntheme: seriph\n---\n\n# A\n\n---\nlayout: section\nsectionTitle: Why\n"
        "sectionSubtitle: at all\n---\n\n"
        "---\nlayout: iframe\nurl: https://x.org/a\n---\n\n---\ntitle: Only in the contents\n---\n\nwords\n"
    )
    found = split(translate(deck, "slidev", Path("deck.md")).text, "deck.md")
    slides = [text(parse_slide(found, n).blocks) for n in range(len(found.slides))]
    assert slides[1:] == ["Why\nat all", "▶ https://x.org/a", "words"]
