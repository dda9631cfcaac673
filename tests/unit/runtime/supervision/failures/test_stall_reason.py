"""The sentence that says why a run is stuck names the rank that holds up the others."""

from __future__ import annotations

from typing import Any

from runtime.metrics.collectives.bandwidth import Members
from runtime.metrics.collectives.who_waits import standing
from runtime.protocol.events import Beat
from runtime.protocol.figures import RankRow
from runtime.supervision.failures import stall_reason


def row(rank: int, state: str = "all-reduce", seq: int = 42, **more: Any) -> RankRow:
    return RankRow(rank=rank, node=0, pid=100 + rank, state=state, seq=seq, **more)


def test_quiet_while_steps_come() -> None:
    rows = [row(r) for r in range(4)]
    assert stall_reason.look(rows, 100.0, 4.9, 0.1) is None
    assert stall_reason.look(rows, 19.0, None, None) is None


def test_a_start_that_gets_on_is_late_but_not_stuck() -> None:
    """An import from a slow disk: it is told how long that takes, and counts from when ranks last got on."""
    rows = [row(r, "import", None) for r in range(4)]
    late = stall_reason.look(rows, 90.0, None, None, since_phase_s=10.0)
    assert late is not None
    assert (late.text, late.overdue) == ("no step after 90 s: all ranks are in import", 0.5)
    stuck = stall_reason.look(rows, 90.0, None, None, since_phase_s=40.0)
    assert stuck is not None and stuck.overdue == 2.0


def test_one_collective_behind() -> None:
    rows = [row(0), row(1), row(2, "backward", 41), row(3)]
    finding = stall_reason.look(rows, 60.0, 6.0, 0.1)
    assert finding is not None
    assert finding.text == "no step for 6 s: rank 2 is in backward, one collective behind (#41 of 42)"
    assert finding.overdue == 6.0 / 5.0


def test_the_collectives_have_their_names() -> None:
    def said(behind: str, *others: str) -> str:
        rows = [row(0, "forward", 41, last=behind), *(row(r + 1, last=o) for r, o in enumerate(others))]
        return stall_reason.suspect(rows).removeprefix("rank 0 is in forward, one collective behind")

    assert said("all-reduce #40", "all-reduce #41", "all-reduce #41") == (
        ": all-reduce #40, the others entered #41"
    )
    assert said("all-reduce #40", "barrier #41") == ": all-reduce #40, the others entered barrier #41"
    assert said("", "all-reduce #0") == ": none yet, the others entered all-reduce #0"
    assert said("all-reduce #40", "all-reduce #41", "broadcast #3") == " (#41 of 42)"  # they do not agree
    assert said("all-reduce #40", "all-reduce #41", "") == " (#41 of 42)"


def test_slow_steps_have_more_time() -> None:
    rows = [row(r) for r in range(2)]
    assert stall_reason.look(rows, 60.0, 9.0, 2.0) is None
    assert stall_reason.look(rows, 60.0, 11.0, 2.0) is not None


def test_a_stopped_process_is_silent() -> None:
    rows = [row(0), row(1, "forward", 41, silent_s=6.2)]
    assert stall_reason.suspect(rows) == "rank 1 has been silent for 6 s, last seen in forward"
    rows = [row(0), row(1, "other", 41, silent_s=6.2)]
    assert stall_reason.suspect(rows) == "rank 1 has been silent for 6 s"


def test_one_that_stands_while_the_others_go_on_is_named() -> None:
    rows = [row(0), row(1, "optimizer", silent_s=5.2), row(2, silent_s=0.1)]
    finding = stall_reason.look(rows, 60.0, 0.1, 0.01)
    text = "rank 1 has been silent for 5 s, last seen in optimizer"
    assert finding == stall_reason.Finding(text, 1.0, stall_reason.STALL_S)
    rows = [row(0), row(1, "optimizer", silent_s=4.9), row(2, "ended", silent_s=60.0)]
    assert stall_reason.look(rows, 60.0, 0.1, 0.01) is None
    # None was heard: then it is us who were not there to listen.
    assert stall_reason.look([row(0, silent_s=6.0), row(1, silent_s=6.0)], 60.0, 0.1, 0.01) is None


def test_before_the_first_step() -> None:
    rows = [row(r, "rendezvous", 0) for r in range(4)]
    finding = stall_reason.look(rows, 21.0, None, None)
    assert finding is not None and finding.text == "no step after 21 s: all ranks are in rendezvous"
    missing = [row(0, "rendezvous", 0), RankRow(rank=1, node=0, pid=0, state="start")]
    assert stall_reason.suspect(missing) == "rank 1 never reported"


def test_different_phases_and_nobody() -> None:
    rows = [row(0, "forward", 3), row(1, "data", 3), row(2, "data", 3)]
    assert stall_reason.suspect(rows) == "ranks 1, 2 in data; rank 0 in forward"
    assert stall_reason.suspect([row(0, "done")]) == "no rank is left"


class Rig:
    """Signs of life of ranks that stand, and what is said of them."""

    def __init__(self, world: int, groups: dict[str, Members] | None = None) -> None:
        self.world, self.groups = world, groups or {}
        self.beats: dict[int, Beat] = {}
        self.rows: list[RankRow] = []

    def rank(
        self,
        state: str,
        seq: int,
        waits: str = "",
        group: str = "0",
        peer: int = -1,
        of_default: int = 0,
        **entered: int,
    ) -> Rig:
        rank = len(self.rows)
        last = waits or "send #3"
        self.rows.append(row(rank, state, seq, last=last))
        self.beats[rank] = Beat(
            "r",
            1,
            rank,
            0.0,
            state,
            3,
            seq,
            seq,
            0,
            last,
            0,
            waits,
            group if waits else "",
            peer,
            {"0": of_default, **entered},
        )
        return self

    @property
    def says(self) -> str:
        ended = {r.rank for r in self.rows if r.state in stall_reason.OVER}
        return stall_reason.suspect(self.rows, standing(self.beats, ended, self.groups, self.world))


def test_in_a_pipeline_who_computes_is_named_and_not_who_has_less_to_send() -> None:
    """The ends of a pipeline enter half the transfers of those between, by right."""
    rig = Rig(4).rank("other", 105, "receive #7", peer=1).rank("forward", 210)
    rig.rank("other", 208, "receive #12", peer=1).rank("other", 103, "receive #12", peer=2)
    assert rig.says == "rank 1 is in forward, rank 0 waits for it in receive #7, rank 2 in receive #12"


def test_in_the_groups_of_a_mesh_the_missing_member_is_named() -> None:
    groups = {"a": Members("mesh_shard", (0, 1)), "b": Members("mesh_shard", (2, 3))}
    rig = Rig(4, groups).rank("backward", 9, "all-gather #4", "a", a=5, r=2)
    rig.rank("forward", 8, a=4, r=2)
    rig.rank("backward", 10, "all-reduce #2", "r", b=6, r=3).rank("backward", 10, "all-gather #6", "b", b=7)
    rig.groups["r"] = Members("mesh_replicate", (0, 2))
    assert rig.says == "rank 1 is in forward, rank 0 waits for it in all-gather #4"


def test_who_stopped_early_is_waited_for() -> None:
    rig = Rig(3).rank("backward", 9, "all-reduce #8", of_default=9).rank("done", 8, of_default=8)
    rig.rank("backward", 9, "all-reduce #8", of_default=9)
    assert rig.says == "rank 1 has ended, ranks 0, 2 wait for it in all-reduce #8"


def test_a_ring_of_waiting_and_calls_that_do_not_fit_are_said_as_such() -> None:
    rig = Rig(2).rank("other", 3, "receive #2", peer=1).rank("other", 3, "receive #1", peer=0)
    assert rig.says == ("the ranks wait for each other: rank 0 waits in receive #2, rank 1 in receive #1")
    rig = (
        Rig(3)
        .rank("forward", 9, "all-gather #8", of_default=9)
        .rank("forward", 9, "reduce-scatter #8", of_default=9)
    )
    rig.rank("forward", 9, "all-gather #8", of_default=9)
    assert rig.says == (
        "the ranks have called collectives that do not fit together: ranks 0, 2 wait in all-gather #8, "
        "rank 1 in reduce-scatter #8"
    )


def test_transfers_are_not_counted_against_each_other() -> None:
    """Nobody says that it stands (an older rank): then numbers of transfers tell nothing."""
    rows = [row(0, "forward", 105, last="send #50"), row(1, "other", 210, last="receive #99")]
    assert stall_reason.suspect(rows) == "rank 0 in forward; rank 1 in other"
