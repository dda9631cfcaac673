"""`teachrun ctl` against a real host with a screen attached; no demo is running here."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from folders import own_folders
from teachrun_process import TEACHRUN

from runtime.classroom.actions import Lead
from runtime.host.client import ask
from runtime.protocol.messages import Shutdown
from tui.classroom import host_link
from tui.classroom.room import Room
from tui.classroom.session import Session
from tui.commands.presenting import ctl as ctl_command
from tui.deck.contents import Contents

pytestmark = pytest.mark.slow

DECK = """\
# One {#one}

a

<!-- pause -->

b

```bash run
echo hello
```

---

# Two of them {#two}

::: demo nothing

---

# Three {#three}

::: quiz {#q kind=single}
Which?

- [ ] this
- [x] that
:::
"""


@pytest.fixture
def home() -> Iterator[Path]:
    with own_folders() as home:
        yield home


async def ctl(*args: str) -> tuple[int, str]:
    """Exit status, and what it said on either stream."""
    done = await asyncio.create_subprocess_exec(
        *(*TEACHRUN, "ctl", *args),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    out, _ = await done.communicate()
    assert done.returncode is not None
    return done.returncode, out.decode().strip()


async def errand(deed: str, slide: str = "") -> tuple[int, str, dict[str, Any]]:
    """The same without a process of its own: status, what it would print, and the object behind it."""
    try:
        status = await ctl_command.errand("c1", deed, slide)
    except ctl_command.Failed as why:
        return 1, str(why), {}
    return 0, ctl_command.in_words(status), status


class Teacher:
    """A console with a deck, without its screen."""

    def __init__(self, class_id: str) -> None:
        from slides.reading.split import split

        self.session = Session(Contents(split(DECK, "deck.md")), screen="teacher")
        self.room = Room(self.session, lambda what: None)
        self._connect = host_link.to_host(class_id, "console", "teacher", "the desk")

    async def __aenter__(self) -> Teacher:
        await self.room.open(self._connect)
        while not self.room.seats:
            await asyncio.sleep(0.01)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.room.close()


async def test_without_a_class_it_says_so(home: Path) -> None:
    assert await ctl("next") == (1, "teachrun: no class is running. Start one with `teachrun present`")
    assert await ctl("status", "--class", "gone") == (
        1,
        "teachrun: class gone is not running; `teachrun ps` shows what is",
    )
    assert (await ctl("goto"))[0] == 2
    assert not list((home / "state" / "teachrun" / "run").glob("*.sock"))  # and starts no host


async def test_one_errand_after_the_other(home: Path) -> None:
    async with Teacher("c1") as teacher:
        code, said = await ctl("status", "--json")
        assert code == 0
        assert json.loads(said) == {
            "class": "c1",
            "title": "One",
            "slide": {"id": "one", "number": "1", "of": 3, "title": "One"},
            "step": 1,
            "steps": 2,
            "timer": {"started": False, "running": False, "elapsed_s": 0.0},
            "shown": "live",
            "demo": None,
            "running": [],
            "question": None,
            "attached": {"consoles": 1, "audiences": 0},
            "lead": "",
            "recording": False,
        }
        assert (await ctl("next"))[0] == 0
        assert (teacher.session.slide.id, teacher.session.step) == ("one", 1)
        code, said, _ = await errand("run")  # code of a deck that nobody has agreed to
        assert code == 1 and "not yet approved" in said
        assert "slide 2/3 Two of them" in (await errand("next"))[1]
        code, said, _ = await errand("run")
        assert code == 1 and "nothing" in said
        assert await errand("stop") == (1, "nothing runs", {})

        code, said, status = await errand("goto", "three")
        assert (code, status["slide"]["id"]) == (0, "three")
        assert status["question"] == {"id": "q", "phase": "open", "answers": 0}
        assert "question open" in said
        assert teacher.session.slide.id == "three" and teacher.session.question("q") is not None
        assert await errand("next") == (1, "there is nothing after this step", {})
        assert await errand("goto", "9") == (1, "no slide '9'; the talk has 3", {})

        for deed, mode in (("blank", "black"), ("blank", "black"), ("freeze", "frozen"), ("live", "live")):
            assert (await errand(deed))[0] == 0
            assert teacher.session.state.shown == mode

        # Who drives alone is obeyed, and named.
        teacher.session.act(Lead("teacher"))
        while not teacher.session.settled:
            await asyncio.sleep(0.01)
        for deed in ("prev", "blank"):
            assert await errand(deed) == (1, "the desk drives this class alone; L there gives it back", {})
        assert teacher.session.slide.id == "three" and teacher.session.state.shown == "live"
        assert "the desk drives" in (await errand("status"))[1]
        await ask("c1", Shutdown("test"), 10)
