"""Memory of a rank by formula, by the ledger and by the allocator: `python tests/bench/memory.py [WORDS…]`.

Runs each strategy on real ranks, takes the x-ray of one step, and prints what is held of each kind beside
the formula, and the most there was at once. WORDS: a demo and its parameters, as `teachrun run` takes them.
"""

from __future__ import annotations

import asyncio
import os
import platform
import sys
import tempfile
from datetime import date

from runtime import paths
from runtime.catalog import registry
from runtime.catalog.registry import Launchable
from runtime.protocol.messages import Snapshot
from runtime.supervision.supervisor import Supervisor

STRATEGIES = ("single", "ddp", "zero stage=0", "zero stage=1", "zero stage=2", "zero stage=3", "fsdp", "hsdp")
KINDS = ("params", "grads", "optimizer_bytes", "activations", "gathered")
AT_STEP = 12  # after a step whose memory was weighed


async def looked_at(supervisor: Supervisor, demo: Launchable) -> Snapshot:
    run = await supervisor.launch("bench", demo)
    run.store.xrays.order(AT_STEP)
    await run.over.wait()
    shown = run.snapshot()
    assert shown.state == "done" and shown.xray is not None and shown.xray.state == "ready", shown.why
    return shown


def table(line: str, shown: Snapshot) -> list[str]:
    assert shown.xray is not None
    rank = max(range(shown.world), key=lambda rank: (shown.xray.peaks[rank] or 0) if shown.xray else 0)
    row, formula, peak = shown.rows[rank], shown.formula, shown.xray.peaks[rank]
    lines = [f"{line}, rank {rank} of {shown.world}", f"  {'':16}{'ledger':>12}{'formula':>12}"]
    for kind in KINDS:
        held, wanted = getattr(row, kind), formula.get(kind)
        lines.append(f"  {kind:16}{_mb(held):>12}{_mb(wanted):>12}{_apart(wanted, held):>9}")
    wanted = formula.get("peak")
    lines.append(f"  {'allocator, peak':16}{_mb(peak):>12}{_mb(wanted):>12}{_apart(wanted, peak):>9}")
    return lines


def _mb(size: int | None) -> str:
    return "-" if size is None else f"{size / 1e6:.3f} MB"


def _apart(wanted: int | None, found: int | None) -> str:
    return f"{100 * (wanted / found - 1):+.2f} %" if wanted is not None and found else ""


async def measured(words: list[str]) -> None:
    lines = [" ".join(words)] if words else [f"{line} ranks=4" for line in STRATEGIES]
    supervisor = Supervisor(f"memory-{os.getpid()}", paths.rank_socket(f"memory-{os.getpid()}"))
    await supervisor.start()
    try:
        for line in lines:
            parsed = registry.parse_line(line)
            demo = parsed if isinstance(parsed, registry.Refusal) else registry.check(*parsed)
            if isinstance(demo, Launchable):
                demo = registry.check(demo.name, demo.params | {"steps": str(AT_STEP + 3)})
            if not isinstance(demo, Launchable):
                sys.exit(f"{line}: {demo.why}: {demo.mend}")
            print("\n".join(table(line, await looked_at(supervisor, demo))), flush=True)
    finally:
        await supervisor.close()


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="tr") as folder:
        os.environ |= {f"XDG_{name}_HOME": f"{folder}/{name[0]}" for name in ("STATE", "DATA", "CONFIG")}
        asyncio.run(measured(sys.argv[1:]))
    print(f"{date.today()}, {platform.platform()}, {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
