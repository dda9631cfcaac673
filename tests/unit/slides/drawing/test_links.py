"""Links lead somewhere: in the terminal, in what is exported, in lines; and nowhere else than they say."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader
from rich.console import Console

from slides.deck import Deck
from slides.drawing import links
from slides.drawing.layout import layout
from slides.drawing.screen_reader_lines import linear
from slides.drawing.text import Line
from slides.export.html import Section
from slides.export.html import page as html_page
from slides.export.markdown import page as markdown_page
from slides.reading.parse import parse_slide
from slides.reading.split import split
from tui import cli
from tui.rendering.row_strip import links_shown
from tui.rendering.themed_strips import Painter

CONSOLE = Console(color_system="truecolor", width=80)
DECK = """\
# Start {#start}

See [the *paper*](https://arxiv.org/abs/1910.02054?q=ü), [readers](#readers) or [nobody](#reader).

Mail [me](mailto:a@b.org), <https://kernel.org>.

---

# Readers {#readers}

Back to [start](#start).
"""


def read(text: str) -> Deck:
    return split(text, "deck.md")


def drawn(text: str, width: int = 60) -> list[Line]:
    return layout(parse_slide(read(text), 0), 0, width)


def written(text: str, width: int = 60) -> str:
    painter = Painter("dark")
    return "\n".join(painter.strip(line, width).render(CONSOLE) for line in drawn(text, width))


@pytest.fixture(autouse=True)
def able(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("FORCE_HYPERLINK", "VTE_VERSION"):
        monkeypatch.delenv(name, raising=False)


def test_a_terminal_is_told_where_words_lead_and_where_they_end() -> None:
    shown = written("A [b](https://x.org/p?q=1;2) c")
    begin, _, rest = shown.partition(";https://x.org/p?q=1;2\x1b\\")
    words, _, after = rest.partition("\x1b]8;;\x1b\\")
    assert "\x1b]8;id=" in begin and words.endswith("mb") and "c" in after and "]8;" not in after


def test_a_link_over_two_rows_is_one() -> None:
    rows = written("[" + "word " * 20 + "](https://x.org)", 40).split("\n")
    begins = [row[row.index("\x1b]8;id=") :].partition("\x1b\\")[0] for row in rows if "]8;" in row]
    assert len(begins) > 1 and len(set(begins)) == 1
    assert all(row.count("\x1b]8;;\x1b\\") == 1 for row in rows if "]8;" in row)


@pytest.mark.parametrize(
    "environ",
    [{"TERM": "linux"}, {"TERM": "dumb"}, {}, {"TERM": "xterm", "VTE_VERSION": "4205"},
     {"TERM": "xterm", "FORCE_HYPERLINK": "0"}],
)  # fmt: skip
def test_terminals_without_links_are_sent_none(environ: dict[str, str]) -> None:
    assert not links_shown(environ)
    assert links_shown({"TERM": "xterm-kitty", "VTE_VERSION": "7600"})


@pytest.mark.parametrize("href", ["#readers", "notes.md", "/etc/passwd", "file:///etc/passwd", "ssh://x", ""])
def test_only_addresses_of_the_web_are_given_to_a_terminal(href: str) -> None:
    assert links.address(href) == ""
    assert "]8;" not in written(f"A [b]({href}) c")


@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    st.sampled_from(["https://", "mailto:", "HTTP://"]),
)
def test_an_address_is_printable_ascii_whatever_stands_in_the_deck(tail: str, scheme: str) -> None:
    found = links.address(scheme + tail)
    assert found.isascii() and found.isprintable() and not set(found) & set(' "<>\\^`{|}')
    assert not found or found.lower().startswith(scheme.lower())
    assert links.address(found) == found


def test_hosts_of_any_script_and_marks_of_control() -> None:
    assert links.address("https://bücher.example/ä b") == "https://xn--bcher-kva.example/%C3%A4%20b"
    assert links.address("https://x.org/\x1b]0;owned\x07%0a\u202e") == "https://x.org/%0a"
    assert links.address("java\x01script:alert(1)") == ""


def test_lines_say_the_address_behind_the_words_where_these_do_not() -> None:
    told = "\n".join(linear(parse_slide(read(DECK), 0).blocks, -1, 0))
    assert "the paper (https://arxiv.org/abs/1910.02054?q=%C3%BC), readers (slide readers)" in told
    assert "me (a@b.org), https://kernel.org." in told


def test_a_link_is_one_in_html_and_markdown_and_jumps_lead_to_their_slide() -> None:
    deck = read(DECK)
    sections = [Section(parse_slide(deck, n), str(n + 1)) for n in range(2)]
    page = html_page(deck, sections)
    assert page.count('<a href="https://arxiv') == 1
    assert '<a href="#readers" rel="noopener noreferrer">' in page and 'id="readers"' in page
    text = markdown_page(deck, sections)
    assert "[the *paper*](https://arxiv.org" in text and '<a id="readers"></a>' in text


@pytest.mark.parametrize(
    "href", ["javascript:alert(1)", "java&#1;script:alert(1)", "data:text/html,x", "vbscript:x"]
)
def test_what_a_browser_would_run_is_in_no_export(href: str) -> None:
    deck = read(f'# A\n\n<a href="{href}">b</a>\n')
    sections = [Section(parse_slide(deck, 0), "1")]
    assert "script:" not in html_page(deck, sections) and "data:text" not in html_page(deck, sections)
    assert "script:" not in markdown_page(deck, sections) and "](" not in markdown_page(deck, sections)


def test_check_knows_which_slides_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("deck.md").write_text(DECK)
    cli.main(["check", "deck.md"])
    said = capsys.readouterr().out
    assert said.count("no slide has the id") == 1
    assert "deck.md:3" in said and "`reader`" in said and "Did you mean `#readers`?" in said


def test_a_pdf_has_links_to_the_web_and_to_its_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("deck.md").write_text(DECK)
    assert cli.main(["export", "deck.md", "--pdf"]) == 0
    book = PdfReader(io.BytesIO(Path("deck.pdf").read_bytes()))
    found = [[note.get_object() for note in page["/Annots"]] for page in book.pages]
    # A link in letters has an area in each of their rows.
    addresses = [*dict.fromkeys(note["/A"]["/URI"] for note in found[0] if "/A" in note)]
    assert addresses == ["https://arxiv.org/abs/1910.02054?q=%C3%BC", "mailto:a@b.org", "https://kernel.org"]
    jumps = [note["/Dest"][0].get_object() for note in found[0] if "/Dest" in note]
    assert jumps and all(page == book.pages[1].get_object() for page in jumps)  # `#reader` names no page
    assert found[1] and all(note["/Dest"][0].get_object() == book.pages[0].get_object() for note in found[1])
