"""Who says more than a host can take in, and who takes nothing of what it says."""

from __future__ import annotations

import asyncio
import gzip
import os
import secrets
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from folders import in_folders

from runtime import paths
from runtime.catalog import registry
from runtime.catalog.params import DemoSpec, Param
from runtime.catalog.registry import Launchable
from runtime.classroom import actions
from runtime.host.server import Host
from runtime.protocol import messages, rank_decoder
from runtime.protocol.events import Event
from runtime.protocol.framing import frame
from runtime.protocol.messages import Act, Attach, Snapshot, Welcome
from runtime.recordings import recorder
from runtime.recordings.recorder import MAX_PENDING
from runtime.supervision import frame_queue, rank_socket
from runtime.supervision import supervisor as supervising
from runtime.supervision.frame_queue import FrameQueue
from runtime.supervision.run import OVER, Run
from runtime.supervision.supervisor import Supervisor

pytestmark = pytest.mark.slow
SCRIPT = Path(__file__).parents[1] / "scripts" / "flood.py"
RANKS, FRAMES, EACH = 4, 200, 200
FRAME_BYTES = 32 << 10  # a frame is shorter
READ = 256 << 10  # what asyncio reads at once of one connection
SPEC = DemoSpec(
    "flood",
    "Flood: no rank of it is real",
    SCRIPT,
    (
        Param("ranks", "int", RANKS, "ranks to speak for", 1, 64, rank_arg=True),
        Param("frames", "int", FRAMES, "frames of every rank", 1, 100_000, rank_arg=True),
        Param("launcher", "choice", "simulated", "how the ranks are started", choices=("simulated",)),
    ),
    steps=lambda values: FRAMES,
)


SAID = EACH * FRAMES + FRAMES + 2  # by a rank: a frame's collectives and its step, a greeting and a farewell


@pytest.fixture
def flood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Launchable:
    in_folders(tmp_path, monkeypatch)
    monkeypatch.setitem(registry.DEMOS, "flood", SPEC)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    demo = registry.check("flood", {})
    assert isinstance(demo, Launchable)
    return demo


def hanging_disk(run: Run) -> Path:
    """Where its events are written, and who opens it to write waits until somebody reads."""
    folder = paths.runs_dir() / run.id
    folder.mkdir(parents=True, exist_ok=True)
    os.mkfifo(file := folder / "events.jsonl.gz")
    return file


async def test_a_flood_of_events_is_recorded_whole_and_drawn_as_far_as_there_is_time(
    flood: Launchable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host holds a bounded part of it at any time, and is done when it is."""
    # A fast machine takes in a whole read before the next comes: what counts as late is made small for it.
    monkeypatch.setattr(frame_queue, "LATE_BYTES", READ // 8)
    monkeypatch.setattr(frame_queue, "MOST_BYTES", READ)
    queues: list[FrameQueue] = []

    class Seen(FrameQueue):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            queues.append(self)

    monkeypatch.setattr(rank_socket, "FrameQueue", Seen)
    supervisor = Supervisor("flood", paths.rank_socket("flood"))
    await supervisor.start()
    most, waiting = 0, 0
    try:
        run = await supervisor.launch("block", flood)
        async with asyncio.timeout(120):
            while run.state not in OVER or not run.over.is_set():
                most = max(most, *(queue.bytes for queue in queues))
                waiting = max(waiting, run.recorder.waiting if run.recorder else 0)
                await asyncio.sleep(0)
        shown: Snapshot = run.snapshot()
    finally:
        assert await supervisor.close() == 0
    assert run.state == "done", run.why
    assert run.recorder is not None
    assert frame_queue.LATE_BYTES < most <= frame_queue.MOST_BYTES + RANKS * READ, (
        "more than it could take in"
    )
    assert waiting <= MAX_PENDING
    # Nothing was lost: ranks could wait.
    assert run.unheard_bytes == run.recorder.lost == 0
    recorded = gzip.decompress((run.recorder.folder / "events.jsonl.gz").read_bytes())
    said = RANKS * SAID
    assert recorded.count(b"\n") >= said
    # Less of it was drawn, and that is said; no figure is made of what is left.
    assert 0 < shown.left_out["events_not_drawn"] < said
    assert f"{shown.left_out['events_not_drawn']} events not drawn" in shown.bent
    assert [row.step for row in shown.rows] == [FRAMES - 1] * RANKS
    assert all(row.result == {"said": said // RANKS} for row in shown.rows)


async def test_a_disk_that_hangs_costs_the_recording_and_neither_the_run_nor_the_way_out(
    flood: Launchable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each event is on disk in the end, or in the number that is said to be missing."""
    monkeypatch.setattr(recorder, "MAX_PENDING", RANKS * SAID // 4)
    monkeypatch.setattr(recorder, "HANGS_S", 0.5)
    heard: list[Event] = []
    socket = paths.rank_socket("flood")
    supervisor = Supervisor("flood", socket, on_events=lambda run, events: heard.extend(events))
    await supervisor.start()
    run = await supervisor.launch("block", flood)
    disk = hanging_disk(run)
    async with asyncio.timeout(120):
        await run.over.wait()
        assert await supervisor.close() == 0
    shown: Snapshot = run.snapshot()
    assert run.recorder is not None
    assert shown.state == "done" and [row.step for row in shown.rows] == [FRAMES - 1] * RANKS
    assert shown.warning == f"not all of this run is recorded: {run.recorder.folder} takes nothing"
    missing = shown.left_out["events_not_recorded"]
    assert 0 < missing < RANKS * SAID
    assert f"{missing} events not recorded" in shown.bent
    # It takes something again: what it was in the midst of, and nothing that comes after what is missing.
    written = gzip.decompress(await asyncio.to_thread(disk.read_bytes)).count(b"\n")
    async with asyncio.timeout(10):
        while run.recorder.waiting:
            await asyncio.sleep(0.01)
    assert written + run.recorder.lost == len(heard)


async def test_what_ranks_still_had_to_say_when_nobody_could_wait_any_more_is_counted(
    flood: Launchable, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A disk that is too slow for them, and a teacher who ends the run."""
    monkeypatch.setattr(recorder, "MAX_PENDING", RANKS * SAID // 8)
    monkeypatch.setattr(supervising, "LAST_WORDS_S", 0.1)
    sent, decode, read = tmp_path / "sent", rank_decoder.decode, 0
    monkeypatch.setenv("FLOOD_SENT", str(sent))

    def decoded(payload: bytes) -> Sequence[Event]:
        nonlocal read
        read += len(frame(payload))
        return decode(payload)

    monkeypatch.setattr(rank_decoder, "decode", decoded)
    supervisor = Supervisor("flood", paths.rank_socket("flood"))
    await supervisor.start()
    run = await supervisor.launch("block", flood)
    hanging_disk(run)
    async with asyncio.timeout(120):
        while run.recorder is None or not run.recorder.full:
            await asyncio.sleep(0.01)
        await supervisor.stop("block")
        monkeypatch.setattr(recorder, "HANGS_S", 0.5)
        assert await supervisor.close() == 0
    shown: Snapshot = run.snapshot()
    missing = shown.left_out["bytes_not_read"]
    assert f"{missing} bytes not read" in shown.bent
    # All but what had come of an unfinished frame, and the lengths of those that were whole.
    # Or one frame more than was counted: who is killed between a send and its count has not counted it.
    unseen = int(sent.read_text()) - read - missing
    assert -FRAME_BYTES <= unseen <= RANKS * FRAME_BYTES + 4 * RANKS * FRAMES


async def test_a_screen_that_reads_nothing_is_hung_up_on_and_comes_back_to_how_things_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_folders(tmp_path, monkeypatch)
    host = Host("deaf")
    await host.start()
    try:
        path = str(paths.screen_socket("deaf"))
        loop = asyncio.get_running_loop()

        async def enter(role: actions.Role) -> socket.socket:
            line = socket.socket(socket.AF_UNIX)
            line.setblocking(False)
            await loop.sock_connect(line, path)
            attach = Attach(messages.VERSION, role, secrets.token_hex(4), os.getpid())
            await loop.sock_sendall(line, frame(messages.encode(attach)))
            return line

        deaf = await enter("audience")
        console = await enter("console")
        while len(host.screens) < 2:
            await asyncio.sleep(0.01)
        most = 0
        drained = asyncio.create_task(_read_all(console))
        for n in range(1, 4000):
            move = actions.Move("ab"[n % 2] * 2000, n)
            await loop.sock_sendall(console, frame(messages.encode(Act(n, move))))
            await asyncio.sleep(0)
            backlogs = [screen.line.backlog for screen in host.screens.values() if screen.role == "audience"]
            most = max([most, *backlogs])
            if not backlogs:
                break
        assert not [screen for screen in host.screens.values() if screen.role == "audience"]
        assert 0 < most < 3 << 20
        again = await enter("audience")
        got = bytearray()
        while len(got) < 4 or len(got) < 4 + int.from_bytes(got[:4], "little"):
            got += await loop.sock_recv(again, 1 << 20)
        welcome = messages.decode(bytes(got[4 : 4 + int.from_bytes(got[:4], "little")]))
        assert isinstance(welcome, Welcome) and welcome.state.pos == host.state.pos
        drained.cancel()
        for line in (deaf, console, again):
            line.close()
    finally:
        assert await host.close() == 0


async def _read_all(line: socket.socket) -> None:
    while await asyncio.get_running_loop().sock_recv(line, 1 << 20):
        pass
