"""Machines by ssh, with a stand-in for ssh: what is found of them, how their nodes run and end together."""

from __future__ import annotations

import asyncio
import os
import shlex
import socket
import sys
from pathlib import Path

import msgspec
import pytest

from runtime.catalog.params import Refusal
from runtime.cluster import preflight, ssh_commands
from runtime.cluster.link import invitation
from runtime.cluster.preflight import Found
from runtime.supervision.agents.ssh_agents import SshAgents

OURS = Found("3.11.7", "2.13.0", "0.1.0", 2, 1 << 30, 4096)
INVITED = invitation.invite("/tmp/a.sock")
UNTIL_EOF = "import sys; print('begun', flush=True); sys.stdin.read(); print('tidied up'); sys.exit(5)"


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    file = tmp_path / "ssh"
    file.write_text("")
    file.chmod(0o755)
    return file


def look(host: str, python: str, ours: Found = OURS) -> Found | Refusal:
    """One machine, of which two ranks are wanted."""
    (found,) = preflight.look_at_all((host,), python, ours, 2)
    return found


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("ssh: Could not resolve hostname b: Name or service not known", "b does not resolve"),
        ("b: Permission denied (publickey,password).", "b asks for a password"),
        ("Host key verification failed.", "b has an unknown or changed ssh host key"),
        ("ssh: connect to host b port 22: Connection refused", "b runs no ssh server"),
        (
            "ssh: connect to host b port 22: No route to host",
            "b does not answer: No route to host",
        ),
        (
            "ssh: connect to host b port 22: Connection timed out",
            "b does not answer: Connection timed out",
        ),
        ("something \x1b[31melse", "ssh b failed: something ?[31melse"),
        (
            "Bad owner or permissions on /home/somebody/.ssh/config",
            "ssh b failed: Bad owner or permissions on /home/somebody/.ssh/config",
        ),
    ],
)
def test_what_ssh_says_becomes_what_to_do(ssh: Path, said: str, why: str) -> None:
    ssh.write_text(f"#!/bin/sh\nprintf '%s\\n' '{said}' >&2\nexit 255\n")
    refusal = look("b", "python")
    assert isinstance(refusal, Refusal)
    assert refusal.why == why
    assert refusal.mend


def test_without_ssh_it_is_said_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    absent = look("b", "python")
    assert isinstance(absent, Refusal)
    assert absent.why == "ssh is not installed here"


def test_a_machine_is_asked_what_this_one_is_asked(ssh: Path) -> None:
    ssh.write_text('#!/bin/sh\nwhile [ $# -gt 1 ]; do shift; done\necho welcome; exec sh -c "$1"\n')
    ours = preflight.here(sys.executable)
    assert isinstance(ours, Found)
    assert ours.python == ".".join(map(str, sys.version_info[:3]))
    there = look("b", sys.executable, ours)
    assert isinstance(there, Found)
    assert there.files == ours.files
    assert abs(there.ahead_s) <= there.within_s  # it is the same clock


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"torch": ""}, "b has no torch"),
        ({"teachrun": ""}, "b has no teachrun, here is 0.1.0"),
        ({"teachrun": "9\x1b[2J"}, "b has teachrun 9?[2J, here is 0.1.0"),
        ({"files": 64}, "b allows only 64 open files per process"),
    ],
)
def test_a_machine_that_has_not_what_the_others_have_is_refused(
    ssh: Path, other: dict[str, object], why: str
) -> None:
    has = msgspec.json.encode(msgspec.to_builtins(OURS) | other).decode()
    ssh.write_text(f"#!/bin/sh\nprintf '%s\\n' '{has}'\nwhile read -r asked; do date +%s; done\n")
    refusal = look("b", "python")
    assert isinstance(refusal, Refusal)
    assert refusal.why == why


@pytest.mark.parametrize(
    ("other", "gpus", "why"),
    [
        ({"torch": "2.12.0"}, False, "b has torch 2.12.0, a has torch 2.13.0"),
        ({"gpus": ["NVIDIA L4"] * 2}, True, "b has 2 NVIDIA L4, a has no GPUs"),
        ({"gpus": ["NVIDIA L4"] * 2}, False, ""),
        ({}, True, ""),
    ],
)
def test_machines_that_train_together_have_the_same(other: dict[str, object], gpus: bool, why: str) -> None:
    other_one = msgspec.convert(msgspec.to_builtins(OURS) | other, Found)
    refusal = preflight.unequal("b", other_one, "a", OURS, gpus=gpus)
    assert (refusal.why if refusal else "") == why


def test_a_machine_that_names_thousands_of_gpus_is_refused_in_a_line() -> None:
    gpus = [f"GPU {number}" for number in range(20_000)]
    other_one = msgspec.convert(msgspec.to_builtins(OURS) | {"gpus": gpus}, Found)
    refusal = preflight.unequal("b", other_one, "a", OURS, gpus=True)
    assert refusal is not None and len(refusal.why) < 160


def test_machines_with_as_many_gpus_of_another_kind_are_refused(ssh: Path, tmp_path: Path) -> None:
    """As the driver lists them: a folder a GPU, with what it is; one of which it says nothing counts too."""
    found = []
    for of, models in (("a", ["NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3"]), ("b", ["NVIDIA L4", ""])):
        for number, model in enumerate(models):
            gpu = tmp_path / of / f"0000:0{number}:00.0"
            gpu.mkdir(parents=True)
            if model:
                told = f"Model: \t\t {model}\nIRQ:   \t\t 16\nGPU UUID: \t GPU-1\n"
                (gpu / "information").write_text(told)
        listed = preflight.ASK.replace("/proc/driver/nvidia/gpus", str(tmp_path / of))
        ssh.write_text(f"#!/bin/sh\nexec {sys.executable} -c {shlex.quote(listed)}\n")
        one = look(of, sys.executable)
        assert isinstance(one, Found), one
        found.append(one)
    refusal = preflight.unequal("b", found[1], "a", found[0], gpus=True)
    assert refusal is not None
    assert refusal.why == "b has 1 GPU + 1 NVIDIA L4, a has 2 NVIDIA H100 80GB HBM3"
    assert "2 NVIDIA H100 80GB HBM3," in found[0].line
    assert preflight.unequal("a", found[0], "a", found[0], gpus=True) is None


def test_checkpoints_need_a_folder_that_all_machines_see(ssh: Path, tmp_path: Path) -> None:
    """Machines with a disk each, which a folder of their own is here; then with one of all."""

    def disks(of: str) -> None:
        host = "for word; do last=$before before=$word; done"  # the last but one word is the host
        ssh.write_text(
            f'#!/bin/bash\n{host}\nexport XDG_DATA_HOME={tmp_path}/{of}\nexec bash -c "${{@: -1}}"\n'
        )

    disks("$last")
    named = ("a", "b", "c")
    refusal = preflight.common_folder(named, sys.executable)
    assert isinstance(refusal, Refusal)
    assert refusal.why == "b, c would not see the checkpoints that a writes"
    assert "share one folder between them" in refusal.mend and "on b, or write restarts=0" in refusal.mend
    disks("all")
    assert preflight.common_folder(named, sys.executable) is None
    assert list(tmp_path.rglob(".seen-*")) == []  # nothing of it is left
    (tmp_path / "file").touch()
    disks("file")
    refusal = preflight.common_folder(named, sys.executable)
    assert isinstance(refusal, Refusal)
    assert refusal.why.startswith("a cannot keep checkpoints: ")


@pytest.mark.parametrize("host", ["a", "b"])
def test_a_machine_that_cannot_be_asked_for_the_folder_is_not_one_without_it(ssh: Path, host: str) -> None:
    ssh.write_text(
        f"#!/bin/bash\nfor word; do last=$before before=$word; done\nif [ $last = {host} ]; then\n"
        "echo 'Permission denied (publickey,password).' >&2; exit 255; fi\nexit 0\n"
    )
    refusal = preflight.common_folder(("a", "b", "c"), sys.executable)
    assert isinstance(refusal, Refusal)
    assert refusal.why == f"{host} asks for a password"


def test_a_machine_that_is_too_busy_to_say_so_is_told_as_that(
    ssh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preflight, "REACH_S", 0.1)
    ssh.write_text("#!/bin/bash\nexec sleep 1000\n")
    refusal = preflight.common_folder(("a", "b"), sys.executable)
    assert isinstance(refusal, Refusal)
    assert refusal.why == "a has not said within 0.1 s whether it sees the checkpoints"


def test_machines_are_looked_at_beside_each_other(ssh: Path) -> None:
    """Each of three says what it has once all three have been asked."""
    has = msgspec.json.encode(OURS).decode()
    ssh.write_text(
        "#!/bin/bash\nfolder=$(dirname $0)\ntouch $folder/asked-$$\n"
        f"until [ $(ls $folder/asked-* | wc -l) = 3 ]; do sleep 0.01; done\nprintf '%s\\n' '{has}'\n"
        "while read -r asked; do date +%s; done\n"
    )
    found = preflight.look_at_all(("a", "b", "c"), "python", OURS, 2)
    assert all(isinstance(it, Found) for it in found), found


def test_ways_that_lead_nowhere_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a killed agent has left goes; what somebody listens at, and what is no socket, stays."""
    monkeypatch.setattr(ssh_commands, "WAYS", f"{tmp_path}/teachrun-*.sock")
    dead, alive, other = (Path(way) for way in ssh_commands.ways(("a", "b", "c")))
    with socket.socket(socket.AF_UNIX) as left, socket.socket(socket.AF_UNIX) as heard:
        left.bind(str(dead))
        heard.bind(str(alive))
        heard.listen()
        left.close()
        other.write_text("not ours to remove")
        ssh_commands.remove_dead_ways()
        assert (dead.exists(), alive.exists(), other.exists()) == (False, True, True)


@pytest.mark.parametrize("said", ["", "sh: python: not found", "{}", '{"python": 3}', "[" * 5000])
def test_a_machine_that_answers_something_else_cannot_run_it(ssh: Path, said: str) -> None:
    ssh.write_text(f"#!/bin/sh\necho '{said}'\nexit 127\n")
    refusal = look("b", "/no/python")
    assert isinstance(refusal, Refusal)
    assert refusal.why == "b cannot run /no/python"


def ran(
    *programs: str, close_at: str = "", again: bool = False
) -> tuple[list[tuple[int, int]], list[tuple[int, str]]]:
    """How each ended, by node, and what was printed; closed at that line, or once all have ended."""
    heard: list[tuple[int, str]] = []
    ended: list[tuple[int, int]] = []

    async def main() -> None:
        done = asyncio.Event()

        def hear(node: int, line: str) -> None:
            heard.append((node, line))
            if line == close_at:
                done.set()

        def end(node: int, code: int) -> None:
            ended.append((node, code))
            if len(ended) == (1 + again) * len(programs):
                done.set()

        commands = [[sys.executable, "-c", program] for program in programs]
        agents = SshAgents(len(programs), lambda node: (commands[node], INVITED), hear, end, beat_s=0.01)
        await agents.start()
        while again and len(ended) < len(programs):
            await asyncio.sleep(0.01)
        await agents.start()
        async with asyncio.timeout(30):
            await done.wait()
        assert await agents.close() == 0

    asyncio.run(main())
    return sorted(ended), heard


def test_what_each_node_says_is_heard_to_the_end_whatever_its_lines_are_like() -> None:
    long = "import sys; sys.stdout.buffer.write(b'a\\xff\\rb\\n' + b'c' * 300000)"
    ended, heard = ran(long, "print('x')")
    assert ended == [(0, 0), (1, 0)]
    assert [line for node, line in heard if node == 0][:2] == ["a\ufffd", "b"]
    assert max(len(line) for _, line in heard) <= 4096
    assert (1, "x") in heard


def test_the_invitation_is_the_first_line_and_signs_of_life_follow() -> None:
    asks = "import sys; print(sys.stdin.readline().strip(), repr(sys.stdin.readline()), flush=True)"
    ended, heard = ran(asks)
    assert ended == [(0, 0)]
    assert heard == [(0, invitation.line(INVITED).decode().strip() + r" '\n'")]


def test_who_closes_waits_until_all_have_tidied_up() -> None:
    ended, heard = ran(UNTIL_EOF, close_at="begun")
    assert ended == [(0, 5)]
    assert heard == [(0, "begun"), (0, "tidied up")]


def test_one_that_has_ended_can_be_started_again() -> None:
    ended, heard = ran("print('x')", again=True)
    assert ended == [(0, 0), (0, 0)]
    assert heard == [(0, "x"), (0, "x")]


def test_a_program_that_is_not_there_is_told_and_the_others_can_be_ended() -> None:
    async def main() -> None:
        commands = [[sys.executable, "-c", UNTIL_EOF], ["/no/such/program"]]
        agents = SshAgents(
            2, lambda node: (commands[node], INVITED), lambda node, line: None, lambda node, code: None
        )
        with pytest.raises(FileNotFoundError):
            await agents.start()
        assert await agents.close() == 0

    asyncio.run(main())
