"""Both codecs and both forms of a frame come back as the events they were; everything else is a BadFrame."""

from __future__ import annotations

import json
import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.protocol import rank_decoder
from runtime.protocol.events import Beat, Boot, Collective, Done, Hello, Step, as_array

HELLO = Hello("r", 0, 1, 2.0, 1, 1, 0, 4, 99, "cpu", "gloo", 2.0, 3.0, "json")
EVENTS = [
    Boot("r", 0, 1, 2.0, "train"),
    Step("r", 0, 1, 3.5, 0, 3.0, None, 512, 0.1, 0.1, 0.2, 0.05, 0.05),
    Collective("r", 0, 1, 3.4, 7, "all-reduce", "0", -1, 1024, 0, 3.2, None, 0.0),
    Done("r", 0, 1, 4.0, 0, None, {"loss": 2.5, "why": "end"}),
]


def test_msgpack_hello_and_batch() -> None:
    encode = msgspec.msgpack.encode
    assert rank_decoder.decode(encode(HELLO)) == [HELLO]
    assert rank_decoder.decode(encode(EVENTS)) == EVENTS
    assert rank_decoder.decode(encode([])) == []


def test_msgpack_batches_of_every_array_header() -> None:
    for count in (1, 15, 16, 65535, 65536):  # fixarray, array 16, array 32
        batch = [Beat("r", 0, 1, 2.0, "idle", n, 0, 0, 0) for n in range(count)]
        assert rank_decoder.decode(msgspec.msgpack.encode(batch)) == batch


def test_json_hello_and_batch() -> None:
    assert rank_decoder.decode(json.dumps(as_array(HELLO)).encode()) == [HELLO]
    assert rank_decoder.decode(json.dumps([as_array(e) for e in EVENTS]).encode()) == EVENTS
    assert rank_decoder.decode(b"[]") == []


@pytest.mark.parametrize("dump", [msgspec.msgpack.encode, lambda plain: json.dumps(plain).encode()])
def test_a_diverged_loss_survives(dump: object) -> None:
    diverged = Step("r", 0, 1, 3.5, 0, 3.0, math.nan, 512, 0.1, 0.1, 0.2, 0.05, 0.05)
    [seen] = rank_decoder.decode(dump([as_array(diverged)]))  # type: ignore[operator]
    assert isinstance(seen, Step) and seen.loss is not None and math.isnan(seen.loss)


@given(st.binary(max_size=200))
def test_noise_is_a_bad_frame_or_no_events(noise: bytes) -> None:
    try:
        assert rank_decoder.decode(noise) == []
    except rank_decoder.BadFrame:
        pass


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"[",
        b"[[]]",
        b'["nobody"]',
        b"[1]",
        b'{"a":1}',
        b"[" * 100_000,
        b"\x91" * 100_000,
        b"\xdc",
        b"\xdd\x00",
    ],
)
def test_what_no_rank_sends(payload: bytes) -> None:
    with pytest.raises(rank_decoder.BadFrame):
        rank_decoder.decode(payload)
