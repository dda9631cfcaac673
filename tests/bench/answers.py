"""What an answer of the room costs the host: processor time and bytes, question by question.

    python tests/bench/answers.py [--people 1000] [--questions 12]

The real host of a class with its journal, and as many screens at which somebody answers, all attached; only
the sockets are counters. Every screen answers every question, each is revealed before the next one opens.
Beside it what the same answers cost a console that folds them.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from pathlib import Path

from msgspec import structs

from runtime.classroom import state as class_state
from runtime.classroom.actions import AnyAction, Begin, Lock, Move, Open, Reveal
from runtime.classroom.state import ClassState
from runtime.host.server import Host
from runtime.protocol import messages
from runtime.protocol.framing import FrameProtocol
from runtime.protocol.messages import Act, Attach, Message, Ordered, Reply, Welcome

WORDS = "The ring sends every chunk round twice, less one chunk of its own each time."


class Line(FrameProtocol):
    """A connection that counts what it is to send."""

    def __init__(self) -> None:
        super().__init__(lambda line, payload: None)
        self.frames = self.bytes = self.largest = 0
        self.kept: list[bytes] | None = None

    def send(self, payload: bytes) -> None:
        self.frames += 1
        self.bytes += len(payload)
        self.largest = max(self.largest, len(payload))
        if self.kept is not None:
            self.kept.append(payload)


class Class:
    """A host with one console and `people` screens of the room."""

    def __init__(self, people: int) -> None:
        self.host = Host("answers")
        self.console, self._n = Line(), 0
        self.say(self.console, Attach(messages.VERSION, "console", "desk", os.getpid()))
        self.room = [Line() for _ in range(people)]
        for n, line in enumerate(self.room):
            name = f"Person {n}"
            self.say(line, Attach(messages.VERSION, "audience", f"{n:08x}", n, name, True, name))

    def say(self, line: Line, message: Message) -> None:
        self.host.receive(line, messages.encode(message))

    def act(self, action: AnyAction) -> None:
        self._n += 1
        self.say(self.console, Act(self._n, action))


async def play(people: int, questions: int) -> None:
    class_ = Class(people)
    host, console = class_.host, class_.console
    await asyncio.sleep(0.2)
    class_.act(Begin("answers", "bench"))
    print(f"{people} people   host: ms an answer, bytes to all; bytes of a reveal, of a move to a screen")
    print("    console: ms an answer")
    kept: ClassState = host.state
    for n in range(questions):
        question, kind = f"question-{n}", ("single", "multi", "numeric", "text")[n % 4]
        class_.act(Move(f"slide-{n}", 0))
        class_.act(Open(question, kind, 4))
        sent = console.bytes + sum(line.bytes for line in class_.room)
        console.kept = []
        frames = [
            messages.encode(
                Reply(question, 0, (n_ % 4,))
                if kind in ("single", "multi")
                else Reply(question, 0, (), (f"{n_ % 40} GB" if kind == "numeric" else f"ring {n_ % 7}",))
            )
            for n_ in range(people)
        ]
        before, began = host.state, time.process_time()
        for line, frame in zip(class_.room, frames, strict=True):
            host.receive(line, frame)
        host_ms = (time.process_time() - began) / people * 1e3
        sent = console.bytes + sum(line.bytes for line in class_.room) - sent
        assert len(host.state.questions[question].people) == people
        told = [messages.decode(payload) for payload in console.kept]
        kept, began = before, time.process_time()
        for message in told:
            if isinstance(message, Ordered):
                kept = class_state.apply(kept, message.entry)
        console_ms = (time.process_time() - began) / people * 1e3
        assert kept.questions == host.state.questions
        console.kept = None
        one = class_.room[0]
        class_.act(Lock(question, (1,), 1.0, 1.0))
        one.largest = 0
        class_.act(Reveal(question, (1,), (WORDS,) * 4, WORDS))
        reveal, one.largest = one.largest, 0
        class_.act(Move(f"slide-{n}", 1))
        print(
            f"{n + 1:3} {kind:8} {host_ms:8.3f} ms {sent / people:8.0f} B   {reveal:8} B {one.largest:8} B"
            f"   {console_ms:8.3f} ms"
        )
    began = time.process_time()
    late = Line()
    class_.say(late, Attach(messages.VERSION, "audience", "late", 1, "late", True, "late"))
    print(f"one more comes in: {(time.process_time() - began) * 1e3:.2f} ms, {late.largest} B")
    whole = structs.replace(host.state)
    print(f"the state of a console: {len(messages.encode(_welcome(whole)))} B")
    host.journal.path.unlink()


def _welcome(state: ClassState) -> Welcome:
    return Welcome(messages.VERSION, "answers", 0, state, b"", "cold", "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--people", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--questions", type=int, default=12)
    args = parser.parse_args()
    for people in args.people:
        with tempfile.TemporaryDirectory(prefix="tr") as home:
            for name in ("STATE", "DATA", "CONFIG"):
                os.environ[f"XDG_{name}_HOME"] = str(Path(home) / name[0])
            asyncio.run(play(people, args.questions))


if __name__ == "__main__":
    main()
