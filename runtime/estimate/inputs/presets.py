"""Models by name, each with where its numbers are printed."""

from __future__ import annotations

from dataclasses import replace

from runtime.estimate.cited_works import at
from runtime.estimate.inputs.models import Experts, Latent, Model, Window, gpt, llama

_L2, _L3 = at("LLAMA2", "table 1, and the released config.json"), at("LLAMA3", "table 3")


def _gpt2(name: str, layers: int, hidden: int, heads: int) -> Model:
    made = gpt(layers, hidden, heads, vocab=50257, positions=1024, name=name)
    return replace(made, final_norm=True, source="GPT-2, the released config.json")


def _megatron(name: str, layers: int, hidden: int, heads: int, place: str) -> Model:
    return replace(gpt(layers, hidden, heads, name=name), source=place)


def _qwen(size: str, layers: int, hidden: int, heads: int, keys: int, ffn: int, tied: bool = False) -> Model:
    vocab = 151936 if tied else 152064
    made = llama(layers, hidden, heads, keys, ffn, vocab, tied=tied, name=f"Qwen2.5 {size}")
    return replace(made, qkv_bias=True, source="Qwen2.5, arXiv 2412.15115, table 1, and the config.json")


def _qwen3(
    size: str, layers: int, hidden: int, heads: int, keys: int, ffn: int, *, tied: bool = False,
    experts: Experts | None = None,
) -> Model:  # fmt: skip
    made = llama(layers, hidden, heads, keys, ffn, 151936, tied=tied, head_size=128, experts=experts,
                 name=f"Qwen3 {size}")  # fmt: skip
    return replace(made, qk_norm=True, source="Qwen3, arXiv 2505.09388, tables 1 and 2, and the config.json")


def _gpt_oss(size: str, layers: int, experts: int) -> Model:
    made = llama(layers, 2880, 64, 8, 2880, 201088, head_size=64, name=f"gpt-oss {size}",
                 experts=Experts(experts, 4, 2880, router_bias=True, bias=True))  # fmt: skip
    return replace(made, qkv_bias=True, output_bias=True, sinks=True, window=Window(128, layers // 2),
                   source="gpt-oss, arXiv 2508.10925, table 1, and the config.json")  # fmt: skip


def _llama1(size: str, layers: int, hidden: int, heads: int, ffn: int) -> Model:
    return llama(layers, hidden, heads, heads, ffn, 32000, name=f"LLaMA {size}",
                 source="Touvron et al., LLaMA, arXiv 2302.13971, table 2")  # fmt: skip


def _llama4(name: str, experts: int, every: int) -> Model:
    """The part that reads text."""
    made = llama(48, 5120, 40, 8, 16384, 202048, head_size=128, name=f"Llama 4 {name}",
                 experts=Experts(experts, 1, 8192, shared=1, dense_layers=every - 1, every=every),
                 source="Llama 4, the released config.json, text alone")  # fmt: skip
    return replace(made, window=Window(8192, 36, chunked=True))


def _gemma(size: str, layers: int, hidden: int, heads: int, keys: int, ffn: int, head: int) -> Model:
    made = llama(layers, hidden, heads, keys, ffn, 256000, tied=True, head_size=head, name=f"Gemma 2 {size}")
    return replace(made, norms=4, window=Window(4096, layers - layers // 2),
                   source="Gemma 2, arXiv 2408.00118, table 1, and the config.json")  # fmt: skip


def _gemma3(
    size: str, layers: int, hidden: int, heads: int, keys: int, ffn: int, head: int = 256, *,
    vocab: int = 262208, window: int = 1024,
) -> Model:  # fmt: skip
    """The part that reads text; one layer in six sees everything."""
    made = llama(layers, hidden, heads, keys, ffn, vocab, tied=True, head_size=head, name=f"Gemma 3 {size}")
    return replace(made, norms=4, qk_norm=True, window=Window(window, layers - layers // 6),
                   source="Gemma 3, arXiv 2503.19786, table 1, and the config.json, text alone")  # fmt: skip


def _olmo2(size: str, layers: int, hidden: int, heads: int, keys: int, ffn: int) -> Model:
    made = llama(layers, hidden, heads, keys, ffn, 100352, name=f"OLMo 2 {size}")
    return replace(made, qk_norm_whole=True, source="OLMo 2, arXiv 2501.00656, and the config.json")


def _phi3(name: str, layers: int, hidden: int, heads: int, keys: int, ffn: int) -> Model:
    made = llama(layers, hidden, heads, keys, ffn, 32064, name=name)
    return replace(made, window=Window(2047, layers),
                   source="Phi-3, arXiv 2404.14219, section 2, and the config.json of 4k")  # fmt: skip


def _opt(size: str, layers: int, hidden: int, heads: int) -> Model:
    """OPT's table of positions has two rows that no token has."""
    made = gpt(layers, hidden, heads, vocab=50272, positions=2050, name=f"OPT {size}")
    return replace(made, final_norm=True, source="OPT, arXiv 2205.01068, table 1, and the config.json")


def _pythia(size: str, layers: int, hidden: int, heads: int, vocab: int = 50304) -> Model:
    made = gpt(layers, hidden, heads, vocab, positions=0, name=f"Pythia {size}")
    return replace(made, final_norm=True, tied=False, dropout=False,
                   source="Pythia, arXiv 2304.01373, table 1, and the config.json")  # fmt: skip


_T1, _T3 = at("NARAYANAN", "table 1"), at("KORTHIKANTI", "table 3")

MODELS = {
    "gpt2": _gpt2("GPT-2 124M", 12, 768, 12),
    "gpt2-medium": _gpt2("GPT-2 355M", 24, 1024, 16),
    "gpt2-large": _gpt2("GPT-2 774M", 36, 1280, 20),
    "gpt2-xl": _gpt2("GPT-2 1.5B", 48, 1600, 25),
    "gpt-1.7b": _megatron("GPT 1.7B", 24, 2304, 24, _T1),
    "gpt-3.6b": _megatron("GPT 3.6B", 30, 3072, 32, _T1),
    "gpt-7.5b": _megatron("GPT 7.5B", 36, 4096, 32, _T1),
    "gpt-18b": _megatron("GPT 18.4B", 40, 6144, 48, _T1),
    "gpt-22b": _megatron("GPT 22B", 48, 6144, 64, _T3),
    "gpt-39b": _megatron("GPT 39.1B", 48, 8192, 64, _T1),
    "gpt-76b": _megatron("GPT 76.1B", 60, 10240, 80, _T1),
    "gpt-146b": _megatron("GPT 145.6B", 80, 12288, 96, _T1),
    "gpt3-175b": _megatron("GPT-3 175B", 96, 12288, 96, _T3),
    "gpt-310b": _megatron("GPT 310.1B", 96, 16384, 128, _T1),
    "mt-nlg-530b": _megatron("MT-NLG 530B", 105, 20480, 128, _T3),
    "gpt-1t": _megatron("GPT 1T", 128, 25600, 160, _T3),
    "palm-540b": llama(118, 18432, 48, 1, 73728, 256000, tied=True, head_size=256, name="PaLM 540B",
                       source=at("PALM", "table 1")),
    "bloom-176b": replace(gpt(70, 14336, 112, 250880, positions=0, name="BLOOM 176B"), final_norm=True,
                          embedding_norm=True, dropout=False,
                          source="BLOOM, arXiv 2211.05100, table 3, and the config.json"),
    "llama-7b": _llama1("7B", 32, 4096, 32, 11008),
    "llama-13b": _llama1("13B", 40, 5120, 40, 13824),
    "llama-33b": _llama1("33B", 60, 6656, 52, 17920),
    "llama-65b": _llama1("65B", 80, 8192, 64, 22016),
    "llama2-7b": llama(32, 4096, 32, 32, 11008, 32000, name="Llama 2 7B", source=_L2),
    "llama2-13b": llama(40, 5120, 40, 40, 13824, 32000, name="Llama 2 13B", source=_L2),
    "llama2-70b": llama(80, 8192, 64, 8, 28672, 32000, name="Llama 2 70B", source=_L2),
    "llama3-8b": llama(32, 4096, 32, 8, 14336, 128256, name="Llama 3 8B", source=_L3),
    "llama3-70b": llama(80, 8192, 64, 8, 28672, 128256, name="Llama 3 70B", source=_L3),
    "llama3-405b": llama(126, 16384, 128, 8, 53248, 128256, name="Llama 3 405B", source=_L3),
    "llama3.2-1b": llama(16, 2048, 32, 8, 8192, 128256, tied=True, name="Llama 3.2 1B",
                         source="Llama 3.2, the released config.json"),
    "llama3.2-3b": llama(28, 3072, 24, 8, 8192, 128256, tied=True, name="Llama 3.2 3B",
                         source="Llama 3.2, the released config.json"),
    "qwen2.5-0.5b": _qwen("0.5B", 24, 896, 14, 2, 4864, tied=True),
    "qwen2.5-1.5b": _qwen("1.5B", 28, 1536, 12, 2, 8960, tied=True),
    "qwen2.5-3b": _qwen("3B", 36, 2048, 16, 2, 11008, tied=True),
    "qwen2.5-7b": _qwen("7B", 28, 3584, 28, 4, 18944),
    "qwen2.5-14b": _qwen("14B", 48, 5120, 40, 8, 13824),
    "qwen2.5-32b": _qwen("32B", 64, 5120, 40, 8, 27648),
    "qwen2.5-72b": _qwen("72B", 80, 8192, 64, 8, 29568),
    "qwen3-0.6b": _qwen3("0.6B", 28, 1024, 16, 8, 3072, tied=True),
    "qwen3-1.7b": _qwen3("1.7B", 28, 2048, 16, 8, 6144, tied=True),
    "qwen3-4b": _qwen3("4B", 36, 2560, 32, 8, 9728, tied=True),
    "qwen3-8b": _qwen3("8B", 36, 4096, 32, 8, 12288),
    "qwen3-14b": _qwen3("14B", 40, 5120, 40, 8, 17408),
    "qwen3-32b": _qwen3("32B", 64, 5120, 64, 8, 25600),
    "qwen3-30b-a3b": _qwen3("30B-A3B", 48, 2048, 32, 4, 6144, experts=Experts(128, 8, 768)),
    "qwen3-235b-a22b": _qwen3("235B-A22B", 94, 4096, 64, 4, 12288, experts=Experts(128, 8, 1536)),
    "llama4-scout": _llama4("Scout", 16, 1),
    "llama4-maverick": _llama4("Maverick", 128, 2),
    "gpt-oss-20b": _gpt_oss("20B", 24, 32),
    "gpt-oss-120b": _gpt_oss("120B", 36, 128),
    "gemma2-2b": _gemma("2B", 26, 2304, 8, 4, 9216, 256),
    "gemma2-9b": _gemma("9B", 42, 3584, 16, 8, 14336, 256),
    "gemma2-27b": _gemma("27B", 46, 4608, 32, 16, 36864, 128),
    "gemma3-1b": _gemma3("1B", 26, 1152, 4, 1, 6912, vocab=262144, window=512),
    "gemma3-4b": _gemma3("4B", 34, 2560, 8, 4, 10240),
    "gemma3-12b": _gemma3("12B", 48, 3840, 16, 8, 15360),
    "gemma3-27b": _gemma3("27B", 62, 5376, 32, 16, 21504, 128),
    "olmo2-7b": _olmo2("7B", 32, 4096, 32, 32, 11008),
    "olmo2-13b": _olmo2("13B", 40, 5120, 40, 40, 13824),
    "olmo2-32b": _olmo2("32B", 64, 5120, 40, 8, 27648),
    "phi3-mini": _phi3("Phi-3 mini", 32, 3072, 32, 32, 8192),
    "phi3-medium": _phi3("Phi-3 medium", 40, 5120, 40, 10, 17920),
    "phi4": llama(40, 5120, 40, 10, 17920, 100352, name="Phi-4 14B",
                  source="Phi-4, arXiv 2412.08905, section 3, and the config.json"),
    "opt-125m": _opt("125M", 12, 768, 12),
    "opt-1.3b": _opt("1.3B", 24, 2048, 32),
    "opt-6.7b": _opt("6.7B", 32, 4096, 32),
    "opt-175b": _opt("175B", 96, 12288, 96),
    "pythia-160m": _pythia("160M", 12, 768, 12),
    "pythia-1.4b": _pythia("1.4B", 24, 2048, 16),
    "pythia-6.9b": _pythia("6.9B", 32, 4096, 32, 50432),
    "pythia-12b": _pythia("12B", 36, 5120, 40, 50688),
    "gpt-neox-20b": replace(gpt(44, 6144, 64, 50432, positions=0, name="GPT-NeoX 20B"), final_norm=True,
                            tied=False, dropout=False,
                            source="GPT-NeoX-20B, arXiv 2204.06745, section 2.1, and the config.json"),
    "mistral-7b": replace(llama(32, 4096, 32, 8, 14336, 32000, name="Mistral 7B",
                                source="Jiang et al., Mistral 7B, arXiv 2310.06825, table 1"),
                          window=Window(4096, 32)),
    "mixtral-8x7b": llama(32, 4096, 32, 8, 14336, 32000, experts=Experts(8, 2, 14336), name="Mixtral 8x7B",
                          source=at("MIXTRAL", "table 1")),
    "mixtral-8x22b": llama(56, 6144, 48, 8, 16384, 32768, experts=Experts(8, 2, 16384), name="Mixtral 8x22B",
                           source="Mixtral 8x22B v0.3, the released config.json"),
    "deepseek-v2": Model("DeepSeek-V2", "DeepSeek-V2, arXiv 2405.04434, section 3.1.2",
                         60, 5120, 128, 128, 128, 12288, 102400,
                         experts=Experts(160, 6, 1536, shared=2, dense_layers=1),
                         latent=Latent(1536, 512, 128, 64, 128)),
    "deepseek-v3": Model("DeepSeek-V3", at("DEEPSEEK", "section 4.2, without multi-token prediction"),
                         61, 7168, 128, 128, 128, 18432, 129280,
                         experts=Experts(256, 8, 2048, shared=1, dense_layers=3, router_bias=True),
                         latent=Latent(1536, 512, 128, 64, 128)),
}  # fmt: skip
ALIASES = {
    "gpt3": "gpt3-175b", "gpt-3": "gpt3-175b", "gpt-175b": "gpt3-175b", "gpt-530b": "mt-nlg-530b",
    "mt-nlg": "mt-nlg-530b", "palm": "palm-540b", "llama3.1-8b": "llama3-8b", "llama3.1-70b": "llama3-70b",
    "llama3.1-405b": "llama3-405b", "llama-3-8b": "llama3-8b", "llama-3-70b": "llama3-70b",
    "llama-3-405b": "llama3-405b", "llama-3.1-8b": "llama3-8b", "llama-3.1-70b": "llama3-70b",
    "llama-3.1-405b": "llama3-405b", "llama-8b": "llama3-8b", "llama-70b": "llama3-70b",
    "llama-405b": "llama3-405b", "llama-2-7b": "llama2-7b", "llama-2-13b": "llama2-13b",
    "llama-2-70b": "llama2-70b", "mixtral": "mixtral-8x7b", "deepseekv3": "deepseek-v3",
    "gpt2-small": "gpt2", "gpt2-124m": "gpt2", "gpt2-1.5b": "gpt2-xl",
}  # fmt: skip
# Tokens of a sequence that each was trained on; of others 2048.
SEQUENCES = {"gpt2": 1024, "gpt2-medium": 1024, "gpt2-large": 1024, "gpt2-xl": 1024, "llama2-7b": 4096,
             "llama2-13b": 4096, "llama2-70b": 4096, "llama3-8b": 8192, "llama3-70b": 8192,
             "llama3-405b": 8192, "llama3.2-1b": 8192, "mistral-7b": 8192, "mixtral-8x7b": 8192,
             "mixtral-8x22b": 8192, "deepseek-v2": 4096, "deepseek-v3": 4096, "llama3.2-3b": 8192,
             **{name: 4096 for name in MODELS if name.startswith(("qwen", "gpt-oss", "olmo", "phi"))},
             **{name: 8192 for name in MODELS if name.startswith("llama4")},
             **{name: 8192 for name in MODELS if name.startswith("gemma")}}  # fmt: skip
