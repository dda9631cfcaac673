"""The script that `sbatch` takes: Slurm gives the nodes, `srun` starts one torchrun on each."""

from __future__ import annotations

from runtime.cluster.plan import Plan, continued
from runtime.launch.rank_environment import ONE_THREAD

PROGRAM = "sbatch"
SUFFIX = ".sbatch"


def script(plan: Plan, minutes: int = 10, *, join: str = "", shown: bool = False) -> str:
    """Return the script of a plan.

    Args:
        plan: What runs.
        minutes: After which Slurm ends the job.
        join: The file of an invitation, in a folder that all nodes share: an agent on each comes to its
            host. "": nobody watches, and a torchrun starts on each.
        shown: For people, with secrets taken out.
    """
    starter = "agent" if join else "torchrun"
    asked = [
        (f"--job-name={plan.title}", ""),
        (f"--nodes={plan.nodes}", ""),
        (
            "--ntasks-per-node=1",
            f"one {starter} a node, which starts the ranks there",
        ),
        (f"--cpus-per-task={plan.ranks}", "a core a rank"),
        *([(f"--gpus-per-node={plan.gpus}", "a GPU a rank")] if plan.gpus else []),
        (f"--time={minutes // 60:02}:{minutes % 60:02}:00", "Slurm ends it then"),
        (f"--output={plan.title}-%j.log", "%j is the number of the job"),
    ]
    head = [f"#SBATCH {word:<34}# {why}" if why else f"#SBATCH {word}" for word, why in asked]
    if join:
        starts = plan.agent("$SLURM_NODEID", "$head:$port", join, shown=shown)
    else:
        starts = plan.torchrun("$head:$port", "$SLURM_JOB_ID", "$((SLURM_NODEID == 0))", shown=shown)
    exports = "\n".join(f"export {name}={value}" for name, value in ONE_THREAD.items())
    return f"""#!/usr/bin/env bash
{chr(10).join(head)}
set -euo pipefail
: "${{SLURM_JOB_ID:?is what Slurm gives: start this by sbatch, not by bash}}"
nodes=${{SLURM_JOB_NUM_NODES:-{plan.nodes}}} parts=${{SLURM_HET_SIZE:-1}}
if [ "$nodes" != {plan.nodes} ] || [ "$parts" != 1 ]; then
  echo "written for {plan.nodes} nodes in 1 part, and Slurm gave $nodes in $parts:" >&2
  echo "submit it without --nodes and without ':' between parts, or write it anew with nodes=$nodes" >&2
  exit 2
fi

# All meet at the first node. The port comes from the job's number: two jobs on one node must not share it.
read -r head < <(scontrol show hostnames "$SLURM_JOB_NODELIST") || {{
  echo "scontrol names no node of $SLURM_JOB_NODELIST: is Slurm in the PATH of this node?" >&2
  exit 2
}}
port=$((20000 + SLURM_JOB_ID % 10000))
export head port
{exports}

# This runs once on every node; the script must be there under the same path (a shared folder).
on_node() {{
  exec {continued(starts, "    ")}
}}
export -f on_node
srun --kill-on-bad-exit=1 bash -c on_node
"""
