"""A run whose machines come by themselves, where it cannot be listened for them: why, and what to do."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from folders import in_folders, own_folders

from runtime import paths
from runtime.catalog import registry
from runtime.catalog.machines import Machines
from runtime.supervision.run import Run
from runtime.supervision.supervisor import Supervisor

pytest.importorskip("cryptography")


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with own_folders() as found:
        in_folders(found, monkeypatch)
        yield found


async def refused(listen: tuple[str, int], invitation: Path) -> Run:
    supervisor = Supervisor("refused", paths.rank_socket("refused"))
    await supervisor.start()
    demo = registry.check("ddp", {"ranks": "1", "nodes": "2"}, here=False)
    assert isinstance(demo, registry.Launchable)
    machines = Machines(("a", "b"), "", 0, listen=listen, invitation=str(invitation))
    try:
        run = await supervisor.launch("b", replace(demo, machines=machines))
        await run.over.wait()
    finally:
        assert await supervisor.close() == 0
    assert run.state == "failed"
    assert not invitation.exists()
    return run


async def test_an_invitation_that_cannot_be_written(home: Path) -> None:
    (home / "file").touch()
    run = await refused(("127.0.0.1", 0), home / "file" / "join")
    assert run.why.startswith(f"the invitation cannot be written to {home}/file/join")
    assert run.why.endswith("make room there, or name another: --out")


async def test_a_certificate_that_cannot_be_written(home: Path) -> None:
    (paths.run_dir() / "link.pem").mkdir()
    run = await refused(("127.0.0.1", 0), home / "join")
    assert run.why.startswith("the certificate cannot be written to ")
    assert run.why.endswith("make room there, or name another: XDG_STATE_HOME")


async def test_a_port_that_somebody_has(home: Path) -> None:
    with socket.socket() as theirs:
        theirs.bind(("127.0.0.1", 0))
        theirs.listen()
        port = theirs.getsockname()[1]
        run = await refused(("127.0.0.1", port), home / "join")
    assert run.why == f"nothing can listen at 127.0.0.1:{port}: Address already in use: name another --listen"
