"""Parameters by the config.json of released models, as their checkpoints count them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from made_estimates import estimated

from runtime.estimate.request import Refused


def llama(
    kind: str, h: int, f: int, a: int, layers: int, kv: int, vocab: int, **more: object
) -> dict[str, Any]:
    return {
        "model_type": kind, "hidden_size": h, "intermediate_size": f, "num_attention_heads": a,
        "num_hidden_layers": layers, "num_key_value_heads": kv, "vocab_size": vocab, **more,
    }  # fmt: skip


def neox(h: int, a: int, layers: int, vocab: int) -> dict[str, Any]:
    return {
        "model_type": "gpt_neox", "hidden_size": h, "intermediate_size": 4 * h, "num_attention_heads": a,
        "num_hidden_layers": layers, "vocab_size": vocab, "tie_word_embeddings": False,
    }  # fmt: skip


def opt(h: int, a: int, layers: int) -> dict[str, Any]:
    return {
        "model_type": "opt", "hidden_size": h, "ffn_dim": 4 * h, "num_attention_heads": a,
        "num_hidden_layers": layers, "vocab_size": 50272, "max_position_embeddings": 2048,
        "word_embed_proj_dim": h,
    }  # fmt: skip


TIED = {"tie_word_embeddings": True}
RELEASED: dict[str, tuple[dict[str, Any], int]] = {
    "Llama 7B": (llama("llama", 4096, 11008, 32, 32, 32, 32000), 6_738_415_616),
    "Llama 13B": (llama("llama", 5120, 13824, 40, 40, 40, 32000), 13_015_864_320),
    "Llama 30B": (llama("llama", 6656, 17920, 52, 60, 52, 32000), 32_528_943_616),
    "Llama 65B": (llama("llama", 8192, 22016, 64, 80, 64, 32000), 65_285_660_672),
    "Llama 3.2 3B": (llama("llama", 3072, 8192, 24, 28, 8, 128256, head_dim=128, **TIED), 3_212_749_824),
    "TinyLlama 1.1B": (llama("llama", 2048, 5632, 32, 22, 4, 32000), 1_100_048_384),
    "SmolLM2 135M": (llama("llama", 576, 1536, 9, 30, 3, 49152, **TIED), 134_515_008),
    "SmolLM2 360M": (llama("llama", 960, 2560, 15, 32, 5, 49152, **TIED), 361_821_120),
    "SmolLM2 1.7B": (llama("llama", 2048, 8192, 32, 24, 32, 49152, **TIED), 1_711_376_384),
    "Mistral 7B v0.3": (llama("mistral", 4096, 14336, 32, 32, 8, 32768), 7_248_023_552),
    "Mistral Nemo": (llama("mistral", 5120, 14336, 32, 40, 8, 131072, head_dim=128), 12_247_782_400),
    "Mixtral 8x22B": (
        llama("mixtral", 6144, 16384, 48, 56, 8, 32768, num_local_experts=8, num_experts_per_tok=2),
        140_630_071_296,
    ),
    "Qwen2.5 0.5B": (llama("qwen2", 896, 4864, 14, 24, 2, 151936, **TIED), 494_032_768),
    "Qwen2.5 1.5B": (llama("qwen2", 1536, 8960, 12, 28, 2, 151936, **TIED), 1_543_714_304),
    "Qwen2.5 3B": (llama("qwen2", 2048, 11008, 16, 36, 2, 151936, **TIED), 3_085_938_688),
    "Qwen2.5 7B": (llama("qwen2", 3584, 18944, 28, 28, 4, 152064), 7_615_616_512),
    "Qwen2.5 14B": (llama("qwen2", 5120, 13824, 40, 48, 8, 152064), 14_770_033_664),
    "Qwen2.5 32B": (llama("qwen2", 5120, 27648, 40, 64, 8, 152064), 32_763_876_352),
    "Qwen2.5 72B": (llama("qwen2", 8192, 29568, 64, 80, 8, 152064), 72_706_203_648),
    "Qwen3 0.6B": (llama("qwen3", 1024, 3072, 16, 28, 8, 151936, head_dim=128, **TIED), 596_049_920),
    "Qwen3 4B": (llama("qwen3", 2560, 9728, 32, 36, 8, 151936, head_dim=128, **TIED), 4_022_468_096),
    "Qwen3 32B": (llama("qwen3", 5120, 25600, 64, 64, 8, 151936, head_dim=128), 32_762_123_264),
    "Gemma 2B": (llama("gemma", 2048, 16384, 8, 18, 1, 256000, head_dim=256), 2_506_172_416),
    "Gemma 7B": (llama("gemma", 3072, 24576, 16, 28, 16, 256000, head_dim=256), 8_537_680_896),
    "Gemma 2 2B": (llama("gemma2", 2304, 9216, 8, 26, 4, 256000, head_dim=256), 2_614_341_888),
    "Gemma 2 9B": (llama("gemma2", 3584, 14336, 16, 42, 8, 256000, head_dim=256), 9_241_705_984),
    "Gemma 2 27B": (llama("gemma2", 4608, 36864, 32, 46, 16, 256000, head_dim=128), 27_227_128_320),
    "Gemma 3 1B": (llama("gemma3_text", 1152, 6912, 4, 26, 1, 262144, head_dim=256), 999_885_952),
    # Its config.json leaves out heads and vocabulary; 4.30e9 with the part that sees.
    "Gemma 3 4B": (
        {"model_type": "gemma3_text", "hidden_size": 2560, "intermediate_size": 10240,
         "num_hidden_layers": 34},
        3_880_263_168,
    ),
    "Phi-3 mini": (llama("phi3", 3072, 8192, 32, 32, 32, 32064), 3_821_079_552),
    "OLMo 2 7B": (llama("olmo2", 4096, 11008, 32, 32, 32, 100352), 7_298_617_344),
    "Phi-2": (llama("phi", 2560, 10240, 32, 32, 32, 51200), 2_779_683_840),
    "Pythia 70M": (neox(512, 8, 6, 50304), 70_426_624),
    "Pythia 160M": (neox(768, 12, 12, 50304), 162_322_944),
    "Pythia 410M": (neox(1024, 16, 24, 50304), 405_334_016),
    "Pythia 1B": (neox(2048, 8, 16, 50304), 1_011_781_632),
    "Pythia 1.4B": (neox(2048, 16, 24, 50304), 1_414_647_808),
    "Pythia 2.8B": (neox(2560, 32, 32, 50304), 2_775_208_960),
    "Pythia 6.9B": (neox(4096, 32, 32, 50432), 6_857_302_016),
    "Pythia 12B": (neox(5120, 40, 36, 50688), 11_846_072_320),
    "OPT 125M": (opt(768, 12, 12), 125_239_296),
    "OPT 1.3B": (opt(2048, 32, 24), 1_315_758_080),
    "OPT 2.7B": (opt(2560, 32, 32), 2_651_596_800),
    "OPT 6.7B": (opt(4096, 32, 32), 6_658_473_984),
    "GPT-J 6B": (
        {"model_type": "gptj", "n_embd": 4096, "n_head": 16, "n_layer": 28, "vocab_size": 50400},
        6_050_882_784,
    ),
    "GPT-Neo 125M": (
        {"model_type": "gpt_neo", "hidden_size": 768, "num_heads": 12, "num_layers": 12, "vocab_size": 50257},
        125_198_592,
    ),
    "GPT-Neo 2.7B": (
        {"model_type": "gpt_neo", "hidden_size": 2560, "num_heads": 20, "num_layers": 32,
         "vocab_size": 50257},
        2_651_307_520,
    ),
    "BLOOM 560M": (
        {"model_type": "bloom", "n_embed": 1024, "n_head": 16, "n_layer": 24, "vocab_size": 250880},
        559_214_592,
    ),
    "BLOOM 176B": (
        {"model_type": "bloom", "n_embed": 14336, "num_attention_heads": 112, "n_layer": 70,
         "vocab_size": 250880},
        176_247_271_424,
    ),
    "Falcon 7B": (
        {"model_type": "falcon", "hidden_size": 4544, "num_attention_heads": 71, "num_hidden_layers": 32,
         "vocab_size": 65024, "multi_query": True, "parallel_attn": True, "bias": False},
        6_921_720_704,
    ),
    "Falcon 40B": (
        {"model_type": "falcon", "hidden_size": 8192, "num_attention_heads": 128, "num_hidden_layers": 60,
         "vocab_size": 65024, "num_kv_heads": 8, "new_decoder_architecture": True},
        41_303_293_952,
    ),
    "MPT 7B": (
        {"model_type": "mpt", "d_model": 4096, "n_heads": 32, "n_layers": 32, "vocab_size": 50432,
         "expansion_ratio": 4, "no_bias": True},
        6_649_286_656,
    ),
    "StarCoder": (
        {"model_type": "gpt_bigcode", "n_embd": 6144, "n_head": 48, "n_layer": 40, "n_positions": 8192,
         "n_inner": 24576, "vocab_size": 49152, "multi_query": True},
        15_517_456_384,
    ),
    "CodeGen 350M": (
        {"model_type": "codegen", "n_embd": 1024, "n_head": 16, "n_layer": 20, "vocab_size": 51200},
        356_712_448,
    ),
    "OLMo 1B": (llama("olmo", 2048, 8192, 16, 16, 16, 50304, **TIED), 1_176_764_416),
    "OLMo 7B": (llama("olmo", 4096, 11008, 32, 32, 32, 50304), 6_888_095_744),
    "StableLM 3B": (llama("stablelm", 2560, 6912, 32, 32, 32, 50304), 2_795_443_200),
    "StableLM 2 1.6B": (
        llama("stablelm", 2048, 5632, 32, 24, 32, 100352, use_qkv_bias=True), 1_644_515_328,
    ),
    "GLM-4 9B": (llama("glm", 4096, 13696, 32, 40, 2, 151552, attention_bias=True), 9_399_951_360),
    "Helium 1 2B": (llama("helium", 2560, 7040, 20, 24, 20, 48000, head_dim=128), 2_172_643_840),
    "Exaone 4 1.2B": (llama("exaone4", 2048, 4096, 32, 30, 8, 102400, **TIED), 1_279_391_488),
    "AFM 4.5B": (llama("arcee", 2560, 18432, 20, 36, 4, 128004), 4_619_184_640),
    "Phi-4": (llama("phi3", 5120, 17920, 40, 40, 10, 100352), 14_659_507_200),
    "Phi-3.5 MoE": (
        llama("phimoe", 4096, 6400, 32, 32, 8, 32064, num_local_experts=16, num_experts_per_tok=2,
              attention_bias=True, lm_head_bias=True),
        41_873_153_344,
    ),
    "Minitron 8B": (llama("nemotron", 4096, 16384, 32, 32, 8, 256000), 7_734_829_056),
    "Command R": (llama("cohere", 8192, 22528, 64, 40, 64, 256000), 34_980_831_232),
    "StarCoder2 3B": (llama("starcoder2", 3072, 12288, 24, 30, 2, 49152), 3_030_371_328),
    "DeepSeek-V2": (
        llama("deepseek_v2", 5120, 12288, 128, 60, 128, 102400, q_lora_rank=1536, kv_lora_rank=512,
              qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128, n_routed_experts=160,
              num_experts_per_tok=6, moe_intermediate_size=1536, n_shared_experts=2, first_k_dense_replace=1),
        235_741_434_880,
    ),
    "DeepSeek-V2 Lite": (
        llama("deepseek_v2", 2048, 10944, 16, 27, 16, 102400, q_lora_rank=None, kv_lora_rank=512,
              qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128, n_routed_experts=64,
              num_experts_per_tok=6, moe_intermediate_size=1408, n_shared_experts=2, first_k_dense_replace=1),
        15_706_484_224,
    ),
    "Qwen1.5 MoE A2.7B": (
        llama("qwen2_moe", 2048, 5632, 16, 24, 16, 151936, num_experts=60, num_experts_per_tok=4,
              moe_intermediate_size=1408, shared_expert_intermediate_size=5632),
        14_315_784_192,
    ),
    "Qwen3 235B A22B": (
        llama("qwen3_moe", 4096, 12288, 64, 94, 4, 151936, head_dim=128, num_experts=128,
              num_experts_per_tok=8, moe_intermediate_size=1536),
        235_093_634_560,
    ),
}  # fmt: skip


# Counted by transformers 5: of every second layer, the second of a pair has experts.
OF_EVERY_SECOND = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 96,
                   "decoder_sparse_step": 2}  # fmt: skip


def test_every_second_layer_has_experts(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(llama("qwen2_moe", 256, 512, 8, 5, 8, 152000) |
                                                     OF_EVERY_SECOND))  # fmt: skip
    assert estimated(f"model={tmp_path / 'config.json'}")["params"] == 89564160


@pytest.mark.parametrize(
    ("outer", "inner", "params"),
    [(True, None, 1_568_000), (True, False, 1_568_000), (False, True, 1_568_000), (False, None, 1_824_000)],
)
def test_a_head_may_be_tied_outside_of_the_language_part(
    outer: bool, inner: bool | None, params: int, tmp_path: Path
) -> None:
    """Counted by transformers 5 with a LLaVA of these."""
    text = llama("llama", 256, 512, 8, 2, 8, 1000, tie_word_embeddings=inner)
    whole = {"model_type": "llava", "text_config": text, "tie_word_embeddings": outer}
    (tmp_path / "config.json").write_text(json.dumps(whole))
    assert estimated(f"model={tmp_path / 'config.json'}")["params"] == params


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"tie_word_embeddings": "false"}, "neither true nor false"),
        ({"model_type": ""}, "names no model_type"),
        ({"model_type": "stablelm", "qk_layernorm": True}, "qk_layernorm"),
        ({"model_type": "qwen3_moe", "num_experts": 4, "mlp_only_layers": [2]}, "not the first layers"),
    ],
)
def test_what_would_be_counted_wrongly_is_refused(more: dict[str, Any], why: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(llama("llama", 256, 512, 8, 2, 8, 1000) | more))
    with pytest.raises(Refused, match=why) as refused:
        estimated(f"model={tmp_path / 'config.json'}")
    assert refused.value.mend


@pytest.mark.parametrize("name", RELEASED)
def test_counts_as_the_checkpoint(name: str, tmp_path: Path) -> None:
    config, params = RELEASED[name]
    (tmp_path / "config.json").write_text(json.dumps(config))
    found = estimated(f"model={tmp_path / 'config.json'}")
    assert found["params"] == params
    assert found["activations"]["per_layer"] > 0


PRESETS = {
    "llama3.2-3b": "Llama 3.2 3B", "deepseek-v2": "DeepSeek-V2", "pythia-160m": "Pythia 160M",
    "opt-125m": "OPT 125M", "opt-1.3b": "OPT 1.3B", "opt-6.7b": "OPT 6.7B", "pythia-1.4b": "Pythia 1.4B",
    "pythia-6.9b": "Pythia 6.9B", "pythia-12b": "Pythia 12B", "mixtral-8x22b": "Mixtral 8x22B",
    **{f"qwen2.5-{size}": f"Qwen2.5 {size.upper()}" for size in ("0.5b", "1.5b", "3b", "7b", "14b", "32b",
                                                                 "72b")},
    **{f"gemma2-{size}": f"Gemma 2 {size.upper()}" for size in ("2b", "9b", "27b")},
}  # fmt: skip


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_counts_as_its_checkpoint(preset: str) -> None:
    assert estimated(f"model={preset}")["params"] == RELEASED[PRESETS[preset]][1]


def test_a_bias_of_attention_is_of_all_four_matrices(tmp_path: Path) -> None:
    """As transformers' LlamaAttention has it: queries, keys, values and what leads back."""
    config = llama("llama", 4096, 11008, 32, 32, 32, 32000, attention_bias=True, mlp_bias=True)
    (tmp_path / "config.json").write_text(json.dumps(config))
    biases = 32 * (4 * 4096 + 2 * 11008 + 4096)
    assert estimated(f"model={tmp_path}")["params"] == 6_738_415_616 + biases


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("bert", "an encoder"),
        ("t5", "an encoder with a decoder"),
        ("vit", "pictures"),
        ("mamba", "attention"),
    ],
)
def test_what_is_no_decoder_is_refused_by_what_it_is(kind: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": kind, "hidden_size": 768}))
    with pytest.raises(Refused) as raised:
        estimated(f"model={tmp_path}")
    assert why in raised.value.why and "llama" in raised.value.mend


def test_a_kind_that_is_nearly_known_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "gemma9"}))
    with pytest.raises(Refused, match="did you mean gemma"):
        estimated(f"model={tmp_path}")


def test_what_is_assumed_of_arithmetic_says_where_it_comes_from() -> None:
    found = estimated("model=llama3-8b gpu=h100")
    assert "table 5" in found["explain"]["time.compute_s"]["source"]
    assert any("0.6 of the peak" in said and "table 5" in said for said in found["assumptions"])
    given = estimated("model=llama3-8b gpu=h100 efficiency=0.4")
    assert any("0.4 of the peak, as given" in said for said in given["assumptions"])
