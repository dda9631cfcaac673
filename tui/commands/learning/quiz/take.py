"""`teachrun quiz take FILE`: questions in a plain terminal or a pipe."""

from __future__ import annotations

import argparse
import io
import sys
from pathlib import Path
from typing import TextIO

from quiz.answer_key import key_as_typed
from quiz.kinds.registry import SILENT, TYPED, UNGRADED
from quiz.shuffle import arranged
from slides.drawing.cells import clean
from tui.command_line.exit_codes import DONE, FAILED, INTERRUPTED, USAGE
from tui.deck.question_files import Refused, read
from tui.plain.question_asking import Answered, BadAnswer, ask, score_lines
from tui.rendering.escape_filter import dumps


def main(args: argparse.Namespace) -> int:
    try:
        source = read(args.deck, args.format)
    except Refused as error:
        return _refuse(str(error))
    for trouble in source.bank.troubles:
        where = f"{args.deck}:{trouble.line}"
        print(f"not asked: {clean(f'{where}: {trouble.message}. {trouble.mend}')}", file=sys.stderr)
    questions = [arranged(question, args.seed) for question in source.bank.questions if question.keyed]
    for question in source.bank.questions:
        if not question.keyed and question.kind not in SILENT:
            what = f"{args.deck}:{question.line}: `{question.kind}` has no key to grade by"
            print(f"not asked: {clean(what)}", file=sys.stderr)
    if not questions:
        how = "Write one between `::: quiz` and `:::`" if source.format == "deck" else "See `quiz check`"
        return _refuse(f"{args.deck}: no question to ask. {how}")

    try:
        answers = _answers(args.answers)
    except (OSError, UnicodeDecodeError) as error:
        return _refuse(f"{args.answers}: cannot be read ({error}). Give text, one answer a line")
    typed = answers.isatty()
    # With --json the object alone is stdout: a person reads the questions on stderr, a pipe needs none.
    page = sys.stdout if not args.json else sys.stderr if typed else io.StringIO()
    for stream in (page, answers):  # a sign that this terminal cannot show or send must not end the quiz
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        answered = ask(questions, answers, page, typed=typed)
    except BadAnswer as error:
        return _refuse(f"{args.answers or 'input'}:{error}")
    except KeyboardInterrupt:
        print("\nStopped; nothing was scored.", file=sys.stderr)
        return INTERRUPTED

    points, out_of = sum(a.grade.points for a in answered), sum(a.grade.out_of for a in answered)
    passed = points * 100 >= args.pass_mark * out_of
    verdict = "passed" if passed else "not passed"
    print(*score_lines(answered), sep="\n", file=page)
    print(f"\n{points:.4g} of {out_of:.4g} points: {verdict} ({args.pass_mark:g} % passes)", file=page)
    if args.json:
        rows = [_row(answer) for answer in answered]
        report = {"deck": args.deck, "questions": rows, "points": points, "out_of": out_of, "passed": passed}
        print(dumps(report))
    return DONE if passed else FAILED


def _answers(file: str | None) -> TextIO:
    if file:
        from slides.reading.from_disk.source import MAX_FILE, read_bytes

        return io.StringIO(read_bytes(Path(file), MAX_FILE).decode("utf-8-sig"), newline=None)
    return sys.stdin or io.StringIO()  # Python has no sys.stdin where the input was closed


def _row(answered: Answered) -> dict[str, object]:
    question, graded = answered.question, answered.grade
    row: dict[str, object] = {
        "id": question.id,
        "kind": question.kind,
        "points": graded.points,
        "out_of": graded.out_of,
        "choice": [n + 1 for n in answered.reply.choice],
        "key": [n + 1 for n in question.key],
        "right": graded.right,
    }
    if question.kind in TYPED and question.kind not in UNGRADED:
        row |= {"text": list(answered.reply.text), "answer": key_as_typed(question)}
    return row


def _refuse(message: str) -> int:
    print(f"teachrun quiz: {clean(message)}", file=sys.stderr)
    return USAGE
