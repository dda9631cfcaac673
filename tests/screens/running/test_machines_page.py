"""The machines of a class on one page: what would run there before it does, and what is found there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from made_screen import Screenful, settle
from waiting import until

from runtime.protocol.messages import Launch

DECK = "# Live\n\n::: demo ddp ranks=2 nodes=2 steps=5\n\n---\n\n# Words\n\nno demo\n"
GONE = '#!/bin/sh\necho "ssh: Could not resolve hostname there" >&2\nexit 255\n'


@pytest.fixture(autouse=True)
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "ssh"
    file.write_text(GONE)
    file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")


async def test_commands_and_environments_are_seen_before_they_run_and_each_machine_is_looked_at() -> None:
    full = Screenful(DECK)
    full.session.hosts = ("alpha", "beta")
    async with full.app.run_test(size=(200, 40)) as pilot:
        await settle(pilot)
        await pilot.press("colon", *"machines", "enter")
        await settle(pilot)
        shown = full.text()
        for node, ranks in enumerate(("0..1", "2..3")):
            assert f"RANK={ranks} LOCAL_RANK=0..1 GROUP_RANK={node} MASTER_ADDR=alpha" in shown
            assert f"run ddp ranks=2 steps=5 --nnodes 2 --node-rank {node} --rdzv alpha:" in shown
        await until(lambda: "beta does not resolve" in full.text(), "what doctor said", 60)
        assert "alpha does not resolve" in full.text() and "one moment" not in full.text()
        assert full.link.of(Launch) == []
        await pilot.press("escape")
        await settle(pilot)
        assert "does not resolve" not in full.text()


async def test_it_scrolls_where_it_is_longer_than_the_screen() -> None:
    full = Screenful(DECK)
    full.session.hosts = ("alpha", "beta")
    async with full.app.run_test(size=(80, 10)) as pilot:
        await settle(pilot)
        await pilot.press("colon", *"machines", "enter")
        await settle(pilot)
        assert "RANK=0..1" in full.text()
        await pilot.press("pagedown", "pagedown", "pagedown", "pagedown", "pagedown")
        await settle(pilot)
        assert "RANK=0..1" not in full.text()
        assert "one moment" in full.text() or "does not resolve" in full.text()  # whether it was found by now


async def test_a_slide_without_a_demo_and_a_class_without_machines_say_so() -> None:
    full = Screenful(DECK)
    full.session.hosts = ("alpha", "beta", "gamma")
    async with full.app.run_test(size=(100, 20)) as pilot:
        await settle(pilot)
        await pilot.press("colon", *"machines", "enter")
        await settle(pilot)
        assert "Nothing of this slide: --hosts names 3." in full.text()
        await pilot.press("escape", "right_square_bracket", "colon", *"machines", "enter")
        await settle(pilot)
        assert "Nothing of this slide: there is no demo." in full.text()
        full.session.hosts = ()
        await pilot.press("escape", "colon", *"machines", "enter")
        await settle(pilot)
        assert "teachrun present --hosts A,B" in full.text()
