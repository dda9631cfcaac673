"""`teachrun scene NAME [KEY=VALUE…]`: one scene alone, on a screen as a deck of one slide, else in words."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from slides.problems import Mistake, did_you_mean, one_line
from tui.command_line import arguments
from tui.command_line.exit_codes import DONE
from tui.command_line.refusals import complain

if TYPE_CHECKING:
    from slides.scenes.scene_request import Asked


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="a scene from `teachrun list scenes`, or a Python file")
    parser.add_argument("params", nargs="*", metavar="KEY=VALUE", help="its parameters")
    parser.add_argument("--plain", action="store_true", help="its captions, step by step")
    arguments.add_theme(parser)


def main(args: argparse.Namespace) -> int:
    """Exit status 2 where there is no such scene, or none with these parameters; 1 where its file fails."""
    from slides.scenes import scene_request

    params: dict[str, str] = {}
    for word in args.params:
        name, equals, value = word.partition("=")
        if not equals or not name:
            return complain(f"{one_line(word)!r} is not a parameter: write KEY=VALUE")
        params[name] = value
    if args.name.endswith(".py"):
        return _of_file(Path(args.name), params, args)
    try:
        scene = scene_request.asked(args.name, params)
    except Mistake as why:
        from slides.scenes import registry

        near = did_you_mean(args.name, registry.names()) if registry.scene(args.name) is None else ""
        mend = f"did you mean {near}?" if near else "`teachrun list scenes` names them"
        return complain(f"{why.message}: {mend}")
    if args.plain or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return _told(scene)
    return _shown(scene.scene.name, source(scene, params), args.theme)


def _of_file(file: Path, params: dict[str, str], args: argparse.Namespace) -> int:
    """A file that is named here is run: whoever names it agrees to it."""
    from dataclasses import replace

    from slides.scenes import scene_request
    from slides.scenes.python_files import scene_data, scene_run
    from tui.command_line.exit_codes import FAILED

    if not file.is_file():
        return complain(f"there is no file {one_line(str(file))!r}")
    try:
        steps = scene_run.run(file.resolve(), params)
    except Mistake as why:
        print(f"teachrun: {why.message}. {why.mend}", file=sys.stderr)
        return FAILED
    title = one_line(file.stem).replace("_", " ")
    scene = scene_request.of(replace(scene_data.scene(steps), title=title))
    if args.plain or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return _told(scene)
    return _shown(file.stem, f"# {titled(scene)}\n\n::: scene\n```json\n{steps}\n```\n:::\n", args.theme)


def _told(scene: Asked) -> int:
    """Every step in words. A scene of somebody's own may fail: that step says so."""
    from slides.drawing.cells import clean
    from slides.scenes import composition
    from slides.scenes.scene_request import failure

    print(clean(titled(scene)))
    for step in range(scene.steps):
        try:
            told = composition.told(scene.state(step), step, scene.steps)
        except Exception as error:
            told = [f"cannot be drawn: {failure(error)}", f"step {step + 1} of {scene.steps}"]
        print("", told[-1], *told[:-1], sep="\n")
    return DONE


def _shown(name: str, text: str, theme: str) -> int:
    """A class like a tour, which is none that somebody would go on with."""
    from runtime import paths
    from tui.start.presenting import present

    presenting = argparse.ArgumentParser()
    arguments.add_presenting(presenting)
    with TemporaryDirectory(prefix="teachrun-scene-") as folder:
        deck = Path(folder) / f"{name}.md"
        deck.write_text(text, encoding="utf-8")
        words = [str(deck), "--class", f"{paths.TOUR}{paths.new_class_id()}"]
        return present(presenting.parse_args([*words, *(["--theme", theme] if theme else [])]))


def source(scene: Asked, params: dict[str, str]) -> str:
    """Return the deck of one slide that shows a scene."""
    quoted = (f'{name}="{one_line(value).replace(chr(34), "")}"' for name, value in params.items())
    line = " ".join((f"::: scene {scene.scene.name}", *quoted))
    return f"# {titled(scene)}\n\n{line}\n"


def titled(scene: Asked) -> str:
    """Return its title with a capital."""
    return scene.scene.title[:1].upper() + scene.scene.title[1:]
