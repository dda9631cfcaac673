"""What the screen says when something around it is wrong, and that it stays a screen."""

from __future__ import annotations

from pathlib import Path

from made_screen import Screenful, settle, snapshot

from runtime.classroom.actions import Run
from runtime.protocol.figures import RankRow
from runtime.protocol.messages import Blob, Launch, Unsaved
from slides.reading.split import load, split
from tui.deck.contents import Contents

EVIL = "\x1b]0;PWNED\x07\x1b[2J\x9b31m\u202e\x7f\r"


async def test_a_label_follows_its_run_though_the_journal_is_first_to_know() -> None:
    full = Screenful()
    async with full.app.run_test(size=(100, 40)) as pilot:
        await pilot.press("g", "3", "enter")
        full.link.order(Run("live/1", "r1", 1, "ddp", {}, "running", ""))
        full.link.receive(snapshot("live/1"))
        await settle(pilot)
        assert "■ ddp · running" in full.text()
        full.link.order(Run("live/1", "r1", 1, "ddp", {}, "failed", "rank 1: it broke"))
        await settle(pilot)
        full.link.receive(snapshot("live/1", "failed", why="rank 1: it broke"))
        await settle(pilot)
        assert "ddp · failed" in full.text() and "ddp · running" not in full.text()


async def test_without_a_host_slides_go_on_and_d_says_why() -> None:
    full = Screenful()
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        full.link.quiet = True
        full.link.word("refused: cannot use /nowhere: Permission denied; make it a writable folder")
        await pilot.press("g", "3", "enter", "d")
        await settle(pilot)
        assert "not connected" in full.text()
        assert "Demos run in the host of a class, and there is none" in full.text()
        assert full.text().count("make it a writable folder") == 2  # in the panel, and below
        await pilot.press("q")
    assert full.app.return_value is not None  # at once: there is nobody to wait for
    assert full.app.return_value.startswith("this screen had no class: cannot use /nowhere")


async def test_a_journal_that_cannot_be_written_is_a_badge_until_it_can() -> None:
    full = Screenful()
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        full.link.receive(Unsaved("No space left on device"))
        await settle(pilot)
        assert "not saved: No space left on device" in full.text()
        full.link.receive(Unsaved(""))
        await settle(pilot)
        assert "not saved" not in full.text()


async def test_a_reload_that_finds_no_deck_keeps_the_last_one(tmp_path: Path) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text("# Good\n\nGOOD-WORDS\n")
    full = Screenful()
    full.session.replace_deck(Contents(load(deck)))
    async with full.app.run_test(size=(90, 24)) as pilot:
        await pilot.pause()
        for spoil, says in (
            (lambda: deck.write_text(" \n"), "this file is empty"),
            (lambda: deck.write_bytes(bytes(range(32)) * 9), "this is a binary file"),
            (deck.unlink, "there is no such file"),
            (deck.mkdir, "this is a directory"),
        ):
            spoil()
            await pilot.press("ctrl+r")
            assert "the old deck stays" in full.text() and says in full.text()
            assert "GOOD-WORDS" in full.text()


async def test_what_is_wrong_with_the_deck_as_a_whole_is_said_first() -> None:
    full = Screenful("---\ntitle: [oops\n---\n# One\n")
    async with full.app.run_test(size=(160, 24)) as pilot:
        await settle(pilot)
        assert "deck.md:2: the settings are not YAML" in full.text()


async def test_a_mistake_on_a_slide_nobody_has_seen_is_said_to_who_presents_alone() -> None:
    deck = "# Good\n\nwords\n\n---\n\n# Bad\n\n::: dmo ddp\n\n---\n\n# Worse\n\n::: chart pie\n"
    for role, said in (("console", True), ("audience", False)):
        full = Screenful(role=role)
        full.session.replace_deck(Contents(split(deck, "talk.md")))
        async with full.app.run_test(size=(120, 30)) as pilot:
            await settle(pilot)
            for _ in range(50):
                if "talk.md:9" in full.text() or not said:
                    break
                await pilot.pause(0.02)
            assert ("talk.md:9" in full.text()) is said, full.text()
            assert ("(1 more)" in full.text()) is said


async def test_a_blob_that_is_none_changes_nothing() -> None:
    full = Screenful(role="audience")
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        before = full.text()
        for blob in (b"\xc1", b"\x00", b"", b"\x83\xa6source\x01"):
            full.link.receive(Blob("another", blob))
            await settle(pilot)
            assert full.text() == before


async def test_q_beside_another_console_does_not_ask_to_end_a_demo_that_goes_on() -> None:
    from runtime.protocol.messages import Screens

    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        full.link.receive(snapshot("live/1"))
        full.link.receive(Screens(2, 0))
        await pilot.press("q")
        await settle(pilot)
    assert full.app.return_value == "this screen left; other consoles still open: 1"
    assert full.link.of(Launch) == []


async def test_nothing_that_a_terminal_obeys_is_ever_drawn() -> None:
    deck = "# Live {#live}\n\n::: demo ddp ranks=4 steps=50\n\n" + "".join(
        f"{mark}{EVIL}{mark} " for mark in ("", "**", "`", "$")
    )
    rows = tuple(
        RankRow(rank=n, node=0, pid=9, state="dead" + EVIL, checksum=EVIL, step=1, loss=2.0) for n in range(4)
    )
    full = Screenful(f"{deck}\n\n<!-- notes: {EVIL} -->\n", console=True)
    async with full.app.run_test(size=(120, 50)) as pilot:
        await pilot.pause()
        for state in ("running", "failed"):
            full.link.receive(
                snapshot(
                    *("live/1", state),
                    rows=rows,
                    why="why" + EVIL,
                    warning=EVIL,
                    fault=EVIL,
                    badge=EVIL,
                    bent=(EVIL,),
                    backend=EVIL,
                    device=EVIL,
                    logs=(EVIL, "line" + EVIL),
                    phases=((EVIL, 1.0),),
                )
            )
            full.link.receive(Unsaved(EVIL))
            full.app.say(EVIL)
            await settle(pilot)
            drawn = full.text()
            assert "slide 1/1" in drawn and "not saved" in drawn
            assert [line for line in drawn.split("\n") if not line.isprintable()] == []


def test_an_empty_text_is_a_deck_of_one_empty_slide() -> None:
    assert len(Contents(split("", "deck.md"))) == 1
