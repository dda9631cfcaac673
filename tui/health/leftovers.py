"""What earlier classes have left on this machine: processes, dead sockets; and the classes that run."""

from __future__ import annotations

from collections.abc import Iterator

from runtime import paths
from runtime.launch.processes import start_time
from tui.health.finding import Finding

AREA = "machine"


def found() -> Iterator[Finding]:
    """What of ours still runs, and what of it no class belongs to any more."""
    import asyncio

    from tui.health.running_processes import everything

    live = paths.live_classes()
    processes = asyncio.run(everything())
    kept = {*live, *(process["class"] for process in processes if process["what"] == "host")}
    lost = [
        process for process in processes if process["class"] not in kept and not _headless(process["class"])
    ]
    if lost:
        classes = sorted({process["class"] for process in lost})
        pids = ", ".join(str(process["pid"]) for process in lost[:8])
        many = "1 process" if len(lost) == 1 else f"{len(lost)} processes"
        said = f"{many} of classes that are over: pid {pids}"
        mend = " ; ".join(f"teachrun stop --class {name}" for name in classes[:4])
        yield Finding(AREA, "leftovers", "bad", said, mend)
    else:
        yield Finding(AREA, "leftovers", "good", "none")
    if live:
        yield Finding(AREA, "classes", "good", f"running: {', '.join(live)}")
    dead = [path for path in paths.run_dir().glob("*.sock") if not paths.answers(path)]
    if dead:
        mend = f"They harm nothing. Remove them: rm {' '.join(str(path) for path in dead[:4])}"
        yield Finding(AREA, "dead sockets", "warning", f"{len(dead)} in {paths.run_dir()}", mend)


def _headless(class_id: str) -> bool:
    """Whether it is of a command that runs without a class and is still there: `run-4711`."""
    _, _, pid = class_id.rpartition("-")
    return class_id.count("-") == 1 and pid.isdigit() and start_time(int(pid)) is not None
