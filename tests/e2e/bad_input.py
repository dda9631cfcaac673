"""What a terminal would obey, were it written to it as it stands."""

from __future__ import annotations

EVIL = "\x1b]0;PWNED\x07\x1b[2JPWNED\x9b31m\x9dPWNED\x9c\u202e"
