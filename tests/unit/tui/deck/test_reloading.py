"""A deck that is edited while it is taught: what is shown of it, and where one stands then."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from slides.reading.split import load
from tui.deck import reloading
from tui.deck.contents import Contents
from tui.deck.reloading import Fresh
from tui.files.watcher import Watcher
from tui.terminal.editor import Editor, editor

DECK = "# One\n\n---\n\n# Two\n\nwords\n\n---\n\n# Three\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "deck.md"
    path.write_text(DECK)
    return path


def opened(file: Path) -> Contents:
    return Contents(load(file))


def fresh(before: Contents) -> Fresh:
    found = reloading.read(before)
    assert found is not None
    return found


def test_an_unchanged_file_is_nothing_new(file: Path) -> None:
    assert reloading.read(opened(file)) is None


def test_what_changed_is_named(file: Path) -> None:
    before = opened(file)
    file.write_text(DECK.replace("words", "other words") + "\n---\n\n# Four\n")
    found = fresh(before)
    assert found.contents is not None and found.problem is None
    assert found.changed == (1, 3)
    assert reloading.described(found) == "deck reloaded: slide 2 and 1 more changed"


def read_through(contents: Contents) -> list[object]:
    return [contents.slide(head.index) for head in contents.heads]


def kept(edited: Contents, before: list[object]) -> list[bool]:
    return [edited.parsed(n) is before[n] for n in range(len(before))]


def test_slides_that_read_the_same_are_not_read_again(file: Path) -> None:
    before = opened(file)
    slides = read_through(before)
    file.write_text(DECK.replace("words", "other"))
    edited = fresh(before).contents
    assert edited is not None and kept(edited, slides) == [True, False, True]
    assert [edited.version(n) for n in range(3)] == [before.rev, edited.rev, before.rev]
    file.write_text(DECK.replace("words", "other\nlines"))  # what is below has other line numbers
    assert (further := fresh(edited).contents) is not None
    assert kept(further, slides) == [True, False, False]
    assert further.version(0) == before.rev and further.version(2) == further.rev


def test_what_a_slide_reads_elsewhere_counts_too(file: Path) -> None:
    code = file.with_name("code.py")
    code.write_text("x = 1\n")
    deck = DECK.replace("words", "```python file=code.py\n```")
    deck += "\n[home][there]\n\n---\n\n[there]: https://a.example\n"
    file.write_text(deck)
    before = opened(file)
    slides = read_through(before)
    code.write_text("x = 22\n")
    edited = fresh(before).contents
    assert edited is not None and kept(edited, slides) == [True, False, True, True]
    file.write_text(deck.replace("a.example", "b.example"))  # on GitHub, too, a link's aim holds everywhere
    assert (further := fresh(edited).contents) is not None and not any(kept(further, slides))


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        ("::: dmo ddp", 7),
        ("```python {9}\nx\n```", 7),
        ("::: quiz {#q kind=single}\nwhich?\n\n- [ ] none is right\n- [ ] nor this\n:::", 10),
        ("![a picture](gone.png)", 7),
    ],
)
def test_an_element_that_cannot_be_read_is_not_shown(file: Path, edit: str, line: int) -> None:
    before = opened(file)
    file.write_text(DECK.replace("words", edit))
    found = fresh(before)
    assert found.problem is not None and found.problem.line == line
    # Where it was so before, nothing has become worse.
    again = opened(file)
    file.write_text(DECK.replace("words", edit) + "\nmore\n")
    assert fresh(again).problem is None


@pytest.mark.parametrize("content", ["", "\n \n", None])
def test_a_file_without_a_deck(file: Path, content: str | None) -> None:
    before = opened(file)
    file.unlink() if content is None else file.write_text(content)
    found = fresh(before)
    assert found.contents is None and found.problem is not None


def test_a_file_that_a_slide_shows_counts_too(file: Path) -> None:
    shown = file.with_name("train.py")
    shown.write_text("x = 1\n")
    file.write_text(DECK.replace("words", "```python file=train.py\n```"))
    before = opened(file)
    assert not before.files
    before.slide(1)
    assert list(before.files) == [str(shown)]
    shown.write_text("x = 22\n")
    found = fresh(before)
    assert found.changed == (1,) and found.contents is not None
    assert found.contents.rev != before.rev
    found.contents.slide(1)
    assert reloading.read(found.contents) is None


@pytest.mark.parametrize(
    ("new", "at"),
    [
        ("# One\n\n---\n\n# Two again\n\n---\n\n# Three\n", 1),  # another name
        ("# One\n\n---\n\n# Three\n", 1),  # gone: the one that followed it
        ("# One\n", 0),
        ("# Zero\n\n---\n\n# One\n\n---\n\n# Two again\n\n---\n\n# Three\n", 2),
        ("# Zero\n\n---\n\n# Two\n\n---\n\n# Three\n", None),  # it is still there
    ],
)
def test_the_place_stays_or_is_the_neighbours(file: Path, new: str, at: int | None) -> None:
    before = opened(file)
    file.write_text(new)
    assert reloading.successor(before, opened(file), "two") == at


def test_the_watcher_tells_of_every_change_and_of_nothing_else(file: Path) -> None:
    told = threading.Semaphore(0)
    watcher = Watcher(lambda: [str(file)], told.release)
    watcher.start()
    try:
        assert told.acquire(timeout=30)  # what happened before it began
        file.write_text("# Other\n")
        assert told.acquire(timeout=30)
        new = file.with_name("new")
        new.write_text(file.read_text())
        new.replace(file)  # as editors save
        assert told.acquire(timeout=30)
        assert not told.acquire(timeout=0.1)
        file.unlink()
        assert told.acquire(timeout=30)
    finally:
        watcher.stop()


@pytest.mark.parametrize(
    ("said", "command", "terminal"),
    [
        ("vim -u NONE", ("vim", "-u", "NONE", "+7", "d.md"), True),
        ("nano", ("nano", "+7", "d.md"), True),
        ("code -r", ("code", "-r", "--goto", "d.md:7"), False),
        ("hx", ("hx", "d.md:7"), True),
        ("zed", ("zed", "d.md:7"), False),
        ("mine", ("mine", "+7", "d.md"), True),
    ],
)
def test_editors_are_told_the_line_as_they_know_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, command: tuple[str, ...], terminal: bool
) -> None:
    program = tmp_path / command[0]
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert editor("d.md", 7, {"EDITOR": said}) == Editor(command, terminal)
    assert editor("d.md", 7, {"VISUAL": said, "EDITOR": "gone"}) == Editor(command, terminal)


def test_no_editor_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    for environ in ({}, {"EDITOR": "gone"}, {"EDITOR": "a 'b"}):
        assert "$EDITOR" in str(editor("d.md", 7, environ))
