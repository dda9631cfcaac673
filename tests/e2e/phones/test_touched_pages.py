"""The page of a phone in two browsers: touched, typed into, reloaded, cut off, put to sleep."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from made_class import Class, Network
from waiting import until

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
from browser import CHROMIUM, Browser
from firefox import FIREFOX, Firefox

pytestmark = pytest.mark.slow

BROWSERS = [
    pytest.param(Browser, marks=pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")),
    pytest.param(Firefox, marks=pytest.mark.skipif(FIREFOX is None, reason="there is no Firefox here")),
]
ASKED = {  # by id: the attributes, the question, what is done to it, and what the class then has
    "single": (
        "",
        "Which collective gives **every** rank the sum?\n\n- [ ] `broadcast`\n- [x] `all_reduce`\n"
        "  > Reduce, then everybody has it.",
        ["option 1"],
        ((1,), ()),
    ),
    "multi": (
        "",
        "Which are sharded in ZeRO-2?\n\n- [x] gradients\n- [x] optimizer state\n- [ ] parameters",
        ["option 0", "option 2", "option 1", "option 2"],
        ((0, 1), ()),
    ),
    "truth": (
        "kind=truefalse",
        "A ring waits for its slowest rank.\n\n= true",
        ["option 1"],
        ((1,), ()),
    ),
    "number": ("kind=numeric", "How much is 7 B in bf16?\n\n= 14 ± 0.1 GB", ["14 GB"], ((), ("14 GB",))),
    "text": ("kind=text", "What comes after the backward?\n\n= optimizer", ["the step"], ((), ("the step",))),
    "order": (
        "kind=order",
        "Put a step in order.\n\n1. forward\n2. backward\n3. optimizer",
        ["button 2", "button 0", "button 2", "button 1", "button 2"],
        ((0, 1, 2), ()),
    ),
    "match": (
        "kind=match",
        "What belongs together?\n\n- DDP => replicas\n- FSDP => shards",
        ["select 0 1", "select 1 0"],
        ((1, 0), ()),
    ),
    "cloze": (
        "kind=cloze",
        "An all-reduce is a {{reduce-scatter|~gather}} and an {{all-gather}}.",
        ["select 0 'gather'", "x"],
        ((), ("gather", "x")),
    ),
    "line": (
        "kind=line",
        "Which line is wrong?\n\n```python\nloss.backward()\nsgd.zero_grad()\nsgd.step()\n```\n\n= 2",
        ["option 1"],
        ((1,), ()),
    ),
    "essay": (
        "kind=essay",
        "What would you change first? ![two machines](pic.png)",
        ["overlap"],
        ((), ("overlap",)),
    ),
    "poll": ("kind=poll", "How many GPUs do you have?\n\n- none\n- one\n- more", ["option 2"], ((2,), ())),
    "axis": ("kind=numeric axis=1..100GB", "How much is it?\n\n= 14 ± 1 GB", ["slide"], ((), ("100 GB",))),
    "leftward": (
        "",
        "איזו פעולה נותנת לכולם את הסכום?\n\n- [ ] שידור\n- [x] צמצום לכולם",
        ["option 1"],
        ((1,), ()),
    ),
}
DECK = "\n---\n".join(
    f"\n# Slide {id}\n\n::: quiz {{#{id} {attributes}}}\n{text}\n:::\n"
    for id, (attributes, text, _, _) in ASKED.items()
)
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
PICTURED = "document.querySelector('article img')?.naturalWidth === 720"
TOO_WIDE = """[...document.querySelectorAll('main *, header *')].filter((one) => !one.closest('pre, math'))
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && one.offsetParent !== null)
  .map((one) => one.outerHTML)"""


def state(question: str) -> str:
    return f"document.getElementById('state-{question}')?.className"


async def joined(page: Browser, class_: Class, port: int = 0) -> None:
    """As from the picture on the wall."""
    await page.go(f"http://127.0.0.1:{port or class_.port}/#{class_.now.code}")
    await page.until("document.getElementById('who').textContent")


async def reloaded(page: Browser) -> None:
    await page.run("window.before = 1")
    await page.run("location.reload(), 0")
    await page.until("!window.before")


async def do(page: Browser, what: str) -> None:
    """One thing that somebody does: a touch, a word that is typed, a choice of a list."""
    kind, *rest = what.split(" ")
    if kind in ("option", "button"):
        at = "article label.option" if kind == "option" else "article button.option"
        await page.tap(f"document.querySelectorAll('{at}')[{rest[0]}]")
        return
    if kind == "select":  # the list is a window of the system, which no test can touch
        one = f"document.querySelectorAll('article select')[{rest[0]}]"
        events = "new Event('input', {bubbles: true})", "new Event('change', {bubbles: true})"
        said = "".join(f"s.dispatchEvent({event});" for event in events)
        await page.run(f"(() => {{ const s = {one}; s.value = {rest[1]}; {said} }})()")
        return
    if kind == "slide":
        one = "document.querySelector('article input[type=range]')"
        x, y = await page.run(
            f"(() => {{ {one}.scrollIntoView(); const r = {one}.getBoundingClientRect(); "
            "return [r.right - 4, r.y + r.height / 2] })()"
        )
        await page.touch(x, y)
    else:
        await page.tap("document.querySelector('article input[data-gap], article textarea')")
        await page.keys(what)
    await page.tap("document.querySelector('article .go')")


@pytest.mark.parametrize("class_", [DECK], indirect=True)
@pytest.mark.parametrize("browser", BROWSERS)
async def test_every_kind_of_question_is_answered_on_a_phones_page(
    class_: Class, browser: type[Browser]
) -> None:
    async with browser() as page:
        await joined(page, class_)
        for slide, (id, (_, _, ways, expected)) in enumerate(ASKED.items()):
            class_.go(slide)
            await page.until(f"{state(id)} !== undefined && document.querySelector('.open')")
            if id == "essay":
                await page.until(PICTURED)
            await page.until("document.getElementById('said').textContent === 'A question is open.'")
            assert await page.run(HEARD) == []
            assert await page.run(TOO_WIDE) == []
            keyed = await page.run("document.querySelector('main').innerHTML")
            assert "Reduce, then" not in keyed and "Right:" not in keyed
            for way in ways:
                await do(page, way)
            await page.until(f"{state(id)} === 'state in'")
            assert class_.given(id) == expected
            if id == "leftward":
                assert (
                    await page.run("getComputedStyle(document.querySelector('article')).direction") == "rtl"
                )
            class_.room.answering.lock()
            class_.room.answering.reveal()
            await page.until("document.querySelector('.closed')")
            assert await page.run(TOO_WIDE) == []
            if id == "line":
                assert await page.run("[...document.querySelectorAll('.votes')].map(v => v.textContent)") == [
                    "1 (100 %)"
                ]
        class_.go(0)  # back at the first: revealed, with its explanation, votes and one's own answer
        text = await page.until("document.body.innerText.includes('everybody has it')") and await page.text()
        assert "right, as you said" in text and "1 (100 %)" in text
        class_.go(list(ASKED).index("order"))
        await reloaded(page)
        await page.until(f"{state('order')} === 'state in'")
        assert page.said == []


@pytest.mark.parametrize("class_", [DECK], indirect=True)
@pytest.mark.parametrize("browser", BROWSERS)
async def test_a_network_that_goes_takes_neither_seat_nor_answer_nor_what_is_typed(
    class_: Class, browser: type[Browser]
) -> None:
    essay = list(ASKED).index("essay")
    field = "document.querySelector('article textarea')"
    async with Network(class_.port) as network, browser() as page:
        await joined(page, class_, network.port)
        who = await page.run("document.getElementById('who').textContent")
        class_.go(0)
        await page.until(f"{state('single')} !== undefined && document.querySelector('.open')")
        network.away()
        await page.until("document.getElementById('dot').className === 'dot off'")
        await do(page, "option 1")
        assert await page.run(state("single")) == "state wait"  # it says what is true
        assert not class_.session.question("single").people  # type: ignore[union-attr]
        network.back()
        await page.until(f"{state('single')} === 'state in'")
        assert class_.given("single") == ((1,), ())

        class_.go(essay)
        await page.until(f"{state('essay')} !== undefined && document.querySelector('.open')")
        await page.until(PICTURED)  # what comes later moves what is touched
        await do(page, "overlap")
        await page.until(f"{state('essay')} === 'state in'")
        await page.run(f"{field}.focus(), {field}.setSelectionRange(7, 7)")
        await page.keys(" of")
        assert await page.run("document.getElementById('state-essay').textContent") == (
            "Changed and not sent: the answer before it counts."
        )
        network.away()
        await page.until("document.getElementById('dot').className === 'dot off'")
        network.back()
        await page.until("document.getElementById('dot').className === 'dot on'")
        await page.until("document.activeElement.dataset.at === 'essay/0'")
        await page.keys(" both")
        typed = await page.run(f"{field}.value")
        assert typed == "overlap of both"
        await reloaded(page)
        await page.until(f"document.getElementById('who').textContent && {field}?.value === '{typed}'")
        await page.until(PICTURED)
        await page.tap("document.querySelector('article .go')")
        await page.until(f"{state('essay')} === 'state in'")
        await until(lambda: class_.given("essay") == ((), (typed,)))
        assert await page.run("document.getElementById('who').textContent") == who
    assert class_.now.seats == 1


@pytest.mark.parametrize("browser", BROWSERS)
async def test_a_network_without_websockets_is_asked_by_post_for_all_that_a_phone_can_say(
    class_: Class, browser: type[Browser]
) -> None:
    async with Network(class_.port, filtered=True) as network, browser() as page:
        await page.go(f"http://127.0.0.1:{network.port}/")
        await page.until("document.getElementById('code').offsetParent")
        network.away()  # the first that is asked is lost
        await page.tap("document.getElementById('code')")
        await page.keys(class_.now.code.lower())
        await page.tap("document.querySelector('#join button')")
        await page.until("document.getElementById('link').textContent.includes('not connected, trying')")
        await asyncio.sleep(1.5)
        network.back()
        await page.until("document.getElementById('link').textContent.includes('looking every')")
        await page.until(f"{state('one')} !== undefined")
        await do(page, "option 1")
        await page.until(f"{state('one')} === 'state in'")
        await until(lambda: class_.given("one") == ((1,), ()))
        await page.tap("document.querySelector('[data-feel=lost]')")
        await until(lambda: class_.room.phones.voices.lost == 1)
        await page.tap("document.getElementById('wish')")
        await page.keys("Why twice?")
        await page.tap("document.querySelector('#ask button')")
        await until(lambda: class_.room.phones.voices.questions)
        (asked,) = class_.room.phones.voices.questions
        assert asked.text == "Why twice?"
        class_.room.phones.pick(asked.id, "picked")
        await page.until("document.querySelector('#asked button')")
        network.filtered = False
        refused = network.refused
        await page.run("posts = 29, 0")
        await page.until("document.getElementById('link').textContent === 'connected'")
        assert network.refused == refused and class_.now.seats == 1


@pytest.fixture
async def classes(tmp_path: Path) -> AsyncIterator[list[Class]]:
    """Two, of the same deck, one after the other at the same address."""
    found = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        found.append(Class(tmp_path / name))
    yield found


@pytest.mark.parametrize("browser", BROWSERS)
async def test_an_answer_meant_for_another_class_is_not_sent_to_this_one(
    classes: list[Class], browser: type[Browser]
) -> None:
    before, after = classes
    async with browser() as page:
        await before.begin()
        port = before.port
        async with Network(port) as network:
            await joined(page, before, network.port)
            await page.until(f"{state('one')} !== undefined && document.querySelector('.open')")
            network.away()
            await page.until("document.getElementById('dot').className === 'dot off'")
            await do(page, "option 1")
            await before.end()  # nobody ever had that answer
            await after.begin(port)
            network.back()
            await page.go(f"http://127.0.0.1:{network.port}/#{after.now.code}")
            await reloaded(page)
            await page.until(f"document.getElementById('who').textContent && {state('one')} === 'state '")
            assert await page.run("document.getElementById('state-one').textContent") == "Not answered yet."
            await do(page, "option 0")
            await page.until(f"{state('one')} === 'state in'")
            assert after.given("one") == ((0,), ())
        await after.end()
