"""`teachrun run … --listen HOST:PORT`: nodes come here by themselves, started by hand or by Slurm."""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import replace
from pathlib import Path

from runtime.catalog.machines import Machines
from runtime.catalog.one_node import read_address
from runtime.catalog.params import Refusal
from runtime.catalog.registry import Launchable
from runtime.cluster import slurm
from runtime.cluster.link import invitation
from runtime.cluster.plan import Plan
from slides.drawing.cells import clean
from tui.command_line import job_file
from tui.command_line.refusals import complain

SUFFIX = ".join"


def wait(args: argparse.Namespace, demo: Launchable, planned: Plan) -> int | Launchable:
    """Show what each node has to run, and write what Slurm takes; the exit status, or what runs from here."""
    at = read_address(args.listen, "--listen")
    if isinstance(at, Refusal):
        return complain(f"{at.why}: {at.mend}")
    if not args.slurm and args.rdzv is None:
        return complain("--listen needs --rdzv HOST:PORT, a free port of node 0 where the ranks meet")
    file = Path(f"{planned.title}{SUFFIX}" if args.slurm or args.out is None else args.out).absolute()
    if file.exists() and isinstance(invitation.read(_start(file), ""), Refusal):
        return complain(f"{clean(str(file))} exists with other content: use another --out")
    if args.slurm:
        job = Path(args.out or f"{planned.title}{slurm.SUFFIX}")
        whole, shown = (slurm.script(planned, join=str(file), shown=shown) for shown in (False, True))
        if failed := job_file.write(job, whole, shown, to=sys.stderr):
            return failed
        if not args.submit:
            job_file.not_yet(slurm.PROGRAM, job)
        elif failed := job_file.submit(slurm.PROGRAM, job, to=sys.stderr):
            return failed
        else:
            print(
                f"teachrun: if a node fails to connect, {planned.title}-NUMBER.log says why", file=sys.stderr
            )
    else:
        for node in range(planned.nodes):
            words = planned.agent(str(node), args.rdzv, str(file), shown=True)
            told = clean(planned.environment(node, args.rdzv))
            print(f"# node {node}\n# its ranks: {told}\n{clean(' '.join(words))}", file=sys.stderr)
    print(
        f"teachrun: the invitation is in {clean(shlex.quote(str(file)))}, for its owner alone: anyone who"
        f" has it can pose as a node. Copy it to nodes that do not share this folder, and keep it secret",
        file=sys.stderr,
    )
    names = tuple(f"node {node}" for node in range(planned.nodes))
    return replace(demo, machines=Machines(names, "", 0, listen=at, invitation=str(file)))


def _start(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(invitation.LONGEST)
    except OSError:
        return b""
