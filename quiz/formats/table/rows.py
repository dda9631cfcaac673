"""Reads and writes questions as a table: CSV of any spreadsheet, one question a row.

    question,right,wrong 1,wrong 2,wrong 3,explanation,tags,points

The head names the columns (in any order and case, `;` or a tab for a comma); `right` and `wrong` may stand
several times or be numbered. Without a head: the question, the right answer, then wrong ones. Several right
answers make a multiple choice, none wrong a short text or a number, `true` or `false` alone a statement.

Where the head has options (`A`, `B` …, `option 1`, `answer_1` …, or `options` parted by `|`) and one column
says which are right, by number, letter or text, it is a table as Kahoot, Quizizz and many scripts have them.
What stands above such a head is passed over. Blackboard's rows (`blackboard.py`) say their kind first.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from itertools import islice

from msgspec.structs import replace

from quiz.answers.tolerance_as_written import number
from quiz.formats.nearest_kind import Loss, dropped, nearest
from quiz.formats.read_result import MOST, Bank, beyond, named
from quiz.formats.table import blackboard, results
from quiz.formats.table.header import KNOWN, below_a_banner, like_names, misnamed
from quiz.formats.table.header import columns as headed
from quiz.kinds.registry import ACCEPTING, Kind
from quiz.markup import rewritten
from quiz.question import Accepted, Option, Question, Trouble

MAX_FIELD = 1 << 20
LOOKED_AT = 20  # rows by which a head is told from a question
MAX_BROKEN = 100  # rows behind which reading goes on
_NUL = "\ufdd0"  # a noncharacter: no text has one
_FORMULA = re.compile(r"'*[=@]|'+[+-]|[+-](?![\d.])")
_TEXT = ("text", "short answer", "shortanswer")
_SEVERAL = ("multi", "multiple response", "multiple answers", "multiple select", "checkbox", "checkboxes")
KINDS = ("single", "multi", "truefalse", "numeric", "text")
KEPT = ("points", "explain", "title", "category", "tags", "source", "hints")


def read(text: str) -> Bank:
    """Read all questions of a table, and what is wrong with the other rows. Never raises."""
    text = text.removeprefix("\ufeff").replace("\0", _NUL)  # which the library takes for an end
    found: list[Question] = []
    troubles: list[Trouble] = []
    notes: list[Trouble] = []
    columns: list[str] | None = None
    of_blackboard = False
    for at, row in _rows(text):
        if len(found) >= MOST:
            troubles.append(beyond(at))
            break
        if isinstance(row, Trouble):
            troubles.append(row)
            continue
        if not any(cell.strip() for cell in row):
            continue
        if columns is None and (foreign := results.told(row)):
            troubles.append(Trouble(at, *foreign, 1))
            break
        if columns is None and below_a_banner(row, islice(_below(text), LOOKED_AT)):
            continue
        if columns is None and blackboard.like(row):
            columns, of_blackboard = [], True
        if columns is None:
            columns = headed(row)
            if "key" in columns and _by_number(columns, _below(text)):
                columns[columns.index("key")] = "number"
            if columns and (
                unread := [cell.strip() for cell, name in zip(row, columns, strict=True) if not name]
            ):
                what = f"columns that are not read: {', '.join(filter(None, unread))[:80]}"
                if any(unread):
                    notes.append(Trouble(at, what, f"Known are: {KNOWN}", 1))
            if columns and not {"right", "rights", "key", "number", "place", "type"} & set(columns):
                what = "no column has the right answers"
                troubles.append(Trouble(at, what, "Name it `right`; `wrong` are the others", 1))
                break
            if columns:
                continue
            if mend := misnamed(row, list(islice(_below(text), LOOKED_AT))):
                names = ", ".join(cell.strip() for cell in row if cell.strip())[:80]
                troubles.append(Trouble(at, f"no column of this head is the question: {names}", mend, 1))
                break
            columns = ["stem", "right", *["wrong"] * 24]
            if like_names(row):
                what = "the first row is taken for a question"
                notes.append(Trouble(at, what, f"If it names the columns, call them: {KNOWN}", 1))
        if any(_NUL in cell for cell in row):
            troubles.append(Trouble(at, "a NUL byte in this row", "Delete it, or save the file as UTF-8", 1))
            continue
        question = blackboard.read(row, at) if of_blackboard else _question(row, columns, at)
        if isinstance(question, Question):
            found.append(question)
            if (off := _tolerance(row, columns)) and question.kind != "numeric":
                what = f"a tolerance of {off[:20]} is not read: the answer is not a number"
                notes.append(Trouble(at, what, "Delete it, or write a number to be typed", 1))
        else:
            troubles.append(question)
    return named(found, troubles, notes)


def _below(text: str) -> Iterator[list[str]]:
    """The rows after the first one that holds something."""
    rows = (row for _, row in _rows(text) if isinstance(row, list) and any(map(str.strip, row)))
    return islice(rows, 1, None)


def _rows(text: str) -> Iterator[tuple[int, list[str] | Trouble]]:
    """Every row with its line. One with a quote that is not closed is told, and the next line begins anew."""
    lines = io.StringIO(text, newline="").readlines()
    delimiter, begin = _delimiter(lines)
    csv.field_size_limit(MAX_FIELD)
    for _ in range(MAX_BROKEN):
        reader = csv.reader(lines[begin:], delimiter=delimiter, skipinitialspace=True, strict=True)
        line = begin + 1
        try:
            for row in reader:
                yield line, row
                line = begin + 1 + reader.line_num
            return
        except csv.Error as error:
            long = "limit" in str(error)
            what = "a cell above 1 MB" if long else "a quote that is not closed, or stands inside a text"
            mend = "Split it" if long else 'Close it; write "" for the sign itself'
            yield line, Trouble(line, f"this row is no CSV: {what}", mend, lines[line - 1].find('"') + 1 or 1)
            begin = line
    yield begin, Trouble(begin, f"more than {MAX_BROKEN} broken rows: the rest is not read", "Fix these", 1)


def _delimiter(lines: list[str]) -> tuple[str, int]:
    """What separates the cells, and how many lines are only there to say so (`sep=;`, as Excel has it)."""
    if lines and (said := re.fullmatch(r"\s*sep=([,;\t])\s*", lines[0], re.I)):
        return said[1], 1
    bare = (re.sub(r'"[^"]*"', "", line) for line in lines)  # above a head may stand a line of words
    head = next((line for line in bare if re.search("[,;\t]", line.rstrip("\n"))), "")
    return max(",;\t", key=head.count), 0


def _question(row: list[str], columns: list[str], line: int) -> Question | Trouble:
    cells: dict[str, list[str]] = {}
    for name, cell in zip(columns, row, strict=False):
        if name and cell.strip():
            cells.setdefault(name, []).append(re.sub(r"^'(?='*[=@+-])", "", cell.strip()))
    for name in ("right", "wrong"):
        more = [text for cell in cells.get(f"{name}s", ()) for text in _listed(cell)]
        if more:
            cells.setdefault(name, []).extend(more)
    one = {name: values[0] for name, values in cells.items()}
    if "stem" not in one:
        return Trouble(line, "this row has no question", "Write it in the first column", 1)
    points, time_s = _positive(one.get("points", "1")), _positive(one.get("time", "0"))
    if points is None:
        return Trouble(line, f"{one['points'][:20]!r} are not points", "Write a number, as in 2", 1)
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
        time_s=time_s or None,
    )
    if "option" in columns or "options" in cells:
        options = [cell.strip() for name, cell in zip(columns, row, strict=False) if name == "option"]
        options += _listed(one.get("options", ""))
        # Where options are numbers, those services mean the place; elsewhere the text counts first.
        by_text = [] if {"time", "place", "number"} & set(columns) else options
        key = one.get("key", one.get("number", one.get("place", "")))
        first = 0 if "place" in columns else 1
        if key and not any(options):  # beside questions with options one to be typed
            typed = _answered(made, _listed(key), [], one.get("type", "").casefold())
            return _within(typed, one.get("tolerance", ""))
        return _picked(made, options, by_text, key, first, one.get("type", "").casefold())
    right, wrong = cells.get("right", []), cells.get("wrong", [])
    if not right:
        return Trouble(line, "this row has no right answer", "Write it in the second column", 1)
    if both := [text for text in right if text in wrong]:
        return Trouble(line, f"the answer {both[0][:20]!r} is right and wrong", "Leave one of them out", 1)
    return _within(_answered(made, right, wrong, one.get("type", "").casefold()), one.get("tolerance", ""))


def _tolerance(row: list[str], columns: list[str]) -> str:
    """What a row says its answer may be off by, "" where that is nothing."""
    said = next((cell.strip() for name, cell in zip(columns, row, strict=False) if name == "tolerance"), "")
    return "" if _positive(said or "0") == 0 else said


def _within(made: Question, tolerance: str) -> Question | Trouble:
    """With numbers that may be off by what a column of its own says."""
    if made.kind != "numeric" or not tolerance or _positive(tolerance) == 0:
        return made
    around = [number(f"{answer.text} ± {tolerance}") for answer in made.accepted]
    if None in around:
        return Trouble(made.line, f"{tolerance[:20]!r} is not a tolerance of its answer", "Write a number", 1)
    accepted = zip(made.accepted, around, strict=True)
    return replace(made, accepted=tuple(replace(answer, number=span) for answer, span in accepted))


def _listed(cell: str) -> list[str]:
    """The texts of a cell that holds several, by `|`, by lines or by `;`."""
    sign = next((sign for sign in "|\n;" if sign in cell), "|")
    return [text.strip() for text in cell.split(sign) if text.strip()]


def _positive(text: str) -> float | None:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    return value if 0 <= value < 1e6 else None


def _picked(
    made: Question, options: list[str], by_text: list[str], key: str, first: int, type: str
) -> Question | Trouble:
    """The question of a row whose `key` says by number, letter or text which of its `options` are right; the
    first of them has the number `first`."""
    filled = [text for text in options if text]
    if "poll" in type and len(filled) > 1:
        return replace(made, kind="poll", options=tuple(map(Option, filled)))
    if "open" in type:
        return replace(made, kind="essay")
    if filled and ("fill" in type or (type in _TEXT and not key)):
        return replace(made, accepted=tuple(map(Accepted, filled)))
    right: set[int] = set()
    words = [key] if key in filled else re.split(r"\s*[,;|]\s*", key)
    if re.fullmatch("[A-J]{2,10}", key) and key not in filled:
        words = list(key)  # `AC`
    texts = all(word in by_text for word in words if word)  # never one by its text and one by its number
    for word in words:
        at = by_text.index(word) if word and texts else _place(word, first)
        if at is None and word in filled:
            at = options.index(word)
        if at is None or at >= len(options) or not options[at]:
            told = f"{word[:20]!r} is none of the options" if key else "no option is right"
            mend = f"Write the number of the right one, {first} for the first"
            return Trouble(made.line, told, mend, 1)
        right.add(at)
    if len(filled) < 2:
        return Trouble(made.line, "this row has not two options", "Write each in its column", 1)
    placed = tuple(Option(text, n in right) for n, text in enumerate(options) if text)
    several = len(right) > 1 or type in _SEVERAL
    return replace(made, kind="multi" if several else "single", options=placed)


def _by_number(columns: list[str], below: Iterable[list[str]]) -> bool:
    """Whether a table whose options may be numbers themselves says by number which is right: one key at least
    is the number of an option and the text of none, and none is only a text."""
    by_number = False
    for row in below:
        cells = [(name, cell.strip()) for name, cell in zip(columns, row, strict=False)]
        options = [cell for name, cell in cells if name == "option"]
        options += [text for name, cell in cells if name == "options" for text in _listed(cell)]
        for word in re.split(r"\s*[,;|]\s*", next((cell for name, cell in cells if name == "key"), "")):
            if word.isdecimal() and len(word) < 4:
                counted = 1 <= int(word) <= len(options)
                if word in options and not counted:
                    return False
                by_number = by_number or (counted and word not in options)
    return by_number


def _place(word: str, first: int) -> int | None:
    """0-based of a number from `first`, or of a letter: `3`, `C`, `option c`."""
    word = re.sub(r"(?i)^(?:option|choice|answer)[ _]?(?=\w{1,2}$)", "", word)
    if word.isdecimal() and first <= int(word) < 100:
        return int(word) - first
    return ord(word.casefold()) - ord("a") if re.fullmatch("[A-Ja-j]", word) else None


def _answered(made: Question, right: list[str], wrong: list[str], type: str) -> Question:
    """The answers tell the kind; `type` where they do not: a text of digits, a choice of several."""
    if wrong or (len(right) > 1 and type in _SEVERAL):
        options = (*(Option(text, True) for text in right), *(Option(text) for text in wrong))
        # The right answer must not always stand first: the order of the alphabet gives nothing away.
        placed = tuple(sorted(options, key=lambda option: option.text.casefold()))
        several = len(right) > 1 or type in _SEVERAL
        return replace(made, kind="multi" if several else "single", options=placed)
    if type in _TEXT:
        return replace(made, kind="text", accepted=tuple(map(Accepted, right)))
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
    """Return the table's text, and what was lost of each question."""
    from quiz.answers.tolerance_as_written import written

    losses: list[Loss] = []
    rows: list[tuple[Question, list[str], list[str]]] = []
    for question in questions:
        for told in nearest(rewritten(question, "markdown"), KINDS, losses):
            dropped(told, KEPT, losses)
            if told.kind in ACCEPTING:
                right = [written(a.number) if a.number else a.text for a in told.accepted if a.weight >= 1]
                wrong: list[str] = []
            elif told.kind == "truefalse":
                right, wrong = ["true" if told.options[0].right else "false"], []
            else:
                right = [option.text for option in told.options if option.right]
                wrong = [option.text for option in told.options if not option.right]
            losses += _unsaid(told, right, wrong)
            rows.append((told, right, wrong))
    # Only where it would be read as something else does the table need to say what a question is.
    typed = any(_answered(q, right, wrong, "").kind != q.kind for q, right, wrong in rows)
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
            *(["type"] if typed else []),
        ]
    )
    for q, right, wrong in rows:
        answers = [*right, *[""] * (rights - len(right)), *wrong, *[""] * (wrongs - len(wrong))]
        told_hints = [*q.hints, *[""] * (hints - len(q.hints))]
        last = [",".join(q.tags), f"{q.points:g}", q.title, q.category, q.source, q.id]
        last += [q.kind] if typed else []
        writer.writerow([cell(one) for one in (q.stem, *answers, q.explain, *told_hints, *last)])
    return out.getvalue(), losses


def _unsaid(question: Question, right: list[str], wrong: list[str]) -> Iterator[Loss]:
    """What a row does not say of a question's answers, each for itself."""
    less = [answer.text for answer in question.accepted if answer.weight < 1]
    if less:
        yield Loss(question.id, f"left out: answers worth part of the points: {', '.join(less)}")
    if any(answer.explain for answer in question.accepted):
        yield Loss(question.id, "left out: what explains single answers")
    if question.kind == "single" and len(right) > 1:
        yield Loss(question.id, "several options are right: it is read back as `multi`")
    read = _answered(question, right, wrong, question.kind)
    if question.kind in ("single", "multi"):
        if [option.text for option in read.options] != [option.text for option in question.options]:
            yield Loss(question.id, "its options are read back in the order of the alphabet")
    elif question.kind == "numeric":
        kept = [answer.number for answer in question.accepted if answer.weight >= 1]
        if [answer.number for answer in read.accepted] != kept:
            yield Loss(question.id, "its numbers are read back without what they may be off by")


def _numbered(name: str, count: int) -> list[str]:
    return [f"{name} {n + 1}" if count > 1 else name for n in range(count)]


def cell(text: str) -> str:
    """Escape a cell: an apostrophe before what a spreadsheet takes for a formula, as OWASP advises."""
    return f"'{text}" if _FORMULA.match(text) else text
