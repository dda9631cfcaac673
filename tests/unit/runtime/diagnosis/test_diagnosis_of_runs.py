"""Why a demo or a script stands still or has failed, from the events of its ranks as they come."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from runtime.diagnosis import run_diagnosis
from runtime.metrics.store import RunStore
from runtime.protocol.events import Beat, Collective, Done, Event, Fault, Group, Hello, Log

NOW, WORLD = 100.0, 4
GONE = "RuntimeError: [pair.cc:553] Connection closed by peer [127.0.0.1]:12720"


def common(rank: int) -> tuple[str, int, int, float]:
    return ("run", 1, rank, NOW)


def launched(*events: Event) -> RunStore:
    store = RunStore(WORLD, NOW)
    for rank in range(WORLD):
        hello = Hello(*common(rank), 1, rank, 0, WORLD, 100 + rank, "cpu", "gloo", NOW, NOW, "msgpack")
        store.ingest_all([hello, Group(*common(rank), "0", "default", [0, 1, 2, 3])], now=NOW)
    store.ingest_all(events, now=NOW)
    return store


def stands(
    rank: int, waits: str, line: int, peer: int = -1, entered: int = 1, since: float = NOW - 4.0
) -> Beat:
    past = {"0": entered}
    return Beat(*common(rank), "other", -1, 2, 1, 0, waits, 0, waits, "0", peer, past, line, 1_000_000, since)


def done(rank: int, op: str, seq: int, size: int = 4096) -> Collective:
    return Collective(*common(rank), seq, op, "0", -1, size, -1, NOW - 9.0, NOW - 8.0, 0.0)


def test_a_circle_of_sends_is_told_with_lines_and_seconds() -> None:
    store = launched(*(stands(rank, "send #0", 11, (rank + 1) % WORLD) for rank in range(WORLD)))
    found = run_diagnosis.stand_still(store, NOW)
    assert found is not None
    assert found.headline == "A circle: 0 waits for 1, 1 for 2, 2 for 3, 3 for 0. Nobody receives."
    assert (found.line, found.edges) == (11, ((0, 1), (1, 2), (2, 3), (3, 0)))
    row = found.rows[0]
    assert (row.doing, row.partner, row.since_s) == ("send 1.0 MB", "rank 1", 4.0)


def test_it_is_told_only_when_it_is_certain() -> None:
    four = [stands(rank, "send #0", 11, (rank + 1) % WORLD) for rank in range(WORLD)]
    assert run_diagnosis.stand_still(launched(*four[:3]), NOW) is None, "a rank may still receive"
    young = [stands(rank, "send #0", 11, (rank + 1) % WORLD, since=NOW - 1.0) for rank in range(WORLD)]
    assert run_diagnosis.stand_still(launched(*young), NOW) is None
    slow = [stands(rank, "all-reduce #0", 11) for rank in range(WORLD)]
    assert run_diagnosis.stand_still(launched(*slow), NOW) is None, "all are there: it only takes its time"


def test_another_collective_on_one_rank() -> None:
    """Ranks 1 and 3 are through with the broadcast, which is over for them early, and stand in the next."""
    past = [done(rank, "all-reduce", seq) for rank in range(WORLD) for seq in range(6)]
    past += [done(rank, "broadcast", 6) for rank in (1, 3)]
    store = launched(
        *past, stands(0, "broadcast #6", 12, entered=7), stands(1, "barrier #7", 13, entered=8),
        stands(2, "all-reduce #6", 10, entered=7), stands(3, "barrier #7", 13, entered=8),
    )  # fmt: skip
    found = run_diagnosis.stand_still(store, NOW)
    assert found is not None
    assert found.headline == "rank 2 is in all-reduce number 7, the others in broadcast"
    assert (found.kind, found.line) == ("mismatch", 10)


def test_a_rank_that_computes_is_named_with_its_line() -> None:
    busy = Beat(*common(2), "other", -1, 1, 1, 0, "all-reduce #0", 0, "", "", -1, {"0": 1}, 40)
    waiting = [stands(rank, "all-reduce #1", 12, entered=2) for rank in (0, 1, 3)]
    found = run_diagnosis.why(launched(busy, *waiting), NOW, 7.0)
    assert found is not None
    assert found.headline == "rank 2 is at line 40, ranks 0, 1 and 3 wait for it: no step for 7 s"


def test_who_is_through_while_the_others_still_call() -> None:
    ended = Done(*common(3), 0, None, {})
    faults = [Fault(*common(rank), GONE, "oneout.py:12") for rank in range(3)]
    found = run_diagnosis.after_failure(launched(ended, *faults), {}, NOW)
    assert found is not None
    assert found.headline == "rank 3 has ended, and the others still wait for it"
    assert (found.line, found.file) == (12, "oneout.py")


def test_an_error_is_told_in_plain_words_and_those_who_only_lost_the_others_are_not_blamed() -> None:
    own = "RuntimeError: The size of tensor a (8) must match the size of tensor b (9) at non-singleton"
    faults = [Fault(*common(rank), GONE, "train.py:30") for rank in (0, 2, 3)]
    found = run_diagnosis.after_failure(launched(*faults, Fault(*common(1), own, "model.py:7")), {}, NOW)
    assert found is not None
    assert found.headline == "rank 1: two tensors do not fit: 8 and 9 elements (line 7)"
    assert found.file == "model.py"
    assert found.rows[0].doing == "lost the others"


def test_gloo_that_ends_a_rank_says_which_calls_do_not_fit() -> None:
    abort = Log(*common(1), "err", "terminate: [enforce fail] op.preamble.length <= op.nbytes. 4000 vs 3996")
    early = Beat(*common(1), "other", -1, 0, 0, 0, line=4)
    store = launched(early, abort, Fault(*common(0), GONE, "shapes.py:7"))
    found = run_diagnosis.after_failure(store, {1: "was killed by SIGABRT"}, NOW)
    assert found is not None
    assert (found.kind, found.headline) == ("mismatch", "rank 1 was sent more than its call takes")
    assert found.line == 7, "where the others made the call: its own place is from before"


def test_gloo_that_ends_a_rank_blames_the_one_that_is_in_another_call() -> None:
    """Rank 2 left the call of line 14 out and is in the next one, of line 11; gloo ended rank 1."""
    abort = Log(*common(1), "err", "terminate: [enforce fail] op.preamble.length <= op.nbytes. 9488 vs 4")
    two = replace(stands(2, "all-reduce #9", 11, entered=10), bytes=9_488)
    others = (replace(stands(rank, "all-reduce #9", 14, entered=10), bytes=4) for rank in (0, 3))
    faults = [Fault(*common(rank), GONE, f"skip.py:{11 if rank == 2 else 14}") for rank in (0, 2, 3)]
    ends = [Done(*common(rank), 1, None, {}) for rank in (0, 2, 3)]
    store = launched(two, *others, abort, *faults, *ends)
    found = run_diagnosis.after_failure(store, {1: "was killed by SIGABRT"}, NOW)
    assert found is not None
    said = "all-reduce number 10 is of different sizes: ranks 0 and 3 4 B, rank 2 9.5 KB"
    assert (found.kind, found.headline, found.line) == ("mismatch", said, 11)
    assert found.details == ("line 14: ranks 0 and 3, 4 B", "line 11: rank 2, 9.5 KB")


def test_where_others_lost_each_other_tells_too_who_is_in_another_call() -> None:
    abort = Log(*common(1), "err", "terminate: [enforce fail] op.preamble.length <= op.nbytes. 9488 vs 4")
    faults = [Fault(*common(rank), GONE, f"skip.py:{11 if rank == 2 else 14}") for rank in (0, 2, 3)]
    found = run_diagnosis.after_failure(launched(abort, *faults), {1: "was killed by SIGABRT"}, NOW)
    assert found is not None and (found.kind, found.line, found.file) == ("mismatch", 11, "skip.py")
    said = "rank 2 was in the call of line 11, ranks 0 and 3 in that of line 14, and the two do not fit"
    assert found.headline == said


@pytest.mark.parametrize("state", run_diagnosis.BEFORE)
def test_nothing_is_told_of_a_launch(state: str) -> None:
    store = launched(*(stands(rank, "", 4) for rank in range(WORLD)))
    store.ranks[1].state = state
    assert run_diagnosis.why(store, NOW, 20.0) is None
