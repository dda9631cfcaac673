"""The links of the slide shown: opened at this machine, copied where it shows no browser, or gone to.

Only a key pressed at this screen leads here: it is no action of the class, so nobody who follows causes it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path

from slides.drawing import links
from slides.reading_order import blocks, inlines
from tui.actions.action_group import ActionGroup
from tui.screens.overlay import Found, Pick
from tui.terminal.over_ssh import over_ssh

PATIENCE_S = 20.0  # for what opens an address; a browser that it starts stays


class LinkActions(ActionGroup):
    """Keys for the links of a slide."""

    async def links(self) -> None:
        """All links of the slide up to this step, each with where it leads."""
        found = self._on_slide()
        if not found:
            self._screen.say("no link on this slide", "dim")
            return

        def search(text: str) -> list[Found]:
            return [one for one in found if text.casefold() in one.text.casefold()]

        await self._screen.cover(Pick(self._screen.painter, "links", search, self.follow))

    def _on_slide(self) -> list[Found]:
        session, found = self._session, dict[str, str]()
        for block in blocks(session.slide.blocks):
            if block.at > session.step:
                continue
            for href, run in groupby(inlines(block), key=lambda one: one.href if not one.image else ""):
                words = " ".join("".join(one.text for one in run).split())
                if target := links.target(href):
                    found.setdefault(target, words)
        return [
            Found(target, str(n), target if target == words else f"{words}  {target}")
            for n, (target, words) in enumerate(found.items(), 1)
        ]

    async def follow(self, target: str) -> None:
        """Go where a link of the slide leads, which `slides.drawing.links` let through."""
        screen, contents = self._screen, self._session.contents
        if target.startswith("#"):
            index = contents.find(target[1:])
            if index is None:
                screen.say(f"no slide {target[1:]!r}")
            else:
                screen.jumped((index, 0))
            return
        program = opener(os.environ, sys.platform)
        if not program:
            from tui.terminal import clipboard

            screen.to_terminal(clipboard.sequences(target))
            screen.say(f"copied {target}, also into {await clipboard.keep(target, 'txt')}", "good")
            return
        screen.say(f"opening {target}", "dim")
        screen.run_worker(self._open(program, target))  # keys do not wait for it

    async def _open(self, program: str, target: str) -> None:
        if why := await asyncio.to_thread(_open, program, target):
            self._screen.say(f"{Path(program).name} {why}: {target}")


def opener(environ: Mapping[str, str], platform: str) -> str:
    """The program that opens an address for the user; "" over SSH or without a desktop."""
    if over_ssh(environ):
        return ""
    if platform == "darwin":
        return shutil.which("open", path=environ.get("PATH")) or ""
    if not (environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY")):
        return ""
    return shutil.which("xdg-open", path=environ.get("PATH")) or ""


def _open(program: str, target: str) -> str:
    """Hand an address over, which `slides.drawing.links` let through; why that failed, or ""."""
    quiet = subprocess.DEVNULL
    try:
        done = subprocess.run(
            [program, target],
            stdin=quiet,
            stdout=quiet,
            stderr=quiet,
            start_new_session=True,
            timeout=PATIENCE_S,
        )
    except subprocess.TimeoutExpired:
        return "did not answer"
    except OSError as error:
        return f"cannot be started: {error.strerror}"
    return f"failed with {done.returncode}" if done.returncode else ""
