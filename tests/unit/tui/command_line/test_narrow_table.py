"""A table that is too wide for its terminal has less air, then fewer columns, and never one cut off."""

from __future__ import annotations

import pytest

from runtime.protocol.figures import Comparison, Strategy
from tui.reports.runs import comparison_text, run_table


def test_the_table_of_a_run_fits_a_small_terminal() -> None:
    row = (
        "0",
        "done",
        "200",
        "1.6937",
        "641.4",
        "1,806",
        "72%",
        "100%",
        "6%",
        "19%",
        "14%",
        "17.0",
        "15.1",
        "691882d0",
    )
    wide = run_table.table_lines([run_table.HEAD, row], None)
    assert run_table.table_lines([run_table.HEAD, row], 110) == wide
    medium = run_table.table_lines([run_table.HEAD, row], 100)
    assert max(map(len, medium)) <= 100 and "checksum" in medium[0]
    small = run_table.table_lines([run_table.HEAD, row], 80)
    assert max(map(len, small)) <= 80 and "checksum" not in small[0] and "exposed" in small[0]


def test_the_strategy_table_fits_a_small_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = tuple(
        Strategy(
            label,
            "ddp",
            memory_bytes=31_700_000,
            peak_bytes=29_400_000,
            step_s=0.51,
            step_low_s=0.5,
            step_high_s=1.25,
            state="done",
            tokens_s=12_000.0,
            payload=3_520_000,
            wire=5_280_000,
            theory=5_280_000,
            exposed=0.06,
            loss=2.443,
            same=True,
            when="the model and its state and a batch fit on every device: " * 3,
        )
        for label in ("ddp", "pipeline schedule=1f1b")
    )
    table = Comparison(rows, 4, 3, 24)
    whole = comparison_text.terminal(table)
    assert "lowest-highest" in whole[0]
    monkeypatch.setattr("tui.reports.runs.comparison_text.columns", lambda: 80)
    monkeypatch.setattr("tui.command_line.line_folding.columns", lambda: 80)
    small = "\n".join((*comparison_text.terminal(table), *comparison_text.advice(table))).splitlines()
    assert max(map(len, small)) <= 80 and " peak " in small[0] and "2.4430 =" in small[1]
