"""The demo of the slide shown: started, stopped, changed, recalled; and how everybody looks at it."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from runtime.classroom.actions import Look
from slides.deck import Demo
from slides.drawing import cells
from tui.actions.action_group import ActionGroup
from tui.actions.context import ScreenContext
from tui.actions.running.code import CodeActions
from tui.actions.running.estimate import EstimateActions
from tui.classroom.runs import demo_requests, other_demos
from tui.classroom.runs.start_on_slide import no_demo, startable
from tui.keys.table import key_of

if TYPE_CHECKING:
    from runtime.catalog.params import Param, Refusal

_SOON_S = 0.5


class DemoActions(ActionGroup):
    """Keys for starting, stopping and looking at a demo."""

    def __init__(self, screen: ScreenContext, code: CodeActions) -> None:
        """Some keys are the code's first, where the slide has any."""
        super().__init__(screen)
        self._code = code
        self._estimate = EstimateActions(screen)

    def _demo_here(self) -> Demo | None:
        demo = self._room.demo()
        if demo is None:
            self._screen.say(no_demo(self._room), "dim")
        return demo

    async def demo(self) -> None:
        """Start or stop it; the snippet whose output lies open goes first."""
        if self._code.stop_code():
            return
        here = startable(self._room)
        if here.measuring:
            await self._beside_none(self._measure, stops=self._room.measuring.going)
        elif here.code is not None:
            self._code.run_code()
        elif demo := self._demo_here():
            self._code.close_code()
            await self._beside_none(partial(self._room.toggle_demo, demo), stops=self._room.alive(demo.id))

    def _measure(self) -> None:
        self._screen.say(self._room.measuring.toggle(), "good")

    async def restart_demo(self) -> None:
        """As the deck has it, whatever was changed by hand meanwhile."""
        if demo := self._demo_here():
            await self._beside_none(partial(self._room.launch, demo))

    async def _beside_none(self, start: Callable[[], None], *, stops: bool = False) -> None:
        """Do what starts a run. Where another demo goes on, ask first: both would be slower, on one machine.

        `stops`: it ends one, and needs no question.
        """
        from tui.screens.run_menus import Item, Menu

        others = [] if stops else other_demos.running(self._room)

        def go_on() -> None:
            start()
            self._classroom.show()

        if not others:
            go_on()
            return

        async def done(answer: str) -> None:
            if answer == "stop":
                other_demos.end(self._room)
            go_on()

        names = " and ".join(other_demos.named(self._room, block) for block in others)
        items = [
            Item("stop", "Stop it" if len(others) == 1 else "Stop them", "and start this one"),
            Item(
                "both",
                "Run both" if len(others) == 1 else "Run all",
                "they share the machine: each is slower",
            ),
        ]
        verb = "still runs" if len(others) == 1 else "still run"
        await self._screen.cover(Menu(self._screen.painter, f"{names} {verb}", items, done))

    def recall(self) -> None:
        """A recorded run in place of a live one."""
        if demo := self._demo_here():
            self._room.recall(demo)
            self._classroom.later(_SOON_S, lambda: self._still_looking(demo.id))

    def _still_looking(self, block: str) -> None:
        """A run from a slow disk may take a second; one that is there already says so itself."""
        if self._screen.replay.playback is None and block not in self._room.refusals:
            self._screen.say("looking for a recorded run …", "dim")

    async def edit(self) -> None:
        """Change the parameters and start it with them; the run before lies under its loss."""
        from runtime.catalog import registry
        from runtime.host.blocks import comparison
        from tui.deck import consent_question
        from tui.screens.run_menus import Edit

        demo = self._demo_here()
        if demo is None:
            return
        known = {param.name: param for param in _params(demo.name)}

        def read(text: str) -> dict[str, str] | str:
            asked = comparison.asked(text) if demo.name == comparison.NAME else _asked(demo.name, text)
            return f"{asked.why}: {asked.mend}" if isinstance(asked, registry.Refusal) else asked

        def check(text: str) -> str:
            params = read(text)
            return (
                params
                if isinstance(params, str)
                else demo_requests.why_not(demo, params, self._room.deck_of(demo))
            )

        def about(word: str) -> str:
            name = word.partition("=")[0]
            if name in known:
                return f"{name}: {known[name].help} ({known[name].expects})"
            return "  ".join(other for other in known if other.startswith(name))

        def complete(word: str) -> str:
            fitting = [name for name in known if word and name.startswith(word)]
            return f"{fitting[0]}="[len(word) :] if len(fitting) == 1 else ""

        async def done(text: str) -> None:
            params = read(text)
            if not isinstance(params, str):
                deck = self._room.deck_of(demo)
                try:
                    await asyncio.to_thread(consent_question.typed, deck, demo, params)
                except OSError as error:
                    self._screen.say(f"that cannot be remembered: {error}", "bad")
                await self._beside_none(partial(self._room.launch, demo, params))

        snapshot = self._room.snapshot()
        params = demo_requests.asked(demo) if snapshot is None else snapshot.params
        if demo.name == comparison.NAME:
            text = comparison.written(params)
        else:
            text = " ".join(f"{key}={shlex.quote(value)}" for key, value in params.items())
        await self._screen.cover(Edit(self._screen.painter, demo.name, text, check, about, complete, done))

    # --- how it is looked at ----------------------------------------------------------------------------

    def look(self, **changes: object) -> bool:
        """Choose view, rank or full size, for all screens; False where there is nothing to look at."""
        if self._session.role != "console":
            return False
        if self._room.snapshot() is None and self._room.outputs.open() is None:
            return False
        looked = replace(self._session.state.look, **changes)
        if looked != self._session.state.look:
            self._session.act(looked)
            self._classroom.show()
        return True

    async def views(self) -> None:
        """List the views: ours and those of other packages, each with the digit that chooses it."""
        from tui.screens.run_menus import Item, Menu
        from tui.views import registry
        from tui.views.run.table import settled

        snapshot = self._room.snapshot()
        if snapshot is None:
            starts, lists = key_of("demo"), key_of("views")
            self._screen.say(f"{starts} starts the demo; then {lists} lists how it can be shown", "dim")
            return

        async def done(name: str) -> None:
            self.look(view=name)

        found = await asyncio.to_thread(registry.every)
        others = iter("0")  # a view without a digit of its own: the first of them has the one that is left
        items = [
            Item(
                view.name,
                cells.clean(view.name),
                view.about + ("" if view.has(snapshot) else "; nothing to show yet"),
                str(view.digit) if view.digit else next(others, ""),
            )
            for view in found
            if view.has(snapshot) or not settled(snapshot)
        ]
        await self._screen.cover(Menu(self._screen.painter, "which view?", items, done))

    async def rank(self) -> None:
        """Point at a rank: its row, its log, its details."""
        from tui.screens.run_menus import WhichRank

        snapshot = self._room.snapshot()
        if snapshot is None or not snapshot.rows:
            self._screen.say("no ranks to pick from", "dim")
            return

        async def done(rank: int) -> None:
            self.look(rank=rank if rank >= 0 else None)

        overlay = WhichRank(
            self._screen.painter, "which rank?", snapshot.world, done, usual=-1, word="no rank"
        )
        await self._screen.cover(overlay)

    def leave_look(self) -> bool:
        """One thing less of it: the full size, then view and rank. False where it is the demo's own."""
        look = self._session.state.look
        if self._estimate.leave():
            return True
        if look.snippet and not look.full:
            return self._code.close_code()
        return look != Look() and self.look(**({"full": False} if look.full else {"view": "", "rank": None}))


def _params(name: str) -> tuple[Param, ...]:
    """What can be written for a demo, for a script, or for all strategies of a comparison."""
    from runtime.catalog import registry
    from runtime.catalog.params import LAUNCH_PARAMS
    from runtime.host.blocks import comparison

    if name == comparison.NAME:
        return comparison.common()
    spec = registry.find(name)
    return spec.params if spec is not None else LAUNCH_PARAMS


def _asked(name: str, text: str) -> dict[str, str] | Refusal:
    """The parameters in a line that was written by hand."""
    from runtime.catalog import registry

    try:
        words = registry.parse_words([name, *shlex.split(text)])
    except ValueError:
        return registry.Refusal("a quotation mark is not closed", "close it")
    return words if isinstance(words, registry.Refusal) else words[1]
