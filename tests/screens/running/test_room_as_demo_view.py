"""`::: demo … view=room`: the room of the run that goes on, moving, without a key for it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from made_screen import Screenful, settle, snapshot, until
from msgspec.structs import replace

from runtime.classroom.actions import Look
from runtime.protocol.figures import Film, Moment, RankStep, Transfer
from runtime.protocol.messages import Snapshot

DECK = """\
# Live {#live}

::: demo fsdp ranks=4 view=room
"""


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY", "TEXTUAL_ANIMATIONS"):
        monkeypatch.delenv(name, raising=False)
    yield


def filmed(full: Screenful) -> Snapshot:
    shown = snapshot(full.session.contents.demos(0)[0].id, demo="fsdp")
    rows = tuple(replace(row, params=8_000_000, gathered=4_000_000, grads=1, links={}) for row in shown.rows)
    gather = Transfer("all-gather", 0.02, 0.18, 3_000_000, (0, 1, 2, 3))
    film = Film(20, 0.2, (RankStep((Moment(0.1, 4_000_000, 0, 0),), (gather,)),) * 4)
    return replace(shown, rows=rows, film=film)


def moment(full: Screenful) -> str:
    found = re.search(r"step 20 .*?([\d.]+ m?s) of 200 ms", full.text())
    return found[1] if found else ""


async def test_it_moves_and_its_keys_work_and_0_stops_it() -> None:
    full = Screenful(DECK)
    full.app.actions.appearance.move_scenes("on")
    async with full.app.run_test(size=(120, 44)) as pilot:
        await settle(pilot)
        full.link.receive(filmed(full))
        await until(pilot, lambda: moment(full))
        first = moment(full)
        await until(pilot, lambda: moment(full) != first)
        assert "in the step" in full.text(), "the footer names its keys"
        assert full.text().count("rank 0") == 1 and "parameters" in full.text()
        await pilot.press("space")
        await until(pilot, lambda: "paused" in full.text())
        at = moment(full)
        await pilot.press("right_curly_bracket")
        await until(pilot, lambda: moment(full) != at)
        before = full.text()
        await pilot.press("right_parenthesis")
        await until(pilot, lambda: full.text() != before)
        full.link.order(Look(view="memory"))
        await until(pilot, lambda: not moment(full))
        assert full.app.classroom.run_room.shown is None


@pytest.mark.parametrize("size", [(80, 18), (80, 24)])
async def test_where_it_has_no_room_the_ranks_are_there_and_nothing_is_drawn_again(
    size: tuple[int, int],
) -> None:
    full = Screenful(DECK)
    full.app.actions.appearance.move_scenes("on")
    async with full.app.run_test(size=size) as pilot:
        await settle(pilot)
        full.link.receive(filmed(full))
        await until(pilot, lambda: "rank" in full.text() and "loss" in full.text())
        assert full.app.classroom.run_room.shown is None and "needs more room" not in full.text()
        words = {word for _, word in full.app.classroom.hints()}
        assert not words & {"in the step", "turn", "tilt"}, "keys that do nothing here"
        assert "full size" in words
