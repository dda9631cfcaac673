"""The environment of the ranks of a run: which run it is, how many they are, and a thread for each."""

from __future__ import annotations

from runtime.launch.processes import CLASS_MARK, PART_MARK

ONE_THREAD = {"OMP_NUM_THREADS": "1"}
# Libraries that would write to a rank's log; the profiler's a line of its own at begin and end.
QUIET = {"TORCH_CPP_LOG_LEVEL": "ERROR", "KINETO_LOG_LEVEL": "6"}


def rank_environment(
    class_id: str, run_id: str, generation: int, ranks: int, nodes: int = 1
) -> dict[str, str]:
    """Return what all ranks have in common, besides where they meet and where their events go. `ranks` are
    those of all `nodes` together."""
    return {
        CLASS_MARK: class_id,
        PART_MARK: "rank",
        "TEACHRUN_RUN": run_id,
        "TEACHRUN_GENERATION": str(generation),
        "WORLD_SIZE": str(ranks),
        "LOCAL_WORLD_SIZE": str(ranks // nodes),
        "GROUP_WORLD_SIZE": str(nodes),
        "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
        **ONE_THREAD,
        **QUIET,
    }
