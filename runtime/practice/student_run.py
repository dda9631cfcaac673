"""One run of a student's file on real ranks: started, heard, judged, and ended whatever the file does.

Nothing here waits for a rank: what it has to say arrives on a socket, its death on another, and a clock does
the rest.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
import shutil
import signal
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec

from runtime.catalog.registry import Launchable
from runtime.diagnosis.deadlock import hopeless, stalled
from runtime.diagnosis.diagnosis import failed, mismatch, nowhere
from runtime.diagnosis.rank_rows import rows
from runtime.launch.fork_server_client import ForkServerClient
from runtime.launch.guarded_torchrun import GuardedTorchrun
from runtime.launch.processes import Own, below, gone, marked, sweep
from runtime.launch.processor_time import PatientClock
from runtime.launch.rank_environment import rank_environment
from runtime.launch.rank_logs import RankLog, rank_logs
from runtime.practice import kept_files
from runtime.practice.outcome import Outcome
from runtime.protocol.diagnosis_message import Diagnosis
from runtime.protocol.practice_messages import (
    LOST,
    MAX_LINE,
    WORD,
    Call,
    Note,
    Stands,
    Trouble,
    Verdict,
    decode,
)
from runtime.protocol.stage_messages import AnyOrder, Exited, Fork, Forked
from runtime.supervision.launcher import meeting_point

SCRIPT = Path(__file__).parents[1] / "ranks" / "practice" / "script.py"
# The first five are of a clock that stands while a rank has no turn on a processor, the others of the wall's.
STALL_S = 2.0  # all ranks stand in calls and nothing has moved: they wait for each other
HOPELESS_S = 1.2  # the same, and each of them waits for somebody who waits as well or is done
SLOW_S = 6.0  # a rank is at the same line, in no call, and nothing has moved
CHECK_S = 20.0  # for one check, whatever it does
GRACE_S = 0.3  # after the first rank that failed, for what the others have to say
SILENT_S = 3.0  # ranks tell of themselves twice a second
TICK_S = 0.05
SHOWN_S = 0.5  # between two changes of the seconds beside each rank
KILLED_WITHIN_S, SWEPT_WITHIN_S = 3.0, 10.0  # of a file that forks without end hundreds are left
DUMP = "Fatal Python error: "  # what faulthandler(3) writes begins so
MUCH = 1 << 20  # bytes printed that are told of
_MISFIT = b"op.preamble.length <= op.nbytes"


class ExerciseRun:
    """One run of one file: its ranks, and what they told."""

    def __init__(
        self,
        run_id: str,
        class_id: str,
        stage: ForkServerClient,
        outcome: Outcome,
        on_change: Callable[[Outcome], None],
    ) -> None:
        self.id, self.cancelled = run_id, False
        self.wake = asyncio.Event()
        self._class_id, self._stage, self._outcome, self._on_change = class_id, stage, outcome, on_change
        self._ranks: dict[int, Own] = {}
        self._exited: set[int] = set()
        self._writers: dict[int, asyncio.StreamWriter] = {}
        self._torchrun: GuardedTorchrun | None = None
        self._check, self._ended = 0, False
        self._word = _word()  # that the present check was begun with
        self._began = self._shown_at = time.monotonic()
        self._clock = PatientClock()
        self._check_began = self._moved_at = self._clock.now
        self._failed_at: float | None = None
        self._misfit_at: float | None = None
        self._heard_at: dict[int, float] = {}
        self._folder = Path(tempfile.mkdtemp(prefix="teachrun-"))
        self._logs: list[RankLog] = []

    async def play(self) -> None:
        """Take the run from its start to the verified end of its last process."""
        exercise, out = self._outcome.exercise, self._outcome
        server, kept = None, kept_files.read(exercise.folder)
        loop = asyncio.get_running_loop()
        try:
            problem = self._copy()
            if problem is not None:
                out.diagnosis = problem
                return
            self._logs = rank_logs(self._folder, exercise.ranks)
            for log in self._logs:
                loop.add_reader(log.fileno(), log.drain)
            server = await asyncio.start_unix_server(self._serve, self._folder / "s", limit=MAX_LINE)
            out.checks[0].state = "running"
            await self._start()
            while out.diagnosis is None and not self.cancelled and not self._judged():
                self.wake.clear()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self.wake.wait(), TICK_S)
            if out.diagnosis is not None and self._check < len(out.checks):
                out.checks[self._check].state = "failed"
        finally:
            self._ended = True
            out.seconds = time.monotonic() - self._began
            self._on_change(out)  # the verdict first; to tidy up may take longer
            await self._end()
            if server is not None:
                server.close()
            for writer in self._writers.values():
                writer.close()
            for log in self._logs:
                loop.remove_reader(log.fileno())
                log.close()
            self._look_back(kept)
            shutil.rmtree(self._folder, ignore_errors=True)
            out.over = True
            self._on_change(out)

    def _copy(self) -> Diagnosis | None:
        """Read the student's file once, so that all ranks run the same text."""
        try:
            with self._outcome.file.open("rb") as file:
                data = file.read(kept_files.MAX_FILE + 1)
        except OSError as error:
            return Diagnosis("crash", f"{self._outcome.file.name} cannot be read: {error.strerror}")
        if len(data) > kept_files.MAX_FILE:
            return Diagnosis("crash", f"{self._outcome.file.name} is larger than 1 MB: is it the right file?")
        (self._folder / "copy.py").write_bytes(data)
        return None

    async def _start(self) -> None:
        exercise = self._outcome.exercise
        file = self._outcome.file.resolve()
        argv = (str(self._folder / "s"), str(self._folder / "copy.py"), str(file), str(exercise.checks_file))
        ready = self._stage.ready
        env = rank_environment(self._class_id, self.id, 0, exercise.ranks)
        if ready is not None and not ready.fork_ok:
            values: dict[str, int | float | str | None] = {"ranks": exercise.ranks}
            demo = Launchable("exercise", exercise.title, SCRIPT, {}, values, argv)
            (self._folder / "torchrun").mkdir()
            self._torchrun = GuardedTorchrun(
                demo, env, self._folder / "torchrun", self.ordered, lambda: self.lost("the guardian died")
            )
            self._outcome.notes.append(f"started by torchrun, which is slower: {ready.why}")
            return
        with meeting_point(exercise.ranks) as store:
            env |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(store.getsockname()[1])}
            order = Fork(self.id, 0, exercise.ranks, str(SCRIPT), argv, env, str(self._folder))
            await self._stage.fork(order, store)

    # --- what is heard ------------------------------------------------------------------------------------

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Hear one rank. A line that is none ends the connection, and the check by its clock."""
        rank: int | None = None
        writer.write(self._word)
        try:
            while line := await reader.readline():
                message = decode(line)
                rank = message.rank
                if not 0 <= rank < self._outcome.exercise.ranks:
                    break
                self._writers.setdefault(rank, writer)
                self._hear(message)
        except (OSError, ValueError, msgspec.DecodeError):
            pass
        if rank is not None and self._torchrun is not None:  # nobody else tells of its end
            self._gone(rank, "ended, and nobody saw how")

    def _hear(self, message: Call | Stands | Verdict | Note) -> None:
        evidence, now = self._outcome.evidence, time.monotonic()
        evidence.now = self._heard_at[message.rank] = now
        match message:
            case Call():
                self._moved_at = self._clock.now
                evidence.add(message)
            case Stands():
                old = evidence.stands.get(message.rank)
                if old is None or (old.moved, old.line, old.idle) != (
                    message.moved,
                    message.line,
                    message.idle,
                ):
                    self._moved_at = self._clock.now
                evidence.stands[message.rank] = message
            case Verdict():
                self._moved_at = self._clock.now
                if message.trouble is None and message.word != self._word.decode():
                    said = "your file speaks to teachrun in the checker's stead"
                    evidence.troubles[message.rank] = Trouble("changed", said)
                elif message.trouble is not None:
                    evidence.troubles[message.rank] = message.trouble
                else:
                    evidence.passed[message.rank] = message.check + 1
                moved = stand.moved if (stand := evidence.stands.get(message.rank)) else 0
                evidence.stands[message.rank] = Stands(message.rank, None, 0, now, moved, True)
                check = self._outcome.checks[min(max(message.check, 0), len(self._outcome.checks) - 1)]
                check.seconds = max(check.seconds or 0.0, message.seconds)
            case Note() if len(self._outcome.notes) < 8 and message.text not in self._outcome.notes:
                self._outcome.notes.append(message.text[:200])
        self.wake.set()

    def ordered(self, order: AnyOrder) -> None:
        """Take in what the fork server or a guardian tells."""
        if isinstance(order, Forked) and self._torchrun is None:
            for rank, pid in enumerate(order.pids):
                if (own := Own.of(pid)) is not None:
                    self._ranks[rank] = own
            if not order.pids:
                self.lost("no process or memory is left for the ranks")
        elif isinstance(order, Exited):
            self._exited.add(order.rank)
            if order.signal:
                self._gone(order.rank, f"was killed by {signal.Signals(order.signal).name}")
            else:
                lost = "lost its connection to teachrun: something closed files that are not its own"
                self._gone(order.rank, lost if order.code == LOST else f"left with exit code {order.code}")

    def _gone(self, rank: int, how: str) -> None:
        if not self._ended and rank >= 0:
            self._outcome.evidence.ends.setdefault(rank, how)
            self.wake.set()

    def lost(self, why: str, meaning: str = "") -> None:
        """End the run: what its ranks depend on is gone."""
        if not self._ended and self._outcome.diagnosis is None:
            self._outcome.diagnosis = Diagnosis("crash", why, meaning=meaning)
            self.wake.set()

    # --- what is made of it -------------------------------------------------------------------------------

    def _judged(self) -> bool:
        """Look at the ranks once; True: all checks have passed. A diagnosis ends the run."""
        out, evidence, now = self._outcome, self._outcome.evidence, time.monotonic()
        evidence.now = now
        passed = self._clock.look(self._ours, now)
        world = out.exercise.ranks
        if all(evidence.passed.get(rank, 0) > self._check for rank in range(world)):
            return self._next()
        out.diagnosis = nowhere(evidence)
        if out.diagnosis is not None:
            return False
        if (misfit := self._misfit(passed)) is not None:
            out.diagnosis = misfit
            return False
        settled = len(evidence.troubles.keys() | evidence.ends.keys()) == world
        if evidence.troubles or evidence.ends:
            self._failed_at = passed if self._failed_at is None else self._failed_at
            if settled or passed - self._failed_at > GRACE_S:
                evidence.misfit = any(_MISFIT in log.tail() for log in self._drained())
                out.diagnosis = self._of_a_fork(self._placed(failed(evidence)))
                return False
        still, on_check = passed - self._moved_at, passed - self._check_began
        if self._failed_at is None and len(evidence.stands) == world:
            standing = all(s.call is not None or s.idle for s in evidence.stands.values())
            certain = standing and hopeless(evidence)
            if still > (HOPELESS_S if certain else STALL_S if standing else SLOW_S):
                silent = {rank: now - at for rank, at in self._heard_at.items() if now - at > SILENT_S}
                evidence.silent = silent if len(silent) < world or still > SLOW_S else {}
                out.diagnosis = self._of_a_fork(stalled(evidence, still))
        if out.diagnosis is None and on_check > CHECK_S:
            absent = [rank for rank in range(world) if rank not in evidence.stands]
            if absent:
                out.diagnosis = Diagnosis("slow", f"ranks {absent} never reported", rows=rows(evidence))
            else:
                out.diagnosis = stalled(evidence, on_check)
        if still > SHOWN_S and now - self._shown_at > SHOWN_S:
            self._shown_at = now
            self._on_change(out)  # the seconds beside each rank
        return False

    def _ours(self) -> list[Own]:
        """The processes whose wait for a processor is no fault of the file: it may have started too many."""
        if self._has_forked:
            return []
        return below(self._torchrun.child.pid) if self._torchrun is not None else list(self._ranks.values())

    @property
    def _has_forked(self) -> bool:
        return any("started another process" in note for note in self._outcome.notes)

    def _of_a_fork(self, found: Diagnosis | None) -> Diagnosis | None:
        """A rank that dies once somebody has forked: that is why, whatever its last word was."""
        evidence = self._outcome.evidence
        if found is None or not self._has_forked:
            return found
        if found.kind == "slow":
            return replace(found, meaning="it has started other processes: do these start more without end?")
        if found.kind != "crash" or not evidence.ends:
            return found
        meaning = "a process that is forked has the same connections: two talk over one, and it breaks"
        return replace(found, meaning=meaning)

    def _placed(self, found: Diagnosis | None) -> Diagnosis | None:
        """Add the line where a crash below Python was, which only the log of its rank has."""
        if found is None or found.line or not self._outcome.evidence.ends:
            return found
        rank = next(iter(self._outcome.evidence.ends))
        log = self._logs[rank].tail().decode("utf-8", "replace")
        _, dump, stack = log.rpartition(DUMP)
        line = rf'File "{re.escape(str(self._outcome.file.resolve()))}", line (\d+)'
        at = re.search(line, stack) if dump else None
        return replace(found, line=int(at[1])) if at else found

    def _misfit(self, passed: float) -> Diagnosis | None:
        """Calls that do not fit together, once the others have had time to say what theirs is."""
        for calls in list(self._outcome.evidence.calls.values()):
            if (found := mismatch(self._outcome.evidence, calls)) is not None:
                self._misfit_at = passed if self._misfit_at is None else self._misfit_at
                every = len(calls) == self._outcome.exercise.ranks or next(iter(calls.values())).peer >= 0
                return found if every or passed - self._misfit_at > GRACE_S / 2 else None
        return None

    def _next(self) -> bool:
        out, now = self._outcome, time.monotonic()
        out.checks[self._check].state = "passed"
        if self._check == 0:
            out.first_check_s = now - self._began
        self._check, self._word = self._check + 1, _word()
        self._check_began = self._moved_at = self._clock.now
        if self._check >= len(out.checks):
            return True
        out.checks[self._check].state = "running"
        self._on_change(out)
        for rank, stand in out.evidence.stands.items():  # until it says where it is
            out.evidence.stands[rank] = Stands(rank, None, 0, now, stand.moved)
        for writer in self._writers.values():
            writer.write(self._word)
        self.wake.set()
        return False

    # --- the end ------------------------------------------------------------------------------------------

    async def _end(self) -> None:
        """End all ranks and whatever they have started, and see that they are gone."""
        left = 0
        if self._torchrun is not None:
            left += not await self._torchrun.end()
        stage = self._stage.child.pid if self._stage.child is not None else 0
        if stage and self._stage.go_on():
            self._outcome.notes.append("your file stopped the process that starts the ranks: it goes on")
        await self._stage.kill(self.id, 0)
        await gone(self._ranks.values(), KILLED_WITHIN_S)

        def strays() -> list[Own]:
            """By their mark; and what has thrown that away is still below the stage."""
            by_mark = [m.own for m in marked(self._class_id) if m.own.pid != stage and m.part != "guardian"]
            return [*by_mark, *(own for own in below(stage) if stage and own not in by_mark)]

        left += len(await sweep(self._class_id, self.id, SWEPT_WITHIN_S, strays))
        self._outcome.left = left

    def _drained(self) -> list[RankLog]:
        for log in self._logs:
            log.drain()
        return self._logs

    def _look_back(self, kept: dict[Path, bytes]) -> None:
        """Read what was printed, and put back what was written into an exercise of ours."""
        out = self._outcome
        printed = sum(log.total for log in self._logs)
        if printed > MUCH:
            out.notes.append(f"your file printed {printed / 1e6:.0f} MB: only the newest lines are kept")
        for rank, log in enumerate(self._logs):
            text = log.tail().decode("utf-8", "replace").partition(DUMP)[0]  # none of the student's
            lines = text.splitlines()[-6:]
            out.printed += [f"rank {rank}: {line[:300]}" for line in lines]
        if note := kept_files.put_back(out.exercise.folder, kept):
            out.notes.append(note)


def _word() -> bytes:
    return secrets.token_hex(WORD // 2).encode()
