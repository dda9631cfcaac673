"""A class with phones: a real host and its gate, either of which may be killed; and a hall of phones."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from made_class import Class, Phone
from waiting import until

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


def host_of(class_id: str) -> Own:
    """The host; what it has just forked looks like it until it is the program that it becomes."""
    return min((one.own for one in marked(class_id) if one.part == "host"), key=lambda own: own.started)


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
    host = host_of(class_.id)
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
    host = host_of(class_.id)
    os.kill(host.pid, signal.SIGKILL)
    await until(lambda: not gate.alive)  # nothing of a class outlives its host
    await until(lambda: class_.gates() not in ([], [gate]) and class_.now.state == "on")
    await phone.answer("one", [1])
    question = class_.session.question("one")
    assert question is not None and question.counts == (0, 1)
    assert (phone.name, class_.now.url) == (name, url)


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


async def test_a_console_that_came_later_changes_the_door_and_not_how_phones_are_served(
    class_: Class, tmp_path: Path
) -> None:
    room = class_.room.phones
    room.ask(OpenPhones("127.0.0.1", hosts=("https://class.example",), names=True, teams=("red", "blue")))
    await until(lambda: class_.now.state == "on" and class_.now.teams)
    assert class_.now.url == "https://class.example"
    gate = class_.gate()
    session = Session(Contents(open_deck(tmp_path / "deck.md")))
    later = Room(session, lambda what: None)
    await later.open(host_link.to_host(class_.id, "console", session.screen, ""))
    await until(lambda: later.phones.now.asked)
    await class_.room.close()  # the first is gone
    await until(lambda: session.driving)
    assert later.phones.change(card=True, open=False)
    await until(lambda: later.phones.now.card and not later.phones.now.open)
    assert class_.gate() == gate and later.phones.now.teams == ("red", "blue")

    host = host_of(class_.id)
    os.kill(host.pid, signal.SIGKILL)
    await until(lambda: not gate.alive)
    await until(lambda: later.phones.now.state == "on")  # asked for by the one that is left
    asked = later.phones.now.asked
    assert asked is not None and asked.names and asked.hosts == ("https://class.example",)
    assert not asked.open
    await later.shutdown()
    await later.close()
