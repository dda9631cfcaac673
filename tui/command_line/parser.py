"""What `--help` says: a parser whose text ends in examples and the exit status."""

from __future__ import annotations

import argparse
import re
import shutil
import textwrap
from typing import NoReturn

from tui.command_line.exit_codes import DONE, FAILED, INTERRUPTED, USAGE

EXIT_STATUS = f"Exit status: {DONE} done, {FAILED} failed, {USAGE} wrong usage, {INTERRUPTED} interrupted."

# Command -> lines to type, with what they do. A test parses every one of them.
EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "": (
        ("teachrun", "the built-in lesson; `?` lists the keys"),
        ("teachrun talk.md", "a deck of your own"),
        ("teachrun run ddp ranks=4", "a demo without a screen"),
    ),
    "present": (
        ("teachrun present talk.md --console", "with notes and what is next beside the slide"),
        ("teachrun present talk.md --rehearse", "planned and spent minutes at the end, no class"),
        ("teachrun present talk.md --plain", "as plain lines, for a screen reader"),
    ),
    "study": (
        ("teachrun study", "the built-in courses"),
        ("teachrun study --due", "the questions that are due today"),
        ("teachrun study talk.md", "a deck as a lesson"),
    ),
    "audience": (
        ("teachrun audience", "follow the newest class"),
        ("teachrun audience --name Ada", "and answer its questions as Ada"),
    ),
    "attach": (("teachrun attach", "the newest class again, after a lost terminal"),),
    "scene": (
        ("teachrun scene room strategy=fsdp", "step by step with the arrow keys"),
        ("teachrun scene room --plain", "what each step says"),
    ),
    "practice": (
        ("teachrun practice ring-reduce-scatter", "open, edit, save, see"),
        ("teachrun practice send-receive --check my.py --json", "graded without a screen: exit status 0"),
        ("teachrun practice new my-exercise", "the folder of one of your own"),
    ),
    "replay": (
        ("teachrun replay", "the last class, moment by moment with the arrow keys"),
        ("teachrun replay -o class.html", "the same as one page, for those who missed it"),
    ),
    "tour": (("teachrun tour", "about eight minutes"),),
    "ctl": (
        ("teachrun ctl next", "one step on"),
        ("teachrun ctl goto readers --json", "to the slide with that id, and where the class is then"),
        ("teachrun ctl run", "start the demo of the slide"),
    ),
    "run": (
        ("teachrun run ddp ranks=4 steps=50", "a table for each rank"),
        ("teachrun run zero stage=3 --json", "one object, for a script"),
        ("teachrun run ./train.py ranks=2 -- --lr 0.1", "a torchrun script of yours, unchanged"),
    ),
    "compare": (
        ("teachrun compare ddp fsdp 'zero stage=2' --ranks 4", "three strategies, the same samples"),
        ("teachrun compare ddp fsdp --html table.html", "the same kind of table as a page"),
    ),
    "estimate": (
        (
            "teachrun estimate model=llama3-8b gpu=h100 dp=8 zero=3",
            "memory, a step, and what to change first",
        ),
        ("teachrun estimate model=./config.json gpu=a100-80 tp=8 --explain", "each formula with its source"),
        ("teachrun estimate model=llama3-70b gpu=h100 gpus=256 global_batch=512", "the layouts that fit"),
        ("teachrun estimate params=7.5e9 zero=1 dp=64 --json", "one object: bytes and seconds"),
        ("teachrun estimate --duel model=llama3-70b gpu=h100 gpus=64 a.tp=8 b.zero=3", "who wins, and why"),
        ("teachrun estimate collective=all_reduce bytes=1GB ranks=8 bandwidth=400Gb/s", "ring and tree"),
    ),
    "runs": (("teachrun runs list", "what was recorded"),),
    "runs list": (("teachrun runs list", "the newest first"),),
    "runs replay": (("teachrun runs replay last --speed 4", "the last run, four times as fast"),),
    "runs export": (
        ("teachrun runs export last --csv -o run.csv", "a row for each rank and step"),
        ("teachrun runs export last --perfetto run.json", "open it in ui.perfetto.dev"),
        ("teachrun runs export last --tensorboard logs", "then: tensorboard --logdir logs"),
        ("teachrun runs export last --wandb logs", "an offline run, for `wandb sync`"),
    ),
    "runs keep": (("teachrun runs keep last ./my-run", "a copy to take along"),),
    "class": (("teachrun class report", "the last class"),),
    "course new": (
        ("teachrun course new my-course", "an overture and two lessons in a folder of that name"),
    ),
    "course handout": (
        ("teachrun course handout --pdf -o print", "the syllabus and a hand-out of every lesson"),
        ("teachrun course handout 05-ddp --md", "of one lesson, for an editor or GitHub"),
    ),
    "course translate": (
        ("teachrun course translate talk.md --lang fr", "the file that a translator fills in"),
    ),
    "class forget": (("teachrun class forget last", "names and seats of the last class, not its answers"),),
    "class report": (
        ("teachrun class report", "planned and spent minutes of the last class"),
        ("teachrun class report --write talk.md", "put the minutes spent into the deck"),
    ),
    "class results": (("teachrun class results --html -o results.html", "how the last class answered"),),
    "check": (
        ("teachrun check talk.md", "what would go wrong, with line and column"),
        ("teachrun check talk.md --size 80x24 --run", "on a small terminal, with its demos started"),
    ),
    "doctor": (
        ("teachrun doctor", "terminal and machine"),
        ("teachrun doctor --card", "a test card for the projector"),
        ("teachrun doctor --hosts a,b", "two machines before they train together"),
    ),
    "course": (("teachrun course show distributed", "its lessons, one after the other"),),
    "course list": (("teachrun course list", "the courses that there are"),),
    "course show": (("teachrun course show ./my-course", "a folder of lessons, 01-name.md and on"),),
    "course check": (
        ("teachrun course check ./my-course --size 80x24", "each lesson, and that they fit together"),
    ),
    "new": (("teachrun new talk.md", "then: teachrun talk.md"),),
    "convert": (("teachrun convert slides.md -o talk.md", "a deck of another program in our format"),),
    "export": (
        ("teachrun export talk.md --pdf", "a page for each slide"),
        ("teachrun export last --html", "the last class with its own figures"),
        ("teachrun export talk.md --gif --slide 4", "the steps of a slide as a film"),
    ),
    "list": (
        ("teachrun list", "demos and lessons"),
        ("teachrun list ddp", "all about one demo"),
        ("teachrun list lessons", "the lessons, and what they take"),
        ("teachrun list keys", "the actions, as keymap.toml names them"),
    ),
    "path": (("teachrun path ddp", "a plain script: torchrun runs it"),),
    "quiz": (("teachrun quiz take talk.md", "its questions, in a plain terminal"),),
    "quiz take": (
        ("teachrun quiz take exam.gift --pass 60", "exit status 0 from 60 % on"),
        ("teachrun quiz take talk.md --answers answers.txt --json", "graded without a terminal"),
    ),
    "quiz check": (("teachrun quiz check exam.gift", "every error, with line and column"),),
    "quiz import": (("teachrun quiz import exam.gift --tag ring", "its questions into your bank"),),
    "quiz export": (
        ("teachrun quiz export talk.md --to moodle -o exam.xml", "the questions of a deck for Moodle"),
        ("teachrun quiz export -o cards.apkg", "your bank as cards of Anki"),
    ),
    "help": (
        ("teachrun help", "the topics"),
        ("teachrun help estimate", "one of them"),
    ),
    "ps": (("teachrun ps", "what runs, class by class"),),
    "stop": (
        ("teachrun stop", "end the newest class"),
        ("teachrun stop --all", "end everything that teachrun has started"),
    ),
    "completion": (
        ("teachrun completion bash > ~/.local/share/bash-completion/completions/teachrun", "for bash"),
        ("teachrun completion man > ~/.local/share/man/man1/teachrun.1", "then: man teachrun"),
    ),
}


def examples_of(prog: str) -> tuple[tuple[str, str], ...]:
    """Those of a command by its full name, as `teachrun quiz take`."""
    return EXAMPLES.get(prog.partition(" ")[2], ())


class Command(argparse.ArgumentParser):
    """A command. The commands within it are of the same kind."""

    def error(self, message: str) -> NoReturn:
        """Refuse in one line: what was typed may hold line ends."""
        from slides.problems import one_line

        super().error(one_line(message))

    def format_usage(self) -> str:
        """The usage; one that is written by hand is folded, which argparse does with its own only."""
        return self._folded(super().format_usage())

    def _folded(self, text: str) -> str:
        if self.usage is None:
            return text
        head, gap, rest = text.partition("\n\n")
        width = shutil.get_terminal_size().columns - 2  # as argparse has it
        indent = " " * len(f"usage: {self.prog} ")
        lines = []
        for line in head.splitlines():
            # What stands in brackets is not torn apart.
            words = re.sub(r"\[[^\]]*\]", lambda found: found[0].replace(" ", "\0"), line)
            lines += textwrap.wrap(
                words, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
            )
        return "\n".join(lines).replace("\0", " ") + (gap or "\n") + rest

    def format_help(self) -> str:
        """The help with the examples of the command and its exit status."""
        lines = examples_of(self.prog)
        text = self._folded(super().format_help())
        if lines:
            rows = "".join(f"  {line}\n      {what}\n" for line, what in lines)
            text = f"{text}\nexamples:\n{rows}"
        return text if self.epilog else f"{text}\n{EXIT_STATUS}\n"
