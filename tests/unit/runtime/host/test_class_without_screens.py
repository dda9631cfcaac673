"""How long runs and the host go on while no screen is attached."""

from __future__ import annotations

from pathlib import Path

import pytest
from folders import in_folders

from runtime import paths
from runtime.catalog import registry
from runtime.classroom.actions import Deck
from runtime.host import class_without_screens, server
from runtime.supervision.run import Run


def test_the_host_of_a_student_waits_for_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_folders(tmp_path, monkeypatch)
    assert server.Host(f"{paths.STUDY}20260302-1800-abcd").patience == class_without_screens.LEFT_S
    lesson = server.Host("20260302-1800-abcd")
    assert lesson.patience == class_without_screens.LEFT_S  # nothing to come back to yet
    lesson.order(Deck("r1", "A class", ""))
    assert lesson.patience == class_without_screens.HOST_S


@pytest.mark.parametrize(
    ("budget", "ran_s", "alone_s", "why"),
    [
        ("30s", 29, 3600, ""),
        ("30s", 31, 0, "its 30 s were over, and no screen was open"),
        (None, 7200, class_without_screens.RUN_S - 1, ""),
        (None, 7200, class_without_screens.RUN_S + 1, "no screen was open for 10 minutes"),
    ],
)
def test_a_run_ends_at_its_budget_or_when_nobody_has_come_back(
    budget: str | None, ran_s: float, alone_s: float, why: str
) -> None:
    demo = registry.check("ddp", {"ranks": "2", **({"budget": budget} if budget else {})})
    assert isinstance(demo, registry.Launchable)
    run = Run("b", demo)
    run.asked_at -= ran_s
    assert class_without_screens.run_is_over(run, alone_s) == why
