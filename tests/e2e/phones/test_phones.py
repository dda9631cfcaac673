"""A class with phones, whole: a real host, its gate, and what is answered in a real browser."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from waiting import until
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
from browser import CHROMIUM, Browser
from firefox import FIREFOX, Firefox

from runtime import paths
from runtime.classroom import journal
from runtime.classroom.actions import Answer
from runtime.launch.processes import Own, marked
from runtime.protocol.messages import OpenPhones
from tui.classroom import host_link
from tui.classroom.room import Room
from tui.classroom.session import Session
from tui.deck.contents import Contents, open_deck

pytestmark = pytest.mark.slow

DECK = """# One

::: quiz {#one}
Which collective gives **every** rank the sum?

- [ ] `broadcast`
- [x] `all_reduce`
  > Reduce, then everybody has it.
:::

---

# Two

::: quiz {#two kind=order}
Put a step in order.

1. forward
2. backward
3. optimizer
:::

---

# Three

::: quiz {#three kind=numeric}
How much is 7 B in bf16?

= 14 ± 0.1 GB
:::

---

# Four

::: quiz {#four kind=match}
What belongs together?

- DDP => replicas
- FSDP => shards
:::

---

# Five

::: quiz {#five kind=cloze}
An all-reduce is a {{reduce-scatter|~gather}} and an {{all-gather}}.
:::

---

# Six

::: quiz {#six kind=line}
Which line is wrong?

```python
loss.backward()
optimizer.zero_grad()
optimizer.step()
```

= 2
:::

---

# Seven

::: quiz {#seven kind=essay}
What would you change first? ![two machines](pic.png)
:::

---

# Eight

::: quiz {#eight}
Which are sharded in ZeRO-2?

- [x] gradients
- [x] optimizer state
- [ ] parameters
:::
"""


class Class:
    """A console without a screen, its deck, and the phones that it lets in."""

    def __init__(self, folder: Path) -> None:
        deck = folder / "deck.md"
        deck.write_text(DECK)
        Image.new("RGB", (1500, 500), "navy").save(folder / "pic.png")
        self.id = paths.new_class_id()
        self.session = Session(Contents(open_deck(deck)))
        self.room = Room(self.session, lambda what: None)

    async def begin(self) -> None:
        await self.room.open(host_link.to_host(self.id, "console", self.session.screen, ""))
        self.room.phones.ask(OpenPhones("127.0.0.1", card=True))
        await until(lambda: self.now.state == "on")

    @property
    def now(self) -> Any:
        return self.room.phones.now

    def go(self, slide: int) -> None:
        self.session.go((slide, 0))
        self.room.arrived()

    def gates(self) -> list[Own]:
        return [one.own for one in marked(self.id) if one.part == "phones"]

    def gate(self) -> Own:
        (found,) = self.gates()
        return found


@pytest.fixture
async def class_(tmp_path: Path) -> AsyncIterator[Class]:
    found = Class(tmp_path)
    await found.begin()
    yield found
    await found.room.shutdown()
    await found.room.close()
    await until(lambda: not found.gates())  # it ends with its host


class Phone:
    """A browser's end, without a browser: joins, answers until it is told that the class has it."""

    def __init__(self, url: str, code: str) -> None:
        self.url, self.code, self.token, self.name, self.n = url, code, "", "", 0
        self.told: dict[str, Any] = {}

    async def answer(self, question: str, choice: list[int]) -> None:
        """Whatever becomes of the network: sent again with the same number until it is in."""
        self.n += 1
        while True:
            try:
                async with connect(self.url.replace("http", "ws") + "/phone", close_timeout=1) as line:
                    await line.send(
                        json.dumps({"t": "hello", "v": 1, "code": self.code, "token": self.token})
                    )
                    await self._until(line, "state")
                    said = {"t": "answer", "n": self.n, "q": question, "round": 0, "choice": choice}
                    await line.send(json.dumps(said))
                    await self._until(line, "in")
                    return
            except (OSError, WebSocketException, TimeoutError):
                await asyncio.sleep(0.1)

    async def comes_back(self) -> list[int] | None:
        """The choice that a page is shown as its own after a reload."""
        async with connect(self.url.replace("http", "ws") + "/phone", close_timeout=1) as line:
            self.told.pop("mine", None)
            await line.send(json.dumps({"t": "hello", "v": 1, "code": self.code, "token": self.token}))
            await self._until(line, "state")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.5):
                    await self._until(line, "mine")
        return self.told.get("mine", {}).get("choice")

    async def _until(self, line: Any, kind: str) -> None:
        async with asyncio.timeout(3):
            while True:
                message = json.loads(await line.recv())
                self.told[message["t"]] = message
                if message["t"] == "seat":
                    self.token, self.name = message["token"], message["name"]
                if message["t"] == kind:
                    return


async def test_a_gate_that_is_killed_in_the_middle_of_a_question_loses_no_answer(class_: Class) -> None:
    await until(lambda: class_.session.question("one") is not None)
    phones = [Phone(class_.now.url, class_.now.code) for _ in range(12)]
    first = class_.gate()
    answering = [asyncio.create_task(phone.answer("one", [n % 2])) for n, phone in enumerate(phones)]
    await asyncio.wait(answering, return_when=asyncio.FIRST_COMPLETED)
    os.kill(first.pid, signal.SIGKILL)
    await asyncio.wait_for(asyncio.gather(*answering), 30)
    names = {phone.name for phone in phones}
    url = class_.now.url
    await asyncio.gather(*(phone.answer("one", [1]) for phone in phones))  # they change their minds

    question = class_.session.question("one")
    assert question is not None and question.counts == (0, 12)
    assert class_.gate() != first and url == phones[0].url
    assert len(names) == 12 and {phone.name for phone in phones} == names
    kept = [e.action for e in journal.read(paths.journal_file(class_.id)) if isinstance(e.action, Answer)]
    assert {one.who for one in kept} == names
    assert class_.now.seats == 12


async def test_what_a_full_disk_did_not_take_is_not_told_by_a_gate_that_begins_anew(class_: Class) -> None:
    await until(lambda: class_.session.question("one") is not None)
    phone = Phone(class_.now.url, class_.now.code)
    await phone.answer("one", [0])
    (host,) = (one.own for one in marked(class_.id) if one.part == "host")
    size = paths.journal_file(class_.id).stat().st_size
    before = resource.prlimit(host.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(host.pid, resource.RLIMIT_FSIZE, (size, before[1]))
    again = asyncio.create_task(phone.answer("one", [1]))
    await until(lambda: getattr(class_.session.question("one"), "counts", ()) == (0, 1))
    again.cancel()  # it was never told that this is in
    first = class_.gate()
    os.kill(first.pid, signal.SIGKILL)
    await until(lambda: class_.now.state == "on" and class_.gates() not in ([], [first]))
    assert await phone.comes_back() is None
    resource.prlimit(host.pid, resource.RLIMIT_FSIZE, before)
    async with asyncio.timeout(20):
        while await phone.comes_back() != [1]:
            await asyncio.sleep(0.2)


async def test_a_host_that_is_killed_is_back_with_its_phones(class_: Class) -> None:
    await until(lambda: class_.session.question("one") is not None)
    phone = Phone(class_.now.url, class_.now.code)
    await phone.answer("one", [0])
    name, url, gate = phone.name, class_.now.url, class_.gate()
    (host,) = [one.own for one in marked(class_.id) if one.part == "host"]
    os.kill(host.pid, signal.SIGKILL)
    await until(lambda: not gate.alive)  # nothing of a class outlives its host
    await until(lambda: class_.gates() not in ([], [gate]) and class_.now.state == "on")
    await phone.answer("one", [1])
    question = class_.session.question("one")
    assert question is not None and question.counts == (0, 1)
    assert (phone.name, class_.now.url) == (name, url)


WAYS = {
    "one": "document.querySelectorAll('article input')[1].click()",
    "two": "[0, 1, 2].forEach(n => document.querySelectorAll('article .option')[n].click())",
    "three": "f = document.querySelector('[data-gap]'), f.value = '14 GB', b().click()",
    "four": "document.querySelectorAll('article select').forEach((s, n) => {s.value = n; s.onchange()})",
    "five": "g = document.querySelectorAll('[data-gap]'), g[0].value = 'gather', g[1].value = 'x', "
    "b().click()",
    "six": "document.querySelectorAll('article input')[1].click()",
    "seven": "document.querySelector('textarea').value = 'overlap', b().click()",
    "eight": "[0, 2].forEach(n => document.querySelectorAll('article input')[n].click())",
}
# What is bad for who hears the page: controls without a name, a question that none of its controls tells, and
# words that are said each second.
HEARD = """(() => {
  const controls = [...document.querySelectorAll('main input, main select, main textarea, main button')];
  const seen = controls.filter((one) => one.offsetParent !== null);
  const named = (one) => one.labels?.length || one.getAttribute('aria-label') || one.textContent.trim();
  const stem = document.querySelector('article .stem');
  const told = document.querySelector(`article [aria-describedby="${stem.id}"]`);
  const live = [...document.querySelectorAll('article [role=status], article [aria-live]')];
  const article = stem.closest('article').getAttribute('aria-labelledby') === stem.id;
  return [...seen.filter((one) => !named(one)).map((one) => one.outerHTML),
    ...(told ? [] : ['no control tells the question']), ...live.map((one) => one.outerHTML),
    ...(article ? [] : ['the article has no name'])];
})()"""
EXPECTED: dict[str, tuple[tuple[int, ...], tuple[str, ...]]] = {
    "one": ((1,), ()),
    "two": ((0, 1, 2), ()),
    "three": ((), ("14 GB",)),
    "four": ((0, 1), ()),
    "five": ((), ("gather", "x")),
    "six": ((1,), ()),
    "seven": ((), ("overlap",)),
    "eight": ((0, 2), ()),
}


@pytest.mark.parametrize(
    "browser",
    [
        pytest.param(Browser, marks=pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")),
        pytest.param(Firefox, marks=pytest.mark.skipif(FIREFOX is None, reason="there is no Firefox here")),
    ],
)
async def test_every_kind_of_question_is_answered_on_a_phones_page(
    class_: Class, browser: type[Browser]
) -> None:
    async with browser() as page:
        await page.go(f"{class_.now.url}/#{class_.now.code}")
        await page.until("document.getElementById('who').textContent")
        await page.run("b = () => document.querySelector('article .go'), 0")
        for slide, (id, way) in enumerate(WAYS.items()):
            class_.go(slide)
            await page.until(f"document.getElementById('state-{id}') && document.querySelector('.open')")
            if id == "seven":
                await page.until("document.querySelector('article img')?.naturalWidth === 720")
            await page.until("document.getElementById('said').textContent === 'A question is open.'")
            assert await page.run(HEARD) == []
            keyed = await page.run("document.querySelector('main').innerHTML")
            assert "Reduce, then" not in keyed and "Right:" not in keyed
            await page.run(f"{way}, 0")
            await page.until(f"document.getElementById('state-{id}').className === 'state in'")
            question = class_.session.question(id)
            assert question is not None
            ((seat, _),) = question.people.items()
            assert (question.answers.get(seat, ()), question.texts.get(seat, ())) == EXPECTED[id]
            class_.room.answering.lock()
            class_.room.answering.reveal()
            await page.until("document.querySelector('.closed')")
        class_.go(0)  # back at the first: revealed, with its explanation, votes and one's own answer
        text = await page.until("document.body.innerText.includes('everybody has it')") and await page.text()
        assert "right, as you said" in text and "1 (100 %)" in text
        class_.go(1)
        await page.run("location.reload(), 0")
        await page.until("document.getElementById('state-two')?.className === 'state in'")
        assert page.said == []


@pytest.mark.parametrize(
    ("phones", "words"),
    [
        (150, ("--over", "0.5", "--loss", "0.02", "--gone", "0.5")),
        (60, ("--over", "0.3", "--cut", "0.1")),  # a connection ends with every tenth message
    ],
)
def test_a_hall_of_phones_is_told_the_truth_of_every_answer(phones: int, words: tuple[str, ...]) -> None:
    """At a small size what `tests/bench/phones.py` does with a thousand; by its exit status the votes of the
    journal are those that phones were told are in, each once."""
    bench = Path(__file__).parents[2] / "bench" / "phones.py"
    command = (sys.executable, str(bench), "--phones", str(phones), "--questions", "2", *words)
    ran = subprocess.run(command, capture_output=True, text=True, timeout=150)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"{2 * phones} answers were told to be in, {2 * phones} are in the journal" in ran.stdout
