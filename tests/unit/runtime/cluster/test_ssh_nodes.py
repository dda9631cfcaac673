"""Machines by ssh, with a stand-in for ssh: what is found of them, how their nodes run and end together."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import msgspec
import pytest

from runtime.catalog.params import Refusal
from runtime.cluster import preflight, ssh_nodes
from runtime.cluster.preflight import Found

OURS = Found("3.11.7", "2.13.0", "0.1.0", 2, 1 << 30, 4096)
UNTIL_EOF = "import sys; print('begun', flush=True); sys.stdin.read(); print('tidied up'); sys.exit(5)"


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    file = tmp_path / "ssh"
    file.write_text("")
    file.chmod(0o755)
    return file


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("ssh: Could not resolve hostname b: Name or service not known", "b does not resolve"),
        ("b: Permission denied (publickey,password).", "b asks for a password"),
        ("Host key verification failed.", "b is not known here, or is another machine than it was"),
        ("ssh: connect to host b port 22: Connection refused", "b has no ssh server that listens"),
        ("something \x1b[31melse", "ssh b failed: something ?[31melse"),
    ],
)
def test_what_ssh_says_becomes_what_to_do(ssh: Path, said: str, why: str) -> None:
    ssh.write_text(f"#!/bin/sh\nprintf '%s\\n' '{said}' >&2\nexit 255\n")
    refusal = preflight.look("b", "python", OURS, 2)
    assert isinstance(refusal, Refusal)
    assert refusal.why == why
    assert refusal.mend


def test_without_ssh_it_is_said_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    absent = preflight.look("b", "python", OURS, 2)
    assert isinstance(absent, Refusal)
    assert absent.why == "ssh is not installed here"


def test_a_machine_is_asked_what_this_one_is_asked(ssh: Path) -> None:
    ssh.write_text('#!/bin/sh\nwhile [ $# -gt 1 ]; do shift; done\necho welcome; exec sh -c "$1"\n')
    ours = preflight.here(sys.executable)
    assert isinstance(ours, Found)
    assert ours.python == ".".join(map(str, sys.version_info[:3]))
    there = preflight.look("b", sys.executable, ours, 2)
    assert isinstance(there, Found)
    assert there.files == ours.files
    assert abs(there.ahead_s) <= there.within_s  # it is the same clock


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"torch": ""}, "b has no torch"),
        ({"teachrun": ""}, "b has no teachrun, here is 0.1.0"),
        ({"teachrun": "9\x1b[2J"}, "b has teachrun 9?[2J, here is 0.1.0"),
        ({"files": 64}, "b lets a process open 64 files"),
    ],
)
def test_a_machine_that_has_not_what_the_others_have_is_refused(
    ssh: Path, other: dict[str, object], why: str
) -> None:
    has = msgspec.json.encode(msgspec.to_builtins(OURS) | other).decode()
    ssh.write_text(f"#!/bin/sh\nprintf '%s\\n' '{has}'\nwhile read -r asked; do date +%s; done\n")
    refusal = preflight.look("b", "python", OURS, 2)
    assert isinstance(refusal, Refusal)
    assert refusal.why == why


@pytest.mark.parametrize(
    ("other", "gpus", "why"),
    [
        ({"torch": "2.12.0"}, False, "b has torch 2.12.0, a has torch 2.13.0"),
        ({"gpus": 2}, True, "b has 2 GPUs, a has 0"),
        ({"gpus": 2}, False, ""),
        ({}, True, ""),
    ],
)
def test_machines_that_train_together_have_the_same(other: dict[str, object], gpus: bool, why: str) -> None:
    other_one = msgspec.convert(msgspec.to_builtins(OURS) | other, Found)
    refusal = preflight.unequal("b", other_one, "a", OURS, gpus=gpus)
    assert (refusal.why if refusal else "") == why


@pytest.mark.parametrize("said", ["", "sh: python: not found", "{}", '{"python": 3}', "[" * 5000])
def test_a_machine_that_answers_something_else_cannot_run_it(ssh: Path, said: str) -> None:
    ssh.write_text(f"#!/bin/sh\necho '{said}'\nexit 127\n")
    refusal = preflight.look("b", "/no/python", OURS, 2)
    assert isinstance(refusal, Refusal)
    assert refusal.why == "b cannot run /no/python"


def ran(*programs: str, stop_at: str = "", notice_s: float = 60.0) -> tuple[list[int], list[tuple[int, str]]]:
    heard: list[tuple[int, str]] = []

    async def main() -> list[int]:
        interrupted = asyncio.Event()

        def hear(node: int, line: str) -> None:
            heard.append((node, line))
            if line == stop_at:
                interrupted.set()

        commands = [[sys.executable, "-c", program] for program in programs]
        return await ssh_nodes.run(commands, hear, interrupted, notice_s)

    return asyncio.run(main()), heard


def test_what_each_node_says_is_heard_to_the_end_whatever_its_lines_are_like() -> None:
    long = "import sys; sys.stdout.buffer.write(b'a\\xff\\rb\\n' + b'c' * 300000)"
    codes, heard = ran(long, "print('x')")
    assert codes == [0, 0]
    assert [line for node, line in heard if node == 0][:2] == ["a\ufffd", "b"]
    assert max(len(line) for _, line in heard) <= 4096
    assert (1, "x") in heard


def test_when_one_has_failed_the_others_are_asked_to_end_and_tidy_up() -> None:
    codes, heard = ran(UNTIL_EOF, "import sys; sys.exit(3)", notice_s=0.0)
    assert codes == [5, 3]
    assert (0, "tidied up") in heard or (0, "begun") not in heard


def test_who_interrupts_waits_until_all_have_tidied_up() -> None:
    codes, heard = ran(UNTIL_EOF, stop_at="begun")
    assert codes == [5]
    assert heard == [(0, "begun"), (0, "tidied up")]


def test_a_node_is_told_now_and_then_that_we_are_there() -> None:
    twice = "import sys; sys.stdin.readline(); sys.stdin.readline(); print('heard')"
    heard: list[str] = []

    async def main() -> list[int]:
        words = [sys.executable, "-c", twice]
        return await ssh_nodes.run(
            [words], lambda node, line: heard.append(line), asyncio.Event(), beat_s=0.01
        )

    assert asyncio.run(main()) == [0]
    assert heard == ["heard"]


def test_a_program_that_is_not_there_ends_those_that_were_started() -> None:
    async def main() -> None:
        commands = [[sys.executable, "-c", UNTIL_EOF], ["/no/such/program"]]
        await ssh_nodes.run(commands, lambda node, line: None, asyncio.Event())

    with pytest.raises(FileNotFoundError):
        asyncio.run(main())
