"""The script that `sbatch` takes: Slurm gives the nodes, `srun` starts one torchrun on each."""

from __future__ import annotations

from runtime.cluster.plan import ENVIRONMENT, Plan, continued

PROGRAM = "sbatch"
SUFFIX = ".sbatch"


def script(plan: Plan, minutes: int = 10, *, shown: bool = False) -> str:
    """Return the script of a plan.

    Args:
        plan: What runs.
        minutes: After which Slurm ends the job.
        shown: For people, with secrets taken out.
    """
    asked = [
        (f"--job-name={plan.title}", ""),
        (f"--nodes={plan.nodes}", ""),
        ("--ntasks-per-node=1", "one torchrun a node, which starts the ranks there"),
        (f"--cpus-per-task={plan.ranks}", "a core a rank"),
        *([(f"--gpus-per-node={plan.gpus}", "a GPU a rank")] if plan.gpus else []),
        (f"--time={minutes // 60:02}:{minutes % 60:02}:00", "Slurm ends it then"),
        (f"--output={plan.title}-%j.log", "%j is the number of the job"),
    ]
    head = [f"#SBATCH {word:<34}# {why}" if why else f"#SBATCH {word}" for word, why in asked]
    torchrun = plan.torchrun("$head:$port", "$SLURM_JOB_ID", "$((SLURM_NODEID == 0))", shown=shown)
    exports = "\n".join(f"export {name}={value}" for name, value in ENVIRONMENT.items())
    return f"""#!/usr/bin/env bash
{chr(10).join(head)}
set -euo pipefail

# All meet at the first node. The port comes from the job's number: two jobs on one node must not share it.
read -r head < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
port=$((20000 + SLURM_JOB_ID % 10000))
export head port
{exports}

# This runs once on every node; the script must be there under the same path (a shared folder).
on_node() {{
  exec {continued(torchrun, "    ")}
}}
export -f on_node
srun --kill-on-bad-exit=1 bash -c on_node
"""
