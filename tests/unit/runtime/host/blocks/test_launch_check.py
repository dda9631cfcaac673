"""Which demos of a class run on the machines that its console names: ours, with as many nodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.catalog.params import Refusal
from runtime.catalog.registry import Launchable
from runtime.host.blocks.launch_check import checked
from runtime.launch.device_choice import place
from runtime.protocol.messages import Launch

TWO = ("me@a", "b")


def asked(demo: str, hosts: tuple[str, ...] = TWO, deck: Path | None = None, **params: str) -> object:
    return checked(deck, Launch("block", demo, params, hosts))


def test_a_demo_with_as_many_nodes_is_for_them() -> None:
    found = asked("ddp", nodes="2", ranks="2")
    assert isinstance(found, Launchable) and found.machines is not None
    assert (found.machines.names, found.machines.meet) == (TWO, "a")
    assert len(set(found.machines.ways)) == 2
    assert found.ranks == 4


@pytest.mark.parametrize(
    ("demo", "params", "hosts"),
    [
        ("ddp", {"nodes": "2", "ranks": "2"}, ()),
        ("ddp", {"ranks": "4"}, TWO),
        ("ddp", {"nodes": "2", "ranks": "2"}, ("a", "b", "c")),
        ("ddp", {"nodes": "2", "ranks": "2", "link": "100mbit"}, TWO),  # this machine plays that link
    ],
)
def test_every_other_stays_here(demo: str, params: dict[str, str], hosts: tuple[str, ...]) -> None:
    found = asked(demo, hosts, **params)
    assert isinstance(found, Launchable)
    assert found.machines is None
    why = "2 nodes x 2 ranks, on one machine: --hosts names 3"
    assert (why in place(found).bent) == (len(hosts) == 3)


def test_what_cannot_be_a_machine_is_refused() -> None:
    found = asked("ddp", ("a", "-oProxyCommand=x"), nodes="2", ranks="2")
    assert isinstance(found, Refusal)


def test_a_script_stays_here_for_it_is_this_file_that_was_agreed_to(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("import torch\n")
    found = asked(str(script), deck=tmp_path / "deck.md", nodes="2", ranks="2")
    if isinstance(found, Refusal):  # without torch
        return
    assert isinstance(found, Launchable) and found.machines is None
    why = "2 nodes x 2 ranks, on one machine: a script stays here, where it was agreed to"
    assert why in place(found).bent
