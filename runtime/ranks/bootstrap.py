"""The program of a torchrun worker: `python bootstrap.py [--listen] SCRIPT ARGS…`.

The script is a user's. It may have modules of its own that are called `runtime` or `quiz`, and its
interpreter may not have teachrun installed. So this file is started by its path, and what it needs of this
package it loads from its own folder under a private name; nothing of ours is on the script's `sys.path`, and
`import runtime` there finds theirs or nothing. `--listen`: hear from torch what the script does not say.
"""

import sys

OURS, PRIVATE = "runtime", "_teachrun"
if not sys.flags.safe_path:
    del sys.path[0]  # our own folder: its files have plain names

import ast  # noqa: E402
import atexit  # noqa: E402
import faulthandler  # noqa: E402
import os  # noqa: E402
import threading  # noqa: E402
import traceback  # noqa: E402
from collections.abc import Sequence  # noqa: E402
from contextlib import suppress  # noqa: E402
from importlib.abc import MetaPathFinder  # noqa: E402
from importlib.machinery import ModuleSpec, SourceFileLoader  # noqa: E402
from importlib.util import spec_from_file_location  # noqa: E402
from pathlib import Path  # noqa: E402
from types import CodeType, ModuleType  # noqa: E402
from typing import Any  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]


class Finder(MetaPathFinder):
    """Finds `_teachrun.x` where this installation has `runtime.x`."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find our modules under the private name in our own folder; None for anybody else's."""
        first, *rest = fullname.split(".")
        if first != PRIVATE:
            return None
        folder = ROOT.joinpath(*rest)
        file = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
        return spec_from_file_location(
            fullname,
            file,
            loader=Renaming(fullname, str(file)),
            submodule_search_locations=[str(folder)] if folder.is_dir() else None,
        )


class Renaming(SourceFileLoader):
    """Loads a file of ours as if the package had the private name."""

    def get_code(self, fullname: str) -> CodeType:
        """Compile the module anew each time; called by the import system."""
        # Not from a cached file, which has the public names.
        return self.source_to_code(self.get_data(self.path), self.path)

    def source_to_code(  # type: ignore[override]  # another Python has other parameters
        self, data: Any, path: Any, *, _optimize: int = -1
    ) -> CodeType:
        """Compile our source with its imports of this package turned to the private name."""
        tree = ast.parse(data, path)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == OURS:
                node.module = PRIVATE + node.module[len(OURS) :]
        code: CodeType = compile(tree, path, "exec", dont_inherit=True, optimize=_optimize)
        return code


def main() -> int:
    """Run the script of the command line as this rank; returns its exit code."""
    sys.meta_path.insert(0, Finder())
    from _teachrun.launch.parent_death import die_with_parent  # type: ignore[import-not-found]
    from _teachrun.ranks.runner import log_to, run_script  # type: ignore[import-not-found]

    die_with_parent(os.getppid())  # even if the agent is killed
    if folder := os.environ.get("TEACHRUN_LOG_DIR"):
        log_to(folder, int(os.environ["RANK"]))
    faulthandler.enable()  # a crash in C++ leaves its Python stack in the log
    listen = sys.argv[1] == "--listen"
    script, *argv = sys.argv[1 + listen :]
    return int(run_script(script, tuple(argv), listen))


def leave(code: int) -> None:
    """End as an interpreter does, with threads and exit handlers, but without finalizing itself.

    A thread of gloo that returns from a collective during finalization needs the interpreter for a callback
    and aborts the process: a failure at the end of a training that went well.
    """
    try:
        threading._shutdown()  # type: ignore[attr-defined]  # waits for the script's own threads and pools
        atexit._run_exitfuncs()
    except BaseException:
        traceback.print_exc()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    leave(main())
