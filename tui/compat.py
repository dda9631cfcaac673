"""Every private name of Textual that we use, here and nowhere else, each with a test."""

from __future__ import annotations

from typing import Any

from textual.app import App


def writer_backlog(app: App[Any]) -> int:
    """Writes queued for the terminal and not yet taken by it; 0 where the driver has no writer thread.

    The queue blocks the event loop when it is full, so a screen on a slow line must look before it paints.
    """
    thread = getattr(app._driver, "_writer_thread", None)
    return 0 if thread is None else int(thread._queue.qsize())
