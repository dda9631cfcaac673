"""Whatever a launcher starts, nothing of it outlives the guardian or its host."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from stage_host import Receiver, alive, wait_gone
from waiting import wait

from runtime.launch import rank_logs, torchrun
from runtime.protocol import messages, stage_messages
from runtime.protocol.events import Fault
from runtime.protocol.framing import Splitter, frame
from runtime.protocol.stage_messages import AnyOrder, Exited, Forked, Kill

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="adopting orphans needs Linux"),
]

# A launcher's worst child: a grandchild in a session of its own whose parent is gone, deaf to TERM.
STUBBORN = """
import os, signal, sys, time
heard, say = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print(os.getpid(), flush=True)
        os.write(say, b".")
        time.sleep(1000)
    os._exit(0)
os.read(heard, 1)
"""


class Guarded:
    def __init__(
        self, command: list[str], folder: Path, options: tuple[str, ...] = (), **environment: str
    ) -> None:
        self.socket, theirs = socket.socketpair()
        self.socket.settimeout(100)  # torchrun, on a loaded machine
        self.output = folder / "output"
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-P", "-m", "runtime.launch.guardian"),
                    *("--fd", str(theirs.fileno()), "--parent", str(os.getpid())),
                    *(*options, "--", *command),
                ],
                pass_fds=[theirs.fileno()],
                env={**os.environ, "TEACHRUN_RUN": "r1", "TEACHRUN_GENERATION": "2", **environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        theirs.close()
        self._splitter = Splitter()
        self.orders: list[AnyOrder] = []

    def next(self) -> AnyOrder:
        while not self.orders:
            data = self.socket.recv(1 << 16)
            assert data, self.output.read_text()
            self.orders += [stage_messages.decode(p) for p in self._splitter.feed(data)]
        return self.orders.pop(0)

    def forked(self) -> int:
        order = self.next()
        assert isinstance(order, Forked) and (order.run, order.generation) == ("r1", 2)
        [pid] = order.pids
        return pid

    def exited(self) -> Exited:
        order = self.next()
        assert isinstance(order, Exited) and order.rank == -1
        return order

    def kill(self) -> None:
        self.socket.sendall(frame(messages.encode(Kill("r1", 2))))

    def stubborn(self) -> int:
        """Pid of the grandchild of `STUBBORN`."""
        wait(lambda: self.output.read_text().endswith("\n"))
        return int(self.output.read_text())


@pytest.fixture
def guard(tmp_path: Path) -> Iterator[Callable[..., Guarded]]:
    made: list[Guarded] = []

    def start(*command: str, **environment: str) -> Guarded:
        made.append(Guarded(list(command), tmp_path, **environment))
        return made[-1]

    yield start
    for guarded in made:
        guarded.socket.close()
        try:
            guarded.process.wait(5)
        finally:
            guarded.process.kill()
            guarded.process.wait()


def python(code: str) -> tuple[str, ...]:
    return (sys.executable, "-u", "-c", code)


@pytest.mark.parametrize("code", [0, 3])
def test_the_commands_exit_code_is_told_and_returned(guard: Callable[..., Guarded], code: int) -> None:
    guarded = guard(*python(f"raise SystemExit({code})"))
    pid = guarded.forked()
    told = guarded.exited()
    assert (told.pid, told.code, told.signal) == (pid, code, None)
    assert guarded.process.wait(5) == code


def test_when_the_command_ends_its_orphans_end_too(guard: Callable[..., Guarded]) -> None:
    guarded = guard(*python(STUBBORN))
    guarded.forked()
    stubborn = guarded.stubborn()
    assert guarded.exited().code == 0
    assert wait_gone([stubborn]) == []


def test_a_host_that_hangs_up_ends_everything(guard: Callable[..., Guarded]) -> None:
    guarded = guard(*python(STUBBORN + "time.sleep(1000)"))
    pids = [guarded.forked(), guarded.stubborn()]
    guarded.socket.close()
    assert wait_gone([*pids, guarded.process.pid]) == []


def test_term_to_the_guardian_ends_everything(guard: Callable[..., Guarded]) -> None:
    guarded = guard(*python(STUBBORN + "time.sleep(1000)"))
    pids = [guarded.forked(), guarded.stubborn()]
    guarded.process.terminate()
    assert guarded.exited().signal == signal.SIGKILL
    assert wait_gone(pids) == []


def test_kill_asks_first(guard: Callable[..., Guarded]) -> None:
    polite = "import signal, time\nsignal.signal(15, lambda *_: exit(5))\nprint('up')\ntime.sleep(1000)"
    guarded = guard(*python(polite))
    guarded.forked()
    wait(lambda: "up" in guarded.output.read_text())
    guarded.kill()
    assert guarded.exited().code == 5


def test_a_second_kill_does_not_wait(guard: Callable[..., Guarded]) -> None:
    deaf = "import signal, time\nsignal.signal(15, signal.SIG_IGN)\nprint('up', flush=True)\ntime.sleep(1000)"
    guarded = guard(*python(deaf))
    pid = guarded.forked()
    wait(lambda: "up" in guarded.output.read_text())
    guarded.kill()
    time.sleep(0.2)
    assert alive([pid])
    guarded.kill()
    assert guarded.exited().signal == signal.SIGKILL


def test_a_command_that_does_not_exist(guard: Callable[..., Guarded]) -> None:
    guarded = guard("/no/such/launcher")
    assert guarded.next() == Forked("r1", 2, ())
    assert guarded.process.wait(10) == 127
    assert "no/such/launcher" in guarded.output.read_text()


@pytest.fixture
def receiver(tmp_path: Path) -> Iterator[Receiver]:
    receiver = Receiver(tmp_path / "events")
    yield receiver
    receiver.close()


def launch(
    guard: Callable[..., Guarded], receiver: Receiver, folder: Path, script: str, *argv: str
) -> Guarded:
    pytest.importorskip("torch")
    rank_env = {
        "TEACHRUN_SOCKET": receiver.path,
        "TEACHRUN_NODE": "0",
        "OMP_NUM_THREADS": "1",
        "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
        "WORLD_SIZE": "2",
    }
    return guard(*torchrun.command(script, argv, 2), **torchrun.environment(rank_env, str(folder)))


def test_torchrun_with_a_rank_that_raises(
    guard: Callable[..., Guarded], receiver: Receiver, tmp_path: Path
) -> None:
    script = tmp_path / "raises.py"
    script.write_text("import os\nif os.environ['RANK'] == '1':\n    raise ValueError('no')\n")
    guarded = launch(guard, receiver, tmp_path, str(script))
    guarded.forked()
    assert guarded.exited().code == 1
    [fault] = receiver.of(Fault)
    assert (fault.rank, fault.what, fault.root) == (1, "ValueError: no", f"{script}:3")


def test_what_ranks_print_is_bounded_and_ends_with_their_last_words(
    guard: Callable[..., Guarded], tmp_path: Path
) -> None:
    """Also of a rank that is killed while it writes: the guardian holds the other end."""
    writes = """
import os, signal
out = os.open(os.environ["LOGS"] + "/rank-0.pipe", os.O_WRONLY)
for n in range(30_000):
    os.write(out, b"%d %s\\n" % (n, b"x" * 2000))
os.write(out, b"LAST\\n")
os.kill(os.getpid(), signal.SIGKILL)
"""
    guarded = Guarded(
        list(python(writes)), tmp_path, options=("--logs", str(tmp_path), "--ranks", "2"), LOGS=str(tmp_path)
    )
    try:
        guarded.forked()
        assert guarded.exited().signal == signal.SIGKILL
        guarded.process.wait(5)
    finally:
        guarded.socket.close()
        guarded.process.kill()
        guarded.process.wait()
    assert sorted(file.name for file in tmp_path.glob("rank-*")) == [
        "rank-0.log",
        "rank-0.log.1",
        "rank-1.log",
    ]
    head, *lines = (tmp_path / "rank-0.log").read_text().splitlines()
    assert lines[-1] == "LAST" and lines[-2].startswith("29999 ")
    assert "KB before those were dropped" in head
    assert sum(file.stat().st_size for file in tmp_path.glob("rank-0*")) <= rank_logs.TOTAL_BYTES // 2
    told = (tmp_path / "rank-0.log.1").read_text().splitlines()[-1].split()[0]
    assert int(lines[0].split()[0]) in (int(told), int(told) + 1)  # nothing is lost between the two


def test_a_log_is_whole_when_the_disk_is_full(tmp_path: Path) -> None:
    (tmp_path / "rank-0.log").symlink_to("/dev/full")
    log = rank_logs.RankLog(tmp_path, 0, 1 << 20)
    with log.pipe.open("wb", buffering=0) as out:
        out.write(b"words")
        assert log.drain() and not log.drain()
    log.close()
    assert not log.pipe.exists()


def test_a_folder_that_is_gone(guard: Callable[..., Guarded], tmp_path: Path) -> None:
    guarded = Guarded(["true"], tmp_path, options=("--cwd", str(tmp_path / "gone")))
    assert guarded.next() == Forked("r1", 2, ())
    assert guarded.process.wait(10) == 127
    assert "gone cannot be used: No such file" in guarded.output.read_text()
    guarded.socket.close()
