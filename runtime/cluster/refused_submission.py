"""What `sbatch` and `kubectl` mean by their own words when they do not take a job, and the mend."""

from __future__ import annotations

from runtime.catalog.params import Refusal, printable
from runtime.cluster import kubernetes, slurm

_CONFIGURATION = Refusal(
    "Slurm is installed here and not configured: it finds no slurm.conf that it can use",
    "submit the file on a login node of the cluster, or name its slurm.conf: `SLURM_CONF=FILE`",
)
_MUNGE = Refusal(
    "munge, by which Slurm knows who asks, does not run here",
    "start it: `systemctl start munge`, with the same key on all nodes",
)
_PARTITION = Refusal(
    "Slurm does not know where to put the job",
    "name a partition or an account before the command, `SBATCH_PARTITION=NAME`, `SBATCH_ACCOUNT=NAME`: "
    "`sinfo` and `sacctmgr show associations` list them",
)
_NODES = Refusal(
    "this Slurm has no nodes like that",
    "ask for fewer or smaller ones, nodes= and ranks=: `sinfo -N -l` lists what it has",
)
_NO_CLUSTER = Refusal(
    "kubectl reaches no cluster",
    "name one: `kubectl config get-contexts` lists those that it knows, KUBECONFIG is the file of others",
)
_UNKNOWN = Refusal(
    "the cluster does not know who asks", "log in to it again, and try `kubectl auth can-i create jobs`"
)
# Words of Slurm 22.05's `slurm_errno.c` and `proc_msg.c`, and of kubectl.
_MEANT: dict[str, dict[str, Refusal]] = {
    slurm.PROGRAM: {
        "Could not establish a configuration source": _CONFIGURATION,
        "Unable to process configuration file": _CONFIGURATION,
        "Unable to contact slurm controller": Refusal(
            "Slurm's controller, slurmctld, does not answer",
            "`scontrol ping` says on which machine: start it there, `systemctl start slurmctld`",
        ),
        "Munge encode failed": _MUNGE,
        "munge.socket": _MUNGE,
        "No partition specified": _PARTITION,
        "nvalid partition name": _PARTITION,
        "Invalid account": _PARTITION,
        "Node count specification invalid": _NODES,
        "node configuration is not available": _NODES,
    },
    kubernetes.PROGRAM: {
        "failed to download openapi": _NO_CLUSTER,
        "Unable to connect to the server": _NO_CLUSTER,
        "was refused - did you specify": _NO_CLUSTER,
        "is forbidden": Refusal(
            "the cluster lets this account create no Job there",
            "ask for the right, or for another namespace: `kubectl auth can-i create jobs`",
        ),
        "must be logged in": _UNKNOWN,
        "Unauthorized": _UNKNOWN,
    },
}


def meaning(program: str, said: str, code: int) -> Refusal:
    """Return why `program` ended with `code`, by what it `said` on standard error."""
    for words, refusal in _MEANT.get(program, {}).items():
        if words in said:
            return refusal
    last = next((line.strip() for line in reversed(said.splitlines()) if line.strip()), "")
    shown = f": {printable(last, 120)}" if last else ""
    return Refusal(f"{program} refused it (exit status {code}){shown}", "see its words above")
