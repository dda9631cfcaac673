"""The scenes there are, by name. To add one: its file in `library/`, and its line here."""

from __future__ import annotations

from importlib import import_module

from slides.scenes.scene import Scene

_LIBRARY: tuple[str, ...] = (
    "room",
    "training_step",
    "accumulation",
    "ddp",
    "broadcast",
    "reduce",
    "ring",
    "tree",
    "all_gather",
    "reduce_scatter",
    "all_to_all",
    "buckets",
    "zero",
    "fsdp",
    "hsdp",
    "tensor_parallel",
    "pipeline",
    "ring_attention",
    "experts",
    "failover",
    "scaling",
)
"""Modules of `slides.scenes.library`, each with a `SCENE`; a scene's name is its module's with hyphens."""


def names() -> tuple[str, ...]:
    """Return the names of all scenes, in the order of the course."""
    return tuple(module.replace("_", "-") for module in _LIBRARY)


def scene(name: str) -> Scene | None:
    """Return the scene called `name`, or None. Its module is imported only now."""
    module = name.replace("-", "_")
    if module not in _LIBRARY:
        return None
    found: Scene = import_module(f"slides.scenes.library.{module}").SCENE
    return found
