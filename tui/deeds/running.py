"""The demo of the slide shown: started, stopped, changed, recalled; and how everybody looks at it."""

from __future__ import annotations

import shlex

from msgspec.structs import replace

from runtime.liveclass import Look
from slides.deck import Demo
from tui.deeds import Deeds


class Running(Deeds):
    def _demo_here(self) -> Demo | None:
        demo = self._room.demo()
        if demo is None:
            self._app.say("no demo on this slide", "dim")
        return demo

    def demo(self) -> None:
        if demo := self._demo_here():
            self._room.toggle_demo(demo)
            self._classroom.show()

    def restart_demo(self) -> None:
        """As the deck has it, whatever was changed by hand meanwhile."""
        if demo := self._demo_here():
            self._room.launch(demo)
            self._classroom.show()

    def recall(self) -> None:
        """A recorded run in place of a live one."""
        if demo := self._demo_here():
            self._room.recall(demo)
            self._app.say("looking for a recorded run …", "dim")

    async def edit(self) -> None:
        """Change the parameters and start it with them; the run before lies under its loss."""
        from runtime import catalog
        from runtime.params import LAUNCH_PARAMS
        from tui.screens.menus import Edit

        demo = self._demo_here()
        if demo is None:
            return
        if demo.name == "compare":
            self._app.say("what is compared is changed in the deck", "dim")
            return
        spec = catalog.DEMOS.get(demo.name)
        known = {param.name: param for param in (spec.params if spec is not None else LAUNCH_PARAMS)}

        def read(text: str) -> dict[str, str] | str:
            try:
                words = catalog.parse_words([demo.name, *shlex.split(text)])
            except ValueError:
                return "a quotation mark is not closed"
            return f"{words.why}: {words.mend}" if isinstance(words, catalog.Refusal) else words[1]

        def check(text: str) -> str:
            params = read(text)
            return params if isinstance(params, str) else self._room.why_not(demo, params)

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
                self._room.launch(demo, params)
                self._classroom.show()

        snapshot = self._room.snapshot()
        params = self._room.asked(demo) if snapshot is None else snapshot.params
        text = " ".join(f"{key}={shlex.quote(value)}" for key, value in params.items())
        await self._app.cover(Edit(self._app.painter, demo.name, text, check, about, complete, done))

    # --- how it is looked at ----------------------------------------------------------------------------

    def look(self, **changes: object) -> bool:
        """Choose view, rank or full size, for all screens; False where there is nothing to look at."""
        if self._room.snapshot() is None:
            return False
        looked = replace(self._session.state.look, **changes)
        if looked != self._session.state.look:
            self._session.act(looked)
            self._classroom.show()
        return True

    def panel(self) -> None:
        """Enter: lock an open question, else the panel full size and back."""
        answering = self._room.answering
        if answering.taking:
            self._app.say(answering.lock())
            self._classroom.show()
        else:
            self.look(full=not self._session.state.look.full)

    def digit(self, number: int) -> None:
        """An open question's answer, else a view of the demo; 0 is the demo's own."""
        from tui.views.choice import DIGITS

        answering = self._room.answering
        if answering.taking:
            if number:
                self._app.say(answering.pick(number - 1))
                self._classroom.show()
        elif not self.look(view=DIGITS.get(number, "")) and self._room.demo() is not None:
            self._app.say("d starts the demo; then digits choose how it is shown", "dim")

    async def rank(self) -> None:
        """Point at a rank: its row, its log, its details."""
        from tui.screens.menus import WhichRank

        snapshot = self._room.snapshot()
        if snapshot is None or not snapshot.rows:
            self._app.say("no ranks to pick from", "dim")
            return

        async def done(rank: int) -> None:
            self.look(rank=rank if rank >= 0 else None)

        overlay = WhichRank(
            self._app.painter, "which rank?", snapshot.world, done, usual=-1, word="none in particular"
        )
        await self._app.cover(overlay)

    def leave_look(self) -> bool:
        """One thing less of it: the full size, then view and rank. False where it is the demo's own."""
        look = self._session.state.look
        return look != Look() and self.look(**({"full": False} if look.full else {"view": "", "rank": None}))
