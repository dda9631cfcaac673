"""A class with phones."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from made_class import DECK, Class


@pytest.fixture
async def class_(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Class]:
    found = Class(tmp_path, getattr(request, "param", DECK))
    await found.begin()
    yield found
    await found.end()
