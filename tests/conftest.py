"""Property tests explore anew on every machine and repeat themselves in CI: red there means the change.

A whole run is shared between two processes: one has the tests that start real processes, one after the other,
as these mind their neighbours; what is left of the cores has all others meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from folders import own_folders
from hypothesis import Phase, settings
from warm_python import WarmPython

# Explaining a failure traces more examples line by line: it outlasted a timeout, and nothing was printed.
PHASES = [phase for phase in Phase if phase is not Phase.explain]
settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True, phases=PHASES)
settings.register_profile("here", deadline=None, phases=PHASES)
settings.load_profile("ci" if os.environ.get("CI") else "here")

REAL = {Path(__file__).parent / name for name in ("e2e", "chaos")}
MOST = 4


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """0: all in this process, where a few files were named, or what is run by hand and prints its figures."""
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if not whole or config.option.keyword or "not soak" not in config.option.markexpr:
        return 0
    return min(os.cpu_count() or 1, MOST)


@pytest.hookimpl(tryfirst=True)  # before xdist looks at the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if not REAL.isdisjoint(item.path.parents):
            item.add_marker(pytest.mark.xdist_group("real processes"))


@pytest.fixture(scope="session", autouse=True)
def nobodys_folders() -> Iterator[None]:
    """No test reads or writes the classes and settings of whoever runs it."""
    with own_folders():
        yield


@pytest.fixture(scope="session")
def warm_python() -> Iterator[WarmPython]:
    """Runs scripts that change torch, each in a process of its own."""
    pytest.importorskip("torch")
    python = WarmPython()
    yield python
    python.close()
