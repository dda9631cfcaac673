"""Whether anything may move that need not: a slide that turns, a scene on its way between two steps."""

from __future__ import annotations

from collections.abc import Mapping

from tui.terminal.over_ssh import over_ssh


def motion_allowed(environ: Mapping[str, str]) -> bool:
    """Not over SSH, where each frame is bytes on a line, and not where Textual is asked to hold still."""
    return not over_ssh(environ) and environ.get("TEXTUAL_ANIMATIONS", "full").lower() == "full"
