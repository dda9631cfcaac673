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
from runtime.catalog.params import Refusal
from runtime.supervision.memory_formula_check import MemoryCheck, Term, check
from runtime.supervision.supervisor import Supervisor

STRATEGIES = ("single", "ddp", "zero stage=0", "zero stage=1", "zero stage=2", "zero stage=3", "fsdp", "hsdp")


def table(found: MemoryCheck) -> list[str]:
    lines = [f"{found.line}, rank {found.rank} of {found.world}", f"  {'':16}{'ledger':>12}{'formula':>12}"]
    rows = [*found.terms, found.peak._replace(kind="allocator, peak")]
    lines += [f"  {t.kind:16}{_mb(t.found):>12}{_mb(t.formula):>12}{_apart(t):>9}" for t in rows]
    return [*lines, f"  highest of the ranks {_mb(found.highest)}"]


def _mb(size: int | None) -> str:
    return "-" if size is None else f"{size / 1e6:.3f} MB"


def _apart(term: Term) -> str:
    return "" if term.apart is None else f"{100 * term.apart:+.2f} %"


async def measured(words: list[str]) -> None:
    lines = [" ".join(words)] if words else [f"{line} ranks=4" for line in STRATEGIES]
    supervisor = Supervisor(f"memory-{os.getpid()}", paths.rank_socket(f"memory-{os.getpid()}"))
    await supervisor.start()
    try:
        for line in lines:
            found = await check(supervisor, line)
            if isinstance(found, Refusal):
                sys.exit(f"{line}: {found.why}: {found.mend}")
            print("\n".join(table(found)), flush=True)
    finally:
        await supervisor.close()


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="tr") as folder:
        os.environ |= {f"XDG_{name}_HOME": f"{folder}/{name[0]}" for name in ("STATE", "DATA", "CONFIG")}
        asyncio.run(measured(sys.argv[1:]))
    print(f"{date.today()}, {platform.platform()}, {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
