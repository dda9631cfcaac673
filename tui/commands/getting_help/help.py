"""`teachrun help TOPIC`: the guide that comes with the program, a part at a time."""

from __future__ import annotations

import argparse
import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from slides.problems import did_you_mean
from tui.command_line.exit_codes import DONE
from tui.command_line.refusals import complain


class Topic(NamedTuple):
    """A part of the guide: a Markdown file of a room, or one of its sections."""

    about: str
    file: str
    section: str = ""


TOPICS = {
    "format": Topic("how a deck is written: every directive by example", "slides/FORMAT.md"),
    "scenes": Topic("pictures that move: ours, and your own in ten lines", "slides/FORMAT.md", "Scenes"),
    "questions": Topic("kinds of question, votes, predictions, files of other programs", "quiz/QUESTIONS.md"),
    "demos": Topic("real runs: the demos, scripts of yours, comparisons, recordings", "runtime/DEMOS.md"),
    "panel": Topic("what each figure and view of a run says", "runtime/DEMOS.md", "Panel"),
    "estimate": Topic("memory, time and cost of a training by formula", "runtime/ESTIMATE.md"),
    "present": Topic("a class: screens, recording, narration, plain text", "tui/GUIDE.md", "Present"),
    "console": Topic("the teacher's screen: notes, clock and pace", "tui/GUIDE.md", "Console"),
    "study": Topic("a course alone, with questions that come back", "tui/GUIDE.md", "Study"),
    "files": Topic("check, convert, export, doctor", "tui/GUIDE.md", "Files"),
    "settings": Topic("config.toml, keys and themes of yours", "tui/GUIDE.md", "Settings"),
    "keys": Topic("every key", "tui/KEYS.md"),
}


def configure(parser: argparse.ArgumentParser) -> None:
    topics = ", ".join(TOPICS)
    parser.add_argument(
        "topic", metavar="TOPIC", nargs="?", default="", help=f"{topics}; without one: the list"
    )


def main(args: argparse.Namespace) -> int:
    """Exit status 2 for a topic that there is not."""
    if not args.topic:
        for name, topic in TOPICS.items():
            print(f"{name:10} {topic.about}")
        print(
            "\n`teachrun help TOPIC` shows one, `teachrun COMMAND --help` a command, `?` in a class the keys."
        )
        return DONE
    if args.topic not in TOPICS:
        close = did_you_mean(args.topic, TOPICS)
        mend = f"did you mean {close}?" if close else f"write one of: {', '.join(TOPICS)}"
        return complain(f"there is no topic {args.topic!r}: {mend}")
    show(text_of(TOPICS[args.topic]))
    return DONE


def text_of(topic: Topic) -> str:
    """The Markdown of a topic, whole lines."""
    room, name = topic.file.split("/")
    found = find_spec(room)
    assert found is not None and found.origin is not None
    text = (Path(found.origin).parent / name).read_text(encoding="utf-8")
    if topic.section:
        start = re.search(rf"^## {topic.section}\n", text, re.M)
        assert start is not None, topic
        end = re.compile(r"^## ", re.M).search(text, start.end())
        text = text[start.start() : end.start() if end else len(text)]
    return text


def show(text: str) -> None:
    """Drawn for a terminal, a page at a time; as it was written for a pipe."""
    if not sys.stdout.isatty():
        print(text, end="")
        return
    from rich.console import Console
    from rich.markdown import Markdown

    os.environ.setdefault("LESS", "FRX")  # colours as they are, and no waiting where all is in sight
    console = Console()
    with console.pager(styles=True):
        console.print(Markdown(text))
