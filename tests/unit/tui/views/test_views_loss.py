"""Earlier runs beneath the loss of this one: told apart at the ends of their curves and by what differs."""

from __future__ import annotations

import made_snapshots as made

from runtime.protocol.figures import Curve, Earlier
from slides.drawing.text import Line, plain
from tui.views.run.loss import loss


def text(lines: list[Line]) -> str:
    return "\n".join(plain(line) for line in lines)


def test_two_earlier_runs_with_the_same_difference_are_told_apart() -> None:
    curve = made.full().earlier[0].curve
    alike = (Earlier("a", "steps=20", curve), Earlier("b", "steps=20", curve))
    shown = text(loss(made.full(earlier=alike), 140, 20)).splitlines()[0]
    assert "steps=20, newer" in shown and "steps=20, older" in shown


def test_an_earlier_run_is_lettered_at_its_end_and_named_by_what_differs() -> None:
    lines = text(loss(made.full(), 100, 20)).splitlines()
    assert "a ╌╌ ranks=2   b ┄┄ lr=0.01 ranks=2" in lines[0]
    assert sum(line.rstrip().endswith(("a", "b")) for line in lines[1:-2]) == 2
    dots = sum("⠀" < ch <= "⣿" for line in lines for ch in line)
    alone = text(loss(made.full(earlier=()), 100, 20))
    assert dots > sum("⠀" < ch <= "⣿" for ch in alone) + 20


def test_an_earlier_run_that_fell_apart_does_not_flatten_this_one() -> None:
    steps = list(range(12))
    gone = Curve(0, steps, [5.5, 6.0, 9.0, 40.0, *[10.0**n for n in range(3, 11)]])
    mended = (Curve(0, steps, [5.5 - n / 4 for n in steps]),)
    lines = text(loss(made.full(curves=mended, earlier=(Earlier("a", "", gone),)), 100, 24)).splitlines()
    assert not any("M ┤" in line or "G ┤" in line or "k ┤" in line for line in lines), lines
    assert any(line.rstrip().endswith("a") for line in lines[1:3]), "it leaves by the top"
    rows = [n for n, line in enumerate(lines[1:-2]) if any("⠀" < ch <= "⣿" for ch in line)]
    assert rows[-1] - rows[0] > 6, "this one is a curve, not a line at the bottom"
