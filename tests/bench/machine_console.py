"""How soon a key is answered by the console of a class whose demo runs on 128 machines.

    python tests/bench/machine_console.py [--nodes 128] [--seconds 15] [--presses 100]

A real host and a real screen in a pseudo-terminal; the machines are those of `cluster.py`: a connection by
TLS each, 8 ranks, 20 events a second of each rank, all from one other process. Nothing of teachrun starts a
demo on machines that are generated: the host of this file does. Printed are milliseconds from a key to the
mark it shows, beside the panel and before the machines come, the processor time of host and screen in percent
of a core, and of what was sent how many events the file of the run has.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from datetime import date
from pathlib import Path

import generated
from cluster import EVENTS_S, RANKS, generate, recorded
from panel import MARKS, latency
from terminal import Terminal, cpu_s, environ, quantile

from runtime import paths
from runtime.catalog.machines import Machines
from runtime.catalog.registry import Launchable

HERE = str(Path(__file__))
INVITATION = "TEACHRUN_BENCH_INVITATION"
DECK = "# Generated\n\n::: demo generated ranks={ranks}\n" + "".join(
    f"\n<!-- pause -->\n\nMark {mark}\n" for mark in MARKS
)


def host() -> int:
    """Be a host whose demo runs on machines that come by themselves."""
    from runtime.host import __main__ as real
    from runtime.host.blocks import launch_check

    def elsewhere(demo: Launchable, _: object) -> Launchable:
        names = tuple(f"n{n}" for n in range(demo.ranks // RANKS))
        values = demo.values | {"nodes": len(names)}
        machines = Machines(names, "", 0, listen=("127.0.0.1", 0), invitation=os.environ[INVITATION])
        return replace(demo, values=values, machines=machines)

    launch_check.on_machines = elsewhere  # type: ignore[assignment]
    generated.register()
    sys.argv = ["host", *sys.argv[2:]]
    return real.main()


def measure(nodes: int, seconds: float, presses: int, home: Path) -> None:
    deck, file = home / "deck.md", home / "join"
    deck.write_text(DECK.format(ranks=nodes * RANKS))
    env = environ(home)
    env[INVITATION] = str(file)
    os.environ.update(env)
    class_id = "machines"
    serving = subprocess.Popen([sys.executable, HERE, "host", "--class", class_id])
    screen = None
    try:
        while not paths.screen_socket(class_id).exists():
            assert serving.poll() is None, "the host did not start"
            time.sleep(0.05)
        command = [sys.executable, "-P", generated.__file__, "present", str(deck), "--class", class_id]
        screen = Terminal(command, 160, 45, env)
        screen.wait("Generated", screen.started)
        screen.drain(8.0)  # the stage warms up, which is not what is measured
        alone = latency(screen, presses // 2)
        screen.send("d")
        while not file.exists():
            screen.drain(0.1)
        length = seconds + presses * 0.3 + 40
        apart = multiprocessing.get_context("spawn")
        ours, theirs = apart.Pipe()
        other = apart.Process(target=generate, args=(str(file), nodes, length, theirs))
        other.start()
        if (
            screen.wait("128 machines" if nodes == 128 else "machines", time.perf_counter(), 60).seconds
            is None
        ):
            raise SystemExit(f"no machine was painted; the screen was\n{screen.text}")
        screen.drain(10.0)  # all have come
        began, spent = time.perf_counter(), (screen.cpu_s(), cpu_s(serving.pid))
        screen.drain(seconds)
        took = time.perf_counter() - began
        shares = [
            100 * (now - before) / took
            for now, before in zip((screen.cpu_s(), cpu_s(serving.pid)), spent, strict=True)
        ]
        keys = latency(screen, presses)
        while not ours.poll():
            screen.drain(0.2)
        sent = ours.recv()
        other.join()
        screen.drain(2.0)
        screen.send("d")
        screen.drain(5.0)
        # The first: a `d` that came when the run was over already has begun another one.
        folder = min(paths.runs_dir().iterdir())  # names of runs begin with their time
        print(
            f"{nodes} machines, {nodes * RANKS * EVENTS_S:,} events/s: a key {quantile(keys, 0.5):.0f} ms, "
            f"p95 {quantile(keys, 0.95):.0f}, p99 {quantile(keys, 0.99):.0f}, most {max(keys):.0f} "
            f"({len(keys)} of {presses} seen; before they came {quantile(alone, 0.5):.0f} ms); "
            f"screen {shares[0]:.1f} %, host {shares[1]:.1f} % of a core; "
            f"of {sent:,} sent the file has {recorded(folder):,}"
        )
    finally:
        if screen is not None:
            screen.close()
        serving.terminate()
        serving.wait(60)


def main() -> int:
    if sys.argv[1:2] == ["host"]:
        return host()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--nodes", type=int, default=128)
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--presses", type=int, default=100)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(args.nodes, args.seconds, args.presses, Path(folder))
    print(f"{date.today()}, {platform.platform()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
