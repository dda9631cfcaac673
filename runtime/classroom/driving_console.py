"""Which console drives: all do until one of them takes the lead (`L`), then that one alone."""

from __future__ import annotations


def may_drive(lead: str, screen: str) -> bool:
    """Whether `screen` ("": the host) may move a class whose lead has the console `lead` ("": none)."""
    return screen in ("", lead) or not lead
