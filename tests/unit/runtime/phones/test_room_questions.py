"""What phones ask the lecturer: for the teacher's eyes first, and once each."""

from __future__ import annotations

import asyncio
import os
import stat
from pathlib import Path

import pytest
from made_gate import served

from runtime.host import hanging_disk, kept_decks
from runtime.host.audience.room_questions_and_pace import FELT_S, REACTED_S, RoomQuestions
from runtime.phones.messages_to_lecturer import MOST_ASKED
from runtime.protocol.class_messages.phone_messages import AskedBy, Doors, FromRoom, Voices
from runtime.protocol.messages import PickQuestion


async def test_what_is_asked_arrives_once_and_no_other_phone_reads_it(tmp_path: Path) -> None:
    async with served(tmp_path) as class_, class_.phone() as phone, class_.phone() as other:
        await phone.join(class_.code)
        await other.join(class_.code)
        for _ in range(2):  # the network had lost the word that it arrived
            await phone.say(t="ask", n=1, text=" Why\x1b[31m a ring?\u202e ")
            assert await phone.hear("asked") == {"t": "asked", "n": 1}
        while not (said := [one for one in class_.said if isinstance(one, Voices)]):
            await asyncio.sleep(0.01)
        await other.say(t="alive")
        await other.hear("alive")
        assert [one.text for voices in said for one in voices.asked] == ["Why[31m a ring?"]
        assert not [one for one in other.heard if one["t"] == "room"]

        class_.gate.obey(FromRoom({7: ("Why a ring?", 1)}))
        assert (await other.hear("room"))["asked"] == [[7, "Why a ring?", 1]]
        for id in (7, 8):  # 8 was not picked
            await other.say(t="support", id=id)
        await other.say(t="feel", word="lost")
        while not (said[-1].supported and said[-1].felt):
            await asyncio.sleep(0.01)
            said = [one for one in class_.said if isinstance(one, Voices)]
        assert [id for voices in said for _, id in voices.supported] == [7]


async def test_one_seat_asks_so_often_and_no_more(tmp_path: Path) -> None:
    async with served(tmp_path) as class_, class_.phone() as phone:
        await phone.join(class_.code)
        told = []
        for n in range(1, MOST_ASKED + 2):
            await phone.say(t="ask", n=n, text=f"question {n}")
            told.append(await phone.hear("asked"))
    assert [one["n"] for one in told if "why" in one] == [MOST_ASKED + 1]


async def test_who_is_muted_asks_in_vain_and_answers_all_the_same(tmp_path: Path) -> None:
    async with served(tmp_path) as class_, class_.phone() as phone:
        seat = await phone.join(class_.code)
        await phone.say(t="answer", n=1, q="q", round=0, choice=[0])
        await phone.hear("in")
        class_.gate.obey(Doors(mute=class_.answers[0].seat))
        await phone.say(t="ask", n=2, text="rude")
        assert (await phone.hear("asked"))["why"] == "often"
        async with class_.phone() as again:  # and so it stays for who comes again
            await again.join(token=seat["token"])
            await again.say(t="feel", word="lost")
            await again.say(t="answer", n=3, q="q", round=0, choice=[1])
            await again.hear("in")
            assert class_.answers[-1].choice == (1,)
            class_.gate.obey(Doors(mute=class_.answers[0].seat))
            await again.say(t="ask", n=4, text="Why?")
            assert "why" not in await again.hear("asked")
        while not (said := [one for one in class_.said if isinstance(one, Voices) and one.asked]):
            await asyncio.sleep(0.01)
    assert [one.text for one in said[0].asked] == ["Why?"]
    assert not any(one.felt for one in class_.said if isinstance(one, Voices))


def test_a_question_is_read_by_everybody_once_the_teacher_picks_it() -> None:
    room = RoomQuestions()
    room.hear(Voices((AskedBy("phone-a", "Ada", 1, "Why?"), AskedBy("phone-b", "Bo", 1, "How?"))))
    assert not room.for_phones().questions and room.text == ""
    room.hear(Voices(supported=(("phone-b", 1),)))
    assert room.voices().questions[0].votes == 1  # nobody could have read it
    room.pick(PickQuestion(1, "shown"))
    assert room.text == "Why?" and room.for_phones().questions == {1: ("Why?", 1)}
    for _ in range(2):
        room.hear(Voices(supported=(("phone-b", 1),)))
    assert room.for_phones().questions == {1: ("Why?", 2)}
    room.pick(PickQuestion(1, "picked"))
    assert room.text == "" and room.for_phones().questions
    room.pick(PickQuestion(1, "done"))
    assert not room.for_phones().questions and [one.id for one in room.voices().questions] == [2]
    room.pick(PickQuestion(99, "shown"))
    assert room.text == ""


def test_how_it_goes_counts_for_some_minutes_and_the_newest_word_of_a_seat() -> None:
    now = 0.0
    room = RoomQuestions(now=lambda: now)
    room.hear(Voices(felt=(("a", "lost"), ("b", "lost"), ("c", "fast"))))
    assert (room.voices().lost, room.voices().fast) == (2, 1)
    room.hear(Voices(felt=(("a", ""),)))
    assert room.voices().lost == 1
    now = FELT_S + 1.0
    assert (room.voices().lost, room.voices().fast) == (0, 0)


def test_what_was_asked_outlives_the_host(tmp_path: Path) -> None:
    file = tmp_path / "voices.jsonl"
    room = RoomQuestions(file)
    asked = AskedBy("phone-a", "Ada", 1, "Why?"), AskedBy("phone-b", "Bo", 1, "How?")
    room.hear(Voices(asked))
    room.pick(PickQuestion(1, "shown"))
    room.hear(Voices(supported=(("phone-b", 1),), felt=(("phone-b", "lost"),)))
    room.pick(PickQuestion(2, "done"))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with file.open("ab") as cut:
        cut.write(b'\n{"asked":[{"seat":"phone-c","wh')
    again = RoomQuestions(file)
    assert again.voices().questions == room.voices().questions and again.voices().lost == 0
    assert again.text == "" and again.for_phones() == room.for_phones()  # it stays picked, the wall is free
    again.hear(Voices(asked))  # phones that heard nothing of it say it once more
    assert len(again.voices().questions) == 1
    again.hear(Voices((AskedBy("phone-c", "Cy", 1, "When?"),)))
    assert [one.id for one in RoomQuestions(file).voices().questions] == [1, 3]


def test_reactions_are_of_a_moment_and_one_a_phone() -> None:
    now = 0.0
    room = RoomQuestions(now=lambda: now)
    room.hear(Voices(reacted=(("a", "clap"), ("b", "clap"), ("b", "no"))))
    assert room.voices().reactions == {"clap": 1, "no": 1}
    now = REACTED_S + 0.1
    assert room.voices().reactions == {}


async def test_reactions_pass_only_where_the_class_has_them(tmp_path: Path) -> None:
    for on in (True, False):
        (folder := tmp_path / str(on)).mkdir()
        async with served(folder, reactions=on) as class_, class_.phone() as phone:
            assert (await phone.join(class_.code))["reactions"] is on
            await phone.say(t="react", word="clap")
            await phone.say(t="feel", word="lost")
            while not (said := [one for one in class_.said if isinstance(one, Voices) and one.felt]):
                await asyncio.sleep(0.01)
            passed = [word for one in class_.said if isinstance(one, Voices) for _, word in one.reacted]
            assert passed == (["clap"] if on else []) and said


def test_a_disk_that_hangs_holds_nobody_and_gets_all_of_it_when_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who opens a pipe to write waits in the kernel until somebody reads, as on a disk that hangs."""
    monkeypatch.setattr(hanging_disk, "HANGS_S", 0.1)
    room = RoomQuestions(pipe := tmp_path / "voices.jsonl")
    os.mkfifo(pipe)
    for n in range(1, 30):
        room.hear(Voices((AskedBy(f"phone-{n}", "Ada", 1, "Why?"),)))
    kept_decks.keep_soon(tmp_path, "rev", b"deck")
    assert len(room.voices().questions) == 29 and not hanging_disk.settle(0.1)
    assert kept_decks.read(tmp_path, "rev") is None
    with pipe.open("rb") as reader:
        assert hanging_disk.settle(60)
        assert reader.read1().count(b'"Why?"') == 29
    assert kept_decks.read(tmp_path, "rev") == b"deck"
