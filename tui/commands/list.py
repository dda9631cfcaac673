"""`teachrun list`: the demos with their parameters, and the lessons."""

from __future__ import annotations

import argparse
import json
from typing import Any


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON object")


def main(args: argparse.Namespace) -> int:
    from runtime.catalog import DEMOS
    from tui.commands.path import lessons

    if args.json:
        print(json.dumps(_object()))
        return 0
    print("Demos: teachrun run NAME KEY=VALUE…, and in a deck ::: demo NAME KEY=VALUE…")
    for spec in DEMOS.values():
        print(f"\n  {spec.name}  {spec.title}")
        if spec.watch:
            print(f"    watch: {spec.watch}")
        if spec.when:
            print(f"    used when: {spec.when}")
        width = max(len(p.name) for p in spec.params)
        for p in spec.params:
            default = "none" if p.default is None else f"{p.default}"
            print(f"    {p.name:<{width}}  {p.help} ({p.expects}; default {default})")
    print("\nLessons: teachrun present FILE, the file is printed by teachrun path NAME\n")
    for name in lessons():
        print(f"  {name}")
    return 0


def _object() -> dict[str, Any]:
    from runtime.catalog import DEMOS
    from tui.commands.path import lessons

    return {
        "demos": [
            {
                "name": spec.name,
                "title": spec.title,
                "path": str(spec.file),
                "watch": spec.watch,
                "when": spec.when,
                "view": spec.view,
                "params": [
                    {
                        "name": p.name,
                        "kind": p.kind,
                        "default": p.default,
                        "help": p.help,
                        "expects": p.expects,
                    }
                    for p in spec.params
                ],
            }
            for spec in DEMOS.values()
        ],
        "lessons": [{"name": name, "path": str(path)} for name, path in lessons().items()],
    }
