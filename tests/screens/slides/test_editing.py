"""A deck that changes while it is taught: place, step and timer stay, a bad edit is the console's affair."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_screen import FakeLink, Screenful, until

from runtime.protocol.messages import Publish
from slides.reading.split import load
from tui.deck.contents import Contents

DECK = "# One\n\n---\n\n# Two\n\nfirst\n\n<!-- pause -->\n\nsecond\n\n---\n\n# Three\n"


class Edited(Screenful):
    """A screen whose deck lies in a folder of the test's."""

    def __init__(self, folder: Path, deck: str = DECK) -> None:
        super().__init__()
        self.file = folder / "deck.md"
        self.file.write_text(deck)
        self.session.replace_deck(Contents(load(self.file)))
        self.session.welcome(FakeLink(print, print).state, lambda n, action: None)

    def save(self, text: str) -> None:
        """As editors do."""
        new = self.file.with_name("new")
        new.write_text(text)
        new.replace(self.file)


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


async def test_an_edit_is_shown_at_the_same_slide_and_step(tmp_path: Path) -> None:
    full = Edited(tmp_path)
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("right", "right", "t")
        timer = full.session.state.timer
        full.save("# Before\n\n---\n\n" + DECK.replace("second", "SECOND"))
        await until(pilot, lambda: "SECOND" in full.text())
        assert (full.session.state.pos.slide, full.session.step) == ("two", 1)
        assert full.session.state.timer == timer
        assert "slide 1 and 1 more changed" in full.text()
        await until(pilot, lambda: full.link.of(Publish)[-1].rev == full.session.contents.rev)


async def test_a_slide_that_is_gone_leaves_its_neighbour(tmp_path: Path) -> None:
    full = Edited(tmp_path)
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("right", "right")
        full.save("# One\n\n---\n\n# Three\n")
        await until(pilot, lambda: "slide 2/2" in full.text())
        assert (full.session.state.pos.slide, full.session.step) == ("three", 0)


async def test_only_slides_that_changed_are_drawn_again(tmp_path: Path) -> None:
    full = Edited(tmp_path, DECK + "".join(f"\n---\n\n# Slide {n}\n" for n in range(4, 24)))
    async with full.app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: full.app.classroom.warm)
        before = full.app.classroom.slide.laid_out
        full.save(full.file.read_text().replace("# One", "# Won"))
        await until(pilot, lambda: "Won" in full.text() and full.app.classroom.warm)
        assert 1 <= full.app.classroom.slide.laid_out - before <= 2


async def test_a_bad_edit_is_told_and_not_shown(tmp_path: Path) -> None:
    full = Edited(tmp_path)
    async with full.app.run_test(size=(100, 24)) as pilot:
        await pilot.press("right")
        published = len(full.link.of(Publish))
        full.save(DECK.replace("first", "::: dmo ddp"))
        await until(pilot, lambda: "edit is not shown" in full.text())
        assert "deck.md:7: unknown directive" in full.text() and "first" in full.text()
        full.save("")
        await until(pilot, lambda: "this file is empty" in full.text())
        assert "edit not shown" in full.text()
        assert "first" in full.text()
        assert len(full.link.of(Publish)) == published
        full.save(DECK.replace("first", "mended"))
        await until(pilot, lambda: "mended" in full.text() and "edit not shown" not in full.text())


async def test_ctrl_r_shows_a_bad_edit_all_the_same(tmp_path: Path) -> None:
    full = Edited(tmp_path)
    async with full.app.run_test(size=(100, 24)) as pilot:
        await pilot.press("right")
        full.save(DECK.replace("first", "::: dmo ddp"))
        await until(pilot, lambda: "edit is not shown" in full.text())
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "Did you mean" in full.text() and "first" not in full.text())


async def test_a_file_on_a_slide_counts_too(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("rate = 1\n")
    full = Edited(tmp_path, "# One\n\n```python file=train.py\n```\n")
    async with full.app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "rate = 1" in full.text())
        (tmp_path / "train.py").write_text("rate = 22\n")
        await until(pilot, lambda: "rate = 22" in full.text())


async def test_the_editor_opens_at_the_slide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "code"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/said\n')
    program.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(program))
    full = Edited(tmp_path)
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("right", "E")
        said = tmp_path / "said"
        await until(pilot, lambda: said.exists() and said.read_text())
        assert said.read_text() == f"--goto {full.file}:5\n"
        assert "code opens" in full.text()
