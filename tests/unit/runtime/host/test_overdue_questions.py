"""A question with a limit of time closes also where the console that would close it is gone."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from folders import in_folders

from runtime.classroom.actions import Answer, Lock, Open
from runtime.host import overdue_questions, server


async def test_the_host_closes_what_no_console_has_closed_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_folders(tmp_path, monkeypatch)
    monkeypatch.setattr(server, "PATROL_S", 0.01)
    monkeypatch.setattr(overdue_questions, "PATIENCE_S", 0.0)
    host = server.Host("20261128-1200-abcd")
    await host.start()
    try:
        host.order(Open("open", "single", 3))
        host.order(Open("later", "single", 3, 3600.0))
        host.order(Open("now", "single", 3, 0.05))
        async with asyncio.timeout(30):
            while host.state.questions["now"].phase == "open":
                await asyncio.sleep(0.01)
        host.order(Answer("now", (1,), who="Ada"), "phone-1")
        assert {id: question.phase for id, question in host.state.questions.items()} == {
            "open": "open",
            "later": "open",
            "now": "locked",
        }
        assert host.state.questions["now"].votes == (0, 0, 0)
    finally:
        await host.close()


def test_a_console_has_a_moment_to_close_it_with_its_grade(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_folders(tmp_path, monkeypatch)
    host = server.Host("20261128-1200-abcd")
    host.order(Open("q", "single", 3, 60.0))
    closes = host.state.questions["q"].closes_at()
    assert closes is not None and closes > time.time()
    late = closes + overdue_questions.PATIENCE_S
    assert not list(overdue_questions.locks(host.state.questions.values(), late))
    assert list(overdue_questions.locks(host.state.questions.values(), late + 0.1)) == [
        Lock("q", (), None, 0.0)
    ]
