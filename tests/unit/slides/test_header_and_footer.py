"""Header, footer and logo of a front matter: what they say, what is wrong with them, and in a document."""

from __future__ import annotations

from pathlib import Path

import pytest

from slides import header_and_footer
from slides.check import reading
from slides.dialects.detect import detect
from slides.export import header_and_footer_html as of_document
from slides.header_and_footer import Place
from slides.reading.split import split
from tui.deck.contents import Contents

PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)


def checked(text: str, file: Path) -> list[tuple[int, str]]:
    deck = split(text, str(file))
    contents = Contents(deck)
    found = reading(deck, [contents.slide(n) for n in range(len(contents))])
    return [(problem.line, problem.message) for problem in found]


def test_what_the_deck_and_the_place_say_stands_in_braces() -> None:
    of = header_and_footer.of(
        {"title": "T", "date": "May", "header": "{title} | {section} | {date}", "footer": "{slide}/{slides}"}
    )
    assert (
        of.over(Place("Rings", "3", "9")) == ("T", "Rings", "May") and of.under(Place("", "3", "9")) == "3/9"
    )
    assert of.worded and not of.picture


@pytest.mark.parametrize(
    ("header", "parts"),
    [
        ("one", ("one", "", "")),
        ("| two", ("", "two", "")),
        ("a | b | c | d", ("a", "b", "c | d")),
        ("{nothing} {title}", ("{nothing} T", "", "")),
        ("\x1b[31mred\x07 | {title}\n", ("red", "T", "")),
    ],
)
def test_parts_of_a_header(header: str, parts: tuple[str, str, str]) -> None:
    assert header_and_footer.of({"title": "T", "header": header}).over(Place()) == parts


def test_a_field_is_filled_once_and_never_read_again() -> None:
    of = header_and_footer.of({"title": "{date}", "date": "May", "header": "{title}"})
    assert of.over(Place())[0] == "{date}"


@pytest.mark.parametrize(
    ("logo", "picture"), [("a.png", True), ("img/a b.SVG", True), ("ACME", False), ("png", False)]
)
def test_a_logo_is_a_picture_or_words(logo: str, picture: bool) -> None:
    of = header_and_footer.of({"logo": logo})
    assert (of.picture, of.logo) == ((logo, "") if picture else ("", logo))


def test_check_names_the_line_of_a_picture_that_is_not_there_and_of_an_unknown_field(tmp_path: Path) -> None:
    file = tmp_path / "d.md"
    text = "---\ntitle: T\nheader: '{titel}'\nlogo: {}\n---\n# One\n\nwords\n"
    for logo, why in (
        ("no.png", "there is no file"),
        ("../x.png", "outside"),
        ("https://a.b/c.png", "is not a file"),
    ):
        found = checked(text.replace("{}", logo), file)
        assert [line for line, _ in found] == [3, 4] and why in found[1][1], found
        assert "{titel}" in found[0][1]
    (tmp_path / "no.png").write_bytes(PNG)
    assert [line for line, _ in checked(text.replace("{}", "no.png"), file)] == [3]


def test_a_document_has_them_once_and_nothing_of_a_slides_place(tmp_path: Path) -> None:
    (tmp_path / "l.png").write_bytes(PNG)
    text = "---\nheader: 'A & B | {section}'\nfooter: 'F | {slide} of {slides}'\nlogo: l.png\n---\n# One\n"
    deck = split(text, str(tmp_path / "d.md"))
    over = of_document.over(deck)
    assert 'class="logo" src="data:image/png;base64,' in over and '<p class="over">A &amp; B</p>' in over
    assert of_document.under(deck) == "<p>F</p>"
    assert of_document.over(split("# One\n", "d.md")) == of_document.under(split("# One\n", "d.md")) == ""


def test_settings_of_a_page_make_no_deck_another_programs() -> None:
    body = "---\n# A\n\n<!-- slide: {section: S} -->\n\nwords\n\n---\n\n# B\n"
    for front in ("header: x", "footer: x", "logo: l.png", "event: E\nheader: '{event}'"):
        assert detect(f"---\n{front}\n{body}") == "teachrun", front
