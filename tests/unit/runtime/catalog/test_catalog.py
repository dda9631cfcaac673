"""What may be asked of a demo, and what a refusal tells people to write instead."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from runtime.catalog import registry
from runtime.catalog.registry import DEMOS, Launchable, Refusal
from runtime.catalog.specs import sizes
from runtime.launch.device_choice import place


def ok(name: str = "ddp", **params: str) -> Launchable:
    found = registry.check(name, params)
    assert isinstance(found, Launchable), found
    return found


def refused(name: str = "ddp", **params: str) -> str:
    found = registry.check(name, params)
    assert isinstance(found, Refusal)
    return f"{found.why}: {found.mend}"


def test_defaults() -> None:
    demo = ok()
    assert (demo.ranks, demo.steps, demo.launcher, demo.seconds("budget")) == (4, 200, "stage", None)
    assert demo.argv == ()
    assert demo.script.name == "ddp.py"


def test_what_is_not_default_goes_to_the_script_and_launch_parameters_do_not() -> None:
    demo = ok(ranks="2", steps="50", budget="30s", bucket_mb="0.5", launcher="torchrun")
    assert demo.argv == ("--steps", "50", "--bucket_mb", "0.5")
    assert (demo.ranks, demo.seconds("budget"), demo.launcher) == (2, 30.0, "torchrun")


@pytest.mark.parametrize(
    ("text", "seconds"), [("30s", 30.0), ("2m", 120.0), ("1.5", 1.5), ("500ms", 0.5), ("1h", 3600.0)]
)
def test_times(text: str, seconds: float) -> None:
    assert ok(budget=text).seconds("budget") == seconds


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"ranks": "0"}, "ranks=0 cannot be used: write ranks= with a whole number from 1 to 64"),
        ({"ranks": "999"}, "ranks=999 cannot be used: write ranks= with a whole number from 1 to 64"),
        ({"steps": "abc"}, "steps=abc cannot be used: write steps= with a whole number from 1 to 1000000"),
        ({"lr": "nan"}, "lr=nan cannot be used: write lr= with a number from 0 to 10"),
        ({"budget": "soon"}, "budget=soon cannot be used: write budget= with a time such as 30s or 2m"),
        ({"launcher": "mpi"}, "launcher=mpi cannot be used: write launcher= with stage or torchrun"),
        ({"rank": "4"}, "ddp has no parameter rank: did you mean ranks?"),
        ({"slow_rank": "4"}, "slow_rank=4 is none of the ranks 0 to 3: write slow_rank=3"),
    ],
)
def test_refusals_say_what_to_write(params: dict[str, str], says: str) -> None:
    assert refused(**params) == says


def test_with_nodes_the_ranks_are_those_of_each() -> None:
    two = ok(nodes="2", ranks="2")
    assert (two.nodes, two.ranks, two.params) == (2, 4, {"nodes": "2", "ranks": "2"})
    assert ok("hsdp", nodes="2", ranks="2").ranks == 4  # its mesh has all of them
    assert ok(nodes="2", ranks="2", slow_rank="3").ranks == 4
    assert place(two).bent[-1] == "2 nodes x 2 ranks, on one machine"
    assert ok().nodes == 1 and not any("node" in word for word in place(ok()).bent)


@pytest.mark.parametrize(
    ("name", "params", "says"),
    [
        ("ddp", {"nodes": "0"}, "nodes=0 cannot be used: write nodes= with a whole number from 1 to 128"),
        (
            "ddp",
            {"nodes": "16", "ranks": "8"},
            "16 nodes of 8 ranks are 128, this machine plays 64 at most: write ranks=4, those of each node",
        ),
        (
            "ddp",
            {"nodes": "128", "ranks": "2"},
            "128 nodes of 2 ranks are 256, this machine plays 64 at most: write nodes=32",
        ),
        (
            "hsdp",
            {"nodes": "3", "ranks": "1"},
            "on 3 nodes together ranks=3 makes no mesh of 2 rows of 2 ranks or more: "
            "write ranks=4, counted over all nodes",
        ),
    ],
)
def test_nodes_that_cannot_be_are_refused(name: str, params: dict[str, str], says: str) -> None:
    assert refused(name, **params) == says


def test_a_link_needs_two_ends() -> None:
    assert refused(link="100mbit").endswith("here is one node: write nodes=2")
    assert refused(link="2baud").endswith("write link= with unlimited or 10gbit or 1gbit or 100mbit")
    assert ok(nodes="2", link="100mbit").link == "100mbit" and ok(nodes="2").link == "unlimited"


def test_nodes_of_one_machine_take_no_gpu() -> None:
    refusal = place(ok("fsdp", nodes="2", device="gpu"), 8).refusal
    assert refusal is not None and refusal.mend == "write device=cpu, or nodes=1"
    assert place(ok("fsdp", nodes="2", ranks="2"), 8).device == "cpu"


def test_an_unknown_demo_and_a_script() -> None:
    assert refused("ddpd") == "there is no demo named ddpd: did you mean ddp?"
    assert refused("dpd").endswith("did you mean ddp?")  # dp is as near, but has other letters
    assert refused("zzz").endswith("write one of: " + ", ".join(DEMOS))
    assert refused("./train.py").startswith("there is no script ./train.py: write a path as seen from /")
    assert "there is no script train.py" in refused("train.py")


def test_a_pipe_is_no_script_and_nobody_waits_for_it(tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "train.py")
    assert refused(str(pipe)).endswith(" is a pipe: name a file, which every rank reads")


def test_a_refusal_is_safe_to_print() -> None:
    said = refused("a\x1b[2Jb" * 50)
    assert said.isprintable()
    assert len(said) < 400  # it names all demos
    assert refused(steps="1\x1b]0;x\x07").isprintable()


@example("~0/", {})  # of nobody's home
@given(st.text(), st.dictionaries(st.text(), st.text()))
def test_check_never_raises(name: str, params: dict[str, str]) -> None:
    for demo in (name, "ddp"):
        assert isinstance(registry.check(demo, params), Launchable | Refusal)


@given(st.text())
def test_lines_never_raise(line: str) -> None:
    registry.parse_line(line)


def test_lines() -> None:
    assert registry.parse_line("ddp ranks=4 steps=200") == ("ddp", {"ranks": "4", "steps": "200"})
    assert isinstance(registry.parse_line(""), Refusal)
    assert isinstance(registry.parse_line("ddp ranks"), Refusal)
    assert isinstance(registry.parse_line('ddp "'), Refusal)


def test_the_steps_a_demo_will_report() -> None:
    def steps(name: str, **params: str) -> int | None:
        checked = registry.check(name, params)
        assert isinstance(checked, Launchable)
        return checked.steps

    assert steps("ddp", steps="7") == 7
    assert steps("allreduce", ranks="4", rounds="3") == 3 * (6 + 1)
    assert steps("allreduce", ranks="1", rounds="3") == 3


def test_a_batch_falls_into_equal_micro_batches() -> None:
    says = "batch=10 does not fall into 4 equal micro-batches: write batch=8"
    assert refused("accumulate", batch="10") == says
    assert refused("accumulate", batch="3", micro_batches="1000").endswith("write batch=1000")
    assert ok("accumulate", batch="8").steps == 50


@pytest.mark.parametrize(
    ("ranks", "replicas", "write"), [(2, 2, 4), (3, 2, 4), (5, 2, 4), (7, 3, 6), (64, 3, 63), (4, 32, 64)]
)
def test_hybrid_sharding_wants_a_mesh(ranks: int, replicas: int, write: int) -> None:
    says = f"ranks={ranks} makes no mesh of {replicas} rows of 2 ranks or more: write ranks={write}"
    assert refused("hsdp", ranks=str(ranks), replicas=str(replicas)) == says
    assert ok("hsdp", ranks=str(write), replicas=str(replicas)).ranks == write


@pytest.mark.parametrize("name", DEMOS)
def test_promised_ranges_are_ranges(name: str) -> None:
    for ranks in ("4", "6", "8"):
        demo = registry.check(name, {"ranks": ranks}, here=False)
        if isinstance(demo, Refusal) and ranks != "4":
            continue  # not every number of ranks suits every demo
        assert isinstance(demo, Launchable)
        ranges = DEMOS[name].expects(demo.values)
        assert all(0 <= low <= high for low, high in ranges.values())


def test_the_formula_counts_the_parameters_of_the_model() -> None:
    assert sizes.tinylm_parameters({"width": 128, "layers": 2, "seq": 64}) == 469_504


def test_a_pause_for_people_is_said_in_the_badge() -> None:
    paused, plain = (registry.check("allreduce", {"ranks": "1", "pause_ms": ms}) for ms in ("300", "0"))
    assert isinstance(paused, Launchable) and isinstance(plain, Launchable)
    assert place(paused).bent == ("paused 300 ms",)
    assert place(plain).bent == ()


def test_demo_files() -> None:
    path = registry.demo_file("ddp")
    assert path is not None and path.is_file()
    assert registry.demo_file("nothing") is None


@pytest.mark.parametrize("name", DEMOS)
def test_the_catalog_says_what_the_script_takes(name: str) -> None:
    """Names and defaults of the script's own argparse, read without running it."""
    spec = DEMOS[name]
    takes = {}
    for node in ast.walk(ast.parse(spec.file.read_text())):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "add_argument":
            option = ast.literal_eval(node.args[0])
            default = next(k.value for k in node.keywords if k.arg == "default")
            takes[option.lstrip("-").replace("-", "_")] = ast.literal_eval(default)
    assert takes == {p.name: p.default for p in spec.params if p.rank_arg}
