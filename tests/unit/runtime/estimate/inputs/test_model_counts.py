"""Parameters of released models, as their authors and their checkpoints count them, from presets and
config.json."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from made_estimates import estimated, printed

from runtime.estimate.inputs.presets import MODELS

EXACT = {  # of the released checkpoints
    "gpt2": 124_439_808, "gpt2-medium": 354_823_168, "gpt2-large": 774_030_080, "gpt2-xl": 1_557_611_200,
    "llama2-7b": 6_738_415_616, "llama2-13b": 13_015_864_320, "llama2-70b": 68_976_648_192,
    "llama3-8b": 8_030_261_248, "llama3-70b": 70_553_706_496, "llama3-405b": 405_853_388_800,
    "llama3.2-1b": 1_235_814_400, "mistral-7b": 7_241_732_096, "mixtral-8x7b": 46_702_792_704,
    "llama-7b": 6_738_415_616, "llama-13b": 13_015_864_320, "llama-65b": 65_285_660_672,
    "bloom-176b": 176_247_271_424, "qwen3-0.6b": 596_049_920, "qwen3-8b": 8_190_735_360,
    "qwen3-30b-a3b": 30_532_122_624, "qwen3-235b-a22b": 235_093_634_560, "gpt-oss-20b": 20_914_757_184,
    "gpt-oss-120b": 116_829_156_672, "gemma3-1b": 999_885_952, "gemma3-4b": 3_880_263_168,
    "olmo2-7b": 7_298_617_344, "olmo2-13b": 13_716_198_400, "olmo2-32b": 32_234_279_936,
    "phi3-mini": 3_821_079_552, "phi3-medium": 13_960_238_080, "phi4": 14_659_507_200,
    "gpt-neox-20b": 20_554_567_680,
}  # fmt: skip


@pytest.mark.parametrize("name", EXACT)
def test_released_checkpoints(name: str) -> None:
    assert estimated(f"model={name}")["params"] == EXACT[name]


@pytest.mark.parametrize(
    ("name", "total", "active"),
    [("mixtral-8x7b", "46.7", "12.9"), ("deepseek-v3", "671.0", None), ("palm-540b", "540.4", None),
     ("gpt3-175b", "174.6", None), ("mixtral-8x22b", "140.6", "39.2")],
)  # fmt: skip
def test_total_and_active(name: str, total: str, active: str | None) -> None:
    """Mixtral: 47B and 13B (section 1), 46.7B and 12.9B (its announcement); DeepSeek-V3: 671B and 37B."""
    found = estimated(f"model={name}")
    assert printed(found["params"] / 1e9, 1) == total
    if active:
        assert printed(found["params_active"] / 1e9, 1) == active


def test_deepseek_v3_activates_37b() -> None:
    """ "37B activated for each token" (abstract); with the table of tokens, which multiplies nothing,
    37.6B."""
    found = estimated("model=deepseek-v3")
    assert int(found["params_active"] / 1e9) == 37
    assert 36 < (found["params_active"] - 129280 * 7168) / 1e9 < 37


@pytest.mark.parametrize(
    ("name", "total", "active"), [("gpt-oss-20b", "20.91", "3.61"), ("gpt-oss-120b", "116.83", "5.13")]
)
def test_gpt_oss_counts_as_its_card_does(name: str, total: str, active: str) -> None:
    """arXiv 2508.10925, table 1: active parameters are without the table of tokens, with the head."""
    found = estimated(f"model={name}")
    assert printed(found["params"] / 1e9, 2) == total
    assert printed((found["params_active"] - 201088 * 2880) / 1e9, 2) == active


CONFIGS = {
    "llama3-8b": {
        "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
        "num_hidden_layers": 32, "num_key_value_heads": 8, "vocab_size": 128256, "tie_word_embeddings": False,
    },
    "llama3.2-1b": {
        "model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192, "num_attention_heads": 32,
        "num_hidden_layers": 16, "num_key_value_heads": 8, "vocab_size": 128256, "tie_word_embeddings": True,
        "head_dim": 64,
    },
    "mixtral-8x7b": {
        "model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
        "num_hidden_layers": 32, "num_key_value_heads": 8, "vocab_size": 32000, "num_local_experts": 8,
        "num_experts_per_tok": 2,
    },
    "gpt2-xl": {"model_type": "gpt2", "n_embd": 1600, "n_head": 25, "n_layer": 48, "n_positions": 1024,
                "vocab_size": 50257},
    "deepseek-v3": {
        "model_type": "deepseek_v3", "hidden_size": 7168, "intermediate_size": 18432,
            "num_attention_heads": 128,
        "num_key_value_heads": 128, "num_hidden_layers": 61, "vocab_size": 129280, "q_lora_rank": 1536,
        "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
        "n_routed_experts": 256, "num_experts_per_tok": 8, "moe_intermediate_size": 2048,
            "n_shared_experts": 1,
        "first_k_dense_replace": 3, "moe_layer_freq": 1, "topk_method": "noaux_tc",
        "num_nextn_predict_layers": 1,
    },
}  # fmt: skip


@pytest.mark.parametrize("name", CONFIGS)
def test_a_config_counts_as_its_preset(name: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIGS[name]))
    found = estimated(f"model={tmp_path / 'config.json'}")
    preset = estimated(f"model={name}")
    assert (found["params"], found["params_active"]) == (preset["params"], preset["params_active"])
    assert estimated(f"model={tmp_path}")["params"] == found["params"]  # its folder is as good


@pytest.mark.parametrize(
    ("config", "params"),
    [
        ({"model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944, "num_attention_heads": 28,
          "num_hidden_layers": 28, "num_key_value_heads": 4, "vocab_size": 152064}, 7_615_616_512),
        ({"model_type": "qwen3", "hidden_size": 4096, "intermediate_size": 12288, "num_attention_heads": 32,
          "num_hidden_layers": 36, "num_key_value_heads": 8, "vocab_size": 151936, "head_dim": 128},
         8_190_735_360),
        ({"model_type": "gpt_neox", "hidden_size": 6144, "intermediate_size": 24576,
            "num_attention_heads": 64,
          "num_hidden_layers": 44, "vocab_size": 50432, "tie_word_embeddings": False}, 20_554_567_680),
        ({"model_type": "qwen3_moe", "hidden_size": 2048, "intermediate_size": 6144,
            "num_attention_heads": 32,
          "num_hidden_layers": 48, "num_key_value_heads": 4, "vocab_size": 151936, "head_dim": 128,
          "num_experts": 128, "num_experts_per_tok": 8, "moe_intermediate_size": 768}, 30_532_122_624),
    ],
    ids=["Qwen2.5-7B", "Qwen3-8B", "GPT-NeoX-20B", "Qwen3-30B-A3B"],
)  # fmt: skip
def test_other_kinds(config: dict[str, object], params: int, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert estimated(f"model={tmp_path / 'config.json'}")["params"] == params


def test_all_of_a_given_number_is_active_but_experts() -> None:
    assert estimated("model=llama3-8b params=8e9")["params_active"] == 8e9
    assert printed(estimated("model=mixtral params=47e9")["params_active"] / 1e9, 1) == "12.9"


def test_every_preset_and_gpu_has_a_source() -> None:
    from runtime.estimate.formulas.states import OPTIMIZERS, PRECISIONS
    from runtime.estimate.inputs.gpus import GPUS

    for table in (MODELS, GPUS, OPTIMIZERS, PRECISIONS):
        for name, row in table.items():  # type: ignore[attr-defined]
            assert len(row.source) > 8, name
    named = {"v100", "a100-40", "a100-80", "l4", "l40s", "rtx3090", "rtx4090", "h100", "h200",
        "b200", "mi300x",
             "tpu-v5e", "tpu-v5p"}  # fmt: skip
    assert named <= GPUS.keys()
