"""What stands in the place of code that has run: the words of a fence, and what is drawn."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from msgspec.structs import replace
from PIL import Image

from runtime.protocol.messages import Output
from slides import dialects
from slides.deck import Code
from slides.drawing.large.read_letters import words
from slides.drawing.screen_reader_lines import linear
from slides.drawing.text import Line, Span, plain
from slides.problems import Mistake
from slides.reading.from_disk.named_files import Sources
from slides.reading.markdown import fences
from tui.classroom.runs.snippet_outputs import Heard
from tui.views.blocks import output_in_place


def code(info: str) -> Code:
    return fences.read_code(fences.parse_info(info), "print(1)", Sources())


def png(width: int = 8, height: int = 8) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (width, height), "#c02030").save(buffer, "PNG")
    return buffer.getvalue()


def heard(*lines: str, state: str = "done", exit_code: int | None = 0, picture: bytes = b"") -> Heard:
    output = Output(
        "b", "r", "python", state, "", exit_code, None, 1.0, 30.0, 0, 0, len(lines), lines, picture=picture
    )
    found = Heard(output)
    found.take(output)
    return found


def test_a_fence_says_what_takes_its_place() -> None:
    assert [code(f"python {words}").gives for words in ("run", "run replace", "run image")] == [
        "",
        "output",
        "picture",
    ]
    assert fences.parse_info("image").lang == "image"  # another program's language, as it always was


@pytest.mark.parametrize(
    "words", ["replace", "image", "run replace image", "run image expect=failure", "run image diff"]
)
def test_what_cannot_be_meant_is_a_mistake(words: str) -> None:
    with pytest.raises(Mistake):
        code(f"python {words}")


def test_presenterms_words_become_ours() -> None:
    text = "```python +exec_replace\na\n```\n\n```python +image\nb\n```\n\n```python +exec\nc\n```\n"
    ours = str(dialects.translate(text, "presenterm", Path("deck.md")).text)
    infos = [line for line in ours.split("\n") if line.startswith("```python")]
    assert infos == ["```python run replace", "```python run image", "```python run"]


def test_who_listens_is_told_what_takes_its_place() -> None:
    assert "what it prints takes its place" in linear((code("python run replace"),), -1, 0)[0]
    assert "the picture it makes takes its place" in linear((code("python run image"),), -1, 0)[0]


def test_the_code_stands_until_a_run_has_ended_well() -> None:
    block = code("python run replace")
    for state in ("launching", "running", "stopping", "stopped", "lost"):
        assert not output_in_place.ran(block, heard("x", state=state, exit_code=None)), state
    assert not output_in_place.ran(block, heard("x", state="failed", exit_code=1))
    assert output_in_place.ran(block, heard("x"))
    assert output_in_place.ran(
        code("python run replace expect=failure"), heard("x", state="failed", exit_code=1)
    )
    assert not output_in_place.ran(code("python run"), heard("x"))


def never(block: object, width: int) -> list[Line] | str:
    raise AssertionError("no picture is wanted")


def test_a_few_words_that_were_printed_are_in_letters_where_that_is_no_higher_than_the_code() -> None:
    source = "total = 0\nfor n in range(4):\n    total += n\nprint(total)"
    block = replace(code("python run replace"), source=source)
    for width, printed, letters in ((112, "loss 1.5", True), (14, "loss 1.5", False), (112, "ab\ncd", False)):
        text = heard(*printed.split("\n"))
        lines = output_in_place.lines(block, text, (Span("above"),), 0, width, never, "deck.md", letters=True)
        rows = [plain(line) for line in lines]
        assert len(rows) <= 1 + 6 and rows[0].startswith("above") and {len(row) for row in rows} == {width}
        assert any(words(rows[n : n + 3]) == printed for n in range(len(rows) - 2)) is letters
        assert any(printed[:2] in row for row in rows) is not letters
    searched = output_in_place.lines(block, heard("loss 1.5"), (), 0, 112, never, "deck.md")
    assert any("loss 1.5" in plain(line) for line in searched), "where words must be found"


def test_what_was_printed_is_clean_bounded_and_within_the_width() -> None:
    many = heard("\x1b[31mred\x07", *("long words " * 20 for _ in range(400)))
    drawn = output_in_place.lines(code("python run replace"), many, (Span("above"),), 0, 60, never, "deck.md")
    text = [plain(line) for line in drawn]
    assert "above" in text[0] and text[2].strip() == "red" and "print(1)" not in "".join(text)
    assert text[-2].strip() == f"… {401 - output_in_place.MOST} lines more"
    assert all(len(line) <= 60 for line in text) and "\x1b" not in "".join(text)
    silent = output_in_place.lines(code("python run replace"), heard(), (), 0, 60, never, "deck.md")
    assert "(nothing was printed)" in "".join(map(plain, silent))


@pytest.mark.parametrize(
    ("data", "mend", "said"),
    [
        (b"loss 1.5\n", output_in_place.MEND, "loss 1.5"),
        (b"<?xml version='1.0'?><svg/>", "An SVG is not drawn", "<svg/>"),
        (png()[:40], output_in_place.MEND, ""),
    ],
)
def test_what_is_no_picture_is_a_box_with_the_mend_below_the_code(data: bytes, mend: str, said: str) -> None:
    why = output_in_place.unreadable(data)
    assert why and not output_in_place.unreadable(png())
    drawn = output_in_place.lines(
        code("python run image"), heard(picture=data), (), 0, 100, lambda *_: why, "a/deck.md"
    )
    text = "\n".join(map(plain, drawn))
    assert "print(1)" in text and "deck.md:" in text and mend[:30] in text and said in text
