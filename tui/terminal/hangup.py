"""A terminal that is gone: its screen goes too."""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.app import App


def leave_with_terminal(app: App[Any]) -> None:
    """Leave when the terminal is gone: Textual's input thread would spin on it forever."""
    try:
        gone = sys.__stdin__ is None or not os.isatty(sys.__stdin__.fileno())
    except (OSError, ValueError):
        gone = True
    if gone:
        last_resort = threading.Timer(3, os._exit, (1,))
        last_resort.daemon = True
        last_resort.start()
        app.exit()
