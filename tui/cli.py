"""`teachrun`: which command was asked for. A command's module is imported only when it is chosen."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, cast

from tui.command_line.exit_codes import FAILED, INTERRUPTED, USAGE
from tui.command_line.parser import Command
from tui.command_line.refusals import complain

if TYPE_CHECKING:
    from typing import Protocol

    class CommandModule(Protocol):
        """What the module of each command has."""

        def configure(self, parser: argparse.ArgumentParser) -> None:
            """Add the arguments of the command."""

        def main(self, args: argparse.Namespace) -> int:
            """Do what was asked for, and return the exit status (`tui.command_line.exit_codes`)."""


ALL = "*"
FOLDERS = {
    "presenting": {
        "present": "show a deck and drive a class (without a deck: the built-in lesson)",
        "audience": "follow a class in another terminal: without notes and answers",
        "attach": "come back to a class, or join it as a second console",
        "tour": "learn the keys by pressing them",
        "ctl": "drive a class from a script or another program: next, goto 12, run, status",
        "replay": "step through a past class again: slides, answers, the figures of its runs",
        "class": "how a class went: planned and actual minutes, waits, questions",
        "ps": "every process that teachrun has started",
        "stop": "end a class and everything it started",
    },
    "learning": {
        "study": "a course on your own: lessons, demos, and questions that come back when due",
        "practice": "exercises to write yourself, checked on real ranks while you edit",
        "quiz": "questions without a class: take, check, import into your bank, export",
    },
    "running": {
        "run": "run a demo without a screen: numbers, a table, an exit code",
        "compare": "run several demos in turn: the strategy table, measured",
        "estimate": "a training run by formula: does it fit, what does it cost, what to change first",
        "runs": "recorded runs: list them, play one back, export its figures",
    },
    "decks": {
        "new": "make a deck that shows every part of the format, to change into your own",
        "check": "find what would go wrong in class, before it does",
        "convert": "turn a deck of another program (presenterm, Marp, Slidev, Quarto, …) into our format",
        "export": "a deck or a class to take home: HTML, PDF, Markdown, PNG, GIF, WebP, JSON",
        "scene": "show one scene: a moving picture and its captions",
        "course": "the lessons of a course: how long they take, what they need, whether all are right",
        "list": "the demos, scenes and lessons that come with teachrun",
        "path": "where a demo's script or a lesson's file is",
    },
    "getting_help": {
        "doctor": "check terminal and machine before class, and say how to fix what is wrong",
        "help": "the guide, topic by topic: the format, questions, demos, keys and more",
        "completion": "completion for your shell, or the manual page",
    },
}
"""What each command does, by the folder of `tui.commands` that has it."""
COMMANDS = {name: line for commands in FOLDERS.values() for name, line in commands.items()}


# They own the terminal they are shown on; what stands in their lines they clean themselves.
OWN_WAY = ("present", "study", "audience", "attach", "tour", "scene", "doctor", "practice", "replay")


def version() -> str:
    """Return the version of the installed package, "unknown" when run from a checkout."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("teachrun")
    except PackageNotFoundError:
        return "unknown"


class _Version(argparse.Action):
    """Looked up only when asked for: the package metadata take longer to read than everything else here."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"teachrun {version()}")
        parser.exit(0)


def module_of(command: str) -> CommandModule:
    """The module of a command; `class` is not a name for one in Python."""
    folder = next(folder for folder, commands in FOLDERS.items() if command in commands)
    module = importlib.import_module(f"tui.commands.{folder}.{'classes' if command == 'class' else command}")
    return cast("CommandModule", module)


def build_parser(chosen: str = "") -> argparse.ArgumentParser:
    """The parser; only the chosen command's own arguments are in it, the others have a name and a line.

    `ALL` has the arguments of every command in it: slow, as every command's module is imported.
    """
    parser = Command(
        prog="teachrun",
        description="Live-class presenter: Markdown slides and real multi-rank training in the terminal.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="the version, and nothing else")
    parser.add_argument("--debug", action="store_true", help="write a log and say where")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, line in COMMANDS.items():
        command = commands.add_parser(name, help=line, description=line[0].upper() + line[1:] + ".")
        if chosen in (name, ALL):
            module_of(name).configure(command)
    return parser


def normalise(argv: Sequence[str]) -> list[str]:
    """No command means `present`, and so does a deck where a command would stand."""
    args = list(argv)
    first = next((n for n, word in enumerate(args) if word != "--debug"), len(args))
    rest = args[first:]
    if not rest:
        return [*args[:first], "present"]
    word = rest[0]
    if word in COMMANDS or word in ("-h", "--help", "--version"):
        return args
    if word.startswith("-") or word.endswith(".md") or "/" in word or _is_there(word):
        return [*args[:first], "present", *rest]
    return args


def _is_there(word: str) -> bool:
    from tui.deck.built_in import deck_file

    try:
        return Path(word).exists() or deck_file(word) != word
    except (OSError, ValueError):  # longer than a name can be, or with a NUL in it
        return False


def unknown(args: Sequence[str]) -> str:
    """What to say of a first word that is neither a command nor a deck; "" where there is nothing to say."""
    word = next((word for word in args if word != "--debug"), "")
    if word in COMMANDS or word.startswith("-"):
        return ""
    from slides.problems import did_you_mean

    close = did_you_mean(word, COMMANDS)
    mend = f"did you mean {close}?" if close else "`teachrun --help` names them all"
    return f"there is no command and no deck named {word!r}: {mend}"


def split_behind(args: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words before a `--` and those behind it, which are somebody else's."""
    at = args.index("--") if "--" in args else len(args)
    return list(args[:at]), list(args[at + 1 :])


def tame_streams() -> None:
    """What an encoding lacks is written as `?`, what is said to a closed stream is nothing."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115, PTH123  # open as long as we run
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (default: of this process) and return the exit code."""
    from tui.rendering import escape_filter

    tame_streams()
    with escape_filter.errors():
        return _main(argv)


def _main(argv: Sequence[str] | None) -> int:
    if sys.platform == "win32":
        print(
            "teachrun: it runs on Linux and macOS. On Windows start it inside WSL: wsl --install",
            file=sys.stderr,
        )
        return USAGE
    from tui.rendering import escape_filter

    args = normalise(sys.argv[1:] if argv is None else argv)
    if problem := unknown(args):
        return complain(problem)
    chosen = next((word for word in args if word in COMMANDS), "")
    args, behind = split_behind(args) if chosen == "run" else (args, [])
    parser = build_parser(chosen)
    options, more = parser.parse_known_args(args)
    # argparse takes words without a dash in one place only; `run ddp --steps 50 ranks=4` has them in two.
    if more and (chosen != "run" or any(word.startswith("-") for word in more)):
        parser.error(f"unrecognized arguments: {' '.join(more)}")
    options.behind, options.more = behind, more
    try:
        if options.debug:
            print(f"log: {_log_to_file()}", file=sys.stderr)
        lines = nullcontext() if chosen in OWN_WAY else escape_filter.lines()
        with lines:
            return module_of(options.command).main(options)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output is gone; Python would complain again while it flushes at exit.
        sys.stderr.close()
        return FAILED
    except OSError as error:
        # What the machine refuses (a folder, a socket, a full disk) is a line; the log of `--debug` has more.
        import logging

        from slides.problems import one_line

        logging.getLogger("teachrun").debug("ended by", exc_info=True)
        return complain(one_line(str(error)), FAILED)


def _log_to_file() -> Path:
    import logging

    from runtime import paths

    path = paths.log_dir() / "screen.log"
    logging.basicConfig(
        filename=path,
        level=logging.DEBUG,
        format="%(asctime)s %(process)d %(name)s %(levelname)s %(message)s",
    )
    return path


if __name__ == "__main__":
    sys.exit(main())
