"""The commands of a class in lines, and what was meant by a line that was typed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple


class Command(NamedTuple):
    """`names` are typed, the first also names the function. `seats`: whose it is besides the console's."""

    names: tuple[str, ...]
    words: str
    text: str
    seats: tuple[str, ...] = ()

    def of(self, seat: str) -> bool:
        """Tell whether this seat has the command; a console has every one."""
        return seat == "console" or seat in self.seats


ROOM = ("audience", "student")
GROUPS = {
    "Move": (
        Command(("next", "n"), "", "next step (an empty line does it too)"),
        Command(("prev", "p"), "", "previous step"),
        Command(("goto", "g"), "NUMBER or TITLE", "go to a slide; a number alone does it too"),
        Command(("back",), "", "to before a jump"),
        Command(("here", "h"), "", "say this slide again", ROOM),
        Command(("notes", "o"), "", "speaker notes of this step"),
        Command(("list", "ls"), "", "all slides", ROOM),
        Command(("search", "/"), "WORDS", "lines of slides and notes with these words"),
    ),
    "Demo and code": (
        Command(
            ("run", "r", "d"), "[key=value …]", "run the demo of this slide; what it predicts is measured"
        ),
        Command(("recorded",), "", "show a recorded run in its place"),
        Command(("code", "c"), "[NUMBER]", "run the code of this slide, its first block or that one"),
        Command(("layout",), "a.tp=8 b.pp=2 …", "what sides of a duel chose; reveal shows the best known"),
        Command(("stop",), "", "stop what runs"),
        Command(("wait",), "", "read no further command before all that runs has ended", ROOM),
    ),
    "Question": (
        Command(
            ("answer", "a"),
            "ANSWER",
            "answer the question; while one is open a number or letters do it too",
            ("student",),
        ),
        Command(("lock", "l"), "", "take no more answers"),
        Command(("reveal", "e"), "", "say the right answer, with its reasons"),
        Command(("hint", "i"), "", "one hint more"),
        Command(
            ("hands", "u"),
            "COUNTS",
            "hands for each option, as in 4 13 19 8; in a duel a.tp 3 9 2 1",
        ),
        Command(("again",), "", "vote again, after talking"),
        Command(("undo",), "", "take back the last answer, count, reveal or reset"),
    ),
    "Pointing": (
        Command(("point",), "WORDS or rank 2", "light that row, cell or rank for the room; alone: no more"),
        Command(("mark",), "WORDS", "mark that row or cell with the pen, or take the mark off"),
    ),
    "Room and time": (
        Command(("timer", "t"), "[start, pause or reset]", "start or pause the clock; reset is zero"),
        Command(("end",), "15:30 or 45m", "when the class has to end; alone: as the deck says"),
        Command(("blank", "b"), "", "the room sees black, and the slide again"),
        Command(("white", "w"), "", "the room sees white, and the slide again"),
        Command(("freeze", "z"), "", "the room stays at this slide, and follows again"),
        Command(("live",), "", "the room sees the slide again"),
        Command(("phones",), "[shut, open, words, teams, off]", "let phones in, and say how they join"),
        Command(("lead",), "", "drive alone, or let every console drive"),
        Command(("status", "s"), "", "place, time, what runs, who is attached", ROOM),
    ),
    "Deck": (
        Command(("reload",), "", "read the deck again, even where something in it is wrong"),
        Command(("trust",), "", "agree that the deck runs its code and shows its files"),
        Command(("help", "?"), "", "this list", ROOM),
        Command(("quit", "q"), "", "leave; at the last console: end the class (asks while it is used)", ROOM),
    ),
}
COMMANDS = tuple(command for commands in GROUPS.values() for command in commands)
_BY_NAME = {name: command for command in COMMANDS for name in command.names}


def understood(
    line: str, seat: str, taking: bool, answers: Callable[[str], bool] = lambda line: False
) -> tuple[str, str] | str:
    """(the function, what is after its name) of a line, or why there is none. `taking`: a question is open,
    and what begins with a digit answers it. So does what `answers` says is an answer by its labels, also
    where its letter is a command's: that command has a word of its own too."""
    line = line.strip()
    word, _, rest = line.partition(" ")
    if line.startswith("/"):
        word, rest = "/", line[1:]
    command = _BY_NAME.get(word.casefold())
    if not line:
        command, rest = _BY_NAME["next" if seat == "console" else "here"], ""
    elif taking and (command is None or len(word) == 1) and answers(line):
        command, rest = _BY_NAME["answer"], line
    elif command is None and (word[0].isdigit() or word[0] in "+-"):
        command, rest = _BY_NAME["answer" if taking else "goto"], line
    if command is None:
        answer = "; answer WORDS answers the question" if taking else ""
        return f"there is no command {word[:40]!r}{answer}; help lists them"
    if not command.of(seat):
        return f"in the audience there are {', '.join(c.names[0] for c in COMMANDS if c.of(seat))}"
    return command.names[0], rest.strip()


def helped(seat: str) -> Iterator[str]:
    """Every command of a seat, a line each."""
    for group, commands in GROUPS.items():
        ours = [command for command in commands if command.of(seat)]
        if ours:
            yield f"{group}:"
        for command in ours:
            yield f"  {' or '.join(command.names)} {command.words}".rstrip() + f": {command.text}"
