"""The head of a table of questions: what each column holds, by the names people and services give it."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORDS = {
    "stem": "question, questions, question text, question stem, stem, text, prompt, term, front, "
    "frage, pregunta, domanda, pergunta",
    "right": "right, correct, answer, right answer, correct answer, solution, definition, back, "
    "richtig, richtige antwort, antwort, correcta, respuesta correcta, respuesta, bonne réponse, réponse",
    "rights": "right answers, correct answers, answers",
    "wrong": "wrong, incorrect, distractor, wrong answer, incorrect answer, wrong option, "
    "falsch, falsche antwort, incorrecta, respuesta incorrecta, mauvaise réponse",
    "wrongs": "wrong answers, incorrect answers, distractors, wrong options",
    "options": "options, choices, answer options, answer choices, possible answers",
    "explain": "explanation, explain, feedback, answer explanation, rationale, general feedback, "
    "erklärung, explicación, explication",
    "tags": "tags, tag",
    "points": "points, point, marks, mark",
    "tolerance": "tolerance, error margin, margin of error, accepted error, toleranz, tolerancia, tolérance",
    "title": "title",
    "id": "id",
    "category": "category",
    "source": "source",
    "hint": "hint",
    "time": "time, time limit, time in seconds",
    "type": "question type, type, kind",
    "count": "#, question #, question no., no., nr., nr, no",
}
LONGEST = 200  # characters that the name of a column has at most: its patterns look ahead from each
_NAMES = {word: name for name, words in _WORDS.items() for word in words.split(", ")}
_OPTION = re.compile(
    r"(?:option|choice|answer|alternative|antwort|opción|respuesta|réponse) ?(?:\d+|[a-j])|[a-j]"
)
KNOWN = (
    "question, right, wrong (several), options, tolerance, explanation, tags, points, title, hint, time, type"
)
_AMOUNT = re.compile(r"[-+]?\d[\d.,:/-]*(?: ?[%€$£])?")
_NAME = re.compile(r"[^\W\d][\w .#/()-]{0,40}")
_NUMBERED = re.compile(r"(?:wrong|distractor|d|answer|option|choice|a|opt) ?[0-9]{1,2}")
_KEYS = (
    "correct answer", "right answer", "correct option", "right option", "correct choice", "answer key", "key",
    "correct answers", "right answers", "correct", "right", "solution", "answer",
    "richtig", "richtige antwort", "respuesta correcta", "correcta", "bonne réponse",
    "correct index", "correct answer index", "correct option index", "answer index",
)  # fmt: skip


def columns(row: list[str]) -> list[str]:
    """What each column holds, where the row is a head; empty where it is a question.

    Names of `_WORDS`, "" for what is not looked at; beside several `option` or one of `options` the right
    ones are said in `key`, by `place` where they are counted from 0.
    """
    words = [plain(cell) for cell in row]
    names = [_NAMES.get(re.sub(r"[\s\d]+$", "", word), "") for word in words]
    if "stem" not in names:
        return []
    options = [bool(_OPTION.fullmatch(word)) for word in words]
    if sum(options) > 1:
        names = ["option" if is_option else name for name, is_option in zip(names, options, strict=True)]
    if "option" in names or "options" in names:
        key = next((word for word in _KEYS if word in words), None)
        if key is not None:
            names[words.index(key)] = "place" if key.endswith("index") else "key"
    # A question may begin with the word alone: a head has another name beside it.
    return names if sum(map(bool, names)) > 1 else []


def below_a_banner(row: list[str], below: Iterable[list[str]]) -> bool:
    """Whether a first row stands above a head, as in the spreadsheets that programs hand out to be filled in:
    it has one cell, while a head that names questions and right answers comes further down."""
    if sum(1 for cell in row if cell.strip()) > 1:
        return False
    return any({"right", "rights", "key", "place"}.intersection(columns(one)) for one in below)


def like_names(row: list[str]) -> bool:
    """Whether each cell could name its column: a few words, no two the same, and no sentence."""
    held = [cell.strip() for cell in row if cell.strip()]
    return len(held) > 1 and len(set(held)) == len(held) and all(map(_NAME.fullmatch, held))


def misnamed(row: list[str], below: list[list[str]]) -> str:
    """Of a first row that names columns, but none of them the question: what to write instead; else "". It
    holds words like names, and a row below it is longer, says nothing but what they name, or has numbers
    wherever a column has a word for its name."""
    if not like_names(row):
        return ""
    words = [plain(cell) for cell in row if cell.strip()]
    known = [w for w in words if w in _KEYS or w in _NAMES or _OPTION.fullmatch(w) or _NUMBERED.fullmatch(w)]
    next_row = below[0] if below else []
    first = next((cell.strip() for cell in next_row if cell.strip()), "")
    sentence = len(first.split()) > 3 or first.endswith("?")
    if not (sentence or len(known) > 1 or (known and len(next_row) == len(row)) or _measured(row, below)):
        return ""
    return f"Call the one with the questions `question`, the right answers `right`. Known are: {KNOWN}"


def _measured(row: list[str], below: list[list[str]]) -> bool:
    """Whether a column named by a word holds nothing but numbers, in two rows at least."""
    for n, name in enumerate(row):
        held = [cells[n].strip() for cells in below if n < len(cells) and cells[n].strip()]
        if len(held) > 1 and not _AMOUNT.fullmatch(name.strip()) and all(map(_AMOUNT.fullmatch, held)):
            return True
    return False


def plain(cell: str) -> str:
    """`Correct_Answer` and `Answer 1 - max 75 characters (short)` without what does not name them."""
    return " ".join(re.sub(r"(?s)\(.*?\)|\s[-–]\s.*|[_-]", " ", cell[:LONGEST].casefold()).split())
