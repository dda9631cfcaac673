"""What a rehearsal leaves in torch is taken away: no rank must find what was worked out as rank 0.

A mesh is equal to another whatever rank looks at it, so what `torch.distributed` remembers by mesh (how an
operator is split, what is sent for it, where a slice begins) would be found by every rank and is right for
one. Nobody promises where it is remembered. So nothing is looked for by name: the globals of all its
modules are put back, all its caches are emptied wherever they hang, and then no mesh and no layout on one
may be alive. Where one is, the stage does not fork.
"""

from __future__ import annotations

import functools
import gc
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import torch

PACKAGE = "torch.distributed"
# Whoever remembers something of a rank has one of these in its hands.
OF_A_RANK = ("DeviceMesh", "DTensorSpec", "DTensor", "ProcessGroup", "PrefixStore")
_PLAIN = (bool, int, float, str, bytes, type(None))
_FILLED = (dict, list, set)


@contextmanager
def put_back() -> Iterator[None]:
    """After the `with` block the globals of `torch.distributed` and random numbers are as before it.

    What was imported stays, and with it the torch-wide caches by operator and shape, which know of no rank.
    Caches of `torch.distributed` are full until somebody says `forget`.
    """
    kept = _globals()
    drawn, hook = random.getstate(), sys.excepthook
    try:
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        random.setstate(drawn)
        sys.excepthook = hook  # `init_process_group` has one that puts [rank0] before every line
        _put_back(kept)


def forget() -> None:
    """Empty every cache of `torch.distributed`, also those in closures, instances and C++."""
    clear = getattr(torch._C, "_clear_DTensor_sharding_propagator_cache", None)
    if clear is not None:
        clear()
    for cache in _caches():
        cache.cache_clear()
    gc.collect()


def found() -> list[str]:
    """The kinds of what is alive of a mesh or a group; `[]`: nothing is left."""
    kinds = {type(it) for it in gc.get_objects()}
    ours = (
        kind for kind in kinds if str(kind.__module__).startswith((PACKAGE, "torch._C._distributed_c10d"))
    )
    alive = {kind.__name__ for kind in ours if kind.__name__ in OF_A_RANK}
    filled = {str(cache.__qualname__) for cache in _caches() if cache.cache_info().currsize}
    group = {"a process group"} if torch.distributed.is_initialized() else set()
    return sorted(alive | filled | group)


def _caches() -> list[Any]:
    return [
        it
        for it in gc.get_objects()
        if type(it) is functools._lru_cache_wrapper and str(it.__module__).startswith(PACKAGE)
    ]


def _modules() -> Iterator[ModuleType]:
    for name, module in list(sys.modules.items()):
        # Not those with a type of their own: settings, which answer for themselves.
        if type(module) is ModuleType and (name == PACKAGE or name.startswith(PACKAGE + ".")):
            yield module


def _globals() -> dict[tuple[str, str], tuple[Any, Any]]:
    """By module and name: the object and, where it can be filled, what is in it."""
    kept = {}
    for module in _modules():
        for name, it in list(vars(module).items()):
            if name.startswith("__"):
                continue
            if type(it) in _FILLED:
                kept[module.__name__, name] = it, it.copy()
            elif type(it) in _PLAIN:
                kept[module.__name__, name] = it, None
    return kept


def _put_back(kept: dict[tuple[str, str], tuple[Any, Any]]) -> None:
    for (module, name), (it, filling) in kept.items():
        setattr(sys.modules[module], name, it)
        if filling is None or filling == it:
            continue
        it.clear()
        if isinstance(it, list):
            it.extend(filling)
        else:
            it.update(filling)
