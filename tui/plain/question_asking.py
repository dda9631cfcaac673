"""Questions asked in lines, one after the other, of somebody at a keyboard or of a file of answers."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TextIO

from quiz.answer_key import key_as_typed
from quiz.answers.option_labels import labels
from quiz.grade import Grade, grade
from quiz.markup import as_markdown
from quiz.question import Question
from quiz.reply import Reply, as_typed, how_to_answer, labels_of, read_reply
from slides.drawing.cells import clean, clip_text
from slides.drawing.text import plain

STOP = "q"  # the answer that ends a quiz
MAX_WIDTH = 100  # longer lines of prose are hard to read


class BadAnswer(ValueError):
    """A line that answers nothing. The message says what would."""


class Answered(NamedTuple):
    """A question, what was answered (an empty reply: skipped) and what it earns."""

    question: Question
    reply: Reply
    grade: Grade

    @property
    def given(self) -> bool:
        """Whether anything was answered at all."""
        return bool(self.reply.choice or any(self.reply.text))


def ask(
    questions: Sequence[Question],
    answers: TextIO,
    page: TextIO,
    *,
    typed: bool,
    keep: Callable[[Answered], None] = lambda answered: None,
) -> list[Answered]:
    """Every question with its answer; after a stop or the end of `answers` the rest is skipped. `keep` is
    told each answer before its solution is shown.

    The solution follows each answer. Where somebody types there is a prompt, and a bad line is asked again;
    elsewhere it raises BadAnswer with its number in front.
    """
    lines = enumerate(iter(answers.readline, ""), start=1)
    replies: list[Reply] = []
    for at, question in enumerate(questions, start=1):
        print(f"Question {at} of {len(questions)}\n", *_question_lines(question), sep="\n", file=page)
        reply = _pick(question, lines, page, typed)
        if reply is None:
            break
        replies.append(reply)
        keep(answered := _answered(question, reply))
        print(*_solution_lines(answered), "", sep="\n", file=page)
    replies += [Reply()] * (len(questions) - len(replies))
    return [_answered(question, reply) for question, reply in zip(questions, replies, strict=True)]


def _pick(question: Question, lines: Iterator[tuple[int, str]], page: TextIO, typed: bool) -> Reply | None:
    """The answer of the next line that is one: an empty one skips, None stops. Raises BadAnswer."""
    while True:
        if typed:
            print(
                f"{how_to_answer(question) or 'a word or two'} (Enter skips, {STOP} stops): ",
                end="",
                file=page,
                flush=True,
            )
        row, line = next(lines, (0, STOP))
        line = line.strip()
        if line == STOP:
            return None
        reply = read_reply(question, line)
        if isinstance(reply, Reply):
            return reply
        problem = f"{clean(line)[:20]!r} is not an answer. Write {reply}"
        if not typed:
            raise BadAnswer(f"{row}: {problem}")
        print(problem, file=page)


def _answered(question: Question, reply: Reply) -> Answered:
    return Answered(question, reply, grade(question, reply.choice, reply.text))


def _gapped(question: Question) -> str:
    """The stem with its gaps as lines to fill in."""
    stem = question.stem
    for n in range(1, len(question.gaps) + 1):
        stem = stem.replace("{{" + str(n) + "}}", f"`__{n}__`")
    return stem


def _question_lines(question: Question) -> list[str]:
    lines = [*_markdown(question, _gapped(question)), ""]
    if question.code:
        lines += [f"{n:5}  {line}" for n, line in enumerate(_clean_lines(question.code), start=1)]
    lefts, said = labels_of(question)
    for left, prompt in zip(lefts, question.prompts, strict=True):
        lines += _hang(f"  {left or '·'}  ", _markdown(question, prompt, indent=5))
    if question.prompts:
        lines.append("")
    for sign, option in zip(said, question.options, strict=True):
        lines += _hang(f"  {sign}  ", _markdown(question, option.text, indent=4 + len(sign)))
    for n, gap in enumerate(question.gaps, start=1):
        if gap.offered:
            told = zip(labels(gap.offered), gap.offered, strict=True)
            texts = "  ".join(f"{label}) {clean(text)}" for label, text in told)
            lines.append(f"  __{n}__  {texts}")
    return [*lines, ""]


def _solution_lines(answered: Answered) -> list[str]:
    """The verdict, then why: of each option, then of the whole."""
    question = answered.question
    lines = [f"{_sign(answered)} {_verdict(answered)}", ""]
    if answered.grade.explain:
        lines += [*_markdown(question, answered.grade.explain), ""]
    for n, (sign, option) in enumerate(zip(labels_of(question)[1], question.options, strict=True)):
        mark = f"  {sign} {'✓' if n in question.key else '✗'} "
        if option.explain:
            lines += _hang(mark, _markdown(question, option.explain, indent=6))
        elif option.right:
            lines.append(mark.rstrip())
    if question.verdicts:
        said = question.verdicts[0 if answered.grade.right else 1 if answered.grade.points else 2]
        lines += ["", *_markdown(question, said)] if said else []
    if question.explain:
        lines += ["", *_markdown(question, question.explain)]
    return lines


def score_lines(answered: Sequence[Answered]) -> list[str]:
    """A line a question: sign, points, what was picked, the key, and how the question begins."""

    lines = []
    for at, answer in enumerate(answered, start=1):
        stem = next(filter(None, _markdown(answer.question, _gapped(answer.question))), "")
        lines.append(clip_text(f"{at:>3} {_sign(answer)} {_verdict(answer):<32} {stem}", _width()))
    return lines


def _sign(answered: Answered) -> str:
    if answered.grade.right:
        return "✓"
    return "◐" if answered.grade.points else "✗" if answered.given else "–"


def _verdict(answered: Answered) -> str:
    question, reply = answered.question, answered.reply
    given = (
        (as_typed(question, reply.choice) or clean("; ".join(reply.text))) if answered.given else "skipped"
    )
    key = "" if answered.grade.right else f", right: {clean(key_as_typed(question))}"
    return f"{answered.grade.points:.3g} of {answered.grade.out_of:.3g}  {given}{key}"


def _markdown(question: Question, text: str, indent: int = 0) -> list[str]:
    """A question's text as plain lines that fit the terminal beside `indent` cells."""
    from slides.drawing.layout import layout_blocks
    from slides.reading.parse import parse_blocks

    blocks = parse_blocks(as_markdown(text, question.markup), "", question.line)
    return [plain(row).rstrip() for row in layout_blocks(blocks, 0, max(1, _width() - indent))]


def _width() -> int:
    return min(MAX_WIDTH, shutil.get_terminal_size().columns)


def _hang(first: str, lines: Sequence[str]) -> list[str]:
    """`lines` with `first` before the first of them and as much room before the others."""
    return [((" " * len(first) if n else first) + line).rstrip() for n, line in enumerate(lines or [""])]


def _clean_lines(code: str) -> list[str]:
    return [clean(line) for line in code.expandtabs(4).split("\n")]
