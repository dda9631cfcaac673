"""How far attention sees by a `config.json`: in which layers a token sees only a window of those before it.

Newer files list a kind for each layer (`layer_types`); of the others each kind of model has its own rule, and
its own defaults for what the file leaves out (those of transformers).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from runtime.estimate.inputs.config_file import Config, Unreadable
from runtime.estimate.inputs.models import Window

_CHUNKED = "attention_chunk_size"
# One layer in so many sees everything, the others a window of so many tokens.
_PATTERNS: Mapping[str, tuple[int, int]] = {
    "gemma2": (2, 4096), "gemma3_text": (6, 4096), "gpt_oss": (2, 128), "olmo3": (4, 4096),
    "cohere2": (4, 4096), "exaone4": (4, 4096), "llama4_text": (4, 8192),
}  # fmt: skip
# Every layer has a window, if the file says one; of Mistral one that the file does not forbid.
_ALL: Mapping[str, int | None] = {"mistral": 4096, "mixtral": None, "phi3": None, "phimoe": None,
                                  "starcoder2": None}  # fmt: skip
_WHERE_ASKED = ("qwen2", "qwen3", "qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text")


def window(config: Config, layers: int) -> Window | None:
    """The window of a model's layers; None where all of them see everything."""
    kind = str(config.values.get("model_type"))
    usual: int | None
    key = _CHUNKED if kind == "llama4_text" else "sliding_window"
    if config.values.get("use_sliding_window") is False:
        return None
    if isinstance(listed := config.values.get("layer_types"), list):
        found = Counter(str(word) for word in listed[:layers])
        count = found["sliding_attention"] + found["chunked_attention"]
        usual = _PATTERNS.get(kind, (0, 4096))[1]
    elif kind in _PATTERNS:
        every, usual = _PATTERNS[kind]
        count = _but_every(config, layers, every)
    elif kind in _ALL:
        usual, count = _ALL[kind], layers
    elif kind in _WHERE_ASKED and config.flag("use_sliding_window", False):
        usual, count = 4096, max(0, layers - config.size("max_window_layers", 28, least=0))
    elif kind == "gpt_neo":
        local = _local(config, layers)
        return Window(config.size("window_size", 256), local) if local else None
    else:
        return None
    told = config.values.get(key, usual)
    if not told or not count:  # null: nothing is left out
        return None
    return Window(config.size(key, usual), count, chunked=key == _CHUNKED)


def _but_every(config: Config, layers: int, every: int) -> int:
    """Layers with a window where each `every`th has none."""
    if isinstance(rotated := config.values.get("no_rope_layers"), list) and rotated:
        return sum(bool(one) for one in rotated[:layers])
    told = config.values.get("sliding_window_pattern", every)
    every = len(told) if isinstance(told, str) else told  # `LLLG` is four
    if not isinstance(every, int) or isinstance(every, bool) or every < 0:
        why = f"{config.file}: sliding_window_pattern is not a number of layers"
        raise Unreadable(why, "write a whole number, or leave it out")
    return layers - layers // every if every else 0


def _local(config: Config, layers: int) -> int:
    """Layers of a GPT-Neo that see a window: `[[["global", "local"], 12]]` is twelve times both."""
    told = config.values.get("attention_types") or [[["global", "local"], layers]]
    try:
        names = [name for some, times in told for name in list(some) * min(int(times), layers)]
    except (TypeError, ValueError):
        why = f"{config.file}: attention_types are no pairs of names and how often"
        raise Unreadable(why, 'write [[["global", "local"], 12]]') from None
    return names[:layers].count("local")
