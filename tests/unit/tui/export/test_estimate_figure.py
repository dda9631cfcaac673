"""An estimate of a deck in a document: its bars, the table in words, and what cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from slides.deck import Estimate
from slides.drawing.text import plain
from tui import cli
from tui.export.estimate_figure import estimate_figure


def test_bars_and_a_table() -> None:
    block = Estimate(("model=llama3-8b", "gpu=h100", "dp=8", "zero=3"), line=3)
    found = estimate_figure(block, "deck.md", 100)
    (grid,), (drawing,) = found.grids, found.drawings
    assert [row[0] for row in grid.rows][:4] == ["DDP", "ZeRO-1", "ZeRO-2", "FSDP"]
    assert all(len(row) == len(grid.head) for row in grid.rows)
    assert any("▸ FSDP" in plain(line) for line in drawing.lines)
    assert found.badge == "computed, not measured"


@pytest.mark.parametrize("form", ["--md", "--html"])
def test_in_a_file(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deck, out = tmp_path / "deck.md", tmp_path / "out"
    deck.write_text(
        "# Fit\n\n::: estimate model=gpt2 gpu=h100 dp=4\n\n---\n\n# No\n\n::: estimate model=gpt2 tp=5\n"
    )
    assert cli.main(["export", str(deck), form, "-o", str(out)]) == 0
    text = out.read_text()
    assert "ZeRO-1" in text and "computed, not measured" in text
    assert "tp=5 does not divide 12 heads. Write tp=4 or 6." in text
