"""Calls back once a module has been imported by somebody else.

A script may set the environment before it imports torch, and one without torch should not pay for it: so
nothing here imports the module itself.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from runtime.ranks.fail_safe import harmless


def when_imported(name: str, then: Callable[[], None]) -> None:
    """Call `then` right after module `name` was executed for the first time; now, if it was already."""
    if name in sys.modules:
        with harmless(f"listen to {name}"):
            then()
    else:
        sys.meta_path.insert(0, _Waiting(name, then))


class _Waiting(MetaPathFinder):
    """Finds one module through the other finders, and wraps its loader."""

    def __init__(self, name: str, then: Callable[[], None]) -> None:
        self._name, self._then = name, then

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        sys.meta_path.remove(self)
        for finder in sys.meta_path:
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _ThenLoader(spec.loader, self._then)
                return spec
        return None


class _ThenLoader(Loader):
    """A loader that calls back when it is done; everything else is the wrapped loader's."""

    def __init__(self, loader: Loader, then: Callable[[], None]) -> None:
        self._loader, self._then = loader, then

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # What asks a module for its loader, such as `importlib.resources` and `inspect`, finds the real one.
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        with harmless(f"listen to {module.__name__}"):
            self._then()
