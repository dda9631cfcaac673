"""What is written for Slurm, Kubernetes and ssh: golden text, a stand-in `srun`, no secret on a screen."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from runtime.catalog import one_node, registry
from runtime.catalog.machines import Machines
from runtime.catalog.params import Refusal
from runtime.cluster import kubernetes, slurm, ssh_commands
from runtime.cluster.hidden_secrets import redacted
from runtime.cluster.plan import Plan, plan
from runtime.launch.fork_server import environment
from runtime.launch.rank_environment import rank_environment
from runtime.protocol.stage_messages import Fork

PLAN = Plan(
    "ddp", "/shared/ddp.py", ("--steps", "20"), 2, 4, "/shared/bin/python", "", params=("ranks=4", "steps=20")
)
SECRET = ("--hf-token", "hunter2", "it's $HOME")
THEIRS = replace(
    PLAN, name="./my train.py", argv=SECRET, folder="/my work", builtin=False, params=(), behind=SECRET
)

SBATCH = """#!/usr/bin/env bash
#SBATCH --job-name=teachrun-ddp
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1               # one torchrun a node, which starts the ranks there
#SBATCH --cpus-per-task=4                 # a core a rank
#SBATCH --time=00:10:00                   # Slurm ends it then
#SBATCH --output=teachrun-ddp-%j.log      # %j is the number of the job
set -euo pipefail
: "${SLURM_JOB_ID:?is what Slurm gives: start this by sbatch, not by bash}"
nodes=${SLURM_JOB_NUM_NODES:-2} parts=${SLURM_HET_SIZE:-1}
if [ "$nodes" != 2 ] || [ "$parts" != 1 ]; then
  echo "written for 2 nodes in 1 part, and Slurm gave $nodes in $parts:" >&2
  echo "submit it without --nodes and without ':' between parts, or write it anew with nodes=$nodes" >&2
  exit 2
fi

# All meet at the first node. The port comes from the job's number: two jobs on one node must not share it.
read -r head < <(scontrol show hostnames "$SLURM_JOB_NODELIST") || {
  echo "scontrol names no node of $SLURM_JOB_NODELIST: is Slurm in the PATH of this node?" >&2
  exit 2
}
port=$((20000 + SLURM_JOB_ID % 10000))
export head port
export OMP_NUM_THREADS=1

# This runs once on every node; the script must be there under the same path (a shared folder).
on_node() {
  exec /shared/bin/python -m torch.distributed.run \\
    --nnodes=2 --nproc-per-node=4 --max-restarts=0 \\
    --rdzv-backend=c10d \\
    "--rdzv-endpoint=$head:$port" \\
    "--rdzv-id=$SLURM_JOB_ID" \\
    "--rdzv-conf=is_host=$((SLURM_NODEID == 0))" \\
    -- /shared/ddp.py --steps 20
}
export -f on_node
srun --kill-on-bad-exit=1 bash -c on_node
"""

SSH = (
    "exec /shared/bin/python -P -m teachrun run ddp ranks=4 steps=20 --nnodes 2 --node-rank 1 "
    "--rdzv a:29500 --join -"
)

# Two nodes on this machine, one after the other; the tasks of a job learn their node from this variable.
SRUN = """#!/bin/bash
[ "$1" = --kill-on-bad-exit=1 ] && shift
for node in 0 1; do SLURM_NODEID=$node "$@"; done
"""


def test_the_script_for_sbatch_is_as_it_is_written_down() -> None:
    assert slurm.script(PLAN) == SBATCH
    assert "#SBATCH --gpus-per-node=4 " in slurm.script(replace(PLAN, gpus=4))


def program(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text)
    file.chmod(0o755)
    return file


@pytest.mark.parametrize("theirs", [False, True])
def test_srun_starts_one_torchrun_a_node_which_meet_at_the_first(tmp_path: Path, theirs: bool) -> None:
    program(tmp_path, "srun", SRUN)
    program(tmp_path, "scontrol", "#!/bin/sh\necho first\necho second\n")
    python = program(tmp_path, "a python", '#!/bin/sh\nprintf \'%s\\n\' "$OMP_NUM_THREADS" "$@" --end\n')
    made = program(tmp_path, "job", slurm.script(replace(THEIRS if theirs else PLAN, python=str(python))))
    path = f"{tmp_path}:{os.environ['PATH']}"
    env = {"PATH": path, "SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n[1-2]"}
    done = subprocess.run(["bash", str(made)], env=env, capture_output=True, text=True, check=True)
    script = ["--hf-token", "hunter2", "it's $HOME"] if theirs else ["--steps", "20"]
    assert [one.split("\n")[:-1] for one in done.stdout.split("--end\n")[:-1]] == [
        [
            *("1", "-m", "torch.distributed.run", "--nnodes=2", "--nproc-per-node=4", "--max-restarts=0"),
            *("--rdzv-backend=c10d", "--rdzv-endpoint=first:20007", "--rdzv-id=7"),
            *(f"--rdzv-conf=is_host={host}", "--", "/shared/ddp.py", *script),
        ]
        for host in (1, 0)
    ]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "start this by sbatch, not by bash"),
        ({"SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": "3"}, "Slurm gave 3 in 1"),
        ({"SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": "2", "SLURM_HET_SIZE": "2"}, "Slurm gave 2 in 2"),
        ({"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n[1-2]"}, "scontrol names no node of n[1-2]"),
    ],
)
def test_the_script_says_what_it_was_not_written_for(
    tmp_path: Path, given: dict[str, str], said: str
) -> None:
    """By hand, on more nodes, as a job of several parts, where Slurm's programs are not."""
    made = program(tmp_path, "job", slurm.script(PLAN))
    env = {"PATH": os.environ["PATH"], **given}
    done = subprocess.run(["bash", str(made)], env=env, capture_output=True, text=True)
    assert done.returncode != 0 and said in done.stderr, done.stderr


@pytest.mark.parametrize("name", ["my train.py", "трейн.py", "a" * 260])
def test_a_script_whose_name_kubernetes_does_not_take_has_another_there(tmp_path: Path, name: str) -> None:
    script = tmp_path / name[:200]
    script.write_text("print(1)\n")
    theirs = replace(THEIRS, name=f"./{name}", script=str(script))
    config, service, job = yaml.safe_load_all(kubernetes.manifest(theirs, "i"))
    assert all(re.fullmatch(r"[-._a-zA-Z0-9]{1,253}", key) for key in config["data"])
    assert all(re.fullmatch(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", it["metadata"]["name"])
               for it in (config, service, job))  # fmt: skip
    [command] = job["spec"]["template"]["spec"]["containers"][0]["args"]
    assert f"/teachrun/{next(iter(config['data']))}" in command


def test_the_manifest_is_an_indexed_job_whose_pods_know_each_other_by_name() -> None:
    service, job = yaml.safe_load_all(kubernetes.manifest(PLAN, "an/image:1"))
    assert service["spec"]["clusterIP"] == "None"
    assert service["spec"]["selector"] == {"job-name": job["metadata"]["name"]}
    spec, pod = job["spec"], job["spec"]["template"]["spec"]
    assert (spec["completionMode"], spec["completions"], spec["parallelism"]) == ("Indexed", 2, 2)
    assert (pod["subdomain"], pod["restartPolicy"]) == (service["metadata"]["name"], "Never")
    (container,) = pod["containers"]
    assert container["image"] == "an/image:1"
    assert container["args"] == [
        "exec python -m torch.distributed.run \\\n"
        "  --nnodes=2 --nproc-per-node=4 --max-restarts=0 \\\n"
        "  --rdzv-backend=c10d \\\n"
        "  --rdzv-endpoint=teachrun-ddp-0.teachrun-ddp:29400 \\\n"
        "  --rdzv-id=teachrun-ddp \\\n"
        '  "--rdzv-conf=is_host=$((JOB_COMPLETION_INDEX == 0))" \\\n'
        '  -- "$(teachrun path ddp)" --steps 20\n'
    ]


@pytest.mark.parametrize(
    "text",
    ["print(1)\n", "  x\n", "\n\nprint('a: b')\n\tpass", "# ü \u2028 \x00\n", "", "a\n\n\n", "- ---\n---\n"],
)
def test_a_script_of_theirs_goes_along_to_the_byte(tmp_path: Path, text: str) -> None:
    file = tmp_path / "my train.py"
    file.write_bytes(text.encode())
    config, _, job = yaml.safe_load_all(kubernetes.manifest(replace(THEIRS, script=str(file))))
    assert [*config["data"].values()] == [text]
    (container,) = job["spec"]["template"]["spec"]["containers"]
    assert "-- /teachrun/script.py --hf-token hunter2" in container["args"][0]


def test_what_kubernetes_would_fill_in_arrives_as_it_was_written(tmp_path: Path) -> None:
    """By its own rule (Container.args: `$(NAME)` is the variable's value, `$$` is `$`), then by a shell."""
    file = tmp_path / "train.py"
    file.write_text("pass\n")
    words = ("a$$b", "$(OMP_NUM_THREADS)", "$HOME", "5$", "it's $$(x)", "$(")
    mine = replace(THEIRS, script=str(file), argv=words)
    *_, job = yaml.safe_load_all(kubernetes.manifest(mine))
    (container,) = job["spec"]["template"]["spec"]["containers"]
    named = {it["name"]: it["value"] for it in container["env"]}

    def filled(found: re.Match[str]) -> str:
        return "$" if found[0] == "$$" else named.get(found[1], found[0])

    command = re.sub(r"\$\$|\$\(([^)]*)\)", filled, container["args"][0])
    assert "is_host=$((JOB_COMPLETION_INDEX == 0))" in command
    assert shlex.split(command)[-len(words) :] == list(words)


def test_the_lines_of_ssh_ask_nothing_and_name_each_node() -> None:
    machines = Machines(("me@a", "b"), "a", 29500, ("/tmp/1.sock", "/tmp/2.sock"))
    assert ssh_commands.command(PLAN, machines, 1, "/run/agents") == [
        *("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=5", "-o", "ServerAliveInterval=15"),
        *("-R", "/tmp/2.sock:/run/agents"),
        *("-o", "ExitOnForwardFailure=yes", "b", SSH),
    ]
    assert len(set(ssh_commands.ways(("a", "b", "c")))) == 3
    theirs = ssh_commands.remote(THEIRS, 0, "a:1")
    assert theirs.startswith("cd '/my work' && exec /shared/bin/python -P -m teachrun run /shared/ddp.py ")
    assert shlex.split(theirs)[-4:] == ["--", *SECRET]


def test_what_is_shown_has_no_secrets_and_what_is_written_has(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text("pass\n")
    mine = replace(THEIRS, script=str(file))
    for whole, shown in (
        (slurm.script(mine), slurm.script(mine, shown=True)),
        (kubernetes.manifest(mine), kubernetes.manifest(mine, shown=True)),
        (ssh_commands.remote(mine, 0, "a:1"), ssh_commands.remote(mine, 0, "a:1", shown=True)),
    ):
        assert "hunter2" in whole
        assert "hunter2" not in shown


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["--hf-token", "x", "y"], ["--hf-token", "***", "y"]),
        (["--hf-token=x"], ["--hf-token=***"]),
        (["WANDB_API_KEY=x"], ["WANDB_API_KEY=***"]),
        (["--password", "--steps", "3"], ["--password", "--steps", "3"]),
        (["--tokens", "512", "--key", "b"], ["--tokens", "512", "--key", "b"]),
        (["s3://me:pass@place/x"], ["s3://***@place/x"]),
        (["--from", "hf_" + "a" * 30], ["--from", "***"]),
    ],
)  # fmt: skip
def test_secrets_are_known_by_their_names_and_their_build(words: list[str], shown: list[str]) -> None:
    assert redacted(words) == shown


@pytest.mark.parametrize(
    "text", ["-oProxyCommand=x", "a,", "a,a", "a b", "a;b", "", "a,$(x)", "::1%a b;x", "fe80::1%\x1b[31m"]
)
def test_what_is_no_name_of_a_machine_is_refused(text: str) -> None:
    assert isinstance(ssh_commands.read(text), Refusal)


@pytest.mark.parametrize(
    ("text", "why", "mend"),
    [
        ("gpu-1:2222,b", "gpu-1:2222 is not a name", "`Host gpu-1` and `Port 2222`"),
        ("me@c:22,b", "ssh takes its port from ~/.ssh/config", "`Host c` and `Port 22`"),
        ("[fe80::1]:22", "ssh takes its port", "`Host fe80::1` and `Port 22`"),
        ("fe80:::1", "is not a name of a machine", "as ssh takes them"),
        ("a b", "a b is not a name of a machine", "--hosts a,b"),
        ("a,b,me@A", "twice: a and me@A", "once"),
        ("::1,[::1]", "twice: ::1", "once"),
        ("-x@a", "-x@a is not a name", "as ssh takes them"),
    ],
)
def test_a_name_that_is_refused_says_what_to_write(text: str, why: str, mend: str) -> None:
    read = ssh_commands.read(text)
    assert isinstance(read, Refusal) and why in read.why and mend in read.mend


def test_an_address_of_ipv6_is_plain_for_ssh_and_in_brackets_before_a_port() -> None:
    named = ssh_commands.read("me@[2001:db8::1], 2001:db8::2")
    assert named == ("me@2001:db8::1", "2001:db8::2")
    machines = Machines(named, ssh_commands.address(named[0]), 29500, ssh_commands.ways(named))
    words = ssh_commands.command(PLAN, machines, 0, "/here")
    assert words[-2] == "me@2001:db8::1" and "--rdzv '[2001:db8::1]:29500'" in words[-1]
    assert one_node.read("0", "[::1]:29500", 2, 2).host == "::1"  # and is read so there


def test_machines_are_named_with_and_without_an_account() -> None:
    assert ssh_commands.read("gpu-1, me@10.0.0.2,node_3.local") == ("gpu-1", "me@10.0.0.2", "node_3.local")


def test_a_plan_is_made_of_a_checked_demo_and_refuses_links_that_are_played() -> None:
    demo = registry.check("ddp", {"nodes": "3", "ranks": "2", "steps": "5", "restarts": "2", "device": "gpu"})
    assert isinstance(demo, registry.Launchable)
    made = plan(demo)
    assert isinstance(made, Plan)
    assert made.params == ("ranks=2", "steps=5", "restarts=2", "device=gpu")
    assert (made.nodes, made.ranks, made.restarts, made.gpus, made.argv) == (3, 2, 2, 2, ("--steps", "5"))
    slow = registry.check("ddp", {"nodes": "2", "link": "1gbit"})
    assert isinstance(slow, registry.Launchable), slow
    assert isinstance(plan(slow), Refusal)


def test_the_environment_that_is_shown_is_the_one_that_ranks_have() -> None:
    """Of a forked rank, which is held against torchrun elsewhere: `..` is one number a rank."""
    told = dict(word.split("=") for word in PLAN.environment(1, "[::1]:29500").split())
    order = Fork("r", 1, 8, "x.py", (), rank_environment("c", "r", 1, 8, 2), "/logs")
    for rank in range(4, 8):
        has = environment(order, rank) | {"MASTER_ADDR": "::1", "MASTER_PORT": "29500"}
        for name, value in told.items():
            first, dots, last = value.partition("..")
            assert int(first) <= int(has[name]) <= int(last) if dots else has[name] == value, name
    alone = replace(PLAN, ranks=1).environment(1, "a:1")
    assert alone.startswith("RANK=1 LOCAL_RANK=0 GROUP_RANK=1 MASTER_ADDR=a MASTER_PORT=1 WORLD_SIZE=2 ")
    assert "OMP_NUM_THREADS=1" in alone.split()
    assert "OMP_NUM_THREADS" not in THEIRS.environment(1, "a:1")  # torchrun's, where nobody has said it
