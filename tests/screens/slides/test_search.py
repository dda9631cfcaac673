"""Search: folding, marks, what of a slide is looked through, and how a result reads."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.parse import parse_question
from slides.deck import Quiz
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style, plain
from slides.reading.split import split
from tui.deck import search
from tui.deck.contents import Contents
from tui.deck.search import HIT, Index, Text, fold, marked, marks, query_of, result

DECK = """\
# One {#one}

A **bold** mean,
over lines.

- first
- Café

<!-- pause -->

late words

<!-- notes:
Say *brûlée* aloud.
-->

---

# Code {#code}

```python {1|2}
model = DDP(model)
loss.backward()
```

| a | b |
|---|---|
| left | right |

$$\\alpha + \\beta$$

---

# Ask {#ask}

::: quiz {#q kind=single}
How many bytes?

- [ ] just S
- [x] twice S
  > WHY-SECRET
:::
"""


def read_quiz(quiz: Quiz) -> object:
    return parse_question(quiz.id, quiz.kind, quiz.attrs, quiz.body, quiz.body_line)


def index(deck: str = DECK) -> Index:
    made = Index(Contents(split(deck, "deck.md")), read_quiz)
    while not made.complete:
        made.read(1.0)
    return made


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Café", "CAFE"),
        ("crème brûlée", "creme  brulee "),
        ("ＷＩＤＥ", "wide"),
        ("Straße", "strasse"),
        ("分布式训练", "训练"),
        ("ग्रेडिएंट का औसत", "औसत"),
        ("Ελλάδα", "ελλαδα"),
    ],
)
def test_letters_are_found_however_they_are_written(text: str, query: str) -> None:
    assert query_of(query) in fold(text)


@pytest.mark.parametrize(("one", "other"), [("कि", "की"), ("か", "が"), ("n", "m")])
def test_different_letters_stay_different(one: str, other: str) -> None:
    assert fold(one) != fold(other)


def test_marks_are_whole_characters() -> None:
    assert marks("Café, cafe\u0301!", "cafe") == [(0, 4), (6, 11)]
    assert marks("Straße", "ss") == [(4, 5)]
    (found,) = marks("औसत कि", fold("क"))
    assert "औसत कि"[slice(*found)] == "कि"


@given(st.text(max_size=60), st.text(max_size=4), st.integers(1, 40))
def test_a_marked_line_fits_whatever_the_text(text: str, typed: str, width: int) -> None:
    text = cells.clean(text)
    line = marked(text, query_of(typed), width, Style())
    assert cells.line_width(line) <= width


@given(st.text(min_size=1, max_size=40).map(cells.clean))
def test_what_stands_in_a_text_is_marked_in_it(text: str) -> None:
    query = query_of(text[len(text) // 2 :])
    found = marks(text, query) if query and query in fold(text) else [(0, 1)]
    assert found and all(0 <= start < end <= len(text) or not text for start, end in found)


def test_text_and_notes_are_found_at_the_step_that_shows_them() -> None:
    made = index()
    assert made.find("bold mean, over") == [Text(0, 0, "A bold mean, over lines.")]
    assert made.find("cafe") == [Text(0, 0, "Café")]
    assert made.find("late") == [Text(0, 1, "late words")]
    assert [(hit.note, hit.text) for hit in made.find("BRULEE")] == [(True, "Say brûlée aloud.")]
    assert made.find("backward") == [Text(1, 0, "loss.backward()")]
    assert made.find("left") == [Text(1, 0, "left  right")]
    assert [hit.slide for hit in made.find("α")] == [1]
    assert made.find("") == made.find("   ") == []


def test_a_question_is_found_but_never_its_key() -> None:
    made = index()
    assert [hit.slide for hit in made.find("how many")] == [2]
    assert [hit.text for hit in made.find("twice")] == ["twice S"]
    assert made.find("WHY-SECRET") == [] and made.find("[x]") == []


def test_a_long_deck_is_read_in_pieces() -> None:
    made = Index(Contents(split("\n\n---\n\n".join(["# T\n\nfind me"] * 400), "deck.md")), read_quiz)
    pieces = 0
    before = time.process_time()
    while not made.complete:
        made.read(0.0)
        pieces += 1
        assert len(made.find("find me")) == pieces
    assert pieces == 400
    assert time.process_time() - before < 8


def row(found: Text, query: str, width: int = 60, **how: bool) -> str:
    return plain(result(found, "9", "Four copies, one gradient", query, width, **how)).rstrip()


def test_a_result_reads_as_number_title_and_line() -> None:
    words = Text(8, 0, "One mean: the four checksums agree, step after step, on every rank of them")
    assert row(words, "mean") == "     9  Four copies, one gr…  One mean: the four checksum…"
    assert row(words, "every rank") == "     9  Four copies, one gr…  …on every rank of them"
    assert row(words, "mean", here=True).startswith(" ▸   9  Four")
    assert row(words, "mean", again=True) == " " * 30 + "One mean: the four checksum…"
    assert (
        row(words._replace(note=True), "mean") == "     9  Four copies, one gr…  note  One mean: the four ch…"
    )
    title = Text(8, 0, "Four copies, one gradient")
    assert row(title, "copies", 120) == "     9  Four copies, one gradient"


def test_the_hit_is_told_by_more_than_colour() -> None:
    line = marked("the mean of all", "mean", 40, Style("dim"))
    assert [span.text for span in line if span.style == HIT] == ["mean"]
    assert HIT.bold and HIT.underline


def test_hits_are_marked_in_the_lines_of_a_slide() -> None:
    def underlined(lines: list[Line]) -> list[str]:
        return ["".join(text for text, style in line if style.underline) for line in lines]

    lines: list[Line] = [
        (Span("Four "), Span("Ré", Style("accent")), Span("plicas, four replicas")),
        (),
        (Span("of one"),),
        (Span("model"),),
    ]
    assert underlined(search.mark(lines, search.query_of("REPLICAS"))) == ["Réplicasreplicas", "", "", ""]
    assert underlined(search.mark(lines, "one model")) == ["", "", "one", "model"]  # a line break parts it
    assert search.mark(lines, "one world") == lines and search.mark(lines, "") == lines
    marked = search.mark(lines, "four replicas")
    assert [search.is_marked(line) for line in marked] == [True, False, False, False]
    assert "".join(text for text, _ in marked[0]) == "Four Réplicas, four replicas"
