"""What may come to the door where agents of other machines come: only who knows the token is listened to.

Wrong and old tokens, an answer that was heard once, our own words sent back, garbage, frames too long and
cut, connections that say nothing, many of them, another certificate, and what an agent itself may not say.
"""

from __future__ import annotations

import asyncio
import gzip
import ssl
import struct
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from made_door import Caller, Door, calls, comes_in, frame, goes_on, said

from runtime.catalog.params import Refusal
from runtime.cluster.link import certificate, handshake, link_messages
from runtime.cluster.link.invitation import Invitation, invite
from runtime.cluster.link.link_messages import Ended, Events, Here, Ping, Pong, Taken, encode
from runtime.protocol.events import Beat, Value
from runtime.recordings import recorder
from runtime.recordings.recorded_events import read_member

HERE = Here("session", 1, "a machine", 2, 2)


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What was decoded as a message."""
    found: list[bytes] = []
    real = link_messages.from_agent

    def counted(payload: bytes) -> link_messages.FromAgent:
        found.append(payload)
        return real(payload)

    monkeypatch.setattr(link_messages, "from_agent", counted)
    return found


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"GET / HTTP/1.1",
        encode(HERE),
        b"\0" * handshake.ANSWER,
        handshake.MAGIC + b"\xff" * (handshake.ANSWER - len(handshake.MAGIC)),
        handshake.challenge(),
        msgspec.msgpack.encode([0] * 40),
    ],
    ids=("nothing", "http", "a message", "zeros", "another's answer", "a challenge", "a list"),
)
async def test_who_does_not_know_the_token_is_hung_up_on_and_nothing_is_decoded(
    door: Door, decoded: list[bytes], payload: bytes
) -> None:
    caller = await calls(door)
    await caller.hear()
    assert await caller.ask(payload, encode(HERE)) == b""
    assert decoded == []
    await goes_on(door)


async def test_another_token_another_invitation_and_another_node_are_refused(
    door: Door, decoded: list[bytes]
) -> None:
    for token, number, node in (
        (b"x" * 32, door.invitation.number, 0),
        (door.nodes.token, "00" * 8, 0),
        (door.nodes.token, door.invitation.number, 2),
    ):
        caller = await calls(door)
        answer, _ = handshake.answer(token, bytes.fromhex(number), node, await caller.hear())
        assert await caller.ask(answer, encode(HERE)) == b""
    assert decoded == []


async def test_an_answer_that_was_heard_once_fits_no_other_connection(door: Door) -> None:
    first = await calls(door)
    answer, proof = said(door, 0, await first.hear())
    assert await first.ask(answer) == proof
    second = await calls(door)
    await second.hear()
    assert await second.ask(answer) == b""


async def test_what_the_host_says_is_no_answer_to_it(door: Door) -> None:
    """Neither its challenge nor its proof opens the door for who sends it back."""
    first, second = await calls(door), await calls(door)
    answer, _ = said(door, 0, await second.hear())
    challenged = await first.hear()
    proof = await second.ask(answer)
    forged = answer[: -len(proof)] + proof
    assert await first.ask(forged) == b""
    assert challenged not in answer


async def test_an_agent_hangs_up_on_a_host_that_does_not_know_the_token() -> None:
    _, proof = handshake.answer(b"t" * 32, b"12345678", 0, handshake.challenge())
    assert not handshake.same(proof, proof[:-1] + bytes([proof[-1] ^ 1]))
    with pytest.raises(handshake.Stranger):
        handshake.answer(b"t" * 32, b"12345678", 0, b"HTTP/1.1 400 Bad Request")


@pytest.mark.parametrize("length", [handshake.MOST + 1, 1 << 20, 0xFFFFFFFF])
async def test_a_frame_that_is_too_long_is_not_even_read(
    door: Door, decoded: list[bytes], length: int
) -> None:
    caller = await calls(door)
    await caller.hear()
    caller.writer.write(struct.pack("<I", length))
    assert await caller.hear() == b""
    assert decoded == []


async def test_who_says_nothing_or_half_of_it_is_hung_up_on(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handshake, "WITHIN_S", 0.05)
    silent, half = await calls(door), await calls(door)
    await silent.hear()
    half.writer.write(frame(said(door, 0, await half.hear())[0])[:40])
    assert await silent.hear() == b""
    assert await half.hear() == b""
    assert door.socket.strangers == 0
    await goes_on(door)


async def test_by_tls_only_the_certificate_of_the_invitation_is_taken(door: Door) -> None:
    context = certificate.client(door.made.certificate)
    reader, writer = await asyncio.open_connection(
        "127.0.0.1", door.port, ssl=context, server_hostname=certificate.NAME
    )
    assert (await Caller(reader, writer).hear()).startswith(handshake.MAGIC)
    writer.close()
    other = certificate.make()
    assert not isinstance(other, Refusal)
    with pytest.raises(ssl.SSLCertVerificationError):
        await asyncio.open_connection(
            "127.0.0.1", door.port, ssl=certificate.client(other.certificate), server_hostname="teachrun"
        )


async def test_who_speaks_no_tls_where_tls_is_spoken_hears_nothing(door: Door, decoded: list[bytes]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", door.port)
    writer.write(frame(encode(HERE)) * 10)
    with suppress(ConnectionError):
        async with asyncio.timeout(15):
            assert not (await reader.read()).startswith(frame(handshake.MAGIC)[:4])
    assert decoded == []


async def test_garbage_of_who_knows_the_token_ends_its_connection_only(door: Door) -> None:
    for garbage in (b"\xc1", b"", encode(Taken(1)), encode(Pong(1.0, 2.0)), msgspec.msgpack.encode([1] * 9)):
        caller = await comes_in(door)
        caller.writer.write(frame(garbage))
        while await caller.hear():
            pass
        caller.writer.close()
    caller = await calls(door)
    answer, _ = said(door, 0, await caller.hear())
    await caller.ask(answer)
    caller.writer.write(frame(encode(Ping(1.0))))  # before it has said who it is
    assert await caller.hear() == b""
    await goes_on(door)


def beat(rank: int, run: str = "r", generation: int = 1) -> Beat:
    return Beat(run, generation, rank, 1.0, "train", 3, 0, 0, 0)


async def test_a_node_speaks_for_its_own_ranks_of_this_run_and_once(door: Door) -> None:
    door.nodes.begin("r", 1)
    caller = await comes_in(door, 0)
    assert await caller.told(Taken) == Taken(0)  # what it should begin after
    told = [beat(0), beat(2), beat(-1), beat(99), beat(1, "another"), beat(1, generation=2), beat(1)]
    sent = encode(Events(1, 1, msgspec.msgpack.encode(told), recorder.member([beat(0), beat(1)])))
    for _ in range(3):  # the same number again: our answer may have been lost
        caller.writer.write(frame(sent))
        taken = await caller.told(Taken)
        assert isinstance(taken, Taken) and taken.number == 1
    assert [event.rank for event in door.events] == [0, 1]


@pytest.mark.parametrize(
    "recorded",
    [
        b"",
        b"[1",
        b"[1]\n[2",
        b"\n",
        b"\n" * 1_000_000,
        b"{}\n",
        b"null\n",
        b"[" * 100_000 + b"\n",
        b'["beat","r",1,0]\n',
        b"\x1b]0;mine\x07\n",
        b'["beat","r",1,0,1.0,"\x1b[2J"]\n',
        b"\xff\xfe\n",
        recorder.lines([beat(0)]).replace(b'"beat"', b'"' + b"b" * 300_000 + b'"'),
        b'["beat","r",1,0,%s]\n' % (b"1" * 300_000),
        recorder.lines([beat(0)])[:-1],
        recorder.lines([beat(0)]) + b"rm -rf /\n",
        recorder.lines([beat(0)]).replace(b"\n", b" " * 300_000 + b"\n"),
        recorder.lines([beat(0), beat(2)]),
        recorder.lines([beat(-1)]),
        recorder.lines([beat(0, "another"), beat(0)]),
        recorder.lines([beat(0, generation=2)]),
    ],
    ids=lambda lines: repr(lines[:30]),
)
async def test_lines_that_are_no_events_of_its_own_are_not_recorded(door: Door, recorded: bytes) -> None:
    """One such line ends the connection: nobody could believe the recording behind it."""
    await is_hung_up_on(door, gzip.compress(recorded))


@pytest.mark.parametrize(
    "member",
    [
        b"",
        b"not a member",
        recorder.lines([beat(0)]),
        recorder.member([beat(0)])[:-1],
        recorder.member([beat(0)]) + b"rm -rf /",
        recorder.member([beat(0)]) * 2,
        gzip.compress(recorder.lines([beat(0)]) * 400_000, compresslevel=9),
    ],
    ids=["nothing", "text", "lines", "cut", "more", "two", "a bomb"],
)
async def test_what_is_not_one_member_of_a_bounded_size_is_not_recorded(door: Door, member: bytes) -> None:
    await is_hung_up_on(door, member)


async def is_hung_up_on(door: Door, recorded: bytes) -> None:
    door.nodes.begin("r", 1)
    caller = await comes_in(door, 0)
    caller.writer.write(frame(encode(Events(1, 1, msgspec.msgpack.encode([beat(0)]), recorded))))
    while await caller.hear():
        pass
    assert door.events == [] and door.recorded == b""
    await goes_on(door)


def test_a_line_that_only_begins_as_an_event_is_skipped_by_who_reads_it() -> None:
    text = recorder.lines([beat(0)]) + b'["hello","r",1,0,0.0]\n["beat","r",1,0,0.0,x]\n'
    assert list(read_member(gzip.compress(text), "r", 1, [0])) == [beat(0)]


async def test_a_figure_that_is_no_number_is_recorded(door: Door) -> None:
    """JSON has null for it, which a list of numbers may not hold."""
    door.nodes.begin("r", 1)
    caller = await comes_in(door, 0)
    told = [Value("r", 1, 0, 1.0, "loss", "", 3, [1.0, float("nan")])]
    caller.writer.write(frame(encode(Events(1, 1, msgspec.msgpack.encode(told), recorder.member(told)))))
    await caller.told(Taken)
    assert len(door.events) == 1 and door.recorded == recorder.lines(told)


async def test_an_end_counts_once_and_for_this_generation(door: Door) -> None:
    door.nodes.begin("r", 2)
    caller = await comes_in(door, 0)
    for number, generation in ((1, 1), (2, 2), (2, 2), (3, 2)):
        caller.writer.write(frame(encode(Ended(number, generation, "done", "", None, False))))
        await caller.told(Taken)
    assert [node.number for node in door.ended] == [0]
    assert not door.nodes.all_over


async def test_a_second_agent_for_a_node_that_is_heard_is_sent_away(door: Door) -> None:
    first = await comes_in(door, 0)
    first.writer.write(frame(encode(Ping(1.0))))
    await first.told(Pong)
    second = await comes_in(door, 0, "thief")
    assert await second.hear() == b""
    first.writer.write(frame(encode(Ping(2.0))))
    assert isinstance(await first.told(Pong), Pong)


async def test_the_same_agent_takes_the_place_of_its_own_dead_connection(door: Door) -> None:
    first = await comes_in(door, 0)
    first.writer.write(frame(encode(Ping(1.0))))
    await first.told(Pong)
    again = await comes_in(door, 0)
    again.writer.write(frame(encode(Ping(2.0))))
    assert isinstance(await again.told(Pong), Pong)
    while await first.hear():
        pass


def test_the_file_of_an_invitation_is_its_owners_alone(tmp_path: Path) -> None:
    from runtime.cluster.link.invitation import read_file, write_file

    file = tmp_path / "join"
    invited = invite("host:7000", "PEM")
    write_file(file, invited)
    assert file.stat().st_mode & 0o777 == 0o600
    assert read_file(str(file)) == invited
    file.chmod(0o644)
    refused = read_file(str(file))
    assert isinstance(refused, Refusal) and "others may read" in refused.why
    file.chmod(0o600)
    for text in (b"", b"{}", b"[1]", msgspec.json.encode(Invitation("host", "00", "11", "PEM")), b"\xff" * 9):
        file.write_bytes(text)
        assert isinstance(read_file(str(file)), Refusal)
    assert isinstance(read_file(str(tmp_path / "none\x1b[2J")), Refusal)
