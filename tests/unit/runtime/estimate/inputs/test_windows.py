"""Layers whose tokens see a window: which of them there are by a config.json, and what their scores cost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from made_estimates import estimated

from runtime.estimate.inputs.models import Window
from runtime.estimate.request import Refused

WIDTHS = {"hidden_size": 256, "intermediate_size": 640, "num_attention_heads": 8, "num_key_value_heads": 4,
          "vocab_size": 1000, "head_dim": 32}  # fmt: skip
SEQ = 16_384


def attention(config: dict[str, Any], folder: Path) -> float:
    (folder / "config.json").write_text(json.dumps(WIDTHS | config))
    return float(estimated(f"model={folder / 'config.json'} seq={SEQ}")["flops_parts"]["attention"])


def seen(config: dict[str, Any], folder: Path) -> float:
    """Keys of a token in all layers: 6 operations for each element of its query and of its output."""
    return attention(config, folder) / (6 * 2 * 8 * 32)


@pytest.mark.parametrize(("seq", "window"), [(4096, 512), (4096, 4096), (1000, 4096), (5000, 4096)])
def test_a_window_costs_twice_what_its_mask_leaves(seq: int, window: int) -> None:
    """Counted score by score; half a key a token more or less is the diagonal, which is in both halves."""
    left = sum(min(at + 1, window) for at in range(seq))
    assert Window(window, 1).keys(seq) == pytest.approx(2 * left / seq, abs=1)


@pytest.mark.parametrize(("seq", "chunk"), [(4096, 512), (5000, 2048), (100, 512)])
def test_a_chunk_costs_twice_what_its_mask_leaves(seq: int, chunk: int) -> None:
    left = sum(at % chunk + 1 for at in range(seq))
    assert Window(chunk, 1, chunked=True).keys(seq) == pytest.approx(2 * left / seq, abs=1)


def of(window: int, layers: int, whole: int) -> float:
    return layers * (2 * window - window * window / SEQ) + whole * SEQ


# What each kind's paper or model card says: so many layers with a window, so many without.
CONFIGS: list[tuple[dict[str, Any], float]] = [
    ({"model_type": "gemma2", "num_hidden_layers": 7}, of(4096, 4, 3)),
    ({"model_type": "gemma3_text", "num_hidden_layers": 26, "sliding_window": 512}, of(512, 22, 4)),
    ({"model_type": "gemma3_text", "num_hidden_layers": 6, "sliding_window": 1024,
      "sliding_window_pattern": 3}, of(1024, 4, 2)),
    ({"model_type": "gpt_oss", "num_hidden_layers": 4, "num_local_experts": 4, "num_experts_per_tok": 2},
     of(128, 2, 2)),
    ({"model_type": "mistral", "num_hidden_layers": 3, "sliding_window": 4096}, of(4096, 3, 0)),
    ({"model_type": "mistral", "num_hidden_layers": 3}, of(4096, 3, 0)),
    ({"model_type": "mistral", "num_hidden_layers": 3, "sliding_window": None}, of(1, 0, 3)),
    ({"model_type": "phi3", "num_hidden_layers": 3, "sliding_window": 2047}, of(2047, 3, 0)),
    ({"model_type": "phi3", "num_hidden_layers": 3, "sliding_window": 262_144}, of(1, 0, 3)),
    ({"model_type": "qwen2", "num_hidden_layers": 4, "sliding_window": 4096, "max_window_layers": 3,
      "use_sliding_window": False}, of(1, 0, 4)),
    ({"model_type": "qwen2", "num_hidden_layers": 4, "sliding_window": 4096, "max_window_layers": 3,
      "use_sliding_window": True}, of(4096, 1, 3)),
    ({"model_type": "olmo3", "num_hidden_layers": 8}, of(4096, 6, 2)),
    ({"model_type": "cohere2", "num_hidden_layers": 8, "sliding_window": 2048}, of(2048, 6, 2)),
    ({"model_type": "exaone4", "num_hidden_layers": 8, "sliding_window_pattern": "LLLG"}, of(4096, 6, 2)),
    ({"model_type": "starcoder2", "num_hidden_layers": 2, "sliding_window": 4096}, of(4096, 2, 0)),
    ({"model_type": "qwen3", "num_hidden_layers": 3, "sliding_window": 1024,
      "layer_types": ["sliding_attention", "full_attention", "sliding_attention"]}, of(1024, 2, 1)),
    ({"model_type": "llama4_text", "num_hidden_layers": 4, "num_local_experts": 4}, 3 * 8192 + SEQ),
    ({"model_type": "llama", "num_hidden_layers": 2}, of(1, 0, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("config", "keys"), CONFIGS, ids=lambda value: str(value)[:50])
def test_a_config_says_how_far_its_layers_see(config: dict[str, Any], keys: float, tmp_path: Path) -> None:
    assert seen(config, tmp_path) == pytest.approx(keys)


def test_gpt_neo_lists_its_layers_in_pairs(tmp_path: Path) -> None:
    shape = {"model_type": "gpt_neo", "num_heads": 8, "num_layers": 4}
    assert seen(shape, tmp_path) == pytest.approx(of(256, 2, 2))
    assert seen(shape | {"attention_types": [[["global"], 4]]}, tmp_path) == pytest.approx(of(1, 0, 4))
    with pytest.raises(Refused, match="attention_types"):
        seen(shape | {"attention_types": "global"}, tmp_path)


@pytest.mark.parametrize("pattern", [-1, 1.5, True, [4]])
def test_a_pattern_is_a_number_of_layers(pattern: object, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="sliding_window_pattern"):
        seen({"model_type": "cohere2", "num_hidden_layers": 8, "sliding_window_pattern": pattern}, tmp_path)


@pytest.mark.parametrize(
    ("name", "seq", "keys", "width"),
    [
        ("gpt-oss-120b", 8192, 18 * 8192 + 18 * 128 * (2 - 128 / 8192), 2 * 4096),
        ("gemma2-27b", 8192, 23 * 8192 + 23 * 4096 * 1.5, 2 * 4096),
        ("mistral-7b", 8192, 32 * 4096 * 1.5, 2 * 4096),
        ("mistral-7b", 4096, 32 * 4096, 2 * 4096),
        ("gemma3-27b", 8192, 10 * 8192 + 52 * 1024 * (2 - 1024 / 8192), 2 * 4096),
        ("llama4-scout", 16_384, 36 * 8192 + 12 * 16_384, 2 * 5120),
    ],
)
def test_models_by_name_have_their_windows(name: str, seq: int, keys: float, width: int) -> None:
    parts = estimated(f"model={name} seq={seq}")["flops_parts"]
    assert parts["attention"] == pytest.approx(6 * keys * width)


def test_a_window_is_named_beside_the_formula() -> None:
    found = estimated("model=mistral-7b seq=8192")["explain"]["flops"]["formula"]
    assert "s is 6144 in 32 layers with a window of 4096" in found


@pytest.mark.parametrize("layers", [8, 64])
def test_of_another_number_of_layers_as_large_a_part_has_a_window(layers: int) -> None:
    """Mistral 7B's layers have a window, all of them: none may be left over, and none more than there are."""
    parts = estimated(f"model=mistral-7b layers={layers} seq=131072")["flops_parts"]
    usual = estimated("model=mistral-7b seq=131072")["flops_parts"]
    assert parts["attention"] == pytest.approx(usual["attention"] * layers / 32)
