"""The fork server ("stage" to teachers): one process with torch in memory that forks ranks in milliseconds.

    python -P -m runtime.launch.fork_server --fd N --parent PID

Socket N carries orders in wire frames (`runtime.protocol.stage_messages`): Fork and Kill come in, Warming,
Ready, Forked and Exited go out. Forking is only right from a process with exactly one thread of the operating
system (a lock held by another thread would stay locked for ever in the child), so it never starts one: not
for waiting, which is one `select`, and not for arithmetic, hence the settings before torch is imported.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import importlib
import os
import selectors
import signal
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import NoReturn

from runtime.launch.parent_death import adopt_orphans, die_at_eof, die_with_parent
from runtime.launch.processes import below, dying, kill_all
from runtime.protocol import stage_messages
from runtime.protocol.framing import FrameError, Splitter, frame
from runtime.protocol.stage_messages import Exited, Fork, Forked, Kill, Order, Ready, Warming

STARTED = time.monotonic()
NICENESS = 10  # ranks must not starve the screen on a machine with few cores
STORE_TIMEOUT = timedelta(seconds=60)  # for the members of a store to answer
_MAX_FDS = 16
KEEPER = -1  # its "rank" when it ends before the ranks do

# What the demos import, most wanted first. Each would cost a rank 0.1 to 2.5 s on its first step.
_LIBRARIES = (
    ("torch", "torch"),
    ("the compiler's front end, which optimizers ask for", "torch._dynamo"),
    ("data parallel", "torch.nn.parallel.distributed"),
    ("data loading", "torch.utils.data"),
    ("optimizers", "torch.optim"),
    ("sharded optimizers", "torch.distributed.optim"),
    ("fully sharded data parallel", "torch.distributed.fsdp"),
    ("tensor parallel", "torch.distributed.tensor.parallel"),
    ("pipelining", "torch.distributed.pipelining"),
    ("checkpoints", "torch.distributed.checkpoint.state_dict"),
    ("the probe", "runtime.ranks.runner"),
    ("the probe", "runtime.ranks.hooks.collective_waits"),
    ("the probe", "runtime.ranks.sensors.memory"),
    ("the probe", "runtime.ranks.hooks.pipeline"),
    ("the probe", "runtime.ranks.sender"),
)


# --- getting warm -------------------------------------------------------------------------------------


def warm_up() -> Iterator[str]:
    """Import what ranks need and run each kind of step once; yields what is done next, for people."""
    # Numpy and torch start their worker threads at import or at first use. A visible GPU would be touched by
    # torch on the way and must not be before a fork.
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    gc.disable()  # imports leave little garbage, and collections find it in a fifth of their time
    for what, module in _LIBRARIES:
        yield what
        importlib.import_module(module)
    import torch

    torch.set_num_threads(1)
    from runtime.ranks import warmup_cleanup, warmup_steps

    for what, step, world in warmup_steps.ALL:
        yield what
        try:
            warmup_steps.rehearse(step, world)
        except Exception as error:  # torch's private names may change; ranks are slower then, not wrong
            yield f"{what} could not be rehearsed: {error}"
    warmup_cleanup.forget()
    gc.enable()


def why_not_fork() -> str:
    """Return why this process must not fork ranks; "" if it may."""
    if sys.platform != "linux":
        return f"ranks are not forked on {sys.platform}"
    threads = len(list(Path("/proc/self/task").iterdir()))
    if threads != 1:
        return f"the stage has {threads} threads of the operating system, not one"
    from runtime.ranks import warmup_cleanup

    left = warmup_cleanup.found()  # as rank 0 sees it, which would be wrong for the others
    return f"a rehearsal has left {', '.join(left)} in torch {_torch_version()}" if left else ""


# --- one rank -----------------------------------------------------------------------------------------


def become_rank(order: Fork, rank: int) -> int:
    """In a fresh child: be rank `rank` of the order until its script ends; returns the exit code."""
    os.environ |= environment(order, rank)
    from runtime.ranks.probe import probe
    from runtime.ranks.runner import log_to, run_script

    log_to(order.log_dir, rank)
    faulthandler.enable()  # a crash in C++ leaves its Python stack in the log
    draw_anew()
    renew_threads()
    probe.start()
    return run_script(order.script, order.argv)


def environment(order: Fork, rank: int) -> dict[str, str]:
    """Return what a rank of the order finds in its environment: what torchrun would have put there."""
    node, local = divmod(rank, int(order.env["LOCAL_WORLD_SIZE"]))
    return order.env | {
        "RANK": str(rank),
        "LOCAL_RANK": str(local),
        "GROUP_RANK": str(node),
        "ROLE_RANK": str(rank),
        "ROLE_NAME": "default",
        "ROLE_WORLD_SIZE": str(order.world),
        "TORCHELASTIC_USE_AGENT_STORE": "True",
        "TORCHELASTIC_RESTART_COUNT": str(max(0, order.generation - 1)),
    }


def draw_anew() -> None:
    """Random numbers of this process's own, as an interpreter begins with: until a script sets a seed, no two
    ranks draw the same. Python's own generator does so by itself after a fork."""
    import torch

    torch.default_generator.seed()
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()


def renew_threads() -> None:
    """Have torch replace its pool of threads, which a fork has broken, while this process has one thread.

    It is done at the next use, without a lock: of several threads of a script that come at once, one may find
    no pool ("Invalid thread pool!", ParallelOpenMP.cpp; `caffe2/utils/threadpool/pthreadpool-cpp.cc`).
    """
    import torch

    torch.set_num_threads(torch.get_num_threads())


def keep_store(order: Fork, fd: int) -> NoReturn:
    """In a fresh child: serve the ranks' store on the socket bound by the supervisor, until killed.

    The socket listens all the time, so nobody can take its port. The script's plain `init_process_group` is a
    client of it on every rank, as it is of torchrun's agent: no rank that leaves takes the store along.
    """
    import torch.distributed as dist

    _kept = dist.TCPStore(  # type: ignore[attr-defined]  # public, but not in its `__all__`
        order.env["MASTER_ADDR"],
        int(order.env["MASTER_PORT"]),
        order.world,
        is_master=True,
        timeout=STORE_TIMEOUT,
        wait_for_workers=False,
        use_libuv=True,
        master_listen_fd=fd,
    )
    while True:
        signal.pause()


# --- the loop -----------------------------------------------------------------------------------------


@dataclass
class ForkedGeneration:
    """The living processes of one generation of a run: ranks (pid -> rank) and the keeper of their store."""

    run: str
    generation: int
    ranks: dict[int, int] = field(default_factory=dict)
    keeper: int | None = None
    killed: set[int] = field(default_factory=set)  # by us; not who was already dying of something else

    def kill(self) -> None:
        """Kill the ranks and the keeper of their store, each with its process group."""
        ours = [pid for pid in (*self.ranks, self.keeper) if pid is not None]
        self.killed |= {pid for pid in ours if not dying(pid)}
        for pid in ours:
            _kill(pid)

    def left(self, pid: int) -> int | None:
        """Forget a reaped child; returns its rank, `KEEPER` if ranks have lost their store, else None.

        The store goes with the last rank. One killed together with ranks that are not reaped yet is nobody's
        loss: told, it would be taken for what ended them.
        """
        if pid == self.keeper:
            self.keeper = None
            return KEEPER if self.ranks and pid not in self.killed else None
        rank = self.ranks.pop(pid, None)
        if rank is not None and not self.ranks:
            _kill(self.keeper)
        return rank


def _kill(pid: int | None) -> None:
    """Kill a child and its group. It is not reaped yet, so neither can be another's."""
    if pid is not None:
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)


class Stage:
    """Obeys the host's orders. `run` ends only when the host's end of the socket closes."""

    def __init__(self, host: socket.socket) -> None:
        self._host = host
        self._stage = os.getpid()
        self._splitter = Splitter()
        self._stores: deque[socket.socket] = deque()  # they listen, and came ahead of their Fork
        self._troupes: list[ForkedGeneration] = []
        self._lifeline = os.pipe2(os.O_CLOEXEC)  # ranks hold the reading end: it closes when we end
        self._wake_reader, self._wake_writer = socket.socketpair()
        self._wake_reader.setblocking(False)
        self._wake_writer.setblocking(False)
        self._selector: selectors.BaseSelector = selectors.DefaultSelector()
        self._why_not = "the stage is not warm yet"

    def run(self) -> None:
        """Import torch, report `Ready`, and obey orders until the host hangs up; then kill what is left."""
        signal.signal(
            signal.SIGCHLD, lambda *_: None
        )  # without a handler nothing is written to the wake-up fd
        signal.set_wakeup_fd(self._wake_writer.fileno(), warn_on_full_buffer=False)
        adopt_orphans()  # what a rank has started and left alone is ours to end, whatever it calls itself
        for what in warm_up():
            self._say(Warming(what))
        self._why_not = why_not_fork()
        gc.freeze()  # ranks share these pages: a collection in a child must not touch, and so copy, them
        self._say(
            Ready(os.getpid(), not self._why_not, self._why_not, _torch_version(), time.monotonic() - STARTED)
        )
        self._selector.register(self._host, selectors.EVENT_READ)
        self._selector.register(self._wake_reader, selectors.EVENT_READ)
        try:
            while self._turn():
                pass
        finally:
            for troupe in self._troupes:
                troupe.kill()
            with suppress(ChildProcessError):
                while True:
                    kill_all(below(os.getpid()))
                    os.wait()  # once we are seen to be gone, so are all our ranks

    def _turn(self) -> bool:
        """Wait for something and deal with it. False: the host is gone."""
        for key, _ in self._selector.select():
            if key.fileobj is self._wake_reader:
                with suppress(BlockingIOError):
                    while self._wake_reader.recv(4096):
                        pass
                self._reap()
            elif not self._listen():
                return False
        return True

    def _listen(self) -> bool:
        try:
            data, fds, _, _ = socket.recv_fds(self._host, 1 << 16, _MAX_FDS)
        except ConnectionResetError:
            return False
        self._stores.extend(socket.socket(fileno=fd) for fd in fds)
        if not data:
            return False
        for payload in self._splitter.feed(data):
            order = stage_messages.decode(payload)
            if isinstance(order, Fork):
                if not self._stores:
                    raise FrameError("a Fork came without its listening socket")
                self._fork(order, self._stores.popleft())
            elif isinstance(order, Kill):
                for troupe in self._troupes:
                    if (troupe.run, troupe.generation) == (order.run, order.generation):
                        troupe.kill()
        return True

    def _fork(self, order: Fork, store: socket.socket) -> None:
        """Fork all ranks, or none: then `Forked` names no pids."""
        troupe = ForkedGeneration(order.run, order.generation)
        self._troupes.append(troupe)
        try:
            with store:
                troupe.keeper = self._spawn(lambda: keep_store(order, store.fileno()))
            for rank in range(order.world):
                troupe.ranks[self._spawn(partial(become_rank, order, rank))] = rank
        except OSError:
            troupe.kill()
            self._say(Forked(order.run, order.generation, ()))
        else:
            self._say(Forked(order.run, order.generation, tuple(troupe.ranks)))

    def _spawn(self, life: Callable[[], int]) -> int:
        """Fork a child that lives `life`. Raises `OSError`: no process or memory is left for another."""
        if self._why_not:
            raise OSError(self._why_not)
        pid = os.fork()
        if pid == 0:
            self._child(life)
        with suppress(OSError):  # the child does it too; either may come first
            os.setpgid(pid, pid)
        return pid

    def _child(self, life: Callable[[], int]) -> NoReturn:
        """The child's whole life; never returns into the stage's loop."""
        code = 1
        try:
            die_with_parent(self._stage)
            os.setpgid(0, 0)
            self._let_go()
            die_at_eof(self._lifeline[0])
            code = life()
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(code)

    def _let_go(self) -> None:
        """Close, in a child, what belongs to the fork server alone."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.close(self._lifeline[1])
        self._selector.close()
        for ours in (self._host, self._wake_reader, self._wake_writer, *self._stores):
            ours.close()
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)

    def _reap(self) -> None:
        with suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                for troupe in self._troupes:
                    rank = troupe.left(found[0])
                    if rank is not None:
                        self._exited(troupe, rank, found[0], os.waitstatus_to_exitcode(found[1]))
                self._troupes = [t for t in self._troupes if t.ranks]
        if not self._troupes:
            kill_all(below(os.getpid()))

    def _exited(self, troupe: ForkedGeneration, rank: int, pid: int, code: int) -> None:
        died_of = -code if code < 0 else None
        said = None if code < 0 else code
        killed = pid in troupe.killed and died_of == signal.SIGKILL
        self._say(Exited(troupe.run, troupe.generation, rank, pid, said, died_of, killed))

    def _say(self, order: Order) -> None:
        self._host.sendall(frame(stage_messages.encode(order)))


def _torch_version() -> str:
    import torch

    return str(torch.__version__)


def main() -> int:
    """Run the fork server on the socket given; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -P -m runtime.launch.fork_server")
    parser.add_argument("--fd", type=int, required=True, help="inherited socket to the host")
    parser.add_argument("--parent", type=int, required=True, help="pid to die with")
    args = parser.parse_args()
    die_with_parent(args.parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the host's to understand
    if os.getpgrp() != os.getpid():
        os.setpgid(0, 0)
    os.nice(NICENESS)
    try:
        Stage(socket.socket(fileno=args.fd)).run()
    except (BrokenPipeError, ConnectionResetError, FrameError):
        pass  # the host is gone; the ranks are dead already
    return 0


if __name__ == "__main__":
    sys.exit(main())
