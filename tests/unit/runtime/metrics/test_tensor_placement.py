"""Where parts of tensors lie, put together from what ranks tell."""

from __future__ import annotations

from runtime.metrics.run_figures import figures
from runtime.metrics.store import RunStore
from runtime.protocol.events import Shards
from runtime.protocol.figures import Part, Placement

Told = list[tuple[str, list[int], list[int], list[int]]]


def placed(*ranks: Told, more: int = 0) -> Placement | None:
    store = RunStore(len(ranks), 0.0)
    for rank, tensors in enumerate(ranks):
        store.ingest(Shards("r", 0, rank, 0.0, tensors, more))
    return figures(store, "gloo", now=0.0).placement


def test_layers_that_are_cut_alike_are_one_row_and_others_are_not() -> None:
    def rank(n: int) -> Told:
        rows = [0 + 2 * n, 0, 2, 8]
        return [
            *((f"blocks.{block}.up.weight", [4, 8], rows, rows) for block in range(3)),
            ("blocks.3.up.weight", [4, 8], [0, 4 * n, 4, 4], [0, 4 * n, 4, 4]),
            ("head.weight", [4, 8], rows, rows),
        ]

    found = placed(rank(0), rank(1))
    assert found is not None
    by_rows = (Part((0, 0), (2, 8), (0,)), Part((2, 0), (2, 8), (1,)))
    by_columns = (Part((0, 0), (4, 4), (0,)), Part((0, 4), (4, 4), (1,)))
    assert [(row.name, row.count, row.stored, row.states) for row in found.tensors] == [
        ("blocks.*.up.weight", 3, by_rows, (by_rows,)),
        ("blocks.3.up.weight", 1, by_columns, (by_columns,)),
        ("head.weight", 1, by_rows, (by_rows,)),
    ]


def test_what_two_ranks_have_is_one_part_with_both_and_an_empty_part_is_none() -> None:
    rows: list[Told] = [[("w", [3], part, part)] for part in ([0, 2], [2, 1], [0, 2], [3, 0])]
    found = placed(*rows)
    assert found is not None
    assert found.tensors[0].stored == (Part((0,), (2,), (0, 2)), Part((2,), (1,), (1,)))


def test_whose_optimizer_has_which_tensor_is_told_one_by_one() -> None:
    every = [0, 0, 4, 4]
    ranks: list[Told] = [
        [(f"blocks.{block}.w", [4, 4], [], every if block % 2 == n else []) for block in range(4)]
        for n in range(2)
    ]
    found = placed(*ranks)
    assert found is not None
    (row,) = found.tensors
    assert not row.cut and row.stored == (Part((), (), (0, 1)),)
    assert [[part.ranks for part in parts] for parts in row.states] == [[(0,)], [(1,)], [(0,)], [(1,)]]


def test_what_a_script_has_cut_by_hand_is_never_said_to_lie_anywhere() -> None:
    found = placed([("w", [2, 8], [], [])], [("w", [2, 8], [], [])], [("w", [3, 8], [], [])])
    assert found is not None
    assert [(row.shape, row.cut, row.stored, row.states) for row in found.tensors] == [
        ((2, 8), False, (Part((), (), (0, 1)),), ()),
        ((3, 8), False, (Part((), (), (2,)),), ()),
    ]


def test_nothing_is_said_before_all_have_told_nor_of_more_ranks_than_a_screen_shows() -> None:
    store = RunStore(2, 0.0)
    store.ingest(Shards("r", 0, 1, 0.0, [("w", [4], [2, 2], [])]))
    assert store.placement.newest() is None
    store.ingest(Shards("r", 0, 0, 0.0, [("w", [4], [0, 2], [])]))
    first = store.placement.newest()
    assert first is not None and store.placement.newest() is first  # made once
    assert placed(*([[("w", [17], [n, 1], [])]] for n in range(17))) is None


def test_of_very_many_rows_the_rest_is_counted() -> None:
    found = placed([(f"layer{n}", [n + 1], [], []) for n in range(100)], more=7)
    assert found is not None and len(found.tensors) + found.more == 107 and found.more > 7
