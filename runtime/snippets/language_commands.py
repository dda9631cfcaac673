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
import sys
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

import teachrun
from runtime import paths
from runtime.catalog.params import Refusal, printable, suggest
from runtime.snippets.installed_programs import Choice, Program, choose, everywhere

FILE = "{file}"
_TOO_OLD = {"node": (22, 6)}  # the first node that runs TypeScript by leaving its types out


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


def _built(compiler: str, options: str, suffix: str) -> Executor:
    """Compiled by `compiler … {file} -o …`, and the program takes the compiler's place."""
    script = f'"$0" {options} "$1" -o "$1.out" && exec "$1.out"'
    return Executor(("sh", "-c", script, compiler, FILE), suffix)


_SQL = """exec "$0" -batch -header -column :memory: < "$1\""""
_RUST = "-O --edition 2021 --crate-name snippet"
_C, _CPP = "-O1 -Wall", "-O1 -Wall -std=c++20"

# The first program of a language that is installed, and says its version, runs it.
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
    "lua": (("lua", Executor(("lua",), ".lua")), ("luajit", Executor(("luajit",), ".lua"))),
    "r": (("Rscript", Executor(("Rscript",), ".R")),),
    "julia": (("julia", Executor(("julia",), ".jl")),),
    "go": (("go", Executor(("go", "run"), ".go")),),
    "rust": (("rustc", _built("rustc", _RUST, ".rs")),),
    "c": tuple((name, _built(name, _C, ".c")) for name in ("cc", "gcc", "clang")),
    "c++": tuple((name, _built(name, _CPP, ".cpp")) for name in ("c++", "g++", "clang++")),
    "cuda": (("nvcc", _built("nvcc", "-O2", ".cu")),),
    "sql": (("sqlite3", Executor(("sh", "-c", _SQL, "sqlite3", FILE), ".sql")),),
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
    chosen = choice(lang, unasked=True)
    if isinstance(chosen, Refusal) or chosen.runs is None:
        return chosen if isinstance(chosen, Refusal) else known[0][1]
    ours = next(found for program, found in known if program == chosen.runs.name)
    return replace(ours, words=tuple(chosen.runs.path if w == chosen.runs.name else w for w in ours.words))


def choice(lang: str, *, unasked: bool = False) -> Choice | Refusal:
    """Return which installed program runs a language of ours, and which were asked before it in vain.

    Each is asked for its version, once as long as its file stays as it is: who must not wait asks in a
    thread. `Choice.runs` is None where there is nothing to choose: Python's own, and the settings' words.
    `unasked`: so is an only one, whose own words then say what is wrong with it.
    """
    lang = lang.lower()
    name = ALIASES.get(lang, lang)
    known, own = EXECUTORS.get(name, ()), _own()
    programs = [program for program, _ in known if program]
    if not programs or lang in own or name in own:
        return Choice(None)
    oldest = _TOO_OLD if name == "typescript" else {}
    there = list(everywhere(programs))
    if unasked and len(there) == 1 and there[0][0] not in oldest:
        return Choice(Program(*there[0]))
    found = choose(there, oldest)
    if found.runs is not None:
        return found
    show = "or show the block without `run`"
    for program in found.passed_over:
        if program.name not in oldest:
            return Refusal(
                f"{program.name} is installed but does not work ({program.trouble})", f"fix it, {show}"
            )
    usual = " or ".join(program for program in programs if program not in oldest)
    old = next((f", and {one.name} {one.trouble}" for one in found.passed_over if one.version), "")
    return Refusal(f"{usual} is not installed{old}", f"install it, {show}")


def _brought(lang: str) -> Executor | Refusal | None:
    """Return another package's executor (entry point `teachrun.executors`), or why it cannot be used."""
    try:
        found = teachrun.bring("executors", lang)
    except teachrun.Unusable as error:
        return Refusal(str(error), "fix or remove it, or show the block without `run`")
    if found is None or isinstance(found, Executor):
        return found
    who = teachrun.bringer("executors", lang)
    return Refusal(f"{who} brings {printable(lang)}, which is no Executor", "fix or remove it")


def _own() -> dict[str, Executor | Refusal]:
    """Return those of `config.toml`. What is wrong with one is reported when it is to run."""
    try:
        text = (paths.config_dir() / "config.toml").read_text("utf-8")
        found = tomllib.loads(text).get("run", {})
    except (OSError, ValueError, RecursionError, paths.PathError):
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
