"""Bytes on the wire as we show them, against a counter that is not ours: the loopback device of a namespace.

Nothing else sends in that namespace, so what its device counts is what the ranks sent, with headers.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from runtime.catalog.specs.sizes import tinylm_block, tinylm_parameters

pytestmark = pytest.mark.timeout(900)  # ten runs of four ranks
NAMESPACE = ("unshare", "--user", "--map-root-user", "--net")
SMALL = {"ranks": 4, "width": 128, "layers": 3, "seq": 16, "batch": 2}
# (Stage 3 of `zero` is `fsdp`: the same `fully_shard`.)
DEMOS: dict[str, tuple[str, dict[str, int]]] = {
    "ddp": ("ddp", SMALL),
    "zero 1": ("zero", {**SMALL, "stage": 1}),
    "zero 2": ("zero", {**SMALL, "stage": 2}),
    "fsdp": ("fsdp", SMALL),
    "hsdp": ("hsdp", SMALL),
}
# What they send of S, the bytes of all parameters; `share` of it are the blocks, which are gathered twice.
SENT: dict[str, Callable[[float], float]] = {
    "ddp": lambda share: 1.5,
    "zero 1": lambda share: 1.5 + 0.75,  # all-reduce, then a broadcast from every rank
    "zero 2": lambda share: 0.75 + 1.5,  # all-gather; over gloo a reduce-scatter is an all-reduce
    "fsdp": lambda share: 0.75 * (1 + share) + 1.5,
    "hsdp": lambda share: 0.5 * (1 + share) + 1.0 + 0.5,
}
THEORY: dict[str, Callable[[float], float]] = {
    "ddp": lambda share: 1.5,
    "zero 1": lambda share: 1.5,
    "zero 2": lambda share: 1.5,
    "fsdp": lambda share: 0.75 * (2 + share),
    "hsdp": lambda share: 0.5 * (1 + share) + 0.5 + 0.5,
}


@cache
def counted(folder: Path) -> dict[str, dict[str, Any]]:
    asked = [json.dumps(demo) for demo in DEMOS.values()]
    script = str(Path(__file__).parents[1] / "counted.py")
    ran = subprocess.run(
        [*NAMESPACE, sys.executable, script, str(folder), *asked], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    return dict(zip(DEMOS, map(json.loads, ran.stdout.splitlines()), strict=True))


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    try:
        allowed = subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        allowed = False
    if not allowed:
        pytest.skip("this machine allows no network namespaces: nobody but us counts the bytes")
    return counted(tmp_path_factory.mktemp("counted"))


def share_of_blocks() -> float:
    """Of the parameters: what is freed after forward and gathered again."""
    return SMALL["layers"] * tinylm_block(SMALL) / tinylm_parameters(SMALL)


@pytest.mark.parametrize("name", DEMOS)
def test_the_wire_is_what_the_device_counts(figures: dict[str, dict[str, Any]], name: str) -> None:
    found = figures[name]
    assert found["why"] == ""
    assert found["wire"] < found["device"] < 1.03 * found["wire"]  # headers are not in ours
    assert found["wire"] == pytest.approx(sum(wire for _, wire, _, _ in found["ranks"]) / 4, abs=2)


@pytest.mark.parametrize("name", DEMOS)
def test_wire_and_theory_are_the_closed_formulas(figures: dict[str, dict[str, Any]], name: str) -> None:
    found, whole, share = figures[name], figures["ddp"]["params"], share_of_blocks()
    assert found["wire"] == pytest.approx(SENT[name](share) * whole, rel=0.02)
    assert found["theory"] == pytest.approx(THEORY[name](share) * whole, rel=0.001)


def test_a_plain_all_reduce_is_sent_one_and_a_half_times_and_only_to_the_next(
    figures: dict[str, dict[str, Any]],
) -> None:
    """A ring: every rank has one neighbour that it sends to."""
    ddp = figures["ddp"]
    assert ddp["wire"] / ddp["payload"] == pytest.approx(1.5, rel=0.01)
    assert ddp["payload"] == pytest.approx(ddp["params"], rel=0.001)
    for _, wire, _, links in ddp["ranks"]:
        assert max(links.values()) > 0.98 * wire


def test_hybrid_sharding_is_dearer_by_payload_and_cheaper_on_the_wire(
    figures: dict[str, dict[str, Any]],
) -> None:
    sharded, hybrid = figures["fsdp"], figures["hsdp"]
    assert hybrid["payload"] > sharded["payload"]
    assert hybrid["wire"] < sharded["wire"] and hybrid["theory"] < sharded["theory"]


def test_fully_sharded_sends_half_as_much_again_in_theory_and_twice_as_much_with_gloo(
    figures: dict[str, dict[str, Any]],
) -> None:
    """As the demo says of itself: exactly so where all parameters are in blocks, here nine tenths are."""
    sharded, replicated = figures["fsdp"], figures["ddp"]
    assert sharded["theory"] / replicated["theory"] == pytest.approx(1.5, rel=0.05)
    assert sharded["wire"] / replicated["wire"] == pytest.approx(2.0, rel=0.05)
    assert sharded["payload"] / replicated["payload"] == pytest.approx(3.0, rel=0.05)


def test_why_the_wire_carries_more_is_said(figures: dict[str, dict[str, Any]]) -> None:
    assert figures["ddp"]["costs"] == []
    assert "ZeroRedundancyOptimizer" in figures["zero 1"]["costs"][0]
    assert all("reduce-scatter" in figures[name]["costs"][0] for name in ("zero 2", "fsdp", "hsdp"))
