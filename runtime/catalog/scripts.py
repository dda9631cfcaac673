"""Checks a user's script before it is launched: its path, the words of its line, its parameters.

Nothing of a script is executed for this. It may declare parameters by a literal at its top level,

    TEACHRUN_PARAMS = {"lr": 0.1, "steps": {"default": 20, "low": 1, "high": 1000, "help": "optimizer steps"}}

which is read and not run. Each is then checked as those of the built-in demos are, and the script gets all of
them as `--name value`. Whatever else it takes is written behind `--`, or as `args="…"` in a deck.
"""

from __future__ import annotations

import ast
import os
import re
import shlex
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from runtime.catalog.params import LAUNCH_PARAMS, Kind, Param, Refusal, Value, printable, read, suggest

DECLARED = "TEACHRUN_PARAMS"
MAX_SCRIPT = 4 << 20  # bytes that are read for the declaration
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_FIELDS = ("default", "help", "low", "high", "choices")
PARAMS = (
    # Always torchrun, never in the stage; and where it computes is in the script.
    *(param for param in LAUNCH_PARAMS if param.name not in ("launcher", "device")),
    Param(
        "device",
        "choice",
        "auto",
        "cpu: what the script asks of GPUs the CPU does, and it is said",
        choices=("auto", "cpu"),
    ),
    Param("args", "str", "", "arguments for the script, as a shell would read them"),
    Param("python", "str", sys.executable, "the interpreter that runs it, with PyTorch installed"),
)


class Undeclarable(Exception):
    """Why the declaration of a script's parameters cannot be used."""


def is_script(name: str) -> bool:
    """Whether `name` means a file, and not a demo."""
    return "/" in name or name.endswith(".py")


def locate(name: str, folder: Path | None) -> Path:
    """Return the file that `name` means in `folder`, or in the current one (None)."""
    path = Path(name)
    with suppress(RuntimeError):  # of nobody's home: then it is a name like any other
        path = path.expanduser()
    return (folder or Path.cwd()) / path


def check(name: str, params: Mapping[str, str], folder: Path | None) -> tuple[Path, Checked] | Refusal:
    """Return the script with its checked words, or why it cannot be launched. Never raises."""
    script = locate(name, folder)
    refusal = _unusable(script, printable(name))
    if refusal is not None:
        return refusal
    try:
        own = tuple(declared(script))
    except Undeclarable as error:
        return Refusal(
            f"{DECLARED} of {printable(script.name)} cannot be used: {error}",
            'write it as a literal such as {"lr": 0.1, "steps": {"default": 20, "low": 1, "high": 1000}}',
        )
    return _checked(script, (*PARAMS, *own), params)


class Checked:
    """Checked words of a line: every parameter with its value, and the script's arguments."""

    def __init__(self, values: dict[str, Value | None], argv: tuple[str, ...]) -> None:
        self.values, self.argv = values, argv

    @property
    def python(self) -> str:
        """Path of the interpreter that runs the script."""
        return str(self.values["python"])

    @property
    def steps(self) -> int | None:
        """Optimizer steps to come, if the script declares a parameter of that name; else None."""
        steps = self.values.get("steps")
        return steps if isinstance(steps, int) else None


def _unusable(script: Path, shown: str) -> Refusal | None:
    try:
        if script.is_dir():
            return Refusal(f"{shown} is a folder", "name a script in it")
        if script.is_fifo():  # a rank could not read it again, and without a writer nobody could
            return Refusal(f"{shown} is a pipe", "name a file, which every rank reads")
        with script.open("rb") as file:
            file.read(1)
    except FileNotFoundError:
        return Refusal(f"there is no script {shown}", f"write a path as seen from {script.parent}")
    except (OSError, ValueError) as error:  # ValueError: a path with a zero byte
        return Refusal(f"{shown} cannot be read: {getattr(error, 'strerror', error)}", "make it readable")
    return None


def _checked(
    script: Path, known: tuple[Param, ...], params: Mapping[str, str]
) -> tuple[Path, Checked] | Refusal:
    by_name = {param.name: param for param in known}
    values: dict[str, Value | None] = {param.name: param.default for param in known}
    for key, text in params.items():
        param = by_name.get(key)
        if param is None:
            close = suggest(key, list(by_name))
            mend = "write the script's own arguments behind --, in a deck as args='…'"
            return Refusal(
                f"{printable(script.name)} declares no parameter {printable(key)}",
                f"did you mean {close}?" if close else mend,
            )
        value = read(param, text)
        if value is None:
            return Refusal(f"{key}={printable(text)} cannot be used", f"write {key}= with {param.expects}")
        values[key] = value
    try:
        rest = shlex.split(str(values["args"]))
    except ValueError as error:
        return Refusal(f"args= cannot be read: {error}", "close the quotation mark")
    python = str(values["python"])
    if not (os.access(python, os.X_OK) and Path(python).is_file()):
        return Refusal(f"python={printable(python)} is not a program", "write the path of an interpreter")
    # All of them, so that what the panel shows is what the script was told, whatever its own defaults are.
    own = (param for param in known if param.rank_arg and values[param.name] is not None)
    told = [word for param in own for word in (f"--{param.name}", str(values[param.name]))]
    return script.resolve(), Checked(values, (*told, *rest))


# --- what a script declares -------------------------------------------------------------------------------


def declared(script: Path) -> Iterator[Param]:
    """Return the parameters a script declares; none if it is not Python. Raises `Undeclarable`."""
    try:
        with script.open("rb") as file:
            source = file.read(MAX_SCRIPT)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a bad escape in a string is the script's affair
            tree = ast.parse(source)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return  # Python will say it better when it runs
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(
            getattr(target, "id", "") == DECLARED for target in node.targets
        ):
            yield from _params(node.value)


def _params(node: ast.expr) -> Iterator[Param]:
    try:
        literal = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise Undeclarable("it is not a literal") from None
    if not isinstance(literal, dict):
        raise Undeclarable("it is not a dict")
    for name, said in literal.items():
        if not isinstance(name, str) or not _WORD.fullmatch(name):
            raise Undeclarable(f"{printable(repr(name))} is not a name")
        if any(name == param.name for param in PARAMS):
            raise Undeclarable(f"{name} has a meaning already")
        yield _param(name, said if isinstance(said, dict) else {"default": said})


def _param(name: str, said: dict[Any, Any]) -> Param:
    unknown = [key for key in said if key not in _FIELDS]
    if unknown:
        raise Undeclarable(f"{name} has {printable(repr(unknown[0]))}, not one of {', '.join(_FIELDS)}")
    choices = said.get("choices", said["default"] if isinstance(said.get("default"), list) else ())
    default = said.get("default")
    if choices:
        if not isinstance(choices, list | tuple) or not all(isinstance(choice, str) for choice in choices):
            raise Undeclarable(f"the choices of {name} are not words")
        default = default if isinstance(default, str) else choices[0]
        if default not in choices:
            raise Undeclarable(f"the default of {name} is none of its choices")
        kind: Kind = "choice"
    elif isinstance(default, bool) or not isinstance(default, int | float | str):
        raise Undeclarable(f"the default of {name} is neither a number nor text")
    else:
        kind = "str" if isinstance(default, str) else "float" if isinstance(default, float) else "int"
    limits = said.get("low"), said.get("high")
    if any(limit is not None and not isinstance(limit, int | float) for limit in limits):
        raise Undeclarable(f"a limit of {name} is not a number")
    param = Param(name, kind, default, str(said.get("help", "")), *limits, tuple(choices), rank_arg=True)
    if read(param, str(default)) is None:
        raise Undeclarable(f"the default of {name} is not {param.expects}")
    return param
