"""`teachrun doctor`: terminal and machine looked at before a class, with what mends each thing.

Nothing hangs: a terminal that does not answer, a torch that does not import and a tmux that is stuck each
cost their time limit. Exit status 1 where something must be mended.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from slides.palette import THEMES
from tui.command_line.arguments import add_theme
from tui.command_line.exit_codes import DONE, FAILED
from tui.rendering.escape_filter import dumps

if TYPE_CHECKING:
    from tui.health.finding import Finding

_SIGNS = {"good": ("✓", "32"), "warning": ("!", "33"), "bad": ("✗", "31")}
_INDENT = 16
_NARROWEST = 30  # a column of words


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--card", action="store_true", help="a test card for the projector instead")
    parser.add_argument(
        "--phones", action="store_true", help="find out whether phones reach this machine, with one of yours"
    )
    parser.add_argument(
        "--hosts", metavar="A,B,…", default="", help="machines that are to train together, reached by ssh"
    )
    parser.add_argument("--phones-at", metavar="ADDRESS[:PORT]", default="", help="as for `present`")
    parser.add_argument(
        "--phones-host", metavar="NAME", action="append", default=[], help="as for `present`; tried once"
    )
    parser.add_argument(
        "--wait",
        metavar="SECONDS",
        type=float,
        default=60.0,
        help="how long to wait for a phone (default: 60; 0: not at all)",
    )
    add_theme(parser)


def main(args: argparse.Namespace) -> int:
    if args.card:
        return _card(args.theme)
    found: list[Finding] = []
    for finding in _looked_at(args):
        found.append(finding)
        if not args.json:
            say_finding(finding, first=len(found) == 1 or found[-2].area != finding.area)
    bad = sum(finding.state == "bad" for finding in found)
    if args.json:
        print(dumps({"well": not bad, "checks": [finding._asdict() for finding in found]}))
    else:
        print(f"\n{_summary(found)}")
    return FAILED if bad else DONE


def _looked_at(args: argparse.Namespace) -> Iterator[Finding]:
    if args.hosts:
        from tui.health import cluster_nodes

        return cluster_nodes.findings(args.hosts)
    return _reached(args) if args.phones or args.phones_at or args.phones_host else examine()


def _reached(args: argparse.Namespace) -> Iterator[Finding]:
    """Whether a phone comes, shown how."""
    from tui.health import phone_reach
    from tui.panes import qr_code

    def say(url: str) -> None:
        # The page asks for a code; behind `#` stands one, so that it speaks at once.
        code = qr_code.cells_of(f"{url}/#TEST", 60, 40) if sys.stdout.isatty() else []
        for (span,) in code:
            ink, off = ("", "") if os.environ.get("NO_COLOR") else ("\x1b[30;107m", "\x1b[0m")
            print(f"  {ink}{span.text}{off}")
        print(f"open {url}/#TEST on a phone; waiting {args.wait:.0f} s …", file=sys.stderr, flush=True)

    yield from phone_reach.findings(args.phones_at, args.phones_host, args.wait, say)


def _card(theme: str) -> int:
    """On the whole terminal, or as text where there is none."""
    from tui.command_line.refusals import no_terminal
    from tui.start.terminal_screen import prepare

    if no_terminal():
        from tui.views.test_card import text

        print(text(THEMES["dark"], "dark", 80, 24))
        return DONE
    prepare(theme)
    from tui.screens.test_card import TestCard

    TestCard(theme).run(mouse=False)
    return DONE


def examine() -> Iterator[Finding]:
    """Everything, the quick things first; torch is imported by a child meanwhile."""
    from tui.health import leftovers, machine, programs, terminal
    from tui.health.terminal_queries import terminal as asked

    torch = machine.Torch()
    try:
        with asked() as answering:
            in_terminal = list(terminal.findings(answering))
        yield from in_terminal
        yield from machine.python()
        counted = machine.counted_gpus()
        yield from torch.findings(counted)
        yield machine.gpu(counted)
        for look in (machine.cores, machine.memory, machine.loopback, machine.sockets):
            yield look()
        yield from leftovers.found()
        yield from machine.disk()
        yield machine.audio()
        yield from programs.findings()
    finally:
        torch.end()


def say_finding(finding: Finding, *, first: bool) -> None:
    """Print a finding in lines of the terminal's width; `first` of its area."""
    from slides.drawing.cells import clean

    sign, colour = _SIGNS[finding.state]
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        sign = f"\x1b[{colour};1m{sign}\x1b[0m"
    if first:
        print(f"\n{finding.area}")
    name = finding.name
    if len(name) > _INDENT:  # two machines: on a line of its own, so that the words stay below each other
        print(f"  {sign} {name}")
        sign, name = " ", ""
    for row in (*_rows(clean(finding.said)), *_rows(clean(finding.mend))):
        print(f"  {sign} {name:<{_INDENT}} {row}")
        sign, name = " ", ""
    sys.stdout.flush()


def _rows(words: str) -> list[str]:
    """`words` below each other beside the names, as wide as the terminal; a line where there is none."""
    if not sys.stdout.isatty():
        return [words] if words else []
    import shutil
    import textwrap

    room = max(shutil.get_terminal_size().columns - _INDENT - 5, _NARROWEST)
    return textwrap.wrap(words, room, break_long_words=False, break_on_hyphens=False)


def _summary(found: list[Finding]) -> str:
    count = {state: sum(finding.state == state for finding in found) for state in _SIGNS}
    words = [f"{count['good']} good"]
    words += [f"{count['warning']} could be better"] if count["warning"] else []
    words += [f"{count['bad']} must be fixed"] if count["bad"] else []
    return ", ".join(words)
