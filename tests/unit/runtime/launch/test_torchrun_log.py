"""What torchrun's own log says of ranks that failed."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.launch.torchrun import first_failure

HEAD = """E1121 10:05:01 pt_elastic api.py:984] failed (exitcode: 1) local_rank: 0 (pid: 11) of binary: python
============================================================
/x/bootstrap.py FAILED
------------------------------------------------------------
Failures:
"""


def written(folder: Path, others: list[tuple[int, int]], cause: tuple[int, int]) -> Path:
    report = "".join(entry(n + 1, *other) for n, other in enumerate(others)) or "  <NO_OTHER_FAILURES>\n"
    rule = "-" * 60 + "\n"
    log = folder / "torchrun.log"
    log.write_text(
        f"{HEAD}{report}{rule}Root Cause (first observed failure):\n{entry(0, *cause)}{'=' * 60}\n"
    )
    return log


def entry(at: int, rank: int, code: int) -> str:
    return f"""[{at}]:
  time      : 2026-11-21_10:05:01
  host      : here
  rank      : {rank} (local_rank: {rank})
  exitcode  : {code} (pid: {rank + 11})
  error_file: <N/A>
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
"""


@pytest.mark.parametrize(
    ("others", "cause", "told", "said", "alone"),
    [
        ([], (1, -9), (), (1, -9), True),
        ([(0, 1)], (1, -9), (0,), (1, -9), True),
        ([(1, -9)], (0, 1), (0,), (1, -9), True),  # both were dead when it looked
        ([(1, -9), (2, 1)], (0, 1), (0, 2), (1, -9), True),
        ([(1, 1)], (0, 1), (0, 1), (0, 1), True),
        ([(0, -15)], (1, 3), (), (1, 3), True),  # it has ended the other itself
        ([(1, -15)], (0, 1), (0,), (1, -15), True),
        ([(2, -15), (1, -11)], (0, 1), (0,), (1, -11), True),
        ([(0, -15)], (1, -15), (), (1, -15), True),
        # Who was ended by its own torchrun brought no other node down.
        (
            [(1, -15)],
            (0, 1),
            (0,),
            (0, 1),
            False,
        ),  # which complains, and its torchrun ended the other one for it
        ([(1, -9), (2, -15)], (0, 1), (0,), (1, -9), False),
        ([(0, -15)], (1, -15), (), (1, -15), False),  # nobody had failed before it
        ([(0, -15)], (1, 3), (), (1, 3), False),
    ],
)
def test_who_brought_the_others_down(
    tmp_path: Path,
    others: list[tuple[int, int]],
    cause: tuple[int, int],
    told: tuple[int, ...],
    said: tuple[int, int],
    alone: bool,
) -> None:
    assert first_failure(written(tmp_path, others, cause), told, alone=alone) == said


def test_a_log_without_a_report(tmp_path: Path) -> None:
    log = tmp_path / "torchrun.log"
    assert first_failure(log) is None
    log.write_text("usage: torchrun\n  rank      : 1 (local_rank: 1)\n  exitcode  : 1 (pid: 3)\n")
    assert first_failure(log) is None
