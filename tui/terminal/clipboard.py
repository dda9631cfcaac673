"""Copies text to the clipboard of the user at the terminal, also over SSH and through tmux; and to a file.

A terminal is asked by OSC 52 and never answers: nobody knows whether it obeyed, but the file is there.
"""

from __future__ import annotations

import asyncio
import base64
import os
import shutil
from pathlib import Path

from slides.deck import Code
from slides.drawing import cells
from slides.reading.markdown import diffs

_SUFFIXES = {"python": "py", "bash": "sh", "shell": "sh", "javascript": "js", "ruby": "rb", "cuda": "cu"}


def text_of(code: Code) -> str:
    """What somebody wants who copies a block: all that runs, and of a diff the newer version."""
    if code.diff:
        return diffs.version(code.source, code.diff, "+")
    return code.program or code.source


def sequences(text: str) -> str:
    """OSC 52 for the terminal; inside tmux and screen also wrapped, for the terminal around them."""
    data = base64.b64encode((text + "\n").encode("utf-8", "replace")).decode()
    ask = f"\x1b]52;c;{data}\x07"
    if os.environ.get("TMUX"):
        return ask + "\x1bPtmux;" + ask.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    if os.environ.get("TERM", "").startswith("screen"):
        # screen takes 768 bytes of a string at most.
        pieces = (ask[n : n + 700] for n in range(0, len(ask), 700))
        return "".join(f"\x1bP{piece}\x1b\\" for piece in pieces)
    return ask


async def keep(text: str, lang: str) -> str:
    """Write it into a file of ours and, inside tmux, its buffer; the file's path, or why there is none."""
    if os.environ.get("TMUX") and shutil.which("tmux"):
        await _to_tmux(text)
    return await asyncio.to_thread(_write, text, lang)


def _write(text: str, lang: str) -> str:
    from runtime import paths

    suffix = _SUFFIXES.get(lang, lang if lang.isalnum() else "txt") or "txt"
    try:
        file = paths.state_dir() / f"copied.{suffix}"
        file.write_text(text + "\n", "utf-8", "replace")
    except OSError as error:
        return f"no file: {error.strerror or error}"
    home = Path.home()
    return cells.clean(f"~/{file.relative_to(home)}" if file.is_relative_to(home) else str(file))


async def _to_tmux(text: str) -> None:
    """Its own buffer, and the terminal's clipboard as far as tmux may: it obeys us rarely otherwise."""
    try:
        process = await asyncio.create_subprocess_exec(
            "tmux",
            "load-buffer",
            "-w",
            "-",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        await asyncio.wait_for(process.communicate((text + "\n").encode("utf-8", "replace")), 1.0)
    except (OSError, TimeoutError):
        pass
