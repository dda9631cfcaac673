"""From asking for a demo to the end of its first step on every rank, stage warm, beside torchrun.

    python tests/bench/first_step.py [--times 5] [ddp 'zero stage=3' fsdp ...]

Both are started by the same supervisor and timed by the same events; torchrun's share is its own start, its
workers' imports and their first step. Demos alternate, so that a slow minute of the machine hits all of them.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import statistics
import sys
import tempfile
from collections import defaultdict
from datetime import date

USUAL = ("ddp", "zero", "pipeline", "fsdp", "hsdp", "tensor")


async def first_step_s(supervisor: object, line: str, launcher: str) -> float:
    from runtime.catalog import registry
    from runtime.supervision.supervisor import Supervisor

    assert isinstance(supervisor, Supervisor)
    parsed = registry.parse_line(line)
    assert not isinstance(parsed, registry.Refusal), parsed
    name, params = parsed
    demo = registry.check(name, {"ranks": "4", "steps": "3", "launcher": launcher} | params)
    assert not isinstance(demo, registry.Refusal), demo
    run = await supervisor.launch("bench", demo)
    await run.over.wait()
    if run.state != "done" or run.store.first_step_at is None:
        raise SystemExit(f"{line} by {launcher}: {run.state}: {run.why}")
    return run.store.first_step_at - run.asked_at


async def measure(lines: list[str], times: int) -> dict[tuple[str, str], list[float]]:
    from runtime import paths
    from runtime.supervision.supervisor import Supervisor

    name = f"bench-{os.getpid()}"
    supervisor = Supervisor(name, paths.rank_socket(name))
    await supervisor.start()
    seconds: dict[tuple[str, str], list[float]] = defaultdict(list)
    try:
        supervisor.stage.start()
        await supervisor.stage.settled()
        for n in range(times):
            for line in lines:
                seconds[line, "stage"].append(await first_step_s(supervisor, line, "stage"))
                if n < max(1, times // 3):  # seconds each, and far less variable
                    seconds[line, "torchrun"].append(await first_step_s(supervisor, line, "torchrun"))
                print(".", end="", file=sys.stderr, flush=True)
    finally:
        await supervisor.close()
    print(file=sys.stderr)
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("demos", nargs="*", default=list(USUAL))
    parser.add_argument("--times", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tr") as home:
        for name in ("STATE", "DATA", "CONFIG"):
            os.environ[f"XDG_{name}_HOME"] = f"{home}/{name[0]}"
        seconds = asyncio.run(measure(args.demos, args.times))
    print(f"{'':16} stage: median  lowest highest   torchrun   times faster")
    for line in args.demos:
        ours, theirs = seconds[line, "stage"], seconds[line, "torchrun"]
        median, peer = statistics.median(ours), statistics.median(theirs)
        row = f"{line:16} {median:13.2f} s {min(ours):6.2f} {max(ours):7.2f} {peer:8.1f} s"
        print(f"{row} {peer / median:11.0f}")
    print(f"{date.today()}, {platform.platform()}, {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
