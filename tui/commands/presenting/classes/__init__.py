"""`teachrun class …`: what became of a class, told from its journal."""

from __future__ import annotations

import argparse
import importlib
from typing import Any

PARTS = {
    "report": ("report", "planned and spent minutes, waits for demos, questions, pauses"),
    "results": (
        "results",
        "how the class answered: by question, by person, first and second vote; --csv, --json, --html",
    ),
    "forget": ("forget", "remove who was in it (names and seats); the answers are kept"),
}
"""Subcommand: its module in `tui.commands`, with `configure` and `main` like any other, and a line."""


def configure(parser: argparse.ArgumentParser) -> None:
    parts = parser.add_subparsers(dest="part", metavar="COMMAND", required=True)
    for name, (module, line) in PARTS.items():
        part = parts.add_parser(name, help=line, description=line[0].upper() + line[1:] + ".")
        _of(module).configure(part)


def main(args: argparse.Namespace) -> int:
    return int(_of(PARTS[args.part][0]).main(args))


def _of(module: str) -> Any:
    return importlib.import_module(f"tui.commands.presenting.classes.{module}")


def add_class(parser: argparse.ArgumentParser) -> None:
    """The argument that names a class."""
    parser.add_argument(
        "class_id",
        nargs="?",
        default="last",
        metavar="ID",
        help="a class, last (default), or rehearsal: the last one",
    )
