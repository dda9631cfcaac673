"""Arguments that several commands have."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

import teachrun
from slides.palette import names
from tui.deck.built_in import deck_file

if TYPE_CHECKING:
    from runtime.protocol.messages import OpenPhones
    from slides.screen_size import Size

MOST_TEAMS, MOST_TEAM = 8, 16


def terminal_size(text: str) -> Size:
    """The size of a terminal, `100x30`: a type of arguments."""
    from slides.screen_size import SMALLEST, read_size

    found = read_size(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size. Write 100x30, at least {SMALLEST}")
    return found


def add_output(parser: argparse.ArgumentParser, help: str) -> None:
    """`-o FILE` of commands that write to stdout by themselves; `-o -` asks for just that, in None."""
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=lambda file: None if file == "-" else file, help=help
    )


def add_presenting(parser: argparse.ArgumentParser) -> None:
    """Those of `present`, which `tour` gives itself."""
    what = "a Markdown file, or the name of a lesson (default: 05-ddp)"
    parser.add_argument("deck", type=deck_file, nargs="?", metavar="DECK", help=what)
    parser.add_argument(
        "--class", dest="class_id", metavar="ID", help="name of the class (default: a new one)"
    )
    parser.add_argument(
        "--console", action="store_true", help="start with the notes and the next slide beside this one"
    )
    parser.add_argument(
        "--rehearse",
        action="store_true",
        help="practise without a class: at the end, the minutes spent on each slide",
    )
    add_lang(parser)
    parser.add_argument(
        "--minutes",
        type=float,
        metavar="N",
        help="leave out as many optional slides as needed to finish in N minutes",
    )
    add_name(parser)
    add_format(parser)
    parser.add_argument(
        "--trust", action="store_true", help="let the scripts that this deck names run on this machine"
    )
    add_theme(parser)
    add_mouse(parser)
    add_plain(parser)
    add_hosts(parser)
    add_phones(parser)


def add_hosts(parser: argparse.ArgumentParser) -> None:
    """The machines of a class."""
    parser.add_argument(
        "--hosts",
        metavar="A,B",
        default="",
        help="run demos with that many nodes on these machines, by ssh (first: `teachrun doctor --hosts`)",
    )


def add_phones(parser: argparse.ArgumentParser) -> None:
    """Those of a class that is answered by phone."""
    group = parser.add_argument_group(
        "phones",
        "Anyone with a browser can answer: a code on the screen takes them there. Off unless asked for.",
    )
    group.add_argument("--phones", action="store_true", help="let phones in, and show first how to join")
    group.add_argument(
        "--phones-at",
        metavar="ADDRESS[:PORT]",
        help="the one network address to listen on (default: the one that leads out; 127.0.0.1 for a tunnel)",
    )
    group.add_argument(
        "--phones-host",
        metavar="NAME",
        action="append",
        default=[],
        help="behind a tunnel or reverse proxy, the name that phones use: NAME, NAME:PORT or "
        "https://NAME; may be repeated",
    )
    group.add_argument("--phones-names", action="store_true", help="phones ask for a name")
    group.add_argument(
        "--phones-teams",
        metavar="A,B,…",
        default="",
        help="phones choose a team; its points are shown on request",
    )
    group.add_argument("--phones-reactions", action="store_true", help="phones may clap; you see how many")
    group.add_argument("--phones-cert", metavar="FILE", default="", help="certificate chain for https")
    group.add_argument("--phones-key", metavar="FILE", default="", help="key of that certificate")


def hosts(args: argparse.Namespace) -> tuple[str, ...]:
    """The machines that demos may run on. Raises `ValueError` where they cannot be meant."""
    if not getattr(args, "hosts", ""):
        return ()
    from runtime.catalog.params import Refusal
    from runtime.cluster.ssh_commands import read

    found = read(args.hosts)
    if isinstance(found, Refusal):
        raise ValueError(f"{found.why}: {found.mend}")
    return found


def phones(args: argparse.Namespace) -> OpenPhones | None:
    """What of phones was asked for, None where they are off. Raises `ValueError` where it cannot be meant."""
    asked = args.phones, args.phones_at, args.phones_host, args.phones_cert, args.phones_teams
    if not any(asked):
        return None
    from runtime.phones import interfaces
    from runtime.protocol.messages import OpenPhones

    bind, port = interfaces.read(args.phones_at or "")
    for file in filter(None, (args.phones_cert, args.phones_key)):
        if not os.access(file, os.R_OK):
            raise ValueError(f"{file} cannot be read; --phones-cert and --phones-key name files in PEM")
    cert, key = (str(Path(file).absolute()) if file else "" for file in (args.phones_cert, args.phones_key))
    return OpenPhones(
        bind,
        port,
        tuple(args.phones_host),
        args.phones_names,
        cert,
        key,
        card=True,
        teams=_teams(args.phones_teams),
        reactions=args.phones_reactions,
    )


def _teams(said: str) -> tuple[str, ...]:
    """The names in a list with commas. Raises `ValueError` where they are no teams."""
    names = list(filter(None, (" ".join(name.split()) for name in said.split(","))))
    if said and not 2 <= len(names) <= MOST_TEAMS:
        raise ValueError(f"--phones-teams takes 2 to {MOST_TEAMS} names with commas between, not {said!r}")
    for name in names:
        if len(name) > MOST_TEAM or not name.isprintable() or names.count(name) > 1:
            raise ValueError(
                f"{name!r} is not a team: each has a name of its own, of at most {MOST_TEAM} letters"
            )
    return tuple(names)


def add_lang(parser: argparse.ArgumentParser) -> None:
    """Add `--lang`, in which words the deck is shown."""
    parser.add_argument(
        "--lang",
        metavar="TAG",
        default="",
        help="a translation in the same folder: hi-Latn (or hinglish), …",
    )


def add_name(
    parser: argparse.ArgumentParser, what: str = "the name by which other consoles know this screen"
) -> None:
    """Add `--name`; `what` is its help text."""
    parser.add_argument("--name", default="", metavar="NAME", help=what)


def add_plain(parser: argparse.ArgumentParser) -> None:
    """Add `--plain`."""
    parser.add_argument(
        "--plain",
        action="store_true",
        help="plain lines in and out: for screen readers, simple terminals and pipes",
    )


def add_following(parser: argparse.ArgumentParser) -> None:
    """Those of who joins a class: which one, and who answers."""
    parser.add_argument("--class", dest="class_id", metavar="ID", help="the class (default: the newest)")
    add_name(parser, "answer questions here, under this name")
    parser.add_argument("--answer", action="store_true", help="answer questions here, without a name")
    parser.add_argument(
        "--me",
        action="store_true",
        help="you already answer under this name, on another terminal",
    )
    add_theme(parser)
    add_mouse(parser)
    add_plain(parser)


class _Themes(tuple[str, ...]):
    """Those that are known, and, where none of them is meant, what another package brings."""

    __slots__ = ()

    def __contains__(self, name: object) -> bool:
        if super().__contains__(name) or name not in teachrun.brought("themes"):
            return super().__contains__(name)
        from tui.config import user_theme

        user_theme.bring(str(name))
        return name in names()


def add_mouse(parser: argparse.ArgumentParser) -> None:
    """Add `--no-mouse`."""
    parser.add_argument(
        "--no-mouse", action="store_true", help="leave the mouse to the terminal: select text without Shift"
    )


def add_theme(parser: argparse.ArgumentParser) -> None:
    """Add `--theme`, with the user's own themes among the choices."""
    from tui.config import settings

    settings.find_themes()
    parser.add_argument(
        "--theme",
        default="mono" if os.environ.get("NO_COLOR") else "",
        choices=_Themes(known := names()),
        metavar="THEME",
        help=f"colours: {', '.join(known)} (default: the deck's, else dark; mono where NO_COLOR is set; "
        "system asks the terminal)",
    )


class _Formats(tuple[str, ...]):
    """Ours, and, where none of them is meant, what other packages bring."""

    __slots__ = ()

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in teachrun.brought("dialects")


def add_format(parser: argparse.ArgumentParser) -> None:
    """Add `--format`, the dialect in which the deck is written."""
    from slides.dialects import NAMES

    parser.add_argument(
        "--format",
        choices=_Formats(NAMES),
        metavar="PROGRAM",
        default="",
        help=f"the program it was written for (default: recognised by its syntax): {', '.join(NAMES)}",
    )
