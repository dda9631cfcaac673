"""Aiken: one right option of several, the plainest format there is.

    The question, on one line
    A. an option
    B) another
    ANSWER: B

As Moodle reads it: options begin with a capital letter, `.` or `)`, and mostly a blank; `ANSWER` and its
letter are capitals; blank lines do not matter. Several lines before the options are taken as one question,
and noted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from quiz.formats.nearest_kind import Loss, dropped, nearest
from quiz.formats.read_result import MOST, Bank, beyond, named
from quiz.formats.texmath import unmarked
from quiz.markup import rewritten
from quiz.question import Option, Question, Trouble

_OPTION = re.compile(r"\s*+([A-Z])[.)]([ \t]*+)(.*\S)")
_NEARLY = re.compile(r"\s*([A-Za-z])(?:[.):](?:\s|$)|\s*-\s|[.)]\S)")  # an option in another writing
_ANSWER = re.compile(r"\s*+ANSWER\s*+:\s*+(.*)$")
_NEARLY_ANSWER = re.compile(
    r"\s*+(?:correct |right )?ans(?:wer)?s?\s*+(?:is\b)?\s*+[:=.-]?\s*+([A-Z])?[.)]?\s*+$", re.I
)
_LETTER = re.compile(r"([A-Z])(?:[.)].*)?")
_ONE_LINE = "Write the question on one line: Moodle takes only the last"


def read(text: str) -> Bank:
    """Read all questions of an Aiken file, and what is wrong with the others. Never raises."""
    reading = _Reading(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    for number, line in enumerate(reading.lines, start=1):
        if len(reading.found) >= MOST and line.strip():
            reading.troubles.append(beyond(number))
            break
        reading.take(number, line)
    else:
        reading.end()
    return named(reading.found, reading.troubles, reading.notes)


class _Reading:
    """The question being read: its stem, its options with their letters, the line it began at.

    `broken`: what is wrong with it was said. `lost`: these options belong to no question, and that was said.
    `gap`: a blank line stands below its stem.
    """

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.found: list[Question] = []
        self.troubles: list[Trouble] = []
        self.notes: list[Trouble] = []
        self._stem: list[str] = []
        self._options: list[tuple[str, str]] = []
        self._begun = self._last = 0
        self._broken = self._lost = self._gap = False
        self._below = (0, False)

    def take(self, number: int, line: str) -> None:
        if not line.strip():
            self._gap, self._lost = True, False
            return
        self._last = number
        if (nul := line.find("\0")) >= 0:
            self._wrong(number, "a NUL byte in the text", "Delete it, or save the file as UTF-8", nul + 1)
        if answer := _ANSWER.match(line):
            self._answer(number, answer)
        elif self._is_option(option := _OPTION.match(line)):
            assert option is not None
            self._option(number, option)
        elif self._options and (nearly := _NEARLY_ANSWER.match(line)):
            letter = (nearly[1] or "A").upper()
            self._wrong(number, "this answer does not begin with `ANSWER:`", f"Write `ANSWER: {letter}`")
            self._close()
        elif self._stem and (nearly := _NEARLY.match(line)) and nearly[1].upper() == self._due:
            self._nearly(number, line, nearly)
        elif self._options and not self._new_below(number):
            self._wrong(
                number, "this line is neither an option nor an answer", "Write each option on one line"
            )
        else:
            self._text(number, line.strip())
        self._gap = False

    @property
    def _due(self) -> str:
        """The letter of the next option."""
        return chr(ord("A") + len(self._options))

    def _wrong(self, number: int, message: str, mend: str, column: int = 1) -> None:
        self.troubles.append(Trouble(number, message, mend, column))
        self._broken = True

    def _close(self) -> None:
        self._stem, self._options, self._broken, self._lost = [], [], False, False

    def _is_option(self, option: re.Match[str] | None) -> bool:
        """Without a blank it is an option where it is that letter's turn, elsewhere a word like `A.I.`."""
        return option is not None and bool(option[2] or (self._stem and option[1] == self._due))

    def _option(self, number: int, option: re.Match[str]) -> None:
        if not self._stem:
            if not self._lost:
                what = "an option without a question"
                self.troubles.append(Trouble(number, what, "Write the question above its options", 1))
            self._lost = True
            return
        if option[1] != self._due:
            self._wrong(
                number,
                f"option {option[1]} where {self._due} is due",
                f"Letter the options A, B, C: `{self._due}. `",
                option.start(1) + 1,
            )
        self._options.append((option[1], option[3]))

    def _nearly(self, number: int, line: str, nearly: re.Match[str]) -> None:
        text = line[nearly.end() :].strip()
        if text or line[nearly.end() - 1 : nearly.end()].strip() not in ("", ".", ")"):
            what, mend = "this option does not begin like one", "Write a capital letter, `.` or `)`, a blank"
        else:
            what, mend = "this option is empty", f"Write it behind `{self._due}.`, or delete the letter"
        self._wrong(number, what, mend)
        self._options.append((self._due, text))

    def _answer(self, number: int, answer: re.Match[str]) -> None:
        letters = [letter for letter, _ in self._options]
        written = answer[1].rstrip()
        right = _LETTER.fullmatch(written)
        if self._lost:
            pass  # said where its options begin
        elif not self._stem:
            what = "an answer without a question"
            self.troubles.append(Trouble(number, what, "Write the question above its options", 1))
        elif self._broken:
            pass  # said where it is
        elif len(letters) < 2:
            self._wrong(self._begun, "this question has not two options", "Write each on a line: `A. text`")
        elif right is None or right[1] not in letters:
            what = f"the answer {written[:12]!r} is none of {', '.join(letters)}"
            self._wrong(number, what, "Write `ANSWER: ` and one capital letter", answer.start(1) + 1)
        else:
            made = tuple(Option(text, letter == right[1]) for letter, text in self._options)
            stem = "\n".join(self._stem)
            self.found.append(Question("", "single", stem, made, line=self._begun, markup="plain"))
            if len(self._stem) > 1:
                what = f"a question on {len(self._stem)} lines"
                self.notes.append(Trouble(self._begun, what, _ONE_LINE, 1))
        self._close()

    def _new_below(self, number: int) -> bool:
        """Whether another question's options begin below, and not the next ones of this.

        Looked up once for all lines above the one that tells.
        """
        if number >= self._below[0]:
            self._below = next(
                (
                    (at, option is not None and option[1] == "A")
                    for at, line in enumerate(self.lines[number:], start=number + 1)
                    if (option := _OPTION.match(line)) or _ANSWER.match(line)
                ),
                (len(self.lines) + 1, True),
            )
        return self._below[1]

    def _text(self, number: int, text: str) -> None:
        if self._options:
            what = "the question above has no answer"
            self._wrong(number, what, "Write `ANSWER: ` and its letter below the options")
            self._close()
        elif self._stem and self._gap:
            self._wrong(self._begun, "this question has no options", "Write each on a line: `A. text`")
            self._close()
        self._lost = False
        self._begun = self._begun if self._stem else number
        self._stem.append(text)

    def end(self) -> None:
        if self._options:
            what = "the last question has no answer"
            self._wrong(self._last, what, "Write `ANSWER: ` and its letter below the options")
        elif self._stem:
            self._wrong(self._begun, "this question has no options", "Write each on a line: `A. text`")


def write(questions: Iterable[Question]) -> tuple[str, list[Loss]]:
    """Return the file's text, and what was lost of each question: Aiken has no feedback and no weights."""
    losses: list[Loss] = []
    blocks = []
    for question in questions:
        for told in nearest(rewritten(unmarked(question), "plain"), ("single",), losses):
            if len(told.options) > 26:
                losses.append(Loss(told.id, "more than 26 options: left out", -1))
                continue
            if len(told.key) != 1:
                what = (
                    "several options are right, and Aiken has one answer"
                    if told.key
                    else "no option is right"
                )
                losses.append(Loss(told.id, f"{what}: left out", -1))
                continue
            dropped(told, (), losses)
            if any("\n" in text for text in (told.stem, *(option.text for option in told.options))):
                losses.append(Loss(told.id, "what stood on several lines is written on one"))
            rows = [" ".join(told.stem.split())]
            rows += [f"{chr(65 + n)}. {' '.join(o.text.split())}" for n, o in enumerate(told.options)]
            rows.append(f"ANSWER: {chr(65 + told.key[0])}")
            blocks.append("\n".join(rows))
    return "\n\n".join(blocks) + "\n" if blocks else "", losses
