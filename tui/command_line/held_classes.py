"""Classes that were held, as commands are told which."""

from __future__ import annotations

import sys


def find(name: str) -> str:
    """The class by that name; "" when there is none, which is then said on stderr."""
    from runtime import paths

    if name in ("last", "rehearsal"):
        found = next(iter(paths.known_classes(rehearsals=name != "last")), "")
        why = f"there is no {'class' if name == 'last' else name} yet. Begin one with `teachrun present`"
    else:
        found = name if paths.valid_class_id(name) and paths.journal_file(name).exists() else ""
        why = f"no class {name!r} is recorded here. Known: {', '.join(paths.known_classes()[:5]) or 'none'}"
    if not found:
        print(f"teachrun: {why}", file=sys.stderr)
    return found
