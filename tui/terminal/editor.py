"""The teacher's editor: which one, how it is told the line, and whether it needs the terminal."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

# How an editor is told a line; all others know `+LINE FILE`, as vi, nano, emacs and their kin do.
_GOTO = ("code", "code-insiders", "codium", "vscodium", "cursor", "windsurf")
_COLON = ("hx", "helix", "subl", "sublime_text", "zed", "zeditor")
_LINE_OPTION = ("idea", "pycharm", "charm", "mate", "kate", "xed")
# These open a window of their own.
_WINDOWS = (*_GOTO, *_LINE_OPTION, "subl", "sublime_text", "zed", "zeditor", "gvim", "gedit")
_USUAL = ("vi", "nano", "vim", "nvim", "emacs")


class Editor(NamedTuple):
    """`command` opens the file at the line; `terminal`: it needs ours while it runs."""

    command: tuple[str, ...]
    terminal: bool


def editor(file: str, line: int, environ: Mapping[str, str] = os.environ) -> Editor | str:
    """What opens `file` at `line`, or why nothing does."""
    said = environ.get("VISUAL") or environ.get("EDITOR") or ""
    try:
        words = shlex.split(said)
    except ValueError:
        return "a quotation mark in $VISUAL or $EDITOR is not closed"
    if not words:
        words = [next((name for name in _USUAL if shutil.which(name)), "")]
        if not words[0]:
            return "no editor is known: set $EDITOR, for example EDITOR=nano"
    if shutil.which(words[0]) is None:
        return f"there is no editor {words[0]}: set $EDITOR to one that is installed"
    name = Path(words[0]).name.removesuffix(".exe")
    if name in _GOTO:
        at: tuple[str, ...] = ("--goto", f"{file}:{line}")
    elif name in _COLON:
        at = (f"{file}:{line}",)
    elif name in _LINE_OPTION:
        at = ("--line", str(line), file)
    else:
        at = (f"+{line}", file)
    return Editor((*words, *at), name not in _WINDOWS)
