"""What a newcomer writes and Markdown takes for something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from slides.check import reading, with_columns
from slides.common_mistakes import slips
from slides.reading.parse import parse_slide
from slides.reading.split import load, split

ROOT = Path(__file__).parents[3]

SLIPS = [
    ("# A\n\n----\n\n# B\n", 3, "these dashes do not end the slide"),
    ("# A\n----\n# B\n", 2, "these dashes do not end the slide"),
    ("# A\n\n ---\n\n# B\n", 3, "these dashes do not end the slide"),
    ("#A title\n\ntext\n", 1, "a space is missing"),
    ("# A\n\n---\n\n#Next\n", 5, "a space is missing"),
    ("# A\n\ntext\n\n##B\n", 5, "a space is missing"),
    ("# A\n\n| a | b |\n| 1 | 2 |\n| 3 | 4 |\n", 3, "this table has no line below its head"),
    ("# A\n\n---\n\n---\n\n# C\n", 4, "there is nothing on this slide"),
    ("# A\n\n## B\n\na\n\n## C\n\n## D\n\n## E\n", 1, "one slide with 4 headings"),
    ("# A\n\na[^1] and `[^x]` and [^2]\n\n[^1]: it\n", 3, "there is no footnote `2`"),
    ("---\ntitel: T\n---\n# A\n", 2, "the setting `titel` does nothing"),
    ("---\ntitle: T\ntimes: 30m\n---\n# A\n", 3, "the setting `times` does nothing"),
    ("# A\n\n![x](my ring.png)\n", 3, "`my ring.png` has blanks"),
    ("# A\n\n- ![](a/b c.JPG){width=50%}\n", 3, "`a/b c.JPG` has blanks"),
]
MEANT = [
    "",
    "---\ntitle: T\ntag: x\nlevel: beginner\n---\n",
    "# A\n\n***\n\ntext\n\n* * *\n",
    "# A\n\nTitle\n-----\n\n---  \n\n# B\n",
    "# A\n\n```\n----\n##B\n| a |\n| b |\n```\n",
    "# A\n\n<!--\n----\n\n##B\n-->\n",
    "# A\n\ntext\n\n#hashtag and #1\n",
    "# A\n\n#!shebang\n",
    "# A\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 | 4 |\n",
    "# A\n\n| alone |\n",
    "# A\n\na[^1], > b[^n]\n\n[^1]: it\n\n> [^n]: there\n\n`[^x]` \\[^y] [^a-z]+ $[^2]$\n",
    "# A\n\n---\n\n<!-- -->\n\n---\n\n# C\n",
    '# A\n\n![x](<my ring.png>) ![](a.png "a title.png") ![](b%20c.png) `![](d e.png)` ![](see this)\n',
]


@pytest.mark.parametrize(("text", "line", "message"), SLIPS)
def test_a_slip_is_found(text: str, line: int, message: str) -> None:
    (found,) = slips(split(text, "deck.md"))
    assert found.line == line and message in found.message and found.mend


@pytest.mark.parametrize("text", MEANT)
def test_what_is_meant_is_none(text: str) -> None:
    assert list(slips(split(text, "deck.md"))) == []


def test_decks_that_ship_have_none() -> None:
    decks = [
        *ROOT.glob("slides/courses/**/*.md"),
        *ROOT.glob("slides/templates/*.md"),
        ROOT / "tests/contracts/deck.md",
    ]
    assert len(decks) > 2
    assert [problem for path in decks for problem in slips(load(path))] == []


def test_decks_of_other_programs_have_none() -> None:
    for path in (ROOT / "tests/contracts/dialects").glob("*.md"):
        deck = load(path)
        found = reading(deck, [parse_slide(deck, head.index) for head in deck.slides])
        assert not [p for p in found if "these dashes" in p.message or "nothing on this slide" in p.message]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("---\ntime: soon\n---\n# A\n", [(2, 7)]),
        ("# A\n\n<!-- slide: {time: 2 minutes, layout: titel} -->\n", [(3, 20), (3, 39)]),
        ("# A\n\ntext ![x](nope.png)\n", [(3, 11)]),
        ("# A\n\n   ::: dmeo ddp\n", [(3, 8)]),
        ("# A\n\n::: demo ddp {#d}\n\n---\n\n::: demo ddp {#d}\n", [(7, 16)]),
    ],
)
def test_a_problem_names_its_line_and_column(
    tmp_path: Path, text: str, places: list[tuple[int, int]]
) -> None:
    path = tmp_path / "deck.md"
    path.write_text(f"\ufeff{text}")
    deck = load(path)
    found = reading(deck, [parse_slide(deck, head.index) for head in deck.slides])
    assert sorted((p.line, p.column) for p in with_columns(found)) == places
