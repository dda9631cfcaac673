"""The host of a class: journal, state, runs. It outlives every screen and ends by itself.

    python -P -m runtime.host --class ID

Screens attach by a socket in the run directory, which only this user can enter; a lock file lets one host
live per class. The host orders actions, tells every screen what it may know, and sends it the newest snapshot
of each run. It understands no deck: the console's blob goes to consoles, the audience's to audiences.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import fcntl
import os
import signal
import sys
import time
from importlib import metadata
from pathlib import Path
from typing import IO

import msgspec

from runtime import catalog, comparison, journal, liveclass, messages, paths, report, runs
from runtime.liveclass import AnyAction, Begin, Deck, End, Undo
from runtime.messages import (
    Act,
    AnyMessage,
    Attach,
    Blob,
    Keep,
    Launch,
    Message,
    Ordered,
    Process,
    Publish,
    Recall,
    Refused,
    Report,
    Role,
    Screens,
    Seek,
    Shutdown,
    Snapshot,
    Stage,
    StageStatus,
    Status,
    StopRun,
    Unsaved,
    Warm,
    Welcome,
)
from runtime.processes import Own, wall_clock
from runtime.ranklines import admit
from runtime.replay import Replay, Replays
from runtime.run import OVER, Run
from runtime.screens import Pusher, Screen, public, visibility
from runtime.supervisor import Supervisor
from runtime.wire import FrameProtocol

MAX_BACKLOG = 64 << 10
ALONE_S = 30 * 60.0  # without any screen: the host ends itself
UNWATCHED_S = 10 * 60.0  # without any screen: a run without a budget ends
PATROL_S = 5.0


def version() -> str:
    try:
        return metadata.version("teachrun")
    except metadata.PackageNotFoundError:
        return "unknown"


class Host:
    """Everything of one class. `ended` is set when it is time to go."""

    def __init__(self, class_id: str) -> None:
        self.class_id = class_id
        self.journal = journal.Journal(paths.journal_file(class_id))
        self.state = liveclass.fold(self.journal.entries)
        self.ended = asyncio.Event()
        self.supervisor = Supervisor(
            class_id, paths.rank_socket(class_id), on_run=self._run_changed, on_stage=self._stage_changed
        )
        self.replays = Replays(self._replay_moved)
        self._deck = Publish("", "", "", b"", b"")
        self._screens: dict[FrameProtocol, Screen] = {}
        self._strangers: set[FrameProtocol] = set()
        self._acted: dict[str, int] = {}  # newest `n` ordered, by screen
        self._pushers: dict[str, Pusher] = {}
        self.contests: dict[str, comparison.Contest] = {}  # by block: strategies that run in turn
        self._shown: dict[str, tuple[bool, bool]] = {}  # by run: its first step, and that step compared
        self._leaving: dict[str, asyncio.TimerHandle] = {}
        self._jobs: set[asyncio.Task[None]] = set()
        self._alone_since = time.monotonic()
        self._server: asyncio.Server | None = None
        self._socket = Path()
        self._shutting = False

    # --- life -------------------------------------------------------------------------------------------

    async def start(self) -> None:
        await self.supervisor.start()
        if not self.journal.entries or self.state.ended:
            self.order(Begin(self.class_id, version()))
        for block, info in self.state.runs.items():
            if info.state == "replay":
                self._job(self._recall(Recall(block, info.demo, info.params, info.run)))
            elif info.state not in OVER:
                self.order(
                    liveclass.Run(
                        block=block,
                        run=info.run,
                        generation=info.generation,
                        demo=info.demo,
                        params=info.params,
                        state="lost",
                        why="the host was restarted; D starts it again",
                    )
                )
        path = self._socket = paths.screen_socket(self.class_id)
        path.unlink(missing_ok=True)
        self._server = await asyncio.get_running_loop().create_unix_server(
            lambda: FrameProtocol(self._received, self._hung_up, self._connected), str(path)
        )
        path.chmod(0o600)
        self._job(self._patrol())

    async def close(self, why: str = "") -> int:
        """End every process of the class and hang up; returns how many could not be ended."""
        left = await self._end_all(why)
        if self._server is not None:
            self._server.close()
            self._socket.unlink(missing_ok=True)
        for line in (*self._screens, *self._strangers):
            line.close()
        for task in self._jobs:
            if task is not asyncio.current_task():
                task.cancel()
        await asyncio.sleep(0)  # closing transports flush on the next turn of the loop
        return left

    async def _end_all(self, why: str) -> int:
        self._shutting = True
        self.replays.close()
        for timer in self._leaving.values():
            timer.cancel()
        left = await self.supervisor.close(why)
        for pusher in self._pushers.values():
            pusher.cancel()
        return left

    def _job(self, work: object) -> None:
        assert asyncio.iscoroutine(work)
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        self._jobs.add(task)
        task.add_done_callback(self._jobs.discard)

    async def _patrol(self) -> None:
        """Without any screen a run ends at its budget, and at last so does the host."""
        while True:
            await asyncio.sleep(PATROL_S if not self._screens else PATROL_S / 5)
            for screen in self._screens.values():
                for block in list(screen.owed):
                    self._send_snapshot(screen, block)
            if self._screens:
                self._alone_since = time.monotonic()
                continue
            alone = time.monotonic() - self._alone_since
            for run in self.supervisor.active():
                budget = run.demo.seconds("budget")
                if (budget is not None and run.ran_s > budget) or (budget is None and alone > UNWATCHED_S):
                    self._job(self._stop(run.block, "nobody was watching"))
            # Without its socket no screen can ever find this host again (its folder was removed).
            if alone > ALONE_S or not self._socket.exists():
                self.ended.set()

    # --- screens ----------------------------------------------------------------------------------------

    def _connected(self, line: FrameProtocol) -> None:
        self._strangers.add(line)
        admit(line)

    def _hung_up(self, line: FrameProtocol) -> None:
        self._strangers.discard(line)
        if self._screens.pop(line, None) is not None:
            self._alone_since = time.monotonic()
            self._tell(self._count())

    def _received(self, line: FrameProtocol, payload: bytes) -> None:
        try:
            message = messages.decode(payload)
        except (msgspec.DecodeError, RecursionError):
            line.close()
            return
        screen = self._screens.get(line)
        # `ps` and `stop` ask without being a screen, and of any version.
        if isinstance(message, Status):
            line.send(messages.encode(self.report()))
        elif isinstance(message, Shutdown) and (screen is None or screen.role == "console"):
            self._job(self._shutdown(line, message.why))
        elif isinstance(message, Attach):
            self._attach(line, message)
        elif screen is not None and screen.role == "console":
            self._obey(screen, message)
        else:
            line.close()

    def _attach(self, line: FrameProtocol, attach: Attach) -> None:
        if attach.version != messages.VERSION:
            refused = Refused(
                "",
                f"this class is run by teachrun {version()} (protocol {messages.VERSION}), "
                f"this screen speaks protocol {attach.version}",
                f"end it with `teachrun stop --class {self.class_id}`, then start again",
            )
            line.send(messages.encode(refused))
            line.close()
            return
        self._strangers.discard(line)
        screen = self._screens[line] = Screen(line, attach)
        stage = self.supervisor.stage
        screen.send(
            Welcome(
                messages.VERSION,
                self.class_id,
                os.getpid(),
                liveclass.visible_to(self.state, screen.role),
                self._blob(screen.role),
                stage.status,
                stage.detail,
            )
        )
        if self.journal.failed and screen.role == "console":
            screen.send(Unsaved(self.journal.failed))
        for block in {**self.supervisor.runs, **self.replays.shown}:
            self._send_snapshot(screen, block)
        self._tell(self._count())

    def _count(self) -> Screens:
        roles = [screen.role for screen in self._screens.values()]
        return Screens(roles.count("console"), roles.count("audience"))

    def _blob(self, role: Role) -> bytes:
        return self._deck.console if role == "console" else self._deck.audience

    def _tell(self, message: Message, role: Role | None = None) -> None:
        payload = messages.encode(message)
        for screen in self._screens.values():
            if role is None or screen.role == role:
                screen.line.send(payload)

    # --- what consoles ask for --------------------------------------------------------------------------

    def _obey(self, screen: Screen, message: AnyMessage) -> None:
        match message:
            case Act():
                if message.n > self._acted.get(screen.name, 0):
                    self._acted[screen.name] = message.n
                    self.order(message.action, screen.name, message.n)
            case Publish():
                self._publish(screen, message)
            case Launch():
                self._launch(screen, message)
            case StopRun():
                self.replays.seek(message.block, None, 0.0)
                if contest := self.contests.get(message.block):
                    contest.stopped = True
                self._job(self._stop(message.block, "stopped"))
            case Recall():
                if not self._shutting:
                    self._job(self._recall(message, screen))
            case Seek():
                self.replays.seek(message.block, message.at_s, message.speed)
            case Keep():
                self._keep(message)
            case Warm():
                self.supervisor.stage.start()
            case _:
                screen.line.close()  # only a host says anything else

    def order(self, action: AnyAction, screen: str = "", n: int = 0) -> None:
        """Give an action its place, and tell everybody who may know."""
        before, failed = self.state, self.journal.failed
        entry = self.journal.append(action, screen, visibility(action))
        if self.journal.failed != failed:
            self._tell(Unsaved(self.journal.failed), "console")
        undo = isinstance(action, Undo)
        self.state = liveclass.fold(self.journal.entries) if undo else liveclass.apply(before, entry)
        self._tell(Ordered(entry, n, self.state if undo else None), "console")
        seen = liveclass.visible_to(self.state, "audience")
        if msgspec.structs.replace(liveclass.visible_to(before, "audience"), rev=seen.rev) != seen:
            self._tell(Ordered(public(entry, seen), 0, seen), "audience")

    def _publish(self, sender: Screen, deck: Publish) -> None:
        self._deck = deck
        if (deck.rev, deck.title, deck.path) != (self.state.deck_rev, self.state.title, self.state.path):
            self.order(Deck(deck.rev, deck.title, deck.path))
        for screen in self._screens.values():
            if screen is not sender:
                screen.send(Blob(deck.rev, self._blob(screen.role)))

    def _launch(self, screen: Screen, launch: Launch) -> None:
        if self._shutting:
            return
        asked = comparison.check(launch.demo, launch.params)
        if isinstance(asked, catalog.Refusal):
            screen.send(Refused(launch.block, asked.why, asked.mend))
            return
        self._forget_leaving(launch.block)
        self.replays.drop(launch.block)
        self._end_contest(launch.block)
        if isinstance(asked, comparison.Plan):
            self._job(self._compare(launch.block, asked))
        else:
            self._job(self._start(launch.block, asked))

    async def _compare(self, block: str, plan: comparison.Plan) -> None:
        """Run the strategies of a plan in the block, one after the other; its table grows with each."""
        contest = comparison.Contest(plan, lambda: self._pusher(block).changed(urgent=True))
        self.contests[block] = contest
        await contest.run(lambda demo: self.supervisor.launch(block, demo))

    def _end_contest(self, block: str) -> None:
        contest = self.contests.pop(block, None)
        if contest is not None:
            contest.stopped = True

    async def _start(self, block: str, demo: catalog.Launchable) -> None:
        before = self.supervisor.runs.get(block)
        run = await self.supervisor.launch(block, demo)
        await asyncio.to_thread(report.remember, run, before)

    async def _recall(self, recall: Recall, screen: Screen | None = None) -> None:
        """Show a recorded run in a block at once; a live one there is ended behind it."""
        block = recall.block
        try:
            replay = await self.replays.recall(block, recall.demo, recall.params, recall.run)
        except (runs.Unreadable, OSError) as error:
            mend = "see `teachrun runs list`" if recall.run else "start it live once: every run is recorded"
            if screen is not None:
                screen.send(Refused(block, str(error), mend))
            else:  # the host was restarted
                gone = liveclass.Run(block, recall.run, 1, recall.demo, recall.params, "lost", str(error))
                self.order(gone)
            return
        if replay is not None:
            made = f"recorded {replay.recording.about.made}".strip()
            name, params = replay.demo.name, replay.demo.params
            self.order(liveclass.Run(block, replay.id, replay.generation, name, params, "replay", made))
            self._replay_moved(replay, urgent=True)
            await self._stop(block, "a recorded run is shown")

    def _replay_moved(self, replay: Replay, urgent: bool = False) -> None:
        if self._shown_in(replay.block) is replay:
            self._pusher(replay.block).changed(urgent=urgent)

    async def _stop(self, block: str, why: str) -> None:
        self._forget_leaving(block)
        await self.supervisor.stop(block, why)

    def _keep(self, keep: Keep) -> None:
        self._forget_leaving(keep.block)
        run = self.supervisor.runs.get(keep.block)
        if keep.seconds is None or run is None or run.state in OVER:
            return
        self._leaving[keep.block] = asyncio.get_running_loop().call_later(
            max(0.0, keep.seconds), lambda: self._job(self._stop(keep.block, "its slide was left"))
        )

    def _forget_leaving(self, block: str) -> None:
        timer = self._leaving.pop(block, None)
        if timer is not None:
            timer.cancel()

    async def _shutdown(self, line: FrameProtocol, why: str) -> None:
        if self._shutting:
            return
        self.order(End(why))
        left = await self._end_all(why or "the class was ended")
        line.send(messages.encode(self.report(left)))
        self.ended.set()

    def report(self, left: int = 0) -> Report:
        me = Own.of(os.getpid())
        own = Process(os.getpid(), "host", None, "", wall_clock(me.started) if me else 0.0)
        stage = self.supervisor.stage
        return Report(
            self.class_id,
            os.getpid(),
            self.state,
            stage.status,
            stage.detail,
            (own, *self.supervisor.processes()),
            tuple(f"{s.role} {s.name} (pid {s.pid})" for s in self._screens.values()),
            left,
        )

    # --- what runs tell ---------------------------------------------------------------------------------

    def _stage_changed(self, status: StageStatus, detail: str) -> None:
        self._tell(Stage(status, detail))

    def _run_changed(self, run: Run, entered: bool) -> None:
        if self._shown_in(run.block) is not run:
            return
        if entered:
            self._journal_run(run)
        reached = (run.store.reached >= 0, run.store.settled >= 0)
        first = reached != self._shown.get(run.id, (False, False))
        self._shown[run.id] = reached
        self._pusher(run.block).changed(urgent=entered or first)

    def _pusher(self, block: str) -> Pusher:
        pusher = self._pushers.get(block)
        if pusher is None:
            pusher = self._pushers[block] = Pusher(lambda: self._push(block))
        return pusher

    def _shown_in(self, block: str) -> Run | None:
        """What the screens see in a block: a recorded run that was asked for, else the live one."""
        return self.replays.shown.get(block) or self.supervisor.runs.get(block)

    def _journal_run(self, run: Run) -> None:
        name, params = run.demo.name, run.demo.params
        self.order(liveclass.Run(run.block, run.id, run.generation, name, params, run.state, run.why))

    def _push(self, block: str) -> None:
        run = self._shown_in(block)
        if run is None or not self._screens:
            return
        payload = messages.encode(self._snapshot(run))
        for screen in self._screens.values():
            if screen.line.backlog > MAX_BACKLOG:
                screen.owed.add(block)
            else:
                screen.owed.discard(block)
                screen.line.send(payload)

    def _send_snapshot(self, screen: Screen, block: str) -> None:
        run = self._shown_in(block)
        if run is not None and screen.line.backlog <= MAX_BACKLOG:
            screen.owed.discard(block)
            screen.send(self._snapshot(run))

    def _snapshot(self, run: Run) -> Snapshot:
        snapshot = run.snapshot()
        contest = self.contests.get(run.block)
        if contest is None or run is not self.supervisor.runs.get(run.block):
            return snapshot
        # Between two of its runs a comparison goes on.
        state = "running" if snapshot.state in OVER and not contest.over else snapshot.state
        return msgspec.structs.replace(snapshot, comparison=contest.table(), state=state, view="compare")


def lock(class_id: str) -> IO[bytes] | None:
    """The class's lock, held as long as the file is open; None: another host has it."""
    file = paths.lock_file(class_id).open("ab")
    for _ in range(20):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file
        except BlockingIOError:
            time.sleep(0.05)  # a killed host's children may hold a copy of it for a moment longer
    file.close()
    return None


async def serve(class_id: str) -> int:
    """Run the host until it is ended; returns the exit code."""
    host = Host(class_id)
    loop = asyncio.get_running_loop()
    for name in ("SIGTERM", "SIGINT"):
        loop.add_signal_handler(getattr(signal, name), host.ended.set)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    await host.start()
    await host.ended.wait()
    left = await host.close("the host was ended")
    return 1 if left else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -P -m runtime.host")
    parser.add_argument("--class", dest="class_id", required=True)
    class_id = parser.parse_args().class_id
    if not paths.valid_class_id(class_id):
        print(f"not a class id: {class_id!r}", file=sys.stderr)
        return 2
    try:
        held = lock(class_id)
        if held is None:
            print(f"class {class_id} has a host already", file=sys.stderr)
            return 0
        with held, contextlib.suppress(KeyboardInterrupt):
            return asyncio.run(serve(class_id))
    except OSError as error:
        print(f"the host cannot run: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
