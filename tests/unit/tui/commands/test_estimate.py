"""`teachrun estimate`: JSON, Markdown, lines, refusals, exit codes."""

from __future__ import annotations

import json

import pytest

from tui import cli

SMALL = "model=gpt2 gpu=h100"
WAYS = ("memory", "activations", "traffic", "time", "pipeline")


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = cli.main(["estimate", *words])
    told = capsys.readouterr()
    return code, told.out, told.err


def test_the_contract_of_the_object(capsys: pytest.CaptureFixture[str]) -> None:
    shape = "layers=96 hidden=12288 heads=96 tp=8 pp=8 dp=2 interleave=3 micro_batches=64"
    line = f"{shape} sp=1 recompute=selective"
    code, out, _ = said(capsys, *line.split(), "gpu=a100-80", "tokens=300e9", "--json", "--explain")
    found = json.loads(out)
    assert code == 0 and found["fits"] is True
    assert {"params", *WAYS, "flops", "mfu", "hfu", "days", "fits", "binding", "advice"} <= found.keys()
    assert {
        "parameters",
        "gradients",
        "optimizer",
        "states",
        "activations",
        "gathered",
        "overhead",
        "total",
    } <= (found["memory"].keys())
    assert {"per_layer", "first_stage"} <= found["activations"].keys()
    assert {"compute_s", "communication_s", "exposed_s", "step_s"} <= found["time"].keys()
    assert {"idle_of_total", "idle_of_ideal", "makespan", "live"} <= found["pipeline"].keys()
    for term in found["explain"].values():
        assert {"formula", "source", "value", "unit"} <= term.keys()


def test_exit_code_one_where_it_does_not_fit(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "model=llama3-70b", "gpu=h100", "--json")
    assert code == 1 and json.loads(out)["fits"] is False
    code, out, _ = said(capsys, "model=llama3-70b", "gpu=h100")
    assert code == 1 and "does not fit" in out
    code, _, err = said(capsys, "model=llama3-70b", "gpu=h100", "gpus=2", "global_batch=2")
    assert code == 1 and "the states alone need" in err


def test_a_collective_alone(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("collective=all_reduce", "bytes=1e9", "ranks=8", "bandwidth=50e9", "latency=5e-6")
    code, out, _ = said(capsys, *words, "--json")
    assert code == 0 and json.loads(out)["time"].keys() >= {"ring_s", "tree_s"}
    assert "a rank sends 1.75 GB" in said(capsys, *words)[1]
    assert "| ring | 35.07 ms |" in said(capsys, *words, "--markdown")[1]
    code, _, err = said(capsys, "collective=all_reduce", "bytes=1e9")
    assert code == 2 and "a collective needs ranks=" in err


def test_refusals_are_a_line_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["tp=5", "model=gpt2"], ["model=\x1b[2Jnone"], ["nonsense"], ["gpu=\u202eh"]):
        code, out, err = said(capsys, *words)
        assert code == 2 and not out and err.startswith("teachrun: ") and err.count("\n") == 1
        assert "\x1b" not in err and "\u202e" not in err


def test_lines_markdown_and_a_plan(capsys: pytest.CaptureFixture[str]) -> None:
    _, lines, _ = said(capsys, *SMALL.split(), "--explain")
    assert "124.4 million parameters" in lines and "assumed: every figure is computed" in lines
    assert "12 l h²" not in lines  # GPT-2's own count has a last norm, the paper's formula none
    _, table, _ = said(capsys, *SMALL.split(), "--markdown", "--explain")
    assert table.count("\n|---|") == 2 and table.rstrip().endswith("*Computed, not measured.*")
    _, out, _ = said(capsys, "model=llama3-8b", "gpu=h100", "gpus=64", "global_batch=128", "--json")
    found = json.loads(out)
    assert found["plan"]["layouts"][0]["step_s"] == found["time"]["step_s"]
    _, lines, _ = said(capsys, "model=llama3-8b", "gpu=h100", "gpus=64", "global_batch=128")
    assert "layouts that fit, the shortest step first" in lines


def test_every_key_model_and_gpu_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    from runtime.estimate.inputs.gpus import GPUS
    from runtime.estimate.inputs.presets import MODELS
    from runtime.estimate.keys import KEYS

    for words in ((), ("--keys",)):
        out = said(capsys, *words)[1]
        assert all(f"  {name} " in out for name in (*KEYS, *MODELS, *GPUS))


def test_strategies_and_scale(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("model=llama3-8b", "gpu=h100", "dp=8", "zero=3", "seq=2048", "--strategies", "--scale")
    found = json.loads(said(capsys, *words, "--json")[1])
    rows = {row["name"]: row for row in found["strategies"]}
    assert rows["FSDP"]["chosen"] and rows["FSDP"]["memory"] == found["memory"]["total"]
    assert rows["FSDP"]["traffic"] == pytest.approx(1.5 * rows["DDP"]["traffic"])
    assert all(row["when"] and row["complexity"] for row in rows.values())
    assert {row["name"] for row in found["scaling"]} >= {"DDP", "ZeRO-1", "ZeRO-2", "FSDP", "HSDP"}
    lines = said(capsys, *words)[1]
    assert "> FSDP" in lines and "makes sense below" in lines
    assert "| strategy | fits | memory |" in said(capsys, *words, "--markdown")[1]
    code, _, err = said(capsys, "model=gpt2", "--scale")
    assert code == 2 and "give gpu=NAME" in err
