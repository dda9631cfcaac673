"""What phones are shown of a slide: nothing of its keys before the reveal, and nothing that runs."""

from __future__ import annotations

import asyncio
import io
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PIL import Image

from quiz.answer_key import told
from quiz.question import Question
from runtime.classroom.question_state import QuestionState
from tui.deck import question_of_block
from tui.deck.contents import Contents, open_deck
from tui.export import phone_page
from tui.export.phone_pictures import PhonePictures

KEYED = """# Title with *words*

Some text.

<!-- pause -->

Later text.

<!-- notes: SECRET note -->

"""
KINDS = {
    "single": "::: quiz {#q}\nWhich?\n\n- [ ] no\n- [x] yes\n  > SECRET why\n\n> SECRET all\n:::",
    "multi": "::: quiz {#q}\nWhich?\n\n- [x] a\n- [x] b\n- [ ] c\n\n> SECRET all\n:::",
    "numeric": "::: quiz {#q kind=numeric}\nHow much?\n\n= 4242 ± 1 GB\n\n> SECRET all\n:::",
    "text": "::: quiz {#q kind=text}\nWhat?\n\n= SECRET | SECRET2\n:::",
    "cloze": "::: quiz {#q kind=cloze}\nIt is {{SECRET}} and {{x|~y|~z}}.\n:::",
    "line": "::: quiz {#q kind=line}\nWhich line?\n\n```python\na\nb\n```\n\n= 2\n\n> SECRET all\n:::",
    "essay": "::: quiz {#q kind=essay}\nWhat would you do?\n:::",
    "poll": "::: poll {#q}\nHow?\n\n- [ ] so\n- [ ] so so\n:::",
}


def made(
    folder: Path, text: str, state: QuestionState | None, step: int = 0
) -> tuple[dict[str, Any], Question]:
    deck = folder / "deck.md"
    deck.write_text(KEYED + text + "\n")
    contents = Contents(open_deck(deck))
    (quiz,) = contents.quizzes(0)
    question = question_of_block.question(quiz)
    assert question is not None
    return json.loads(phone_page.page(contents, 0, step, [(question, state)])), question


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_a_key_is_there_before_the_reveal(tmp_path: Path, kind: str) -> None:
    for state in (None, QuestionState("q", kind, 2), QuestionState("q", kind, 2, phase="locked")):
        page, question = made(tmp_path, KINDS[kind], state)
        text = json.dumps(page)
        assert question.kind == kind and page["questions"][0]["kind"] == kind
        assert "SECRET" not in text and "4242" not in text and "right" not in text


def test_what_the_reveal_said_is_told(tmp_path: Path) -> None:
    _, question = made(tmp_path, KINDS["single"], None)
    said = told(question)
    state = QuestionState("q", "single", 2, phase="revealed", key=said.key, explain=said.explain)
    page, _ = made(tmp_path, KINDS["single"], replace(state, general=question.explain))
    assert page["questions"][0]["told"]["explain"] == ["", "SECRET why"]
    assert page["questions"][0]["told"]["general"] == "SECRET all"
    _, numeric = made(tmp_path, KINDS["numeric"], None)
    key = told(numeric)
    state = QuestionState("q", "numeric", 0, phase="revealed", accepted=key.accepted)
    page, _ = made(tmp_path, KINDS["numeric"], state)
    assert "4242" in page["questions"][0]["told"]["answer"]


def test_the_words_of_the_room_come_with_their_step(tmp_path: Path) -> None:
    first, _ = made(tmp_path, KINDS["poll"], None)
    later, _ = made(tmp_path, KINDS["poll"], None, step=1)
    assert (first["heading"], first["caption"]) == ("Title with words", ["Some text."])
    assert later["caption"] == ["Some text.", "Later text."]


def test_nothing_of_a_deck_runs_or_is_loaded_on_a_phone(tmp_path: Path) -> None:
    (tmp_path / "private.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"x" * 200)
    evil = (
        "<script>alert(1)</script> <img src=x onerror=alert(1)> [x](javascript:alert(1)) "
        f'![alt"><script>](private.png) ![abs]({tmp_path}/private.png) \x1b[31m\u202e'
    )
    text = f"::: quiz {{#q}}\n{evil}\n\n- [ ] {evil}\n- [x] b\n:::"
    page, _ = made(tmp_path, text, None)
    html = page["questions"][0]["stem"] + page["questions"][0]["options"][0]
    assert "<script" not in html and "<img" not in html and 'href="javascript' not in html
    assert "\x1b" not in html and "\u202e" not in html and "data:" not in html


async def test_pictures_of_a_question_have_an_address_once_they_are_made(tmp_path: Path) -> None:
    (tmp_path / "private.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"x" * 200)
    Image.new("RGB", (900, 300), "red").save(tmp_path / "red.png")
    deck = tmp_path / "talk" / "deck.md"
    deck.parent.mkdir()
    Image.new("RGB", (1600, 800), "blue").save(deck.parent / "blue.png")
    deck.write_text(
        "# One\n\n::: quiz {#q}\nWhich? ![two machines](blue.png) ![no](../red.png) ![none](gone.png)\n\n"
        "- [ ] ![the same](blue.png)\n- [x] b\n:::\n"
    )
    contents = Contents(open_deck(deck))
    question = question_of_block.question(contents.quizzes(0)[0])
    assert question is not None
    made_now = asyncio.Event()
    kept = PhonePictures(made_now.set)

    def page() -> tuple[str, dict[str, bytes]]:
        pictures = kept.of_page(deck.parent)
        body = phone_page.page(contents, 0, 0, [(question, None)], pictures.address)
        return body.decode(), pictures.used

    before, none = page()
    assert "[picture: two machines]" in before and none == {}  # nothing is waited for
    await asyncio.wait_for(made_now.wait(), 10)
    text, used = page()
    ((name, data),) = used.items()
    assert text.count(f"/picture/{name}") == 2 and name.endswith(".webp")
    assert Image.open(io.BytesIO(data)).size == (720, 360)
    assert "[picture: no]" in text and "[picture: none]" in text  # of another folder, and not there
