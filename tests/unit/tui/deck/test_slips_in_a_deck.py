"""An audience stands where the class stands: whatever somebody did to a deck, it has the same slides by the
same ids, with as many steps, and nothing of a note or a key."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import pytest

from quiz.question import Question
from slides.reading.scan import blank_comment, replace_comments, scan
from slides.reading.split import load, split
from tui.deck import deck_upload, question_of_block
from tui.deck.contents import Contents

ROOT = Path(__file__).parents[4]
SEED = "5eed"
DECKS = (
    ROOT / "tests/contracts/deck.md",
    ROOT / "slides/templates/deck.md",
    ROOT / "slides/courses/tour.md",
    *sorted((ROOT / "slides/courses/distributed").glob("*.md")),
    *sorted((ROOT / "tests/contracts/dialects").glob("*.md")),
)
PIECES = (
    "---", "", "<!--", "-->", "<!-- pause -->", "<!-- notes: what nobody sees -->", "```", "~~~", "    ",
    ":::",
    "::: quiz", "::: quiz {#q kind=numeric}", "::: predict {#q}", "::: columns", "+++", "::: include part.md",
    "::: demo ddp", "::: animate ring ranks=4 chunks=4", "> ", "- ", "  ", "{", "}", "# T", "## {#a}",
    "```python {1|2}", "```python file=train.py {1|2-3}", "```python run", "<!-- slide: {id: x} -->",
    "<!-- slide:\nid: z\n-->", "<!-- slide: {layout: two columns} -->", "<!-- end -->", "- [x] a", "- [ ]",
    "= 3", "1. a", "\t", "===", "***", "| a |", "$$", "<div>", "`", "``", "- ```", "> ```", "> <!--",
    "[a]: b",
    "<!--- pause -->", "- a => b", "{{a|~b}}",
)  # fmt: skip


def altered(text: str, rng: random.Random) -> str:
    """`text` after a few slips of a hand."""
    lines = text.split("\n")
    for _ in range(rng.choice((1, 1, 2, 3, 5, 8))):
        at = rng.randrange(len(lines))
        line, piece = lines[at], rng.choice(PIECES)
        cut = rng.randrange(len(line) + 1)
        other = rng.randrange(len(lines))
        match rng.randrange(8):
            case 0:
                lines.insert(at, piece)
            case 1:
                del lines[at : at + rng.randrange(1, 8)]
            case 2:
                lines[at] = line[:cut] + piece + line[cut:]
            case 3:
                lines[at:at] = lines[other : other + rng.randrange(1, 12)]
            case 4:
                lines[at] = line[:cut] + line[cut + 1 :]
            case 5:
                lines[at] = rng.choice(("  ", "    ", "> ", "- ", "\t", " ")) + line
            case 6:
                lines[at], lines[other] = lines[other], lines[at]
            case _:
                lines[at] = line.strip()
        lines = lines or [""]
    return "\n".join(lines)


def both(text: str, path: Path) -> tuple[Contents, Contents]:
    ours = Contents(split(text, str(path)))
    return ours, deck_upload.contents(deck_upload.for_audience(ours, SEED), "audience")


def blocks(contents: Contents, slide: int) -> list[str]:
    found = (*contents.demos(slide), *contents.quizzes(slide), *contents.snippets(slide))
    return [block.id for block in found]


def secrets(contents: Contents) -> set[str]:
    """Lines of notes and of what explains an answer, as far as they stand nowhere that everybody sees."""
    lines = contents.deck.source.split("\n")
    found: set[str] = set()
    explained: set[str] = set()
    for n in range(len(contents)):
        for note in contents.slide(n).notes:
            found |= {line.strip() for line in note.markdown.split("\n")}
        for quiz in contents.quizzes(n):
            question = question_of_block.read(quiz)
            if isinstance(question, Question):
                texts = (question.explain, *question.hints, *(option.explain for option in question.options))
                explained |= {line.strip() for text in texts for line in text.split("\n")}
    seen = "\n".join(replace_comments(lines, scan(lines).comments, blank_comment))
    # A line that a slip has put on a slide twice is seen there.
    found = {line for line in found if line not in seen}
    # What a slide is set by is no secret: other slides may be set by the same.
    found |= {line for line in explained if seen.count(line) == 1}
    return {line for line in found if len(line) > 11 and not line.startswith("<!-- slide:")}


def stands(text: str, path: Path) -> None:
    ours, theirs = both(text, path)
    assert [head.id for head in theirs.heads] == [head.id for head in ours.heads]
    assert (theirs.visible, theirs.backup) == (ours.visible, ours.backup)
    for n in range(len(ours)):
        assert theirs.slide(n).steps == ours.slide(n).steps, ours.heads[n].id
        assert blocks(theirs, n) == blocks(ours, n), ours.heads[n].id
        assert all(not note.markdown for note in theirs.slide(n).notes)
    for secret in secrets(ours):
        assert secret not in theirs.deck.source, secret


@pytest.mark.parametrize("seed", range(len(DECKS)))
def test_whatever_slipped(seed: int) -> None:
    rng = random.Random(seed)
    text = load(DECKS[seed]).source
    for _ in range(6):
        stands(altered(text, rng), DECKS[seed])


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(100))
def test_whatever_slipped_many_times(seed: int) -> None:
    rng = random.Random(1000 + seed)
    for path in DECKS:
        text = load(path).source
        for _ in range(4):
            stands(altered(text, rng), path)


@pytest.mark.parametrize(
    "text",
    [
        "# A\n\n<!-- slide: {id: x} -->\n\n::: quiz {#q}\n# B\n\n- [x] a\n- [ ] b\n",
        "words\n\n::: include part.md\n\n---\n\nmore\n\n---\n\n# Slide 2\n",
        "::: quiz {#q kind=text}\nStem\n\n= a\n<!-- pause -->\n= b\n:::\n\nafter\n",
        "# A\n\n::: quiz {#q}\nStem\n\n- [x] a\n\n---\n\n# B\n\n:::\n",
    ],
)
def test_by_hand(text: str) -> None:
    stands(text, ROOT / "tests/contracts/deck.md")


def test_a_title_made_of_a_key_is_not_told() -> None:
    text = "::: quiz {#q kind=cloze}\nIt is {{allreduce|~gather}}.\n:::\n\n---\n\n# Open {#b}\n\nwords\n"
    ours, theirs = both(text, ROOT / "deck.md")
    # The class's own title and its plan are this title, too, and every screen has them.
    assert ours.heads[0].title == ours.deck.title == theirs.heads[0].title == "It is …."
    assert b"{{allreduce" not in deck_upload.for_audience(ours, SEED)
    assert theirs.heads[1].title == "Open"


# -- every spelling of a tick ----------------------------------------------------------------------------

INDENTS = ("", " ", "  ", "   ", "    ", "\t", "> ")
BULLETS = ("-", "*", "+", "1.", "12)", "–")
GAPS = (" ", "  ", "\t", "   ")
BOXES = ("[x]", "[X]", "[ x]", "[x ]", "[×]", "[✓]", "[50%]", "[-50%]", "(x)", "[xx]", "[*]", "x")
AFTER = (" right", "\tright", " `right`", " right <!-- a -->", "right")
HEADERS = (
    "::: quiz {#q%d}", "::: quiz {#q%d kind=multi}", "::: predict {#q%d}", "::: poll {#q%d}",
    "::: quizz {#q%d}",
    ":::: quiz #q%d", "::: quiz {#q%d word}",
)  # fmt: skip


def no_tick_arrives(rows: list[str], header: str) -> None:
    slides = [f"{header % n}\nStem\n\n{row}\n- [ ] other\n:::" for n, row in enumerate(rows)]
    ours, theirs = both("\n\n---\n\n".join(slides), ROOT / "deck.md")
    for n, row in enumerate(rows):
        mine = [question_of_block.read(quiz) for quiz in ours.quizzes(n)]
        told = [question_of_block.read(quiz, redacted=True) for quiz in theirs.quizzes(n)]
        assert len(mine) == len(told)
        for question in told:
            assert not isinstance(question, Question) or not question.keyed, row
        keyed = any(isinstance(question, Question) and question.keyed for question in mine)
        assert not keyed or row.strip() not in theirs.heads[n].raw, row


ROWS = ["".join(parts) for parts in product(INDENTS, BULLETS, GAPS, BOXES, AFTER)]


@pytest.mark.parametrize("header", HEADERS)
def test_no_spelling_of_a_tick_arrives(header: str) -> None:
    no_tick_arrives(random.Random(header).sample(ROWS, 60), header)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("header", HEADERS)
def test_none_of_70_000_spellings_of_a_tick_arrives(header: str) -> None:
    for first in range(0, len(ROWS), 420):
        no_tick_arrives(ROWS[first : first + 420], header)
