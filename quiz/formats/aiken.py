"""Aiken: one right option of several, the plainest format there is.

    The question, on one line
    A. an option
    B) another
    ANSWER: B

As Moodle reads it: options begin with a capital letter, `.` or `)`, and mostly a blank; blank lines do not
matter.
More than one line before the options is taken as one question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from quiz.formats.bank import Bank, named
from quiz.formats.nearest import Loss, dropped, nearest
from quiz.question import Option, Question, Trouble

_OPTION = re.compile(r"\s*([A-Z])[.)]([ \t]*)(.*\S)")
_NEARLY = re.compile(r"\s*(?:([a-z])[.)][ \t]|([A-Z])[.):]\S|([A-Z])[:\-][ \t])")
_ANSWER = re.compile(r"\s*ANSWER\s*:\s*(.*?)\s*$", re.IGNORECASE)


def read(text: str) -> Bank:
    """All questions of an Aiken file, and what is wrong with the others. Never raises."""
    found: list[Question] = []
    troubles: list[Trouble] = []
    stem: list[str] = []
    options: list[tuple[str, str]] = []
    begun = 0
    broken = False

    def trouble(line: int, message: str, mend: str, column: int = 1) -> None:
        troubles.append(Trouble(line, message, mend, column))

    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if (nul := line.find("\0")) >= 0:
            trouble(number, "a NUL byte in the text", "Delete it, or save the file as UTF-8", nul + 1)
            broken = True
        if answer := _ANSWER.match(line):
            right = answer[1].strip().rstrip(".)").upper()
            letters = [letter for letter, _ in options]
            if not stem:
                trouble(number, "an answer without a question", "Write the question above its options")
            elif broken:
                pass  # said where it is
            elif len(options) < 2:
                trouble(begun, "this question has not two options", "Write each on a line: `A. text`")
            elif right not in letters:
                known = ", ".join(letters)
                trouble(
                    number,
                    f"the answer {right[:12]!r} is none of {known}",
                    "Write `ANSWER: ` and one letter",
                    answer.start(1) + 1,
                )
            else:
                made = tuple(Option(text, letter == right) for letter, text in options)
                found.append(Question("", "single", "\n".join(stem), made, line=begun, markup="plain"))
            stem, options, broken = [], [], False
        elif (option := _OPTION.match(line)) and (
            # Without a blank it is an option where it is that letter's turn, elsewhere a word like `A.I.`.
            option[2] or (stem and ord(option[1]) - ord("A") == len(options))
        ):
            if not stem:
                trouble(number, "an option without a question", "Write the question above its options")
                stem, broken, begun = ["?"], True, number
            elif ord(option[1]) - ord("A") != len(options):
                wanted = chr(ord("A") + len(options))
                trouble(
                    number,
                    f"option {option[1]} where {wanted} is due",
                    f"Letter the options A, B, C: `{wanted}. `",
                    option.start(1) + 1,
                )
                broken = True
            options.append((option[1], option[3]))
        elif options:
            # A lost ANSWER shows only when the next question begins.
            nearly = _NEARLY.match(line)
            if nearly:
                trouble(
                    number,
                    "this option does not begin like one",
                    "Write a capital letter, `.` or `)`, a blank",
                )
                broken = True
                continue
            trouble(
                number,
                "the question above has no answer",
                "Write `ANSWER: ` and its letter below the options",
            )
            stem, options, begun, broken = [line.strip()], [], number, False
        else:
            begun = begun if stem else number
            stem.append(line.strip())
    if stem and options:
        trouble(
            len(lines), "the last question has no answer", "Write `ANSWER: ` and its letter below the options"
        )
    elif stem:
        trouble(begun, "this question has no options", "Write each on a line: `A. text`")
    return Bank(named(found), tuple(sorted(troubles, key=lambda t: (t.line, t.column))))


def write(questions: Iterable[Question]) -> tuple[str, list[Loss]]:
    """The file's text, and what of each question could not be kept: Aiken has no feedback and no weights."""
    losses: list[Loss] = []
    blocks = []
    for question in questions:
        for told in nearest(question, ("single",), losses):
            if len(told.options) > 26:
                losses.append(Loss(told.id, "more than 26 options: left out"))
                continue
            dropped(told, (), losses)
            rows = [" ".join(told.stem.split())]
            rows += [f"{chr(65 + n)}. {' '.join(o.text.split())}" for n, o in enumerate(told.options)]
            rows.append(f"ANSWER: {chr(65 + told.key[0])}")
            blocks.append("\n".join(rows))
    return "\n\n".join(blocks) + "\n" if blocks else "", losses
