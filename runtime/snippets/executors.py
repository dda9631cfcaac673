"""Chooses what runs a code block: for each language the command that is given a file with its text.

Languages that are compiled are built beside that file, in a folder that is gone afterwards. A user adds
languages, or replaces ours, in `config.toml`:

    [run.haskell]
    command = "runghc {file}"    # words as in a shell; the file goes to the end where {file} is not said
    suffix = ".hs"               # what its name ends in; none where it is not said
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import teachrun
from runtime import paths
from runtime.catalog.params import Refusal, printable, suggest

FILE = "{file}"
_VERSION = {"sh": ("-c", ":"), "lua": ("-v",), "go": ("version",)}  # how a program is asked whether it works
_STRIPS_TYPES = (22, 6)  # the first node that runs TypeScript by leaving its types out


@dataclass(frozen=True, slots=True)
class Executor:
    """`words` with the path of the file where `{file}` stands, else behind them. `suffix` ends its name."""

    words: tuple[str, ...]
    suffix: str = ""

    def command(self, file: Path) -> tuple[str, ...]:
        """Return the words of the command with `file` put in, at the end where it has no place of its own."""
        if not any(FILE in word for word in self.words):
            return (*self.words, str(file))
        return tuple(word.replace(FILE, str(file)) for word in self.words)


def _built(compiler: str, suffix: str) -> Executor:
    """Compiled by `compiler … {file} -o …`, and the program takes the compiler's place."""
    script = f'{compiler} "$1" -o "$1.out" && exec "$1.out"'
    return Executor(("sh", "-c", script, "sh", FILE), suffix)


# The first program of a language that is installed runs it.
EXECUTORS: dict[str, tuple[tuple[str, Executor], ...]] = {
    "python": (("", Executor((sys.executable, "-u"), ".py")),),
    "bash": (("bash", Executor(("bash",), ".sh")),),
    "sh": (("sh", Executor(("sh",), ".sh")),),
    "zsh": (("zsh", Executor(("zsh",), ".zsh")),),
    "fish": (("fish", Executor(("fish",), ".fish")),),
    "javascript": (("node", Executor(("node",), ".js")),),
    "typescript": (
        ("tsx", Executor(("tsx",), ".ts")),
        ("deno", Executor(("deno", "run"), ".ts")),
        ("bun", Executor(("bun", "run"), ".ts")),
        ("ts-node", Executor(("ts-node",), ".ts")),
        ("node", Executor(("node", "--experimental-strip-types", "--no-warnings"), ".ts")),
    ),
    "ruby": (("ruby", Executor(("ruby",), ".rb")),),
    "perl": (("perl", Executor(("perl",), ".pl")),),
    "lua": (("lua", Executor(("lua",), ".lua")),),
    "r": (("Rscript", Executor(("Rscript",), ".R")),),
    "julia": (("julia", Executor(("julia",), ".jl")),),
    "go": (("go", Executor(("go", "run"), ".go")),),
    "rust": (("rustc", _built("rustc -O --edition 2021 --crate-name snippet", ".rs")),),
    "c": (("cc", _built("cc -O1 -Wall", ".c")),),
    "c++": (("c++", _built("c++ -O1 -Wall -std=c++20", ".cpp")),),
    "cuda": (("nvcc", _built("nvcc -O2", ".cu")),),
    "sql": (
        (
            "sqlite3",
            Executor(("sh", "-c", 'exec sqlite3 -batch -header -column :memory: < "$1"', "sh", FILE), ".sql"),
        ),
    ),
}
ALIASES = {
    "py": "python",
    "python3": "python",
    "shell": "sh",
    "js": "javascript",
    "node": "javascript",
    "ts": "typescript",
    "rs": "rust",
    "cpp": "c++",
    "cc": "c++",
    "cxx": "c++",
    "cu": "cuda",
    "golang": "go",
    "sqlite": "sql",
    "sqlite3": "sql",
}


def executor(lang: str) -> Executor | Refusal:
    """Return what runs a block of this language on this machine, or why nothing does."""
    lang = lang.lower()
    name = ALIASES.get(lang, lang)
    own = _own()
    if (found := own.get(lang) or own.get(name)) is not None:
        return found
    known = EXECUTORS.get(name)
    if known is None and (found := _brought(lang)) is not None:
        return found
    if known is None:
        near = suggest(lang, [*EXECUTORS, *ALIASES, *own])
        guess = f"did you mean {near}? " if near else ""
        languages = ", ".join(dict.fromkeys((*EXECUTORS, *own)))
        return Refusal(
            f"nothing here runs {printable(lang)}",
            f"{guess}What runs is {languages}; [run.{printable(lang)}] in config.toml adds it",
        )
    for program, found in known:
        if not program or (shutil.which(program) is not None and (program != "node" or _fits(name))):
            return found
    programs = " or ".join(program for program, _ in known if program != "node" or name == "javascript")
    return Refusal(f"{programs} is not installed", "install it, or show the block without `run`")


def standing_in(lang: str) -> Refusal | None:
    """Return why what is installed for a language runs nothing; None where it does, or is not ours to ask.

    A program may only stand in for one that is not there: rustup's `rustc` without a toolchain, the `cc` of a
    Mac without its tools. It is asked for its version, which takes a process; `check` can wait for one.
    """
    found = executor(lang)
    known = EXECUTORS.get(ALIASES.get(lang.lower(), lang.lower()), ())
    program = next((name for name, ours in known if name and ours is found), "")
    if not program:
        return None
    try:
        asked = subprocess.run(
            (program, *_VERSION.get(program, ("--version",))),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=10,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return Refusal(f"{program} does not start: {printable(str(error))}", "mend it, or leave out `run`")
    if asked.returncode == 0:
        return None
    lines = asked.stderr.decode("utf-8", "replace").strip().split("\n")
    said = printable(lines[0])[:120]
    return Refusal(f"{program} is there and runs nothing ({said})", "mend it, or leave out `run`")


def _brought(lang: str) -> Executor | Refusal | None:
    """Return another package's executor (entry point `teachrun.executors`), or why it cannot be used."""
    try:
        found = teachrun.bring("executors", lang)
    except teachrun.Unusable as error:
        return Refusal(str(error), "mend or remove it, or show the block without `run`")
    if found is None or isinstance(found, Executor):
        return found
    who = teachrun.bringer("executors", lang)
    return Refusal(f"{who} brings {printable(lang)}, which is no Executor", "mend or remove it")


def _own() -> dict[str, Executor | Refusal]:
    """Return those of `config.toml`. What is wrong with one is reported when it is to run."""
    try:
        text = (paths.config_dir() / "config.toml").read_text("utf-8")
        found = tomllib.loads(text).get("run", {})
    except (OSError, ValueError, paths.PathError):
        return {}  # the settings' own reader says what is wrong with the file
    return (
        {str(lang).lower(): _of(str(lang), told) for lang, told in found.items()}
        if isinstance(found, dict)
        else {}
    )


def _of(lang: str, told: object) -> Executor | Refusal:
    command = told.get("command") if isinstance(told, dict) else None
    suffix = told.get("suffix", "") if isinstance(told, dict) else ""
    write = f'write [run.{printable(lang)}] with command = "program {FILE}" in config.toml'
    if not isinstance(command, str) or not isinstance(suffix, str) or "/" in suffix:
        return Refusal(f"the settings do not say what runs {printable(lang)}", write)
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        return Refusal(f"the command that runs {printable(lang)} cannot be read: {error}", write)
    if not words:
        return Refusal(f"the settings do not say what runs {printable(lang)}", write)
    if shutil.which(words[0]) is None:
        return Refusal(f"{printable(words[0])} is not installed", "install it, or name another program")
    return Executor(words, suffix)


@cache
def _fits(lang: str) -> bool:
    """Whether the node that is installed runs this: every one JavaScript, a new one TypeScript."""
    if lang != "typescript":
        return True
    try:
        said = subprocess.run(
            ("node", "--version"), capture_output=True, text=True, timeout=2, stdin=subprocess.DEVNULL
        ).stdout
        numbers = said.strip().removeprefix("v").split(".")
        return (int(numbers[0]), int(numbers[1])) >= _STRIPS_TYPES
    except (OSError, subprocess.SubprocessError, ValueError, IndexError):
        return False
