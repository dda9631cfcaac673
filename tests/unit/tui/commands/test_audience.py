"""A second screen that is ready before the class is."""

from __future__ import annotations

import argparse

import pytest

from runtime import paths
from tui.commands.presenting import audience
from tui.start import joining


def test_it_waits_for_a_class_that_goes_on_though_an_older_one_died(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    begins = iter([[], [], [], ["new"], ["new"]])
    joined: list[str] = []
    monkeypatch.setattr(paths, "live_classes", lambda: next(begins, ["new"]))
    monkeypatch.setattr(paths, "newest_class", lambda: "dead")
    monkeypatch.setattr(joining, "class_to_join", lambda: next(iter(paths.live_classes()), "dead"))
    monkeypatch.setattr(audience, "POLL_S", 0.0)
    monkeypatch.setattr(
        joining, "join", lambda args, role: joined.append(joining.class_to_join() + " " + role) or 0
    )
    assert audience.main(argparse.Namespace(plain=True, class_id=None)) == 0
    assert joined == ["new audience"] and "waiting for a class" in capsys.readouterr().out
