"""`teachrun quiz take DECK`: the questions of a deck in a plain terminal or a pipe."""

from __future__ import annotations

import argparse
import io
import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TextIO

from quiz.grade import Grade, grade
from quiz.parse import parse_question
from quiz.question import Question
from slides.problems import Problem
from tui.commands.check import add_format

if TYPE_CHECKING:
    from slides.deck import Deck

STOP = "q"
MAX_WIDTH = 100  # longer lines of prose are hard to read
PASSED, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


class BadAnswer(ValueError):
    """A line that answers nothing. The message says what would."""


class Answered(NamedTuple):
    """A question, the 0-based options picked (none: skipped) and what they earn."""

    question: Question
    choice: tuple[int, ...]
    grade: Grade


def configure(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="quiz_command", metavar="COMMAND", required=True)
    take = commands.add_parser(
        "take",
        help="answer the questions of a deck",
        description="Asks every question of a deck and says the score. An answer is a line: `2`, `1,3`, "
        f"empty to skip, `{STOP}` to stop. Without a terminal they come one a line, and the end of the input "
        "skips the rest.",
        epilog="Exit code: 0 when the pass mark is reached, 1 when not, 2 when the deck or an answer cannot "
        "be read.",
    )
    take.add_argument("deck", metavar="DECK", help="a Markdown deck")
    add_format(take)
    take.add_argument(
        "--json", action="store_true", help="print one object; options are counted from 1 in it"
    )
    take.add_argument("--answers", metavar="FILE", help="take the answers from a file instead of the input")
    take.add_argument(
        "--pass",
        dest="pass_mark",
        metavar="PERCENT",
        type=_percent,
        default=50.0,
        help="share of all points that passes (50%%)",
    )


def main(args: argparse.Namespace) -> int:
    from slides.source import DeckError
    from tui.session import open_deck

    try:
        deck = open_deck(args.deck, args.format)
    except DeckError as error:
        return _refuse(str(error.problem))
    questions, problems = read_questions(deck)
    for problem in problems:
        print(f"not asked: {_clean(str(problem))}", file=sys.stderr)
    if not questions:
        return _refuse(f"{args.deck}: no question to ask. Write one between `::: quiz` and `:::`")

    try:
        answers = _answers(args.answers)
    except (OSError, UnicodeDecodeError) as error:
        return _refuse(f"{args.answers}: cannot be read ({error}). Give text, one answer a line")
    typed = answers.isatty()
    # With --json the object alone is stdout: whoever types reads the questions on stderr, a pipe needs none.
    page = sys.stdout if not args.json else sys.stderr if typed else io.StringIO()
    for stream in (page, answers):  # a sign that this terminal cannot show or send must not end the quiz
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        answered = ask(deck, questions, answers, page, typed=typed)
    except BadAnswer as error:
        return _refuse(f"{args.answers or 'input'}:{error}")
    except KeyboardInterrupt:
        print("\nStopped; nothing was scored.", file=sys.stderr)
        return INTERRUPTED

    points, out_of = sum(a.grade.points for a in answered), sum(a.grade.out_of for a in answered)
    passed = points * 100 >= args.pass_mark * out_of
    verdict = "passed" if passed else "not passed"
    print(*_score_lines(deck, answered), sep="\n", file=page)
    print(f"\n{points:.4g} of {out_of:.4g} points: {verdict} ({args.pass_mark:g} % passes)", file=page)
    if args.json:
        rows = [_row(answer) for answer in answered]
        report = {"deck": deck.path, "questions": rows, "points": points, "out_of": out_of, "passed": passed}
        print(json.dumps(report))
    return PASSED if passed else FAILED


def read_questions(deck: Deck) -> tuple[list[Question], list[Problem]]:
    """The questions of a deck in order, and why the others are not among them."""
    from tui.session import Contents

    contents = Contents(deck)
    questions: list[Question] = []
    problems: list[Problem] = []
    for block in (block for index in range(len(contents)) for block in contents.quizzes(index)):
        if block.directive != "quiz":
            what = f"`::: {block.directive}` has no key to grade by"
            mend = "Write `::: quiz`, with the right option ticked, to ask it"
            problems.append(Problem(deck.path, block.line, what, mend))
            continue
        found = parse_question(block.id, block.kind, block.attrs, block.body, block.body_line)
        if isinstance(found, Question) and found.kind not in ("single", "multi"):
            what = f"`kind={found.kind}` is not asked by this version"
            problems.append(Problem(deck.path, block.line, what, "Ask it with options"))
        elif isinstance(found, Question):
            questions.append(found)
        else:
            problems += [Problem(deck.path, trouble.line, trouble.message, trouble.mend) for trouble in found]
    return questions, problems


def read_answer(line: str, question: Question) -> tuple[int, ...] | None:
    """The 0-based options a line picks: () skips, None stops. Raises BadAnswer."""
    words = line.replace(",", " ").split()
    if words == [STOP]:
        return None
    legal = {str(n + 1): n for n in range(len(question.options))}
    strange = [word for word in words if word not in legal]
    if strange:
        example = "1,3" if question.kind == "multi" else "2"
        what = f"{_clean(strange[0])[:20]!r} is no option"
        raise BadAnswer(f"{what}. Write numbers from 1 to {len(legal)}, as in `{example}`")
    choice = tuple(sorted({legal[word] for word in words}))
    if question.kind == "single" and len(choice) > 1:
        raise BadAnswer("this question has one right option. Pick one")
    return choice


def ask(
    deck: Deck, questions: Sequence[Question], answers: TextIO, page: TextIO, *, typed: bool
) -> list[Answered]:
    """Every question with its answer; after a stop or the end of `answers` the rest is skipped.

    Where somebody types there is a prompt, a bad line is asked again, and the solution follows at once.
    Elsewhere a bad line raises BadAnswer with its number in front.
    """
    lines = enumerate(iter(answers.readline, ""), start=1)
    choices: list[tuple[int, ...]] = []
    for number, question in enumerate(questions, start=1):
        print(
            f"Question {number} of {len(questions)}\n", *_question_lines(deck, question), sep="\n", file=page
        )
        choice = _pick(question, lines, page, typed)
        if choice is None:
            break
        choices.append(choice)
        if typed:
            print(*_solution_lines(deck, _answered(question, choice)), "", sep="\n", file=page)
    choices += [()] * (len(questions) - len(choices))
    return [_answered(question, choice) for question, choice in zip(questions, choices, strict=True)]


def _pick(
    question: Question, lines: Iterator[tuple[int, str]], page: TextIO, typed: bool
) -> tuple[int, ...] | None:
    how = "one number" if question.kind == "single" else "numbers, as 1,3"
    while True:
        if typed:
            print(f"{how} (Enter skips, {STOP} stops): ", end="", file=page, flush=True)
        number, line = next(lines, (0, STOP))
        try:
            return read_answer(line, question)
        except BadAnswer as error:
            if not typed:
                raise BadAnswer(f"{number}: {error}") from None
            print(error, file=page)


def _answered(question: Question, choice: tuple[int, ...]) -> Answered:
    return Answered(question, choice, grade(question, choice))


def _question_lines(deck: Deck, question: Question) -> list[str]:
    lines = _markdown(deck, question.stem, question.line)
    lines.append("")
    for number, option in enumerate(question.options, start=1):
        lines += _hang(f"  {number}  ", _markdown(deck, option.text, question.line, indent=5))
    return [*lines, ""]


def _solution_lines(deck: Deck, answered: Answered) -> list[str]:
    """The verdict, then why: of each option, then of the whole."""
    question = answered.question
    lines = [f"{_sign(answered)} {_verdict(answered)}", ""]
    for number, option in enumerate(question.options, start=1):
        mark = f"  {number} {'✓' if option.right else '✗'} "
        if option.explain:
            lines += _hang(mark, _markdown(deck, option.explain, question.line, indent=6))
        elif option.right:
            lines.append(mark.rstrip())
    if question.explain:
        lines += ["", *_markdown(deck, question.explain, question.line)]
    return lines


def _score_lines(deck: Deck, answered: Sequence[Answered]) -> list[str]:
    """A line a question: sign, points, what was picked, the key, and how the question begins."""
    from slides.cells import clip_text

    lines = []
    for number, answer in enumerate(answered, start=1):
        stem = next(filter(None, _markdown(deck, answer.question.stem, answer.question.line)), "")
        line = f"{number:>3} {_sign(answer)} {_verdict(answer):<32} {stem}"
        lines.append(clip_text(line, _width()))
    return lines


def _sign(answered: Answered) -> str:
    return "✓" if answered.grade.right else "✗" if answered.choice else "–"


def _verdict(answered: Answered) -> str:
    picked = _numbers(answered.choice) or "skipped"
    key = "" if answered.grade.right else f", right: {_numbers(answered.question.key)}"
    return f"{answered.grade.points:.3g} of {answered.grade.out_of:.3g}  {picked}{key}"


def _numbers(choice: Sequence[int]) -> str:
    return ",".join(str(n + 1) for n in choice)


def _answers(file: str | None) -> TextIO:
    if file:
        return io.StringIO(Path(file).read_text("utf-8-sig"))
    return sys.stdin or io.StringIO()  # Python has no sys.stdin where the input was closed


def _row(answered: Answered) -> dict[str, object]:
    question, graded = answered.question, answered.grade
    return {
        "id": question.id,
        "kind": question.kind,
        "points": graded.points,
        "out_of": graded.out_of,
        "choice": [n + 1 for n in answered.choice],
        "key": [n + 1 for n in question.key],
        "right": graded.right,
    }


def _markdown(deck: Deck, markdown: str, line: int, indent: int = 0) -> list[str]:
    """Markdown as plain lines that fit the terminal beside `indent` cells."""
    from slides.layout import layout_blocks
    from slides.parse import parse_blocks
    from slides.text import plain

    blocks = parse_blocks(markdown, deck.path, line)
    return [plain(row).rstrip() for row in layout_blocks(blocks, 0, max(1, _width() - indent))]


def _width() -> int:
    return min(MAX_WIDTH, shutil.get_terminal_size().columns)


def _hang(first: str, lines: Sequence[str]) -> list[str]:
    """`lines` with `first` before the first of them and as much room before the others."""
    return [((" " * len(first) if n else first) + line).rstrip() for n, line in enumerate(lines or [""])]


def _clean(text: str) -> str:
    """A deck's or a stranger's text in a message: nothing a terminal would obey."""
    from slides.cells import clean

    return clean(text)


def _percent(text: str) -> float:
    try:
        share = float(text.removesuffix("%"))
    except ValueError:
        share = -1.0
    if share != 0 and not 1 <= share <= 100:  # 0.6 would be meant as 60 %
        raise argparse.ArgumentTypeError(f"{text!r} is no share. Write a percentage from 0 to 100, as in 60%")
    return share


def _refuse(message: str) -> int:
    print(f"teachrun quiz: {_clean(message)}", file=sys.stderr)
    return USAGE
