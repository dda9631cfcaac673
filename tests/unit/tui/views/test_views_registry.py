"""The table of views: what every row has to keep, and that a view is known everywhere by its row alone."""

from __future__ import annotations

import made_snapshots as made
import pytest
from test_views_panel import text
from test_views_panel_sizes import check

from runtime.catalog.registry import DEMOS
from runtime.protocol.messages import Snapshot
from slides.drawing.text import Line, Span
from tui.keys.table import ACTIONS
from tui.views import registry
from tui.views.panel import panel
from tui.views.parts.frame import framed
from tui.views.view import View


def test_every_demo_of_ours_says_a_view_of_ours() -> None:
    assert {spec.view for spec in DEMOS.values()} <= registry.OURS.keys()


def test_digits_are_the_keys_that_there_are_and_each_is_given_once() -> None:
    given = [view.digit for view in registry.OURS.values() if view.digit]
    assert len(set(given)) == len(given)
    assert {f"digit({digit})" for digit in given} <= {action.name for action in ACTIONS}


@pytest.mark.parametrize("name", registry.OURS)
def test_every_row_is_whole(name: str) -> None:
    view, snapshot = registry.OURS[name], made.full()
    assert view.name == name and view.about
    assert (view.rows(snapshot) > 0 or not view.has(snapshot)) and isinstance(view.has(snapshot), bool)
    for width, height in ((80, 14), (160, 40)):
        check(view.draw(snapshot, width, height, None), width, height)


def test_a_tenth_view_is_a_row_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chosen by name, first of its demo, in the tabs; without a digit of its own."""

    def draw(snapshot: Snapshot, width: int, height: int, rank: int | None) -> list[Line]:
        return framed([(Span(f"{snapshot.world} warm ranks"),)], width, height)

    monkeypatch.setitem(registry.OURS, "heat", View("heat", "Heat of each rank", draw, rows=lambda s: 2))
    for snapshot, chosen in ((made.full(), "heat"), (made.full(view="heat"), "")):
        lines = panel(snapshot, 160, 40, view=chosen)
        check(lines, 160, 40)
        assert f"{snapshot.world} warm ranks" in text(lines)
    tabs = text([registry.tabs("heat", made.full(), 156)])
    assert "9 launch" in tabs and " heat " in tabs
    assert registry.every()[len(registry.OURS) - 1].name == "heat"
