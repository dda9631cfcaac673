"""Machines looked at before they train together, by a stand-in for ssh that runs its last word here."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from runtime.catalog.params import Refusal
from runtime.cluster import pair_allreduce, preflight
from tui.health import cluster_nodes
from tui.health.finding import Finding

HERE = "#!/bin/sh\nwhile [ $# -gt 1 ]; do host=$1; shift; done\n"


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "bin" / "ssh"
    file.parent.mkdir()
    file.write_text(HERE + 'exec sh -c "$1"\n')
    file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{file.parent}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return file


def found(names: str) -> dict[tuple[str, str], Finding]:
    return {(one.area, one.name): one for one in cluster_nodes.findings(names)}


@pytest.mark.slow
def test_two_machines_meet_and_what_they_share_is_told(ssh: Path, tmp_path: Path) -> None:
    page = found("localhost,127.0.0.1")
    for host in ("localhost", "127.0.0.1"):
        assert page[host, "the same"].state == "good" and "torch" in page[host, "the same"].said
        assert page[host, "clock"].state == "good"  # it is the same clock
    assert page["between machines", "folder"].state == "good"
    met = page["between machines", "localhost - 127.0.0.1"]
    assert met.state == "good" and "all-reduce of 8.4 MB" in met.said
    assert not list(tmp_path.glob(".teachrun-*"))


def test_a_machine_that_cannot_be_reached_is_one_part_of_the_page(
    ssh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = 'if [ $host = gone ]; then echo "ssh: Could not resolve hostname gone" >&2; exit 255; fi\n'
    lies = 'case "$1" in test*) exit 1;; esac\n'
    ssh.write_text(HERE + away + lies + 'exec sh -c "$1"\n')
    monkeypatch.setattr(
        pair_allreduce, "measure", lambda *_: Refusal("b does not reach a: timed out", "open the ports")
    )
    page = found("a,gone,b")
    assert page["gone", "reached"].state == "bad" and "getent" in page["gone", "reached"].mend
    assert page["a", "the same"].state == "good"
    none = not Path("/proc/driver/nvidia/gpus").exists()
    assert page["a", "the same"].said.endswith(", no GPUs") == none
    folder = page["between machines", "folder"]
    assert folder.state == "warning" and folder.said.startswith("a, b: ")
    assert page["between machines", "a - b"].state == "bad"
    assert ("between machines", "a - gone") not in page
    assert found("-oProxyCommand=x")["between machines", "names"].state == "bad"


def test_a_clock_that_is_off_and_a_name_that_leads_to_loopback_are_told(
    ssh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = preflight.here(sys.executable)
    assert isinstance(ours, preflight.Found)
    its = preflight.msgspec.structs.replace(ours, ahead_s=0.4, within_s=0.001, own="127.0.1.1", memory=10**9)
    monkeypatch.setattr(preflight, "reach", lambda host, _: its if host == "b" else ours)
    monkeypatch.setattr(pair_allreduce, "measure", lambda *_: pair_allreduce.Speed(10**6, 0.01))
    page = found("a,b")
    assert page["b", "clock"].state == "warning" and "+400.00 ms" in page["b", "clock"].said
    assert page["b", "interfaces"].state == page["b", "memory"].state == "warning"
    assert "100 MB/s each way" in page["between machines", "a - b"].said


def test_a_machine_that_lacks_something_is_told_beside_what_it_has(
    ssh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was reached: what is red is what it lacks, and no pair is tried with a machine without torch."""
    ours = preflight.here(sys.executable)
    assert isinstance(ours, preflight.Found)
    its = {
        "a": ours,
        "few": preflight.msgspec.structs.replace(ours, files=70),
        "none": preflight.msgspec.structs.replace(ours, torch=""),
    }
    monkeypatch.setattr(preflight, "reach", lambda host, _: its[host])
    monkeypatch.setattr(pair_allreduce, "measure", lambda *_: pair_allreduce.Speed(10**6, 0.01))
    page = found("a,few,none")
    assert not [name for name in page if name[1] == "reached"]
    assert page["few", "open files"].state == "bad" and "ulimit" in page["few", "open files"].mend
    assert page["few", "clock"].state == page["few", "the same"].state == "good"
    assert page["none", "the same"].state == "bad" and page["none", "the same"].said == "none has no torch"
    assert page["none", "open files"].state == "good"
    assert ("between machines", "a - few") in page and ("between machines", "a - none") not in page


def test_of_all_that_torch_prints_the_reason_is_told(ssh: Path) -> None:
    """Around it torch prints where in its source that was, and the calls that led there."""
    said = [
        "Traceback (most recent call last):",
        '  File "<string>", line 5, in <module>',
        "torch.distributed.DistNetworkError: The client socket cannot connect to (b, 0): no such name.",
        "Exception raised from throwSocketError at /pytorch/socket.cpp:15 (most recent call first):",
        "frame #0: c10::Error::Error + 0x9d (0x7f in libc10.so)",
        "frame #27: _start + 0x21 (0x56293561708)",
    ]
    text = "\n".join(said)
    ssh.write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\nexit 1\n")
    refused = pair_allreduce.measure("a", "b", sys.executable, limit_s=20.0)
    assert isinstance(refused, Refusal)
    assert (
        refused.why == "a accepts no connections: The client socket cannot connect to (b, 0): no such name."
    )


def test_a_rank_that_does_not_come_is_told_and_not_what_the_other_waited_for(ssh: Path) -> None:
    waits = "echo port 1; sleep 0.2; echo DistStoreError: wait timeout after 30000ms, keys: /0//cpu//0/1"
    ssh.write_text(f"{HERE}case $host in a) {waits};; esac\nexit 1\n")
    refused = pair_allreduce.measure("a", "b", sys.executable, limit_s=20.0)
    assert isinstance(refused, Refusal)
    assert refused.why == "b does not reach a: it did not arrive in time"


def test_ranks_that_never_meet_are_ended_and_nothing_is_left(ssh: Path) -> None:
    ssh.write_text("#!/bin/sh\necho $$ >> pids\necho only this \x1b[31m\nexec sleep 1000\n")
    began = time.monotonic()
    refused = pair_allreduce.measure("a", "b", sys.executable, limit_s=1.0)
    assert isinstance(refused, Refusal) and "only this" in refused.why and "\x1b" not in refused.why
    assert time.monotonic() - began < 30
    for pid in Path("pids").read_text().split():
        assert subprocess.run(["kill", "-0", pid], capture_output=True).returncode != 0
