"""`teachrun list`: the demos with their parameters, the scenes, the lessons, and the exercises."""

from __future__ import annotations

import argparse
import math
import sys
from typing import TYPE_CHECKING, Any

from tui.command_line.exit_codes import DONE
from tui.command_line.line_folding import folded
from tui.command_line.refusals import complain
from tui.rendering.escape_filter import dumps

if TYPE_CHECKING:
    from runtime.catalog.params import DemoSpec, Refusal
    from slides.scenes.scene import Param, Scene


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "names",
        nargs="*",
        metavar="DEMO",
        help="all about these demos; or `scenes`, `lessons`, `exercises`; `keys`: the actions of keymap.toml",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")


def main(args: argparse.Namespace) -> int:
    from runtime.catalog.registry import check, find

    if args.names == ["keys"]:
        return _keys(args.json)
    if args.names == ["scenes"]:
        return _scenes(args.json)
    if args.names == ["lessons"]:
        return _lessons(args.json)
    if args.names == ["exercises"]:
        return _exercises(args.json)
    for name in args.names:
        if find(name) is None:
            refusal = check(name, {})
            return complain(f"{getattr(refusal, 'why', '')}: {getattr(refusal, 'mend', '')}")
    if args.json:
        print(dumps(_object(args.names)))
    elif args.names:
        print("\n\n".join("\n".join(_all_of(spec)) for spec in map(find, args.names) if spec))
    else:
        _overview()
    return DONE


def _keys(as_json: bool) -> int:
    """Every action with its keys, the user's keymap applied."""
    from tui.config import settings
    from tui.keys import table

    mine = settings.given()
    for problem in mine.problems:
        print(f"teachrun: {problem}", file=sys.stderr)
    keys = mine.keys or {action.name: action.keys for action in table.ACTIONS}
    if as_json:
        print(dumps({"keys": {name: list(found) for name, found in keys.items()}}))
        return DONE
    width = max(len(name) for name in keys)
    group = ""
    for action in table.ACTIONS:
        if action.group != group:
            group = action.group
            print(f"{group}:")
        shown = ", ".join(table.label(key) for key in keys[action.name])
        print(f"  {action.name:<{width}}  {shown or '–':<22}  {action.text}")
    return DONE


def _scenes(as_json: bool) -> int:
    """Every scene with its parameters."""
    scenes = _all_scenes()
    if as_json:
        print(dumps({"scenes": [_scene_object(scene) for scene in scenes]}))
        return DONE
    print("Scenes: teachrun scene NAME KEY=VALUE…, and in a deck")
    print("        ::: scene NAME KEY=VALUE…")
    for scene in scenes:
        print("\n" + folded(f"  {scene.name}  {scene.title}", 4))
        width = max((len(param.name) for param in scene.params), default=0)
        for param in scene.params:
            print(folded(f"    {param.name:<{width}}  {param.about} ({_range(param)})", width + 6))
    return DONE


def _all_scenes() -> list[Scene]:
    from slides.scenes import registry

    return [found for name in registry.names() if (found := registry.scene(name)) is not None]


def _lessons(as_json: bool) -> int:
    """Every lesson of the courses that come with teachrun."""
    from slides.drawing.cells import clean
    from tui.study import course

    found = course.find(()).lessons
    if as_json:
        print(dumps({"lessons": [course.as_object(lesson) for lesson in found]}))
        return DONE
    width = max(len(lesson.name) for lesson in found)
    for lesson in found:
        print(f"{lesson.name:<{width}}  {lesson.lasts:3} min  {clean(lesson.title)}")
    return DONE


def _exercises(as_json: bool) -> int:
    """Every exercise and puzzle that comes with teachrun."""
    from runtime.practice.exercise import listed
    from runtime.puzzles.registry import listed as puzzles_listed
    from tui.reports import puzzle_report
    from tui.reports.practice_report import listing

    found, puzzles = listed(), puzzles_listed()
    if as_json:
        both = {
            "exercises": [listing(exercise) for exercise in found.values()],
            "puzzles": [puzzle_report.listing(puzzle) for puzzle in puzzles.values()],
        }
        print(dumps(both))
        return DONE
    width = max(map(len, (*found, *puzzles)))
    for exercise in found.values():
        checks = f"{len(exercise.checks)} checks"
        print(f"{exercise.name:<{width}}  {exercise.minutes:3} min  {checks:<8}  {exercise.title}")
    print("\nPuzzles, without code: teachrun practice NAME\n")
    for puzzle in puzzles.values():
        print(f"{puzzle.name:<{width}}  {puzzle.minutes:3} min  {puzzle.kind:<8}  {puzzle.title}")
    return DONE


def _range(param: Param) -> str:
    if param.choices:
        return f"{', '.join(param.choices)}; default {param.default}"
    bounded = math.isfinite(param.low) and math.isfinite(param.high)
    return (f"{param.low:g} to {param.high:g}; " if bounded else "") + f"default {param.default}"


def _scene_object(scene: Scene) -> dict[str, Any]:
    """`steps` are those with the parameters' own values; a bound that there is not is None."""
    return {
        "name": scene.name,
        "title": scene.title,
        "steps": scene.steps({param.name: param.default for param in scene.params}),
        "params": [
            {
                "name": param.name,
                "kind": type(param.default).__name__,
                "default": param.default,
                "about": param.about,
                "low": param.low if math.isfinite(param.low) else None,
                "high": param.high if math.isfinite(param.high) else None,
                "choices": list(param.choices),
            }
            for param in scene.params
        ],
    }


def _overview() -> None:
    from runtime.catalog.params import DemoSpec, printable
    from runtime.catalog.registry import listed
    from slides.drawing.cells import clean
    from slides.scenes import registry
    from tui.deck.built_in import lessons

    demos = listed()
    print("Demos: teachrun run NAME KEY=VALUE…, and in a deck ::: demo NAME KEY=VALUE…")
    print("       teachrun list NAME says everything about one\n")
    width = max(len(name) for name in demos)
    for name, spec in demos.items():
        if not isinstance(spec, DemoSpec):
            print(folded(f"  {printable(name):<{width}}  cannot be used: {spec.why}", width + 4))
            continue
        needs = f" ({spec.missing.mend})" if spec.missing else ""
        print(folded(f"  {spec.name:<{width}}  {clean(spec.title)}{needs}", width + 4))
    print("\nScenes: teachrun scene NAME KEY=VALUE…")
    print("        teachrun list scenes says everything about them\n")
    for name in registry.names():
        print(f"  {name}")
    print("\nLessons: teachrun present FILE, the file is printed by teachrun path NAME\n")
    for name in lessons():
        print(f"  {name}")


def _all_of(spec: DemoSpec) -> list[str]:
    from runtime.launch import device_choice

    lines = [folded(f"{spec.name}  {spec.title}"), f"  script: {spec.file}"]
    said = (("watch", spec.watch), ("used when", spec.when), ("GPU", device_choice.in_words(spec)))
    lines += [folded(f"  {word}: {text}", 4) for word, text in said if text]
    if spec.missing is not None:
        lines.append(f"  cannot run here: {spec.missing.why}: {spec.missing.mend}")
    width = max(len(p.name) for p in spec.params)
    for p in spec.params:
        default = "none" if p.default is None else f"{p.default}"
        lines.append(folded(f"    {p.name:<{width}}  {p.help} ({p.expects}; default {default})", width + 6))
    return lines


def _object(names: list[str]) -> dict[str, Any]:
    from runtime.catalog.params import DemoSpec
    from runtime.catalog.registry import find, listed
    from runtime.launch import device_choice
    from tui.deck.built_in import lessons

    demos: list[DemoSpec | Refusal | None] = [find(name) for name in names] if names else [*listed().values()]
    return {
        "demos": [
            {
                "name": spec.name,
                "title": spec.title,
                "path": str(spec.file),
                "watch": spec.watch,
                "when": spec.when,
                "gpu": device_choice.in_words(spec),
                "missing": spec.missing.mend if spec.missing else None,
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
            for spec in demos
            if isinstance(spec, DemoSpec)
        ],
        "scenes": [_scene_object(scene) for scene in _all_scenes()],
        "lessons": [{"name": name, "path": str(path)} for name, path in lessons().items()],
    }
