"""One thing that was looked at."""

from __future__ import annotations

from typing import Literal, NamedTuple

State = Literal["good", "warning", "bad"]


class Finding(NamedTuple):
    """`said` is what was found, `mend` what to do about it: everything that is not good has one."""

    area: str
    name: str
    state: State
    said: str
    mend: str = ""
