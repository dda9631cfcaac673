"""Loads demos of other packages (entry point `teachrun.demos`), whose words and errors are not trusted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import teachrun
from runtime.catalog.params import LAUNCH_PARAMS, DemoSpec, Refusal, Values, printable

MEND = "fix or remove it: teachrun works without"


def demo(name: str) -> DemoSpec | Refusal | None:
    """Import a package's demo of this name; returns it or why it cannot be used. Never raises."""
    try:
        spec = teachrun.bring("demos", name)
    except teachrun.Unusable as error:
        return Refusal(str(error), MEND)
    if spec is None:
        return None
    who = teachrun.bringer("demos", name)
    try:
        if not isinstance(spec, DemoSpec):
            return Refusal(f"{who} brings {printable(name)}, which is not a DemoSpec", MEND)
        wrong = _wrong(spec, name)
        return (
            Refusal(f"{who} brings {printable(name)}, a DemoSpec {wrong}", MEND)
            if wrong
            else _tamed(spec, who)
        )
    except Exception as error:  # theirs, so anything may be in it
        return Refusal(f"{who} brings {printable(name)}, which is broken: {printable(repr(error))}", MEND)


def _wrong(spec: DemoSpec, name: str) -> str:
    missing = [p.name for p in LAUNCH_PARAMS if spec.param(p.name) is None]
    if missing:
        return f"without {', '.join(missing)}"
    if spec.name != name or not Path(spec.file).is_file():
        return f"of another name or file: {printable(spec.name)}"
    words = [word for p in spec.params for word in (p.name, *p.choices, str(p.default))]
    unseen = next((word for word in words if not word.isprintable()), None)
    return "" if unseen is None else f"with a word that nobody can write: {printable(unseen)}"


def _tamed(spec: DemoSpec, who: str) -> DemoSpec:
    """Its words as a terminal may see them; what it computes fails as a refusal, or as nothing known."""

    def unfit(values: Values) -> Refusal | None:
        try:
            spec.steps(values)
            return spec.unfit(values)
        except Exception as error:
            said = _line(f"{type(error).__name__}: {error}")
            return Refusal(f"{spec.name} of {who} fails on these values: {said}", MEND)

    return replace(
        spec,
        title=_line(spec.title),
        watch=_line(spec.watch),
        when=_line(spec.when),
        params=tuple(replace(p, help=_line(p.help)) for p in spec.params),
        steps=_else(spec.steps, 0),
        unfit=unfit,
        expects=_else(spec.expects, {}),
        unshown=_else(spec.unshown, ""),
        memory=_else(spec.memory, {}),
        alike=_else(spec.alike, {}),
        least=_else(spec.least, None),
    )


def _else(compute: Callable[..., Any], unknown: Any) -> Callable[..., Any]:
    def guarded(*args: Any) -> Any:
        try:
            return compute(*args)
        except Exception:  # `unfit` has said what is wrong with it
            return unknown

    return guarded


def _line(text: str) -> str:
    return "".join(c for c in " ".join(str(text).split()) if c.isprintable())
