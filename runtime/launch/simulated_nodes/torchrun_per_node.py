"""Plays several nodes on this machine: a torchrun for each, all told to meet at one address.

    python -P -m runtime.launch.simulated_nodes.torchrun_per_node --nodes 2 --ranks 2 -- SCRIPT ARGS…

It is what somebody does by hand with a terminal per machine, `torchrun --nnodes 2 --node-rank 0` and `1`. A
guardian starts it. With `--netns SPEED` each node is in a network of its own (`network_namespaces.py`).

When a node fails the others are given time to notice, and then asked to end: they can do nothing without it.
What the torchruns print is written out at the end, that of the first one to fail last, where
`runtime.launch.torchrun` looks for the cause.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING

from runtime.launch.parent_death import die_with_parent
from runtime.launch.simulated_nodes import network_namespaces
from runtime.launch.torchrun import command as torchrun
from runtime.protocol.link_speeds import SPEEDS
from teachrun import as_user

if TYPE_CHECKING:
    from runtime.catalog.registry import Launchable

HOST = "127.0.0.1"
IMPOSSIBLE = (
    78  # exit code of a link that cannot be made here, whose reason is all there is to say (EX_CONFIG)
)
NOTICE_S = 5.0  # in which the ranks of other nodes find that theirs are gone
_LOOK_S = 0.05


def command(demo: Launchable, *, listen: bool) -> list[str]:
    """Return the command that starts `demo` on its nodes; `listen` as in `torchrun.command`."""
    words = [
        sys.executable,
        "-P",
        "-m",
        "runtime.launch.simulated_nodes.torchrun_per_node",
        "--nodes",
        str(demo.nodes),
    ]
    words += ["--ranks", str(demo.ranks // demo.nodes), "--python", demo.python]
    words += ["--netns", demo.link, "--latency", str(demo.latency_s)] if demo.network == "netns" else []
    return [*words, *(["--listen"] if listen else []), "--", str(demo.script), *demo.argv]


def once_more(parent: int, arguments: Sequence[str]) -> list[str]:
    """Return the command that runs this program again with the same arguments, inside the first namespace."""
    return [
        sys.executable,
        "-P",
        "-m",
        "runtime.launch.simulated_nodes.torchrun_per_node",
        "--inside",
        str(parent),
        *arguments,
    ]


class Node:
    """The torchrun of one node, started by the constructor (raises `OSError`)."""

    def __init__(self, words: Sequence[str], env: dict[str, str] | None = None) -> None:
        me = os.getpid()
        self.printed: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # open as long as the node lives
        self.ended_at: float | None = None
        self.process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=self.printed,
            stderr=self.printed,
            env=env,
            # Safe, for this process has one thread; elsewhere there is no such signal.
            preexec_fn=(lambda: die_with_parent(me)) if sys.platform == "linux" else None,
        )

    def look(self) -> int | None:
        """Return its exit code (negative: the signal), None while it runs."""
        code = self.process.poll()
        if code is not None and self.ended_at is None:
            self.ended_at = time.monotonic()
        return code


def watch(nodes: Sequence[Node], notice_s: float = NOTICE_S) -> int:
    """Wait until all have ended; returns the exit code of the first that failed, 0 if none has."""
    failed: Node | None = None
    while None in [node.look() for node in nodes]:
        if failed is None:
            failed = next((node for node in nodes if node.look()), None)
        elif failed.ended_at is not None and time.monotonic() - failed.ended_at > notice_s:
            for node in nodes:
                if node.look() is None:
                    node.process.send_signal(signal.SIGTERM)
            notice_s *= 2
        time.sleep(_LOOK_S)
    failed = failed or next((node for node in nodes if node.look()), None)
    for node in sorted(nodes, key=lambda node: (node is failed, -(node.ended_at or 0.0))):
        node.printed.seek(0)
        sys.stderr.buffer.write(node.printed.read())
    sys.stderr.flush()
    code = failed.process.returncode if failed is not None else 0
    return code if code >= 0 else 128 - code


def meeting_port() -> tuple[socket.socket, int]:
    """Return a port for the store of torchrun, and the socket that keeps it until that one listens.

    torchrun takes the port seconds later, when it has imported torch. Linux gives a port that is bound to
    nobody who asks for any, and lets a second socket listen there which names it, if both say
    `SO_REUSEADDR` (as stores do) and this one does not listen. Elsewhere it cannot be kept (raises `OSError`
    where no port is free).
    """
    keeper = socket.socket()
    keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    keeper.bind(("", 0))
    port = int(keeper.getsockname()[1])
    if sys.platform != "linux":
        keeper.close()  # two sockets of one port are an error there
    return keeper, port


def read(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the command line; `script` is the script with its arguments, without the `--` before them."""
    parser = argparse.ArgumentParser(prog="python -P -m runtime.launch.simulated_nodes.torchrun_per_node")
    parser.add_argument("--nodes", type=int, required=True)
    parser.add_argument("--ranks", type=int, required=True, help="of each node")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that runs the script")
    parser.add_argument("--netns", choices=[*SPEEDS], help="in two networks, joined by a link of this speed")
    parser.add_argument("--latency", type=float, default=0.0, help="of that link, in seconds")
    parser.add_argument("--inside", type=int, help="we are in the first of them; the pid to die with")
    parser.add_argument("--listen", action="store_true", help="the script is not one of ours")
    parser.add_argument("script", nargs=argparse.REMAINDER, help="-- and the script with its arguments")
    args = parser.parse_args(arguments)
    if args.script[:1] == ["--"]:
        del args.script[0]
    return args


def main() -> int:
    """Start the nodes, wait for them, return an exit code as a shell has it."""
    args = read(sys.argv[1:])
    script, *argv = args.script
    second = None
    try:
        if args.netns and not args.inside:
            words = network_namespaces.inside(once_more(os.getppid(), sys.argv[1:]))
            os.execvp(words[0], words)
        if args.inside:
            die_with_parent(args.inside)  # a user namespace of one's own has made the kernel forget it
            second = network_namespaces.SecondNode(SPEEDS[args.netns], args.latency)
    except network_namespaces.Impossible as why:
        print(why, file=sys.stderr)
        return IMPOSSIBLE
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)  # the torchruns are told as well: they are of our group
    keeper, port = meeting_port()
    started: list[Node] = []
    for node in range(args.nodes):
        words = torchrun(
            script,
            argv,
            args.ranks,
            nodes=args.nodes,
            node=node,
            master=(HOST, port),
            meet=network_namespaces.rendezvous(node) if second is not None else (),
            python=args.python,
            listen=args.listen,
        )
        words = [*as_user(*words)] if args.listen else words
        if second is not None and node:
            words = second.enter(words)
        try:
            started.append(Node(words, network_namespaces.environment() if second is not None else None))
        except OSError as error:
            print(f"{error.filename or words[0]} cannot be used: {error.strerror}", file=sys.stderr)
            for other in started:
                other.process.kill()
            return 127
    code = watch(started)
    keeper.close()
    if second is not None:
        sent, received = network_namespaces.carried()
        print(f"the card of node 0 has sent {sent} bytes and received {received}", file=sys.stderr)
        second.close()
    return code


if __name__ == "__main__":
    sys.exit(main())
