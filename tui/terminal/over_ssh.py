"""Whether this terminal is reached over SSH, as the server's login says."""

from __future__ import annotations

from collections.abc import Mapping


def over_ssh(environ: Mapping[str, str]) -> bool:
    """Tell whether what is drawn crosses a network, and what is opened would open on another machine."""
    return any(environ.get(name) for name in ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"))
