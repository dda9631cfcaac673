"""The ring by hand, with real processes: the right sums on any number of ranks, and as a plain script."""

from __future__ import annotations

import pytest
from demo_run import Run

from runtime.catalog import registry

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("ranks", [1, 2, 3, 8])
def test_every_rank_ends_with_the_sums_that_torch_finds(run: Run, ranks: int) -> None:
    rounds = 3
    ran = run("allreduce", ranks=ranks, rounds=rounds, pause_ms=0, size=5)
    weight = sum(10**rank if ranks <= 6 else rank + 1 for rank in range(ranks))
    sums = [((chunk + rounds - 1) % 9 + 1) * weight for chunk in range(ranks)]
    values = {value.name: value.ranks for value in ran.snapshot.values}
    assert [list(row or ()) for row in values["buffer"]] == [sums] * ranks
    assert [list(row or ()) for row in values["summed"]] == [[ranks] * ranks] * ranks
    for row in ran.snapshot.rows:
        assert row.step is not None and row.step + 1 == rounds * (2 * (ranks - 1) + 1)
        assert row.result == {"rounds": rounds, "equal": True, "max_difference": 0.0}
        assert row.loss is None and row.tokens_s is None


def test_it_fits_beside_a_slide() -> None:
    lines = registry.DEMOS["allreduce"].file.read_text().splitlines()
    assert len(lines) <= 110 and max(map(len, lines)) <= 110
