"""What one does again and again with this repository: `python -m tests` lists it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHON = sys.executable
PYTEST = (PYTHON, "-m", "pytest")

# Name -> what it is for, and the commands, one after the other until one fails.
HABITS: dict[str, tuple[str, tuple[tuple[str, ...], ...]]] = {
    "lint": (
        "ruff, its format, and the contracts of imports",
        (
            (PYTHON, "-m", "ruff", "check", "."),
            (PYTHON, "-m", "ruff", "format", "--check", "."),
            (
                PYTHON,
                "-c",
                "import sys; from importlinter.cli import lint_imports_command as c; sys.exit(c())",
            ),
        ),
    ),
    "types": ("mypy, strict", ((PYTHON, "-m", "mypy"),)),
    "fast": (
        "tests without real processes",
        (
            (
                *PYTEST,
                "-q",
                "-m",
                "not soak and not gpu and not bench and not slow",
                "tests/unit",
                "tests/screens",
            ),
        ),
    ),
    "all": ("what CI runs", ((*PYTEST, "-q"),)),
    "soak": ("long chaos and endurance, by hand", ((*PYTEST, "-m", "soak"),)),
    "bench": ("start, keys and memory beside another program", ((PYTHON, "tests/bench/screen.py"),)),
    "golden": (
        "writes the golden text of decks, question files, scenes and shown code anew: look at the diff",
        (
            *((PYTHON, f"tests/contracts/test_{name}.py") for name in ("deck", "dialects", "question_files")),
            (PYTHON, "-m", "tests.unit.slides.scenes.test_golden_scenes"),
            (PYTHON, "-m", "tests.unit.slides.courses.test_shown_code"),
        ),
    ),
}


def main(arguments: list[str]) -> int:
    """Run the habits named, in turn, with what is left handed to the last command; 0: all went well."""
    names = [one for one in arguments if one in HABITS]
    rest = arguments[len(names) :]
    if not names or arguments[: len(names)] != names:
        print("python -m tests NAME… [what the last command is given]\n")
        print("\n".join(f"  {name:8}{what}" for name, (what, _) in HABITS.items()))
        return 2
    commands = [command for name in names for command in HABITS[name][1]]
    for at, command in enumerate(commands):
        given = (*command, *(rest if at == len(commands) - 1 else ()))
        print("+", *given, flush=True)
        if code := subprocess.run(given, cwd=ROOT).returncode:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
