"""tmux in between: it hands pictures on where `allow-passthrough` is on, and knows who sees it.

Only kitty's placeholders live in it: they are text, and stay where tmux puts them. What is drawn over cells
would be gone with its next repaint.
"""

from __future__ import annotations

import subprocess
from typing import NamedTuple

from tui.graphics.protocol_choice import is_kitty

WITHIN_S = 2.0
POLL_S = 4.0  # between two looks: somebody may attach from elsewhere
UNSEEN_S = 0.5  # the same while nobody sees it


class Around(NamedTuple):
    """`clients` are the terminals it is shown in: with other ones, none has been sent anything.

    `seen`: what goes through while another window is shown reaches nobody.
    """

    passes: bool = False
    kitty: bool = False
    seen: bool = False
    clients: tuple[str, ...] = ()

    @property
    def fit(self) -> bool:
        """Whether kitty's protocol reaches the terminal: tmux passes it through and it is understood."""
        return self.passes and self.kitty


def look(pane: str) -> Around:
    """Asks tmux; slow as a process is. Where it does not answer nothing fits."""
    passes = _tmux("show-options", "-pAqv", "-t", pane, "allow-passthrough")
    if passes not in ("on", "all"):
        return Around()
    shape = "#{client_pid} #{client_created} #{client_termtype}"
    clients = tuple(sorted(_tmux("list-clients", "-t", pane, "-F", shape).splitlines()))
    kitty = bool(clients) and all(is_kitty(client.split(" ", 2)[-1]) for client in clients)
    seen = passes == "all" or _tmux("display-message", "-p", "-t", pane, "#{window_active}") == "1"
    return Around(True, kitty, seen, clients)


def _tmux(*words: str) -> str:
    try:
        done = subprocess.run(
            ["tmux", *words], capture_output=True, text=True, timeout=WITHIN_S, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError, ValueError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
