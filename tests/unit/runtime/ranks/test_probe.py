"""The probe: silent without a host, and exact about time with one."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.protocol.events import Boot, Done, Event, Fault, Hello, Span, Step, Value
from runtime.ranks import measurements
from runtime.ranks import probe as module
from runtime.ranks.fail_safe import mishaps
from runtime.ranks.measurements import PHASES, partition, sampled
from runtime.ranks.probe import Probe

seconds = st.floats(0, 1e3)


class Kept:
    """Stands where the sender is and keeps what was said."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def put(self, event: Event) -> None:
        self.events.append(event)

    def flush(self, timeout_s: float = 0.2) -> bool:
        return True

    def close(self, timeout_s: float = 0.5) -> bool:
        return True


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch) -> tuple[Probe, Kept]:
    """A probe with a host, without torch; its clock moves by 1 s at each reading."""
    probe, kept = Probe(), Kept()
    monkeypatch.setattr(mishaps, "tell", mishaps.tell)
    monkeypatch.setattr("runtime.ranks.sender.Sender", lambda *_: kept)
    probe.start({"TEACHRUN_SOCKET": "the host's"})
    kept.events.clear()
    probe.instrument = lambda: None  # type: ignore[method-assign]
    clock = iter(range(1, 10_000))
    for part in (module, measurements):
        monkeypatch.setattr(part, "now", lambda: float(next(clock)))
    return probe, kept


def steps(kept: Kept) -> list[Step]:
    return [e for e in kept.events if isinstance(e, Step)]


@given(st.dictionaries(st.sampled_from(PHASES), seconds), seconds)
def test_the_parts_of_a_step_sum_to_its_wall_time(phases: dict[str, float], rest: float) -> None:
    wall = sum(phases.values()) + rest
    parts = partition(wall, phases)
    assert set(parts) == {*PHASES, "other"}
    assert sum(parts.values()) == pytest.approx(wall)
    assert parts["other"] == pytest.approx(rest, abs=1e-9 * (1 + wall))


def test_a_step_spans_its_block_and_each_phase_its_own(live: tuple[Probe, Kept]) -> None:
    probe, kept = live
    with probe.step(tokens=512):
        for name in ("data", "forward", "backward", "optimizer"):
            with probe.phase(name):
                pass
        probe.loss(2.5)
    [step] = steps(kept)
    assert (step.step, step.tokens, step.loss) == (0, 512, 2.5)
    assert (step.data, step.forward, step.backward, step.optimizer) == (1, 1, 1, 1)
    assert step.t - step.t0 == 9  # ten readings of the clock, one second apart
    assert step.data + step.forward + step.backward + step.optimizer + step.other == step.t - step.t0


def test_time_between_steps_belongs_to_none(live: tuple[Probe, Kept]) -> None:
    probe, kept = live
    for _ in range(3):
        with probe.step():
            pass
        for _ in range(50):
            module.now()
    assert [s.step for s in steps(kept)] == [0, 1, 2]
    assert {s.t - s.t0 for s in steps(kept)} == {1.0}


def test_a_phase_entered_twice_adds_up(live: tuple[Probe, Kept]) -> None:
    probe, kept = live
    with probe.step():
        for _ in range(3):  # micro-batches
            with probe.phase("forward"):
                pass
    assert steps(kept)[0].forward == 3


def test_the_loss_of_one_step_is_not_told_again(live: tuple[Probe, Kept]) -> None:
    probe, kept = live
    with probe.step():
        probe.loss(1.0)
    with probe.step():
        pass
    assert [s.loss for s in steps(kept)] == [1.0, None]


def test_a_step_that_raises_is_not_a_step(live: tuple[Probe, Kept]) -> None:
    probe, kept = live
    with pytest.raises(ZeroDivisionError), probe.step(), probe.phase("forward"):
        raise ZeroDivisionError
    assert steps(kept) == []


def test_the_beat_knows_the_phase(live: tuple[Probe, Kept]) -> None:
    probe, _ = live
    seen = []
    with probe.step():
        seen.append(probe.beat(0).phase)
        with probe.phase("forward"):
            seen.append(probe.beat(0).phase)
        seen.append(probe.beat(0).phase)
    last = probe.beat(7)
    assert seen == ["other", "forward", "other"]
    assert (last.phase, last.step, last.drops, last.seq_issued) == ("idle", 0, 7, 0)


def test_an_unknown_phase_is_told_and_the_script_goes_on(
    live: tuple[Probe, Kept], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mishaps, "known", {})
    probe, _ = live
    went_on = False
    with probe.step(), probe.phase("fwd"):
        went_on = True
    assert went_on
    assert "teachrun: the probe failed to time the phase 'fwd'" in capsys.readouterr().err
    assert Probe().phase("fwd") is not None  # nobody listens, nobody minds


def test_what_a_script_says(live: tuple[Probe, Kept]) -> None:
    probe, kept = live
    probe.boot("build")
    probe.value("buffer", list(range(100)), "B")
    probe.value("bandwidth", 3, "GB/s")
    probe.span("forward", 1.0, 2.0, stage=1, microbatch=3)
    probe.fault("ValueError: no", "ddp.py:3")
    probe.result(loss=2.5)
    probe.result(steps=10)
    probe.close(0)
    boot, many, one, span, fault, done = kept.events
    assert isinstance(span, Span) and (span.kind, span.microbatch, span.t1) == ("forward", 3, 2.0)
    assert isinstance(boot, Boot) and boot.phase == "build"
    assert isinstance(many, Value) and len(many.values) == 64
    assert isinstance(one, Value) and one.values == [3.0]
    assert isinstance(fault, Fault) and fault.root == "ddp.py:3"
    assert isinstance(done, Done) and done.result == {"loss": 2.5, "steps": 10} and done.code == 0
    assert not probe.active


def test_which_steps_are_looked_at() -> None:
    assert [n for n in range(31) if sampled(n)] == [0, 1, 10, 20, 30]


def test_without_a_host_it_does_nothing_and_imports_nothing() -> None:
    script = """
import sys, os
os.environ.pop("TEACHRUN_SOCKET", None)
from runtime.ranks.probe import probe
with probe.step(tokens=3) as s, probe.phase("forward"):
    probe.loss(1.0); probe.value("x", 1.0); probe.watch(None); probe.boot("build"); probe.result(a=1)
probe.close(0)
assert not probe.active
assert "torch" not in sys.modules and "runtime.ranks.sender" not in sys.modules
"""
    subprocess.run([sys.executable, "-P", "-c", script], check=True, timeout=30)


def test_silence_is_cheap() -> None:
    probe = Probe()

    def cost(rounds: int) -> float:
        begun = time.process_time()
        for _ in range(rounds):
            with probe.step(), probe.phase("forward"):
                pass
        return (time.process_time() - begun) / rounds

    assert min(cost(2000) for _ in range(5)) < 20e-6


def test_hello_comes_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[str, Any] = {}

    class Greeted(Kept):
        def __init__(self, address: str, hello: Hello, beat: Any, obey: Any) -> None:
            super().__init__()
            kept.update(address=address, hello=hello)

    monkeypatch.setattr("runtime.ranks.sender.Sender", Greeted)
    probe = Probe()
    probe.start(
        {
            "TEACHRUN_SOCKET": "/there",
            "TEACHRUN_RUN": "r7",
            "TEACHRUN_GENERATION": "2",
            "RANK": "3",
            "LOCAL_RANK": "1",
            "TEACHRUN_NODE": "1",
            "WORLD_SIZE": "4",
        }
    )
    hello = kept["hello"]
    assert kept["address"] == "/there"
    assert (hello.run, hello.generation, hello.rank) == ("r7", 2, 3)
    assert (hello.local_rank, hello.node, hello.world) == (1, 1, 4)
    assert abs((time.time() - time.monotonic()) - (hello.wall - hello.mono)) < 1
