"""Kinds of `config.json` whose layers are a GPT's: LayerNorm, an MLP of two matrices, biases here and there.

Where two differ is said by flags of `Model`: which biases there are, how many norms, learned positions or
none, a head of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from runtime.estimate.inputs.config_file import Config, Unreadable
from runtime.estimate.inputs.models import Model, gpt

OFFSET = 2  # rows of OPT's table of positions that no token has


def _made(config: Config, name: str, layers: int, heads: int, hidden: int, **more: Any) -> Model:
    sizes = {key: more.pop(key, 0) for key in ("vocab", "positions", "ffn")}
    made = gpt(layers, hidden, heads, **sizes, name=name)
    return replace(made, **{"final_norm": True, "source": config.file, **more})


def _gpt2(config: Config) -> Model:
    hidden, heads = config.size("n_embd", 768), config.size("n_head", 12)
    if hidden % heads:
        raise config.undivided("n_head", heads, "n_embd", hidden)
    return _made(
        config, "GPT-2", config.size("n_layer", 12), heads, hidden, vocab=config.size("vocab_size", 50257),
        positions=config.size("n_positions", 1024), ffn=config.size("n_inner", 4 * hidden),
        tied=config.flag("tie_word_embeddings", True),
    )  # fmt: skip


def _neox(config: Config) -> Model:
    heads, hidden = config.heads("num_attention_heads", "hidden_size")
    return _made(
        config, "GPT-NeoX", config.size("num_hidden_layers"), heads, hidden,
        vocab=config.size("vocab_size"), ffn=config.size("intermediate_size"), dropout=False,
        tied=config.flag("tie_word_embeddings", False),
        **_attention_bias(config.flag("attention_bias", True)),
    )  # fmt: skip


def _attention_bias(has: bool) -> dict[str, bool]:
    return {"qkv_bias": has, "output_bias": has}


def _gpt_j(config: Config) -> Model:
    heads, hidden = config.heads("n_head", "n_embd")
    return _made(
        config, "GPT-J", config.size("n_layer"), heads, hidden, vocab=config.size("vocab_size"),
        ffn=config.size("n_inner", 4 * hidden), tied=config.flag("tie_word_embeddings", False), norms=1,
        head_bias=True, **_attention_bias(False),
    )  # fmt: skip


def _gpt_neo(config: Config) -> Model:
    heads, hidden = config.heads("num_heads", "hidden_size")
    return _made(
        config, "GPT-Neo", config.size("num_layers"), heads, hidden, vocab=config.size("vocab_size"),
        positions=config.size("max_position_embeddings", 2048),
        ffn=config.size("intermediate_size", 4 * hidden), qkv_bias=False,
        tied=config.flag("tie_word_embeddings", True),
    )  # fmt: skip


def _opt(config: Config) -> Model:
    heads, hidden = config.heads("num_attention_heads", "hidden_size")
    if config.size("word_embed_proj_dim", hidden) != hidden:
        raise Unreadable(
            f"{config.file}: its embedding is narrower than the model (word_embed_proj_dim)",
            "only OPT 350M is so; take another size",
        )
    bias = config.flag("enable_bias", True)
    return _made(
        config, "OPT", config.size("num_hidden_layers"), heads, hidden, vocab=config.size("vocab_size"),
        positions=config.size("max_position_embeddings", 2048) + OFFSET,
        ffn=config.size("ffn_dim", 4 * hidden), tied=config.flag("tie_word_embeddings", True),
        mlp_bias=bias, **_attention_bias(bias),
    )  # fmt: skip


def _bloom(config: Config) -> Model:
    wide = "hidden_size" if "hidden_size" in config.values else "n_embed"
    heads, hidden = config.heads("n_head" if "n_head" in config.values else "num_attention_heads", wide)
    layers = config.size("n_layer" if "n_layer" in config.values else "num_hidden_layers")
    return _made(
        config, "BLOOM", layers, heads, hidden, vocab=config.size("vocab_size"), ffn=4 * hidden,
        embedding_norm=True, tied=config.flag("tie_word_embeddings", True),
    )  # fmt: skip


def _falcon(config: Config) -> Model:
    """The new architecture has grouped heads and a norm for each branch, the old one of 7B a single one."""
    heads, hidden = config.heads("num_attention_heads", "hidden_size")
    new, bias = config.flag("new_decoder_architecture", False), config.flag("bias", False)
    old = 1 if config.flag("multi_query", True) else heads
    keys = config.size("num_kv_heads", heads) if new else old
    both = config.flag("parallel_attn", True)
    norms = config.size("num_ln_in_parallel_attn", 2) if new else (1 if both else 2)
    return _made(
        config, "Falcon", config.size("num_hidden_layers"), heads, hidden, vocab=config.size("vocab_size"),
        ffn=config.size("ffn_hidden_size", 4 * hidden), kv_heads=keys, norms=norms, dropout=False,
        mlp_bias=bias, tied=config.flag("tie_word_embeddings", True), **_attention_bias(bias),
    )  # fmt: skip


def _phi(config: Config) -> Model:
    heads, hidden = config.heads("num_attention_heads", "hidden_size")
    return _made(
        config, "Phi", config.size("num_hidden_layers"), heads, hidden, vocab=config.size("vocab_size"),
        ffn=config.size("intermediate_size"), kv_heads=config.size("num_key_value_heads", heads), norms=1,
        head_bias=True, tied=config.flag("tie_word_embeddings", False),
    )  # fmt: skip


def _bigcode(config: Config) -> Model:
    """GPT-2 whose heads share one key and one value."""
    made = _gpt2(config)
    return replace(made, kv_heads=1 if config.flag("multi_query", True) else made.heads, name="GPT BigCode")


def _mpt(config: Config) -> Model:
    """No biases, not even in norms."""
    heads, hidden = config.heads("n_heads", "d_model")
    return _made(
        config, "MPT", config.size("n_layers"), heads, hidden, vocab=config.size("vocab_size"),
        ffn=config.size("expansion_ratio", 4) * hidden, dropout=False, norm_numbers=1, mlp_bias=False,
        tied=config.flag("tie_word_embeddings", True), **_attention_bias(False),
    )  # fmt: skip


def _squared(config: Config, name: str, **more: Any) -> Model:
    """A Llama with an MLP of two matrices, its nonlinearity a squared ReLU."""
    heads, hidden = config.heads("num_attention_heads", "hidden_size")
    return _made(
        config, name, config.size("num_hidden_layers"), heads, hidden, vocab=config.size("vocab_size"),
        ffn=config.size("intermediate_size"), kv_heads=config.size("num_key_value_heads", heads),
        head_size=config.size("head_dim", hidden // heads), dropout=False,
        mlp_bias=config.flag("mlp_bias", False), tied=config.flag("tie_word_embeddings", False),
        **_attention_bias(config.flag("attention_bias", False)), **more,
    )  # fmt: skip


def _starcoder2(config: Config) -> Model:
    heads, hidden = config.heads("num_attention_heads", "hidden_size")
    bias = config.flag("use_bias", True)
    return _made(
        config, "StarCoder2", config.size("num_hidden_layers"), heads, hidden,
        vocab=config.size("vocab_size"), ffn=config.size("intermediate_size"),
        kv_heads=config.size("num_key_value_heads", 2), mlp_bias=bias,
        tied=config.flag("tie_word_embeddings", True), **_attention_bias(bias),
    )  # fmt: skip


KINDS: Mapping[str, Callable[[Config], Model]] = {
    "gpt2": _gpt2,
    "gpt_neox": _neox,
    "gptj": _gpt_j,
    "gpt_neo": _gpt_neo,
    "opt": _opt,
    "bloom": _bloom,
    "falcon": _falcon,
    "phi": _phi,
    "starcoder2": _starcoder2,
    "gpt_bigcode": _bigcode,
    "codegen": lambda config: replace(_gpt_j(config), name="CodeGen"),
    "mpt": _mpt,
    "nemotron": lambda config: _squared(config, "Nemotron"),
    "arcee": lambda config: _squared(config, "Arcee", norm_numbers=1),
}
