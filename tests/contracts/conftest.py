"""What tests of names of torch share."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from alone import ALONE
from warm_python import WarmPython


@pytest.fixture
def passes(warm_python: WarmPython) -> Callable[..., str]:
    """What a script alone with its torch prints: it may change torch as it likes."""

    def run(script: str, **environ: str) -> str:
        done = warm_python.run(script, **environ)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def alone(passes: Callable[..., str]) -> Callable[..., str]:
    """As `passes`, for a rank alone that calls collectives: `ALONE` stands above the script."""

    def run(script: str, **environ: str) -> str:
        return passes(f"{ALONE}{script}dist.destroy_process_group()\n", **environ)

    return run
