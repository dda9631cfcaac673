"""A model from a Hugging Face `config.json`.

Each kind of model has its own defaults for what its file leaves out; a kind that is not known here is refused
rather than read as if it were a Llama.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runtime.estimate.inputs.models import Experts, Latent, Model, gpt, llama

MOST = 4_000_000  # bytes of a file that is read


class Unreadable(Exception):
    """`why` a file is no model, and `mend`."""

    def __init__(self, why: str, mend: str) -> None:
        super().__init__(why)
        self.why, self.mend = why, mend


@dataclass(frozen=True, slots=True)
class Config:
    """The object of a file, read by key with the bounds a size has."""

    values: Mapping[str, Any]
    file: str

    def size(self, key: str, default: int | None = None, least: int = 1) -> int:
        """A whole number; Unreadable where there is none and no default."""
        found = self.values.get(key)
        if found is None:
            if default is None:
                raise Unreadable(
                    f"{self.file} has no {key}", "add it, or give the model by layers= hidden= heads="
                )
            return default
        if isinstance(found, bool) or not isinstance(found, int) or not least <= found <= 10**9:
            raise Unreadable(f"{self.file}: {key} is no size", f"write a whole number from {least}")
        return found

    def flag(self, key: str, default: bool) -> bool:
        """A boolean key; `default` where it is absent or null."""
        found = self.values.get(key, default)
        return default if found is None else bool(found)


def read(path: Path) -> Model:
    """The model of a file. Unreadable: not there, cut, or of a kind that is not known."""
    name = path.name
    if path.is_dir():
        return read(path / "config.json")
    try:
        with path.open("rb") as file:
            text = file.read(MOST + 1)
    except OSError as error:
        raise Unreadable(
            f"{name} cannot be read: {error.strerror or error}", "give the path of a config.json"
        ) from None
    if len(text) > MOST:
        raise Unreadable(
            f"{name} is larger than {MOST // 1_000_000} MB", "give the model's config.json, not its weights"
        )
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        at = (
            f" (line {error.lineno}, column {error.colno})" if isinstance(error, json.JSONDecodeError) else ""
        )
        raise Unreadable(
            f"{name} is no JSON, or was cut{at}", "download it again; it ends in a closing brace"
        ) from None
    if not isinstance(found, dict):
        raise Unreadable(f"{name} is no object of a model", "give the config.json of a Hugging Face model")
    if isinstance(found.get("text_config"), dict):  # a model that sees as well: its language part
        found = found["text_config"] | {"model_type": found["text_config"].get("model_type", "")}
    kind = str(found.get("model_type", ""))[:40]
    if kind not in KINDS:
        known = ", ".join(sorted(KINDS))
        what = f"of the kind {kind!r}" if kind else "without a model_type"
        raise Unreadable(f"{name} is a config {what}, which is not known here", f"known: {known}")
    config = Config(found, name)
    model = KINDS[kind](config)
    if model.heads % model.kv_heads:
        raise Unreadable(
            f"{name}: {model.kv_heads} key and value heads do not divide {model.heads} heads",
            "mend num_key_value_heads",
        )
    return model


def _llama(config: Config, **more: Any) -> Model:
    heads, hidden = config.size("num_attention_heads"), config.size("hidden_size")
    if not config.values.get("head_dim") and hidden % heads:
        raise Unreadable(f"{config.file}: {heads} heads do not divide hidden_size {hidden}", "mend either")
    made = llama(
        config.size("num_hidden_layers"), hidden, heads, config.size("num_key_value_heads", heads),
        config.size("intermediate_size"), config.size("vocab_size"), head_size=config.size(
            "head_dim", hidden // heads),
        tied=config.flag("tie_word_embeddings", more.pop("tied", False)), experts=more.pop("experts", None),
        name=str(config.values.get("_name_or_path") or config.values["model_type"])[:60], source=config.file,
    )  # fmt: skip
    from dataclasses import replace

    return replace(made, **more)


def _attention_bias(config: Config) -> Model:
    bias = config.flag("attention_bias", False)
    return _llama(config, qkv_bias=bias)


def _mixtral(config: Config) -> Model:
    experts = Experts(
        config.size("num_local_experts", 8),
        config.size("num_experts_per_tok", 2),
        config.size("intermediate_size"),
    )
    return _llama(config, experts=_checked(config, experts))


def _qwen_moe(config: Config, *, shared: bool, **more: Any) -> Model:
    wide = config.size("shared_expert_intermediate_size", 5632) if shared else 0
    experts = Experts(
        config.size("num_experts"), config.size("num_experts_per_tok"), config.size("moe_intermediate_size"),
        shared=1 if shared else 0, shared_ffn=wide, shared_gate=shared,
        every=config.size("decoder_sparse_step", 1),
    )  # fmt: skip
    return _llama(config, experts=_checked(config, experts), **more)


def _deepseek(config: Config) -> Model:
    latent = Latent(
        config.size("q_lora_rank", 0, least=0), config.size("kv_lora_rank"), config.size("qk_nope_head_dim"),
        config.size("qk_rope_head_dim"), config.size("v_head_dim"),
    )  # fmt: skip
    experts = Experts(
        config.size("n_routed_experts"), config.size("num_experts_per_tok"), config.size(
            "moe_intermediate_size"),
        shared=config.size("n_shared_experts", 0, least=0),
        dense_layers=config.size("first_k_dense_replace", 0, least=0),
        every=config.size("moe_layer_freq", 1), router_bias=config.values.get("topk_method") == "noaux_tc",
    )  # fmt: skip
    return _llama(config, latent=latent, experts=_checked(config, experts))


def _checked(config: Config, experts: Experts) -> Experts:
    if experts.active > experts.count:
        raise Unreadable(
            f"{config.file}: {experts.active} of {experts.count} experts cannot be active",
            f"write num_experts_per_tok up to {experts.count}",
        )
    return experts


def _gpt2(config: Config) -> Model:
    from dataclasses import replace

    hidden, heads = config.size("n_embd", 768), config.size("n_head", 12)
    if hidden % heads:
        raise Unreadable(f"{config.file}: {heads} heads do not divide n_embd {hidden}", "mend either")
    made = gpt(
        config.size("n_layer", 12), hidden, heads, config.size("vocab_size", 50257),
        config.size("n_positions", 1024), config.size("n_inner", 4 * hidden), name="GPT-2",
    )  # fmt: skip
    return replace(made, final_norm=True, source=config.file)


def _neox(config: Config) -> Model:
    from dataclasses import replace

    hidden, heads = config.size("hidden_size"), config.size("num_attention_heads")
    if hidden % heads:
        raise Unreadable(f"{config.file}: {heads} heads do not divide hidden_size {hidden}", "mend either")
    made = gpt(
        config.size("num_hidden_layers"),
        hidden,
        heads,
        config.size("vocab_size"),
        0,
        config.size("intermediate_size"),
    )
    return replace(
        made, name="GPT-NeoX", source=config.file, final_norm=True, dropout=False,
        tied=config.flag("tie_word_embeddings", False),
    )  # fmt: skip


KINDS: Mapping[str, Callable[[Config], Model]] = {
    "gpt2": _gpt2,
    "gpt_neox": _neox,
    "llama": _attention_bias,
    "mistral": _llama,
    "mixtral": _mixtral,
    "qwen2": lambda config: _llama(config, qkv_bias=True),
    "qwen2_moe": lambda config: _qwen_moe(config, shared=True, qkv_bias=True),
    "qwen3": lambda config: _llama(config, qk_norm=True, qkv_bias=config.flag("attention_bias", False)),
    "qwen3_moe": lambda config: _qwen_moe(config, shared=False, qk_norm=True),
    "deepseek_v2": _deepseek,
    "deepseek_v3": _deepseek,
    "phi3": _llama,
    "gemma": lambda config: _llama(config, tied=True),
}
