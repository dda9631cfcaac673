"""Of a rank that only lost another one a line is shown, in place of its traceback."""

from __future__ import annotations

from runtime.metrics.rank_output import RankOutput
from runtime.metrics.store import RunStore
from runtime.protocol.events import Log

OWN = [
    "Traceback (most recent call last):",
    '  File "train.py", line 7, in <module>',
    "    loss.backward()",
    "    ~~~~~~~~~~~~~^^",
    "ValueError: the batch is empty",
]
LOST = [*OWN[:-1], "RuntimeError: [/gloo/transport/tcp/pair.cc:554] Connection closed by peer [127.0.0.1]:9"]


def shown(*lines: tuple[int, str]) -> list[str]:
    output = RankOutput()
    return [f"{rank} {line}" for rank, text in lines for line in output.take(rank, text)]


def test_the_traceback_that_says_why_stands_alone() -> None:
    """Lines of several ranks come in between each other."""
    mixed = [pair for both in zip(OWN, LOST, strict=True) for pair in ((1, both[0]), (0, both[1]))]
    found = shown((0, "step 1"), *mixed, (1, "step 2"))
    assert found == [
        "0 step 1",
        *(f"1 {line}" for line in OWN),
        "0 ended, since it had lost another rank",
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
    assert {line.partition(": ")[2] for line in list(store.logs)[5:]} == {
        "ended, since it had lost another rank"
    }
