"""Rows as Blackboard takes them for its tests: a kind, a question and its answers, with a tab between them.

There is no head: the first cell of each row is the kind (`MC`, `TF` …), as Blackboard's page "Upload
Questions" lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from quiz.answers.tolerance_as_written import number
from quiz.question import Accepted, Gap, Option, Question, Trouble

_ESSAYS = ("ESS", "SR", "OP")  # an essay, a short answer that a person grades, an opinion
_NOT_READ = {
    "FIL": "a file handed in",
    "JUMBLED_SENTENCE": "a jumbled sentence",
    "QUIZ_BOWL": "a quiz bowl",
}


def like(row: Sequence[str]) -> bool:
    """Whether a row begins as all of Blackboard's do. A head, or a question of ours, never does."""
    return len(row) > 1 and row[0].strip() in (*_KINDS, *_ESSAYS, *_NOT_READ) and bool(row[1].strip())


def read(row: Sequence[str], line: int) -> Question | Trouble:
    """The question of a row."""
    name, stem, *cells = [cell.strip() for cell in row]
    while cells and not cells[-1]:
        cells.pop()
    made = Question(id="", kind="essay", stem=stem, line=line)
    if name in _ESSAYS:
        return replace(made, explain=" ".join(cells))
    if name in _KINDS:
        return _KINDS[name](made, cells)
    what = _NOT_READ.get(name, f"{name[:20]!r}, a kind that Blackboard does not have")
    return Trouble(line, f"{what} is not read", f"Known are {', '.join((*_KINDS, *_ESSAYS))}", 1)


def _choice(made: Question, cells: list[str]) -> Question | Trouble:
    pairs = list(zip(cells[::2], cells[1::2], strict=False))
    if len(cells) % 2 or any(said.lower() not in ("correct", "incorrect") for _, said in pairs):
        return Trouble(
            made.line, "an option without its verdict", "Write `correct` or `incorrect` behind it", 1
        )
    options = tuple(Option(text, said.lower() == "correct") for text, said in pairs)
    right = sum(option.right for option in options)
    if not right or len(options) < 2:
        return Trouble(made.line, "no option is right, or there is only one", "Write `correct` behind it", 1)
    return replace(made, kind="single" if right == 1 else "multi", options=options)


def _several(made: Question, cells: list[str]) -> Question | Trouble:
    chosen = _choice(made, cells)
    return replace(chosen, kind="multi") if isinstance(chosen, Question) else chosen


def _statement(made: Question, cells: list[str]) -> Question | Trouble:
    if [cell.lower() for cell in cells] not in (["true"], ["false"]):
        return Trouble(made.line, "a statement that is neither true nor false", "Write `true` or `false`", 1)
    true = cells[0].lower() == "true"
    return replace(made, kind="truefalse", options=(Option("True", true), Option("False", not true)))


def _ordered(made: Question, cells: list[str]) -> Question | Trouble:
    if len(cells) < 2:
        return Trouble(made.line, "there is nothing to put in order", "Write each item, in right order", 1)
    return replace(made, kind="order", options=tuple(map(Option, cells)), sequence=tuple(range(len(cells))))


def _matched(made: Question, cells: list[str]) -> Question | Trouble:
    left, right = cells[::2], cells[1::2]
    if len(left) < 2 or len(left) != len(right) or not all(cells):
        return Trouble(made.line, "there are not two pairs to match", "Write both sides of each", 1)
    sides = list(dict.fromkeys(right))
    sequence = tuple(map(sides.index, right))
    return replace(
        made, kind="match", prompts=tuple(left), options=tuple(map(Option, sides)), sequence=sequence
    )


def _typed(made: Question, cells: list[str]) -> Question | Trouble:
    if not any(cells):
        return Trouble(made.line, "this row has no right answer", "Write it in the third column", 1)
    return replace(made, kind="text", accepted=tuple(map(Accepted, filter(None, cells))))


def _number(made: Question, cells: list[str]) -> Question | Trouble:
    off = cells[1] if len(cells) > 1 else ""
    value = number(f"{cells[0]} ± {off}" if off else cells[0]) if cells else None
    if value is None:
        return Trouble(made.line, "its answer is not a number", "Write it in the third column", 1)
    return replace(made, kind="numeric", accepted=(Accepted(cells[0], number=value),))


def _gaps(made: Question, cells: list[str]) -> Question | Trouble:
    """`a, red, (empty), b, blue, violet`: what may stand in `[a]` and in `[b]` of the text."""
    groups: list[list[str]] = [[]]
    for cell in cells:
        if cell:
            groups[-1].append(cell)
        else:
            groups.append([])
    stem, gaps = made.stem, []
    for name, *right in filter(None, groups):
        if not right or f"[{name}]" not in stem:
            what = f"the gap {name[:20]!r} has no answer, or no place in the text"
            return Trouble(made.line, what, "Write `[name]` there, and name and answers as cells", 1)
        gaps.append((stem.index(f"[{name}]"), name, Gap(tuple(map(Accepted, right)))))
    if not gaps:
        return Trouble(
            made.line, "a text without gaps", "Write `[name]` in it, and name and answers as cells", 1
        )
    gaps.sort(key=lambda gap: gap[0])
    for n, (_, name, _) in enumerate(gaps, start=1):
        stem = stem.replace(f"[{name}]", "{{" + str(n) + "}}", 1)
    held = tuple(gap for _, _, gap in gaps)
    return replace(made, kind="cloze", stem=stem, gaps=held)


_KINDS: dict[str, Callable[[Question, list[str]], Question | Trouble]] = {
    "MC": _choice,
    "MA": _several,
    "TF": _statement,
    "ORD": _ordered,
    "MAT": _matched,
    "FIB": _typed,
    "FIB_PLUS": _gaps,
    "NUM": _number,
}
