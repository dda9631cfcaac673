"""`teachrun run … --slurm`, `--k8s` and `--hosts`: what runs on several machines is shown, and written."""

from __future__ import annotations

import argparse
import os
import secrets
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from runtime import paths
from runtime.catalog.machines import Machines
from runtime.catalog.one_node import read as read_node
from runtime.catalog.params import Refusal
from runtime.catalog.registry import Launchable
from runtime.cluster import kubernetes, preflight, slurm, ssh_commands
from runtime.cluster.plan import Plan, plan
from runtime.launch.device_choice import computes_on_gpus
from slides.drawing.cells import clean
from tui.command_line import job_file, listening
from tui.command_line.exit_codes import DONE, FAILED
from tui.command_line.refusals import complain

MOST_RANKS = 1024  # of all machines: as many as a host was measured with


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of a run on several machines."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--slurm", action="store_true", help="write and show a script for sbatch")
    where.add_argument("--k8s", action="store_true", help="write and show the manifest of a Kubernetes Job")
    where.add_argument("--hosts", metavar="A,B", help="start a node on each of these machines, by ssh")
    parser.add_argument("--nnodes", metavar="N", help="with --node-rank and --rdzv: nodes started by hand")
    parser.add_argument(
        "--node-rank", metavar="K", help="this machine is node K and starts only its own ranks"
    )
    parser.add_argument("--rdzv", metavar="HOST:PORT", help="where all nodes meet: a free port of node 0")
    parser.add_argument(
        "--dry-run", action="store_true", help="with --hosts: show what would run, contact no machine"
    )
    parser.add_argument(
        "--until-eof", action="store_true", help="end when stdin closes, as when an ssh connection drops"
    )
    parser.add_argument(
        "--join",
        metavar="FILE",
        help="with --nnodes: send what this node's ranks say to the host that wrote FILE (-: from stdin)",
    )
    parser.add_argument(
        "--listen",
        metavar="HOST:PORT",
        help="wait here for the nodes that you, or --slurm, start: their ranks come into one table",
    )
    parser.add_argument("--submit", action="store_true", help="submit it: to sbatch, or by kubectl apply")
    parser.add_argument("--image", metavar="IMAGE", help="with --k8s: the container image")
    parser.add_argument("--out", metavar="FILE", help="with --slurm, --k8s, --listen: the file to write")


def is_asked(args: argparse.Namespace) -> bool:
    """Whether the run is for several machines."""
    return bool(args.slurm or args.k8s or args.hosts is not None or args.listen is not None)


def one_node(args: argparse.Namespace, demo: Launchable) -> Launchable | Refusal:
    """Return `demo` as one of several nodes, unchanged where nobody asked for that, or why not."""
    if args.nnodes is None:
        return demo
    planned = plan(demo)
    if isinstance(planned, Refusal):
        return planned
    node = read_node(args.node_rank, args.rdzv, planned.nodes, planned.ranks)
    return node if isinstance(node, Refusal) else replace(demo, node=node)


def misfit(args: argparse.Namespace) -> str:
    """Return why these options do not go together, "" if they do."""
    host = args.hosts is not None or args.listen is not None
    by_hand = [args.nnodes, args.node_rank, *([] if host else [args.rdzv])]
    if any(by_hand) and args.listen is None and None in (*by_hand, args.rdzv):
        return "--nnodes, --node-rank and --rdzv go together: give all three, each node its own --node-rank"
    if any(by_hand) and (is_asked(args) or args.nodes):
        return "--nnodes is for nodes that you start by hand: leave --nodes, --slurm, --k8s and --hosts out"
    if args.dry_run and args.hosts is None:
        return "--dry-run goes with --hosts; --slurm and --k8s only write a file"
    if args.image and not args.k8s:
        return "--image goes with --k8s"
    for given, option in ((args.submit, "--submit"), (args.out, "--out")):
        if given and not (args.slurm or args.k8s or (args.listen and option == "--out")):
            return f"{option} goes with --slurm or --k8s"
    if args.listen is not None and (args.hosts is not None or args.k8s):
        return "--listen waits for nodes that come by themselves: leave --hosts and --k8s out"
    if (args.slurm or args.k8s) and args.listen is None and (args.json or args.jsonl or args.xray):
        return "--json, --jsonl and --xray are of a run that is watched from here: leave them out"
    if (args.hosts is not None or args.listen is not None) and args.xray:
        return "--xray writes traces where the ranks are: take it on one machine, with --nodes 2"
    if args.join is not None and args.nnodes is None:
        return "--join goes with --nnodes, --node-rank and --rdzv: the host shows the whole line"
    if args.join is not None and (args.json or args.jsonl or args.xray):
        return "--json, --jsonl and --xray are for the host, which has the figures of all nodes"
    return (
        "--submit needs --image, which names what the pods run"
        if args.k8s and args.submit and not args.image
        else ""
    )


def main(args: argparse.Namespace, demo: Launchable) -> int | Launchable:
    """Write and show what `args` ask for; the exit status, or what is to be run from here."""
    named: tuple[str, ...] | None = None
    if args.hosts is not None:
        read = ssh_commands.read(args.hosts)
        if isinstance(read, Refusal):
            return complain(f"{read.why}: {read.mend}")
        named = read
        if demo.nodes not in (1, len(named)):
            return complain(
                f"nodes={demo.nodes} and {len(named)} machines: leave nodes= out, or name as many"
            )
    planned = plan(demo, len(named) if named else None)
    if isinstance(planned, Refusal):
        return complain(f"{planned.why}: {planned.mend}")
    if named is not None:
        meet = args.rdzv or f"{ssh_commands.address(named[0])}:{20000 + secrets.randbelow(10000)}"
        return _hosts(demo, planned, named, meet, dry=args.dry_run)
    if args.listen is not None:
        return listening.wait(args, demo, planned)
    try:
        if args.slurm:
            whole, shown = slurm.script(planned), slurm.script(planned, shown=True)
        else:
            image = args.image or kubernetes.NO_IMAGE
            whole = kubernetes.manifest(planned, image)
            shown = kubernetes.manifest(planned, image, shown=True)
    except (OSError, UnicodeDecodeError) as error:
        return complain(f"{clean(planned.script)} cannot be read: {error}", FAILED)
    program, suffix = (slurm.PROGRAM, slurm.SUFFIX) if args.slurm else (kubernetes.PROGRAM, kubernetes.SUFFIX)
    file = Path(args.out or f"{planned.title}{suffix}")
    hand_over = job_file.submit if args.submit else job_file.not_yet
    return job_file.write(file, whole, shown) or hand_over(program, file)


def _hosts(
    demo: Launchable, planned: Plan, named: Sequence[str], meet: str, *, dry: bool
) -> int | Launchable:
    """Show what each machine will run, and look at all of them; the exit status where nothing is started."""
    at, _, port = meet.rpartition(":")
    machines = Machines(tuple(named), at, int(port), ssh_commands.ways(named))
    ours_at = str(paths.agent_socket(f"run-{os.getpid()}"))
    left_out = False
    for node, host in enumerate(named):
        environment, words = ssh_commands.announced(planned, machines, node, ours_at)
        left_out |= words != shlex.join(ssh_commands.command(planned, machines, node, ours_at))
        print(
            f"# node {node}: {clean(host)}\n# its ranks: {clean(environment)}\n{clean(words)}",
            file=sys.stdout if dry else sys.stderr,
        )
    sys.stdout.flush()
    if left_out:
        _say("secrets are shown as ***")
    if dry:
        _say("nothing was started")
        return DONE
    ours = preflight.here(planned.python)
    if isinstance(ours, Refusal):
        return complain(f"{ours.why}: {ours.mend}", FAILED)
    found = preflight.look_at_all(named, planned.python, ours, planned.ranks)
    gpus = computes_on_gpus(demo)
    for node, it in enumerate(found):
        if isinstance(it, preflight.Found) and isinstance(its := found[0], preflight.Found):
            found[node] = preflight.unequal(named[node], it, named[0], its, gpus=gpus) or it
    for host, it in zip(named, found, strict=True):
        _say(f"NO  {it.why}: {it.mend}" if isinstance(it, Refusal) else f"ok  {host}: {it.line}")
    if any(isinstance(it, Refusal) for it in found):
        _say("nothing was started")
        return FAILED
    return replace(demo, machines=machines)


def _say(text: str) -> None:
    print(f"teachrun: {clean(text)}", file=sys.stderr, flush=True)
