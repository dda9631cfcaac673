"""What a student is told, made of what ranks told: pure, with no process behind it."""

from __future__ import annotations

from msgspec.structs import replace

from runtime.diagnosis import plain_errors
from runtime.diagnosis.deadlock import hopeless, stalled
from runtime.diagnosis.diagnosis import failed, mismatch, nowhere
from runtime.diagnosis.evidence import Evidence
from runtime.protocol.diagnosis_message import Diagnosis
from runtime.protocol.practice_messages import NOBODY, Call, Stands, Trouble

EVERY = (0, 1, 2, 3)


def call(rank: int, op: str, number: int = 1, peer: int = -1, size: int = 4096, line: int = 11) -> Call:
    return Call(rank, op, number, "world", EVERY, peer, size, line)


def evidence(*calls: Call, idle: tuple[int, ...] = ()) -> Evidence:
    """Each rank stands in its last call since second 1; it is second 4."""
    found = Evidence(4, now=4.0)
    for it in calls:
        found.add(it)
        found.stands[it.rank] = Stands(it.rank, it, it.line, 1.0, 7)
    for rank in idle:
        found.stands[rank] = Stands(rank, None, 0, 1.0, 7, True)
    return found


def misfits(found: Evidence) -> list[Diagnosis]:
    return [it for calls in found.calls.values() if (it := mismatch(found, calls)) is not None]


def test_ranks_that_have_all_fallen_silent_are_named() -> None:
    """A call that holds the interpreter: no thread of the rank can say at which line it is."""
    found = evidence(idle=EVERY)
    found.silent = dict.fromkeys(EVERY, 6.1)
    told = stalled(found, 6.2)
    assert told.headline == "ranks 0, 1, 2 and 3 have not reported for 6 s" and "GIL" in told.meaning


def test_a_circle_of_sends_is_named_and_drawn() -> None:
    told = stalled(evidence(*(call(rank, "send", peer=(rank + 1) % 4) for rank in EVERY)), 3.0)
    assert told.kind == "deadlock" and told.line == 11
    assert told.headline == "A circle: 0 waits for 1, 1 for 2, 2 for 3, 3 for 0. Nobody receives."
    assert told.edges == ((0, 1), (1, 2), (2, 3), (3, 0))
    assert next((row.doing, row.partner, row.since_s) for row in told.rows) == ("send 4.1 KB", "rank 1", 3.0)


def test_a_call_that_the_others_never_make() -> None:
    told = stalled(evidence(call(0, "barrier", number=2, size=0), idle=(1, 2, 3)), 2.0)
    assert told.headline == (
        "rank 0 waits in barrier for ranks 1, 2 and 3, "
        "which have finished and never call barrier for the 2nd time"
    )


def test_who_does_not_come_is_at_a_line_of_its_own() -> None:
    found = evidence(*(call(rank, "all-reduce") for rank in (0, 1, 3)))
    found.stands[2] = Stands(2, None, 9, 1.0, 7)
    told = stalled(found, 6.0).headline
    assert told == "rank 2 is at line 9, ranks 0, 1 and 3 wait for it: no step for 6 s"


def test_ranks_in_different_collectives() -> None:
    calls = [call(rank, "broadcast", 7, line=12) for rank in (0, 1, 3)]
    [told] = misfits(evidence(*calls, call(2, "all-reduce", 7, line=20)))
    assert told.kind == "mismatch" and told.line == 20
    assert told.headline == "rank 2 is in all-reduce number 7, the others in broadcast"
    assert told.details == ("line 12: ranks 0, 1 and 3 call broadcast", "line 20: rank 2 calls all-reduce")


def test_two_ends_of_a_transfer_of_different_sizes() -> None:
    [told] = misfits(evidence(call(0, "send", peer=1, size=400), call(1, "receive", peer=0, size=200)))
    assert told.headline == "rank 0 sends 400 B to rank 1, which receives 200 B"
    assert misfits(evidence(call(0, "send", peer=1), call(1, "receive", peer=0))) == []


def test_sizes_that_may_differ_and_that_may_not() -> None:
    assert misfits(evidence(call(0, "all-to-all", size=1), call(1, "all-to-all", size=2))) == []
    [told] = misfits(
        evidence(*(call(rank, "all-reduce", size=8) for rank in (0, 1, 3)), call(2, "all-reduce"))
    )
    assert told.headline == "all-reduce number 1 is of different sizes: ranks 0, 1 and 3 8 B, rank 2 4.1 KB"


def test_the_same_call_from_another_rank_and_another_group() -> None:
    roots = [replace(call(rank, "broadcast"), about=f"from rank {rank % 2}") for rank in EVERY]
    [told] = misfits(evidence(*roots))
    assert told.kind == "mismatch" and told.headline == (
        "broadcast number 1 is not the same on all ranks: "
        "ranks 0 and 2 from rank 0; ranks 1 and 3 from rank 1"
    )
    groups = [replace(call(rank, "new_group", size=0), about="new_group([0, 1])") for rank in (0, 1)]
    groups.append(replace(call(2, "new_group", size=0), about="new_group([2, 3])"))
    [told] = misfits(evidence(*groups))
    assert told.headline == (
        "ranks make different groups: ranks 0 and 1 call new_group([0, 1]), rank 2 calls new_group([2, 3])"
    )
    assert misfits(evidence(*groups[:2])) == []


def test_what_is_said_of_another_rank_names_it() -> None:
    found = evidence(idle=EVERY)
    found.troubles = {
        0: Trouble("wrong", "it is wrong: 3"),
        2: Trouble("wrong", "it is wrong", meaning="zeros"),
    }
    told = failed(found)
    assert told is not None and told.meaning == "on rank 2: zeros"


def test_a_rank_that_there_is_not() -> None:
    told = nowhere(evidence(call(3, "send", peer=NOBODY, line=17)))
    assert told is not None and told.headline == "rank 3 sends to a rank that does not exist (line 17)"


def test_the_cause_is_told_before_its_victims() -> None:
    found = evidence(*(call(rank, "all-reduce") for rank in (0, 1)))
    found.troubles[0] = Trouble("crash", "RuntimeError: Connection closed by peer [127.0.0.1]:1", 11)
    found.troubles[2] = Trouble("crash", "NameError: name 'wrld' is not defined", 8)
    told = failed(found)
    assert told is not None and told.headline == "rank 2: NameError: name 'wrld' is not defined (line 8)"


def test_a_wrong_number_is_told_with_its_place_and_a_transfer_that_has_one_end() -> None:
    found = evidence(call(3, "send", peer=0, line=13), idle=EVERY)  # sent by isend, and never waited for
    found.troubles[0] = Trouble("wrong", "what arrived is wrong", where="element [2]", expected="1", got="0")
    told = failed(found)
    assert told is not None and told.headline == "rank 0: what arrived is wrong"
    assert told.details == ("rank 0, element [2]: expected 1, got 0",)
    assert told.meaning == "rank 0 never receives what rank 3 sends (line 13)"


def test_errors_of_torch_in_plain_words() -> None:
    said = "RuntimeError: The size of tensor a (4) must match the size of tensor b (8) at dimension 0"
    assert plain_errors.plain(said)[0] == "two tensors do not fit: 4 and 8 elements"
    none = "TypeError: Invalid function argument. Expected parameter `tensor` of type torch.Tensor\n"
    assert plain_errors.plain(f"{none} but got <class 'NoneType'> instead.")[0].startswith(
        "something is None"
    )
    larger = "Function ShardedBackward returned an invalid gradient at index 1 - got [8, 8]"
    told = plain_errors.plain(f"RuntimeError: {larger} but expected shape compatible with [2, 8]")[0]
    assert told == "a gradient has the shape [8, 8], what it belongs to has [2, 8]"
    full = "RuntimeError: [enforce fail at inline_container.cc:672] . unexpected pos 704 vs 598"
    assert plain_errors.plain(full)[0].endswith("it is full, or over its quota")
    assert "python=" in plain_errors.plain("ModuleNotFoundError: No module named 'lightning'")[1]
    assert "ranks=1" in plain_errors.plain("ProcessRaisedException: -- Process 0 terminated")[1]
    assert plain_errors.plain("ValueError: something of its own") == ("ValueError: something of its own", "")


def test_what_a_wrong_rank_left_out_is_the_cause() -> None:
    found = evidence(*(call(rank, "all-reduce", 3) for rank in (1, 2, 3)), idle=(0,))
    found.troubles[0] = Trouble("wrong", "the gradient is wrong")
    told = failed(found)
    assert told is not None and told.kind == "deadlock"
    assert told.headline.startswith("ranks 1, 2 and 3 wait in all-reduce for rank 0, which has finished")
    assert told.details[-1] == "rank 0: the gradient is wrong"


def test_nobody_can_go_on_where_each_waits_for_one_who_waits_or_is_done() -> None:
    round_ = [call(rank, "send", peer=(rank + 1) % 4) for rank in EVERY]
    assert hopeless(evidence(*round_))
    assert hopeless(evidence(call(0, "barrier"), idle=(1, 2, 3)))
    assert not hopeless(evidence(*(call(rank, "barrier") for rank in EVERY)))  # all have come
    late = evidence(*(call(rank, "all-reduce") for rank in (0, 1, 3)))
    late.stands[2] = Stands(2, None, 9, 1.0, 7)  # it computes, and may come
    assert not hopeless(late)


def test_a_wait_in_another_line_than_its_call_names_both() -> None:
    begun = [call(rank, "receive", peer=(rank + 1) % 4, line=11) for rank in EVERY]
    found = evidence(*begun)
    for it in begun:
        found.stands[it.rank] = Stands(it.rank, it, 17, 1.0, 7)
    told = stalled(found, 3.0)
    assert [(row.line, row.waits_at) for row in told.rows] == [(11, 17)] * 4
    assert told.details[0].startswith("rank 0, line 11, which line 17 waits for: receive")
