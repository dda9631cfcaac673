"""A run that does not show what its demo is for says so beside its figures, with the reason."""

from __future__ import annotations

import made_snapshots as made
import pytest
from msgspec.structs import replace

from slides.drawing.text import plain
from tui.reports.runs.run_json import summary
from tui.reports.runs.run_table import lines
from tui.views.panel import panel

WHY = "large messages took 56 ms round the ring, 26 ms by the tree: 4 ranks on 2 cores"


@pytest.mark.parametrize(("width", "height"), [(80, 14), (100, 16), (160, 26)])
def test_the_panel_says_it_in_full(width: int, height: int) -> None:
    done = replace(made.running(), state="done", unshown=WHY)
    shown = " ".join(" ".join(plain(line) for line in panel(done, width, height)).split())
    assert f"this run does not show it: {WHY}" in shown
    assert "does not show" not in "".join(plain(line) for line in panel(made.running(), width, height))


def test_without_a_screen_it_is_said_too() -> None:
    done = replace(made.running(), state="done", unshown=WHY)
    said = " ".join(" ".join(lines(done)).split())
    assert f"this run does not show it: {WHY}" in said
    assert summary(done)["unshown"] == WHY
