"""What work takes in steps of the interpreter, which are as many on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from types import FrameType
from typing import Any, Literal


def steps(
    work: Callable[[], object], of: Literal["opcode", "line"] = "opcode", files: Collection[str] = ()
) -> int:
    """How many it takes to do it, in these files alone if some are named."""
    count = 0

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal count
        if files and frame.f_code.co_filename not in files:
            return None
        frame.f_trace_opcodes = of == "opcode"
        count += event == of
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count
