"""A class in lines: commands in, text out, no Textual and nothing that moves a cursor."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from folders import environ
from made_plain import Then, done, told
from made_screen import DECK, FakeLink, snapshot
from teachrun_process import teachrun

from runtime.classroom.actions import Move, Show, Timer, Until
from runtime.protocol.class_messages.pointing import Point
from runtime.protocol.figures import Playback
from runtime.protocol.messages import (
    Launch,
    Output,
    Recall,
    Refused,
    RunSnippet,
    Screens,
    StopRun,
    Unsaved,
    Welcome,
)
from slides.drawing.layout import layout
from slides.drawing.text import plain
from slides.reading.split import split
from tui.deck.contents import Contents
from tui.rendering.pages.offscreen import Offscreen
from tui.rendering.pages.page import Page
from tui.rendering.spotlight_and_pen import on_page, units


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
        "no slide or note has these words",
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
    assert "parameters equal on all ranks after step 49" in text and "nothing runs" in text
    assert link.of(Launch) == [] and link.of(StopRun) == []


def test_one_demo_ends_another_of_an_earlier_slide_and_says_so() -> None:
    two = DECK.replace("row 0\n", "::: demo fsdp ranks=4 steps=20\n\nrow 0\n")
    first, second = (Contents(split(two, "deck.md")).demos(n)[0].id for n in (2, 4))

    def runs(link: FakeLink) -> None:
        original = link.send

        def send(message: Any) -> None:
            original(message)
            if isinstance(message, StopRun):
                link.receive(snapshot(first, "stopped", ran_s=1.0))
            elif isinstance(message, Launch):
                link.receive(snapshot(second, "done", demo="fsdp", run="r2"))

        link.send = send  # type: ignore[method-assign]
        link.receive(snapshot(first, "running", ran_s=1.0))

    text, link = told("3", runs, "5", "run", deck=two)
    assert "stopping ddp (slide 3)" in text and "starting fsdp" in text
    assert [m.block for m in link.of(StopRun)] == [first] and [m.demo for m in link.of(Launch)] == ["fsdp"]


def test_a_recorded_run_says_when_and_where_it_was_made() -> None:
    block = Contents(split(DECK, "deck.md")).demos(2)[0].id

    def plays(link: FakeLink) -> None:
        played = Playback("2026-11-21 04:10", "a machine", 1.0, 9.0, 1.0, ("slow_rank=-1 (asked 1)",))
        link.receive(snapshot(block, "running", badge="REPLAY of another run", playback=played))
        why, odd = "the ring was the slowest", ("loss is NaN since step 1",)
        link.receive(snapshot(block, "done", badge="REPLAY", playback=played, unshown=why, remarks=odd))

    text, link = told("recorded", "3", "recorded", plays)
    assert "no demo on this slide" in text and len(link.of(Recall)) == 1
    assert "ddp  recorded on 4 ranks, REPLAY of another run, made 2026-11-21 04:10 on a machine" in text
    assert "recorded with slow_rank=-1 (asked 1)" in text
    # What a screen says beside the figures, listeners hear.
    assert (
        "this run does not show it: the ring was the slowest" in text and "loss is NaN since step 1" in text
    )


def test_a_demo_is_started_with_parameters_and_a_refusal_is_said() -> None:
    block = Contents(split(DECK, "deck.md")).demos(2)[0].id

    def refuse(link: FakeLink) -> None:
        original = link.send

        def send(message: Any) -> None:
            original(message)
            if isinstance(message, Launch):
                link.receive(Refused(block, "no memory", "use fewer ranks"))

        link.send = send  # type: ignore[method-assign]

    text, link = told("run", "3", refuse, "run steps=9", "run steps='", "run x")
    assert "no demo on this slide: the next is on slide 3" in text
    assert "refused: no memory. Use fewer ranks" in text
    assert "a quotation mark is not closed" in text
    (launched,) = link.of(Launch)
    assert launched.params["steps"] == "9" and launched.params["ranks"] == "4"


def test_clock_and_room() -> None:
    text, link = told("timer", "t pause", "timer never", "end 45m", "end x", "b", "freeze", "live", "status")
    for line in ("the clock runs", "the clock stands", "write end 15:30, or end 45m from now"):
        assert line in text.split("\n"), line
    assert [one.op for one in done(link, Timer)] == ["start", "pause"]
    assert [one.mode for one in done(link, Show)] == ["black", "frozen", "live"]
    assert [one.at for one in done(link, Until)] == [1000.0 + 45 * 60]
    assert "slide 1 of 5, 0:00 of class time, paused" in text


CODE = "```python run timeout=5s\nprint(1)\n```\n\n```bash run\nls\n```\n"


def test_code_is_run_and_what_it_prints_is_told_in_part() -> None:
    first, second = (block.id for block in Contents(split(CODE, "deck.md")).snippets(0))

    def says(end: int, state: Any, code: int | None = None) -> Then:
        lines = tuple(f"line {n}" for n in range(end))
        output = Output(second, "r", "bash", state, "", code, None, 2.0, 30.0, 0, 0, end, lines, "")
        return lambda link: link.receive(output)

    text, link = told("code 2", says(3, "running"), "status", says(60, "done", code=0), "code 3", deck=CODE)
    assert [(one.block, one.lang) for one in link.of(RunSnippet)] == [(second, "bash")] and first
    rows = text.split("\n")
    told_lines = [row for row in rows if row.startswith("    ")]
    assert told_lines[2:5] == ["    line 0", "    line 1", "    line 2"] and "bash runs, 2 s of 30" in rows
    assert told_lines[-7:] == ["    line 39", "    … 15 more lines, then"] + [
        f"    line {n}" for n in range(55, 60)
    ]
    assert "bash done after 2.0 s" in rows and "which code? A number from 1 to 2" in rows


def test_a_deck_is_agreed_to_and_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    file = tmp_path / "deck.md"
    file.write_text(f"# Here\n\n{CODE}\n---\n\n# Two\n")

    def saved(text: str) -> Then:
        def save(link: FakeLink) -> None:
            file.write_text(text)

        return save

    text, _ = told(
        *("trust", "trust", "goto two", saved("# Two\n\nnew words\n"), "reload", "reload"),
        deck=file.read_text(),
        path=str(file),
    )
    asked = text.index("This deck runs 2 code blocks on this machine, as you. Trust it? trust agrees")
    assert (
        asked < text.index("this deck is trusted on this machine") < text.index("nothing of this deck asks")
    )
    assert "--- slide 1 of 1: Two\nnew words\n" in text and "deck reloaded" in text


def test_an_audience_follows_and_hears_no_notes() -> None:
    def moves(link: FakeLink) -> None:
        link.order(Move("steps", 1))

    text, _ = told("next", "notes", moves, "here", role="audience")
    assert (
        "in the audience there are here, list, wait, status, help, quit" in text
        and "SECRET" not in text
        and "(notes)" not in text
    )
    assert "--- slide 2 of 5, section Practice, step 2 of 2: Steps\nfirst words\nsecond words" in text
    assert "ended" not in text


def test_what_the_teacher_points_at_is_told_in_its_words() -> None:
    """On a page of another width, where its title may be in large letters."""

    def points(link: FakeLink) -> None:
        link.order(Move("steps", 1))
        shown = Offscreen(Contents(split(DECK, "deck.md"))).drawing.page(Page(1, 1), 112, 40, part=40)
        first, *_, last = units(shown)
        for light, pen in ((last, ()), (first, ()), (first, (last,)), (None, (last,))):
            link.receive(Point("steps", 112, 40, 40, light=light, pen=pen))

    text, _ = told(points, role="audience")
    said = [line for line in text.splitlines() if line.startswith(("pointed at", "marked"))]
    assert said == ["pointed at: second words", "pointed at: Steps", "marked: second words"]


def test_a_teacher_points_by_words_and_the_room_finds_them() -> None:
    table = "# T {#t}\n\n- own data\n- one mean\n\n| rank | time |\n|--|--|\n| 0 | 12 ms |\n| 1 | 15 ms |\n"

    def knows(link: FakeLink) -> None:
        link.receive(Welcome(1, "test-class", 1, link.state, link.blob, "warm", "", points=True))

    text, link = told(knows, "point one mean", "mark 15 ms", "point nowhere", "point", "mark", deck=table)
    lit, marked, off = link.of(Point)
    page = Offscreen(Contents(split(table, "deck.md"))).drawing.page(Page(0, 0), 112, 40, part=40)
    theirs = layout(Contents(split(table, "deck.md")).slide(0), 0, lit.width)
    assert lit.slide == "t" and lit.light is not None and "one mean" in plain(theirs[lit.light.row])
    shown = on_page(lit, theirs, page, 0, True).light
    assert shown == (units(page)[2],), "the room's is in letters"
    (cell,) = marked.pen
    assert plain(theirs[cell.row])[cell.first : cell.last] == "15 ms" and marked.light == lit.light
    assert off.light is None and off.pen == marked.pen
    assert "no row of this slide says 'nowhere'" in text
    assert "nothing is lit" in text and "mark what? Words of the slide" in text


def test_a_rank_is_pointed_at_where_a_demo_runs() -> None:
    text, link = told("point rank 1", "quit")
    assert "no demo is running here" in text and not link.of(Point)


def test_what_nobody_understands_is_said_to_be_so() -> None:
    text, _ = told("fly", "help", "quit", "next")
    assert "there is no command 'fly'; help lists them" in text
    assert "  next or n: next step (an empty line does it too)" in text
    assert "--- slide 2" not in text  # nothing after quit


def test_in_a_pipe_without_a_terminal(tmp_path: Path) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text("# One\n\nwords \x1b[31mred\n\n---\n\n# Two\n")
    env = os.environ | environ(tmp_path) | {"TERM": "dumb"}
    code, out, err = teachrun("present", "--plain", str(deck), typed="next\nquit\n", env=env)
    assert code == 0, err
    assert "--- slide 1 of 2: One\nwords red\n--- slide 2 of 2: Two\nclass " in out
    assert "\x1b" not in out and err == ""


def test_quit_asks_in_lines_too_while_others_follow() -> None:
    def follow(link: FakeLink) -> None:
        link.receive(Screens(1, 2))

    text, _ = told(follow, "quit", "next", "quit", "quit", "next")
    assert text.count("2 screens follow: quit again ends the class") == 2, "who goes on is asked anew"
    assert text.count("--- slide") == 2 and "commands" not in text.split("quit again")[-1]


def test_who_hears_a_class_is_told_that_it_is_not_saved_and_when_it_is() -> None:
    full, free = Unsaved("No space left on device"), Unsaved("")
    text, _ = told(lambda link: link.receive(full), lambda link: link.receive(full), "next",
                   lambda link: link.receive(free), "next")  # fmt: skip
    assert text.count("not saved: No space left on device") == 1
    assert text.index("not saved") < text.index("all of the class is saved again")
