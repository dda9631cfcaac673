"""`run --slurm`, `--k8s`, `--hosts`: what is written, what is said, and that nothing starts unasked."""

from __future__ import annotations

import stat
from argparse import Namespace
from pathlib import Path

import pytest
from msgspec.structs import replace

from runtime.catalog import registry
from runtime.catalog.registry import Launchable
from runtime.cluster import preflight
from tui import cli
from tui.command_line import cluster_options

SBATCH = "/usr/bin/sbatch"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))  # there is no sbatch, kubectl or ssh
    return tmp_path


@pytest.mark.parametrize(
    ("option", "name"), [("--slurm", "teachrun-ddp.sbatch"), ("--k8s", "teachrun-ddp.yaml")]
)
def test_a_file_is_written_for_its_owner_shown_and_not_submitted(
    folder: Path, capsys: pytest.CaptureFixture[str], option: str, name: str
) -> None:
    assert cli.main(["run", "ddp", "nodes=2", "ranks=2", option]) == 0
    said = capsys.readouterr()
    assert (folder / name).read_text() == said.out
    assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
    assert f"written to {name}, not submitted" in said.err
    assert cli.main(["run", "ddp", "nodes=2", "ranks=2", option]) == 0  # the same once more


def test_a_file_that_somebody_has_changed_stays(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "mine").write_text("mine")
    assert cli.main(["run", "ddp", "--slurm", "--out", "mine"]) == 2
    assert "exists with other content: use another --out" in capsys.readouterr().err
    assert (folder / "mine").read_text() == "mine"


def test_submitting_hands_the_file_over_or_says_what_is_absent(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["run", "ddp", "--slurm", "--submit"]) == 1
    assert "sbatch is not installed here: submit the file on a login node" in capfd.readouterr().err
    sbatch = folder / "sbatch"
    sbatch.write_text("#!/bin/sh\necho took $1\n")
    sbatch.chmod(0o755)
    assert cli.main(["run", "ddp", "--slurm", "--submit"]) == 0
    assert capfd.readouterr().out.endswith("took teachrun-ddp.sbatch\n")


@pytest.mark.parametrize(
    ("option", "program", "says", "told"),
    [
        ("--slurm", "sbatch", "sbatch: fatal: Could not establish a configuration source",
         "Slurm is installed here and not configured: it finds no slurm.conf that "
         "it can use: submit the file on a login node"),
        ("--slurm", "sbatch", "sbatch: error: Batch job submission failed: Unable to contact slurm "
         "controller (connect failure)", "Slurm\'s controller, slurmctld, does not answer: `scontrol ping`"),
        ("--slurm", "sbatch", "sbatch: error: Batch job submission failed: Node count specification invalid",
         "this Slurm has no nodes like that: ask for fewer or smaller ones"),
        ("--slurm", "sbatch", "sbatch: error: something \x1b[2Jnew",
         "sbatch refused it (exit status 3): sbatch: error: something"),
        ("--k8s", "kubectl", "The connection to the server localhost:8080 was refused - did you specify the "
         "right host or port?", "kubectl reaches no cluster: name one: `kubectl config get-contexts`"),
        ("--k8s", "kubectl", "error validating data: failed to download openapi: connection refused",
         "kubectl reaches no cluster"),
    ],
)  # fmt: skip
def test_what_a_cluster_says_when_it_takes_nothing_is_shown_with_the_mend(
    folder: Path, capfd: pytest.CaptureFixture[str], option: str, program: str, says: str, told: str
) -> None:
    stand_in = folder / program
    stand_in.write_text(f"#!/bin/sh\necho '{says}' >&2\nexit 3\n")
    stand_in.chmod(0o755)
    asked = ["run", "ddp", "nodes=2", "ranks=2", option, "--submit"]
    assert cli.main([*asked, *(["--image", "x"] if option == "--k8s" else [])]) == 1
    said = capfd.readouterr().err
    assert says.partition("\x1b")[0] in said and f"teachrun: {told}" in said
    assert "\x1b" not in said


@pytest.mark.skipif(
    not Path(SBATCH).exists() or Path("/etc/slurm/slurm.conf").exists(),
    reason="no Slurm on this machine, or one that is configured",
)
def test_a_real_slurm_without_a_configuration_is_told_as_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "sbatch").symlink_to(SBATCH)
    monkeypatch.delenv("SLURM_CONF", raising=False)
    assert cli.main(["run", "ddp", "nodes=2", "ranks=2", "--slurm", "--submit"]) == 1
    assert "it finds no slurm.conf that it can use: submit the file" in capfd.readouterr().err


def test_what_each_machine_runs_is_shown_without_reaching_any(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", "ddp", "ranks=2", "--hosts", "a,b", "--dry-run"]) == 0
    said = capsys.readouterr()
    assert [line.split(":")[0] for line in said.out.splitlines()[::3]] == ["# node 0", "# node 1"]
    assert "# its ranks: RANK=2..3 LOCAL_RANK=0..1 GROUP_RANK=1 MASTER_ADDR=a " in said.out
    assert said.out.count("teachrun run ddp ranks=2 --nnodes 2 --node-rank") == 2
    assert "nothing was started" in said.err
    assert cli.main(["run", "ddp", "ranks=2", "--hosts", "a,b"]) == 1
    assert "ssh is not installed here" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [["--dry-run"], ["--slurm", "--json"], ["--hosts", "a,b", "--xray", "3"], ["--join", "x"],
     ["--nnodes", "2", "--node-rank", "0", "--rdzv", "127.0.0.1:1", "--join", "none"],
     ["--hosts", "a", "--nnodes", "2"],
     ["--submit"], ["--image", "x"], ["--out", "x"], ["--k8s", "--submit"],
     ["--hosts", "a,-x"], ["--hosts", "a,b", "nodes=3"], ["--slurm", "nodes=2", "link=1gbit"],
     ["--nnodes", "2"], ["--nnodes", "2", "--node-rank", "0"],
     ["--nnodes", "2", "--node-rank", "2", "--rdzv", "127.0.0.1:1"],
     ["--nnodes", "2", "--node-rank", "0", "--rdzv", "127.0.0.1:1", "--slurm"],
     ["--nnodes", "2", "--node-rank", "0", "--rdzv", "127.0.0.1:1", "link=1gbit"]],
)  # fmt: skip
def test_what_does_not_go_together_is_said_before_anything_is_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setattr("tui.command_line.joined_node.WITHIN_S", 0.0)
    assert cli.main(["run", "ddp", *words]) == 2
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "params", "starts"),
    [
        ("fsdp", {}, False),
        ("fsdp", {"device": "cpu"}, True),
        ("ringtree", {}, True),
        ("interconnect", {"link": "unlimited"}, True),
    ],
)
def test_machines_need_the_same_gpus_only_where_ranks_would_use_them(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    params: dict[str, str],
    starts: bool,
) -> None:
    has = preflight.Found("3.11.7", "2.13.0", "0.1.0", 2, 1 << 30, 4096)
    found = [replace(has, gpus=("NVIDIA L4",)), replace(has, gpus=("NVIDIA H100 80GB HBM3",))]
    monkeypatch.setattr(preflight, "here", lambda python: has)
    monkeypatch.setattr(preflight, "look_at_all", lambda *asked: list(found))
    demo = registry.check(name, params)
    assert isinstance(demo, Launchable)
    args = Namespace(hosts="a,b", rdzv=None, dry_run=False)
    assert isinstance(cluster_options.main(args, demo), Launchable) is starts
    assert ("NO  b has 1 NVIDIA H100 80GB HBM3" in capsys.readouterr().err) is not starts
