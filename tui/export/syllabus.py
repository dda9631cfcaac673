"""The syllabus of a course, as a deck of its own: a slide for the whole, then one for each lesson."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from slides.deck import Deck, Demo, Quiz
from slides.drawing.cells import clean
from slides.reading import front_matter
from slides.reading_order import blocks
from tui.deck.contents import Contents

if TYPE_CHECKING:
    from tui.study.course import Lesson

# The words of a syllabus, in the languages that there are; any other reads the English ones.
WORDS = {
    "en": {
        "syllabus": "syllabus",
        "lesson": "lesson",
        "minutes": "minutes",
        "at least": "at least",
        "slides": "slides",
        "needs": "needs",
        "ranks": "ranks",
        "together": "together",
        "runs": "Runs, for home",
        "practice": "To write yourself",
        "questions": "Questions",
        "predictions": "predictions",
        "sources": "Sources",
        "optional": "Short of time, leave out",
        "handout": "Hand-out",
    },
    "hi-Latn": {
        "syllabus": "syllabus",
        "lesson": "lesson",
        "minutes": "minute",
        "at least": "kam se kam",
        "slides": "slides",
        "needs": "pehle chahiye",
        "ranks": "ranks",
        "together": "kul",
        "runs": "Ghar par chalaane ke liye",
        "practice": "Khud likhne ke liye",
        "questions": "Sawaal",
        "predictions": "predictions",
        "sources": "Sources",
        "optional": "Time kam ho to yeh chhod dijiye",
        "handout": "Hand-out",
    },
}


def syllabus(
    title: str,
    lessons: Sequence[tuple[Lesson, Contents]],
    exercises: Sequence[tuple[int, str, str]] = (),
    lang: str = "en",
    suffix: str = "",
) -> str:
    """Return the Markdown of a deck; `exercises` are (number of the lesson, name, title). With a `suffix`
    hand-outs of the lessons lie beside it, `NAME.suffix`, and it leads to them."""
    say = WORDS.get(lang, WORDS["en"])
    quoted = _plain(title).replace("\\", "\\\\").replace('"', '\\"')
    front = f'---\ntitle: "{quoted}: {say["syllabus"]}"\nlang: {lang}\n---\n'
    parts = [front + "\n".join(_whole(title, lessons, say))]
    for lesson, contents in lessons:
        number = re.match(r"[0-9]+", lesson.name)
        own = [row for row in exercises if number and row[0] == int(number[0])]
        link = f" · [{say['handout']}]({lesson.name}.{suffix})" if suffix else ""
        parts.append("\n".join(_lesson(lesson, contents, own, say, link)))
    return "\n\n---\n\n".join(parts) + "\n"


def _whole(title: str, lessons: Sequence[tuple[Lesson, Contents]], say: dict[str, str]) -> Iterator[str]:
    yield f"# {_plain(title)} {{#syllabus}}\n"
    heads = [say[key] for key in ("lesson", "minutes", "at least", "slides", "ranks")]
    yield f"|  | {' | '.join(heads)} |"
    yield "|--:|:---|--:|--:|--:|:---|"
    for lesson, contents in lessons:
        number = re.match(r"[0-9]+", lesson.name)
        figures = f"{lesson.lasts} | {lesson.short_cut} | {lesson.slides}"
        named = _plain(contents.deck.title or lesson.title)
        yield f"| {number[0] if number else ''} | {named} | {figures} | {_plain(lesson.ranks)} |"
    whole, least = (sum(getattr(one, of) for one, _ in lessons) for of in ("minutes", "least"))
    yield f"|  | **{say['together']}** | **{whole:.0f}** | **{least:.0f}** |  |  |"


def _lesson(
    lesson: Lesson,
    contents: Contents,
    exercises: Sequence[tuple[int, str, str]],
    say: dict[str, str],
    link: str,
) -> Iterator[str]:
    deck = contents.deck
    number = re.match(r"[0-9]+", lesson.name)  # pages are counted too, by other numbers
    told = f"{say['lesson'].capitalize()} {int(number[0])}: " if number else ""
    yield f"# {told}{_plain(deck.title or lesson.title)} {{#{lesson.name}}}\n"
    if question := deck.meta.get("question"):
        yield f"**{_plain(question)}**\n"
    needs = f" · {say['needs']}: {_plain(lesson.prerequisites)}" if lesson.prerequisites else ""
    ranks = f" · {say['ranks']}: {_plain(lesson.ranks)}" if lesson.ranks else ""
    cut = f", {say['at least']} {lesson.short_cut}" if lesson.least < lesson.minutes - 0.5 else ""
    yield f"{lesson.lasts} {say['minutes']}{cut}{ranks}{needs}{link}\n"
    if rows := facts(contents):
        yield "\n".join(rows) + "\n"
    found = [contents.slide(index) for index in (*contents.visible, *contents.backup)]
    inside = list(chain.from_iterable(blocks(slide.blocks) for slide in found))
    quizzes = [block for block in inside if isinstance(block, Quiz)]
    if quizzes:
        predicted = sum(quiz.directive == "predict" for quiz in quizzes)
        which = f" ({predicted} {say['predictions']})" if predicted else ""
        yield f"{say['questions']}: {len(quizzes)}{which}\n"
    optional = [contents.slide(index).title for index in contents.visible if contents.slide(index).optional]
    if optional:
        yield f"{say['optional']}: {'; '.join(_plain(text) for text in optional)}\n"
    if commands := list(dict.fromkeys(_command(block) for block in inside if isinstance(block, Demo))):
        yield f"{say['runs']}:\n\n```sh\n" + "\n".join(commands) + "\n```\n"
    if exercises:
        yield f"{say['practice']}:\n"
        listed = (f"- {_plain(named)}: `teachrun practice {name}`" for _, name, named in exercises)
        yield "\n".join(listed) + "\n"
    if cited := sources(deck):
        yield f"{say['sources']}:\n"
        yield "\n".join(f"- {_plain(line)}" for line in cited)


def _command(block: Demo) -> str:
    words = [f"{key}={value}" for key, value in block.params.items() if key != "budget"]
    return clean(" ".join(["teachrun run", block.name, *words]))


def facts(contents: Contents) -> list[str]:
    """The lines of the table on the slide `facts`, as they are written; [] where there is none."""
    head = next((head for head in contents.heads if head.id == "facts"), None)
    rows = [line for line in head.raw.split("\n") if line.startswith("|")] if head is not None else []
    return [clean(line) for line in rows]


def sources(deck: Deck) -> list[str]:
    """What the front matter of a lesson names as its sources, one a line."""
    lines = deck.source.split("\n")
    return list(front_matter.listed("\n".join(lines[1 : max(1, front_matter.length(lines) - 1)]), "sources"))


def _plain(text: str) -> str:
    """Text in which Markdown obeys nothing but backquotes, which commands are set in."""
    return " ".join(re.sub(r"([\\*_\[\]<>$~^#|])(?=(?:[^`]*`[^`]*`)*[^`]*$)", r"\\\1", clean(text)).split())
