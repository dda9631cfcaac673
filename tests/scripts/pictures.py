"""Pictures of every slide of a deck, and of its questions before and after the reveal.

    python tests/scripts/pictures.py talk.md folder --sizes 160x45 80x24 --slides memory predict --theme light

Writes `SIZE-NUMBER-SLIDE[-WHEN].png`, and a `SIZE.png` with all of them small. Answers to a question are made
up, and what was measured for a prediction: these are pictures of a layout, not of a class.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from PIL import Image
from png import lines_to_png

from quiz.answer_key import told
from quiz.question import Question
from runtime.classroom.actions import Answer, AnyAction, Entry, Lock, Measured, Move, Open, Reveal, Role
from runtime.classroom.question_state import Sample
from runtime.classroom.state import ClassState, apply
from slides.deck import Quiz
from slides.drawing.large import letters
from slides.drawing.text import Line
from slides.palette import THEMES
from slides.screen_size import Size
from tui.deck.contents import Contents, open_deck
from tui.deck.question_of_block import read
from tui.rendering.pages.offscreen import Offscreen

SIZES = ("80x24", "100x30", "160x45", "200x60")
_VOTES = (5, 9, 3, 2)  # for the first places of an answer, in turn
_ACROSS = 4  # small pictures side by side


def classes(contents: Contents, index: int, quiz: Quiz, role: Role) -> Iterator[tuple[str, ClassState]]:
    """The class at a question: while it is open, and when it is revealed."""
    # A console shuffles what it shows; an audience that, as here, reads the file itself does not.
    ours = role == "console"
    parsed = Offscreen(contents).room.answering.parsed(quiz) if ours else read(quiz, redacted=False)
    if not isinstance(parsed, Question):
        return
    actions: list[AnyAction] = [Move(contents.heads[index].id, contents.slide(index).steps - 1)]
    actions.append(Open(quiz.id, parsed.kind, parsed.places))
    yield "open", _folded([(action, "") for action in actions])
    said = [(action, "") for action in actions]
    said += [(answer, f"screen {n}") for n, answer in enumerate(_answers(quiz.id, parsed))]
    key = told(parsed)
    said.append((Lock(quiz.id, key.key or (0,) * bool(parsed.places), None, 1.0, key.accepted[:1]), ""))
    blocks = [word for word in (quiz.attrs.get("over"), quiz.attrs.get("metric", "").split(".")[0]) if word]
    for n in range(3 * len(blocks) if quiz.directive == "predict" else 0):
        sample = Sample(blocks[n % len(blocks)], f"run {n}", 0.15 + n / 100, "made up")
        said.append((Measured(quiz.id, sample), ""))
    if quiz.directive == "predict":
        key = key._replace(
            key=(0,) * bool(parsed.places), explain=tuple(one.explain for one in parsed.options)
        )
    said.append((Reveal(quiz.id, key.key, key.explain, parsed.explain, key.accepted), ""))
    yield "revealed", _folded(said)


def _answers(question: str, parsed: Question) -> Iterator[Answer]:
    for place, count in enumerate(_VOTES):
        for _ in range(count):
            if not parsed.places:
                right = parsed.accepted[:1] or [gap.accepted[0] for gap in parsed.gaps]
                yield Answer(question, (), tuple(one.text if place else "other" for one in right))
            elif parsed.kind in ("order", "match"):
                yield Answer(question, parsed.key[place:] + parsed.key[:place])
            else:
                yield Answer(question, (place % parsed.places,))


def _folded(said: Sequence[tuple[AnyAction, str]]) -> ClassState:
    state = ClassState()
    for n, (action, screen) in enumerate(said, 1):
        state = apply(state, Entry(n, 1000.0 + n, screen, "all", action))
    return state


def screens(contents: Contents, index: int, size: Size, role: Role) -> Iterator[tuple[str, list[Line]]]:
    """A slide with all its steps; one that asks, at each moment of its question."""
    quizzes = list(contents.quizzes(index))
    if not quizzes:
        yield "", Offscreen(contents, role=role).screen(index, size)
    for quiz in quizzes:
        for when, state in classes(contents, index, quiz, role):
            yield f"-{when}", Offscreen(contents, state, role=role).screen(index, size)


def sheet(pictures: Sequence[Path], path: Path) -> None:
    """All pictures of a size, small, in rows of four."""
    small = []
    for picture in pictures:
        with Image.open(picture) as full:
            full.thumbnail((640, 640))
            small.append(full.copy())
    wide, high = max(one.width for one in small) + 6, max(one.height for one in small) + 6
    whole = Image.new("RGB", (wide * min(_ACROSS, len(small)), high * -(-len(small) // _ACROSS)), "#555")
    for n, one in enumerate(small):
        whole.paste(one, (n % _ACROSS * wide, n // _ACROSS * high))
    whole.save(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("deck", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sizes", nargs="+", default=SIZES, metavar="WxH")
    parser.add_argument("--slides", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--theme", choices=sorted(THEMES), default="dark")
    parser.add_argument("--role", choices=("audience", "console"), default="audience")
    parser.add_argument("--sextants", action="store_true", help="for a terminal that has glyphs of six dots")
    asked = parser.parse_args()
    letters.use_sextants(asked.sextants)
    contents = Contents(open_deck(asked.deck))
    asked.folder.mkdir(parents=True, exist_ok=True)
    for name in asked.sizes:
        size, made = Size(*map(int, name.split("x"))), list[Path]()
        for index, head in enumerate(contents.heads):
            if asked.slides and head.id not in asked.slides:
                continue
            for when, lines in screens(contents, index, size, asked.role):
                made.append(asked.folder / f"{name}-{index + 1:02}-{head.id}{when}.png")
                lines_to_png(lines, THEMES[asked.theme], made[-1], size.width, size.height)
        if made:
            sheet(made, asked.folder / f"{name}.png")
        print(f"{name}: {len(made)} pictures")


if __name__ == "__main__":
    main()
