"""Footer, hints, help, clock: pictures of pure functions."""

from __future__ import annotations

from itertools import pairwise

import pytest
from made_screen import Screenful, place, settle

from slides.drawing import cells
from slides.drawing.text import Line, Span, plain
from slides.reading.split import split
from tui.classroom.position.place_in_talk import Badge, before_a_class
from tui.deck.contents import Contents
from tui.figures import progress_bar
from tui.keys.table import BOTH, first_rows, for_role, label, rows
from tui.panes import help_pages
from tui.panes.edges import footer_lines


def text(lines: list[Line]) -> str:
    return "\n".join(plain(line).rstrip() for line in lines)


def test_footer_at_three_widths() -> None:
    assert plain(footer_lines.footer(place(), 80)) == (
        "  Distributed data parallel  ·  Practice   ━━━━━━━━  slide 9/18 · 50 % · 12:40  "
    )
    assert plain(footer_lines.footer(place(), 100)) == (
        "  Distributed data parallel  ·  Practice               ━━━━━━━━━━━━━━━━  slide 9/18 · 50 % · 12:40  "
    )
    for width in (40, 60, 80, 100, 160):
        assert cells.line_width(footer_lines.footer(place(), width)) == width
    assert plain(footer_lines.footer(place(), 60)).endswith("slide 9/18 · 50 % · 12:40  ")
    assert plain(footer_lines.footer(place(elapsed=None), 100)).endswith("slide 9/18 · 50 %  ")
    assert "paused" in plain(footer_lines.footer(place(running=False), 100))


def test_the_bar_gives_way_to_words() -> None:
    section = place(section="What it costs")
    assert plain(footer_lines.footer(section, 80)) == (
        "  Distributed data parallel  ·  What it costs  ━━━━  slide 9/18 · 50 % · 12:40  "
    )
    runs = plain(footer_lines.footer(place(badges=(Badge("demo runs on", "accent"),)), 80))
    assert "   demo runs on   " in runs and "slide 9/18" in runs
    assert "Practice" not in runs and "…" not in runs  # there is no room for all of it
    two = (Badge("demo runs on", "accent"), Badge("room frozen"))
    assert "━" not in plain(footer_lines.footer(place(badges=two), 80))


def test_a_number_that_the_decks_own_footer_says_is_not_said_again() -> None:
    text = "---\ntitle: T\nfooter: 'page {slide} of {slides}'\n---\n# One\n\n---\n\n# Two\n"
    contents = Contents(split(text, "d.md"))
    shown = plain(footer_lines.footer(before_a_class(contents, 1), 100))
    assert "page 2 of 2" in shown and "slide 2/2" not in shown
    unnumbered = Contents(split(text.replace("page {slide} of {slides}", "ACME"), "d.md"))
    assert "slide 2/2" in plain(footer_lines.footer(before_a_class(unnumbered, 1), 100))
    backup = Contents(split(text + "\n---\n\n<!-- end -->\n\n# More\n", "d.md"))
    assert "backup +1" in plain(footer_lines.footer(before_a_class(backup, 2), 100))


def test_under_a_stacked_console_the_footer_says_what_goes_on() -> None:
    line = plain(footer_lines.footer(place(), 80, (Span("stage warm  ·  audience 2"),)))
    assert line.startswith("  stage warm  ·  audience 2 ") and line.endswith("━━━━━━━━  50 %  ")


def test_badges_are_words_beside_the_place() -> None:
    line = plain(footer_lines.footer(place(badges=(Badge("host lost, restarting", "bad"),)), 100))
    assert "host lost, restarting" in line and "slide 9/18" in line


def test_half_of_the_deck_is_half_of_the_bar() -> None:
    done, left = progress_bar.progress(0.5, 16)
    assert (len(done.text), len(left.text)) == (8, 8) and done.style != left.style


@pytest.mark.parametrize("role", BOTH)
@pytest.mark.parametrize(("width", "height"), [(80, 24), (100, 30), (160, 45)])
def test_help_lists_every_action_in_at_most_two_screens(role: str, width: int, height: int) -> None:
    first = help_pages.help_lines(role, width, height)
    last = help_pages.help_lines(role, width, height, top=999)
    shown = text(first + last)
    for lines in (first, last):
        assert len(lines) <= height
        assert all(cells.line_width(line) <= width for line in lines)
    for row in rows(role):
        assert row.text in shown and row.keys[0] in shown, row
    listed = " ".join(key for row in rows(role) for key in row.keys)
    for action in for_role(role):
        keyless = not action.keys or action.name.startswith("digit(")
        assert keyless or label(action.keys[0]) in listed, action.name


def test_a_help_that_is_longer_than_the_screen_says_so_and_can_be_turned() -> None:
    assert "any key closes" in plain(help_pages.help_lines("console", 160, 60)[0])
    body = help_pages.help_rows("console", 80, 12)
    assert "↓ more · any other key closes" in plain(help_pages.help_lines("console", 80, 12)[0])
    assert "↑ more" in plain(help_pages.help_lines("console", 80, 12, top=999)[0])
    assert help_pages.help_lines("console", 80, 12, top=3)[2:] == body[3:13]


@pytest.mark.parametrize(("width", "height"), [(80, 24), (100, 30), (160, 45), (200, 60)])
def test_the_first_page_of_the_help_is_ten_keys_as_large_as_there_is_room_for(
    width: int, height: int
) -> None:
    lines = help_pages.first_page("console", width, height)
    assert len(lines) <= height and all(cells.line_width(line) <= width for line in lines)
    names = [row.text for row in first_rows("console")]
    assert len(names) == 10
    if height < 45:
        at = [next(n for n, line in enumerate(lines) if name in plain(line)) for name in names]
        apart = {b - a for a, b in pairwise(at)}
        assert len(apart) == 1 and min(apart) >= 2  # blank rows between any two, the same everywhere
    else:  # letters of four rows: a twenty-fifth of the height and more, to be read from afar
        blocks = [line for line in lines if set(plain(line)) & set("█▌▐▛▜▙▟")]
        assert len(blocks) >= 3 * len(names) - 3 and "Next step" not in text(lines)
    assert "all keys" in plain(lines[0])


@pytest.mark.parametrize(("width", "height"), [(80, 24), (100, 30), (160, 45), (200, 60)])
def test_groups_of_the_help_are_whole_and_even(width: int, height: int) -> None:
    groups = list(dict.fromkeys(row.group for row in rows("console")))
    body = help_pages.help_rows("console", width, height)
    room = height - 2
    pages = [body[n : n + room] for n in range(0, len(body), room)]
    assert len(pages) <= 2 and (len(pages) == 1 or len(body) % room == 0)
    for group in groups:
        of_group = [row.text for row in rows("console") if row.group == group]
        there = [page for page in pages if any(group in plain(line) for line in page)]
        assert len(there) == 1 and all(any(t in plain(line) for line in there[0]) for t in of_group), group


async def test_the_help_is_turned_and_closed() -> None:
    full = Screenful()
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.press("question_mark")
        await settle(pilot)
        assert "The keys you need" in full.text() and "Start or stop the demo" in full.text()
        await pilot.press("question_mark")
        await settle(pilot)
        assert "All keys" in full.text() and "Bookmark" in full.text()
        await pilot.press("down")
        await settle(pilot)
        assert "Break a rank on purpose" in full.text() and "Bookmark" not in full.text()
        await pilot.press("up", "up")
        await settle(pilot)
        assert "The keys you need" in full.text()
        await pilot.press("x")
        await settle(pilot)
        assert "The keys you need" not in full.text() and "four copies" in full.text().lower()


def test_help_survives_any_terminal() -> None:
    for width in (1, 5, 20, 59):
        for height in (1, 3, 16):
            lines = help_pages.help_lines("console", width, height)
            assert len(lines) <= height and all(cells.line_width(line) <= width for line in lines)


def test_hints_are_whole_or_not_there() -> None:
    words = (("d", "start"), ("Enter", "full size"), ("?", "keys"))
    assert plain(footer_lines.hints(words, 80)) == "  d start  Enter full size  ? keys  "
    assert plain(footer_lines.hints(words, 20)) == "  d start  ? keys  "
    assert plain(footer_lines.hints(words, 19)) == "  d start  "


def test_untrusted_words_reach_no_terminal_raw() -> None:
    line = plain(footer_lines.footer(place(title="a\x1b[2Jb\x07"), 80))
    assert "\x1b" not in line and "\x07" not in line
    assert "\x1b" not in plain(footer_lines.message("x\x1b]0;t\x07y", "bad", 80))
