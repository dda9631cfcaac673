"""Folders of teachrun, and the names of its sockets.

Configuration, data and state follow the XDG directories. Sockets live under the state directory and not under
`XDG_RUNTIME_DIR`, which logind removes at the loss of an SSH connection, which a class must survive.
"""

from __future__ import annotations

import os
import re
import stat
import time
from pathlib import Path

REHEARSAL = "rehearsal-"  # what the name of a rehearsal begins with
TOUR, STUDY = "tour-", "study-"  # somebody alone: no class to come back to or to report on
# sun_path holds 108 bytes on Linux and 104 on macOS, the closing zero included.
MAX_SOCKET_PATH = 100
_CLASS_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,47}")


class PathError(OSError):
    """A directory of ours is unusable; the text says which, why, and what to do."""


def _xdg(variable: str, fallback: str) -> Path:
    base = os.environ.get(variable, "")
    # The XDG specification: a relative path is invalid and ignored.
    if base.startswith("/"):
        return Path(base) / "teachrun"
    try:
        return Path.home() / fallback / "teachrun"
    except RuntimeError as error:
        raise PathError(f"this user has no home folder; set {variable} to a writable one") from error


def _private(path: Path) -> Path:
    """Return `path` as a directory that only we can read; raises `PathError` when it is not ours."""
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        info = path.stat()
    except OSError as error:
        raise PathError(f"cannot use {path}: {error.strerror or error}; make it a writable folder") from error
    if info.st_uid != os.getuid():
        raise PathError(f"{path} belongs to another user (uid {info.st_uid}); set XDG_STATE_HOME elsewhere")
    if stat.S_IMODE(info.st_mode) & 0o077:
        try:
            path.chmod(0o700)
        except OSError as error:
            raise PathError(f"{path} is open to others and cannot be closed: {error.strerror}") from error
    return path


def config_dir() -> Path:
    """Return the folder of `config.toml`; not created, since it is normally missing."""
    return _xdg("XDG_CONFIG_HOME", ".config")


def state_dir() -> Path:
    """Return `$XDG_STATE_HOME/teachrun`, made if it is missing; raises `PathError` where it cannot be."""
    return _private(_xdg("XDG_STATE_HOME", ".local/state"))


def data_path() -> Path:
    """Return `$XDG_DATA_HOME/teachrun`, whether it exists and can be used or not."""
    return _xdg("XDG_DATA_HOME", ".local/share")


def data_dir() -> Path:
    """Return `data_path()`, made if it is missing; raises `PathError` where it cannot be."""
    return _private(data_path())


def run_dir() -> Path:
    """Return the folder of the sockets and locks of running hosts."""
    return _private(state_dir() / "run")


def log_dir() -> Path:
    """Return the folder for logs of our own processes; what ranks print lies with their run."""
    return _private(state_dir() / "log")


def classes_dir() -> Path:
    """Return the folder that has a folder for each class, by its id."""
    return _private(data_dir() / "classes")


def rehearsals_dir() -> Path:
    """Return the folder of rehearsals, kept apart from classes that were held."""
    return _private(data_dir() / "rehearsals")


def runs_dir() -> Path:
    """Return the folder that has a folder for each run, with its recording and the logs of its ranks."""
    return _private(data_dir() / "runs")


def is_rehearsal(class_id: str) -> bool:
    """Tell by its id whether a class is a rehearsal."""
    return class_id.startswith(REHEARSAL)


def journal_file(class_id: str) -> Path:
    """Return where the journal of a class lies; the file need not be there."""
    held = rehearsals_dir() if is_rehearsal(class_id) else classes_dir()
    return held / class_id / "journal.jsonl"


def lock_file(class_id: str) -> Path:
    """Return the file that the host of a class holds locked while it lives."""
    return run_dir() / f"{class_id}.lock"


def socket_path(name: str) -> Path:
    """Return `run_dir()/name`, or a shorter path if that does not fit into a socket address.

    Raises `PathError` where the shorter one does not fit either.
    """
    path = run_dir() / name
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH:
        return path
    short = _short() / name
    if len(os.fsencode(short)) > MAX_SOCKET_PATH:
        raise PathError(f"no room for a socket under {short.parent}; set XDG_STATE_HOME to a short path")
    return short


def _short() -> Path:
    """Return our folder with a short name. Nobody can create it beforehand: the name is random, and recorded
    in the run directory, which only this user can enter."""
    import tempfile  # rarely needed, and much comes along

    pointer = run_dir() / "short"
    for _ in range(3):
        try:
            folder = pointer.readlink()
            info = folder.lstat()  # never what a link in its place leads to
            if stat.S_ISDIR(info.st_mode) and info.st_uid == os.getuid() and not info.st_mode & 0o077:
                return folder
        except OSError:
            pass
        try:
            pointer.unlink(missing_ok=True)  # the temporary folder was emptied since
            made = tempfile.mkdtemp(prefix="teachrun-")
            try:
                pointer.symlink_to(made)
            except FileExistsError:
                Path(made).rmdir()  # another process was first
        except OSError as error:
            raise PathError(
                f"no short folder for sockets: {error}; set XDG_STATE_HOME to a short path"
            ) from error
    raise PathError(f"{pointer} leads to no folder of ours; remove it")


def leave_short() -> None:
    """Remove the folder with the short name if nobody has a socket in it any more."""
    pointer = run_dir() / "short"
    try:
        pointer.readlink().rmdir()
        pointer.unlink()
    except OSError:
        pass  # there is none, or it is in use


def screen_socket(class_id: str) -> Path:
    """Return the socket at which screens reach the host of a class."""
    return socket_path(f"{class_id}.sock")


def rank_socket(class_id: str) -> Path:
    """Return the socket to which the ranks of a class send their events."""
    return socket_path(f"{class_id}.ranks")


def agent_socket(class_id: str) -> Path:
    """Return the socket at which agents of other machines reach the host of a class, through ssh."""
    return socket_path(f"{class_id}.agents")


def valid_class_id(class_id: str) -> bool:
    """Whether this can be a file name: letters, digits, `-` and `_`, at most 48 of them."""
    return _CLASS_ID.fullmatch(class_id) is not None


def new_class_id(rehearsal: bool = False) -> str:
    """Return a new id that sorts by time: `20261121-0154-3f9a`."""
    return (REHEARSAL if rehearsal else "") + f"{time.strftime('%Y%m%d-%H%M')}-{os.urandom(2).hex()}"


def _last_written(class_dir: Path) -> float:
    try:
        return (class_dir / "journal.jsonl").stat().st_mtime
    except OSError:
        return 0.0


def known_classes(rehearsals: bool = False) -> list[str]:
    """Return the ids of all classes (or rehearsals), the most recently active first.

    Tours and study sessions are left out.
    """
    held = rehearsals_dir() if rehearsals else classes_dir()
    classes = [d for d in held.iterdir() if valid_class_id(d.name) and not _alone(d.name)]
    known = [(_last_written(d), d.name) for d in classes]
    return [name for at, name in sorted(known, reverse=True) if at]


def newest_class() -> str | None:
    """Return the most recently active class, running or not; None if there never was one."""
    return next(iter(known_classes()), None)


def answers(path: Path) -> bool:
    """Whether a process listens on the socket `path`."""
    import socket

    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(path))
        except OSError:
            return False
    return True


def live_classes() -> list[str]:
    """Return the ids of classes whose host is running, the one begun last first.

    In an older one something may happen all the time: a demo runs. Tours and study sessions come after all
    classes, for nobody joins them by chance.
    """
    known = [path.stem for path in run_dir().glob("*.lock") if valid_class_id(path.stem)]
    live = [class_id for class_id in known if answers(screen_socket(class_id))]
    return sorted(live, key=lambda class_id: (not _alone(class_id), _begun(class_id)), reverse=True)


def _alone(class_id: str) -> bool:
    return class_id.startswith((TOUR, STUDY))


def _begun(class_id: str) -> float:
    """When the host of a class took its lock (wall-clock seconds)."""
    try:
        return lock_file(class_id).stat().st_mtime
    except OSError:
        return 0.0
