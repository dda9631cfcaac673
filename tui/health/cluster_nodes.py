"""Machines that are to train together, looked at before they do: one page, a part for each machine."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

from runtime.catalog.params import Refusal
from runtime.cluster import pair_allreduce, preflight, ssh_commands
from tui.health.finding import Finding

BETWEEN = "between machines"
CLOCK_S = 0.05  # off by more, waits and lines of time are no longer to be trusted
LEAST_FREE = 2e9  # bytes: a rank of a small demo, with torch


def findings(text: str, python: str = sys.executable) -> Iterator[Finding]:
    """Of the machines `a,b,...`: versions, clocks, limits, the shared folder, an all-reduce of each pair."""
    named = ssh_commands.read(text)
    if isinstance(named, Refusal):
        yield Finding(BETWEEN, "names", "bad", named.why, named.mend)
        return
    ours = preflight.here(python)
    if isinstance(ours, Refusal):
        yield Finding("this machine", "python", "bad", ours.why, ours.mend)
        return
    found = preflight.reach_all(named, python)
    there = [(host, it) for host, it in zip(named, found, strict=True) if isinstance(it, preflight.Found)]
    for host, it in zip(named, found, strict=True):
        if isinstance(it, Refusal):
            yield Finding(host, "reached", "bad", it.why, it.mend)
        else:
            lacks = preflight.lacks_software(host, it, ours, python)
            yield from _machine(host, it, there[0], lacks, apart=len(named) > 1)
    yield from _folder([host for host, _ in there])
    for one, other in combinations([host for host, it in there if it.torch], 2):
        yield _pair(one, other, python)


def _machine(
    host: str, it: preflight.Found, first: tuple[str, preflight.Found], lacks: Refusal | None, *, apart: bool
) -> Iterator[Finding]:
    unequal = lacks or preflight.unequal(host, it, *first, gpus=True)
    if unequal is not None:
        yield Finding(host, "the same", "bad", unequal.why, unequal.mend)
    else:
        versions = f"python {it.python}, torch {it.torch}, teachrun {it.teachrun}, {it.has}"
        yield Finding(host, "the same", "good", versions)
    off = f"{it.ahead_s * 1000:+.2f} ms, known within {it.within_s * 1000:.2f} ms"
    if abs(it.ahead_s) > CLOCK_S + it.within_s:
        yield Finding(
            host, "clock", "warning", off, "have it follow a time server: `timedatectl set-ntp true`"
        )
    else:
        yield Finding(host, "clock", "good", off)
    free = f"{it.cores} cores, {it.memory / 1e9:.1f} GB free" if it.memory else f"{it.cores} cores"
    if 0 < it.memory < LEAST_FREE:
        yield Finding(host, "memory", "warning", free, "end what else runs there, or start fewer ranks")
    else:
        yield Finding(host, "memory", "good", free)
    few = preflight.lacks_files(host, it, 1)
    if few is not None:
        yield Finding(host, "open files", "bad", few.why, few.mend)
    else:
        yield Finding(host, "open files", "good", f"{it.files} for each process")
    named = f"{', '.join(it.interfaces) or 'none known'}; its own name leads to {it.own or 'no address'}"
    if apart and (not it.own or it.own.startswith("127.")):
        mend = "gloo listens there: put its address into its /etc/hosts, or set GLOO_SOCKET_IFNAME"
        yield Finding(host, "interfaces", "warning", named, mend)
    else:
        yield Finding(host, "interfaces", "good", named)


def _folder(named: Sequence[str]) -> Iterator[Finding]:
    """Whether this folder is the same one everywhere: scripts and checkpoints then need no copies."""
    if not named:
        return
    here = Path.cwd()
    try:
        with tempfile.NamedTemporaryFile(prefix=".teachrun-", dir=here) as mark:
            seen = {host: preflight.shares(host, mark.name) for host in named}
    except OSError as error:
        yield Finding(
            BETWEEN, "folder", "warning", f"{here} cannot be written: {error.strerror}", "use another"
        )
        return
    without = [host for host, has in seen.items() if has is not True]
    if without:
        mend = (
            "copy script and data to the same path there, and write checkpoints to a folder all of them have"
        )
        yield Finding(
            BETWEEN, "folder", "warning", f"{', '.join(without)}: {here} is not the same there", mend
        )
    else:
        yield Finding(BETWEEN, "folder", "good", f"{here} is the same everywhere")


def _pair(one: str, other: str, python: str) -> Finding:
    measured = pair_allreduce.measure(one, other, python)
    name = f"{one} - {other}"
    if isinstance(measured, Refusal):
        return Finding(BETWEEN, name, "bad", measured.why, measured.mend)
    rate = f"{measured.bytes_s / 1e6:.0f} MB/s each way"
    took = f"{measured.seconds * 1000:.1f} ms"
    return Finding(BETWEEN, name, "good", f"all-reduce of {measured.bytes / 1e6:.1f} MB in {took}: {rate}")
