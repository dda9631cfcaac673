"""A class in lines: commands in, text out, no Textual and nothing that moves a cursor."""

from __future__ import annotations

import asyncio
import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conftest import DECK, FakeLink, snapshot

from runtime.liveclass import Move
from runtime.messages import Launch, Refused, StopRun
from slides.split import split
from tui.commands.plain import Plain
from tui.session import Contents, Session

Then = Callable[[FakeLink], None]


class Typed(io.StringIO):
    """Commands one after the other; between two of them the host may say something."""

    def __init__(self, *commands: str | Then) -> None:
        super().__init__()
        self.commands = list(commands)
        self.link: FakeLink | None = None
        self.loop: asyncio.AbstractEventLoop | None = None

    def __iter__(self) -> Any:
        for command in self.commands:
            if isinstance(command, str):
                yield command + "\n"
            else:
                assert self.loop is not None
                asyncio.run_coroutine_threadsafe(self._heard(command), self.loop).result(20)

    async def _heard(self, command: Then) -> None:
        for _ in range(100):  # what was typed before is done first
            await asyncio.sleep(0)
        assert self.link is not None
        command(self.link)


def told(*commands: str | Then, deck: str = DECK, role: Any = "console") -> tuple[str, FakeLink]:
    """All that is said while `commands` are typed, and the link to the host."""
    out, typed = io.StringIO(), Typed(*commands)
    session = Session(Contents(split(deck, "deck.md")), role=role, screen="me", now=lambda: 1000.0)
    plain = Plain(session, out)

    def connect(receive: Any, word: Any) -> FakeLink:
        typed.link = link = FakeLink(receive, word)
        link.screen, link.now = "me", session.now
        return link

    async def run() -> None:
        typed.loop = asyncio.get_running_loop()
        assert await plain.run(connect, typed) == 0

    asyncio.run(run())
    assert typed.link is not None and typed.link.closed
    return out.getvalue(), typed.link


def test_every_step_is_told_and_the_class_is_ended_with_the_input() -> None:
    text, link = told("next", "", "notes", "prev", "prev")
    assert text.split("\n") == [
        "Four copies. Type help for the commands.",
        "--- slide 1 of 5: Start",
        "The title slide.",
        "(notes)",
        "--- slide 2 of 5, section Practice, step 1 of 2: Steps",
        "first words",
        "step 2 of 2:",
        "second words",
        "(notes)",
        "SECRET-NOTE for the second step",
        "--- slide 2 of 5, section Practice, step 1 of 2: Steps",
        "first words",
        "--- slide 1 of 5: Start",
        "The title slide.",
        "(notes)",
        "class test-class ended: no demo was running, nothing left",
        "",
    ]
    assert [act.action for act in link.sent if hasattr(act, "action")][-1] == Move("start", 0)


def test_going_and_finding() -> None:
    text, _ = told(
        "goto 2", "5", "back", "goto ques", "goto nothing", "goto 99", "search SECOND", "/ qqq", "list"
    )
    for line in (
        "--- slide 2 of 5, section Practice, step 1 of 2: Steps",
        "--- slide 5 of 5, section Practice: Long",
        "--- slide 4 of 5, section Practice: Question",
        "no slide 'nothing'",
        "no slide '99'",
        "  slide 2: second words",
        "  slide 2: note: SECRET-NOTE for the second step",
        "2 lines",
        "no slide and no note says so",
        "  4  Question (now)",
    ):
        assert line in text.split("\n"), line


def test_a_demo_runs_with_a_line_for_each_state_and_rank() -> None:
    block = Contents(split(DECK, "deck.md")).demos(2)[0].id

    def runs(link: FakeLink) -> None:
        link.receive(snapshot(block, "running", ran_s=1.0))

    def ends(link: FakeLink) -> None:
        link.receive(snapshot(block, "done", ran_s=2.5, equal=True, equal_step=49))

    text, link = told("3", runs, "status", ends, "stop")
    assert "demo ddp ranks=4 steps=50; type run to start it" in text
    assert "ddp  runs on 4 ranks, LIVE CPU" in text and "step 8/50" in text
    assert (
        "ddp  done after 2.5 s" in text and "  rank 3: backward, 8 steps, loss 2.5000, 50 ms a step" in text
    )
    assert "parameters equal on all ranks after step 49" in text and "no demo is running" in text
    assert link.of(Launch) == [] and link.of(StopRun) == []


def test_a_demo_is_started_with_parameters_and_a_refusal_is_said() -> None:
    block = Contents(split(DECK, "deck.md")).demos(2)[0].id

    def refuse(link: FakeLink) -> None:
        original = link.send

        def send(message: Any) -> None:
            original(message)
            if isinstance(message, Launch):
                link.receive(Refused(block, "no memory", "Use fewer ranks"))

        link.send = send  # type: ignore[method-assign]

    text, link = told("run", "3", refuse, "run steps=9", "run steps='", "run x")
    assert "no demo on this slide" in text and "refused: no memory. Use fewer ranks" in text
    assert "a quotation mark is not closed" in text
    (launched,) = link.of(Launch)
    assert launched.params["steps"] == "9" and launched.params["ranks"] == "4"


def test_a_question_is_answered_by_number() -> None:
    text, _ = told("4", "9", "2", "reveal", "answer 1")
    rows = text.split("\n")
    assert rows[rows.index("question:") + 1 :][:5] == [
        "How many bytes?",
        "  1. S",
        "  2. RIGHT-ANSWER",
        "  3. nS",
        "answer with a number; reveal says what is right",
    ]
    assert "one of 1 to 3" in text and "answered 2; reveal says what is right" in text
    assert text.index("answered 2") < text.index("right: 2") < text.index("SECRET-WHY")
    assert "no question is open here" in text


def test_an_audience_follows_and_hears_no_notes() -> None:
    def moves(link: FakeLink) -> None:
        link.order(Move("steps", 1))

    text, _ = told("next", "notes", moves, "here", role="audience")
    assert "an audience only follows" in text and "SECRET" not in text and "(notes)" not in text
    assert "--- slide 2 of 5, section Practice, step 2 of 2: Steps\nfirst words\nsecond words" in text
    assert "ended" not in text


def test_what_nobody_understands_is_said_to_be_so() -> None:
    text, _ = told("fly", "help", "quit", "next")
    assert "there is no command 'fly'; help lists them" in text
    assert "  next or n: next step (an empty line does it too)" in text
    assert "--- slide 2" not in text  # nothing after quit


def test_in_a_pipe_without_a_terminal(tmp_path: Path) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text("# One\n\nwords \x1b[31mred\n\n---\n\n# Two\n")
    homes = {name: str(tmp_path / name[4]) for name in ("XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "tui.cli", "present", "--plain", str(deck)],
        input="next\nquit\n",
        capture_output=True,
        text=True,
        timeout=90,
        env=os.environ | homes | {"TERM": "dumb"},
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr
    assert "--- slide 1 of 2: One\nwords red\n--- slide 2 of 2: Two\nclass " in done.stdout
    assert "\x1b" not in done.stdout and done.stderr == ""
