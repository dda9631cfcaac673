"""Blocks of a pipeline on devices: rules of a schedule, and an answer held to them.

An answer is a line of letters for each device, in the order in which it works: `F` a forward, `B` a backward,
`W` the gradients of the weights where a backward is in halves, `.` an idle step. The n-th `F` of a device is
of the n-th micro-batch: micro-batches are alike, so nothing is lost by taking them in their order. A forward
takes a step, a whole backward two, each of its halves one; what is sent between devices takes no time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from runtime.puzzles.verdict import Fault, Judged, Unreadable

MOST = 200  # steps of an answer


class Block(NamedTuple):
    """`kind` F, B or W of a micro-batch on a device, from step `start` up to `end`, which it has not."""

    device: int
    kind: str
    microbatch: int
    start: int
    end: int


Placed = tuple[tuple[str, int], ...]  # of a device: kind and first step of each block, by step


@dataclass(frozen=True)
class Pipeline:
    """Devices with a stage each, micro-batches of a step, and how many activations each device can hold.

    `split`: a backward is two blocks, that of the inputs (`B`), which the stage before waits for, and that of
    the weights (`W`), which nobody waits for; activations are held until both are done.
    """

    microbatches: int
    memory: tuple[int, ...]
    split: bool = False

    @property
    def devices(self) -> int:
        """Number of devices, each with one stage."""
        return len(self.memory)

    @property
    def kinds(self) -> str:
        """The letters of blocks that every micro-batch needs on every device."""
        return "FBW" if self.split else "FB"

    def length(self, kind: str) -> int:
        """Return the steps that a block takes."""
        return 2 if kind == "B" and not self.split else 1

    def read(self, text: str) -> tuple[Placed, ...]:
        """Read an answer, devices on lines or with `/` between them. Raises `Unreadable`."""
        lines = [line.replace(" ", "").upper() for line in text.strip().replace("/", "\n").splitlines()]
        lines = [line for line in lines if line] or [""] * self.devices
        if len(lines) != self.devices:
            raise Unreadable(f"{len(lines)} lines for {self.devices} devices: write a line for each")
        found = []
        for device, line in enumerate(lines):
            placed, step = [], 0
            for letter in line:
                if letter not in self.kinds + ".":
                    raise Unreadable(
                        f"device {device}: {letter!r} is no block; write {', '.join(self.kinds)} and ."
                    )
                if letter != ".":
                    placed.append((letter, step))
                step += self.length(letter)
                if step > MOST:
                    raise Unreadable(f"device {device} works for more than {MOST} steps")
            found.append(tuple(placed))
        return tuple(found)

    def written(self, devices: Sequence[Placed]) -> str:
        """Return the text of an answer, as `read` takes it."""
        lines = []
        for placed in devices:
            line, step = "", 0
            for kind, start in placed:
                line += "." * (start - step) + kind
                step = start + self.length(kind)
            lines.append(line or ".")
        return "\n".join(lines)

    def blocks(self, devices: Sequence[Placed]) -> tuple[Block, ...]:
        """Return the blocks with their micro-batches, device by device."""
        found = []
        for device, placed in enumerate(devices):
            count = dict.fromkeys(self.kinds, 0)
            for kind, start in placed:
                found.append(Block(device, kind, count[kind], start, start + self.length(kind)))
                count[kind] += 1
        return tuple(found)

    def held(self, devices: Sequence[Placed], device: int) -> list[int]:
        """Return the activations a device holds during each step: from a forward to its backward's end."""
        blocks = [one for one in self.blocks(devices) if one.device == device]
        held = [0] * max((one.end for one in blocks), default=0)
        last = self.kinds[-1]
        freed = {one.microbatch: one.end for one in blocks if one.kind == last}
        for one in blocks:
            if one.kind == "F":
                for step in range(one.start, freed.get(one.microbatch, len(held))):
                    held[step] += 1
        return held

    def judge(self, text: str) -> Judged:
        """Hold an answer to the rules; its score is the steps until all is done. Raises `Unreadable`."""
        devices = self.read(text)
        blocks = self.blocks(devices)
        ends = {(one.device, one.kind, one.microbatch): one.end for one in blocks}
        faults = [fault for one in blocks if (fault := self._too_early(one, ends)) is not None]
        for device, most in enumerate(self.memory):
            over = next((n for n, held in enumerate(self.held(devices, device)) if held > most), None)
            if over is not None:
                faults.append(
                    Fault(f"device {device} holds {most + 1} activations, {most} fit", device, over)
                )
        for device in range(self.devices):
            for kind in self.kinds:
                there = sum(one.device == device and one.kind == kind for one in blocks)
                if there > self.microbatches:
                    faults.append(
                        Fault(
                            f"device {device}: {there} {kind} for {self.microbatches} micro-batches", device
                        )
                    )
        missing = self.devices * self.microbatches * len(self.kinds) - len(blocks)
        if missing > 0:
            faults.append(Fault(f"{missing} block{'s' * (missing > 1)} still to be placed"))
        faults.sort(key=lambda fault: (fault.at < 0, fault.at))
        return Judged(max((one.end for one in blocks), default=0), tuple(faults))

    def _too_early(self, one: Block, ends: dict[tuple[int, str, int], int]) -> Fault | None:
        """What a block has to wait for, where it stands before that."""
        for device, kind in self.needs(one.device, one.kind):
            end = ends.get((device, kind, one.microbatch))
            if end is None or end > one.start:
                name, of = f"{one.kind}{one.microbatch}", f"{kind}{one.microbatch}"
                where = f"of device {device} " if device != one.device else ""
                when = "is not there" if end is None else f"ends after step {end}"
                text = (
                    f"device {one.device}, step {one.start + 1}: {name} needs {of} {where}first, which {when}"
                )
                return Fault(text, one.device, one.start)
        return None

    def needs(self, device: int, kind: str) -> tuple[tuple[int, str], ...]:
        """Return devices and kinds that must be done, for the same micro-batch, before this block."""
        if kind == "F":
            return ((device - 1, "F"),) if device else ()
        if kind == "W":
            return ((device, "B"),)
        after = (device + 1, "B") if device < self.devices - 1 else None
        return ((device, "F"), after) if after else ((device, "F"),)


def put(
    pipeline: Pipeline, devices: Sequence[Placed], device: int, step: int, kind: str
) -> tuple[Placed, ...]:
    """Return the answer with a block at a step, "" for none; it takes the place of whatever is there."""
    first, last = step, step + (pipeline.length(kind) if kind else 1)
    kept = [
        (other, start)
        for other, start in devices[device]
        if start >= last or start + pipeline.length(other) <= first
    ]
    if kind:
        kept.append((kind, step))
    kept.sort(key=lambda block: block[1])
    return (*devices[:device], tuple(kept), *devices[device + 1 :])


def fitting(pipeline: Pipeline, devices: Sequence[Placed], device: int, step: int) -> str:
    """Return the kinds that break no rule at a step, a backward first: it frees memory."""
    found = ""
    without = put(pipeline, devices, device, step, "")
    for kind in reversed(pipeline.kinds):
        done = sum(one == kind for one, _ in without[device])
        if done >= pipeline.microbatches:
            continue
        tried = put(pipeline, without, device, step, kind)
        new = next(b for b in pipeline.blocks(tried) if (b.device, b.kind, b.start) == (device, kind, step))
        before = pipeline.judge(pipeline.written(without)).faults
        after = pipeline.judge(pipeline.written(tried)).faults
        told = {fault.text for fault in before if fault.at >= 0}
        if new.kind == kind and not any(fault.at >= 0 and fault.text not in told for fault in after):
            found += kind
    return found
