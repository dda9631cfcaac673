"""Where things lie, and that nobody else can get at them."""

from __future__ import annotations

import contextlib
import hashlib
import os
import socket
import stat
import tempfile
from pathlib import Path

import pytest

from runtime import paths
from runtime.host import class_lock


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("STATE", "DATA", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    return tmp_path


def test_directories_are_private(home: Path) -> None:
    for folder in (paths.run_dir(), paths.log_dir(), paths.classes_dir(), paths.runs_dir()):
        assert folder.is_relative_to(home)
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_an_open_directory_is_closed() -> None:
    paths.run_dir().chmod(0o777)
    assert stat.S_IMODE(paths.run_dir().stat().st_mode) == 0o700


def test_a_file_in_the_way_is_said(home: Path) -> None:
    (home / "state").write_text("")
    with pytest.raises(paths.PathError, match="cannot use"):
        paths.run_dir()


def test_somebody_elses_directory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    paths.run_dir()
    monkeypatch.setattr("os.getuid", lambda: 4242)
    with pytest.raises(paths.PathError, match="another user"):
        paths.run_dir()


def test_relative_xdg_paths_are_ignored(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "here")
    monkeypatch.setenv("HOME", str(home))
    assert paths.state_dir() == home / ".local/state/teachrun"


def test_long_socket_paths_move_to_a_short_place(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(home / ("deep/" * 20)))
    with tempfile.TemporaryDirectory() as short:
        monkeypatch.setattr("tempfile.gettempdir", lambda: short)
        path = paths.screen_socket("c")
        assert path.is_relative_to(short) and len(str(path)) <= paths.MAX_SOCKET_PATH
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path))


def test_what_is_planted_in_the_temporary_folder_is_not_followed(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everybody can write there: no name that can be told beforehand and no link leads our sockets away."""
    monkeypatch.setenv("XDG_STATE_HOME", str(home / ("deep/" * 20)))
    with tempfile.TemporaryDirectory() as short, tempfile.TemporaryDirectory() as theirs:
        monkeypatch.setattr("tempfile.gettempdir", lambda: short)
        digest = hashlib.sha256(os.fsencode(paths.run_dir())).hexdigest()[:12]
        (Path(short) / f"teachrun-{os.getuid()}-{digest}").symlink_to(theirs)  # as it was named once
        first = paths.screen_socket("c")
        assert paths.rank_socket("c").parent == first.parent, "all processes of a class find the same"
        assert not first.resolve().is_relative_to(theirs)
        first.parent.rmdir()
        first.parent.symlink_to(theirs)
        again = paths.screen_socket("c")
        assert again.parent != first.parent and not again.resolve().is_relative_to(theirs)
        again.parent.chmod(0o777)
        assert paths.screen_socket("c").parent not in (first.parent, again.parent)
        last = paths.screen_socket("c").parent
        paths.leave_short()
        assert not last.exists()


@pytest.mark.parametrize("bad", ["", "a/b", "../x", "a b", "x" * 49, "-x", "a\n", "é"])
def test_class_ids_are_file_names(bad: str) -> None:
    assert not paths.valid_class_id(bad)


def test_new_class_ids_are_valid_and_differ() -> None:
    made = {paths.new_class_id() for _ in range(20)}
    assert len(made) > 15
    assert all(map(paths.valid_class_id, made))


def test_the_newest_class_is_the_one_something_happened_in_last() -> None:
    assert paths.newest_class() is None
    for class_id, when in (("one", 200), ("two", 300), ("three", 100)):
        journal = paths.journal_file(class_id)
        journal.parent.mkdir()
        journal.write_text("x")
        os.utime(journal, (when, when))
    (paths.classes_dir() / "empty").mkdir()
    assert paths.newest_class() == "two"
    for alone in ("tour-1", "study-1"):  # nobody comes back to these as to a class
        paths.journal_file(alone).parent.mkdir()
        paths.journal_file(alone).write_text("x")
    assert paths.newest_class() == "two"


def test_live_classes_have_somebody_listening() -> None:
    for class_id in ("dead", "live"):
        paths.lock_file(class_id).touch()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(paths.screen_socket("live")))
        server.listen()
        assert paths.live_classes() == ["live"]


def test_of_living_classes_the_one_begun_last_is_first_however_busy_an_older_one_is() -> None:
    with contextlib.ExitStack() as stack:
        for began, class_id in enumerate(("older", "newer", "tour-1", "study-1"), 1):
            server = stack.enter_context(socket.socket(socket.AF_UNIX))
            server.bind(str(paths.screen_socket(class_id)))
            server.listen()
            taken = class_lock.lock(class_id)
            assert taken is not None
            stack.enter_context(taken)
            os.utime(paths.lock_file(class_id), (began, began))
        for class_id, when in (("older", 900), ("newer", 300)):
            paths.journal_file(class_id).parent.mkdir()
            paths.journal_file(class_id).write_text("x")
            os.utime(paths.journal_file(class_id), (when, when))
        assert paths.live_classes()[:2] == ["newer", "older"]


def test_a_lock_that_a_killed_host_left_behind_is_as_old_as_the_host_that_has_it_now() -> None:
    paths.lock_file("again").touch()
    os.utime(paths.lock_file("again"), (1, 1))
    with class_lock.lock("again") as taken:  # type: ignore[union-attr]
        assert taken is not None and paths.lock_file("again").stat().st_mtime > 1
