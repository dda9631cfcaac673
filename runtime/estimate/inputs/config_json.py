"""A model from a Hugging Face `config.json`.

Each kind of model has its own defaults for what its file leaves out; a kind that is not known here is refused
rather than read as if it were a Llama.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from runtime.estimate.inputs import gpt_configs
from runtime.estimate.inputs.config_file import Config, Unreadable
from runtime.estimate.inputs.layout import divisors, nearest
from runtime.estimate.inputs.models import Experts, Latent, Model, llama
from runtime.estimate.inputs.windows import window

MOST = 4_000_000  # bytes of a file that is read


# Well-known kinds that are no decoder of text, and what they are instead.
OTHERS = {
    **dict.fromkeys(("bert", "roberta", "distilbert", "albert", "electra", "deberta", "deberta-v2",
                     "xlm-roberta", "modernbert"), "an encoder"),
    **dict.fromkeys(("t5", "mt5", "umt5", "bart", "mbart", "pegasus", "marian", "longt5"),
                    "an encoder with a decoder"),
    **dict.fromkeys(("vit", "clip", "siglip", "dinov2", "resnet", "swin"), "a model of pictures"),
    **dict.fromkeys(("whisper", "wav2vec2", "hubert"), "a model of sound"),
    **dict.fromkeys(("mamba", "mamba2", "rwkv", "falcon_mamba"), "a model without attention"),
}  # fmt: skip


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
            f"{name} is not JSON, or was cut{at}", "download it again; it ends in a closing brace"
        ) from None
    if not isinstance(found, dict):
        raise Unreadable(
            f"{name} is not an object of a model", "give the config.json of a Hugging Face model"
        )
    if isinstance(found.get("text_config"), dict):  # a model that sees as well: its language part
        text = found["text_config"]
        tied = {"tie_word_embeddings": True} if found.get("tie_word_embeddings") is True else {}
        found = text | tied | {"model_type": text.get("model_type", "")}
    kind = str(found.get("model_type", ""))[:40]
    if kind not in KINDS:
        known = ", ".join(sorted(KINDS))
        if kind in OTHERS:
            raise Unreadable(
                f"{name} is of the kind {kind!r}, {OTHERS[kind]}; only decoders of text are counted here",
                f"known: {known}",
            )
        if not kind:
            raise Unreadable(
                f"{name} names no model_type: it is no config of a model, or not all of it",
                "give the config.json that lies beside the model's weights",
            )
        close = difflib.get_close_matches(kind, KINDS, n=2, cutoff=0.5)
        meant = f"did you mean {' or '.join(close)}? Known: " if close else "known: "
        raise Unreadable(f"{name} is a config of the kind {kind!r}, which is not known here", meant + known)
    config = Config(found, name)
    model = KINDS[kind](config)
    model = replace(model, window=window(config, model.layers))
    if model.heads % model.kv_heads:
        raise Unreadable(
            f"{name}: {model.kv_heads} key and value heads do not divide {model.heads} heads",
            f"write num_key_value_heads={nearest(model.kv_heads, divisors(model.heads))}",
        )
    return model


def _llama(
    config: Config, *, tied: bool = False, head: int = 0, keys: int = 0, experts: Experts | None = None,
    attention_bias: bool = False, **more: Any,
) -> Model:  # fmt: skip
    """What all of them share. `head` is the size of a head and `keys` are key and value heads where the file
    has no such key; `attention_bias`: its key of that name is read, for all four matrices."""
    heads, hidden = config.size("num_attention_heads"), config.size("hidden_size")
    if not config.values.get("head_dim") and not head and hidden % heads:
        raise config.undivided("num_attention_heads", heads, "hidden_size", hidden)
    grouped = keys if keys and "num_key_value_heads" not in config.values else heads
    made = llama(
        config.size("num_hidden_layers"), hidden, heads, config.size("num_key_value_heads", grouped),
        config.size("intermediate_size"), config.size("vocab_size"), head_size=config.size(
            "head_dim", head or hidden // heads),
        tied=config.flag("tie_word_embeddings", tied), experts=experts,
        name=str(config.values.get("_name_or_path") or config.values["model_type"])[:60], source=config.file,
    )  # fmt: skip
    if attention_bias and config.flag("attention_bias", False):
        more = {**more, "qkv_bias": True, "output_bias": True}
    return replace(made, **more)


def _mixtral(config: Config) -> Model:
    experts = Experts(
        config.size("num_local_experts", 8),
        config.size("num_experts_per_tok", 2),
        config.size("intermediate_size"),
    )
    return _llama(config, keys=8, experts=_checked(config, experts))


def _qwen_moe(config: Config, *, shared: bool, **more: Any) -> Model:
    wide = config.size("shared_expert_intermediate_size", 5632) if shared else 0
    many = "num_experts" if "num_experts" in config.values else "num_local_experts"  # transformers 5
    every, plain = config.size("decoder_sparse_step", 1), config.values.get("mlp_only_layers") or []
    if plain and (every > 1 or plain != list(range(len(plain)))):
        raise Unreadable(
            f"{config.file}: mlp_only_layers={plain} are not the first layers",
            "leave it out: the layers that it names are then counted with experts",
        )
    experts = Experts(
        config.size(many), config.size("num_experts_per_tok"), config.size("moe_intermediate_size"),
        shared=1 if shared else 0, shared_ffn=wide, shared_gate=shared,
        dense_layers=len(plain) or every - 1, every=every,
    )  # fmt: skip
    return _llama(config, keys=16 if shared else 4, experts=_checked(config, experts), **more)


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
    return _llama(
        config, latent=latent, experts=_checked(config, experts),
        latent_bias=config.flag("attention_bias", False),
    )  # fmt: skip


def _gpt_oss(config: Config) -> Model:
    """Router and experts have biases, and each head has a score that no token has."""
    experts = Experts(
        config.size("num_local_experts", 128), config.size("num_experts_per_tok", 4),
        config.size("intermediate_size"), router_bias=True, bias=True,
    )  # fmt: skip
    biased = config.flag("attention_bias", True)
    return _llama(
        config, keys=8, head=64, experts=_checked(config, experts), qkv_bias=biased, output_bias=biased,
        sinks=True,
    )  # fmt: skip


def _llama4(config: Config) -> Model:
    """Each `interleave_moe_layer_step`th layer has experts and one that all tokens pass; the others have an
    MLP of a width of its own."""
    every = config.size("interleave_moe_layer_step", 1)
    experts = Experts(
        config.size("num_local_experts", 16), config.size("num_experts_per_tok", 1),
        config.size("intermediate_size"), shared=1, dense_layers=every - 1, every=every,
    )  # fmt: skip
    made = _llama(config, keys=8, head=128, experts=_checked(config, experts), attention_bias=True)
    return replace(made, ffn=config.size("intermediate_size_mlp", made.ffn))


def _glm4_moe(config: Config) -> Model:
    experts = Experts(
        config.size("n_routed_experts"), config.size("num_experts_per_tok"),
        config.size("moe_intermediate_size"), shared=config.size("n_shared_experts", 0, least=0),
        dense_layers=config.size("first_k_dense_replace", 0, least=0),
    )  # fmt: skip
    head = config.size("hidden_size") // config.size("num_attention_heads")  # cut off, as transformers does
    return _llama(
        config, head=head, experts=_checked(config, experts), qkv_bias=config.flag("attention_bias", False),
        qk_norm=config.flag("use_qk_norm", False),
    )  # fmt: skip


def _experts_of_its_width(config: Config, many: str, **more: Any) -> Model:
    """All layers are mixtures, and `intermediate_size` is the width of an expert."""
    experts = Experts(config.size(many), config.size("num_experts_per_tok"), config.size("intermediate_size"))
    return _llama(config, experts=_checked(config, experts), attention_bias=True, **more)


def _checked(config: Config, experts: Experts) -> Experts:
    if experts.active > experts.count:
        raise Unreadable(
            f"{config.file}: {experts.active} of {experts.count} experts cannot be active",
            f"write num_experts_per_tok up to {experts.count}",
        )
    return experts


def _gemma2(config: Config) -> Model:
    """Gemma 2 and 3 have norms before and after each branch, Gemma 3 such of queries and keys as well; its 4B
    leaves out what is the default."""
    third = str(config.values.get("model_type")) == "gemma3_text"
    if third:
        usual = {"num_attention_heads": 8, "num_key_value_heads": 4, "vocab_size": 262208}
        config = Config(usual | dict(config.values), config.file)
    return _llama(config, tied=True, norms=4, keys=4, qk_norm=third, head=256, attention_bias=True)


def _olmo2(config: Config) -> Model:
    """Its norms of queries and keys are of all heads together, not of one."""
    return _llama(config, attention_bias=True, qk_norm_whole=True)


def _phimoe(config: Config) -> Model:
    """LayerNorm with a shift, and a bias of the head."""
    biased = config.flag("lm_head_bias", False)
    return _experts_of_its_width(config, "num_local_experts", keys=8, norm_numbers=2, head_bias=biased)


def _stablelm(config: Config) -> Model:
    if config.flag("qk_layernorm", False):
        raise Unreadable(
            f"{config.file}: its heads have norms of their own (qk_layernorm)",
            "that kind is not counted here; give layers= hidden= heads=",
        )
    alone = 1 if config.flag("use_parallel_residual", False) else 2
    return _llama(config, keys=32, norm_numbers=2, norms=alone, qkv_bias=config.flag("use_qkv_bias", False))


KINDS: Mapping[str, Callable[[Config], Model]] = {
    **gpt_configs.KINDS,
    "llama": lambda config: _llama(config, attention_bias=True, mlp_bias=config.flag("mlp_bias", False)),
    "mistral": lambda config: _llama(config, keys=8),
    "mixtral": _mixtral,
    "qwen2": lambda config: _llama(config, keys=32, qkv_bias=True),
    "qwen2_moe": lambda config: _qwen_moe(config, shared=True, qkv_bias=True),
    "qwen3": lambda config: _llama(config, keys=32, qk_norm=True, head=128, attention_bias=True),
    "qwen3_moe": lambda config: _qwen_moe(config, shared=False, qk_norm=True, attention_bias=True),
    "deepseek_v2": _deepseek,
    "deepseek_v3": _deepseek,
    "kimi_k2": _deepseek,
    "gpt_oss": _gpt_oss,
    "llama4_text": _llama4,
    "phi3": _llama,
    "gemma": lambda config: _llama(config, tied=True, keys=16, head=256, attention_bias=True),
    "gemma2": _gemma2,
    "gemma3_text": _gemma2,
    "olmo2": _olmo2,
    "olmo3": _olmo2,
    "olmoe": lambda config: _experts_of_its_width(config, "num_experts", qk_norm_whole=True),
    "granite": lambda config: _llama(config, attention_bias=True, mlp_bias=config.flag("mlp_bias", False)),
    "granitemoe": lambda config: _experts_of_its_width(config, "num_local_experts"),
    "smollm3": lambda config: _llama(config, tied=True, keys=4, attention_bias=True),
    "glm4_moe": _glm4_moe,
    # Of those that see as well: their language part.
    **dict.fromkeys(
        ("qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text"),
        lambda config: _llama(config, qkv_bias=True),
    ),
    "qwen3_vl_text": lambda config: _llama(config, qk_norm=True, head=128, attention_bias=True),
    "qwen3_vl_moe_text": lambda config: _qwen_moe(config, shared=False, qk_norm=True, attention_bias=True),
    "glm": lambda config: _llama(config, keys=2, head=128, qkv_bias=config.flag("attention_bias", True)),
    "olmo": lambda config: _llama(config, norm_numbers=0, attention_bias=True),  # norms without a scale
    "stablelm": _stablelm,
    "phimoe": _phimoe,
    "helium": lambda config: _llama(config, keys=20, qkv_bias=config.flag("attention_bias", False)),
    "exaone4": lambda config: _llama(config, keys=32, qk_norm=True),
    "glm4": lambda config: _llama(
        config, norms=4, keys=2, head=128, qkv_bias=config.flag("attention_bias", True)
    ),
    "cohere": lambda config: _llama(
        config, tied=True, norms=1, attention_bias=True, qk_norm_whole=config.flag("use_qk_norm", False)
    ),
    "cohere2": lambda config: _llama(config, tied=True, norms=1, attention_bias=True),
    "ernie4_5": lambda config: _llama(config, tied=True, keys=2, head=128),
    "seed_oss": lambda config: _llama(
        config,
        keys=8,
        head=128,
        qkv_bias=config.flag("attention_bias", True),
        output_bias=config.flag("attention_out_bias", False),
    ),
}
