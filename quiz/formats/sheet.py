"""Questions as a table: CSV from any spreadsheet, one question a row.

    question,right,wrong 1,wrong 2,wrong 3,explanation,tags,points,kind

The head names the columns (in any order and case, `;` or a tab for a comma); `right` and `wrong` may stand
several times or be numbered. Without a head: the question, the right answer, then wrong ones. Several right
answers make a multiple choice, none wrong a short text or a number, `true` or `false` alone a statement.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable

from msgspec.structs import replace

from quiz.formats.bank import Bank, named
from quiz.formats.nearest import Loss, dropped, nearest
from quiz.kinds import number
from quiz.question import Accepted, Kind, Option, Question, Trouble

MAX_FIELD = 1 << 20
_NUL = "\ufdd0"  # a noncharacter: no text has one
_FORMULA = re.compile(r"'*[=@]|'+[+-]|[+-](?![\d.])")
_NAMES = {
    "question": "stem", "stem": "stem", "text": "stem", "prompt": "stem",
    "right": "right", "correct": "right", "answer": "right",
    "wrong": "wrong", "incorrect": "wrong", "distractor": "wrong",
    "explanation": "explain", "explain": "explain", "feedback": "explain",
    "tags": "tags", "tag": "tags", "points": "points", "title": "title", "id": "id", "category": "category",
    "source": "source", "hint": "hint",
}  # fmt: skip
KINDS = ("single", "multi", "truefalse", "numeric", "text")
KEPT = ("points", "explain", "title", "category", "tags", "source", "hints")


def read(text: str) -> Bank:
    """All questions of a table, and what is wrong with the other rows. Never raises."""
    text = text.removeprefix("\ufeff").replace("\0", _NUL)  # which the library takes for an end
    found: list[Question] = []
    troubles: list[Trouble] = []
    csv.field_size_limit(MAX_FIELD)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=False)
    columns: list[str] | None = None
    line = 1
    while True:
        try:
            row = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            troubles.append(Trouble(line, f"this row is no CSV ({error})", "Close every quote", 1))
            break
        at, line = line, reader.line_num + 1
        if not any(cell.strip() for cell in row):
            continue
        if columns is None:
            columns = _columns(row)
            if columns:
                continue
            columns = ["stem", "right", *["wrong"] * 24]
        if any(_NUL in cell for cell in row):
            troubles.append(Trouble(at, "a NUL byte in this row", "Delete it, or save the file as UTF-8", 1))
            continue
        question = _question(row, columns, at)
        if isinstance(question, Question):
            found.append(question)
        else:
            troubles.append(question)
    return Bank(named(found), tuple(troubles))


def _delimiter(text: str) -> str:
    head = text.lstrip().split("\n", 1)[0]
    return max(",;\t", key=head.count)


def _columns(row: list[str]) -> list[str]:
    """What each column holds, where the row is a head; empty where it is a question."""
    names = [_NAMES.get(re.sub(r"[\s_\d-]+$", "", cell.strip().casefold()), "") for cell in row]
    return names if "stem" in names and "right" in names else []


def _question(row: list[str], columns: list[str], line: int) -> Question | Trouble:
    cells: dict[str, list[str]] = {}
    for name, cell in zip(columns, row, strict=False):
        if name and cell.strip():
            cells.setdefault(name, []).append(re.sub(r"^'(?='*[=@+-])", "", cell.strip()))
    one = {name: values[0] for name, values in cells.items()}
    right, wrong = cells.get("right", []), cells.get("wrong", [])
    if "stem" not in one:
        return Trouble(line, "this row has no question", "Write it in the first column", 1)
    if not right:
        return Trouble(line, "this row has no right answer", "Write it in the second column", 1)
    try:
        points = float(one.get("points", "1").replace(",", "."))
    except ValueError:
        points = -1.0
    if not 0 <= points < 1e6:
        return Trouble(line, f"{one['points'][:20]!r} are no points", "Write a number, as in 2", 1)
    made = Question(
        id=one.get("id", ""),
        kind="text",
        stem=one["stem"],
        explain=one.get("explain", ""),
        points=points,
        tags=tuple(tag.strip() for tag in re.split("[,;]", one.get("tags", "")) if tag.strip()),
        title=one.get("title", ""),
        category=one.get("category", ""),
        source=one.get("source", ""),
        hints=tuple(cells.get("hint", ())),
        line=line,
    )
    return _answered(made, right, wrong)


def _answered(made: Question, right: list[str], wrong: list[str]) -> Question:
    if wrong:
        options = (*(Option(text, True) for text in right), *(Option(text) for text in wrong))
        # The right answer must not always stand first: the order of the alphabet gives nothing away.
        placed = tuple(sorted(options, key=lambda option: option.text.casefold()))
        return replace(made, kind="multi" if len(right) > 1 else "single", options=placed)
    if [text.casefold() for text in right] in (["true"], ["false"]):
        true = right[0].casefold() == "true"
        return replace(made, kind="truefalse", options=(Option("True", true), Option("False", not true)))
    numbers = [number(text) for text in right]
    kind: Kind = "numeric" if all(numbers) else "text"
    accepted = tuple(
        Accepted(text, number=value if kind == "numeric" else None)
        for text, value in zip(right, numbers, strict=True)
    )
    return replace(made, kind=kind, accepted=accepted)


def write(questions: Iterable[Question]) -> tuple[str, list[Loss]]:
    """The table's text, and what of each question could not be kept."""
    from quiz.formats.native import number as written

    losses: list[Loss] = []
    rows: list[tuple[Question, list[str], list[str]]] = []
    for question in questions:
        for told in nearest(question, KINDS, losses):
            dropped(told, KEPT, losses)
            if told.kind in ("numeric", "text"):
                right = [written(a.number) if a.number else a.text for a in told.accepted if a.weight >= 1]
                wrong: list[str] = []
            elif told.kind == "truefalse":
                right, wrong = ["true" if told.options[0].right else "false"], []
            else:
                right = [option.text for option in told.options if option.right]
                wrong = [option.text for option in told.options if not option.right]
            rows.append((told, right, wrong))
    rights = max((len(right) for _, right, _ in rows), default=1)
    wrongs = max((len(wrong) for _, _, wrong in rows), default=0)
    hints = max((len(question.hints) for question, _, _ in rows), default=0)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    head = ["question", *_numbered("right", rights), *_numbered("wrong", wrongs)]
    writer.writerow(
        [
            *head,
            "explanation",
            *_numbered("hint", hints),
            "tags",
            "points",
            "title",
            "category",
            "source",
            "id",
        ]
    )
    for q, right, wrong in rows:
        answers = [*right, *[""] * (rights - len(right)), *wrong, *[""] * (wrongs - len(wrong))]
        told_hints = [*q.hints, *[""] * (hints - len(q.hints))]
        last = [",".join(q.tags), f"{q.points:g}", q.title, q.category, q.source, q.id]
        writer.writerow([cell(one) for one in (q.stem, *answers, q.explain, *told_hints, *last)])
    return out.getvalue(), losses


def _numbered(name: str, count: int) -> list[str]:
    return [f"{name} {n + 1}" if count > 1 else name for n in range(count)]


def cell(text: str) -> str:
    """A cell that a spreadsheet would take for a formula begins with an apostrophe, as OWASP advises."""
    return f"'{text}" if _FORMULA.match(text) else text
