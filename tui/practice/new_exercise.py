"""Makes the folder of a new exercise: one that works, to be changed into one's own."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from slides.problems import one_line
from tui.command_line.exit_codes import DONE
from tui.command_line.refusals import complain

TEMPLATE = "send-receive"  # the smallest of ours


def make(name: str) -> int:
    """Make the folder `name` here; returns the exit status."""
    from runtime.practice import wrong_solutions
    from runtime.practice.exercise import EXERCISES_DIR, read

    folder = Path(name)
    shown = one_line(name)
    if not re.fullmatch(r"[a-z0-9-]{1,40}", folder.name):
        return complain(f"{shown} cannot name an exercise. Use small letters, digits and -")
    if folder.exists():
        return complain(f"{shown} exists already and is left as it is. Choose another name")
    if not folder.parent.is_dir():
        return complain(f"there is no folder {one_line(str(folder.parent))}. Make it first")
    shutil.copytree(EXERCISES_DIR / TEMPLATE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    wrong = wrong_solutions.of(read(folder))
    print(f"{shown}: an exercise that works, with {len(wrong)} wrong solutions; change it into yours")
    print(f"try it:   teachrun practice ./{shown}")
    print(f"check it: teachrun check ./{shown}")
    return DONE
