"""Property tests explore anew on every machine and repeat themselves in CI: red there means the change.

A whole run is shared between processes. Tests that start ranks go one after the other, as these mind their
neighbours; those of commands and of real terminals, which mostly wait, are in turn beside them; what is left
of the cores has all others meanwhile.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from folders import own_folders
from hypothesis import Phase, settings
from warm_python import WarmPython

# Explaining a failure traces more examples line by line: it outlasted a timeout, and nothing was printed.
PHASES = [phase for phase in Phase if phase is not Phase.explain]
# In CI the examples are the same each time: they hold what was found, and more of them would find nothing.
settings.register_profile(
    "ci", max_examples=50, derandomize=True, deadline=None, print_blob=True, phases=PHASES
)
settings.register_profile("here", deadline=None, phases=PHASES)
settings.load_profile("ci" if os.environ.get("CI") else "here")

TESTS = Path(__file__).parent
# The folder -> whose turn its tests wait for; the innermost folder tells. `.ci/run` knows these words.
IN_TURN = {
    TESTS / "e2e": "real processes",
    TESTS / "chaos": "real processes",
    TESTS / "e2e" / "commands": "real terminals",
    TESTS / "e2e" / "real_terminals": "real terminals",
}
MOST = 4
# In a fresh clone each of the hundreds of processes that tests start would compile all of our modules anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
OF_AN_ID = 60  # characters of a parameter; ids of all tests go between processes, several times


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """0: all in this process, where a few files were named, or what is run by hand and prints its figures."""
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if not whole or config.option.keyword or "not soak" not in config.option.markexpr:
        return 0
    return min(os.cpu_count() or 1, MOST)  # one more was no faster (2026-11-28: the cores were busy for 92 %)


def pytest_make_parametrize_id(val: object) -> str | None:
    """Say of a long text how it begins and how long it is: one of 8 MB was so in each report of its test."""
    if isinstance(val, str | bytes) and len(val) > OF_AN_ID:
        beginning = ascii(val[: OF_AN_ID // 2]).strip("b'\"")
        return f"{beginning}..{len(val)}"
    return None


@pytest.hookimpl(tryfirst=True)  # before xdist looks at the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if group := turn_of(item.path.parent):
            item.add_marker(pytest.mark.xdist_group(group))


@cache
def turn_of(folder: Path) -> str | None:
    """Whose turn the tests of a folder wait for; none if they wait for nobody's."""
    return next((IN_TURN[above] for above in (folder, *folder.parents) if above in IN_TURN), None)


def pytest_sessionstart() -> None:
    """Little of what is imported and collected is garbage, and to look for it took two fifths of the time."""
    gc.disable()


def pytest_collection_finish() -> None:
    """What is imported and collected stays to the end: no garbage collection looks through it again."""
    gc.freeze()
    gc.enable()


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
