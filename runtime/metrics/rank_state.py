"""One rank as its events describe it, and its row in a panel."""

from __future__ import annotations

from collections import deque
from statistics import median

from runtime.metrics.collectives.byte_counts import Bytes
from runtime.metrics.steps.step_breakdown import Parts, mean
from runtime.protocol.events import Beat, Check, Collective, Done, Memory, Step
from runtime.protocol.figures import Device, RankRow

WINDOW = 16
RECENT = 64
ELSEWHERE = "elsewhere"
TAIL_LINES, TAIL_WIDTH = 48, 200


def outcome(done: Done) -> str:
    """Return the last state of a rank: "done" or "dead" by its own end, "ended" where the others ended it,
    "elsewhere" of one that another machine has, and nothing is heard of here."""
    if done.code is None and done.signal is None:
        return ELSEWHERE if ELSEWHERE in (done.result or {}) else "ended"
    return "done" if done.code == 0 else "dead"


class RankState:
    """Everything a `RunStore` knows of one rank. Figures are means over the last `WINDOW` settled steps."""

    def __init__(self, rank: int, heard: float) -> None:
        self.rank = rank
        self.node = 0
        self.pid = 0
        self.state = "start"
        self.ended = False
        self.heard = heard  # when its last event arrived here
        self.newest: Step | None = None
        self.steps: dict[int, Step] = {}  # not settled yet
        self.collectives: dict[int, list[Collective]] = {}  # by step, not settled yet
        self.parts: deque[Parts] = deque(maxlen=WINDOW)
        self.late: deque[float] = deque(maxlen=WINDOW)
        self.behind = False  # the others are done with the step that it is at: nothing compares it with them
        self.memory: Memory | None = None
        self.check: Check | None = None
        self.whole_norm: tuple[int, float] | None = None  # a step, and all parts of its gradient
        self.result: dict[str, bool | int | float | str | None] | None = None
        self.drops = 0
        self.left_out_to = -1  # the newest step whose collectives came too fast to be compared
        self.seq: int | None = None  # collectives issued
        self.last = ""  # the one entered last
        self.beat: Beat | None = None  # its newest sign of life
        self.stands_from = heard  # when it was first heard to stand where it does
        self.recent: deque[Collective] = deque(maxlen=RECENT)  # done last, beside which others' are held
        self.harm = ""  # done to it on purpose
        self.gpu: Device | None = None
        self.blind = False  # it cannot see its collectives
        self.tail: deque[str] = deque(maxlen=TAIL_LINES)  # what it wrote last
        self.figures: tuple[Parts | None, float | None, float | None] | None = None  # until the next step

    def beats(self, beat: Beat, now: float) -> None:
        """Take in a sign of life; `now` is of the clock of `heard`."""
        before, self.beat = self.beat, beat
        self.drops, self.last, self.blind = beat.drops, beat.last, beat.seq_issued < 0
        self.seq = None if self.blind else beat.seq_issued
        if before is None or (before.waits, before.group, before.peer) != (beat.waits, beat.group, beat.peer):
            self.stands_from = now
        if not self.ended and beat.phase:
            self.state = beat.phase

    @property
    def stands_s(self) -> float:
        """For how long it is known to stand in the collective that it is in; 0 where it is in none."""
        waits = self.beat is not None and self.beat.waits and not self.ended
        return self.heard - self.stands_from if waits else 0.0

    def derived(self) -> tuple[Parts | None, float | None, float | None]:
        """(mean parts, tokens a second at the median step, lateness) of the window."""
        if self.figures is None:
            parts = mean(self.parts)
            typical = median([p.step_s for p in self.parts]) if self.parts else 0.0
            # A script that counts no tokens says 0 of them, and has no rate.
            tokens_s = self.newest.tokens / typical if self.newest and typical > 0 else None
            tokens_s = tokens_s or None
            self.figures = (parts, tokens_s, median(self.late) if self.late else None)
        return self.figures

    def left_behind(self) -> None:
        """Drop its figures: the others went on without it, and old steps must not stand beside theirs."""
        if not self.behind and not self.ended:
            self.behind, self.figures = True, None
            self.parts.clear()
            self.late.clear()

    def narrow_window(self) -> None:
        """Drop all settled steps but the newest: those to come differ, and a mean of both is of neither."""
        self.figures = None
        for settled in (self.parts, self.late):
            while len(settled) > 1:
                settled.popleft()

    def _grad_norm(self, check: Check | None) -> tuple[int | None, float | None]:
        """A step, and the norm of its whole gradient: the rank's own where it has all of it, else of all
        ranks together."""
        if check is None:
            return None, None
        if check.share is not None or check.part:
            return self.whole_norm or (None, None)
        return (check.step, check.grad_norm) if check.grad_norm is not None else (None, None)

    def begin_again(self) -> None:
        """Start over for another training."""
        self.figures = None
        self.parts.clear()
        self.late.clear()

    def wrote(self, line: str) -> None:
        """Keep a line of the rank's log, cut at `TAIL_WIDTH` characters; untrusted."""
        self.tail.append(line if len(line) <= TAIL_WIDTH else line[: TAIL_WIDTH - 1] + "…")

    def row(
        self,
        now: float,
        volume: Bytes,
        seen: int | None = None,
        check: Check | None = None,
        waits: str = "",
    ) -> RankRow:
        """Return its row at `now`, by the clock of `heard`; `volume` are the bytes of its steps, `seen` the
        peak of an x-rayed step, `check` its checksum and norm of the step that all ranks reported, if there
        is one (else its newest), `waits` for whom it stands."""
        parts, tokens_s, late = self.derived()
        memory, newest = self.memory, self.newest
        check = check or self.check
        norm_step, norm = self._grad_norm(check)
        return RankRow(
            rank=self.rank,
            node=self.node,
            pid=self.pid,
            state=self.state,
            step=newest.step if newest else None,
            loss=newest.loss if newest else None,
            tokens_s=tokens_s,
            step_s=parts.step_s if parts else None,
            data=parts.data if parts else None,
            compute=parts.compute if parts else None,
            hidden=parts.hidden if parts else None,
            exposed=parts.exposed if parts else None,
            wait=parts.wait if parts else None,
            optimizer=parts.optimizer if parts else None,
            other=parts.other if parts else None,
            late_s=late,
            params=memory.params if memory else None,
            grads=memory.grads if memory else None,
            optimizer_bytes=memory.optimizer if memory else None,
            activations=memory.activations if memory else None,
            gathered=memory.gathered if memory else None,
            temporary=memory.temporary if memory else None,
            peak=memory.peak if memory and memory.peak is not None else seen,
            buffers=memory.buffers if memory else None,
            checksum=(check.checksum or None) if check else None,
            checksum_step=check.step if check and check.checksum else None,
            grad_norm=norm,
            grad_norm_step=norm_step,
            seq=self.seq,
            last=self.last,
            harm=self.harm,
            gpu=self.gpu,
            drops=self.drops,
            silent_s=0.0 if self.ended else max(0.0, now - self.heard),
            result=self.result,
            payload=volume.payload,
            wire=volume.wire,
            theory=volume.theory,
            links=dict(volume.links),
            waits=waits,
        )
