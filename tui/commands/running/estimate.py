"""`teachrun estimate model=llama3-8b gpu=h100 dp=8`: will it fit, what does it cost, what to change first.

Nothing is started: every figure is computed, and `--explain` says by which formula of which paper. Exit
status 1 where it does not fit.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from tui.command_line.arguments import add_theme
from tui.command_line.exit_codes import DONE, FAILED
from tui.command_line.refusals import complain
from tui.rendering.escape_filter import dumps

if TYPE_CHECKING:
    from runtime.catalog.params import Refusal
    from runtime.supervision.memory_formula_check import MemoryCheck


def configure(parser: argparse.ArgumentParser) -> None:
    parser.usage = "teachrun estimate KEY=VALUE ... [--explain] [--json | --markdown | --screen]"
    parser.add_argument(
        "words",
        nargs="*",
        metavar="KEY=VALUE",
        help="what is trained and on what; `--keys` lists all of them",
    )
    parser.add_argument(
        "--explain", action="store_true", help="the formula, the numbers and the source of each figure"
    )
    parser.add_argument(
        "--strategies",
        action="store_true",
        help="the same for each way to split the training: a strategy table",
    )
    parser.add_argument(
        "--scale", action="store_true", help="up to 16 384 devices: where each strategy stops, and why"
    )
    parser.add_argument("--keys", action="store_true", help="every key, model and GPU, with its source")
    parser.add_argument(
        "--measure", action="store_true", help="run the demo that splits the same way, beside its formula"
    )
    parser.add_argument(
        "--duel", action="store_true", help="two layouts of one training: gpus=64 a.tp=8 b.pp=2, and the best"
    )
    add_theme(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--screen", action="store_true", help="sliders on the whole terminal, and bars that follow them"
    )
    form.add_argument("--json", action="store_true", help="one JSON object: bytes and seconds")
    form.add_argument("--markdown", action="store_true", help="a Markdown table, for a slide")


def main(args: argparse.Namespace) -> int:
    from runtime.estimate.planner import NothingFits
    from runtime.estimate.request import Refused
    from slides.problems import one_line
    from tui.reports.estimate_text import markdown, terminal

    if args.keys or not args.words:
        print("\n".join(_keys()))
        return DONE
    if args.screen and args.duel:
        return complain("a duel has no screen of its own: leave --screen out, or write `::: duel` in a deck")
    if args.screen:
        return _screen(args.words, args.theme)
    try:
        found = _duel(args) if args.duel else _found(args)
    except NothingFits as refused:
        return complain(one_line(f"{refused.why}: {refused.mend}"), FAILED)
    except Refused as refused:
        return complain(one_line(f"{refused.why}: {refused.mend}"))
    measured: list[str] = []
    if args.measure and found["kind"] == "estimate":
        from runtime.catalog.params import Refusal
        from tui.reports.runs import memory_measured

        checked = _measured(args.words)
        if isinstance(checked, Refusal):
            return complain(one_line(f"{checked.why}: {checked.mend}"), FAILED)
        found["measured"], measured = memory_measured.as_object(checked), memory_measured.lines(checked)
    if args.json:
        print(dumps(found))
    else:
        print("\n".join([*(markdown(found) if args.markdown else terminal(found)), *measured]))
    return FAILED if found["fits"] is False else DONE


def _measured(words: list[str]) -> MemoryCheck | Refusal:
    import asyncio

    from runtime.estimate.request import read, request
    from tui.reports.runs.memory_measured import measure

    return asyncio.run(measure(request(read(words)).layout))


def _screen(words: list[str], theme: str) -> int:
    from runtime.estimate.request import Refused, read, request
    from slides.problems import one_line
    from tui.command_line.refusals import no_terminal
    from tui.start.terminal_screen import prepare

    try:
        asked = request(read(words))
    except Refused as refused:
        return complain(one_line(f"{refused.why}: {refused.mend}"))
    if problem := no_terminal():
        return complain(problem)
    prepare(theme)
    from tui.screens.estimate import EstimateScreen

    EstimateScreen(asked, theme).run(mouse=False)
    return DONE


def _duel(args: argparse.Namespace) -> dict[str, Any]:
    """The object of a duel, with the best layout known beside both. Raises `Refused`."""
    from runtime.estimate import duel

    words = [word for word in args.words if word.partition("=")[0] != duel.BEST]
    return duel.as_object(duel.duel(duel.terms([*words, f"{duel.BEST}=1"])))


def _found(args: argparse.Namespace) -> dict[str, Any]:
    """The object of `--json`. Raises `Refused`."""
    from runtime.estimate import report
    from runtime.estimate.advice import binding
    from runtime.estimate.estimate import estimate
    from runtime.estimate.planner import plan
    from runtime.estimate.request import read, request
    from runtime.estimate.strategy_table import only_of_a_table

    values = read(args.words)
    if not args.strategies:
        only_of_a_table(values)
    if "collective" in values:
        return report.collective(values)
    asked = request(values)
    planned = plan(asked, values["gpus"]) if "gpus" in values else None
    best = planned.best[0] if planned else estimate(asked)
    found = report.as_object(best, explained=args.explain)
    if planned:
        rows = [
            {
                "layout": report.layout_of(e), "step_s": e.step_s, "mfu": e.mfu, "hfu": e.hfu,
                "memory": e.memory.total, "binding": binding(e),
            }
            for e in planned.best
        ]  # fmt: skip
        found["plan"] = {"tried": planned.tried, "fitting": planned.fitting, "layouts": rows}
    if args.strategies:
        found["strategies"] = report.strategy_rows(best)
    if args.scale:
        found["scaling"] = report.scaling_rows(best)
    return found


def _keys() -> list[str]:
    from runtime.estimate.inputs.gpus import GPUS
    from runtime.estimate.inputs.presets import MODELS
    from runtime.estimate.keys import KEYS
    from tui.command_line.line_folding import folded

    lines = ["Keys: teachrun estimate KEY=VALUE …", ""]
    lines += [folded(f"  {key.name:<16}{key.help} ({key.expects})", 18) for key in KEYS.values()]
    lines += ["", "Models:", ""]
    lines += [folded(f"  {name:<16}{model.name} ({model.source})", 18) for name, model in MODELS.items()]
    lines += ["", "GPUs:", ""]
    return lines + [folded(f"  {name:<16}{gpu.title} ({gpu.source})", 18) for name, gpu in GPUS.items()]
