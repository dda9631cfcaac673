"""One thing that was looked at."""

from __future__ import annotations

from typing import Literal, NamedTuple

State = Literal["good", "warning", "bad"]


class Finding(NamedTuple):
    """`said` is what is so, `mend` what to do about it: there is one for everything that is not good."""

    area: str
    name: str
    state: State
    said: str
    mend: str = ""
