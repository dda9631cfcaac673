"""Whether a terminal has all colours without saying so: xterm, which takes `COLORTERM` from what it starts.

It calls itself `xterm` where its users have not told it otherwise, a terminal of 8 colours, and says its
version in `XTERM_VERSION`. Pictures of a scene by sixels have all colours there; words on them would stand
on the nearest of 16.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

DIRECT = 331  # the version from which on it keeps colours of 24 bits as they are


def has_all(environ: Mapping[str, str]) -> bool:
    """Tell whether a program runs in such an xterm, not in tmux or screen within one."""
    version = re.fullmatch(r"XTerm\((\d+)\)", environ.get("XTERM_VERSION", ""))
    inside = environ.get("TMUX") or environ.get("STY") or not environ.get("TERM", "").startswith("xterm")
    return version is not None and int(version[1]) >= DIRECT and not inside
