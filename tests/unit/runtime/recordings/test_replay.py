"""A recorded run shows at every second what the panel showed then, obeys its clock, and ends as it ended."""

from __future__ import annotations

import asyncio
import gzip
import json
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_runs import ASKED, STEP_S, T0, about, events, loss, record
from msgspec.structs import replace

from runtime.protocol import messages
from runtime.protocol.diagnosis_message import Diagnosis, RankRow
from runtime.protocol.events import Event
from runtime.protocol.figures import Failure, Recovery
from runtime.recordings import replay, summary
from runtime.recordings.files import About, Unreadable
from runtime.recordings.recording import Recording, due_times, load
from runtime.recordings.replay import Replay, Replays
from slides.drawing.text import plain
from tui.views.panel import panel

A, B, C = "20261121-041000-aaaa", "20261121-041001-bbbb", "20261121-051002-cccc"


def recording(made: list[Event] | None = None, said: About | None = None) -> Recording:
    made, said = events(A) if made is None else made, about(A) if said is None else said
    origin, due = due_times(said, made)
    return Recording(said, made, due, origin, "")


def test_it_begins_with_the_first_word_and_stands_at_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Replay("b", recording())
    at_first = shown.snapshot()
    assert (at_first.badge, at_first.state, at_first.block, at_first.run) == ("REPLAY", "running", "b", A)
    assert [row.state for row in at_first.rows] == ["start", "start"]
    assert at_first.ran_s == pytest.approx(T0 - ASKED)  # the launch before it counts, but nobody waits for it
    assert at_first.playback is not None and at_first.playback.at_s == 0.0
    assert at_first.playback.length_s == pytest.approx(0.2 + 8 * STEP_S)
    assert at_first.playback.made.startswith("2020-09-1") and at_first.playback.speed == 0.0

    shown.seek(999.0, 1.0)
    last = shown.snapshot()
    assert (last.state, last.why, last.ran_s) == ("done", "", 9.5)
    assert [(row.state, row.step, row.loss) for row in last.rows] == [
        ("done", 7, loss(rank, 7)) for rank in (0, 1)
    ]
    assert last.playback is not None and last.playback.speed == 0.0
    assert last.playback.at_s == last.playback.length_s


def test_its_end_says_why_as_it_was_said_and_no_other_second_does() -> None:
    rows = (RankRow(0, 18, "all-reduce 4 B", "rank 1", 3.0, True),)
    why = Diagnosis("deadlock", "rank 0 waits", (), "who leaves early?", 18, rows, ((0, 1),))
    said = msgspec.json.decode(msgspec.json.encode(replace(about(A), diagnosis=why)), type=About)
    shown = Replay("b", recording(said=said))
    assert shown.snapshot().diagnosis is None
    shown.seek(999.0, 1.0)
    assert shown.snapshot().diagnosis == why
    shown.seek(0.4, 1.0)
    assert shown.snapshot().diagnosis is None
    strange = Diagnosis("deadlock", "x", edges=((0, 7),))
    shown = Replay("b", recording(said=replace(about(A), diagnosis=strange)))
    shown.seek(999.0, 1.0)
    assert shown.snapshot().diagnosis is None, "a rank that the run does not have"


@pytest.mark.parametrize("at_s", [0.4, 0.7, 1.3, 2.95, 4.0])
def test_any_second_is_as_it_was(at_s: float) -> None:
    shown = Replay("b", recording())
    shown.seek(at_s, 0.0)
    steps = int((at_s - 0.1) / STEP_S + 1e-9)  # whole ones by then
    found = shown.snapshot()
    assert [row.step for row in found.rows] == [steps - 1 if steps else None] * 2
    assert found.collective_bytes == (1000 if steps else None)
    assert [len(curve.steps) for curve in found.curves] == [steps] * (2 if steps else 0)
    if steps:  # rank 0 enters 100 ms before rank 1, and waits for it
        assert found.rows[0].wait == pytest.approx(0.1) and found.rows[1].wait == pytest.approx(0.0)
        since = at_s - 0.1 - steps * STEP_S
        assert found.rows[0].silent_s == pytest.approx(since, abs=replay.TOGETHER_S + 1e-6)


@settings(deadline=None, max_examples=40)
@given(places=st.lists(st.floats(-1.0, 10.0), min_size=1, max_size=6), marked=st.integers(0, 5))
def test_the_way_there_does_not_matter(places: list[float], marked: int) -> None:
    """Forwards, backwards, with marks and without: the same second is the same picture."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay, "EVERY", 9)
        wandered = Replay("b", recording())
        for n, at_s in enumerate(places):
            if n == marked:
                wandered.mark()
            wandered.seek(at_s, 0.0)
    direct = Replay("b", recording())
    direct.seek(places[-1], 0.0)
    assert wandered.snapshot() == direct.snapshot()


def test_marks_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "EVERY", 1)
    monkeypatch.setattr(replay, "MOST_MARKS", 7)
    shown = Replay("b", recording())
    shown.mark()
    assert len(shown.marks) <= 9
    assert [mark.taken for mark in shown.marks] == sorted({mark.taken for mark in shown.marks})


def test_it_goes_by_its_speed_stands_and_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [50.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    shown = Replay("b", recording())
    shown.seek(None, 2.0)
    clock[0] += 1.0
    shown.advance()
    assert shown.at_s == pytest.approx(2.0)
    shown.seek(None, 0.0)
    clock[0] += 100.0
    shown.advance()
    assert shown.at_s == pytest.approx(2.0)
    shown.seek(1.0, 0.5)
    clock[0] += 1.0
    assert shown.at_s == pytest.approx(1.5)
    clock[0] += 100.0
    shown.advance()
    assert (shown.at_s, shown.speed) == (shown.length_s, 0.0)
    shown.seek(None, 0.0)
    assert shown.at_s == shown.length_s
    shown.seek(None, 1.0)
    assert (shown.at_s, shown.speed) == (0.0, 1.0)
    shown.seek(float("nan"), float("inf"))
    assert (shown.at_s, shown.speed) == (0.0, replay.MAX_SPEED)


def test_times_of_another_clock_keep_their_place() -> None:
    made = events(A)
    wild = [replace(event, t=event.t + 1e6) if event.rank == 1 else event for event in made]
    found = recording(wild)
    assert found.length_s == pytest.approx(0.2 + 8 * STEP_S)
    assert all(a <= b for a, b in pairwise(found.due))
    shown = Replay("b", found)
    shown.seek(1.2, 0.0)
    assert [row.step for row in shown.snapshot().rows] == [1, 1]


def test_a_new_generation_has_figures_of_its_own() -> None:
    first = events(A)[:-3]
    second = events(A, generation=2, t0=T0 + 10.0, steps=2)
    shown = Replay("b", recording([*first, *second], about(A, ran_s=30.0, generation=2)))
    shown.seek(9.0, 0.0)
    assert (shown.snapshot().generation, shown.snapshot().rows[0].step) == (1, 7)
    shown.seek(10.5, 0.0)
    assert (shown.snapshot().generation, shown.snapshot().rows[0].step) == (2, None)
    shown.seek(99.0, 0.0)
    assert (shown.snapshot().generation, shown.snapshot().rows[0].step) == (2, 1)


@pytest.mark.parametrize(
    ("said", "state", "why"),
    [
        (
            {"state": "failed", "why": "rank 1 was killed by SIGKILL"},
            "failed",
            "rank 1 was killed by SIGKILL",
        ),
        ({"state": ""}, "stopped", ""),
        ({"state": "of another age"}, "stopped", ""),
        ({"ran_s": None, "asked_at": None}, "done", ""),
    ],
)
def test_it_ends_as_it_ended(said: dict[str, object], state: str, why: str) -> None:
    shown = Replay("b", recording(said=about(A, **said)))
    shown.seek(1.0, 0.0)
    assert (shown.snapshot().state, shown.snapshot().fault) == ("running", "")
    shown.seek(99.0, 0.0)
    last = shown.snapshot()
    assert (last.state, last.why, last.fault) == (state, why, why)


def test_a_run_of_a_demo_nobody_knows_and_one_without_events_are_shown() -> None:
    said = about(A, demo="of tomorrow", params={"width": "\x1b[2J"}, values={"ranks": 2, "x": None}, ranks=2)
    shown = Replay("b", recording(said=said))
    shown.seek(99.0, 0.0)
    assert (shown.snapshot().demo, shown.snapshot().world, shown.snapshot().steps) == ("of tomorrow", 2, 8)
    empty = Replay("b", recording([]))
    empty.seek(None, 1.0)
    assert (empty.snapshot().state, empty.speed) == ("done", 0.0)


def test_its_parameters_are_those_it_had_then() -> None:
    said = about(A, params={"ranks": "2"}, values={"ranks": 2, "lr": 0.25, "gone": 7, "steps": 8})
    shown = Replay("b", recording(said=said))
    assert shown.demo.values["lr"] == 0.25 and "gone" not in shown.demo.values
    assert shown.snapshot().params == {"ranks": "2"}


def test_a_step_far_away_does_not_hang_the_host(home: Path) -> None:
    """What a file says of steps is not to be counted through."""
    from runtime.protocol.events import Step

    far = Step(A, 1, 0, T0 + 1.0, 10**15, T0, 1.0, 1, 0.0, 0.0, 1.0, 0.0, 0.0)
    began = time.process_time()
    shown = Replay("b", recording([*events(A)[:20], far, *events(A)[20:]]))
    shown.seek(99.0, 0.0)
    assert shown.snapshot().rows[1].step == 7
    assert time.process_time() - began < 2.0


# --- in a class -----------------------------------------------------------------------------------------


async def test_it_is_recalled_plays_and_is_dropped(home: Path) -> None:
    record(home, A)
    seen: list[float] = []
    replays = Replays(lambda shown, urgent: seen.append(shown.at_s))
    found = await replays.recall("b", "ddp", {"ranks": "2", "steps": "8"})
    assert found is not None and replays.shown == {"b": found} and found.speed == 1.0
    async with asyncio.timeout(20):
        while len([at for at in seen if at > 0.0]) < 2:
            await asyncio.sleep(0.01)
    assert seen == sorted(seen)
    replays.seek("b", 3.0, 0.0)
    assert seen[-1] == 3.0
    replays.seek("nowhere", 3.0, 0.0)
    replays.seek("b", None, 64.0)
    async with asyncio.timeout(20):
        while found.speed > 0.0:
            await asyncio.sleep(0.01)
    assert found.snapshot().state == "done"
    replays.drop("b")
    assert replays.shown == {}
    replays.close()


async def test_another_run_says_so_in_its_badge_and_in_full(home: Path) -> None:
    record(home, A)
    replays = Replays(lambda shown, urgent: None)
    asked = {"ranks": "2", "steps": "8", "slow_rank": "1"}
    for run in ("", A):  # by itself, and when a restarted host shows it again
        found = await replays.recall("b", "ddp", asked, run)
        assert found is not None
        shown = found.snapshot()
        assert shown.badge == "REPLAY of another run" and shown.playback is not None
        assert shown.playback.differs == ("slow_rank=-1 (asked 1)",)
        for width, height in ((80, 9), (100, 16), (160, 26)):
            text = " ".join(plain(line) for line in panel(shown, width, height))
            assert "recorded with slow_rank=-1 (asked 1)" in text
            assert "REPLAY of another run" in text
    same = await replays.recall("b", "ddp", {"ranks": "2", "steps": "8"})
    assert same is not None and same.snapshot().badge == "REPLAY"
    replays.close()


async def test_the_newest_wish_wins(home: Path) -> None:
    record(home, A)
    record(home, B)
    replays = Replays(lambda shown, urgent: None)
    slow = asyncio.create_task(replays.recall("b", "ddp", {}, A))
    await asyncio.sleep(0)
    fast = await replays.recall("b", "ddp", {}, B)
    assert await slow is None
    assert fast is not None and replays.shown["b"] is fast
    late = asyncio.create_task(replays.recall("b", "ddp", {}, A))
    await asyncio.sleep(0)
    replays.drop("b")  # somebody started it live
    assert await late is None and replays.shown == {}
    replays.close()


async def test_without_a_run_it_says_so(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replays = Replays(lambda shown, urgent: None)
    with pytest.raises(Unreadable, match=r"there is no recorded run of \?\[2Jmine yet"):
        await replays.recall("b", "\x1b[2Jmine", {})
    with pytest.raises(Unreadable, match="no recorded run has this id"):
        await replays.recall("b", "ddp", {}, "../../etc")
    assert replays.shown == {}


# --- figures for files ----------------------------------------------------------------------------------


def test_a_row_per_rank_and_step() -> None:
    rows = summary.step_rows(events(A), 2)
    assert [(row["step"], row["rank"]) for row in rows] == [
        (step, rank) for step in range(8) for rank in (0, 1)
    ]
    for row in rows:
        assert row["step_s"] == pytest.approx(STEP_S)
        parts = ("data_s", "compute_s", "hidden_s", "exposed_s", "wait_s", "optimizer_s", "other_s")
        assert sum(row[part] for part in parts) == pytest.approx(STEP_S)
        assert row["wait_s"] == pytest.approx(0.1 if row["rank"] == 0 else 0.0)
        assert (row["collectives"], row["payload_bytes"]) == (1, 1000)
        assert (row["loss"], row["checksum"]) == (loss(row["rank"], row["step"]), f"c{row['step']}")
        assert row["params_bytes"] is None  # nobody weighed anything


def test_a_step_that_not_all_were_heard_on_has_its_own_figures_only() -> None:
    made = [e for e in events(A, steps=3) if not (e.rank == 1 and getattr(e, "step", 0) == 2)][:-3]
    lone = [row for row in summary.step_rows(made, 2) if row["step"] == 2]
    assert [(row["rank"], row["wait_s"]) for row in lone] == [(0, None)]
    assert lone[0]["step_s"] == pytest.approx(STEP_S)


@settings(deadline=None, max_examples=120)
@given(data=st.data())
def test_events_that_nobody_ever_sent_break_nothing(data: st.DataObject) -> None:
    """Numbers and words of a file changed at will: what decodes is shown, exported, and can be sent."""
    lines = [msgspec.json.encode(event) for event in events(A, steps=3)]
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(lines) - 1))
        fields = json.loads(lines[at])
        spot = data.draw(st.integers(2, len(fields) - 1))
        wild = [0, -1, 7, 2**40, -(2**62), 1e308, -1e-308, None, "", "\x1b[2J", [], [1e308, None], True, "0"]
        fields[spot] = data.draw(st.sampled_from(wild))
        lines[at] = json.dumps(fields).encode()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "run.json").write_bytes(msgspec.json.encode(about(A)))
        (Path(folder) / "events.jsonl.gz").write_bytes(gzip.compress(b"\n".join([*lines, b""])))
        found = load(Path(folder))
    shown = Replay("b", found)
    shown.mark()
    for at_s in (1.0, found.length_s, 0.5):
        shown.seek(at_s, 0.0)
        assert messages.decode(messages.encode(shown.snapshot()))
    summary.step_rows(found.events, 2)


def test_a_failover_comes_back_phase_by_phase() -> None:
    made = [*events(A, steps=4)[:-3], *events(A, steps=2, generation=2, t0=T0 + 10.0)]
    failure = Failure(2, "rank 1 was killed", 3, T0 + 5.0, T0 + 5.5, T0 + 6.0, T0 + 7.0)
    whole = Recovery(2, "rank 1 was killed", (("detected", 0.5), ("killed", 0.5), ("forked", 1.0)), 4)
    said = about(A, ran_s=30.0, generation=2, failures=(failure,), recoveries=(whole,))
    shown = Replay("b", recording(made, said))

    def at(seconds: float) -> tuple[Recovery, ...]:
        shown.seek(seconds, 0.0)
        return shown.snapshot().recoveries

    assert at(5.2) == ()  # nobody had seen it yet
    assert at(6.5) == (Recovery(2, "rank 1 was killed", (("detected", 0.5), ("killed", 0.5)), None),)
    assert [name for name, _ in at(9.0)[0].phases] == ["detected", "killed", "forked"]
    shown.seek(999.0, 0.0)
    (last,) = shown.snapshot().recoveries
    assert (last.lost_steps, shown.snapshot().generation) == (4, 2)
    assert at(1.0) == ()
