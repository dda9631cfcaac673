"""`teachrun new`: a deck that shows the whole format, has nothing wrong, and takes nobody's file."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from slides import deck, reading_order
from slides.deck import LAYOUTS
from slides.reading.split import load
from tui import cli
from tui.deck.contents import Contents


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Contents:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["new", "ring-all_reduce.md"]) == 0
    return Contents(load(tmp_path / "ring-all_reduce.md"))


def test_nothing_in_it_is_wrong(made: Contents, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", made.deck.path]) == 0, capsys.readouterr().out
    assert made.deck.title == "Ring all reduce" and made.deck.time_s is not None
    assert "teachrun present ring-all_reduce.md" in made.deck.source


def test_it_shows_every_construct_once(made: Contents) -> None:
    slides = [made.slide(n) for n in range(len(made))]
    blocks = [block for slide in slides for block in reading_order.blocks(slide.blocks)]
    kinds = {type(block) for block in blocks}
    shown = {kind for kind in deck.AnyBlock.__args__ if kind not in (deck.Box, deck.Image, deck.Rule)}
    assert shown <= kinds
    codes = [block for block in blocks if isinstance(block, deck.Code)]
    assert any(code.focus for code in codes) and any(code.numbers for code in codes)
    assert any(code.diff for code in codes) and any(code.run for code in codes)
    assert any(slide.notes for slide in slides) and any(slide.steps > 2 for slide in slides)
    assert any(slide.optional for slide in slides) and any(slide.hidden for slide in slides)
    assert made.backup and {"title", "big number", "quote"} <= {slide.layout for slide in slides}
    assert set(LAYOUTS) <= set(made.deck.source.replace(",", " ").split()) | {"two columns", "big number"}
    names = {block.name for block in blocks if isinstance(block, deck.Demo)}
    assert names == {"ddp", "compare"}


def test_no_file_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "mine.md"
    mine.write_text("mine")
    (tmp_path / "link.md").symlink_to(tmp_path / "nowhere.md")
    for name in (mine, tmp_path / "mine", tmp_path / "link.md"):
        assert cli.main(["new", str(name)]) == 2
        assert "exists already" in capsys.readouterr().err
    assert mine.read_text() == "mine" and not (tmp_path / "nowhere.md").exists()


@pytest.mark.parametrize(
    ("name", "word"),
    [("deep/talk.md", "no folder"), ("talk.txt", "Write talk.md"), (".", "no name for a deck")],
)
def test_a_name_that_is_none(
    name: str, word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["new", name]) == 2
    assert word in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_may_not_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "shut").mkdir(mode=stat.S_IRUSR | stat.S_IXUSR)
    status = cli.main(["new", str(tmp_path / "shut" / "talk.md")])
    assert status in (0, 1)  # root may write everywhere
    assert status == 0 or "denied" in capsys.readouterr().err.lower()
