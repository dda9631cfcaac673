"""Where namespaces cannot be made, one line says why and what to do instead."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.catalog import registry
from runtime.launch.device_choice import place
from runtime.launch.simulated_nodes import network_namespaces
from runtime.launch.simulated_nodes.network_namespaces import Impossible
from runtime.supervision.steering.link_speed_orders import NodeLinks

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has network namespaces")


def program(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


@LINUX
@pytest.mark.parametrize("absent", ["unshare", "nsenter", "ip", "tc"])
def test_a_program_that_is_not_there_is_named_with_its_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, absent: str
) -> None:
    for name in {"unshare", "nsenter", "ip", "tc"} - {absent}:
        program(tmp_path, name, "exit 0")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(network_namespaces, "SBIN", ())
    with pytest.raises(Impossible, match=f"^{absent} is not installed .*apt install.*network=netns"):
        network_namespaces.inside(["true"])


@LINUX
def test_a_machine_that_forbids_namespaces_is_believed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("nsenter", "ip", "tc"):
        program(tmp_path, name, "exit 0")
    program(tmp_path, "unshare", "echo 'unshare: unshare failed: Operation not permitted' >&2; exit 1")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(Impossible) as found:
        network_namespaces.inside(["true"])
    (line,) = str(found.value).splitlines()
    assert "Operation not permitted" in line and "allow user namespaces" in line


@LINUX
def test_a_limit_of_no_namespaces_is_told_from_a_ban(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The kernel refuses: in a user namespace of the test's own, whose limit is set to none."""
    own = ("unshare", "--user", "--map-root-user", "sh", "-c")
    limit = "/proc/sys/user/max_user_namespaces"
    if subprocess.run([*own, f"echo 0 > {limit}"], capture_output=True, check=False).returncode:
        pytest.skip("no user namespace can be made here")
    real = shutil.which("unshare")
    program(tmp_path, "unshare", f'exec {real} -Ur sh -c \'echo 0 > {limit}; exec {real} "$@"\' - "$@"')
    for name in ("nsenter", "ip", "tc"):
        program(tmp_path, name, "exit 0")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(Impossible) as found:
        network_namespaces.inside(["true"])
    (line,) = str(found.value).splitlines()
    assert "No space left on device" in line and "user.max_user_namespaces" in line
    assert "apparmor" not in line and line.endswith(network_namespaces.INSTEAD)


@LINUX
def test_a_kernel_without_the_shaper_says_which_command_it_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program(tmp_path, "tc", "echo 'Error: Specified qdisc kind is unknown.' >&2; exit 2")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(Impossible, match=r"^`tc qdisc add .*` was refused \(Error: Specified qdisc"):
        network_namespaces.run_command("tc", "qdisc", "add", "dev", "teach0", "root", "tbf")
    with pytest.raises(Impossible, match=r"leave latency= out, or write network=simulated$"):
        network_namespaces.run_command(
            "tc", "qdisc", "add", "dev", "teach0", "root", *network_namespaces.shaped(None, 0.005)
        )


def test_latency_is_given_to_a_card_and_to_nothing_that_has_none() -> None:
    assert network_namespaces.shaped(None, 0.0) == ()
    assert network_namespaces.shaped(10**9, 0.0)[:3] == ("tbf", "rate", "1000000000bit")
    assert network_namespaces.shaped(None, 0.005)[:3] == ("netem", "delay", "5ms")
    assert network_namespaces.shaped(10**8, 0.0005)[:5] == ("netem", "delay", "0.5ms", "rate", "100000000bit")
    alone = registry.check("ddp", {"latency": "5ms"})
    assert isinstance(alone, registry.Refusal) and alone.mend == "write nodes=2"
    if sys.platform == "linux":
        paced = registry.check("ddp", {"latency": "5ms", "nodes": "2"})
        assert isinstance(paced, registry.Refusal) and paced.mend == "write network=netns, or simulated"
    two = registry.check("ddp", {"latency": "5ms", "nodes": "2", "network": "netns"})
    assert isinstance(two, registry.Launchable)
    assert place(two).bent[-1] == "nodes in network namespaces, joined by a link, 5 ms each way"


def test_it_joins_two_nodes_and_is_said() -> None:
    refused = registry.check("ddp", {"network": "netns"})
    assert isinstance(refused, registry.Refusal) and refused.mend == "write nodes=2"
    three = registry.check("ddp", {"network": "netns", "nodes": "3"})
    assert isinstance(three, registry.Refusal) and "not 3" in three.why
    demo = registry.check("ddp", {"network": "netns", "nodes": "2", "link": "1gbit"})
    assert isinstance(demo, registry.Launchable)
    assert place(demo).bent[-1] == "nodes in network namespaces, joined by a link shaped to 1 Gbit/s"
    stays = NodeLinks(2, "1gbit", "linux", shaped=True)
    refusal = stays.refusal("100mbit")
    assert refusal is not None and "another link=" in refusal.mend and stays.bent == ()
