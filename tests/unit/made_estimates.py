"""Estimates as `teachrun estimate … --json` prints them, for tests."""

from __future__ import annotations

from typing import Any

from runtime.estimate import report
from runtime.estimate.estimate import estimate
from runtime.estimate.request import read, request


def estimated(words: str, **values: object) -> dict[str, Any]:
    """The object of a line of `KEY=VALUE` words."""
    line = [*words.split(), *(f"{key}={value}" for key, value in values.items())]
    return report.as_object(estimate(request(read(line))), explained=True)


def collective(words: str) -> dict[str, Any]:
    return report.collective(read(words.split()))


def printed(value: float, digits: int) -> str:
    """As a table prints it, rounded to so many digits behind the point."""
    return f"{value:.{digits}f}"
