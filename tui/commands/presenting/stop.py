"""`teachrun stop`: end a class and everything it started, look whether it is gone, and say so."""

from __future__ import annotations

import argparse
import asyncio
import signal

from tui.command_line.exit_codes import DONE, FAILED
from tui.command_line.refusals import complain

ANSWER_WITHIN_S = 10.0
KILLED_WITHIN_S = 3.0


def configure(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--class", dest="class_id", metavar="ID", help="the class to end (default: the newest)"
    )
    which.add_argument("--all", action="store_true", help="every running class")


def main(args: argparse.Namespace) -> int:
    from runtime import paths

    live = paths.live_classes()
    if args.class_id is not None:
        if not paths.valid_class_id(args.class_id):
            return complain(f"{args.class_id!r} cannot name a class; see `teachrun ps`")
        chosen = [args.class_id]
    else:
        chosen = live if args.all else live[:1]
    if not chosen:
        print("nothing to stop: no class is running")
        return DONE
    return max(asyncio.run(_stop(class_id, class_id in live)) for class_id in chosen)


async def _stop(class_id: str, live: bool) -> int:
    """Ask the host, then make sure by its mark; 0 when nothing of the class is left."""
    from runtime.host.client import ask
    from runtime.launch.processes import gone, marked
    from runtime.protocol.messages import Shutdown

    before = list(marked(class_id))
    report = await ask(class_id, Shutdown("stopped by teachrun stop"), ANSWER_WITHIN_S) if live else None
    if not live and not before:
        print(f"class {class_id} does not run")
        return DONE
    own = [process.own for process in before]
    if report is None:
        hosts = [process.own for process in before if process.part == "host"]
        for host in hosts:
            host.kill(signal.SIGTERM)
        await gone(hosts, KILLED_WITHIN_S)
    for left in await gone(own, KILLED_WITHIN_S):
        left.kill()
    still = await gone(own, KILLED_WITHIN_S)
    if still:
        pids = ", ".join(str(process.pid) for process in still)
        return complain(f"class {class_id}: could not be ended: pid {pids}", FAILED)
    print(f"class {class_id} is stopped: {len(own)} process{'' if len(own) == 1 else 'es'} ended, none left")
    return DONE
