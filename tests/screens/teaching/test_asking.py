"""Questions of every kind played by keys: hands, a second vote, a time limit, a prediction, a room."""

from __future__ import annotations

import re
from typing import Any

from made_screen import Screenful, snapshot
from read_letters import bars, read
from textual.pilot import Pilot

from runtime.classroom.actions import (
    Again,
    Answer,
    Begin,
    Hands,
    Hint,
    Lock,
    Measured,
    Move,
    Open,
    Reveal,
    Undo,
)
from runtime.protocol.messages import Act, Blob, Launch, Refused, Reply, Screens, Seat
from slides.drawing.large import read_letters
from slides.reading.split import split
from tui.deck import deck_upload
from tui.deck.contents import Contents
from tui.rendering.frame_clock import FRAME_S

DECK = """\
---
title: Kinds
---
# Pick {#pick}

::: quiz {#which kind=single}
Which?

- [ ] one
- [x] two
- [ ] three

> hint: FIRST-HINT
> hint: SECOND-HINT
:::

---

# Order {#order}

::: quiz {#steps kind=order}
Which order?

1. alpha
2. beta
3. gamma
:::

---

# Pairs {#pairs}

::: quiz {#sides kind=match}
Which pairs?

- left => alpha
- right => beta
:::

---

# Number {#number}

::: quiz {#bytes kind=numeric}
How many?

= 112 GB ± 5%
  > WHY-112
:::

---

# Line {#line}

::: quiz {#travel kind=line}
Which line?

```python
one = 1
two = 2
three = 3
```

= 2
:::

---

# Soon {#soon}

::: quiz {#quick kind=truefalse time=30s}
Quick?

= true
:::

---

# Predict {#predict}

::: predict {#guess metric=slow.step_s.median over=fast unit=x runs=2 steps=7}
How long?

- [ ] 1x
- [ ] 2x
- [ ] 4x
:::

---

# Demos {#demos}

::: demo ddp {#fast} ranks=4 steps=50
::: demo ddp {#slow} ranks=4 steps=50 slow_rank=2 slow_ms=50
"""


def acts(full: Screenful, *kinds: type) -> list[Any]:
    return [a.action for a in full.link.of(Act) if isinstance(a.action, kinds or object)]


async def settle(pilot: Pilot[Any]) -> None:
    """The class's next frame is painted."""
    await pilot.pause(2 * FRAME_S)
    await pilot.pause()


async def go(pilot: Pilot[Any], number: int) -> None:
    await pilot.press("g", str(number), "enter")


async def test_hands_hints_and_a_second_vote() -> None:
    full = Screenful(DECK)
    async with full.app.run_test(size=(100, 36)) as pilot:
        await settle(pilot)
        await pilot.press("u", *"4 13", "enter")
        await settle(pilot)
        assert "3 counts, one for each option" in full.text() and acts(full, Hands) == []
        await pilot.press("ctrl+u", *"4 13 7", "enter", "i")
        assert acts(full, Hands) == [Hands("which", (4, 13, 7))]
        assert acts(full, Hint) == [Hint("which", ("FIRST-HINT",))]
        text = full.text()
        assert "24 hands" in text and "FIRST-HINT" in text and "SECOND-HINT" not in text and not bars(text)
        await pilot.press("enter", "X", "u", *"1 20 3", "enter", "enter")
        assert len(acts(full, Again)) == 1 and not bars(full.text()) and "locked" in full.text()
        locked = acts(full, Lock)
        assert locked[-1] == Lock("which", (), None, 1.0)  # nobody answered at this screen
        await pilot.press("e")
        text = full.text()
        assert "first vote" in text and "█ 13" in text and "█ 20" in text
        assert "normalised gain 0.64" in text  # (20/24 - 13/24) / (1 - 13/24)
        await pilot.press("U")
        assert isinstance(acts(full)[-1], Undo)


async def test_an_order_pairs_a_line_and_a_number() -> None:
    full = Screenful(DECK)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await go(pilot, 2)
        await pilot.press("2", "1", "1", "3", "enter")  # the second 1 takes it out again
        order = [a.choice for a in acts(full, Answer) if a.question == "steps"]
        assert order == [(1,), (1, 0), (1,), (1, 2)]
        assert acts(full, Lock)[-1].question == "steps" and len(acts(full, Lock)[-1].parts) == 2

        await go(pilot, 3)
        left = full.text().splitlines()
        await pilot.press("2")
        right = full.text().splitlines()
        next_due = [next(n for n, row in enumerate(rows) if "▸" in row) for rows in (left, right)]
        assert next_due[0] < next_due[1], "the next pair is due"
        await pilot.press("1", "enter")
        assert [a.choice for a in acts(full, Answer) if a.question == "sides"] == [(1, -1), (1, 0)]

        await go(pilot, 4)
        await pilot.press("enter", *"much", "enter")
        assert "a number, with its unit" in full.text()
        await pilot.press("ctrl+u", *"110 GB", "enter")
        assert acts(full, Answer)[-1] == Answer("bytes", (), ("110 GB",))
        await pilot.press("enter", "e")
        assert acts(full, Lock)[-1].points == 1.0 and acts(full, Reveal)[-1].accepted == ("112 GB ± 5%",)
        assert "WHY-112" in read(full.text()) and "✓ 1 of 1 point" in full.text()

        await go(pilot, 5)
        await pilot.press("down", "down", "up", "down", "3", "up", "enter", "e")
        assert acts(full, Lock)[-1] == Lock("travel", (1,), 1.0, 1.0)
        assert "✓ 2" in full.text() and full.session.index == 4


async def test_a_time_limit_locks_by_itself() -> None:
    full = Screenful(DECK)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await go(pilot, 6)
        assert acts(full, Open)[-1] == Open("quick", "truefalse", 2, 30.0) and "0:30 left" in full.text()
        await pilot.press("1")
        full.now += 21.5
        full.app.classroom.second()
        await settle(pilot)
        assert "0:09 left" in full.text() and acts(full, Lock) == []
        full.now += 9
        full.app.classroom.second()
        await settle(pilot)
        assert acts(full, Lock) == [Lock("quick", (0,), 1.0, 1.0)] and "left" not in full.text()


async def test_a_prediction_is_locked_before_it_is_measured() -> None:
    full = Screenful(DECK)
    async with full.app.run_test(size=(110, 40)) as pilot:
        await go(pilot, 7)
        await pilot.press("u", *"3 8 1", "enter", "d")
        done = acts(full)
        assert isinstance(done[-1], Lock) and "12 answers locked; now 4 runs" in full.text()
        for n, (block, seconds) in enumerate((("fast", 0.1), ("slow", 0.19), ("fast", 0.1), ("slow", 0.25))):
            launches = full.link.of(Launch)
            assert [launch.block for launch in launches][n:] == [block]
            assert launches[n].params["steps"] == "7"
            for state in ("running", "done"):
                told = snapshot(block, state, run=f"r{n}")
                rows = tuple(row.__class__(**{**_fields(row), "step_s": seconds}) for row in told.rows)
                full.link.receive(told.__class__(**{**_fields(told), "rows": rows}))
            await settle(pilot)
        assert len(full.link.of(Launch)) == 4
        samples = [a.sample for a in acts(full, Measured)]
        assert [(s.block, s.value) for s in samples] == [
            ("fast", 0.1),
            ("slow", 0.19),
            ("fast", 0.1),
            ("slow", 0.25),
        ]
        assert "measured, e shows it" in read(full.text()) and "2.20" not in full.text()
        await pilot.press("e")
        text = full.text()
        assert acts(full, Reveal)[-1].key == (1,)  # the option nearest to what was measured
        assert "slow / fast   median of 2" in text and "LIVE CPU" in text
        bars = [row.rpartition("█" * 8)[2] for row in text.split("\n") if "█" * 8 in row]
        counts = [read_letters.words(bars[n : n + 3]) for n in range(0, len(bars), 3)]
        assert any(count.startswith("8 ") for count in counts), counts
        await pilot.press("X")
        assert acts(full, Again) == []


def _fields(struct: Any) -> dict[str, Any]:
    return {name: getattr(struct, name) for name in struct.__struct_fields__}


async def test_a_run_that_fails_is_no_measurement() -> None:
    full = Screenful(DECK)
    async with full.app.run_test(size=(110, 40)) as pilot:
        await go(pilot, 7)
        await pilot.press("2", "d")
        full.link.receive(snapshot("fast", "failed", run="r1", why="rank 2 died"))
        await settle(pilot)
        assert acts(full, Measured) == [] and len(full.link.of(Launch)) == 1
        await pilot.press("d")
        assert [launch.block for launch in full.link.of(Launch)] == ["fast", "fast"]


async def test_a_room_answers_and_sees_nobody_elses_answer() -> None:
    full = Screenful("# waiting", role="audience", joining=True, answers=True)
    ours = Contents(split(DECK, "deck.md"))
    async with full.app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        full.link.receive(Blob(ours.deck.rev, deck_upload.for_audience(ours, "5eed")))
        full.link.order(Move("pick", 0))
        full.link.order(Open("which", "single", 3))
        await settle(pilot)
        await pilot.press("enter")  # which said that the answer was in
        await settle(pilot)
        assert "pick an answer first" in full.text() and full.link.of(Reply) == []
        await pilot.press("3", "2", "enter", "e", "u", "right", "d")
        assert full.link.of(Reply) == [Reply("which", 0, (2,)), Reply("which", 0, (1,))]
        assert full.link.of(Act) == [] and full.session.index == 0
        text = full.text()
        assert "answer 2" in text and "pick" in text and "locks" not in text and "reveals" not in text
        await pilot.press("3")  # too late: the host has locked it, and says so
        full.link.order(Lock("which", (), None, 0.0))
        full.link.receive(Refused("which", "the answer came too late", ""))
        await pilot.press("1")
        assert len(full.link.of(Reply)) == 3
        marked = [row for row in full.text().splitlines() if "●" in row]
        assert marked == [next(row for row in text.splitlines() if "●" in row)]  # 2 still, and it alone
        full.link.order(Again("which"))
        await settle(pilot)
        assert "●" not in full.text()
        await pilot.press("1")
        assert full.link.of(Reply)[-1] == Reply("which", 1, (0,))

        full.link.order(Move("number", 0))
        full.link.order(Open("bytes", "numeric", 0))
        await settle(pilot)
        await pilot.press("4", "2", "enter")
        assert full.link.of(Reply)[-1] == Reply("bytes", 0, (), ("42",))


async def test_the_console_says_how_many_of_the_room_are_in() -> None:
    full = Screenful(DECK)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        seats = (
            Seat("me", "console", "x"),
            Seat("a", "audience", "a", True),
            Seat("b", "audience", "b", True),
        )
        full.link.receive(Screens(1, 2, seats))
        await settle(pilot)
        assert "0 of 2 answered" in full.text()
        full.link.order(Answer("which", (1,), (), "Ann\x1b[31m"), "a")
        await settle(pilot)
        assert "1 of 2 answered" in full.text() and not bars(full.text()) and "\x1b" not in full.text()
        await pilot.press("enter")
        assert "locked" in full.text()


async def test_enter_is_named_by_what_it_does() -> None:
    """It locks what was answered; while nobody has, it writes."""
    full = Screenful(DECK)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await go(pilot, 4)
        assert "I type  e reveal" in full.text() and "Enter lock" not in full.text()
        await pilot.press("enter")
        assert "Enter takes it  Ctrl U empties" in full.text()  # nothing to complete: no Tab
        await pilot.press("escape")
        full.link.order(Answer("bytes", (), ("42",), "Ann"), "a")
        await settle(pilot)
        assert "I type  Enter lock  e reveal" in full.text()
        await pilot.press("enter")
        assert "locked" in full.text()


ORDER = """\
# Order {#order}

::: quiz {#steps kind=order}
Which order?

1. alpha
2. beta
3. gamma
4. delta
:::
"""


def items(text: str) -> list[str]:
    return re.findall("alpha|beta|gamma|delta", text)


async def test_the_order_on_screen_is_the_class_s_before_anybody_answers() -> None:
    # The first slides are painted ahead, before the host says how this class shuffles.
    full = Screenful(ORDER)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        ahead = items(full.text())
        full.link.order(Begin("c1", "0.1", "another"))
        await settle(pilot)
        shown = items(full.text())
        await pilot.press("1")
        assert items(full.text()) == shown != ahead
