"""Questions: GIFT beside pygiftparser, a draw by tag from 10,000, and what the first slide pays for them.

    python tests/bench/questions.py [--questions 2000] [--json FILE]

Of pygiftparser (1.1; it needs setuptools<81) the questions that it reads as valid count; its warnings go
nowhere. `reading` is the parser alone, both warm in one process, on CPU time; `import` is a process from its
start to the questions of one file of 200, as `teachrun quiz import` and a script around the library do it.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import logging
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

ROOT = str(Path(__file__).parents[2])
PROSE = "How many bytes does each rank of the ring send, when the gradients are S bytes long? "
SHAPES = {
    "choice": "::Title {n}::Question {n}: who averages? {{=ring#yes ~tree#no ~star#no}}\n\n",
    "choice, long": f"::Title {{n}}::{PROSE * 6} {{n}} {{{{\n=a#{PROSE * 3}\n~b#{PROSE * 3}\n~c\n}}}}\n\n",
    "choice, exported": (
        "::Title {n}::[html]<p>Question {n}\\: which of these averages the gradients?</p>{{\n"
        "\t=ring#<p>Every chunk goes round twice.</p>\n\t~tree#<p>Half of the links are idle.</p>\n"
        "\t~%50%star#<p>One link carries all of it.</p>\n\t~none#<p>Then nothing is learned.</p>\n"
        "\t####<p>See the lecture on rings.</p>\n}}\n\n"
    ),
    "several right": "::Title {n}::Which of {n}? {{~%50%DDP ~%50%FSDP ~%-50%none ~%-50%all}}\n\n",
    "essay": f"::Title {{n}}::{PROSE * 2}{{n}} {{{{}}}}\n\n",
    "true or false": "::Title {n}::Rank {n} averages.{{T#wrong#right}}\n\n",
    "number": "::Title {n}::How many steps has a ring of {n}? {{#6:0.5}}\n\n",
    "text": "::Title {n}::Two plus two is {n} {{=four =4}}\n\n",
    "pairs": "::Title {n}::Match {n}. {{ =Canada -> Ottawa =Italy -> Rome =Japan -> Tokyo }}\n\n",
}
OURS = "import sys; from tui.deck.question_files import read; print(len(read(sys.argv[1]).bank.questions))"
THEIRS = (
    "import sys; from pygiftparser import parser; file = open(sys.argv[1], encoding='utf-8'); "
    "print(sum(question.valid for question in parser.parseFile(file)))"
)


def text(shape: str, count: int) -> str:
    return "".join(SHAPES[shape].format(n=n) for n in range(count))


def cpu_s(work: object, repeats: int = 5) -> float:
    """The best of a few, in CPU seconds: what is slower was disturbed."""
    assert callable(work)
    taken = []
    for _ in range(repeats):
        begin = time.process_time()
        work()
        taken.append(time.process_time() - begin)
    return min(taken)


def reading(count: int) -> dict[str, dict[str, float]]:
    """Microseconds a question of both, by shape."""
    from quiz.formats.gift import reader

    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pygiftparser import parser
    logging.disable(logging.WARNING)
    found = {}
    files = {shape: text(shape, count) for shape in SHAPES}
    each = count // len(SHAPES) + 1
    files["all of these"] = "".join(SHAPES[shape].format(n=n) for n in range(each) for shape in SHAPES)
    for shape, source in files.items():
        asked = len(reader.read(source).questions)
        assert asked == (count if shape in SHAPES else each * len(SHAPES))
        assert sum(question.valid for question in parser.parseFile(io.StringIO(source))) == asked
        ours, theirs = 1.0, 1.0
        for _ in range(9):  # in turn, so that what disturbs one disturbs the other
            ours = min(ours, cpu_s(lambda source=source: reader.read(source), 1) / asked)
            theirs = min(
                theirs, cpu_s(lambda source=source: parser.parseFile(io.StringIO(source)), 1) / asked
            )
        found[shape] = {"ours_us": ours * 1e6, "pygiftparser_us": theirs * 1e6, "ratio": theirs / ours}
    return found


def importing(folder: Path) -> dict[str, float]:
    """CPU seconds of a process that reads a file of 200 questions, in turn, the median of seven."""
    path = folder / "mixed.gift"
    path.write_text("".join(text(shape, 200 // len(SHAPES) + 1) for shape in SHAPES))
    taken: dict[str, list[float]] = {OURS: [], THEIRS: []}
    for _ in range(7):
        for code, seconds in taken.items():
            before = os.times()
            subprocess.run(
                [sys.executable, "-W", "ignore", "-c", code, path], cwd=ROOT, capture_output=True, check=True
            )
            after = os.times()
            seconds.append(
                after.children_user + after.children_system - before.children_user - before.children_system
            )
    ours, theirs = (statistics.median(taken[code]) for code in (OURS, THEIRS))
    return {"ours_s": ours, "pygiftparser_s": theirs, "ratio": theirs / ours}


def drawing(folder: Path) -> dict[str, float]:
    """CPU milliseconds of a draw of ten by tag from 10,000, each of a bank opened anew."""
    from quiz.question import Option, Question
    from quiz.question_bank import QuestionBank

    options = (Option("a", True), Option("b"), Option("c"))
    asked = (
        Question(f"q{n}", "single", f"{PROSE} {n}", options, tags=(f"topic{n % 7}", f"level{n % 3}"))
        for n in range(10_000)
    )
    QuestionBank(folder / "bank.sqlite").put(asked)
    taken = [
        cpu_s(lambda n=n: QuestionBank(folder / "bank.sqlite").draw([f"topic{n}"], 10, "seed"), 9) * 1e3
        for n in range(7)
    ]
    two = cpu_s(lambda: QuestionBank(folder / "bank.sqlite").draw(["topic1", "level1"], 10, "seed"), 9) * 1e3
    return {"one_tag_ms": max(taken), "two_tags_ms": two}


def first_slide(folder: Path) -> dict[str, float]:
    """CPU milliseconds that opening a deck without `::: questions` pays, and what of quiz it has imported."""
    deck = folder / "deck.md"
    deck.write_text("# One\n\nText\n\n---\n\n# Two\n")
    code = (
        "import sys, time; from tui.deck.contents import open_deck; begin = time.process_time(); "
        "from tui.deck.questions_directive import pull; from pathlib import Path; "
        "source = open(sys.argv[1]).read(); "
        "begin2 = time.process_time(); pull(source, Path(sys.argv[1])); end = time.process_time(); "
        "open_deck(sys.argv[1]); print(begin2 - begin, end - begin2, "
        "sum(name == 'sqlite3' or name.split('.')[0] == 'quiz' for name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, deck], cwd=ROOT, capture_output=True, text=True, check=True
    )
    imported, pulled, modules = map(float, done.stdout.split())
    return {"import_ms": imported * 1e3, "pull_ms": pulled * 1e3, "modules_of_quiz": modules}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    options.add_argument("--questions", type=int, default=2000)
    options.add_argument("--json", metavar="FILE")
    args = options.parse_args()
    sys.path.insert(0, ROOT)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = {
            "reading": reading(args.questions),
            "import": importing(folder),
            "draw": drawing(folder),
            "first_slide": first_slide(folder),
        }
    print(f"{'a question of':16} {'ours':>9} {'pygiftparser':>13} {'ratio':>7}")
    for shape, row in found["reading"].items():
        print(f"{shape:16} {row['ours_us']:6.1f} us {row['pygiftparser_us']:10.1f} us {row['ratio']:7.2f}")
    for name, figures in list(found.items())[1:]:
        print(f"{name}: " + ", ".join(f"{key} {value:.3f}" for key, value in figures.items()))
    if args.json:
        Path(args.json).write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
