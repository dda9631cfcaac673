"""Runs a launcher such as torchrun so that nothing it starts outlives us, however it ends.

    python -P -m runtime.launch.guardian --fd N --parent PID [--cwd DIR] [--logs DIR --ranks N] -- COMMAND…

It adopts every orphan among its descendants, so a grandchild whose parent died is still found. When the
socket N closes or the command has ended, all descendants are killed; a Kill on N asks first: TERM, three
seconds to tidy up, KILL (a second Kill does not wait). On N it sends Forked, with the one pid of the command
(none: it could not be started), and at the end Exited, as rank -1: ranks report on themselves. It keeps what
they print within bounds (`runtime.launch.rank_logs`).

Killed with SIGKILL itself, it takes the command with it (parent-death signal), and ranks of ours die with
their launcher.
"""

from __future__ import annotations

import argparse
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from runtime.launch.parent_death import adopt_orphans, descendants, die_with_parent
from runtime.launch.rank_logs import RankLog, rank_logs
from runtime.protocol import stage_messages
from runtime.protocol.framing import FrameError, Splitter, frame
from runtime.protocol.stage_messages import Exited, Forked, Kill, Order

GRACE_S = 3.0
NOT_STARTED = 127  # as a shell says it
_LAUNCHER = -1  # the rank under which the command's own end is told


class Guardian:
    """Watches one command. Run and generation come from the environment the ranks inherit."""

    def __init__(
        self,
        host: socket.socket,
        command: list[str],
        folder: Path | None = None,
        logs: Sequence[RankLog] = (),
    ) -> None:
        """`folder` is where the command runs, `logs` are those of the ranks it will start."""
        self._host, self._command, self._folder, self._logs = host, command, folder, logs
        self._run = os.environ.get("TEACHRUN_RUN", "")
        self._generation = int(os.environ.get("TEACHRUN_GENERATION", "0"))
        self._splitter = Splitter()
        self._kill_at: float | None = None  # when patience ends, once a Kill has come

    def run(self) -> int:
        """Run until the command and all it started are gone; returns its exit code, 1 for a signal."""
        me = os.getpid()
        try:
            child = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                cwd=self._folder,
                start_new_session=True,
                # Safe, for on Linux this process has one thread; elsewhere there is no such signal.
                preexec_fn=(lambda: die_with_parent(me)) if sys.platform == "linux" else None,
            )
        except OSError as error:
            print(f"{error.filename or self._command[0]} cannot be used: {error.strerror}", file=sys.stderr)
            self._say(Forked(self._run, self._generation, ()))
            return NOT_STARTED
        self._say(Forked(self._run, self._generation, (child.pid,)))
        try:
            self._watch(child)
        finally:
            end_all(child)
            for log in self._logs:
                log.close()
        code = child.wait()
        self._say(
            Exited(
                self._run,
                self._generation,
                _LAUNCHER,
                child.pid,
                code if code >= 0 else None,
                -code if code < 0 else None,
            )
        )
        return code if code >= 0 else 1

    def _watch(self, child: subprocess.Popen[bytes]) -> None:
        """Wait until the command has ended, the host is gone, or the time to end in is over."""
        reader, writer = socket.socketpair()
        for end in (reader, writer):
            end.setblocking(False)
        for number in (signal.SIGCHLD, signal.SIGTERM):
            signal.signal(number, lambda *_: None)
        signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        with selectors.DefaultSelector() as selector, reader, writer:
            selector.register(self._host, selectors.EVENT_READ)
            selector.register(reader, selectors.EVENT_READ)
            for log in self._logs:
                selector.register(log, selectors.EVENT_READ)
            while child.poll() is None:
                patience = None if self._kill_at is None else self._kill_at - time.monotonic()
                if patience is not None and patience <= 0:
                    break
                for key, _ in selector.select(patience):
                    if isinstance(key.fileobj, RankLog):
                        key.fileobj.drain()
                    elif key.fileobj is reader:
                        if signal.SIGTERM in reader.recv(4096):  # the numbers of the signals that came
                            self._kill_at = 0.0
                    elif not self._listen(child):
                        self._kill_at = 0.0
            signal.set_wakeup_fd(-1)

    def _listen(self, child: subprocess.Popen[bytes]) -> bool:
        try:
            data = self._host.recv(1 << 16)
        except ConnectionResetError:
            return False
        for payload in self._splitter.feed(data):
            if isinstance(stage_messages.decode(payload), Kill):
                self._ask_to_end(child)
        return bool(data)

    def _ask_to_end(self, child: subprocess.Popen[bytes]) -> None:
        if self._kill_at is not None:
            self._kill_at = 0.0
            return
        self._kill_at = time.monotonic() + GRACE_S
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGTERM)

    def _say(self, order: Order) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):
            self._host.sendall(frame(stage_messages.encode(order)))


def end_all(child: subprocess.Popen[bytes]) -> None:
    """SIGKILL everything below this process until nothing is left of it."""
    if sys.platform != "linux" and child.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)  # nobody to list descendants: at least the command's group
    while left := descendants(os.getpid()):
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)


def main() -> int:
    """Run a command under this guardian; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -P -m runtime.launch.guardian")
    parser.add_argument("--fd", type=int, required=True, help="inherited socket to the host")
    parser.add_argument("--parent", type=int, required=True, help="pid to die with")
    parser.add_argument("--cwd", type=Path, help="folder the command runs in")
    parser.add_argument("--logs", type=Path, help="folder for what the ranks print")
    parser.add_argument("--ranks", type=int, default=0)
    parser.add_argument("command", nargs=argparse.REMAINDER, help="-- and the command to run")
    args = parser.parse_args()
    command = args.command[1:] if args.command[:1] == ["--"] else args.command
    if not command:
        parser.error("no command is given")
    die_with_parent(args.parent, signal.SIGTERM)  # not KILL: there is something to end first
    adopt_orphans()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with socket.socket(fileno=args.fd) as host, suppress(FrameError):
        logs = rank_logs(args.logs, args.ranks) if args.logs else ()
        return Guardian(host, command, args.cwd, logs).run()
    return 1


if __name__ == "__main__":
    sys.exit(main())
