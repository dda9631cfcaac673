"""A duel on a slide: both sides at any width, in sentences, and in a box where it cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from slides.deck import Estimate
from slides.drawing import cells
from slides.drawing.text import plain
from tui import cli
from tui.views.blocks.duel import duel_lines
from tui.views.blocks.estimate import estimate_lines, told, trouble

WORDS = ("model=llama3-70b", "gpu=h100", "gpus=64", "a.tp=8", "a.zero=1", "b.zero=3", "b.recompute=full")


@pytest.mark.parametrize("width", [160, 114, 92, 72, 40, 20])
@pytest.mark.parametrize("more", [(), ("best=1",)])
def test_at_any_width(width: int, more: tuple[str, ...]) -> None:
    lines = estimate_lines(Estimate((*WORDS, *more), duel=True), "deck.md", width, slider="a.tp")
    assert all(cells.line_width(line) <= width for line in lines)
    text = "\n".join(plain(line) for line in lines)
    assert "computed" in text and "B wins" in text
    assert ("best known" in text) is bool(more)
    if width >= 72:
        assert len(lines) <= 20, "a terminal of 24 rows has a title and the keys beside it"


def test_in_sentences() -> None:
    said = told(Estimate(WORDS, duel=True))
    assert said[0].startswith("duel model=llama3-70b") and "computed, not measured" in said[0]
    assert said[1].startswith("side A: tp 8, dp 8, ZeRO-1") and "binds:" in said[2]
    assert any("wins" in line for line in said)
    assert "cannot be computed" in told(Estimate(("model=gpt2",), duel=True))[0]
    plain_one = told(Estimate(("model=gpt2", "gpu=h100", "dp=4")))
    assert any(line.startswith("DDP (as given): ") and "fits" in line for line in plain_one)


@pytest.mark.parametrize("model", ["/etc/passwd", "./config.json"])
def test_a_deck_opens_no_file(model: str) -> None:
    block = Estimate((f"model={model}", "gpu=h100", "gpus=8"), duel=True)
    problem = trouble(block, "deck.md")
    assert problem is not None and "there is no model" in problem.message
    assert "there is no model" in "\n".join(plain(line) for line in estimate_lines(block, "deck.md", 80))


def test_check_finds_what_cannot_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text("# No\n\n::: duel model=llama3-70b gpu=h100 gpus=64 b.tp=7\n")
    assert cli.main(["check", str(deck)]) == 1
    said = capsys.readouterr().out
    assert "3:1: b.tp=7 does not divide 64 devices" in said and "tp=4 or 8" in said


@pytest.mark.parametrize("form", [[], ["--markdown"], ["--json"]])
def test_as_a_command(form: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["estimate", "--duel", *WORDS, *form]) == 0
    said = capsys.readouterr().out
    assert "B wins" in said and "Best of" in said
    assert cli.main(["estimate", "--duel", "model=llama3-70b", "gpu=h100", "gpus=64", *form]) == 1
    assert cli.main(["estimate", "--duel", "model=llama3-70b", "gpu=h100", *form]) == 2
    assert "needs gpus=" in capsys.readouterr().err


def test_what_does_not_fit_has_no_score() -> None:
    words = ("model=llama3-70b", "gpu=h100", "gpus=64", "a.tp=8", "b.zero=3")
    score = next(row for row in map(plain, duel_lines(words, 120)) if "score" in row)
    assert score.split("│")[0].split()[-4:] == ["no", "fit", "no", "fit"]
