"""What a check has in hand: the ranks, the right answer beside theirs, and what was sent."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from runtime.protocol.practice_messages import Trouble
from runtime.ranks.practice.compare_tensors import alike, compare
from runtime.ranks.practice.told_collectives import Calls

HEADERS = 1.02  # what gloo writes beside the payload may add this much to what the kernel counts


class Failed(Exception):
    """A check does not hold on this rank."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.text)
        self.trouble = trouble


class Sent:
    """What this rank has sent inside a block: `payload` bytes of its sends, `wire` as the kernel counts."""

    payload = 0
    wire: int | None = None


class Ranks:
    """The first argument of every check behind the student's module."""

    def __init__(self, rank: int, world: int, calls: Calls, folder: Path) -> None:
        self.rank, self.world = rank, world
        self.folder = folder  # of this run, the same for all ranks, removed with it
        self.forks = False  # now, for a check
        self._calls = calls

    def random(self, *shape: int, seed: int = 0) -> torch.Tensor:
        """Return normal numbers that every rank can make for any other: the same seed gives the same."""
        return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))

    def expect(
        self,
        what: str,
        got: Any,
        wanted: torch.Tensor,
        *,
        before: torch.Tensor | None = None,
        parts: Sequence[torch.Tensor] = (),
        of_ranks: Sequence[torch.Tensor] = (),
        also: Mapping[str, torch.Tensor] | None = None,
    ) -> None:
        """Compare with the right tensor (`comparing.compare`). Raises `Failed`."""
        trouble = compare(
            what, got, wanted, world=self.world, rank=self.rank,
            before=before, parts=parts, of_ranks=of_ranks, also=also,
        )  # fmt: skip
        if trouble is not None:
            raise Failed(trouble)

    def same(self, what: str, got: object, wanted: object, meaning: str = "") -> None:
        """Compare two plain values. Raises `Failed`."""
        if not alike(got, wanted):
            raise Failed(
                Trouble(
                    "wrong", f"{what} is wrong", expected=_short(wanted), got=_short(got), meaning=meaning
                )
            )

    @contextmanager
    def counting(self) -> Iterator[Sent]:
        """Count what this rank sends inside the block."""
        sent, first = Sent(), len(self._calls.made)
        before = self._calls.wire_bytes()
        yield sent
        sent.payload = sum(call.bytes for call in self._calls.made[first:] if call.op == "send")
        after = self._calls.wire_bytes()
        sent.wire = after - before if before is not None and after is not None else None

    @contextmanager
    def world_of(self, count: int) -> Iterator[bool]:
        """Make the first `count` ranks the whole world for a while; yields whether this is one of them."""
        world, part = dist.group.WORLD, dist.new_group(list(range(count)))
        if self.rank >= count:
            yield False
            return
        dist.group.WORLD = part
        try:
            yield True
        finally:
            dist.group.WORLD = world

    def killed_after(self, size: int, function: Callable[[], object]) -> bool:
        """Call `function` in a process of its own, which the kernel kills when it has written `size` bytes.

        Returns whether it was killed. What it raises is the end of the process, too.
        """
        self.forks = True
        pid = os.fork()
        if pid == 0:
            try:
                signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python would make an `OSError` of it
                resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
                function()
            finally:
                os._exit(0)
        self.forks = False
        return os.WIFSIGNALED(os.waitpid(pid, 0)[1])

    def at_most(self, what: str, sent: Sent, bound: float, meaning: str = "") -> None:
        """Hold the bytes sent, by the kernel's count where there is one, to `bound`. Raises `Failed`."""
        measured = sent.payload if sent.wire is None else sent.wire
        if measured > bound * HEADERS:
            line = next((call.line for call in self._calls.made if call.op == "send"), 0)
            raise Failed(
                Trouble(
                    "bytes", f"too much is sent: {what}", line=line, measured=measured, bound=bound, unit="B",
                    meaning=meaning,
                )
            )  # fmt: skip

    def calls(self, op: str = "") -> int:
        """Return how many collectives or transfers of this kind (all) the check has made so far."""
        return sum(call.op == op or not op for call in self._calls.made)

    def sizes(self, op: str) -> list[int]:
        """Return the bytes of each call of this kind that the check has made, in their order."""
        return [call.bytes for call in self._calls.made if call.op == op]

    def waited(self, op: str) -> bool:
        """Return whether the rank has stood still for a call of this kind since the check began."""
        return self._calls.stood_still_for(op)

    def only(self, *ops: str) -> None:
        """Allow these calls alone since the check began. Raises `Failed`."""
        for call in self._calls.made:
            if call.op not in ops:
                raise Failed(
                    Trouble(
                        "shortcut",
                        f"line {call.line} calls {call.op}, which this exercise is there to build",
                        line=call.line,
                        meaning=f"what you may use is {' and '.join(ops)}"
                        if ops
                        else "nothing is to be sent",
                    )
                )

    def to_the_right(self) -> None:
        """Allow sends to the next rank alone, since the check began. Raises `Failed`."""
        right = (self.rank + 1) % self.world
        for call in self._calls.made:
            if call.op == "send" and call.peer != right:
                said = f"line {call.line} sends to rank {call.peer}, the ring goes to the right: to {right}"
                raise Failed(Trouble("wrong", said, call.line))

    def fail(self, text: str, meaning: str = "") -> None:
        """Say in the check's own words why it does not hold. Raises `Failed`."""
        raise Failed(Trouble("wrong", text, meaning=meaning))


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "…"
