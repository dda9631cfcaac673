"""What the probe costs a step, as shares of its CPU time: `python tests/bench/probe.py [pairs]`.

One process trains with the probe and without it in turn, ten steps each, so that whatever else the machine
does hits both alike; a share is the median over pairs. All threads of the process count. Two ranks do it side
by side, and somebody takes what they send. Three levels: a script that says its phases; the same with every
collective seen; a script that says nothing, listened to, with its memory weighed every tenth step.
"""

from __future__ import annotations

import os
import platform
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from datetime import date
from pathlib import Path
from typing import Any

RANKS, STEPS = 2, 10  # of ten steps one is sampled
GOALS = {"phases": 0.01, "with collectives": 0.04, "implicit with memory": 0.08}
SOCKET = "TEACHRUN_BENCH_SOCKET"


def listen(path: str) -> None:
    """Take everything and throw it away, as a host with nothing to do."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen()

    def drain(connection: socket.socket) -> None:
        while connection.recv(1 << 16):
            pass

    def accept() -> None:
        while True:
            threading.Thread(target=drain, args=(server.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()


class Switched:
    """The probe of this process, which can be put in and taken out again at one of the levels."""

    def __init__(self, level: str, model: Any, optimizer: Any) -> None:

        from runtime.ranks.probe import probe

        self.probe, self.level, self.model, self.optimizer = probe, level, model, optimizer
        self._instrument = probe.instrument
        self._listening = False

    def put_in(self) -> None:
        probe: Any = self.probe
        if self.level == "phases":
            probe.instrument = lambda: None
        probe.start({"TEACHRUN_SOCKET": os.environ[SOCKET], "RANK": os.environ["RANK"]})
        probe.instrument()
        if self.level == "implicit with memory":
            if not self._listening:
                self._listening = True
                probe.listen()
            probe.listener.on = True

    def take_out(self) -> None:
        probe: Any = self.probe
        if probe.listener is not None:
            probe.listener.on = False
        listener, probe.listener = probe.listener, None  # `close` would end it for good
        probe.close(None)
        probe.listener = listener
        probe.uninstrument()
        probe.__dict__.pop("instrument", None)


def rank(pairs: int) -> None:
    """One rank: trains with and without the probe in turn; rank 0 prints the shares."""
    import torch
    import torch.distributed as dist

    from runtime.demos.model import Sentences, TinyLM, next_token_loss
    from runtime.ranks.probe import probe

    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    tokens, targets = Sentences(64).take(0, 16)
    model = torch.nn.parallel.DistributedDataParallel(TinyLM(), gradient_as_bucket_view=True)
    optimizer = torch.optim.AdamW(model.parameters())

    def told() -> None:
        with probe.step(tokens=tokens.numel()):
            with probe.phase("data"):
                pass
            with probe.phase("forward"):
                loss = next_token_loss(model(tokens), targets)
            with probe.phase("backward"):
                loss.backward()
            with probe.phase("optimizer"):
                optimizer.step()
                optimizer.zero_grad()
            probe.loss(loss)
        loss.item()

    def silent() -> None:
        loss = next_token_loss(model(tokens), targets)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        loss.item()

    for level, goal in GOALS.items():
        step = silent if level.startswith("implicit") else told
        switch = Switched(level, model, optimizer)
        shares, bases = [], []
        for pair in range(pairs):
            cpu = {}
            for on in (True, False) if pair % 2 else (False, True):
                if on:
                    switch.put_in()
                step()  # whatever the first one does is not the price of the others
                begun = time.process_time()
                for _ in range(STEPS):
                    step()
                cpu[on] = (time.process_time() - begun) / STEPS
                if on:
                    switch.take_out()
            shares.append(cpu[True] / cpu[False] - 1)
            bases.append(cpu[False])
        if dist.get_rank() == 0:
            low, middle, high = (100 * q for q in statistics.quantiles(shares, n=4))
            base = 1000 * statistics.median(bases)
            print(f"{level:20} {middle:+5.1f} %, quartiles {low:+.1f} {high:+.1f}, of {base:.1f} cpu-ms; "
                  f"goal {100 * goal:.0f} % of 40 ms", flush=True)  # fmt: skip
    dist.barrier()
    os._exit(0)


def main() -> None:
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    if "RANK" in os.environ:
        rank(pairs)
    with tempfile.TemporaryDirectory(prefix="tr") as folder:
        path = f"{folder}/s"
        listen(path)
        root = str(Path(__file__).parents[2])
        subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "torch.distributed.run", "--standalone",
             f"--nproc-per-node={RANKS}", __file__, str(pairs)],
            env={**os.environ, SOCKET: path, "OMP_NUM_THREADS": "1", "PYTHONPATH": root},
            check=True,
        )  # fmt: skip
    print(f"{date.today()}, {platform.platform()}, {os.cpu_count()} cores, {RANKS} ranks, {pairs} pairs")


if __name__ == "__main__":
    main()
