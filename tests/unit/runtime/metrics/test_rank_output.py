"""Of a rank that only lost another one a line is shown, in place of its traceback."""

from __future__ import annotations

from runtime.metrics.rank_output import RankOutput
from runtime.metrics.run_figures import figures
from runtime.metrics.store import RunStore
from runtime.protocol.events import Done, Fault, Log

OWN = [
    "Traceback (most recent call last):",
    '  File "train.py", line 7, in <module>',
    "    loss.backward()",
    "    ~~~~~~~~~~~~~^^",
    "ValueError: the batch is empty",
]
CLOSED = "RuntimeError: [/gloo/transport/tcp/pair.cc:554] Connection closed by peer [127.0.0.1]:9"
LOST = [*OWN[:-1], CLOSED]


def shown(*lines: tuple[int, str]) -> list[str]:
    output = RankOutput(4)
    return [f"{rank} {line}" for rank, text in lines for line in output.take(rank, text)]


def test_the_traceback_that_says_why_stands_alone() -> None:
    """Lines of several ranks come in between each other."""
    mixed = [pair for both in zip(OWN, LOST, strict=True) for pair in ((1, both[0]), (0, both[1]))]
    found = shown((0, "step 1"), *mixed, (1, "step 2"))
    assert found == [
        "0 step 1",
        *(f"1 {line}" for line in OWN),
        f"0 a connection failed: {CLOSED}",
        "1 step 2",
    ]


def test_a_script_that_prints_tracebacks_without_end_is_shown() -> None:
    assert len(shown((0, OWN[0]), *((0, "  more") for _ in range(1000)))) > 400


def test_a_run_keeps_the_lines_of_the_rank_that_failed_first() -> None:
    """Forty lines are kept of all ranks together; three tracebacks of others would push them out."""
    store = RunStore(4)
    for rank, lines in ((2, OWN), *((rank, LOST * 4) for rank in (0, 1, 3))):
        store.ingest_all(Log("r", 1, rank, 1.0, "err", line) for line in lines)
    assert list(store.logs)[:5] == [f"rank 2: {line}" for line in OWN]
    assert {line.partition(": ")[2] for line in list(store.logs)[5:]} == {f"a connection failed: {CLOSED}"}


def test_of_one_rank_alone_every_line_is_shown() -> None:
    """It has lost no other one: it is a proxy, or a download."""
    output = RankOutput(1)
    assert [shown for line in LOST for shown in output.take(0, line)] == LOST


def test_where_all_only_complain_the_first_is_shown_whole_at_the_end() -> None:
    output = RankOutput(4)
    first = [*OWN[:-1], "ConnectionRefusedError: [Errno 111] Connection refused"]
    for rank, lines in ((2, first), (0, LOST)):
        for line in lines:
            output.take(rank, line)
    assert output.rest(explained=False) == [(2, line) for line in first]
    assert output.rest(explained=True) == []
    for line in OWN:
        output.take(1, line)
    assert output.rest(explained=False) == []  # that one has said why


def test_what_a_rank_wrote_before_it_was_killed_amid_it_is_shown_at_the_end() -> None:
    output = RankOutput(2)
    for line in OWN[:3]:
        assert output.take(1, line) == []
    assert output.rest(explained=True) == [(1, line) for line in OWN[:3]]


def test_a_run_that_is_over_shows_what_was_held_back() -> None:
    """Of what it failed is known by what ranks said when they ended, too: by their own faults, or no word."""

    def ended(*ends: tuple[int, str]) -> list[str]:
        store = RunStore(2)
        store.ingest_all(Log("r", 1, 0, 1.0, "err", line) for line in LOST)
        store.ingest_all(Log("r", 1, 1, 1.0, "err", line) for line in OWN[:2])
        before = list(figures(store, "gloo").logs)
        assert before == [f"rank 0: a connection failed: {CLOSED}"]
        store.ingest_all(Fault("r", 1, rank, 2.0, what, "") for rank, what in ends if what)
        store.ingest_all(Done("r", 1, rank, 2.0, 1, None, {}) for rank, _ in ends)
        return [line for line in figures(store, "gloo").logs if line not in before]

    held = [f"rank 1: {line}" for line in OWN[:2]]
    assert ended((0, CLOSED), (1, CLOSED)) == [*(f"rank 0: {line}" for line in LOST), *held]
    assert ended((0, CLOSED), (1, "ValueError: the batch is empty")) == held
    assert ended((0, CLOSED), (1, "")) == held  # such as by a signal
