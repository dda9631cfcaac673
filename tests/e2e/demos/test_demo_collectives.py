"""Collectives on real ranks: what each must leave in the buffers, and what it is seen to cost."""

from __future__ import annotations

import pytest
from demo_run import Ran, Run, as_promised

from runtime.catalog import registry
from runtime.catalog.specs.communication.collectives import OPS
from runtime.protocol.events import Collective

pytest.importorskip("torch")
pytestmark = pytest.mark.slow

Held = tuple[tuple[float, ...], ...]


def held(ran: Ran, name: str) -> Held:
    return next(named.ranks for named in ran.snapshot.values if named.name == name)


# Rank r brings 10^r times 1, 2, 3, 4: what four ranks hold after each, worked out by hand.
MINE: Held = ((1, 2, 3, 4), (10, 20, 30, 40), (100, 200, 300, 400), (1000, 2000, 3000, 4000))
OWN: Held = ((1,), (20,), (300,), (4000,))
SUM = (1111, 2222, 3333, 4444)
NONE: Held = ((), (), (), ())
OF_FOUR: dict[str, tuple[Held, Held]] = {
    "broadcast": (MINE, (MINE[0],) * 4),
    "all_reduce": (MINE, (SUM,) * 4),
    "gather": (OWN, ((1, 20, 300, 4000), (), (), ())),
    "scatter": ((MINE[0], (), (), ()), ((1,), (2,), (3,), (4,))),
    "all_gather": (OWN, ((1, 20, 300, 4000),) * 4),
    "reduce_scatter": (MINE, tuple((n,) for n in SUM)),
    "all_to_all": (MINE, tuple(zip(*MINE, strict=True))),
    "barrier": (NONE, NONE),
}


@pytest.mark.parametrize("op", [op for op in OPS if op != "reduce"])
def test_the_buffers_of_four_ranks(run: Run, op: str) -> None:
    before, after = OF_FOUR[op]
    ran = run("collectives", ranks=4, op=op, largest_kib=4, pause_ms=0)
    as_promised(ran)
    # What is received into the place of what was given is not what was given any more.
    assert held(ran, "before") == before
    assert held(ran, "after") == after
    assert held(ran, "collective") == ((float(OPS.index(op)),),) * 4


def test_after_a_reduce_the_root_has_the_sum(run: Run) -> None:
    ran = run("collectives", ranks=4, op="reduce", largest_kib=4, pause_ms=0)
    as_promised(ran)
    assert held(ran, "before") == MINE and held(ran, "after")[0] == SUM


@pytest.mark.parametrize("ranks", [2, 4])
def test_all_of_them_with_their_cost(run: Run, ranks: int) -> None:
    ran = run("collectives", ranks=ranks, largest_kib=1024, pause_ms=0)
    as_promised(ran)
    found = ran.figures()
    assert held(ran, "size") == ((1024.0, 4096.0, 16384.0, 65536.0, 262144.0, 1048576.0),) * ranks
    for op in OPS:
        alpha = found[f"{op}_alpha_s"]
        assert alpha is None or (isinstance(alpha, float) and 0 < alpha < 5), op
        assert (f"{op}_bandwidth_bytes_per_s" in found) == (op != "barrier")
    # Seen once each, by name, size and end.
    seen = [e for e in ran.events if isinstance(e, Collective) and e.rank == 1 and e.step >= 0]
    assert {e.op for e in seen} == {op.replace("_", "-") for op in OPS}
    assert all(e.t_done is not None and e.t_done >= e.t_issue for e in seen)
    for op in OPS:
        of_op = {e.bytes for e in seen if e.op == op.replace("_", "-")}
        if op not in ("barrier", "all_reduce"):  # these also keep the clocks together
            assert of_op == {4 * ranks, *(1024 * 4**i for i in range(6))}, op


def test_bandwidth_of_the_panel_is_the_demos(run: Run) -> None:
    """The last steps: an all-to-all of 1 MiB, timed by the demo around the call, by the panel inside it."""
    ran = run("collectives", ranks=2, op="all_to_all", largest_kib=1024, pause_ms=0)
    row = next(row for row in ran.snapshot.ops if row.op == "all-to-all")
    assert (row.group, row.members) == ("world", 2)
    assert row.busbw is not None and row.algbw is not None and row.busbw == pytest.approx(row.algbw / 2)
    fastest = max(rate for rates in held(ran, "algbw") for rate in rates)
    assert row.algbw > fastest / 20  # means of a busy machine against its best


def test_it_fits_beside_a_slide() -> None:
    lines = registry.DEMOS["collectives"].file.read_text().splitlines()
    assert len(lines) <= 136 and max(map(len, lines)) <= 110
