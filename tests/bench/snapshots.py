"""What a screen spends on a snapshot of many ranks, console and plain slide, in processor time.

    python tests/bench/snapshots.py [--ranks 1024] [--times 40]

The steps of these ranks are made, compared and encoded as a host does it; the screen is the real one without
a terminal. Printed are milliseconds of processor time from the bytes to the written rows, less those of as
long a time in which nothing came, and the part of them that reading the bytes takes.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import sys
import time
from datetime import date
from pathlib import Path

_TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(_TESTS / "unit"), str(_TESTS / "screens"), str(_TESTS), str(_TESTS.parent)]

from made_screen import Screenful, running, settle  # noqa: E402
from made_steps import ddp_step, snap  # noqa: E402
from terminal import quantile  # noqa: E402

from runtime.metrics.store import RunStore  # noqa: E402
from runtime.protocol import messages  # noqa: E402

WARM = 5


async def measure(ranks: int, times: int, *, console: bool) -> str:
    store = RunStore(ranks, now=0.0)
    full = Screenful()
    spent, read, idle = [], [], []
    async with full.app.run_test(size=(160, 45)) as pilot:
        if console:
            await pilot.press("c")
        block = await running(full, pilot, world=4)
        for step in range(WARM + times):
            store.ingest_all(ddp_step(step, ranks, late={ranks // 2: 0.01}), now=float(step))
            payload = messages.encode(snap(store, now=float(step), block=block, run="r1", state="running"))
            await settle(pilot)
            began = time.process_time()
            await settle(pilot)
            idle.append(1e3 * (time.process_time() - began))
            began = time.process_time()
            message = messages.decode(payload)
            decoded = time.process_time()
            full.link.receive(message)
            await settle(pilot)
            spent.append(1e3 * (time.process_time() - began))
            read.append(1e3 * (decoded - began))
    where = "console" if console else "slide"
    beside = quantile(idle[WARM:], 0.5)  # clocks and the test's own waiting
    ours, reading = [one - beside for one in spent[WARM:]], read[WARM:]
    return (
        f"{where:8} {ranks:6} {quantile(ours, 0.5):9.1f} {quantile(ours, 0.95):6.1f} {max(ours):6.1f} "
        f"{quantile(reading, 0.5):13.1f} {len(payload) / 1e3:7.0f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--ranks", type=int, nargs="+", default=[4, 1024])
    parser.add_argument("--times", type=int, default=40)
    args = parser.parse_args()
    print("screen    ranks  cpu-ms, median p95   most  of it reading      kB")
    for ranks in args.ranks:
        for console in (False, True):
            print(asyncio.run(measure(ranks, args.times, console=console)), flush=True)
    print(f"{date.today()}, {platform.platform()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
