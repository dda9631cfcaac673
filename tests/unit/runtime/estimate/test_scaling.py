"""Where each strategy begins and stops making sense, and which term did it."""

from __future__ import annotations

import pytest

from runtime.estimate.quantities import number
from runtime.estimate.request import Refused, read, request
from runtime.estimate.scaling import LOST, Scaling, scaling


def scaled(words: str) -> dict[str, Scaling]:
    return {row.name: row for row in scaling(request(read(words.split())))}


def test_from_one_device_to_16384() -> None:
    rows = scaled("model=llama3-8b gpu=h100 seq=2048 bandwidth=100Gb/s")
    assert {"DDP", "ZeRO-1", "ZeRO-2", "FSDP", "HSDP"} <= rows.keys()
    assert [point.devices for point in rows["DDP"].points] == [2**n for n in range(15)]
    assert rows["DDP"].begins is None and rows["DDP"].term == "memory: optimizer"  # sixteen bytes a parameter
    assert rows["FSDP"].begins == 4 and rows["FSDP"].term == "dp"


def test_begins_and_stops_are_what_the_points_say() -> None:
    for words in (
        "model=gpt2 gpu=a100",
        "model=llama3-8b gpu=h100 seq=8192 recompute=full",
        "params=1e9 gpu=l4",
    ):
        for row in scaled(words).values():
            fitting = [point for point in row.points if point.fits]
            assert row.begins == (fitting[0].devices if fitting else None)
            if row.stops is None:
                assert all(point.fits for point in row.points if point.devices >= (row.begins or 0))
                continue
            best = max((point.mfu for point in fitting), default=0.0)
            at = next(point for point in row.points if point.devices == row.stops)
            assert not at.fits or at.mfu < LOST * best
            assert row.term == at.term


def test_a_slower_link_stops_it_earlier() -> None:
    fast, slow = (
        scaled(f"model=gpt2 gpu=h100 batch=16 bandwidth={link}")["ZeRO-1"] for link in ("400Gb/s", "10Gb/s")
    )
    assert slow.stops is not None and (fast.stops is None or slow.stops < fast.stops)


def test_it_needs_a_gpu() -> None:
    with pytest.raises(Refused, match="give gpu=NAME"):
        scaled("model=gpt2")


def test_long_sequences_and_experts_have_rows_of_their_own() -> None:
    long = scaled("model=llama3-8b gpu=h100 seq=131072 recompute=full")
    assert long["FSDP, CP 2"].begins is not None
    experts = scaled("model=mixtral gpu=h100 seq=4096 recompute=full")
    assert experts["FSDP, EP 8"].points[0].devices == 8
    assert not any("CP" in name or "EP" in name for name in scaled("model=gpt2 gpu=h100"))


def test_a_link_is_written_as_links_are_named() -> None:
    rates = {number(text, "bandwidth") for text in ("100Gbit", "100Gbit/s", "100Gb/s", "100Gbps", "12.5GB/s")}
    assert rates == {12.5e9}
    assert number("100Gbit", "bytes") is None
