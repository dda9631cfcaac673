"""A model by its name: a preset, as people write it, or the `config.json` at a path."""

from __future__ import annotations

from pathlib import Path

from runtime.estimate.formulas import parameters
from runtime.estimate.inputs import config_json, presets
from runtime.estimate.inputs.config_file import Unreadable
from runtime.estimate.inputs.models import Model
from runtime.estimate.keys import MODELS, clipped, meant


def preset(name: str) -> str:
    """A name as presets are written: `meta-llama/Llama-3.1-8B` is llama-3.1-8b."""
    return name.lower().replace("_", "-").removeprefix("meta-llama/")


def named(name: str) -> Model:
    """A preset, or the model of a config.json. Unreadable: neither."""
    word = preset(name)
    if word in MODELS:
        return presets.MODELS[MODELS[word]]
    path = Path(name)
    try:
        looks = path.suffix == ".json" or "/" in name or path.exists()
    except (OSError, ValueError):
        looks = False
    if not looks:
        raise Unreadable(f"there is no model {clipped(name)!r}", meant(word, presets.MODELS))
    try:
        model = config_json.read(path)
        parameters.total(model)
    except ValueError as error:  # a path with a NUL in it
        raise Unreadable(
            f"{clipped(name)!r} cannot be read: {error}", "give the path of a config.json"
        ) from None
    return model
