"""`teachrun quiz check|import|export`: the files of questions that teachers own, and the bank."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from quiz.formats.nearest_kind import Loss, written
from quiz.formats.read_result import Bank, slug
from quiz.formats.registry import FORMATS, Format, named, recognised
from quiz.question import Question, Trouble
from runtime.atomic_write import put
from slides.drawing.cells import clean
from slides.drawing.screen_reader_lines import many
from teachrun import install_extra
from tui.command_line.arguments import add_output
from tui.command_line.exit_codes import DONE, FAILED, USAGE
from tui.deck.question_files import FORMATS_READ, Refused, bank_path, read
from tui.rendering.escape_filter import dumps

if TYPE_CHECKING:
    from quiz.question_bank import QuestionBank, Taken

WRITTEN = [one.name for one in FORMATS if one.writer]


def configure(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    check = commands.add_parser(
        "check",
        help="every error in a file of questions, with line and column",
        description="Reads GIFT, Moodle XML, QTI, Aiken, CSV or a deck and says what is wrong, and where.",
        epilog="Exit code: 0 without errors, 1 with some, 2 when the file cannot be read at all.",
    )
    check.add_argument("file", metavar="FILE")
    check.add_argument("--json", action="store_true", help="print one object")
    _format(check)
    take_in = commands.add_parser(
        "import",
        help="add the questions in files to your bank",
        description="Adds the questions that have no errors to your bank, and lists the errors in the "
        "others. The bank is one file in the data folder; `::: questions tags=ring n=3` in a deck asks three "
        "questions from it.",
    )
    take_in.add_argument("files", metavar="FILE", nargs="+")
    take_in.add_argument(
        "--tag", action="append", default=[], help="a tag for each of them (may be repeated)"
    )
    take_in.add_argument(
        "--replace", action="store_true", help="replace questions of the same name that differ"
    )
    _known(take_in, "the name of these questions in the bank (default: the file's name)")
    take_in.add_argument("--json", action="store_true", help="print one object")
    _format(take_in)
    export = commands.add_parser(
        "export",
        help="write questions as GIFT, Moodle XML, Aiken, CSV, a deck, JSON or Anki cards",
        description="Writes the questions of a file or a deck, or of your bank if you name none. What "
        "the format cannot hold is reported.",
    )
    export.add_argument("file", metavar="FILE", nargs="?")
    export.add_argument(
        "--to", metavar="FORMAT", choices=[*WRITTEN, "anki"], help=f"{', '.join(WRITTEN)}, anki"
    )
    add_output(export, "file to write; the ending of its name may choose the format")
    export.add_argument(
        "--tag", action="append", default=[], help="only those with this tag (may be repeated)"
    )
    _known(export, "the name by which Anki recognises these cards (default: the file's path, or your bank)")
    _format(export)


def _known(parser: argparse.ArgumentParser, help: str) -> None:
    parser.add_argument("--as", dest="known", metavar="NAME", default="", help=help)


def _format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format",
        metavar="FORMAT",
        choices=FORMATS_READ,
        default="",
        help=f"the format of FILE (default: recognised by its name and text): {', '.join(FORMATS_READ)}",
    )


def main(args: argparse.Namespace) -> int:
    from quiz.question_bank import BankError

    try:
        if args.quiz_command == "check":
            return _check(args)
        return _import(args) if args.quiz_command == "import" else _export(args)
    except (Refused, BankError) as error:
        if args.quiz_command == "check" and args.json:
            message, _, mend = str(error).partition(". ")
            print(_report(args.file, None, Bank((), (Trouble(0, message, mend),))))
        print(f"teachrun quiz: {clean(str(error))}", file=sys.stderr)
        return USAGE


def _check(args: argparse.Namespace) -> int:
    source = read(args.file, args.format)
    questions, troubles, notes = source.bank
    if args.json:
        print(_report(source.name, source.format, source.bank))
    else:
        _say(source.name, troubles)
        _say(source.name, notes, "note: ")
        kinds = Counter(question.kind for question in questions)
        told = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
        errors = f"; {many(len(troubles), 'error')}" if troubles else ""
        print(f"{clean(source.name)} ({source.format}): {many(len(questions), 'question')}", end="")
        print(f" ({told}){errors}" if told else errors)
    return FAILED if troubles or not (questions or notes) else DONE


def _report(name: str, format: str | None, bank: Bank) -> str:
    """What `check --json` prints; of a file that cannot be read `format` is null, line and column are 0."""
    report = {
        "file": name,
        "format": format,
        "questions": len(bank.questions),
        "kinds": dict(Counter(question.kind for question in bank.questions)),
        "errors": _rows(bank.troubles),
        "notes": _rows(bank.notes),
    }
    return dumps(report)


def _import(args: argparse.Namespace) -> int:
    from msgspec.structs import replace

    from quiz.question_bank import QuestionBank

    sources = [read(file, args.format) for file in dict.fromkeys(args.files)]
    bank = QuestionBank(bank_path())
    stems = Stems(bank.origins())
    files: list[tuple[str, list[Question]]] = []
    for source in sources:
        _say(source.name, source.bank.troubles)
        _say(source.name, source.bank.notes, "note: ")
        origin = origin_of(source.name)
        # An id is only alone in its own file: the file's name keeps two files apart.
        name = slug(Path(source.name).name) or "file"
        stem = slug(args.known) if args.known else stems.of(origin, name)
        if not args.known and stem != name:
            what = f"called {stem} here, for questions of another file are called {name}"
            print(f"{clean(source.name)}: {what} (--as {name}: they are the same)", file=sys.stderr)
        files.append(
            (
                origin,
                [
                    replace(
                        question,
                        id=f"{stem}/{question.id}",
                        tags=tuple(dict.fromkeys((*question.tags, *args.tag))),
                    )
                    for question in source.bank.questions
                ],
            )
        )
    questions = [question for _, some in files for question in some]
    taken = bank.put_all(files, replaces=args.replace)
    if taken.refused:
        return _kept(args, taken, bank)
    skipped = sum(len(source.bank.troubles) for source in sources)
    if args.json:
        errors = {source.name: _rows(source.bank.troubles) for source in sources}
        told = {"new": taken.new, "changed": taken.changed, "same": taken.same}
        print(dumps({**told, "bank": str(bank_path()), "errors": errors}))
    else:
        parts = [f"{taken.new} new", f"{taken.changed} changed", f"{taken.same} as they were"]
        print(f"{many(len(questions), 'question')} in {bank_path()}: {', '.join(parts)}")
        if skipped:
            print(f"{many(skipped, 'error')} above: fix the file and import it again", file=sys.stderr)
    return FAILED if skipped and not questions else DONE


def _kept(args: argparse.Namespace, taken: Taken, bank: QuestionBank) -> int:
    """Nothing was imported: what would have been replaced, and how to have it."""
    if args.json:
        print(dumps({"bank": str(bank.path), "replaces": list(taken.refused)}))
    where = bank.origins()
    print(f"teachrun quiz: nothing was imported: {bank.path} has these with other words:", file=sys.stderr)
    for id in taken.refused:
        known = f"  (of {where[id]})" if where.get(id) else ""
        print(clean(f"  {id}{known}"), file=sys.stderr)
    print("Say --replace to have the new ones in their place, or --as NAME to keep both.", file=sys.stderr)
    return FAILED


def origin_of(path: str) -> str:
    """Where questions are from, as it is written down: a file by its whole path, however it was named."""
    return path if path == "-" else str(Path(path).resolve())


class Stems:
    """What the questions of a file are called by in a bank: the name of the file, with a number where another
    file has that."""

    def __init__(self, origins: Mapping[str, str]) -> None:
        self._owners: dict[str, set[str]] = {}
        real = {origin: origin_of(origin) if origin else "" for origin in set(origins.values())}
        for id, origin in origins.items():
            self._owners.setdefault(id.partition("/")[0], set()).add(real[origin])

    def of(self, origin: str, name: str) -> str:
        """The stem for ids of questions from file `origin`: `name`, numbered where it is taken."""
        known = next((stem for stem, owners in self._owners.items() if origin in owners), "")
        numbered = (f"{name}-{n}" if n > 1 else name for n in count(1))
        # Of questions from before it was written down nobody knows: they may be of this file.
        free = (stem for stem in numbered if not self._owners.get(stem, set()) - {origin, ""})
        stem = known or next(free)
        self._owners.setdefault(stem, set()).add(origin)
        return stem


def _export(args: argparse.Namespace) -> int:
    from quiz.question_bank import QuestionBank

    by_name = recognised(args.output) if args.output else None
    anki = args.to == "anki" or (not args.to and (args.output or "").endswith(".apkg"))
    chosen = named(args.to) if args.to and not anki else by_name
    if not anki and (chosen is None or not chosen.writer):
        raise Refused(f"as what? Write --to and one of {', '.join(WRITTEN)}, anki")
    if args.file:
        source = read(args.file, args.format)
        _say(source.name, source.bank.troubles)
        wanted = {tag.casefold() for tag in args.tag}
        questions = [q for q in source.bank.questions if wanted <= {tag.casefold() for tag in q.tags}]
    else:
        questions = QuestionBank(bank_path()).all(args.tag)
    if not questions:
        raise Refused("no questions to write" + (f" with {', '.join(args.tag)}" if args.tag else ""))
    if anki:
        return _anki(questions, args)
    assert chosen is not None
    return _written(chosen, questions, args.output)


def _written(format: Format, questions: Sequence[Question], output: str | None) -> int:
    folder, files = "", dict[str, bytes]()
    if output and format.name == "markdown" and any(question.files for question in questions):
        from quiz.formats.pictures import placed

        folder = f"{slug(Path(output).stem) or 'deck'}-files"
        questions, files = placed(questions, folder)
    text, losses = format.write(questions)
    for loss in losses:
        print(f"{clean(loss.id)}: {clean(loss.what)}", file=sys.stderr)
    if not written(questions, losses):
        return _none_written(format.name, questions)
    if not output:
        sys.stdout.write(text)
        return DONE
    for name, data in files.items():
        path = Path(output).parent / folder / name
        try:
            path.parent.mkdir(exist_ok=True)
        except OSError as error:
            raise Refused(f"{path.parent} cannot be made ({error.strerror or error})") from error
        replace_file(str(path), data)
    replace_file(output, text.encode())
    return _counted("question", questions, losses, output)


def _none_written(format: str, questions: Sequence[Question]) -> int:
    """Say that the format can say none of them: what stands in the file stays."""
    said = f"nothing was written: {format} can say none of {many(len(questions), 'question')}"
    print(f"teachrun quiz: {said}", file=sys.stderr)
    return FAILED


def _counted(what: str, questions: Sequence[Question], losses: Sequence[Loss], output: str) -> int:
    """Say what stands in the file now, and how many questions do not."""
    gone = len({loss.id for loss in losses if loss.more < 0})
    left = f", {many(gone, 'question')} left out" if gone else ""
    print(f"{many(written(questions, losses), what)} written to {clean(output)}{left}", file=sys.stderr)
    return DONE


def _anki(questions: Sequence[Question], args: argparse.Namespace) -> int:
    """Where they are from, a file or a bank, tells cards apart that have the same id."""
    from quiz.question_bank import QuestionBank

    output = args.output
    if args.file == "-" and not args.known:
        raise Refused("Anki cards from a pipe need a name of their deck that stays: say --as NAME")
    origin = args.known or (origin_of(args.file) if args.file else QuestionBank(bank_path()).known_as())
    if not output:
        raise Refused("Anki cards are a file: write -o cards.apkg")
    try:
        from quiz.formats import anki
    except ImportError:
        raise Refused(f"Anki cards are written by genanki: {install_extra('anki')}") from None
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "cards.apkg"
        losses = anki.write(questions, made, origin=origin)
        for loss in losses:
            print(f"{clean(loss.id)}: {clean(loss.what)}", file=sys.stderr)
        if not written(questions, losses):
            return _none_written("anki", questions)
        replace_file(output, made.read_bytes())
    if placed := [question for question in questions if anki.of_a_place(question)]:
        what = f"{many(len(placed), 'question')} without an id: other words make another card"
        print(f"{what} (write `::: quiz {{#id}}`, and its card follows)", file=sys.stderr)
    if args.file and not args.known:
        stays = "a renamed or moved file makes new cards, --as NAME is a name that stays"
        print(clean(f"Anki knows these by {origin}: {stays}"), file=sys.stderr)
    return _counted("card", questions, losses, output)


def replace_file(output: str, data: bytes) -> None:
    """The whole file or none: what is there stays until the new one is written. Raises `Refused`."""
    try:
        put(output, data)
    except OSError as error:
        raise Refused(f"{output} cannot be written ({error.strerror or error})") from error


def _rows(troubles: Sequence[Trouble]) -> list[dict[str, object]]:
    return [{"line": t.line, "column": t.column, "message": t.message, "mend": t.mend} for t in troubles]


def _say(name: str, troubles: Sequence[Trouble], mark: str = "") -> None:
    for trouble in troubles:
        place = f"{name}:{trouble.line}" + (f":{trouble.column}" if trouble.column else "")
        print(clean(f"{place}: {mark}{trouble.message}. {trouble.mend}"), file=sys.stderr)
