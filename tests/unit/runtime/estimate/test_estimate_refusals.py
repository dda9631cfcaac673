"""What does not go together is refused with the constraint and the nearest values that work."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_estimates import estimated

from runtime.estimate.inputs.config_json import MOST
from runtime.estimate.inputs.layout import Layout, misfit, possible
from runtime.estimate.inputs.presets import MODELS
from runtime.estimate.keys import KEYS
from runtime.estimate.keys import MODELS as MODEL_NAMES
from runtime.estimate.request import Refused, read, request

SHAPE = "layers=12 hidden=768 heads=12"


def refused(words: str) -> str:
    with pytest.raises(Refused) as raised:
        estimated(words)
    return f"{raised.value.why}: {raised.value.mend}"


@pytest.mark.parametrize(
    ("words", "why", "mend"),
    [
        (f"{SHAPE} tp=5", "tp=5 does not divide 12 heads", "tp=4 or 6"),
        (f"{SHAPE} pp=5 micro_batches=5", "pp=5 does not divide 12 layers", "pp=4 or 6"),
        ("model=mixtral ep=3 dp=3", "ep=3 does not divide 8 experts", "ep=2 or 4"),
        ("model=mixtral ep=8 dp=4", "ep=8 does not divide dp x cp = 4", "ep=4"),
        ("model=llama3-8b ep=2 dp=2", "no experts", "ep=1, or leave"),
        (f"{SHAPE} seq=1000 cp=3", "cp=3 does not divide a sequence of 1000", "cp=2 or 4"),
        (f"{SHAPE} pp=4 interleave=2 micro_batches=6", "whole rounds", "micro_batches=4 or 8"),
        (f"{SHAPE} pp=4 interleave=2 micro_batches=8", "does not divide the 3 layers", "interleave=1 or 3"),
        (f"{SHAPE} interleave=2", "interleave needs a pipeline", "pp=2"),
        ("layers=12 hidden=768 heads=7", "heads=7 does not divide hidden=768", "heads=6 or 8"),
        ("layers=12 hidden=768 heads=12 kv_heads=5", "kv_heads=5 does not divide", "kv_heads=4 or 6"),
        (f"{SHAPE} dp=6 zero=3 shard=4", "shard=4 does not divide", "shard=3 or 6"),
        (
            f"{SHAPE} dp=4 batch=2 global_batch=20",
            "not a multiple of dp x batch = 8",
            "global_batch=16 or 24",
        ),
        (f"{SHAPE} gpu=h101", "gpu=h101 is not known", "h100"),
        ("model=lama3-8b", "there is no model", "llama3-8b"),
        (f"{SHAPE} sequence=5", "no key", "seq"),
        (f"{SHAPE} seq=0", "seq=0", "nearest that works is seq=1"),
        (f"{SHAPE} batch=1e30", "batch=1e30", "nearest that works is batch=1000000"),
        (f"{SHAPE} tp=99999999999999999999", "tp=9", "tp=1000000"),
        (f"{SHAPE} batch=-3", "batch=-3", "batch=1"),
        (f"{SHAPE} dp=99999999999", "dp=99999999999", "dp=1000000"),
        (f"{SHAPE} dp=1.6", "it is a whole number from 1 to 1 000 000", "nearest that works is dp=2"),
        (f"{SHAPE} batch=0.2", "it is a whole number", "nearest that works is batch=1"),
        (f"{SHAPE} seq=many", "seq=many", "whole number"),
        (f"{SHAPE} seq=2.5", "seq=2.5", "whole number"),
        ("params=nan", "params=nan", "number"),
        ("params=1e400", "params", "number"),
        (f"{SHAPE} zero=4", "zero=4", "0 1 2 3"),
        (f"{SHAPE} recompute=some", "recompute=some", "selective"),
        (f"{SHAPE} flash=2", "flash=2", "flash=0 or flash=1"),
        (f"{SHAPE} dp=2 dp=3", "dp is given twice", "once"),
        ("layers=12", "a shape needs hidden and heads", "layers= hidden= heads="),
        ("dp=8", "nothing says what is trained", "params=N"),
        ("dp", "no KEY=VALUE", "keys"),
        ("model= gpu=h100", "model= says nothing", "config.json"),
        (f"{SHAPE} gpu=h10", "gpu=h10 is not known", "did you mean h100"),
        # What is named has to divide the heads as well, and 5 or 10 of 100 tokens do not.
        ("model=llama3-8b sp=1 tp=8 seq=100", "tp=8 does not divide the 100 tokens", "tp=4, or sp=0"),
        ("model=llama3-8b sp=1 tp=4 cp=64 seq=192", "does not divide the 3 tokens", "tp=1, or sp=0"),
        ("model=mixtral ep=6 dp=12 ", "ep=6 does not divide 8 experts", "ep=4"),
    ],
)
def test_says_what_works(words: str, why: str, mend: str) -> None:
    said = refused(words)
    assert why in said and mend in said, said


@pytest.mark.parametrize(
    ("written", "gpu"),
    [("H100 SXM", "H100 SXM 80 GB"), ("A100-SXM4-80GB", "A100 SXM 80 GB"), ("a100_40gb", "A100 SXM 40 GB")],
)
def test_a_gpu_as_people_write_it(written: str, gpu: str) -> None:
    assert request(read(["params=1e9", f"gpu={written}"])).gpu.title == gpu  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"model_type": "llama", "hidden_size": 40', "is not JSON, or was cut (line 1"),
        ("", "is not JSON, or was cut"),
        ("[1]", "is not an object"),
        ("{}", "names no model_type"),
        ('{"model_type": "resnet"}', "of the kind 'resnet'"),
        ('{"model_type": "llama"}', "has no num_attention_heads"),
        (
            json.dumps({"model_type": "llama", "hidden_size": -4, "num_attention_heads": 4}),
            "hidden_size is not a size",
        ),
        (json.dumps({"model_type": "gpt2", "n_embd": "wide"}), "n_embd is not a size"),
        (
            json.dumps({"model_type": "gpt2", "n_embd": 10, "n_head": 3}),
            "3 heads do not divide n_embd 10: write n_head=2 or 5",
        ),
        ("[" * 100_000, "is not JSON"),
        (" " * (MOST + 1), "larger than"),
        ("\udcff".encode("utf-8", "surrogateescape").decode("latin1"), "is not JSON"),
    ],
    ids=lambda value: value[:40],  # one of them is megabytes long
)
def test_a_config_that_is_none(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(text)
    assert why in refused(f"model={tmp_path / 'config.json'}")


def test_a_config_that_is_not_there(tmp_path: Path) -> None:
    assert "cannot be read" in refused(f"model={tmp_path / 'config.json'}")


SIZES = st.sampled_from([1, 2, 3, 4, 7, 8, 12, 64, 96, 1000, 4096, 12288, 10**5, 10**6])
NUMBERS = ["layers", "hidden", "heads", "kv_heads", "ffn", "vocab", "experts", "active_experts", "seq",
           "batch", "micro_batches", "interleave", "dp", "tp", "pp", "cp", "ep", "shard", "bandwidth",
           "latency", "tokens", "params", "node", "step_s", "achieved", "price", "memory"]  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from(["", "model=mixtral", "model=deepseek-v3", "model=gpt2", SHAPE]),
    st.dictionaries(st.sampled_from(NUMBERS), SIZES, max_size=7),
    st.sampled_from(["", "gpu=h100", "gpu=tpu-v5e uneven=1", "zero=3 sp=1", "zero=2 recompute=full gpu=l4"]),
)
def test_whatever_is_not_refused_is_estimated(begin: str, sizes: dict[str, int], more: str) -> None:
    given = {word.partition("=")[0] for word in f"{begin} {more}".split()}
    line = " ".join(f"{key}={size}" for key, size in sizes.items() if key not in given)
    try:
        found = estimated(f"{begin} {line} {more}")
    except Refused as refusal:
        assert refusal.why and refusal.mend
    else:
        assert found["memory"]["total"] > 0 and found["flops"] > 0 and json.dumps(found, allow_nan=False)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([*KEYS]), st.text(max_size=8) | st.integers().map(str)), max_size=6)
)
def test_nothing_else_is_raised(pairs: list[tuple[str, str]]) -> None:
    words = [f"{key}={text}" for key, text in pairs if key != "model"]
    try:
        request(read(["params=1e9", *words]))
    except Refused as refusal:
        assert refusal.why and refusal.mend


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["llama3-8b", "mixtral", "gpt3"]),
    st.integers(1, 130),
    st.integers(1, 130),
    st.sampled_from([64, 96, 100, 4096]),
    st.integers(0, 1),
)
def test_each_value_that_is_named_works(model: str, tp: int, cp: int, seq: int, sp: int) -> None:
    """Of one degree at a time: where the other is right, what is written instead is not refused in turn."""
    found = misfit(MODELS[MODEL_NAMES[model]], Layout(tp=tp, cp=cp, seq=seq, sp=bool(sp)))
    if found is None:
        return
    word, _, values = found.mend.removeprefix("write ").partition("=")
    named = [int(value) for value in values.partition(",")[0].split(" or ")]
    made = [replace(Layout(tp=tp, cp=cp, seq=seq, sp=bool(sp)), **{word: value}) for value in named]
    other = [possible(MODELS[MODEL_NAMES[model]], replace(layout, tp=1, cp=1)) for layout in made]
    works = [possible(MODELS[MODEL_NAMES[model]], layout) for layout in made]
    # Where the other degree is wrong for itself nothing helps; else all that is named does.
    alone = possible(MODELS[MODEL_NAMES[model]], replace(made[0], **{word: 1}))
    assert all(other) and (not alone or all(works)), found
