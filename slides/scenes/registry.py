"""The scenes there are, by name. To add one: its file in a folder of `library/`, and its line here."""

from __future__ import annotations

from importlib import import_module

from slides.scenes.scene import Scene

_LIBRARY: tuple[str, ...] = (
    "machine_room.room",
    "one_device.training_step",
    "one_device.accumulation",
    "data_parallel.ddp",
    "collectives.broadcast",
    "collectives.reduce",
    "collectives.ring",
    "collectives.tree",
    "collectives.all_gather",
    "collectives.reduce_scatter",
    "collectives.all_to_all",
    "data_parallel.buckets",
    "sharded.zero",
    "sharded.fsdp",
    "sharded.hsdp",
    "model_parallel.tensor_parallel",
    "model_parallel.pipeline",
    "model_parallel.ring_attention",
    "model_parallel.experts",
    "faults.failover",
    "data_parallel.scaling",
)
"""Modules of `slides.scenes.library`, each with a `SCENE`; a scene's name is its module's with hyphens."""


def _name(module: str) -> str:
    return module.rpartition(".")[2].replace("_", "-")


def names() -> tuple[str, ...]:
    """Return the names of all scenes, in the order of the course."""
    return tuple(map(_name, _LIBRARY))


def scene(name: str) -> Scene | None:
    """Return the scene called `name`, or None. Its module is imported only now."""
    module = next((module for module in _LIBRARY if _name(module) == name), None)
    if module is None:
        return None
    found: Scene = import_module(f"slides.scenes.library.{module}").SCENE
    return found
