"""The watchdog's sentence names the rank that holds up the others."""

from __future__ import annotations

from typing import Any

from runtime import watchdog
from runtime.figures import RankRow


def row(rank: int, state: str = "all-reduce", seq: int = 42, **more: Any) -> RankRow:
    return RankRow(rank=rank, node=0, pid=100 + rank, state=state, seq=seq, **more)


def test_quiet_while_steps_come() -> None:
    rows = [row(r) for r in range(4)]
    assert watchdog.look(rows, 100.0, 4.9, 0.1) is None
    assert watchdog.look(rows, 19.0, None, None) is None


def test_one_collective_behind() -> None:
    rows = [row(0), row(1), row(2, "backward", 41), row(3)]
    finding = watchdog.look(rows, 60.0, 6.0, 0.1)
    assert finding is not None
    assert finding.text == "no step for 6 s: rank 2 is in backward, one collective behind (#41 of 42)"
    assert finding.overdue == 6.0 / 5.0


def test_the_collectives_have_their_names() -> None:
    def said(behind: str, *others: str) -> str:
        rows = [row(0, "forward", 41, last=behind), *(row(r + 1, last=o) for r, o in enumerate(others))]
        return watchdog.suspect(rows).removeprefix("rank 0 is in forward, one collective behind")

    assert said("all-reduce #40", "all-reduce #41", "all-reduce #41") == (
        ": all-reduce #40, the others entered #41"
    )
    assert said("all-reduce #40", "barrier #41") == ": all-reduce #40, the others entered barrier #41"
    assert said("", "all-reduce #0") == ": none yet, the others entered all-reduce #0"
    assert said("all-reduce #40", "all-reduce #41", "send #3") == " (#41 of 42)"  # they do not agree
    assert said("all-reduce #40", "all-reduce #41", "") == " (#41 of 42)"


def test_slow_steps_have_more_time() -> None:
    rows = [row(r) for r in range(2)]
    assert watchdog.look(rows, 60.0, 9.0, 2.0) is None
    assert watchdog.look(rows, 60.0, 11.0, 2.0) is not None


def test_a_stopped_process_is_silent() -> None:
    rows = [row(0), row(1, "forward", 41, silent_s=6.2)]
    assert watchdog.suspect(rows) == "rank 1 is silent for 6 s, last seen in forward"


def test_one_that_stands_while_the_others_go_on_is_named() -> None:
    rows = [row(0), row(1, "optimizer", silent_s=5.2), row(2, silent_s=0.1)]
    finding = watchdog.look(rows, 60.0, 0.1, 0.01)
    assert finding == watchdog.Finding("rank 1 is silent for 5 s, last seen in optimizer", 1.0)
    rows = [row(0), row(1, "optimizer", silent_s=4.9), row(2, "ended", silent_s=60.0)]
    assert watchdog.look(rows, 60.0, 0.1, 0.01) is None
    # None was heard: then it is us who were not there to listen.
    assert watchdog.look([row(0, silent_s=6.0), row(1, silent_s=6.0)], 60.0, 0.1, 0.01) is None


def test_before_the_first_step() -> None:
    rows = [row(r, "rendezvous", 0) for r in range(4)]
    finding = watchdog.look(rows, 21.0, None, None)
    assert finding is not None and finding.text == "no step after 21 s: all ranks are in rendezvous"
    missing = [row(0, "rendezvous", 0), RankRow(rank=1, node=0, pid=0, state="start")]
    assert watchdog.suspect(missing) == "rank 1 never reported"


def test_different_phases_and_nobody() -> None:
    rows = [row(0, "forward", 3), row(1, "data", 3), row(2, "data", 3)]
    assert watchdog.suspect(rows) == "ranks 1, 2 in data; rank 0 in forward"
    assert watchdog.suspect([row(0, "done")]) == "no rank is left"
