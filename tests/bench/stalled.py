"""Does a host that stands still slow training down?

    python tests/bench/stalled.py [--rounds 5]

Two ranks of `ddp` train under a real host, which is stopped (SIGSTOP) for seconds at a time and let go again.
Each rank times its own steps; what it said meanwhile arrives afterwards. Prints the median step with the host
listening and with it stopped, and their ratio.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import signal
import statistics
import tempfile
from datetime import date

STOPPED_S, LISTENING_S = 2.0, 2.0


async def measure(rounds: int) -> tuple[list[float], list[float]]:
    """Step times of rank 0 in seconds: (host listening, host stopped)."""
    import time

    from runtime import paths
    from runtime.catalog import registry
    from runtime.host.client import Client, start_host
    from runtime.protocol.events import Step
    from runtime.protocol.messages import AnyMessage, Launch, Shutdown, Snapshot
    from runtime.recordings import files

    host = start_host("bench")
    got: list[AnyMessage] = []
    client = Client("bench", "console", "bench", got.append, lambda word: None)
    await client.start()
    assert isinstance(registry.check("ddp", {}), registry.Launchable)
    client.send(Launch("b", "ddp", {"ranks": "2", "steps": "100000"}))

    def step() -> int:
        seen = next((m for m in reversed(got) if isinstance(m, Snapshot)), None)
        return -1 if seen is None or not seen.rows or seen.rows[0].step is None else seen.rows[0].step

    while step() < 20:
        await asyncio.sleep(0.05)
    stops: list[tuple[float, float]] = []
    for _ in range(rounds):
        await asyncio.sleep(LISTENING_S)
        began = time.monotonic()
        os.kill(host.pid, signal.SIGSTOP)
        await asyncio.sleep(STOPPED_S)
        os.kill(host.pid, signal.SIGCONT)
        stops.append((began, time.monotonic()))
    await asyncio.sleep(LISTENING_S)
    client.send(Shutdown("measured"))
    await asyncio.to_thread(host.wait, 10)
    await client.close()
    folder = next(paths.runs_dir().iterdir())
    steps = [e for e in files.Events(folder) if isinstance(e, Step) and e.rank == 0 and e.step >= 20]
    stopped = [e.t - e.t0 for e in steps if any(a < e.t0 and e.t < b for a, b in stops)]
    listening = [e.t - e.t0 for e in steps if not any(a < e.t and e.t0 < b for a, b in stops)]
    return listening, stopped


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="tr") as home:
        for name in ("STATE", "DATA", "CONFIG"):
            os.environ[f"XDG_{name}_HOME"] = f"{home}/{name[0]}"
        listening, stopped = asyncio.run(measure(rounds))
    a, b = statistics.median(listening), statistics.median(stopped)
    print(f"host listening: median step {1e3 * a:.1f} ms of {len(listening)}")
    print(f"host stopped:   median step {1e3 * b:.1f} ms of {len(stopped)}; ratio {b / a:.3f}")
    print(f"{date.today()}, {platform.platform()}, {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
