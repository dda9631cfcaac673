"""The process in which a scene's file runs: `python -P -m slides.scenes.python_files.scene_child`.

It is told the file and the words of its line, calls `scene(…)`, and writes its steps, or what is wrong, as
JSON into a file that is open already. It ends with the process that started it.
"""

from __future__ import annotations

import contextlib
import faulthandler
import inspect
import json
import os
import resource
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from slides.problems import Mistake, did_you_mean, one_line, quoted
from slides.scenes.python_files import scene_data
from slides.scenes.scene import NotDrawn, Param, Scene
from slides.scenes.shapes import NUMBERS, State

FUNCTION = "scene"
_RETURN = "Return a list of `State`."
_MOST_READ = 50  # files: of more the rest is not looked after
_SYSTEM = (sys.prefix, sys.base_prefix, "/usr", "/lib", "/lib64", "/etc", "/proc", "/sys", "/dev")
_EXAMPLE = f"def {FUNCTION}(ranks: int = 4):"


def main(argv: list[str]) -> int:
    """Write what the file's scene is to descriptor `argv[0]`; `argv[1]` says the rest as JSON."""
    out = os.fdopen(int(argv[0]), "wb")
    asked = json.loads(argv[1])
    _bounded(asked["seconds"], asked["memory"], asked["writes"])
    threading.Thread(target=_end_with_parent, daemon=True).start()
    file = Path(asked["file"])
    read = _Read(file.parent)
    try:
        found = _states(file, asked["words"])
        said = scene_data.encoded(found)
        scene_data.states(said)  # what is wrong with it is wrong here, where its file is known
        answer = b'{"steps":' + said + b',"read":' + json.dumps(read.files).encode() + b"}"
    except Mistake as why:
        line = getattr(why, "line", 0)
        answer = json.dumps({"wrong": [line, why.message, why.mend], "read": read.files}).encode()
    except MemoryError as error:
        most = f"{asked['memory'] / 2**30:g} GB"
        wrong = [_line(error, file), f"it needs more than {most} of memory", "Draw fewer shapes."]
        answer = json.dumps({"wrong": wrong, "read": read.files}).encode()
    except BaseException as error:  # SystemExit too: a scene gives steps
        wrong = [_line(error, file), one_line(f"{type(error).__name__}: {error}")[:300], ""]
        answer = json.dumps({"wrong": wrong, "read": read.files}).encode()
    out.write(answer)
    out.flush()
    os._exit(0)  # whatever threads it has begun


class _Read:
    """Files that are opened to be read from now on, by whichever way: when one of them is another, so is the
    scene. Not what Python runs, which whoever agreed to the file knows of, and nothing of the system."""

    def __init__(self, folder: Path) -> None:
        self.files: list[str] = []
        self._folder = folder
        sys.addaudithook(self._heard)

    def _heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event != "open" or len(self.files) >= _MOST_READ:
            return
        name, mode, flags = arguments
        if not isinstance(name, str | bytes | os.PathLike):
            return
        path = Path(os.path.normpath(self._folder / os.fsdecode(name)))
        writes = set(mode) & set("wxa+") if mode else flags & (os.O_WRONLY | os.O_RDWR)
        if writes or path.suffix in (".py", ".pyc") or any(map(path.is_relative_to, _SYSTEM)):
            return
        if str(path) not in self.files:
            self.files.append(str(path))


def _bounded(seconds: float, memory: int, writes: int) -> None:
    """The kernel ends what takes more; where it hangs is told first."""
    faulthandler.dump_traceback_later(seconds, exit=True)
    for limit, most in (
        (resource.RLIMIT_CPU, int(seconds) + 2),
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_FSIZE, writes),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):  # macOS has no limit of addresses
            resource.setrlimit(limit, (most, most))
    with contextlib.suppress(OSError):
        os.nice(10)


def _end_with_parent() -> None:
    """Its end of a pipe is held by nobody else."""
    with contextlib.suppress(OSError):
        while os.read(0, 512):
            pass
    os._exit(70)


def _states(file: Path, words: dict[str, str]) -> list[State]:
    """Run a file, and its scene with the parameters that the words say."""
    source = file.read_bytes()
    sys.path.append(str(file.parent))
    module = ModuleType(file.stem)
    module.__file__ = str(file)
    sys.modules[file.stem] = module  # dataclasses look there
    exec(compile(source, str(file), "exec"), module.__dict__)
    function = module.__dict__.get(FUNCTION)
    if not inspect.isfunction(function):
        raise Mistake(
            f"it has no function `{FUNCTION}`", f"Write `{_EXAMPLE} …`: it returns a list of `State`."
        )
    found = function(**_arguments(function, words))
    try:
        steps = list(found)
    except TypeError:
        raise _Mistake(function, f"`{FUNCTION}` returned {_kind(found)}", _RETURN) from None
    for number, step in enumerate(steps, 1):
        if not isinstance(step, State):
            raise _Mistake(function, f"`{FUNCTION}` returned {_kind(step)} as step {number}", _RETURN)
        for shape in step.shapes:
            if not isinstance(shape, tuple(NUMBERS)):
                raise _Mistake(
                    function, f"step {number} has {_kind(shape)} among its shapes", scene_data.RETURNED
                )
    return steps


class _Mistake(Mistake):
    def __init__(self, function: Callable[..., Any], message: str, mend: str) -> None:
        super().__init__(message, mend)
        self.line = function.__code__.co_firstlineno


def _kind(value: object) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"


def _arguments(function: Callable[..., Any], words: dict[str, str]) -> dict[str, Any]:
    """Words as the parameters of a function, each of the type of its default."""
    params: list[Param] = []
    for name, given in inspect.signature(function).parameters.items():
        if not isinstance(given.default, (bool, int, float, str)):
            raise _Mistake(
                function,
                f"the parameter `{name}` has no default that is a number or a text",
                f"Write `{_EXAMPLE}`: its default is its type.",
            )
        params.append(Param(name, given.default, ""))
    known = [param.name for param in params]
    for word in words:
        if word not in known:
            near = did_you_mean(word, known)
            takes = f"It takes {', '.join(known)}." if known else "It takes no parameters."
            raise Mistake(f"it does not know {quoted(word)}", f"Did you mean `{near}=`?" if near else takes)
    try:
        values = Scene("", "", lambda values: 1, lambda step, values: State(()), tuple(params)).values(words)
    except NotDrawn as why:
        raise Mistake(one_line(str(why)), "Write it so on the line of the deck.") from None
    flags = {param.name for param in params if isinstance(param.default, bool)}
    return {name: bool(value) if name in flags else value for name, value in values.items()}


def _line(error: BaseException, file: Path) -> int:
    """The line of the file in which it failed, 0 where that is not known."""
    if isinstance(error, SyntaxError) and error.filename == str(file):
        return error.lineno or 0
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno or 0 for frame in reversed(frames) if frame.filename == str(file)), 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
