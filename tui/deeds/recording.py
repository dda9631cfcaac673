"""The recording of this screen."""

from __future__ import annotations

from tui.deeds import Deeds


class Recording(Deeds):
    def record(self) -> None:
        self._app.studio.press()
