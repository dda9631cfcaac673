"""From the death of a rank to the first step after it, beside torchrun doing the same.

    python tests/bench/failover.py [--times 7]

Four ranks train `runtime/demos/failover.py`; one of them kills itself, all start again and load the newest
checkpoint. The moment of death is the rank's own last word, the first step is over when the last rank has
done it; both are read from the ranks' events. torchrun restarts its workers with `--max-restarts 1` and needs
`TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1`, without which it never recovers on gloo.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "e2e"))
from stage_host import Receiver

from runtime import paths
from runtime.catalog import registry
from runtime.catalog.registry import Launchable
from runtime.protocol.events import Event, Fault, Step
from runtime.supervision.run import Run
from runtime.supervision.supervisor import Supervisor

RANKS, STEPS, KILL_AT = 4, 18, 13


def seconds(events: Iterable[Event]) -> float:
    """From the fault to the end of the first step after it, of the rank that came last."""
    events = list(events)
    died = min(e.t for e in events if isinstance(e, Fault) and e.rank >= 0 and "kills itself" in e.what)
    first = {}
    for event in events:
        if isinstance(event, Step) and event.t0 > died:
            first[event.rank] = min(event.t, first.get(event.rank, event.t))
    assert len(first) == RANKS, "not every rank came back"
    return max(first.values()) - died


async def ours(times: int) -> tuple[list[float], list[tuple[tuple[str, float], ...]]]:
    heard: list[Event] = []

    def take(run: Run, events: Iterable[Event]) -> None:
        heard.extend(events)

    supervisor = Supervisor("bench", paths.rank_socket("bench"), on_events=take)
    await supervisor.start()
    found, phases = [], []
    params = {"ranks": str(RANKS), "steps": str(STEPS), "kill_at": str(KILL_AT)}
    demo = registry.check("failover", params)
    assert isinstance(demo, Launchable)
    for turn in range(times + 1):
        heard.clear()
        run = await supervisor.launch("b", demo)
        await run.over.wait()
        assert (run.state, run.generation) == ("done", 2), run.why
        if turn:  # the first one warms the disk's cache
            found.append(seconds(heard))
            phases.append(run.snapshot().recoveries[0].phases)
    await supervisor.close()
    return found, phases


def torchrun(times: int, folder: Path) -> list[float]:
    script = Path(__file__).parents[2] / "runtime" / "demos" / "failover.py"
    found = []
    for turn in range(times):
        receiver = Receiver(folder / f"r{turn}")
        command = [
            sys.executable,
            "-m",
            "torch.distributed.run",
            f"--nproc-per-node={RANKS}",
            "--max-restarts=1",
        ]
        command += ["--monitor-interval=0.1", str(script), "--steps", str(STEPS), "--kill_at", str(KILL_AT)]
        env = {
            "OMP_NUM_THREADS": "1",
            "TORCH_CPP_LOG_LEVEL": "ERROR",
            "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
            "TEACHRUN_SOCKET": receiver.path,
            "TEACHRUN_SCRATCH": str(folder / f"checkpoints{turn}"),
        }
        ran = subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True, timeout=120)
        # At its end a rank may abort under gloo's threads (pytorch PR 179291): what is timed is over then.
        assert ran.returncode == 0 or "SIGABRT" in ran.stderr, ran.stderr[-3000:]
        time.sleep(0.5)
        receiver.close()
        found.append(seconds(receiver.events))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--times", type=int, default=7)
    times = parser.parse_args().times
    with tempfile.TemporaryDirectory(prefix="tr") as home:
        for name in ("STATE", "DATA", "CONFIG"):
            os.environ[f"XDG_{name}_HOME"] = f"{home}/{name[0]}"
        mine, phases = asyncio.run(ours(times))
        peer = torchrun(max(3, times // 2), Path(home))
    a, b = statistics.median(mine), statistics.median(peer)
    print(f"from the death to the first step: median {a:.3f} s, {min(mine):.3f} to {max(mine):.3f} s")
    for name in (name for name, _ in phases[0]):
        part = statistics.median(dict(each).get(name, 0.0) for each in phases)
        print(f"    {name:12s} {part * 1e3:6.0f} ms")
    print(f"torchrun --max-restarts 1:        median {b:.3f} s, {min(peer):.3f} to {max(peer):.3f} s")
    print(f"ratio {b / a:.1f}; {date.today()}, {platform.platform()}, {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
