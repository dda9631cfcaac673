"""The command, and what others import of teachrun: `from teachrun import probe`.

This file knows how teachrun is installed and imports none of its packages before they are asked for: their
names (`tui slides quiz runtime`) are plain, and a folder of the user's or another distribution may have the
same ones. What packages of ours need to know of the installation they import from here.
"""

from __future__ import annotations

import os
import sys
import time
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from threading import Thread

    from runtime.ranks.probe import Probe

    probe: Probe

NAME = "teachrun"
PACKAGES = ("tui", "slides", "quiz", "runtime")
HOME = Path(__file__).resolve().parent
# The user's own PYTHONPATH, in our environment where we run without a part of it.
USERS_PYTHONPATH = "TEACHRUN_PYTHONPATH"


def __getattr__(name: str) -> Any:
    if name == "probe":
        # In a launcher of a user's script our files have private names (`runtime.ranks.bootstrap`), and the
        # script may have a `runtime` of its own: it gets the probe that is there.
        if (loaded := sys.modules.get("_teachrun.ranks.probe")) is not None:
            return loaded.probe
        from runtime.ranks.probe import probe

        return probe
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# --- packages with the same names -----------------------------------------------------------------------


def _hides(folder: str) -> bool:
    """Whether one of our packages would be looked for in this folder of the PYTHONPATH, and another found."""
    place = Path(folder or ".")
    names = [place / package for package in PACKAGES]
    return place.resolve() != HOME and any(
        name.is_dir() or name.with_suffix(".py").is_file() for name in names
    )


def pass_by() -> None:
    """Take folders that hide our packages out of this process's PYTHONPATH, and so out of its children's.

    The programs of a user (scripts, snippets, terminals) get all of it back: see `as_user`.
    """
    if not sys.flags.safe_path and sys.path[:1] in ([""], [str(Path.cwd())]) and _hides(sys.path[0]):
        del sys.path[0]  # `python -m tui` looks where it is started first
    theirs = os.environ.get("PYTHONPATH", "")
    hiding = [folder for folder in theirs.split(os.pathsep) if _hides(folder)] if theirs else []
    if not hiding:
        return
    places = {str(Path(folder or ".").resolve()) for folder in hiding}
    sys.path[:] = [entry for entry in sys.path if str(Path(entry).resolve()) not in places]
    left = [folder for folder in theirs.split(os.pathsep) if folder not in hiding]
    os.environ.setdefault(USERS_PYTHONPATH, theirs)
    if left:
        os.environ["PYTHONPATH"] = os.pathsep.join(left)
    else:
        del os.environ["PYTHONPATH"]


def users_pythonpath() -> str:
    """The PYTHONPATH that teachrun was started with, for programs that are not ours."""
    return os.environ.get(USERS_PYTHONPATH, os.environ.get("PYTHONPATH", ""))


def as_user(*command: str) -> tuple[str, ...]:
    """A command that runs with the user's own PYTHONPATH, started by a process of ours that may have less."""
    if USERS_PYTHONPATH not in os.environ:
        return command
    return ("env", "-u", USERS_PYTHONPATH, f"PYTHONPATH={users_pythonpath()}", *command)


def hiding_package() -> str:
    """The folder or file that is imported instead of one of our packages; "" where there is none."""
    for package in PACKAGES:
        found = PathFinder.find_spec(package)  # None where only an editable install knows it
        if found is None:
            continue
        place = Path(found.origin or next(iter(found.submodule_search_locations or ()), HOME / package))
        place = (place.parent if place.name == "__init__.py" else place).resolve()
        if place.parent != HOME:
            return str(place)
    return ""


def foreign_files() -> dict[str, str]:
    """Other distributions that have installed files into the folder of one of our packages: name -> a file.

    Where two have the same file, the one installed last has overwritten the other's without a word. Reads the
    records of everything that is installed: some 10 ms for each 100 distributions.
    """
    from importlib import metadata

    found: dict[str, str] = {}
    for distribution in metadata.distributions():
        name = distribution.metadata["Name"] or ""
        if name.lower() == NAME:
            continue
        for file in distribution.files or ():
            if file.parts and file.parts[0] in PACKAGES:
                found.setdefault(name, str(file))
    return found


def changed_files() -> list[str]:
    """Our own files that are not as they were installed, or gone; none where teachrun runs from a clone."""
    import base64
    import hashlib
    from importlib import metadata

    try:
        files = metadata.distribution(NAME).files or []
    except metadata.PackageNotFoundError:
        return []
    changed = []
    for file in files:
        if not file.parts or file.parts[0] not in PACKAGES or file.hash is None:
            continue
        try:
            digest = hashlib.new(file.hash.mode, Path(str(file.locate())).read_bytes()).digest()
        except OSError:
            changed.append(str(file))
            continue
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != file.hash.value:
            changed.append(str(file))
    return changed


# --- what to do about it --------------------------------------------------------------------------------


def installer() -> tuple[str, ...]:
    """The words before the packages that install into the environment that teachrun runs in; () for none.

    A bare `pip` is that of whatever environment happens to be active, so the interpreter is always named.
    """
    import sysconfig
    from importlib.util import find_spec

    prefix = Path(sys.prefix)
    if (prefix / "pipx_metadata.json").is_file():
        return ("pipx", "inject", prefix.name)
    uv = ("uv", "pip", "install", "--python", sys.executable)
    if (prefix / "uv-receipt.toml").is_file():
        return uv
    own = sys.prefix != sys.base_prefix or (prefix / "conda-meta").is_dir()
    if not own and Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED").is_file():
        return ()  # the operating system's: pip refuses
    return (sys.executable, "-m", "pip", "install") if find_spec("pip") is not None else uv


def packages_of(extra: str) -> list[str]:
    """What an extra of ours asks for, as `pillow>=11`. The `teachrun` of an index is never named."""
    found: list[str] = []
    for line in requirements():
        wanted, _, marker = (part.strip() for part in line.partition(";"))
        if f'extra == "{extra}"' in marker.replace("'", '"'):
            inner = wanted.removeprefix(NAME)
            if inner.startswith("["):  # an extra made of others
                for other in inner.strip("[]").split(","):
                    found += packages_of(other.strip())
            else:
                found.append(wanted)
    return list(dict.fromkeys(found))


def install(*packages: str) -> str:
    """The command that installs these packages here: for a shell, in words where there is none."""
    import shlex

    words = installer()
    if not words:
        return "install teachrun in an environment of its own (pipx, uv tool or python3 -m venv)"
    return shlex.join((*words, *packages))


def install_extra(extra: str) -> str:
    """The command that installs what an extra of ours asks for, into the environment that we run in."""
    return install(*(packages_of(extra) or (extra,)))


def requirements() -> list[str]:
    """What this installation asks for, a line of `Requires-Dist` each; [] where nobody installed it."""
    from importlib import metadata  # slow to import: not on the way to the first slide

    try:
        return metadata.requires(NAME) or []
    except metadata.PackageNotFoundError:
        return []


# --- what other packages bring --------------------------------------------------------------------------

# Entry points `teachrun.demos` and so on: CONTRIBUTING says what each of them names.
BRINGS = ("demos", "themes", "executors", "dialects", "views", "courses")


class Unusable(Exception):
    """What an installed package brings cannot be used: which package, and why, in one sentence."""


@cache
def brought(kind: str) -> dict[str, EntryPoint]:
    """What other installed packages bring of one of `BRINGS`, by name; of two with one name the first found.

    Reads the entry points of everything that is installed, some tens of milliseconds the first time: only for
    a name that is not ours, and for lists.
    """
    from importlib import metadata

    found: dict[str, EntryPoint] = {}
    for entry in metadata.entry_points(group=f"{NAME}.{kind}"):
        if entry.name.isprintable():  # what nobody can write in a deck names nothing
            found.setdefault(entry.name, entry)
    return found


def bring(kind: str, name: str) -> Any:
    """What a package brings under this name, imported; None where none does. Raises `Unusable`.

    A thread imports it, as that may take any time: who has an event loop waits a moment only (`be_quick`),
    and may ask again.
    """
    entry = brought(kind).get(name)
    if entry is None:
        return None
    what = f"{bringer(kind, name)} brings {name}, which"
    loading = _loading.setdefault(entry, _Loading(entry))
    if not loading.done(_patience_s):
        raise Unusable(f"{what} is still being imported after {loading.waited:.1f} s")
    if loading.why:
        raise Unusable(f"{what} cannot be imported: {loading.why}")
    return loading.found


def is_imported(kind: str, name: str) -> bool:
    """Whether `bring` would answer at once, or nobody brings it."""
    entry = brought(kind).get(name)
    return entry is None or _loading.setdefault(entry, _Loading(entry)).done(0.0)


def be_quick(patience_s: float = 0.2) -> None:
    """From now on nobody in this process waits longer than that for the import of a package."""
    global _patience_s
    _patience_s = patience_s


class _Loading:
    """An entry point on its way."""

    def __init__(self, entry: EntryPoint) -> None:
        self.found: Any = None
        self.why = ""
        self._entry = entry
        self._thread: Thread | None = None
        self._began = 0.0

    @property
    def waited(self) -> float:
        return time.monotonic() - self._began

    def done(self, patience_s: float) -> bool:
        """Whether it came, or is known not to; at the latest `patience_s` after it was first asked for."""
        if self._thread is None:
            from threading import Thread

            self._began = time.monotonic()
            self._thread = Thread(target=self._load, name=f"import {self._entry.name}", daemon=True)
            self._thread.start()
        self._thread.join(max(0.0, patience_s - self.waited))
        return not self._thread.is_alive()

    def _load(self) -> None:
        try:
            self.found = self._entry.load()
        except BaseException as error:  # theirs, so it may be anything
            self.why = _told(f"{type(error).__name__}: {error}")


_loading: dict[EntryPoint, _Loading] = {}
_patience_s = 60.0  # of a command: the package may import torch


def bringer(kind: str, name: str) -> str:
    """The distribution that brings this: `Name 1.0`."""
    distribution = brought(kind)[name].dist
    return _told(f"{distribution.name} {distribution.version}") if distribution is not None else "a package"


def _told(text: str) -> str:
    """Somebody else's words as one short line that a terminal may see."""
    return "".join(c for c in " ".join(text.split()) if c.isprintable())[:300]


# --- the command ----------------------------------------------------------------------------------------


def main() -> int:
    pass_by()
    if place := hiding_package():
        print(
            f"teachrun: {place!r} has the name of a package of teachrun and is found first.",
            end=" ",
            file=sys.stderr,
        )
        print("Start teachrun in another folder, or install it with pipx or `uv tool`.", file=sys.stderr)
        return 2
    try:
        from tui.cli import main as command

        return command()
    except ImportError as error:
        if (why := overwritten(error)) is None:
            raise
        print(f"teachrun: {why}", file=sys.stderr)
        return 2


def overwritten(error: ImportError) -> str | None:
    """What to say of an import that failed since another distribution wrote into our packages; else None."""
    if (error.name or "").split(".")[0] not in PACKAGES:
        return None
    others, changed = foreign_files(), changed_files()
    if not others and not changed:
        return None
    who = " and ".join(others) or "something"
    return (
        f"{who} is installed in the same environment and has overwritten files of teachrun's "
        f"({', '.join(changed[:2]) or next(iter(others.values()))}). Install teachrun in an environment of "
        "its own: pipx, `uv tool`, or python3 -m venv."
    )


if __name__ == "__main__":
    sys.exit(main())
