"""Which of the programs that could run a language really does: each is asked for its version, in turn.

A program on the PATH may only stand in for one that is not there: rustup's `rustc` without a toolchain, the
`cc` of a Mac without its tools, a script that outlived what it started. The next one then runs the block.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

WITHIN_S = 10.0  # a program of the JVM or of node may take seconds when it starts for the first time
# How a program is asked that takes no `--version`.
_QUESTIONS = {"sh": ("-c", "echo 1"), "lua": ("-v",), "luajit": ("-v",), "go": ("version",)}
_VERSION = re.compile(r"\d+(?:\.\d+)+"), re.compile(r"\d+")  # a year may stand before it
_LONGEST = 120


class Program(NamedTuple):
    """One that is installed at `path`; `version` as it says it, or why it runs nothing in `trouble`."""

    name: str
    path: str
    version: str = ""
    trouble: str = ""


class Choice(NamedTuple):
    """The first that answers, and those before it on the PATH that do not."""

    runs: Program | None
    passed_over: tuple[Program, ...] = ()


def everywhere(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each of `names` with every path where it is installed, in the order of the names, then of the PATH."""
    folders = dict.fromkeys(os.environ.get("PATH", os.defpath).split(os.pathsep))
    for name in names:
        seen = set()
        for folder in filter(None, folders):
            path = shutil.which(name, path=folder)
            if path is None:
                continue
            real = os.path.realpath(path)  # /bin and /usr/bin are one folder on many machines
            if real not in seen:
                seen.add(real)
                yield name, str(Path(path).absolute())


def choose(there: Iterable[tuple[str, str]], oldest: Mapping[str, tuple[int, ...]]) -> Choice:
    """Ask programs, each a name and its path, until one answers, with a version that is not below its
    `oldest`. Waits for their processes."""
    passed: list[Program] = []
    for name, path in there:
        asked = ask(name, path)
        least = oldest.get(name, ())
        if least and not asked.trouble and _numbers(asked.version) < least:
            asked = asked._replace(trouble=f"is {asked.version}, older than {'.'.join(map(str, least))}")
        if not asked.trouble:
            return Choice(asked, tuple(passed))
        passed.append(asked)
    return Choice(None, tuple(passed))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal())


def ask(name: str, path: str) -> Program:
    """Ask the program at `path` for its version; asked once as long as its file stays as it is."""
    try:
        changed = Path(path).stat().st_mtime_ns
    except OSError as error:
        return Program(name, path, trouble=error.strerror or "it cannot be read")
    return _ask(name, path, changed)


@lru_cache(maxsize=256)
def _ask(name: str, path: str, _changed: int) -> Program:
    try:
        asked = subprocess.run(
            (path, *_QUESTIONS.get(name, ("--version",))),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=WITHIN_S,
        )
    except subprocess.TimeoutExpired:
        return Program(name, path, trouble=f"it did not say its version within {WITHIN_S:.0f} s")
    except OSError as error:
        return Program(name, path, trouble=f"it does not start: {error.strerror}")
    out, err = (text.decode("utf-8", "replace").strip() for text in (asked.stdout, asked.stderr))
    if asked.returncode:
        words = "".join(c if c.isprintable() else "?" for c in (err or out).split("\n")[0])
        if len(words) > _LONGEST:  # at a blank: half a word reads as another one
            words = words[:_LONGEST].rsplit(" ", 1)[0] + " …"
        return Program(name, path, trouble=words or f"exit code {asked.returncode}")
    version = next((found for text in (out, err) for rule in _VERSION if (found := rule.search(text))), None)
    if version is None:
        return Program(name, path, trouble="it has no version")
    return Program(name, path, version[0] if name != "sh" else "")
