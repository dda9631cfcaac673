"""What a phone is told and when: seats, answers that are in only once they are written down, rounds."""

from __future__ import annotations

import asyncio
import gzip
import json
import stat
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from made_gate import PAGE, Served, served
from msgspec.structs import replace

from runtime.classroom import question_state
from runtime.classroom.question_state import QuestionState, team_of
from runtime.phones.seats import Seats
from runtime.protocol.class_messages.phone_messages import Doors, Given, People, Questions, SeatAnswer

Q = QuestionState("q", "single", 2)
LOCKED = replace(Q, phase="locked")


async def test_a_code_gives_a_seat_and_its_token_gives_it_again(tmp_path: Path) -> None:
    async with served(tmp_path) as class_:
        async with class_.phone() as phone:
            seat = await phone.join(class_.code.lower())
            assert await phone.hear("page") == {"t": "page", "v": 2, "page": json.loads(PAGE)}
            assert (await phone.hear("state"))["q"]["q"]["p"] == "open"
        async with class_.phone() as phone:
            again = await phone.join(token=seat["token"])
    assert (again["name"], again["token"]) == (seat["name"], seat["token"])
    assert len(class_.seats) == 1


async def test_an_answer_is_in_once_the_class_has_it_and_not_before(tmp_path: Path) -> None:
    async with served(tmp_path) as class_, class_.phone() as phone:
        class_.writes = False
        await phone.join(class_.code)
        await phone.say(t="answer", n=1, q="q", round=0, choice=[1])
        while not class_.answers:
            await asyncio.sleep(0.01)
        await phone.say(t="alive")
        await phone.hear("alive")
        assert not [one for one in phone.heard if one["t"] == "in"]
        class_.write(tuple(class_.answers))
        assert await phone.hear("in") == {"t": "in", "n": 1}


async def test_what_is_sent_again_is_one_answer_and_the_newest_counts(tmp_path: Path) -> None:
    async with served(tmp_path) as class_, class_.phone() as phone:
        seat = await phone.join(class_.code)
        for _ in range(3):
            await phone.say(t="answer", n=1, q="q", round=0, choice=[0])
        await phone.say(t="answer", n=2, q="q", round=0, choice=[1])
        assert (await phone.hear("in"))["n"] == 2
        await phone.say(t="answer", n=1, q="q", round=0, choice=[0])  # an old one, from the network
        assert (await phone.hear("in"))["n"] == 1
        assert [one.choice for one in class_.answers] == [(1,)]
        async with class_.phone() as other:
            await other.join(token=seat["token"])
            mine = await other.hear("mine")
    assert (mine["n"], mine["choice"]) == (2, [1])


async def test_a_closed_question_takes_nothing_and_says_so(tmp_path: Path) -> None:
    async with served(tmp_path) as class_, class_.phone() as phone:
        await phone.join(class_.code)
        class_.ask(LOCKED)
        await phone.say(t="answer", n=1, q="q", round=0, choice=[0])
        assert await phone.hear("late") == {"t": "late", "q": "q", "n": 1, "why": "closed"}
        await phone.say(t="answer", n=2, q="unknown", round=0, choice=[0])
        assert (await phone.hear("late"))["why"] == "closed"
    assert not class_.answers


async def test_an_answer_that_the_host_refuses_leaves_the_one_before_it(tmp_path: Path) -> None:
    async with served(tmp_path) as class_, class_.phone() as phone:
        seat = await phone.join(class_.code)
        await phone.say(t="answer", n=1, q="q", round=0, choice=[0])
        await phone.hear("in")
        class_.writes = False
        await phone.say(t="answer", n=2, q="q", round=0, choice=[1])
        while len(class_.answers) < 2:
            await asyncio.sleep(0.01)
        class_.write(tuple(class_.answers[1:]), "closed")
        assert (await phone.hear("late"))["n"] == 2
        async with class_.phone() as other:
            await other.join(token=seat["token"])
            assert (await other.hear("mine"))["choice"] == [0]


async def test_another_round_is_answered_anew(tmp_path: Path) -> None:
    async with served(tmp_path) as class_, class_.phone() as phone:
        await phone.join(class_.code)
        await phone.say(t="answer", n=1, q="q", round=0, choice=[0])
        await phone.hear("in")
        class_.ask(question_state.again(Q, 5.0))
        while (await phone.hear("state"))["q"]["q"]["r"] != 1:
            pass
        await phone.say(t="answer", n=2, q="q", round=0, choice=[0])
        assert (await phone.hear("late"))["n"] == 2
        await phone.say(t="answer", n=3, q="q", round=1, choice=[1])
        assert (await phone.hear("in"))["n"] == 3


async def test_a_gate_that_begins_anew_knows_what_was_answered(tmp_path: Path) -> None:
    async with served(tmp_path) as class_, class_.phone() as phone:
        seat = await phone.join(class_.code)
    kept = Seats(class_.file).find(seat["token"])
    assert kept is not None
    id = kept.id
    async with served(tmp_path) as anew:
        anew.gate.obey(Given((SeatAnswer(id, 0, "q", 0, (1,), (), seat["name"]),)))
        async with anew.phone() as phone:
            again = await phone.join(token=seat["token"])
            mine = await phone.hear("mine")
            await phone.say(t="answer", n=1, q="q", round=0, choice=[0])
            assert (await phone.hear("in"))["n"] == 1
    assert (again["name"], mine["choice"], anew.code) == (seat["name"], [1], class_.code)


async def test_a_second_window_takes_the_seat_over(tmp_path: Path) -> None:
    async with served(tmp_path) as class_, class_.phone() as first:
        seat = await first.join(class_.code)
        async with class_.phone() as second:
            await second.join(token=seat["token"])
            await first.hear("elsewhere")
            await first.closed()
            await second.say(t="answer", n=1, q="q", round=0, choice=[0])
            await second.hear("in")
    assert len({one.seat for one in class_.answers}) == 1


async def test_a_door_that_is_shut_keeps_who_is_in(tmp_path: Path) -> None:
    async with served(tmp_path) as class_, class_.phone() as phone:
        seat = await phone.join(class_.code)
        class_.gate.obey(Doors(open=False))
        async with class_.phone() as stranger:
            await stranger.say(t="hello", v=1, code=class_.code)
            assert (await stranger.hear("no"))["why"] == "shut"
        async with class_.phone() as again:
            await again.join(token=seat["token"])


async def test_a_seat_that_is_put_out_stays_out(tmp_path: Path) -> None:
    async with served(tmp_path) as class_, class_.phone() as phone:
        seat = await phone.join(class_.code)
        await phone.say(t="answer", n=1, q="q", round=0, choice=[0])
        await phone.hear("in")
        class_.gate.obey(Doors(out=class_.answers[0].seat))
        assert (await phone.hear("no"))["why"] == "out"
        await phone.closed()
        async with class_.phone() as again:
            await again.say(t="hello", v=1, code=class_.code, token=seat["token"])
            assert (await again.hear("no"))["why"] == "out"
    assert Seats(class_.file).find(seat["token"]).out  # type: ignore[union-attr]


async def test_names_are_asked_for_where_the_teacher_wants_them_and_are_one_person_each(
    tmp_path: Path,
) -> None:
    async with served(tmp_path, names=True) as class_, class_.phone() as phone, class_.phone() as other:
        await phone.say(t="hello", v=1, code=class_.code)
        assert (await phone.hear("no"))["why"] == "name"
        first = await phone.join(class_.code, name="  Ada\u202e\x1b[31m\n Lovelace ")
        second = await other.join(class_.code, name="Ada[31m Lovelace")
    assert first["name"] == "Ada[31m Lovelace"
    assert second["name"] == "Ada[31m Lovelace 2"


async def test_a_team_is_chosen_before_a_seat_is_given_and_stays(tmp_path: Path) -> None:
    async with served(tmp_path, teams=("red", "blue")) as class_, class_.phone() as phone:
        await phone.say(t="hello", v=1, code="WRONG")
        assert (await phone.hear("no"))["teams"] == []  # whoever has no code is told none
        await phone.say(t="hello", v=1, code=class_.code)
        told = await phone.hear("no")
        assert (told["why"], told["teams"]) == ("team", ["red", "blue"])
        await phone.say(t="hello", v=1, code=class_.code, team="green")
        assert (await phone.hear("no"))["why"] == "team"
        await phone.say(t="hello", v=1, code=class_.code, team="red")
        seat = await phone.hear("seat")
        assert seat["team"] == "red"
        async with class_.phone() as other:
            await other.say(t="hello", v=1, code=class_.code)
            assert (await other.hear("no"))["teams"] == ["blue", "red"]  # the smallest first
            await other.say(t="hello", v=1, token=seat["token"], team="blue")
            assert (await other.hear("seat"))["team"] == "red"
            await other.say(t="answer", n=1, q="q", round=0, choice=[1])
            await other.hear("in")
    assert [team_of(one.seat) for one in class_.answers] == ["red"]


async def test_by_post_a_phone_joins_answers_and_hears_of_it(tmp_path: Path) -> None:
    async with served(tmp_path) as class_:

        def post(*said: dict[str, Any]) -> list[dict[str, Any]]:
            url = f"http://127.0.0.1:{class_.port}/say"
            request = urllib.request.Request(url, json.dumps(said).encode())
            found: list[dict[str, Any]] = json.loads(urllib.request.urlopen(request, timeout=10).read())
            return found

        seat, page, state = await asyncio.to_thread(post, {"t": "hello", "v": 1, "code": class_.code})
        hello = {"t": "hello", "v": 1, "token": seat["token"]}
        answer = {"t": "answer", "n": 1, "q": "q", "round": 0, "choice": [1]}
        told = await asyncio.to_thread(post, hello, answer)
        while not (people := [one for one in class_.said if isinstance(one, People)]):
            await asyncio.sleep(0.01)
    assert (seat["t"], page["t"], state["t"]) == ("seat", "page", "state")
    assert told[-1] == {"t": "in", "n": 1} and people[-1] == People(1, 1)
    assert [one.choice for one in class_.answers] == [(1,)]


async def test_a_revealed_question_has_its_key_and_votes_and_one_that_is_not_has_neither(
    tmp_path: Path,
) -> None:
    keyed = replace(
        Q, key=(1,), counts=(3, 4), answers={"a": (1,)}, people={"a": "Ada"}, accepted=("yes",), general="why"
    )
    async with served(tmp_path) as class_, class_.phone() as phone:
        await phone.join(class_.code)
        for phase in ("locked", "revealed"):
            class_.ask(replace(keyed, phase=phase))
            while (known := (await phone.hear("state"))["q"]["q"])["p"] != phase:
                pass
            if phase == "locked":
                assert known == {"p": "locked", "r": 0}
    assert (known["key"], known["votes"], known["all"]) == ([1], [3, 4], 7)
    assert "Ada" not in json.dumps(phone.heard)


async def test_what_phones_are_told_of_questions_is_small(tmp_path: Path) -> None:
    page = json.dumps({"questions": [{"id": f"q{n}"} for n in range(4)]}).encode()
    full = [
        replace(
            *(QuestionState(f"q{n}", "multi", 9),),
            phase="revealed",
            key=tuple(range(9)),
            accepted=("long " * 100,) * 32,
            counts=(1000,) * 9,
        )
        for n in range(4)
    ]
    async with served(tmp_path) as class_, class_.phone() as phone:
        await phone.join(class_.code)
        class_.gate.obey(Questions(tuple(full), 0.0, counts={"q0": (999, 1000)}))
        class_.ask(full[0], page)
        while len((state := await phone.hear("state"))["q"]) != 4:
            pass
    assert len(json.dumps(state)) < 8192
    one = {"t": "state", "q": {"q0": state["q"]["q0"]}}
    assert len(json.dumps(one)) < 4096


def test_seats_are_their_owners_to_read_and_half_a_line_is_none(tmp_path: Path) -> None:
    seats = Seats(tmp_path / "phones.jsonl")
    found = seats.take()
    assert found is not None
    seat, token = found
    seats.listens(4321)
    with (tmp_path / "phones.jsonl").open("ab") as file:
        file.write(b'\n{"seat":{"id":"phone-x","tok')
    again = Seats(tmp_path / "phones.jsonl")
    assert again.find(token) == seat and len(again) == 1
    assert (again.code, again.port) == (seats.code, 4321)
    more = again.take()
    assert more is not None and len(Seats(tmp_path / "phones.jsonl")) == 2
    assert stat.S_IMODE((tmp_path / "phones.jsonl").stat().st_mode) == 0o600
    assert token not in (tmp_path / "phones.jsonl").read_text()


@pytest.fixture
async def class_(tmp_path: Path) -> Any:
    async with served(tmp_path) as found:
        yield found


async def test_a_limit_of_time_is_told_as_what_is_left_of_it(class_: Served) -> None:
    import time

    async with class_.phone() as phone:
        await phone.join(class_.code)
        await phone.hear("state")
        class_.ask(replace(Q, opened=time.time() - 10.0, time_s=60.0))
        while "left" not in (known := (await phone.hear("state"))["q"]["q"]):
            pass
    assert 40.0 < known["left"] <= 50.0


@pytest.mark.parametrize(
    ("takes", "shorter"),
    [("gzip, deflate, br", True), ("br;q=1.0, gzip;q=0.8", True), ("gzip;q=0, br", False), ("br", False)],
)
async def test_the_page_is_small_on_its_way_to_who_can_read_that(
    tmp_path: Path, takes: str, shorter: bool
) -> None:
    async with served(tmp_path) as class_:
        asked = urllib.request.Request(f"http://127.0.0.1:{class_.port}/", headers={"Accept-Encoding": takes})
        answer = await asyncio.to_thread(lambda: urllib.request.urlopen(asked, timeout=10))
        body = await asyncio.to_thread(answer.read)
    assert (answer.headers["Content-Encoding"] == "gzip") == shorter
    page = gzip.decompress(body) if shorter else body
    nonce = answer.headers["Content-Security-Policy"].partition("'nonce-")[2].partition("'")[0]
    assert page.count(f'nonce="{nonce}"'.encode()) == 2 and b"NONCE" not in page
    assert len(body) < 12_000 or not shorter
