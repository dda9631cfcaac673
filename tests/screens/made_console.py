"""A console with a deck, and what is read from its screen."""

from __future__ import annotations

from typing import Any

from made_screen import FakeLink, Screenful

from runtime.protocol.messages import Act, Screens, Seat

DECK = """\
---
title: Four copies
time: 10m
---
<!-- slide: {time: 1m} -->
# Start {#start}

The first slide.

<!-- notes: NOTE-START -->

---

<!-- slide: {time: 2m} -->
# Steps {#steps}

first words

<!-- pause -->

second words

<!-- notes: NOTE-SECOND -->

---

<!-- slide: {time: 3m, optional: true} -->
# Extra {#extra}

not needed

---

<!-- slide: {time: 4m} -->
# Live {#live}

::: demo ddp ranks=4 steps=50

---

# Question {#question}

::: quiz {#ring kind=single}
How many bytes?

- [ ] S
- [x] nS
:::
"""


def acts(link: FakeLink, kind: type) -> list[Any]:
    return [message.action for message in link.of(Act) if isinstance(message.action, kind)]


def rows_of(full: Screenful) -> list[str]:
    return full.text().split("\n")


async def linked(full: Screenful, pilot: Any) -> None:
    while not full.links:
        await pilot.pause()


def seen(full: Screenful) -> str:
    """The screen as the next tick of the clock would paint it."""
    full.app.classroom.show()
    return full.text()


async def attach(full: Screenful, pilot: Any) -> None:
    await linked(full, pilot)
    seats = (
        Seat("me", "console", "pts/1"),
        Seat("bob", "console", "pts/2 \x1b[31m"),
        Seat("x", "audience", ""),
    )
    full.link.receive(Screens(2, 1, seats))
