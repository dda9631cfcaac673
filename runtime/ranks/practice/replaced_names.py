"""What a student's file may not replace: torch, Python's built-ins, and the code that makes the checks.

A check is made in the process that runs the file. What is known by name there is held against what it was
before the file was read, again whenever a function of the file returns to a check.
"""

from __future__ import annotations

import builtins
import functools
import sys
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import torch

from runtime.protocol.practice_messages import Trouble

CHECKER = ("runtime.ranks.practice", "runtime.protocol.practice_messages")
BESIDE = "runtime.ranks."  # what it stands on: only what is called there has to stay
LOOKS = 50
_Known = Mapping[str, Any]


class _Code(NamedTuple):
    """A function, and what it runs: that can be put into another's place."""

    function: FunctionType
    code: CodeType


class Unchanged:
    """Everything as it is now; `trouble` says later what of it is another. `own`: objects of the checker."""

    def __init__(self, checks: ModuleType, own: tuple[object, ...]) -> None:
        self._checks, self._own = checks, own
        self._kind = torch.get_default_dtype()
        self._torch, self._ours = _of_torch(checks), self._of_checker()

    def _of_checker(self) -> dict[str, _Known]:
        found = dict(_of_modules())
        found[self._checks.__name__] = _values(vars(self._checks))
        for one in self._own:  # an attribute may hide a method
            found[type(one).__name__.lower()] = _called(_of_class(type(one)) | vars(one), hidden=True)
        return found

    def trouble(self) -> Trouble | None:
        """Return what was changed, None if nothing was."""
        if (names := _others(self._ours, self._of_checker())) != []:
            said = f"your file changes the checker: {', '.join(names[:3])}"
            return Trouble("changed", said, 0, "what it has made of its own checks says nothing about it")
        if (now := torch.get_default_dtype()) is not self._kind:
            what = f"your file sets torch's default type to {now}"
            return Trouble("changed", what, 0, "the checks' own tensors would be of that type as well")
        names = _others(self._torch, _of_torch(self._checks))
        meaning = "the checks measure torch as it is: put back what your file replaces"
        return Trouble("changed", f"your file replaces {', '.join(names[:3])}", 0, meaning) if names else None


class Watched:
    """The student's module as checks see it: once a function of it has returned, `look` looks.

    After the first of many calls only now and then: a look takes milliseconds, and there is one after each
    check anyway.
    """

    def __init__(self, module: ModuleType, look: Callable[[], None]) -> None:
        self._module, self._look_now = module, look
        self._calls = 0

    def _look(self) -> None:
        self._calls += 1
        if self._calls <= LOOKS or self._calls % LOOKS == 0:
            self._look_now()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        if not isinstance(found, FunctionType):
            return found

        @functools.wraps(found)
        def called(*args: Any, **kwargs: Any) -> Any:
            try:
                return found(*args, **kwargs)
            finally:
                self._look()

        return called


def _others(before: Mapping[str, _Known], now: Mapping[str, _Known]) -> list[str]:
    """Names that stand for something else now, or for nothing."""
    return sorted(
        f"{place}.{name}"
        for place, known in before.items()
        for name, value in known.items()
        if _is_another(value, now.get(place, {}).get(name))
    )


def _is_another(before: Any, now: Any) -> bool:
    if isinstance(before, _Code) and isinstance(now, _Code):
        return before.function is not now.function or before.code is not now.code
    return before is not now


def _of_torch(checks: ModuleType) -> dict[str, _Known]:
    """What is called by name in torch and Python, by the place it is found in."""
    places: dict[str, Any] = {
        "torch": torch,
        "torch.distributed": sys.modules["torch.distributed"],
        "torch.nn": torch.nn,
        "torch.nn.functional": torch.nn.functional,
        "torch.optim": torch.optim,
        "torch.autograd": torch.autograd,
        "builtins": builtins,
    }
    # Not `os`: checks themselves look at what is called of it.
    used = (it for it in vars(checks).values() if isinstance(it, ModuleType))
    places |= {it.__name__: it for it in used if it.__name__.startswith("torch")}
    found: dict[str, _Known] = {place: _called(vars(owner)) for place, owner in places.items()}
    for kind in (torch.Tensor, torch.nn.Parameter, torch.nn.Module):
        found[f"torch.{kind.__name__}"] = _called(_of_class(kind), hidden=True)
    return found


def _of_modules() -> Iterator[tuple[str, _Known]]:
    for name, module in list(sys.modules.items()):
        if not name.startswith((*CHECKER, BESIDE)) or module is None:
            continue
        members = vars(module)
        yield name, _values(members) if name.startswith(CHECKER) else _called(members, hidden=True)
        for kind in members.values():
            if isinstance(kind, type) and kind.__module__ == name:
                yield f"{name}.{kind.__name__}", _called(_of_class(kind), hidden=True)


def _of_class(kind: type) -> dict[str, Any]:
    """What instances of a class have, of its bases too: a new name in the class may hide one of those."""
    found: dict[str, Any] = {}
    for one in reversed(kind.__mro__):
        found |= vars(one)
    return found


def _called(members: Mapping[str, Any], hidden: bool = False) -> dict[str, Any]:
    """What can be called; names that begin with `_` only where they are `hidden`."""
    return {
        name: _noted(it)
        for name, it in list(members.items())
        if (callable(it) or issubclass(type(it), property)) and (hidden or not name.startswith("_"))
    }


def _values(members: Mapping[str, Any]) -> dict[str, Any]:
    """Every name of a module of the checker: its numbers are as much of it as its functions."""
    return {name: _noted(it) for name, it in list(members.items()) if not name.startswith("__")}


def _noted(value: Any) -> Any:
    return _Code(value, value.__code__) if type(value) is FunctionType else value
