"""Figures of runs that stand in a lesson are those of the recordings that ship with it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import slides
from runtime.recordings import files, run_choice
from runtime.recordings.recording import load
from runtime.recordings.replay import Replay

COURSE = Path(slides.__file__).parent / "courses" / "distributed"
NUMBER = r"(-?[\d.]+)"


def ran(demo: str, words: str = "", figure: str = "memory_bytes", unit: float = 1e6) -> float:
    """A figure of the recording that ships for a demo of these parameters."""
    found = run_choice.fitting(demo, dict(word.split("=") for word in words.split()))
    assert not run_choice.distance(found.differs) and found.folder.parent == files.SHIPPED
    value = getattr(files.read_about(found.folder).figures, figure)
    assert value is not None
    return float(value) / unit


def told(demo: str, words: str, result: str) -> float:
    """What the ranks of a recording said at their end, of rank 0."""
    folder = run_choice.fitting(demo, dict(word.split("=") for word in words.split())).folder
    replay = Replay("", load(folder))
    replay.seek(1e6, 0.0)
    return float(replay.snapshot().rows[0].result[result])


FOUR = "ranks=4 steps=200"
SLOW = "nodes=2 ranks=2 link=100mbit"
NODES = f"{SLOW} width=128 layers=4 batch=2 steps=12"
CONTEXT = "ranks=4 batch=1 width=128 layers=4 steps=12"
# lesson, what stands in it, what it should say (the numbers of the text, in its order)
FIGURES: list[tuple[str, str, Callable[[], tuple[float, ...]]]] = [
    ("02-memory", rf"added up: {NUMBER} MB in one piece, {NUMBER} MB in sixteen", lambda: tuple(
        ran("accumulate", f"ranks=1 micro_batches={pieces} steps=40") for pieces in (1, 16)
    )),
    ("03-ranks", rf"{NUMBER} MB a step: 1.5 times the {NUMBER} MB of gradients", lambda: (
        ran("ddp", FOUR, "wire_bytes_step"), ran("ddp", FOUR, "payload_bytes_step")
    )),
    ("04-collectives", rf"{NUMBER} MB with two, {NUMBER} MB with four, and", lambda: (
        ran("ddp", "ranks=2 steps=60", "wire_bytes_step"), ran("ddp", FOUR, "wire_bytes_step")
    )),
    ("05-ddp", rf"agree: {NUMBER} MB on a rank", lambda: (ran("ddp", FOUR),)),
    ("06-hiding", rf"for about {NUMBER} s of a step of {NUMBER}\.\n", lambda: tuple(
        ran("ddp", f"{SLOW} batch=16 steps=20", figure, 1) for figure in ("exposed_s", "step_s")
    )),
    ("06-hiding", r"(\d+) ms with 29 all-reduces and (\d+) with one", lambda: tuple(
        ran("buckets", f"ranks=4 schedule={way} steps=30", "step_s", 1e-3)
        for way in ("per_parameter", "flat")
    )),
    ("06-hiding", rf"runs: {NUMBER} MB against {NUMBER}\. The losses", lambda: tuple(
        ran("ddp", f"ranks=4 micro_batches=4{quiet} steps=30", "wire_bytes_step")
        for quiet in (" no_sync=1", "")
    )),
    ("07-fsdp", r"agree: about (\d+) MB against (\d+)", lambda: (
        ran("zero", "ranks=4 steps=40"), ran("zero", "ranks=4 steps=40 stage=0")
    )),
    ("08-interconnect", rf"about {NUMBER} MB for DDP, {NUMBER} for FSDP, {NUMBER} for hybrid", lambda: tuple(
        told("interconnect", "", f"{way}_crossing_bytes") / 1e6 for way in ("ddp", "fsdp", "hsdp")
    )),
    ("08-interconnect", rf"took {NUMBER} s with FSDP and {NUMBER} s with hybrid[^:]*: {NUMBER}\.", lambda: (
        (fsdp := ran("fsdp", NODES, "step_s", 1)), (hsdp := ran("hsdp", NODES, "step_s", 1)), hsdp / fsdp
    )),
    ("08-interconnect", rf"sockets: {NUMBER} MB against {NUMBER}\.", lambda: tuple(
        ran(way, NODES, "wire_bytes_step") for way in ("hsdp", "fsdp")
    )),
    ("09-tensor", rf"agree: {NUMBER} MB against {NUMBER}\.", lambda: (
        ran("tensor", "ranks=4 steps=40"), ran("tensor", "ranks=1 steps=20")
    )),
    ("09-tensor", rf"runs: {NUMBER} MB against {NUMBER}\.\n\nThat is why", lambda: tuple(
        ran("tensor", words, "wire_bytes_step") for words in ("ranks=4 steps=40", "ranks=2 steps=20")
    )),
    ("09-tensor", rf"runs: {NUMBER} MB against {NUMBER}\.\n\nIn lesson 8", lambda: tuple(
        ran("tensor", words, "wire_bytes_step") for words in ("ranks=4 batch=16 steps=20", "ranks=4 steps=40")
    )),
    ("09-tensor", r"on two cores, (\d+) ms against (\d+)\.", lambda: (
        ran("tensor", f"{SLOW} steps=12", "step_s", 1e-3), ran("tensor", "ranks=4 steps=40", "step_s", 1e-3)
    )),
    ("10-pipeline", rf"agree: {NUMBER} MB against {NUMBER}\.", lambda: (
        ran("pipeline", "schedule=1f1b pad_ms=80 steps=20"),
        ran("pipeline", "schedule=gpipe pad_ms=80 steps=12"),
    )),
    ("11-context-experts", rf"agree: {NUMBER} and {NUMBER} MB\.", lambda: tuple(
        ran("fsdp", f"{CONTEXT} seq={tokens}") for tokens in (128, 512)
    )),
    ("11-context-experts", rf"runs: {NUMBER} MB with two, {NUMBER} with four", lambda: tuple(
        ran("context", f"ranks={ranks} seq=2048 steps=30", "wire_bytes_step") for ranks in (2, 4)
    )),
    ("13-plan-a-run", rf"added up: {NUMBER} MB against {NUMBER},", lambda: (
        ran("zero", "ranks=4 steps=40"), ran("zero", "ranks=4 steps=40 stage=0")
    )),
]  # fmt: skip


@pytest.mark.parametrize(
    ("lesson", "pattern", "recorded"), FIGURES, ids=[f"{name}-{n}" for n, (name, *_) in enumerate(FIGURES)]
)
def test_a_figure_is_that_of_the_recording(
    lesson: str, pattern: str, recorded: Callable[[], tuple[float, ...]]
) -> None:
    found = re.search(pattern, (COURSE / f"{lesson}.md").read_text("utf-8"))
    assert found is not None
    for text, value in zip(found.groups(), recorded(), strict=True):
        digits = len(text.partition(".")[2])
        assert float(text) == pytest.approx(value, abs=0.51 * 10**-digits), pattern
