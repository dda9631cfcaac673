"""One host a class, and nothing of it left when it has ended."""

from __future__ import annotations

from pathlib import Path

import pytest
from folders import in_folders

from runtime import paths
from runtime.host import class_lock


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_folders(tmp_path, monkeypatch)


def test_the_lock_of_a_killed_host_is_removed_and_that_of_a_living_one_is_not() -> None:
    for name in ("killed", "living"):
        paths.lock_file(name).touch()
        paths.screen_socket(name).touch()
    held = class_lock.lock("living")
    assert held is not None
    with held:
        class_lock.remove_leftovers()
        assert paths.lock_file("living").exists() and paths.screen_socket("living").exists()
        assert not paths.lock_file("killed").exists() and not paths.screen_socket("killed").exists()


def test_a_lock_that_its_host_has_taken_along_locks_nobody() -> None:
    """Who has opened the file before it was removed holds a lock that no other host would meet."""
    first = class_lock.lock("c")
    assert first is not None
    paths.lock_file("c").unlink()
    second = class_lock.lock("c")
    assert second is not None and paths.lock_file("c").exists()
    assert not class_lock.is_current(first, paths.lock_file("c"))
    assert class_lock.is_current(second, paths.lock_file("c"))
    first.close()
    second.close()
