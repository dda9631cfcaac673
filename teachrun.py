"""The command, before anything with a plain name is imported: a PYTHONPATH may have a `tui` of its own."""

import sys
from importlib.machinery import PathFinder
from pathlib import Path


def main() -> int:
    found = PathFinder.find_spec("tui")  # None where only an editable install knows it
    origin = found.origin if found is not None else None
    if origin is not None and Path(origin).resolve().parent.parent != Path(__file__).resolve().parent:
        print(
            f"teachrun: {str(Path(origin).parent)!r} hides a package of teachrun. Start it outside of that "
            "folder and without PYTHONPATH: env -u PYTHONPATH teachrun …",
            file=sys.stderr,
        )
        return 2
    from tui.cli import main as command

    return command()


if __name__ == "__main__":
    sys.exit(main())
