"""One warm stage for all tests that run demos."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from demo_run import Run, runner
from stage_host import StageHost


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Runs a demo and waits for its end; each set of parameters once in a session."""
    folder = tmp_path_factory.mktemp("stage")
    host = StageHost(folder)
    assert host.ready().fork_ok
    yield runner(host, folder)
    host.close()
