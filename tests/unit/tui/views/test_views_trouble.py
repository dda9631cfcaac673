"""The panel of a run whose script ended itself and said why, and of ranks that have not come yet."""

from __future__ import annotations

import made_snapshots as made
from msgspec.structs import replace

from runtime.protocol.diagnosis_message import Diagnosis
from slides.drawing.text import Line, plain
from tui.views.panel import panel
from tui.views.parts.run_activity import doings


def text(lines: list[Line]) -> str:
    return "\n".join(plain(line).rstrip() for line in lines)


def test_of_a_run_that_refused_the_reason_stands_once_over_what_others_wrote_last():
    reason = "rank 1: the folder /data is not there: mount it"
    found = Diagnosis("crash", f"{reason} (line 5)", line=5)
    logs = ("rank 0: a connection failed: Connection reset by peer", reason)
    failed = replace(
        made.running(),
        state="failed",
        diagnosis=found,
        why=f"{reason} (before its first step)",
        logs=logs,
        tails=(),
    )
    for size in ((160, 30), (100, 24), (80, 16)):
        shown = text(panel(failed, *size))
        assert (shown.count("the folder /data") == 1) is (size[0] < 120), "in letters where there is room"
        assert "failed" in shown and "before its first step" in shown
        assert "rank 0  a connection failed: Connection reset by peer" in shown
    alone = text(panel(replace(failed, logs=logs[1:]), 100, 24))
    assert alone.count("the folder /data") == 1 and "last lines" not in alone


def test_who_has_not_come_yet_is_not_silent():
    """Ranks of a machine that is waited for: the words below say so."""
    rows = tuple(replace(row, pid=0, state="start", silent_s=9.0) for row in made.running().rows)
    absent = text(panel(replace(made.running(), rows=rows), 100, 24))
    assert "start" in absent and "silent" not in absent


def test_where_a_rank_stood_whose_machine_is_not_heard_is_not_compared():
    """It may be much further: what the others entered last is of now."""
    stalled = made.stalled()

    def told(*stale: int, harm: str = "stopped") -> list[str]:
        rows = tuple(
            replace(
                row, state="stale" if row.rank in stale else row.state, harm=harm if row.rank == 2 else ""
            )
            for row in stalled.rows
        )
        return [plain(line) for line in doings(replace(stalled, rows=rows, warning="w"), 100)]

    assert told(2) == ["! rank 2 stopped"]
    assert told(0, 1, 3) == ["! rank 2 stopped · last entered all-reduce #385"]
    assert told(harm="") == ["! entered last: rank 2 all-reduce #385; the others #386"]
    assert told(2, harm="") == []
