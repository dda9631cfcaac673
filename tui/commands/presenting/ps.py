"""`teachrun ps`: every process of ours, told by the hosts that run and found by their mark."""

from __future__ import annotations

import argparse
import asyncio
from typing import Any

from slides.drawing.cells import clean
from tui.command_line.exit_codes import DONE
from tui.health.running_processes import everything
from tui.rendering.escape_filter import dumps


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON object")


def main(args: argparse.Namespace) -> int:
    found = asyncio.run(everything())
    if args.json:
        print(dumps({"processes": found}))
        return DONE
    if not found:
        print("teachrun is running nothing")
        return DONE
    head = ("CLASS", "PID", "WHAT", "RANK", "RUN", "AGE")
    rows = [head, *(_row(process) for process in found)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    return DONE


def _row(process: dict[str, Any]) -> tuple[str, ...]:
    age = f"{process['age_s']:.0f} s" if process["age_s"] is not None else "-"
    rank = "-" if process["rank"] is None else str(process["rank"])
    row = (process["class"], str(process["pid"]), process["what"], rank, process["run"] or "-", age)
    return tuple(map(clean, row))  # an environment is untrusted: any process may set it
