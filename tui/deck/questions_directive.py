"""Questions of a bank put into a deck that asks for them: `::: questions exam.gift tags=ring n=3`.

Of a file in any format we read, beside the deck; without one of the teacher's own bank. Each question stands
on a slide of its own, the first on that of the line; the same ones are drawn each time the deck is opened,
unless `seed=` is another.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from slides.problems import Mistake, Problem, quoted
from slides.reading.from_disk.named_files import MayRead, locate, never

if TYPE_CHECKING:
    from quiz.question import Question
    from slides.dialects.native import Translation

MARK = "::: questions"
_LINE = re.compile(r" {0,3}:{3,} *questions(?: +(?P<rest>.*))?$")
_MOST = 99


class _Wish(NamedTuple):
    file: str = ""
    tags: tuple[str, ...] = ()
    n: int = 1
    seed: str = ""


def pull(text: str, path: Path, may_read: MayRead = never) -> Translation | None:
    """`text` with the questions it asks for in place of each such line; None where it asks for none.

    What cannot be pulled is a line on its slide that says why, and a problem of the deck.
    """
    if MARK not in text:
        return None
    from slides.dialects.native import Translation
    from slides.reading.scan import scan

    rows: list[str] = []
    places: list[int] = []
    problems: list[Problem] = []
    files: dict[str, None] = {}
    lines = text.split("\n")
    held = scan(lines).held
    taken = set(re.findall(r"\{#([^\s}]+)", text))
    for number, line in enumerate(lines, start=1):
        match = None if held[number - 1] else _LINE.match(line)
        if match is None:
            made = [line]
        else:
            try:
                made = _told(_drawn(_wish(match["rest"] or ""), path, files, may_read), taken)
            except Mistake as mistake:
                problems.append(Problem(str(path), number, mistake.message, mistake.mend))
                made = [f"> **No question here**: {mistake.message}. {mistake.mend}"]
        rows += made
        places += [number] * len(made)
    return Translation("\n".join(rows), tuple(places), tuple(problems), tuple(files))


def _wish(rest: str) -> _Wish:
    import shlex

    wish = _Wish()
    try:
        words = shlex.split(rest)
    except ValueError:
        raise Mistake(f"{quoted(rest)} has a quote that stays open", "Close it") from None
    for word in words:
        name, sign, value = word.partition("=")
        if not sign:
            wish = wish._replace(file=word)
        elif name == "tags":
            wish = wish._replace(tags=tuple(filter(None, (tag.strip() for tag in value.split(",")))))
        elif name == "n" and value.isdecimal() and 1 <= int(value) <= _MOST:
            wish = wish._replace(n=int(value))
        elif name == "seed":
            wish = wish._replace(seed=value)
        else:
            raise Mistake(
                f"{quoted(word)} is not known here", "Write `questions exam.gift tags=ring,bytes n=3`"
            )
    return wish


def _drawn(wish: _Wish, path: Path, files: dict[str, None], may_read: MayRead) -> list[Question]:
    """The questions of a wish. Raises Mistake where there are none, or fewer than are asked for."""
    import random

    from quiz.question_bank import BankError, QuestionBank
    from tui.deck.question_files import Refused, bank_path, read

    seed = wish.seed or path.name
    try:
        if wish.file:
            file = str(locate(path.parent, wish.file, may_read))
            files[file] = None
            tags = {tag.casefold() for tag in wish.tags}
            fitting = [q for q in read(file).bank.questions if tags <= {tag.casefold() for tag in q.tags}]
            found = random.Random(seed).sample(fitting, min(wish.n, len(fitting)))
        else:
            files[str(bank_path())] = None
            found = QuestionBank(bank_path()).draw(wish.tags, wish.n, seed)
    except (Refused, BankError) as error:
        raise Mistake(str(error), "See `teachrun quiz check`") from None
    if len(found) < wish.n:
        where = quoted(wish.file) if wish.file else "your bank"
        having = f" with {', '.join(wish.tags)}" if wish.tags else ""
        raise Mistake(f"{where} has {len(found)} questions{having}, {wish.n} are asked for", "Ask for fewer")
    return found


def _told(questions: list[Question], taken: set[str]) -> list[str]:
    """Each as a block of the deck's own grammar, with an id that no other of the deck has."""
    from msgspec.structs import replace

    from quiz.formats import native

    rows: list[str] = []
    for question in questions:
        if rows:
            rows += ["", "---", ""]
        named = replace(question, id=native.fitting(question.id, taken))
        rows += ["", *native.told(named).split("\n"), ""]
    return rows
