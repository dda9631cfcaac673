"""Which code of a deck may run here: what the person who opened it agreed to, kept in `trust.json`.

A deck with scripts in it is asked about when it is loaded, never when somebody presses `d` before a class,
and the host holds every launch against what was agreed. What is agreed to is a deck by its resolved path and
in it one runnable block, by a hash over both: the same script from another deck, or another script in the
same deck, is asked about again. A block is what would run: a script (of a demo or a scene) by what stands in
its file, with the interpreter and the arguments of its line, and the modules beside it that it names in an
import (`runtime.catalog.script_imports`); a code block by its characters. What either loads by
other means is not looked into. A file that is shown is agreed to by its path: it may be edited. Demos of ours
need no consent.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from runtime import paths
from runtime.atomic_write import whole
from runtime.catalog import script_imports, scripts
from runtime.catalog.params import Refusal, printable

VERSION = 1
MAX_FILE = 16 << 20
MAX_PROGRAM = 256 << 20  # bytes of a script or an interpreter that are read for it
_SCRIPT, _SNIPPET, _READING = "script: ", "code block: ", "reading: "
_UNREAD = "nothing"


def runnable(name: str, params: Mapping[str, str], deck: Path) -> str:
    """Identify what `::: demo NAME …` in `deck` would run now: the file's content, its interpreter and its
    arguments; "" for a built-in demo."""
    return _runnable(name, params, deck)[0]


def _runnable(name: str, params: Mapping[str, str], deck: Path) -> tuple[str, bool]:
    """The same, and whether all of it could be read."""
    if not scripts.is_script(name):
        return "", True
    script = scripts.locate(name, deck.parent)
    source, words, interpreter = _content(script), [], ""
    if beside := script_imports.digest(script, deck.parent):
        words += ["with imports", beside]
    if python := params.get("python", ""):
        interpreter = _content(deck.parent / python)  # it is started there
        words += [f"by {python}", interpreter]
    if args := params.get("args", ""):
        words.append(f"with {args}")
    block = f"{_SCRIPT}{shlex.join([source, *words])} {_resolved(script)}"
    return block, _UNREAD not in (source, interpreter)


def name_of(block: str) -> str:
    """Return the name of a block's file for people. Not yet safe to print."""
    return block.rpartition("/")[2]


def snippet(lang: str, source: str) -> str:
    """Identify what a code block would run: these very characters, by the program of its language."""
    digest = hashlib.sha256(source.encode(errors="surrogateescape")).hexdigest()
    return f"{_SNIPPET}{lang.lower()} {digest}"


def reading(file: Path) -> str:
    """Identify a file outside its folder that a deck would read, links followed."""
    return f"{_READING}{file}"


def may_read(deck: Path, file: Path) -> bool:
    """Whether somebody has agreed that `deck` shows this file."""
    return not missing(deck, [reading(file)])


def is_reading(block: str) -> bool:
    """Whether that is a file outside the deck's folder that is shown, and nothing that runs."""
    return block.startswith(_READING)


def is_snippet(block: str) -> bool:
    """Whether that is a code block, and no script."""
    return block.startswith(_SNIPPET)


def missing(deck: Path, blocks: Iterable[str]) -> tuple[str, ...]:
    """Return those of `blocks` that were not agreed to, each once."""
    known = _read()
    return tuple(block for block in dict.fromkeys(blocks) if block and _key(deck, block) not in known)


def known(deck: Path) -> bool:
    """Whether anything of the deck was ever agreed to."""
    return str(deck.resolve()) in _read().values()


def agree(deck: Path, blocks: Iterable[str]) -> None:
    """Remember that these blocks of `deck` may run. Raises `OSError`."""
    known = _read() | {_key(deck, block): str(deck.resolve()) for block in blocks if block}
    with whole(_file(), mode=0o600) as file:
        file.write(json.dumps({"version": VERSION, "agreed": known}, indent=1).encode() + b"\n")


def refusal(deck: Path | None, name: str, params: Mapping[str, str]) -> Refusal | None:
    """Return why a launch from `deck` is refused; None: it may run. A deck of None is not on this machine."""
    if not scripts.is_script(name):
        return None
    shown = printable(Path(name).name)
    if deck is None:
        return Refusal(f"{shown} is a script of a deck that is elsewhere", "run it where the deck is")
    block, read = _runnable(name, params, deck)
    if missing(deck, [block]):
        return Refusal(
            f"not yet approved: {shown} of this deck, as it is now",
            "Ctrl R asks again; or start with --trust if you trust the script",
        )
    if not read:
        most = f"a file of at most {MAX_PROGRAM >> 20} MB"
        return Refusal(f"{shown}, or what is to run it, cannot be read", f"check that it is there, {most}")
    return None


def snippet_refusal(deck: Path | None, lang: str, source: str) -> Refusal | None:
    """Return why a code block of `deck` may not run; None: it may."""
    if deck is None or missing(deck, [snippet(lang, source)]):
        return Refusal(
            "not yet approved: the code blocks of this deck",
            "Ctrl R asks again; or start with --trust if you trust them",
        )
    return None


def _resolved(script: Path) -> Path:
    try:
        return script.resolve()
    except (OSError, ValueError, RuntimeError):  # a loop of links, a zero byte
        return script.absolute()


def _content(file: Path) -> str:
    """Return a hash of the file's content; `_UNREAD` if it is no file, or too large to check."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK)  # a pipe is not waited for
        with os.fdopen(descriptor, "rb") as opened:
            found = os.fstat(opened.fileno())
            if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_PROGRAM:
                return _UNREAD
            source = opened.read(found.st_size + 1)
            return hashlib.sha256(source).hexdigest() if len(source) == found.st_size else _UNREAD
    except (OSError, ValueError):
        return _UNREAD


def _key(deck: Path, block: str) -> str:
    return hashlib.sha256(f"{deck.resolve()}\0{block}".encode(errors="surrogateescape")).hexdigest()


def _file() -> Path:
    return paths.state_dir() / "trust.json"


def _read() -> dict[str, str]:
    """Return hash -> deck; nothing from a file that cannot be read or is of a newer version."""
    try:
        with _file().open("rb") as file:
            said = json.loads(file.read(MAX_FILE))
    except (OSError, ValueError, RecursionError):
        return {}
    if (
        not isinstance(said, dict)
        or said.get("version") != VERSION
        or not isinstance(said.get("agreed"), dict)
    ):
        return {}
    return {key: str(deck) for key, deck in said["agreed"].items()}
