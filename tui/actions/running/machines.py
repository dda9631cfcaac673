"""The machines that a class was started with: what would run there, before it does, and whether it can."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Sequence

from slides.drawing.text import Line
from tui.actions.action_group import ActionGroup


class MachineActions(ActionGroup):
    """The command `machines`."""

    async def machines(self) -> None:
        """Show commands and environments of all nodes, and below them what `doctor --hosts` finds there."""
        from tui.panes import machines_page
        from tui.screens.notice import Page

        hosts = self._session.hosts
        if not hosts:
            self._screen.say("no machines here: `teachrun present --hosts A,B` names some", "dim")
            return
        demo = self._room.demo()
        run = machines_page.would_run(demo, hosts, self._room) if demo is not None else "there is no demo"
        found = machines_page.ASKED

        def lines(width: int) -> list[Line]:
            return machines_page.of_demo(run, width) + machines_page.of_findings(found, width)

        page = Page(self._screen.painter, f"What runs on {', '.join(hosts)}", lines)

        async def look() -> None:
            nonlocal found
            found = machines_page.read(await _doctor(hosts), hosts)
            page.redraw()

        await self._screen.cover(page)
        self._screen.run_worker(look(), group="machines", exclusive=True)


async def _doctor(hosts: Sequence[str]) -> bytes:
    """Have a process of its own look: a machine that does not answer keeps no screen from closing."""
    asked = [sys.executable, "-P", "-m", "tui.cli", "doctor", "--json", "--hosts", ",".join(hosts)]
    process = await asyncio.create_subprocess_exec(*asked, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL)
    try:
        return (await process.communicate())[0]
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
