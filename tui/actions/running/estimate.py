"""The estimate on the slide: a slider is chosen and turned, and every screen sees the bars move."""

from __future__ import annotations

from msgspec.structs import replace

from slides.deck import Estimate
from tui.actions.action_group import ActionGroup
from tui.classroom import turned_estimate


class EstimateActions(ActionGroup):
    """Keys for an estimate. Each says whether it was one's to do: a slide without an estimate leaves it."""

    def _here(self) -> Estimate | None:
        return turned_estimate.here(self._session) if self._session.role == "console" else None

    def choose(self, by: int = 1) -> bool:
        """Choose the next slider; the first time that of the data parallel ranks."""
        from runtime.estimate.sliders import SLIDERS

        block = self._here()
        if block is None:
            return False
        keys, begin = [slider.key for slider in SLIDERS], "dp"
        if block.duel:
            keys = turned_estimate.sliders(self._session, block)
            begin = keys[0] if keys else ""
        if not keys:
            return True  # its box says what to mend
        now = self._session.state.look.slider
        at = (keys.index(now) + by) % len(keys) if now in keys else keys.index(begin)
        self._look(slider=keys[at])
        return True

    def turn(self, by: int) -> bool:
        """One notch on or back, to the next value with which it can be."""
        from runtime.estimate.request import Refused
        from runtime.estimate.sliders import SLIDERS, turned, words
        from tui.views.blocks.estimate import asked

        block = self._here()
        if block is None:
            return False
        if block.duel:
            slider_and_words = turned_estimate.duel_turned(self._session, block, by)
            if slider_and_words is not None:
                key, found = slider_and_words
                if found == turned_estimate.as_turned(self._session, block)[0].words:
                    self._screen.say("that side is at its limit", "dim")
                self._look(slider=key, estimate=found)
            return True
        look = self._session.state.look
        key = look.slider or "dp"
        slider = next((slider for slider in SLIDERS if slider.key == key), SLIDERS[0])
        try:
            before = asked(turned_estimate.as_turned(self._session, block)[0])
        except Refused:
            return False  # its box says what to mend
        after = turned(slider, before, by)
        if after is before:
            self._screen.say(f"{slider.title} is at its limit", "dim")
        self._look(slider=key, estimate=words(after))
        return True

    def reveal(self) -> bool:
        """Show the best layout that is known beside both sides of a duel, or hide it again."""
        block = self._here()
        found = turned_estimate.revealed(self._session, block) if block is not None and block.duel else None
        if found is None:
            return False
        self._look(estimate=found)
        return True

    async def hands(self) -> bool:
        """Count the hands for each value of what a side of a duel would turn; the most of them are taken."""
        from tui.classroom.answering import duel_votes

        asked = duel_votes.ballot(self._session) if self._here() is not None else None
        if asked is None:
            return False
        from tui.screens.run_menus import Edit

        def check(text: str) -> str:
            found = duel_votes.counted(self._session, text)
            return found if isinstance(found, str) else ""

        async def done(text: str) -> None:
            found = duel_votes.counted(self._session, text)
            if not isinstance(found, str):
                self._look(slider=found.ballot.key, estimate=found.words)
                self._screen.say(found.said, "good")

        ask = Edit(
            self._screen.painter, "hands", "", check, lambda _: asked.asks, None, done, "takes the most"
        )
        await self._screen.cover(ask)
        return True

    def leave(self) -> bool:
        """As the deck has it; False where it is so already."""
        look = self._session.state.look
        if self._here() is None or not (look.estimate or look.slider):
            return False
        self._look(slider="", estimate=())
        return True

    def _look(self, **changes: object) -> None:
        looked = replace(self._session.state.look, **changes)
        if looked != self._session.state.look:
            self._session.act(looked)
            self._classroom.show()
