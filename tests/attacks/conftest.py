"""Fixtures of several files here."""

from __future__ import annotations

from made_door import door, made

__all__ = ["door", "made"]
