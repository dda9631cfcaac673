"""Questions on slides of their own in study: what is asked stands there once."""

from __future__ import annotations

from pathlib import Path

import pytest

from slides.deck import Heading, Quiz
from tui.deck.contents import Contents, open_deck
from tui.study import growing_deck

ASKS = "::: quiz {#q}\nHow many *bytes* does a rank send?\n\n- [ ] S\n- [x] 2S\n:::\n"


@pytest.mark.parametrize(("above", "headings"), [("", 0), ("# Bytes\n\n", 1), ("Words come first.\n\n", 1)])
def test_a_slide_without_heading_has_its_question_once(tmp_path: Path, above: str, headings: int) -> None:
    (tmp_path / "deck.md").write_text(above + ASKS)
    contents = Contents(open_deck(str(tmp_path / "deck.md")))
    (quiz,) = contents.quizzes(0)
    page = growing_deck.page(1, "q~1", contents.heads[0].title, "once more", quiz)
    assert [type(block) for block in page.blocks] == [Heading] * headings + [Quiz]
    assert page.title


@pytest.mark.parametrize(
    "words", ["a + b is one sum", "it was in 2019. Then it was not", "- how *many* are sent"]
)
def test_only_the_mark_that_begins_a_line_is_left_out_of_its_title(tmp_path: Path, words: str) -> None:
    (tmp_path / "deck.md").write_text(words + "\n")
    (head,) = open_deck(str(tmp_path / "deck.md")).slides
    assert head.title == words.removeprefix("- ").replace("*", "")


@pytest.mark.parametrize(
    ("index", "tags", "shown"),
    [(1, (), "fsdp"), (3, (), "ddp"), (3, ("memory", "fsdp"), "fsdp"),
     (3, ("tensor",), "tensor"), (2, ("fsdp",), "ddp")],
    ids=["before", "nearest", "named", "named and later", "on its own slide"],
)  # fmt: skip
def test_a_question_comes_back_with_the_demo_that_it_is_about(
    tmp_path: Path, index: int, tags: tuple[str, ...], shown: str
) -> None:
    slides = ("::: demo fsdp", "# Words", "::: demo ddp", ASKS, "::: demo tensor")
    (tmp_path / "deck.md").write_text("\n\n---\n\n".join(slides))
    contents = Contents(open_deck(str(tmp_path / "deck.md")))
    demo = growing_deck.demo_near(contents, index, tags)
    assert demo is not None and demo.name == shown
