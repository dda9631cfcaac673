"""Comparisons: what is run for the words written, and what the table says of the runs."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from made_snapshots import running
from msgspec.structs import replace

from runtime.catalog.registry import Launchable, Refusal
from runtime.host.blocks import comparison
from runtime.host.blocks.comparison import Contest, Plan, plan
from runtime.host.blocks.comparison_table import SAME
from tui.reports.runs.comparison_text import as_object, markdown, terminal


def read(line: str) -> Launchable | Plan | Refusal:
    """What a deck's block makes of its line."""
    params = comparison.asked(line)
    return params if isinstance(params, Refusal) else comparison.check("compare", params)


def planned(line: str) -> Plan:
    found = read(line)
    assert isinstance(found, Plan), found
    return found


def test_what_is_not_written_is_the_same_for_all() -> None:
    written = planned("ddp 'zero stage=1' fsdp hsdp")
    assert [entry.label for entry in written.entries] == ["ddp", "zero stage=1", "fsdp", "hsdp"]
    for name in ("ranks", "steps", "batch", "seq", "width", "layers", "lr", "seed"):
        assert len({entry.demo.values[name] for entry in written.entries}) == 1, name
    assert written.entries[1].demo.values["stage"] == 1
    assert written.runs == 3


def test_a_parameter_alone_goes_for_all_and_a_quoted_one_for_its_own() -> None:
    written = planned("ddp 'fsdp layers=6' ranks=2 layers=2 runs=5")
    assert [entry.demo.values["layers"] for entry in written.entries] == [2, 6]
    assert [entry.demo.ranks for entry in written.entries] == [2, 2]
    assert written.runs == 5


def test_all_learn_from_the_same_samples_in_the_same_order() -> None:
    for line in ("ddp fsdp", "fsdp ddp"):
        ddp = next(entry.demo for entry in planned(line).entries if entry.demo.name == "ddp")
        assert ddp.values["shuffle"] == 0
    assert planned("'ddp shuffle=1' fsdp").entries[0].demo.values["shuffle"] == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("ddp", "two strategies"),
        ("", "two strategies"),
        ("ddp fdsp", "no demo named fdsp"),
        ("ddp fsdp runs=0", "runs= cannot be used"),
        ("ddp fsdp stagee=1", "none of these strategies has a parameter stagee"),
        ("ddp 'fsdp reshard=7'", "reshard=7 cannot be used"),
        ("ddp 'fsdp", "cannot be read"),
        (" ".join(["ddp"] * 13), "too many"),
        ("ddp fsdp \x1b[2J=1", "a parameter ?[2J"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_words(line: str, said: str) -> None:
    found = read(line)
    assert isinstance(found, Refusal)
    assert said in found.why
    assert found.mend


class Runs:
    """Runs that are over at once: `what(name, n)` is the n-th run of a demo."""

    def __init__(self, what: Any) -> None:
        self.what, self.order, self.looked_at = what, list[str](), list[int]()

    async def launch(self, demo: Launchable) -> Any:
        self.order.append(demo.name)
        state, snapshot, step_s = self.what(demo.name, self.order.count(demo.name))
        over = asyncio.Event()
        over.set()
        xrays = SimpleNamespace(order=self.looked_at.append)
        store = SimpleNamespace(median_step_s=step_s, xrays=xrays)
        return SimpleNamespace(
            state=state, why="rank 1 fell", snapshot=lambda: snapshot, store=store, over=over
        )


async def test_runs_alternate_and_a_line_has_their_medians() -> None:
    steps = {"ddp": [0.1, 0.3, 0.2], "fsdp": [0.4, 0.4, 0.4]}

    def what(name: str, n: int) -> Any:
        loss = 2.0 if name == "ddp" else 2.0 * (1 + SAME * 0.9)
        snapshot = running(2)
        rows = tuple(
            replace(
                row, loss=loss, exposed=0.01, step_s=0.1, tokens_s=50.0, peak=peaks.pop(0) if peaks else None
            )
            for row in snapshot.rows
        )
        return "done", replace(snapshot, rows=rows), steps[name][n - 1]

    runs, peaks = Runs(what), [15_000_000, 15_100_000]
    contest = Contest(planned("ddp fsdp"))
    await contest.run(runs.launch)
    assert runs.order == ["ddp", "fsdp"] * 3
    ddp, fsdp = contest.table().rows
    assert (ddp.step_s, ddp.step_low_s, ddp.step_high_s, ddp.runs) == (0.2, 0.1, 0.3, 3)
    assert (ddp.tokens_s, ddp.exposed) == (100.0, pytest.approx(0.1))
    row = running(2).rows[0]
    sizes = (row.params, row.grads, row.optimizer_bytes, row.activations)
    assert ddp.memory_bytes == sum(size for size in sizes if size is not None)
    assert ddp.same is True and fsdp.same is True
    assert runs.looked_at == [2, 2]  # once each: the CPU's allocator keeps no books
    assert (ddp.peak_bytes, fsdp.peak_bytes) == (15_100_000, None)
    text = terminal(contest.table())
    assert text[0].split()[1:3] == ["peak", "sum"] and text[1].split()[1] == "15.1"
    assert text[2].split()[1] == "-"


async def test_another_loss_differs_and_a_failed_strategy_does_not_stop_the_others() -> None:
    def what(name: str, n: int) -> Any:
        loss = {"ddp": 2.0, "zero": 2.0 * (1 + 2 * SAME), "fsdp": 2.0}[name]
        snapshot = running(2)
        rows = tuple(replace(row, loss=loss) for row in snapshot.rows)
        return ("failed" if name == "fsdp" else "done"), replace(snapshot, rows=rows), 0.1

    runs = Runs(what)
    contest = Contest(planned("ddp fsdp zero runs=2"))
    await contest.run(runs.launch)
    assert runs.order == ["ddp", "fsdp", "zero", "ddp", "zero"]
    ddp, fsdp, zero = contest.table().rows
    assert (fsdp.state, fsdp.why, fsdp.loss, fsdp.same) == ("failed", "rank 1 fell", None, None)
    assert zero.same is False and ddp.same is True
    assert contest.failed
    text = "\n".join(terminal(contest.table()))
    assert "differs" in text and "failed" in text
    assert len({line.count("|") for line in markdown(contest.table())}) == 1
    assert as_object(contest.table())["strategies"][1]["step_s"] is None


async def test_who_stops_a_run_stops_the_comparison() -> None:
    runs = Runs(lambda name, n: ("stopped", running(2), None))
    contest = Contest(planned("ddp fsdp"))
    await contest.run(runs.launch)
    assert runs.order == ["ddp"] and contest.stopped


def test_the_line_of_a_comparison_is_written_and_read_back() -> None:
    params = {"strategies": "ddp; zero stage=1; pipeline schedule=1f1b", "ranks": "4", "runs": "2"}
    line = comparison.written(params)
    assert line == "ddp 'zero stage=1' 'pipeline schedule=1f1b' ranks=4 runs=2"
    assert comparison.asked(line) == params
    assert isinstance(comparison.check("compare", params), Plan)
    refused = comparison.asked("ddp 'zero stage=1")
    assert isinstance(refused, Refusal) and "quotation" in refused.mend
    names = [param.name for param in comparison.common()]
    assert names[:2] == ["runs", "ranks"] and {"steps", "batch", "width"} <= set(names)


def test_one_batch_for_all_ranks_is_as_large_as_those_of_the_ranks_together() -> None:
    """Else tensor parallelism would train on a quarter of the samples."""
    for words, batch in ((["ddp", "tensor", "ranks=4"], 32), (["ddp", "tensor", "ranks=2", "batch=6"], 12)):
        planned = plan(words)
        assert isinstance(planned, Plan)
        ddp, tensor = (entry.demo.values for entry in planned.entries)
        assert tensor["batch"] == batch == int(ddp["batch"]) * int(ddp["ranks"])  # type: ignore[arg-type]
    own = plan(["ddp", "tensor batch=4", "ranks=4"])
    assert isinstance(own, Plan) and own.entries[1].demo.values["batch"] == 4


def test_nodes_are_the_same_for_all_and_what_crosses_them_is_in_every_form() -> None:
    found = planned("ddp fsdp 'tensor batch=2' nodes=2 ranks=2 link=1gbit")
    assert {(entry.demo.nodes, entry.demo.ranks, entry.demo.link) for entry in found.entries} == {
        (2, 4, "1gbit")
    }
    ended = replace(running(4), between=((0, 1, 4_000_000), (1, 0, 6_000_000)))
    run: Any = SimpleNamespace(state="done", snapshot=lambda: ended, store=SimpleNamespace(median_step_s=0.1))
    contest = Contest(found)
    contest.take(1, run)
    table = contest.table()
    assert as_object(table)["strategies"][1]["crossing_bytes_step"] == 10_000_000
    assert "MB of a step between nodes, all ranks together: fsdp 10.00" in " ".join(terminal(table))
