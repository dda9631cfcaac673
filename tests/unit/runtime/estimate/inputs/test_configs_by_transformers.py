"""Parameters of config.json files that no release has, beside what transformers makes of each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from made_estimates import estimated


def small(kind: str, layers: int, **more: object) -> dict[str, Any]:
    return {
        "model_type": kind, "hidden_size": 256, "intermediate_size": 640, "num_attention_heads": 8,
        "num_key_value_heads": 4, "vocab_size": 1000, "num_hidden_layers": layers, **more,
    }  # fmt: skip


# Small ones, counted by transformers 5 (the parameters of the model that each makes, on the meta device).
COUNTED: list[tuple[dict[str, Any], int]] = [
    ({"model_type": "bloom", "n_layer": 4, "vocab_size": 1000, "hidden_size": 64, "n_head": 8,
     "tie_word_embeddings": False}, 328_192),
    ({"model_type": "gptj", "n_layer": 2, "n_head": 4, "n_embd": 64, "rotary_dim": 8, "vocab_size": 1000,
     "tie_word_embeddings": True}, 164_328),
    ({"model_type": "gpt_neo", "num_layers": 2, "num_heads": 4, "hidden_size": 64, "vocab_size": 1000,
     "attention_types": [[["global"], 2]], "tie_word_embeddings": False}, 358_784),
    (small("deepseek_v3", 6, num_key_value_heads=8, attention_bias=True, tie_word_embeddings=False,
     n_routed_experts=8, moe_intermediate_size=128, first_k_dense_replace=2, q_lora_rank=96, kv_lora_rank=64,
     qk_nope_head_dim=32, qk_rope_head_dim=16, v_head_dim=32, num_experts_per_tok=4, n_group=2, topk_group=1,
     n_shared_experts=1, topk_method="greedy"), 6_130_400),
    (small("qwen3_moe", 6, head_dim=32, num_local_experts=16, num_experts=16, num_experts_per_tok=2,
     moe_intermediate_size=96), 8_797_824),
    (small("olmoe", 6, num_experts=16, num_experts_per_tok=2), 48_907_776),
    (small("olmo3", 6), 4_646_400),
    (small("granite", 6, attention_bias=True, mlp_bias=True), 4_657_920),
    (small("granitemoe", 6, num_local_experts=4, num_experts_per_tok=2), 13_497_600),
    (small("smollm3", 6), 4_388_096),
    (small("glm4_moe", 6, n_routed_experts=8, moe_intermediate_size=96, n_shared_experts=1,
     first_k_dense_replace=1, num_experts_per_tok=2, attention_bias=True, use_qk_norm=True, head_dim=32),
     5_517_952),
    (small("seed_oss", 6, attention_bias=True, attention_out_bias=False, head_dim=32), 4_647_168),
    (small("starcoder2", 6), 3_418_368),
    (small("gpt_oss", 4, head_dim=32, num_local_experts=8, num_experts_per_tok=2), 17_089_856),
    (small("llama4_text", 4, head_dim=32, num_local_experts=4, num_experts_per_tok=1,
     interleave_moe_layer_step=2, intermediate_size_mlp=900), 7_600_384),
    (small("llama4_text", 4, head_dim=32, num_local_experts=4, num_experts_per_tok=1,
     interleave_moe_layer_step=1, intermediate_size_mlp=900, attention_bias=True), 11_138_304),
    (small("glm4", 4, head_dim=32, attention_bias=True), 3_270_912),
    (small("cohere", 4, head_dim=32), 3_009_792),
    (small("cohere", 4, head_dim=32, use_qk_norm=True), 3_011_328),
    (small("cohere2", 4, head_dim=32), 3_009_792),
    (small("ernie4_5", 4, head_dim=32), 3_010_816),
    (small("ernie4_5", 4, head_dim=32, tie_word_embeddings=False), 3_266_816),
    (small("qwen3_vl_text", 4, head_dim=32), 3_267_072),
    (small("qwen2_5_vl_text", 4, head_dim=32), 3_268_864),
]  # fmt: skip


@pytest.mark.parametrize(("config", "params"), COUNTED, ids=lambda value: str(value)[:30])
def test_counts_as_transformers_does(config: dict[str, Any], params: int, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert estimated(f"model={tmp_path / 'config.json'}")["params"] == params
