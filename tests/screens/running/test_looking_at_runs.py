"""How a demo that runs is looked at: views by digit and list, one rank, its log, the panel's size."""

from __future__ import annotations

import pytest
from made_screen import DECK, Screenful, running, settle, snapshot
from read_letters import read

from runtime.classroom.actions import Answer, Look, Move, Open, Reveal, Timer
from runtime.protocol.figures import Curve, Earlier, OpRow
from runtime.protocol.messages import (
    Act,
    Launch,
    Screens,
    Snapshot,
)
from slides.drawing.large import read_letters
from slides.drawing.text import Line, Span
from slides.reading.split import split
from slides.screen_size import Size
from tui.deck.contents import Contents
from tui.health.deck_findings import examine
from tui.views import registry
from tui.views.parts.frame import framed
from tui.views.view import View


def looks(full: Screenful) -> list[Look]:
    return [message.action for message in full.link.of(Act) if isinstance(message.action, Look)]


async def test_a_digit_chooses_a_view_and_zero_goes_back() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await running(full, pilot, ops=(OpRow("all-reduce", "world", 4, 3.0, 13_900_000),))
        assert "1-9 view" in full.text()
        await pilot.press("5")
        await settle(pilot)
        assert "collective" in full.text() and "13.9 MB" in full.text() and "busbw" in full.text()
        await pilot.press("0")
        await settle(pilot)
        assert "busbw" not in full.text() and "backward" in full.text()
        assert looks(full) == [Look("collectives"), Look()]


async def test_a_deck_says_by_which_view_a_run_is_looked_at_first() -> None:
    asked = "::: demo ddp ranks=4 steps=50"
    assert asked in DECK
    full = Screenful(DECK.replace(asked, f"{asked} view=collectives"))
    async with full.app.run_test(size=(160, 45)) as pilot:
        await pilot.press("g", "3", "enter", "d")
        (launched,) = full.link.of(Launch)
        assert launched.params == {"ranks": "4", "steps": "50"}
        await running(full, pilot, ops=(OpRow("all-reduce", "world", 4, 3.0, 13_900_000),))
        assert "busbw" in full.text() and "backward" in full.text()  # beside the table, as a demo's own


def test_a_view_that_there_is_not_is_a_problem_of_the_deck() -> None:
    found = [
        examine(Contents(split(f"# A\n\n::: demo ddp view={view}\n", "deck.md")), Size(100, 30))
        for view in ("topology", "topolgy")
    ]
    assert [[problem.line for problem in problems] for problems in found] == [[], [3]]
    assert "no view is called topolgy" in found[1][0].message and "topology" in found[1][0].mend
    assert "run.view=" in found[1][0].mend


async def test_a_parameter_of_a_script_that_is_called_as_one_of_the_screens_reaches_it() -> None:
    asked = "::: demo ddp ranks=4 steps=50"
    full = Screenful(DECK.replace(asked, "::: demo ddp view=collectives run.view=wide run.keep=3 until=20"))
    async with full.app.run_test(size=(160, 45)) as pilot:
        await pilot.press("g", "3", "enter", "d")
        (launched,) = full.link.of(Launch)
        assert launched.params == {"view": "wide", "keep": "3"}


async def test_the_list_of_views_has_room_for_more_than_there_are_digits(monkeypatch) -> None:
    def draw(run: Snapshot, width: int, height: int, rank: int | None) -> list[Line]:
        return framed([(Span(f"{run.world} warm ranks"),)], width, height)

    for name in ("heat", "cold"):
        monkeypatch.setitem(registry.OURS, name, View(name, f"{name} of each rank", draw))
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("V")
        assert "which view?" not in full.text()
        await running(full, pilot, step=0)
        await pilot.press("V")
        await settle(pilot)
        text = full.text()
        assert "which view?" in text and "9  launch" in text and "0  room" in text and "cold" not in text
        assert "Collectives of a step; nothing to show yet" in text
        await pilot.press("up")
        assert "cold of each rank" in full.text() and "1  table" not in full.text()
        await pilot.press("enter")
        await settle(pilot)
        assert "4 warm ranks" in full.text() and "cold" in full.text()
        await pilot.press("V", "4")
        assert looks(full) == [Look("cold"), Look("memory")]


async def test_what_was_chosen_is_left_behind_with_the_slide() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await running(full, pilot, step=0)
        await pilot.press("4", "enter", "right", "left")
        assert full.session.state.look == Look()
        await pilot.press("4", "enter")
        assert full.session.state.look == Look("memory", None, True)
        await pilot.press("escape")
        assert full.session.state.look == Look("memory", None, False)
        await pilot.press("escape")
        assert full.session.state.look == Look()


async def test_an_open_question_takes_digits_first() -> None:
    both = DECK.replace("::: demo ddp ranks=4 steps=50", "").replace(
        "- [ ] nS\n:::", "- [ ] nS\n:::\n\n::: demo ddp ranks=4"
    )
    full = Screenful(both)
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("g", "4", "enter")
        block = full.session.contents.demos(3)[0].id
        full.link.receive(snapshot(block, step=0))
        await pilot.press("2", "0")
        assert looks(full) == []
        assert [m.action for m in full.link.of(Act) if isinstance(m.action, Answer)] == [Answer("ring", (1,))]
        await pilot.press("enter", "e", "2")
        assert looks(full) == [Look("loss")]


async def test_a_view_with_nothing_to_say_is_neither_listed_nor_chosen() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await running(full, pilot)
        await pilot.press("6")
        await settle(pilot)
        assert looks(full) == [] and "this run has nothing to show in the pipeline view" in full.text()
        await pilot.press("V")
        await settle(pilot)
        assert "table" in full.text() and "The ranks" in full.text()
        assert "The pipeline's step" not in full.text() and "nothing of it yet" not in full.text()


async def test_the_audience_sees_the_consoles_view_and_no_keys() -> None:
    full = Screenful(role="audience")
    async with full.app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        full.link.order(Move("live", 0))
        block = full.session.contents.demos(2)[0].id
        full.link.receive(snapshot(block))
        full.link.order(Look("log", None, True))
        await settle(pilot)
        assert full.app.classroom.panel.size.height > 15
        assert "no rank has written a line" in full.text() and "1 table" not in full.text()
        await pilot.press("4", "enter", "P", "d")
        assert not full.link.of(Act)


async def test_what_is_the_teachers_stays_off_the_rooms_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock, percent, backup slides, the budget of a run, home paths, what earlier runs gave."""
    deck = DECK + "\n\n<!-- end -->\n\n---\n\n# Spare\n"
    quiz = deck.replace("::: quiz {#ring", "::: demo ddp ranks=4\n\n::: quiz {#ring")
    home = "/home/ada"  # letters have no zero that is read as one
    monkeypatch.setenv("HOME", home)
    earlier = (Earlier("r0", "lr=0.5", Curve(0, [0, 1, 2], [3.0, 2.0, 1.0])),)
    curves = (Curve(0, [0, 1, 2], [3.0, 2.5, 2.0]),)
    for role, seen in (("console", True), ("audience", False)):
        full = Screenful(quiz, role=role)
        async with full.app.run_test(size=(160, 45)) as pilot:
            await settle(pilot)
            full.link.receive(Screens(consoles=1, audiences=1))
            full.link.order(Move("question", 0))
            full.link.order(Open("ring", "single", 3))
            full.link.order(Timer("start"))
            block = full.session.contents.demos(3)[0].id
            told = snapshot(
                block, budget_s=2.0, earlier=earlier, curves=curves,
                state="failed", why=f"no {home}/data here",
            )  # fmt: skip
            full.link.receive(told)
            full.link.order(Look("loss", None, True))
            await settle(pilot)
            rows = full.text().split("\n")
            letters = [read_letters.words(rows[n : n + 3]) for n in range(len(rows) - 2)]
            text = "\n".join([*rows, *letters])
            assert "loss" in text and "slide 4/5" in text
            for word in ("0:00", " %", "(+1", "over", home, "lr=0.5"):
                assert (word in text) == seen, (role, word)


async def test_a_teachers_only_screen_is_the_rooms_until_it_has_a_console(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    deck = DECK + "\n\n<!-- end -->\n\n---\n\n# Spare\n"
    full = Screenful(deck.replace("::: quiz {#ring", "::: demo ddp ranks=4\n\n::: quiz {#ring"))
    earlier = (Earlier("r0", "lr=0.5", Curve(0, [0, 1, 2], [3.0, 2.0, 1.0])),)
    curves = (Curve(0, [0, 1, 2], [3.0, 2.5, 2.0]),)
    home = "/home/ada"  # letters have no zero that is read as one
    monkeypatch.setenv("HOME", home)
    words = ("0:00", " %", "(+1", "lr=0.5", home)
    async with full.app.run_test(size=(160, 45)) as pilot:
        await settle(pilot)
        for order in (Move("question", 0), Open("ring", "single", 3), Timer("start")):
            full.link.order(order)
        block = full.session.contents.demos(3)[0].id
        why = f"no {home}/data here"
        full.link.receive(snapshot(block, earlier=earlier, curves=curves, state="failed", why=why))
        full.link.order(Look("loss", None, True))
        await settle(pilot)
        assert "~/data" in read(full.text()) and [word for word in words if word in read(full.text())] == []
        for audiences, told in ((1, True), (0, False)):
            full.link.receive(Screens(consoles=1, audiences=audiences))
            await settle(pilot)
            assert all((word in read(full.text())) == told for word in words), audiences
        await pilot.press("c")
        await settle(pilot)
        assert all(word in read(full.text()) for word in words)


PREDICTED = (
    DECK
    + """

---

# Later

::: predict {#faster kind=single metric=live.loss.median unit=x}
How much?

- [ ] 1x
- [ ] 2x
:::
"""
)


async def test_an_earlier_run_is_kept_from_the_room_until_the_prediction_about_it_is_revealed() -> None:
    earlier = (Earlier("r0", "lr=0.5", Curve(0, [0, 1, 2], [3.0, 2.0, 1.0])),)
    curves = (Curve(0, [0, 1, 2], [3.0, 2.5, 2.0]),)
    deck = PREDICTED.replace("::: demo ddp ", "::: demo ddp {#live} ")
    for text, seen in ((deck, False), (DECK, True)):
        full = Screenful(text, role="audience")
        async with full.app.run_test(size=(160, 45)) as pilot:
            await settle(pilot)
            full.link.order(Move("live", 0))
            block = full.session.contents.demos(2)[0].id
            full.link.receive(snapshot(block, earlier=earlier, curves=curves))
            full.link.order(Look("loss", None, True))
            await settle(pilot)
            assert "loss" in full.text() and ("lr=0.5" in full.text()) == seen
            if not seen:
                full.link.order(Open("faster", "single", 2))
                full.link.order(Reveal("faster", ()))
                await settle(pilot)
                assert "lr=0.5" in full.text()


async def test_a_room_has_no_script_to_look_for() -> None:
    """Nor is told in which folder of the teacher's one was looked for."""
    deck = DECK.replace("::: demo ddp ", "::: demo ./not_here.py ")
    for role, seen in (("console", True), ("audience", False)):
        full = Screenful(deck, role=role)
        async with full.app.run_test(size=(100, 30)) as pilot:
            await settle(pilot)
            full.link.order(Move("live", 0))
            await settle(pilot)
            assert "not_here.py" in full.text() and ("cannot start" in full.text()) == seen


async def test_a_deck_can_have_the_room_see_the_clock() -> None:
    shown = DECK.replace("title: Four copies", "title: Four copies\naudience: clock percent")
    full = Screenful(shown, role="audience")
    async with full.app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        full.link.order(Timer("start"))
        await settle(pilot)
        assert "0:00" in full.text() and "20 %" in full.text()


async def test_a_rank_is_pointed_at() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        block = await running(full, pilot, tails=(("zero",), ("one",), ("two",), ("three",)))
        await pilot.press("r")
        assert "which rank?" in full.text()
        await pilot.press("2", "8")
        await settle(pilot)
        assert "rank 2, its last lines" in full.text() and "two" in full.text()
        await pilot.press("1")
        await settle(pilot)
        assert "▸2" in full.text()
        await pilot.press("r", "enter")
        assert full.session.state.look.rank is None
        full.link.receive(snapshot(block, world=64))
        await pilot.press("r", "6", "3", "enter")
        assert full.session.state.look.rank == 63
