"""The blocks of a class: what runs in each (live, recorded or compared), and which screens are shown it.

Consoles request runs; every screen that keeps up gets the newest snapshot. A change of a run's state is an
action of the class, put in order by `order`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

import msgspec

import teachrun
from runtime import paths
from runtime.catalog import plugins, registry
from runtime.classroom import actions
from runtime.classroom import state as class_state
from runtime.host import class_without_screens, consent
from runtime.host.attached_screens import Screen
from runtime.host.blocks import comparison, exercises, launch_check
from runtime.host.blocks.snapshot_pace import Pusher
from runtime.protocol import messages
from runtime.protocol.class_messages.screen_messages import EXERCISE
from runtime.protocol.framing import FrameProtocol
from runtime.protocol.messages import (
    Break,
    Keep,
    Keys,
    Launch,
    Process,
    Recall,
    Refused,
    RunSnippet,
    Seek,
    SetLink,
    Snapshot,
    StageStatus,
    Steer,
    StopRun,
    TakeXRay,
    Warm,
)
from runtime.recordings import files
from runtime.recordings.replay import Replay, Replays
from runtime.snippets import running_code_block as snippets_snippet
from runtime.snippets import terminal
from runtime.snippets.language_commands import Executor, executor
from runtime.snippets.picture_output import Picturing
from runtime.supervision.run import OVER, Run
from runtime.supervision.supervisor import Supervisor

MAX_BACKLOG = 64 << 10
IMPORT_S = 60.0  # for the package that brings a demo
# What only the console does that has the lead, when one has it.
Driven = Launch | RunSnippet | Keys | StopRun | Steer | SetLink | Break | TakeXRay | Recall | Seek
Wish = Driven | Keep | Warm


class Blocks:
    """Runs the blocks of one class. `screens` are those attached now."""

    def __init__(
        self,
        class_id: str,
        screens: Mapping[FrameProtocol, Screen],
        order: Callable[[actions.AnyAction], None],
        on_stage: Callable[[StageStatus, str], None],
    ) -> None:
        self.supervisor = Supervisor(
            class_id, paths.rank_socket(class_id), on_run=self._run_changed, on_stage=on_stage
        )
        self.replays = Replays(self._replay_moved)
        self.snippets = snippets_snippet.Snippets(
            class_id, order, lambda block, urgent: self._pusher(block).changed(urgent)
        )
        self.contests: dict[str, comparison.Contest] = {}  # by block: strategies that run in turn
        self.deck: Path | None = None  # where its file is, whose scripts are named as seen from there
        self._screens, self._order = screens, order
        self._pushers: dict[str, Pusher] = {}
        self._shown: dict[str, tuple[bool, bool]] = {}  # by run: its first step, and that step compared
        self._leaving: dict[str, asyncio.TimerHandle] = {}
        self._jobs: set[asyncio.Task[None]] = set()
        self._closed = False

    # --- life -------------------------------------------------------------------------------------------

    async def start(self, left_over: Mapping[str, class_state.RunInfo]) -> None:
        """Listen for ranks; an earlier host's replays come back, its runs are lost. Raises `OSError`."""
        await self.supervisor.start()
        for block, info in left_over.items():
            if info.state == "replay":
                self._job(self._recall(Recall(block, info.demo, info.params, info.run)))
            elif info.state not in OVER:
                why = "the host was restarted"
                self._order(
                    actions.Run(block, info.run, info.generation, info.demo, info.params, "lost", why)
                )

    async def close(self, why: str) -> int:
        """End every run and the fork server; returns how many processes could not be ended."""
        self._closed = True
        self.replays.close()
        for timer in self._leaving.values():
            timer.cancel()
        left = sum(await asyncio.gather(self.supervisor.close(why), self.snippets.close(why)))
        for pusher in self._pushers.values():
            pusher.cancel()
        for task in self._jobs:
            task.cancel()
        return left

    def processes(self) -> tuple[Process, ...]:
        """Return the processes of runs and of snippets, for `teachrun ps`."""
        return (*self.supervisor.processes(), *self.snippets.processes())

    def unwatched(self, alone_s: float) -> None:
        """End the runs that have had their time, after `alone_s` seconds without a screen."""
        for run in self.supervisor.active():
            if why := class_without_screens.run_is_over(run, alone_s):
                self._job(self._stop(run.block, why))

    def _job(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._jobs.add(task)
        task.add_done_callback(self._jobs.discard)

    # --- what consoles ask for --------------------------------------------------------------------------

    def obey(self, screen: Screen, wish: Wish) -> None:
        """Carry out a request, or tell `screen` why not."""
        if self._closed:
            return
        match wish:
            case Launch():
                self._launch(screen, wish)
            case RunSnippet():
                self._job(self._run_snippet(screen, wish))
            case Keys():
                self.snippets.type(wish)
            case StopRun(block=block) if block in self.snippets.of:
                self._job(self.snippets.of[block].stop())
            case StopRun():
                self.replays.seek(wish.block, None, 0.0)
                if contest := self.contests.get(wish.block):
                    contest.stopped = True
                self._job(self._stop(wish.block, "stopped"))
            case Steer() | SetLink() | Break() | TakeXRay():
                refusal = self.supervisor.control.obey(wish)
                if refusal is not None:
                    screen.send(Refused(wish.block, refusal.why, refusal.mend))
                elif run := self.supervisor.runs.get(wish.block):
                    self._run_changed(run, False)
            case Recall():
                self._job(self._recall(wish, screen))
            case Seek():
                self.replays.seek(wish.block, wish.at_s, wish.speed)
            case Keep():
                self._keep(wish)
            case Warm():
                self.supervisor.stage.start()

    def _launch(self, screen: Screen, launch: Launch) -> None:
        if not registry.is_known(launch.demo):
            self._job(self._launch_when_imported(screen, launch))
            return
        asked = launch_check.checked(self.deck, launch)
        if isinstance(asked, registry.Refusal):
            screen.send(Refused(launch.block, asked.why, asked.mend))
            return
        self._forget_leaving(launch.block)
        self.replays.drop(launch.block)
        self._end_contest(launch.block)
        if isinstance(asked, comparison.Plan):
            self._job(self._compare(launch, asked))
        else:
            self._job(self.begin(launch.block, asked))

    async def _launch_when_imported(self, screen: Screen, launch: Launch) -> None:
        """Launch once the demo's package is imported; refused after `IMPORT_S` seconds."""
        until = asyncio.get_running_loop().time() + IMPORT_S
        while not registry.is_known(launch.demo):
            if asyncio.get_running_loop().time() > until:
                who = teachrun.bringer("demos", launch.demo)
                why = f"{who} brings {launch.demo} and was not imported within {IMPORT_S:.0f} s"
                screen.send(Refused(launch.block, why, plugins.MEND))
                return
            await asyncio.sleep(0.05)
        if not self._closed:
            self._launch(screen, launch)

    async def _run_snippet(self, screen: Screen, wish: RunSnippet) -> None:
        deck = self.deck
        runs: Executor | registry.Refusal | None = None
        if wish.lang == EXERCISE and wish.terminal:  # it is ours: nobody has to agree to it
            runs = exercises.command(wish.source)
        else:
            runs = consent.snippet_refusal(deck, wish.lang, wish.source)
        if runs is None and wish.terminal:
            runs = terminal.command(wish.source)
        elif runs is None:  # programs are asked for their version, which may take seconds
            runs = await asyncio.to_thread(executor, wish.lang)
        if self._closed:
            return
        if isinstance(runs, registry.Refusal):
            screen.send(Refused(wish.block, runs.why, runs.mend))
            return
        assert runs is not None  # without a deck that lies somewhere nothing of it was agreed to
        kind = snippets_snippet.Snippet
        if wish.terminal or wish.picture:
            kind = terminal.Terminal if wish.terminal else Picturing
        await self.snippets.start(wish, runs, deck.parent if deck is not None else Path.home(), kind)

    async def _compare(self, launch: Launch, plan: comparison.Plan) -> None:
        """Run the strategies of a plan in the block, one after the other; its table grows with each."""
        block = launch.block
        contest = comparison.Contest(plan, lambda: self._pusher(block).changed(urgent=True), launch.params)
        self.contests[block] = contest
        await contest.run(lambda demo: self.supervisor.launch(block, demo))

    def _end_contest(self, block: str) -> None:
        contest = self.contests.pop(block, None)
        if contest is not None:
            contest.stopped = True

    async def begin(self, block: str, demo: registry.Launchable) -> None:
        """Run a demo in a block, after ending an older run of it."""
        before = self.supervisor.runs.get(block)
        run = await self.supervisor.launch(block, demo)
        await asyncio.to_thread(run.remember, before)

    async def _recall(self, recall: Recall, screen: Screen | None = None) -> None:
        """Show a recorded run in a block at once; a live one there is ended behind it."""
        block = recall.block
        try:
            replay = await self.replays.recall(block, recall.demo, recall.params, recall.run)
        except (files.Unreadable, OSError) as error:
            mend = "see `teachrun runs list`" if recall.run else "start it live once: every run is recorded"
            if screen is not None:
                screen.send(Refused(block, str(error), mend))
            else:  # the host was restarted
                gone = actions.Run(block, recall.run, 1, recall.demo, recall.params, "lost", str(error))
                self._order(gone)
            return
        if replay is not None:
            made = f"recorded {replay.recording.about.made}".strip()
            # What was asked for, so that a restarted host says again in what this is another run.
            asked = recall.params if recall.params or not recall.run else replay.demo.params
            self._order(
                actions.Run(block, replay.id, replay.generation, replay.demo.name, asked, "replay", made)
            )
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

    # --- what runs tell ---------------------------------------------------------------------------------

    def _run_changed(self, run: Run, entered: bool) -> None:
        if self._shown_in(run.block) is not run:
            return
        if entered:
            self._journal(run)
        reached = (run.store.reached >= 0, run.store.settled >= 0)
        before = self._shown.get(run.id, (False, False))
        first = reached != before
        self._shown[run.id] = reached
        if reached[0] and not before[0] and run is self.supervisor.runs.get(run.block):
            self._order(actions.Stepped(run.block, run.id))
        self._pusher(run.block).changed(urgent=entered or first)

    def _pusher(self, block: str) -> Pusher:
        pusher = self._pushers.get(block)
        if pusher is None:
            pusher = self._pushers[block] = Pusher(lambda: self._push(block))
        return pusher

    def _shown_in(self, block: str) -> Run | None:
        """Return what screens see in a block: a recorded run that was asked for, else the live one."""
        return self.replays.shown.get(block) or self.supervisor.runs.get(block)

    def _journal(self, run: Run) -> None:
        name, params = run.demo.name, run.demo.params
        self._order(actions.Run(run.block, run.id, run.generation, name, params, run.state, run.why))

    def _push(self, block: str) -> None:
        if block in self.snippets.of:
            for screen in self._screens.values():
                self._show_output(screen, block)
            return
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

    def _show_output(self, screen: Screen, block: str) -> None:
        """Send a screen that keeps up what is new of a snippet, in parts if it is much."""
        if screen.line.backlog > MAX_BACKLOG:
            screen.owed.add(block)
            return
        screen.owed.discard(block)
        snippet = self.snippets.of[block]
        run, start, pictured = screen.heard.get(block, ("", 0, False))
        known = run == snippet.id
        output = snippet.output(start if known else 0, picture=not (known and pictured))
        next_line = output.at + len(output.lines)
        screen.heard[block] = (snippet.id, next_line, bool(snippet.picture))
        screen.send(output)
        if next_line < output.end:
            self._pusher(block).changed()

    def show_all(self, screen: Screen) -> None:
        """Send everything to a screen that has just attached."""
        for block in self.snippets.of:
            self._show_output(screen, block)
        for block in {**self.supervisor.runs, **self.replays.shown}:
            self._show(screen, block)

    def show_owed(self) -> None:
        """Send screens what they could not take when it was new."""
        for screen in self._screens.values():
            for block in list(screen.owed):
                self._show(screen, block)

    def _show(self, screen: Screen, block: str) -> None:
        if block in self.snippets.of:
            self._show_output(screen, block)
            return
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
        return msgspec.structs.replace(
            snapshot,
            demo=comparison.NAME,
            params=contest.params,
            comparison=contest.table(),
            state=state,
            ran_s=contest.ran_s,
            view="compare",
        )
