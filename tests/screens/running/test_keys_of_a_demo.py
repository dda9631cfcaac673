"""Keys to a run: it starts, streams, stops, is kept, is refused."""

from __future__ import annotations

import pytest
from made_screen import DECK, Screenful, settle, snapshot
from msgspec.structs import replace

from runtime.protocol.messages import Keep, Launch, Publish, Refused, SetLink, StopRun, Warm


async def test_ranks_are_made_ready_only_for_a_deck_that_has_something_for_them() -> None:
    fence = "```"
    told = (
        f"# How\n\n{fence}md\n::: demo ddp\n{fence}\n\n<!-- ::: compare ddp fsdp -->\n\nwrite `::: demo ddp`"
    )
    for deck, ready in ((told, 0), (told + "\n\n---\n\n# Here\n\n:::: demo ddp ranks=2\n", 1)):
        full = Screenful(deck)
        async with full.app.run_test(size=(80, 24)) as pilot:
            await settle(pilot)
            assert full.link.of(Publish) and len(full.link.of(Warm)) == ready, deck


async def test_a_demo_starts_streams_and_stops() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert full.link.of(Publish) and full.link.of(Warm)
        await pilot.press("g", "3", "enter", "d")
        (launch,) = full.link.of(Launch)
        assert (launch.demo, launch.params) == ("ddp", {"ranks": "4", "steps": "50"})
        full.link.receive(snapshot(launch.block))
        await settle(pilot)
        assert "LIVE CPU" in full.text() and "d stop" in full.text() and "ddp · running" in full.text()
        rows = [row for row in full.text().splitlines() if "backward" in row]
        assert len(rows) == 4
        await pilot.press("enter")
        await settle(pilot)
        assert full.app.classroom.panel.size.height >= 20
        await pilot.press("enter", "d")
        assert full.link.of(StopRun) == [StopRun(launch.block)]


async def test_leaving_a_demo_keeps_it_a_minute_and_coming_back_for_good() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("g", "3", "enter")
        block = full.session.contents.demos(2)[0].id
        full.link.receive(snapshot(block))
        await pilot.press("right")
        await settle(pilot)
        assert full.link.of(Keep) == [Keep(block, 60.0)]
        assert "another demo is running" in full.text()
        await pilot.press("left")
        assert full.link.of(Keep)[-1] == Keep(block, None)


@pytest.mark.parametrize(
    ("wish", "sent"), [("keep=no", 0.0), ("keep=20s", 20.0), ("keep=2m", 120.0), ("keep=yes", "nothing")]
)
async def test_a_deck_says_how_long_to_keep(wish: str, sent: object) -> None:
    full = Screenful(DECK.replace("steps=50", f"steps=50 {wish}"))
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("g", "3", "enter", "d")
        (launch,) = full.link.of(Launch)
        assert "keep" not in launch.params
        full.link.receive(snapshot(launch.block))
        await pilot.press("right")
        kept = full.link.of(Keep)
        assert (kept[0].seconds if kept else "nothing") == sent


async def test_a_refusal_says_why_and_what_to_do() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("g", "3", "enter", "d")
        (launch,) = full.link.of(Launch)
        full.link.receive(Refused(launch.block, "torch is not installed", "pip install 'teachrun[torch]'"))
        await settle(pilot)
        assert "torch is not installed" in full.text() and "pip install" in full.text()
        await pilot.press("escape")
        await settle(pilot)
        assert "torch is not installed" not in full.text()


async def test_a_run_with_a_simulated_link_is_real_and_obeys() -> None:
    full = Screenful()
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.press("g", "3", "enter")
        block = full.session.contents.demos(2)[0].id
        full.link.receive(replace(snapshot(block), badge="SIMULATED LINK", link="100mbit"))
        await pilot.press("ampersand", "3")
        assert full.link.of(SetLink) == [SetLink(block, "1gbit")]


async def test_an_order_that_a_run_refuses_is_said_while_the_run_goes_on() -> None:
    """Its next figures come a moment later: they took the refusal away before anybody had read it."""
    full = Screenful()
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.press("g", "3", "enter")
        block = full.session.contents.demos(2)[0].id
        full.link.receive(snapshot(block))
        await pilot.press("x")
        full.link.receive(Refused(block, "traces stay on the machines", "run it on this one, nodes=2"))
        full.link.receive(snapshot(block))
        await settle(pilot)
        assert "traces stay on the machines: run it on this one, nodes=2" in full.text()
        assert "shows it when it is ready" not in full.text()


async def test_an_unknown_demo_is_said_on_its_slide() -> None:
    full = Screenful(DECK.replace("demo ddp ranks=4", "demo ddpp ranks=4"))
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("g", "3", "enter")
        assert "no demo named ddpp" in full.text() and "did you mean ddp?" in full.text()
