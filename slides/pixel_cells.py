"""Cells that stand for pixels: kitty's Unicode placeholders, whatever the terminal speaks.

https://sw.kovidgoyal.net/kitty/graphics-protocol/#unicode-placeholders -- U+10EEEE and three combining marks:
row, column, and the highest byte of the image's id, which here is the number of the picture. Each cell says
all three, so that any part of a row may be painted alone.
"""

from __future__ import annotations

import re

SIGN = "\U0010eeee"
# The marks that count from 0 on, in the protocol's order.
_MARKS = """
0305 030D-030E 0310 0312 033D-033F 0346 034A-034C 0350-0352 0357 035B 0363-036F 0483-0487 0592-0595 0597-0599
059C-05A1 05A8-05A9 05AB-05AC 05AF 05C4 0610-0617 0657-065B 065D-065E 06D6-06DC 06DF-06E2 06E4 06E7-06E8
06EB-06EC 0730 0732-0733 0735-0736 073A 073D 073F-0741 0743 0745 0747 0749-074A 07EB-07F1 07F3 0816-0819
081B-0823 0825-0827 0829-082D 0951 0953-0954 0F82-0F83 0F86-0F87 135D-135F 17DD 193A 1A17 1A75-1A7C 1B6B
1B6D-1B73 1CD0-1CD2 1CDA-1CDB 1CE0 1DC0-1DC1 1DC3-1DC9 1DCB-1DCC 1DD1-1DE6 1DFE 20D0-20D1 20D4-20D7 20DB-20DC
20E1 20E7 20E9 20F0 2CEF-2CF1 2DE0-2DFF A66F A67C-A67D A6F0-A6F1 A8E0-A8F1 AAB0 AAB2-AAB3 AAB7-AAB8 AABE-AABF
AAC1 FE20-FE26 10A0F 10A38 1D185-1D189 1D1AA-1D1AD 1D242-1D244
"""


def _marks() -> str:
    marks = ""
    for part in _MARKS.split():
        first, _, last = part.partition("-")
        marks += "".join(map(chr, range(int(first, 16), int(last or first, 16) + 1)))
    return marks


MARKS = _marks()
MOST = len(MARKS)  # rows, columns, pictures at once
RUN = re.compile(f"(?:{SIGN}[{MARKS}]{{3}})+")
"""Cells of pictures side by side."""
