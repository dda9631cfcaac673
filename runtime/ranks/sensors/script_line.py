"""The line of its script that the training thread of a rank is in."""

from __future__ import annotations

import sys
import threading
from types import FrameType


class ScriptLine:
    """Looks from another thread; costs some microseconds, and nothing in the training thread.

    The innermost frame of the script itself counts: what a library or a module of the script does is done at
    the line that called it.
    """

    def __init__(self, script: str) -> None:
        self._script = script
        self._thread = threading.main_thread().ident or 0

    def now(self) -> int:
        """Return the line, 0 where the thread is in none of the script."""
        frame: FrameType | None = sys._current_frames().get(self._thread)
        while frame is not None:
            if frame.f_code.co_filename == self._script:
                return frame.f_lineno
            frame = frame.f_back
        return 0
