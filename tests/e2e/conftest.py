"""What all tests of real processes share: one warm stage, one supervisor with its own, one set of folders."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from demo_run import Run, runner
from folders import in_folders, own_folders, stop_all
from live_run import Heard
from stage_host import Receiver, StageHost

from runtime import paths
from runtime.supervision.supervisor import Supervisor


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StageHost]:
    """A warm stage. Who kills it takes one of its own."""
    host = StageHost(tmp_path_factory.mktemp("stage"))
    ready = host.ready()
    assert ready.fork_ok, ready.why
    yield host
    host.close()


@pytest.fixture
def receiver(tmp_path: Path) -> Iterator[Receiver]:
    receiver = Receiver(tmp_path / "events")
    yield receiver
    receiver.close()


@pytest.fixture(scope="session")
def run(stage: StageHost) -> Run:
    """Runs a demo and waits for its end; each set of parameters once in a session."""
    return runner(stage)


@pytest.fixture(scope="session")
def folders() -> Iterator[Path]:
    with own_folders() as home:
        yield home


@pytest.fixture
def home(folders: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this test keeps its runs, as the program is told it."""
    in_folders(folders, monkeypatch)
    return folders


@pytest.fixture
def deck_home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """Folders for what the test starts in terminals, and in them the `DECK` of its file as `deck.md`."""
    (tmp_path / "deck.md").write_text(request.module.DECK)
    yield tmp_path
    stop_all(tmp_path)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def listening(folders: Path) -> AsyncIterator[tuple[Supervisor, Heard]]:
    heard = Heard()
    with pytest.MonkeyPatch.context() as patch:
        in_folders(folders, patch)
        supervisor = Supervisor("test", paths.rank_socket("test"), on_events=heard.take)
        await supervisor.start()
    yield supervisor, heard
    assert await supervisor.close() == 0


@pytest.fixture
def supervisor(home: Path, listening: tuple[Supervisor, Heard]) -> Supervisor:
    """One for all tests of the session's event loop; each leaves it without a run."""
    return listening[0]


@pytest.fixture
def heard(listening: tuple[Supervisor, Heard]) -> Heard:
    return listening[1]
