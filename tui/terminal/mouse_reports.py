"""What a terminal is asked to report of its mouse, in xterm's modes: buttons and the wheel, movement only for
as long as somebody points."""

from __future__ import annotations

ON = "\x1b[?1000h\x1b[?1006h"
OFF = "\x1b[?1003l\x1b[?1000l\x1b[?1006l"
MOVES_ON = "\x1b[?1003h"
MOVES_OFF = "\x1b[?1003l\x1b[?1000h"  # the one ends the other in most terminals
