"""One slide's text into blocks: steps, directives, files, and that any text becomes something to show."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slides import deck as d
from slides.deck import AnyBlock, Slide
from slides.problems import Mistake
from slides.reading.markdown import code_focus
from slides.reading.parse import MAX_SLIDE, parse_blocks, parse_slide
from slides.reading.split import load, split


def slide(text: str, index: int = 0) -> Slide:
    return parse_slide(split(text, "deck.md"), index)


def walk(blocks: Sequence[AnyBlock]) -> Iterator[AnyBlock]:
    for block in blocks:
        yield block
        match block:
            case d.List():
                for item in block.items:
                    yield from walk(item.blocks)
            case d.Quote():
                yield from walk(block.blocks)
            case d.Columns():
                for column in block.columns:
                    yield from walk(column)


def boxes(text: str) -> list[str]:
    return [str(block.problem) for block in walk(slide(text).blocks) if isinstance(block, d.Box)]


def steps(text: str) -> list[tuple[str, int]]:
    return [(type(block).__name__, block.at) for block in slide(text).blocks]


# -- steps --------------------------------------------------------------------------------------------------


def test_pauses_count_up_and_a_last_one_counts_too() -> None:
    assert steps("a\n\n<!-- pause -->\n<!-- pause -->\nb\n\n<!-- pause -->") == [
        ("Paragraph", 0),
        ("Paragraph", 2),
    ]
    assert slide("a\n\n<!-- pause -->").steps == 2
    assert steps("<!-- pause --> a") == [("Paragraph", 1)]


def test_frames_run_beside_what_follows_and_pauses_come_after_them() -> None:
    found = slide(
        "```py {1|2|all}\na\nb\n```\n\nbeside\n\n::: animate ring ranks=2 chunks=2\n\n<!-- pause -->\n\nafter"
    )
    code, beside, ring, after = found.blocks
    assert [(block.at, block.frames) for block in (code, beside)] == [(0, 3), (0, 1)]
    assert after.at == max(code.frames, ring.frames) == found.steps - 1


def test_a_pause_in_a_list_keeps_its_numbers_and_its_tightness() -> None:
    (block,) = slide("3. a\n\n   <!-- pause -->\n\n4. b\n<!-- pause -->\n5. c").blocks
    assert isinstance(block, d.List)
    assert (block.start, block.tight, [item.at for item in block.items]) == (3, True, [0, 1, 2])
    (loose,) = slide("- a\n\n- b\n<!-- pause -->\n- c").blocks
    assert isinstance(loose, d.List) and not loose.tight


def test_notes_belong_to_the_step_they_stand_at() -> None:
    found = slide("<!-- notes: one -->\na\n\n<!-- pause -->\nb\n<!--\nnotes:\n  two\n    more\n-->")
    assert [(note.markdown, note.at, note.line) for note in found.notes] == [
        ("one", 0, 1),
        ("two\n  more", 1, 8),
    ]


def test_a_pause_within_a_line_is_named() -> None:
    assert [p.message for p in slide("a <!-- pause --> b").problems] == [
        "this pause is in the middle of a line, not between blocks"
    ]
    assert slide("- a <!-- pause -->\n- b").problems == ()


# -- words --------------------------------------------------------------------------------------------------


def texts(markdown: str) -> list[str]:
    (block,) = parse_blocks(markdown)
    assert isinstance(block, d.Paragraph)
    return [run.text for run in block.content]


def test_money_is_no_mathematics() -> None:
    assert texts("from $5 to $6") == ["from $5 to $6"]
    assert texts("so $2(n-1)/n$ it is") == ["so ", "2(n-1)/n", " it is"]
    assert parse_blocks("$$x$$")[0] == d.Math("x", line=1)


def test_html_is_never_lost() -> None:
    assert texts("a List<int> b") == ["a List", "<int>", " b"]
    assert texts("10<sup>-3</sup>, H<sub>2</sub>O") == ["10", "-3", ", H", "2", "O"]
    assert texts("<div>\ninside\n</div>") == ["inside"]
    assert texts("a <Type x='1'> b") == ["a ", "<Type x='1'>", " b"]  # nothing ends it: a word, perhaps


def test_a_link_without_words_shows_its_address() -> None:
    (block,) = slide("See [](https://a.example/x), [](#b) and [B](https://b.example).").blocks
    assert isinstance(block, d.Paragraph)
    assert [(run.text, run.href) for run in block.content] == [
        ("See ", ""),
        ("https://a.example/x", "https://a.example/x"),
        (",  and ", ""),
        ("B", "https://b.example"),
        (".", ""),
    ]


def test_links_are_defined_for_the_whole_deck() -> None:
    (block,) = slide("see [there]\n\n---\n\n[there]: https://x.y").blocks
    assert isinstance(block, d.Paragraph) and block.content[1].href == "https://x.y"


def test_lines_are_those_of_the_file() -> None:
    deck = split(
        "---\ntitle: t\n---\n\n# A\n\n---\n\nfirst\n\n::: columns\nleft\n\n+++\n\n- right\n:::\n", "deck.md"
    )
    found = [(type(block).__name__, block.line) for block in walk(parse_slide(deck, 1).blocks)]
    assert found == [("Paragraph", 9), ("Columns", 11), ("Paragraph", 12), ("List", 16), ("Paragraph", 16)]


# -- directives ---------------------------------------------------------------------------------------------


def test_directives_in_code_are_text() -> None:
    (code,) = slide("````\n::: demo ddp\n```\n:::\n````").blocks
    assert isinstance(code, d.Code) and code.source == "::: demo ddp\n```\n:::"


def test_blocks_are_numbered_by_place_and_ids_are_unique() -> None:
    found = slide(
        "# S\n\n::: demo a\n\n::: quiz\nq\n:::\n\n::: demo b {#x}\n\n::: demo c id=x\n\n::: demo d {#s/1}"
    )
    ids = [block.id for block in found.blocks if isinstance(block, d.Demo | d.Quiz)]
    assert ids == ["s/1", "s/2", "x", "x-2"]
    assert [p.message for p in found.problems] == ["the block id `x` is used twice"]
    assert boxes("::: demo d {#s/1}") == [
        "deck.md:1: `s/1` is not an id. Use letters, digits and `-`: `{#ring-bytes}`."
    ]


def test_a_question_is_raw_text_with_its_line() -> None:
    (quiz,) = slide("::: quiz {#q kind=multi points=2}\nstem\n<!-- notes: n -->\n- [x] a\n:::").blocks
    assert quiz == d.Quiz("q", "multi", {"points": "2"}, "stem\n\n- [x] a", 2, line=1)


def test_a_missing_close_is_a_box_and_shows_no_key() -> None:
    assert boxes("::: columns\na") == [
        "deck.md:1: `::: columns` is never closed and ends with the slide. Write a line `:::` after them."
    ]
    assert "goes on to the end of the slide" in boxes("::: quiz\na\n- [x] b")[0]
    (box,) = slide("::: quizz\na\n- [x] b\n  > because\n:::").blocks
    assert isinstance(box, d.Box) and "[x]" not in box.raw and "because" not in box.raw


def test_an_unknown_directive_keeps_its_content() -> None:
    found = slide("::: warning\nmind\n:::\n\nrest")
    assert [type(block).__name__ for block in found.blocks] == ["Box", "Paragraph", "Paragraph"]


def test_messages_carry_no_control_characters() -> None:
    found = boxes("::: \x1b]0;x\x07\u202e")
    assert len(found) == 1 and all(ord(c) >= 32 and c != "\u202e" for c in found[0])


# -- files --------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "deck"
    inside.mkdir()
    (inside / "a.py").write_text("one\ntwo\nthree\n")
    (tmp_path / "secret.txt").write_text("hidden words")
    (inside / "link.txt").symlink_to(tmp_path / "secret.txt")
    (inside / "self.md").write_text("again\n\n::: include self.md\n\n::: include self.md\n")
    return inside


def of(folder: Path, text: str, **options: bool) -> tuple[AnyBlock, ...]:
    (folder / "deck.md").write_text(text)
    return parse_slide(load(folder / "deck.md"), 0, **options).blocks


def test_code_of_a_file(folder: Path) -> None:
    (code,) = of(folder, "```py {2} file=a.py lines=2-3 numbers\n```")
    assert isinstance(code, d.Code)
    assert (code.source, code.path, code.first, code.numbers) == ("two\nthree", "a.py", 2, True)
    assert code.focus == (frozenset({2}),) and len(code.sha) == 7


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../secret.txt", "link.txt", "x/../../secret.txt", ".", "none", "~/x", "a\0b"]
)
def test_nothing_outside_the_folder_is_read(folder: Path, path: str) -> None:
    for text in (f'```text file="{path}"\n```', f"::: include {path}", f"![x](<{path}>)"):
        (box,) = of(folder, text)
        assert isinstance(box, d.Box) and "hidden words" not in str(box), text


def test_a_deck_that_is_not_trusted_reads_nothing(folder: Path) -> None:
    (box,) = of(folder, "```text file=a.py\n```", trusted=False)
    assert isinstance(box, d.Box) and "no file may be read here" in box.problem.message


def test_a_file_that_includes_itself_ends(folder: Path) -> None:
    found = of(folder, "::: include self.md")
    assert sum(isinstance(block, d.Paragraph) for block in found) == 1 + 2 + 4 + 8
    assert all("include files more than" in b.problem.message for b in found if isinstance(b, d.Box))


@pytest.mark.parametrize(
    ("spec", "frames"),
    [
        ("1", [{1}]),
        ("1-3|5|all", [{1, 2, 3}, {5}, set()]),
        ("1,3-4 | 2", [{1, 3, 4}, {2}]),
        ("*", [set()]),
    ],
)
def test_focus(spec: str, frames: list[set[int]]) -> None:
    assert code_focus.focus(spec, 5) == tuple(map(frozenset, frames))


@pytest.mark.parametrize("spec", ["", "0", "6", "3-1", "1-9999999", "a", "1|", "|".join("1" * 100)])
def test_bad_focus(spec: str) -> None:
    with pytest.raises(Mistake):
        code_focus.focus(spec, 5)


# -- any text -----------------------------------------------------------------------------------------------

LINES = [
    "---", "", "", "# T {#t}", "```", "```py {1|2} file=x", "~~~", "<!-- pause -->", "<!-- notes: n -->",
    "- a", "  - b", "1. c", "2. d", "> e", "::: columns 1,2", "+++", ":::", "::: quiz {#q}", "- [x] f",
    "  > g", "::: demo ddp", "::: animate ring", "::: include x", "::: what", "$$", "$x$", "| a | b |",
    "|---|---|", "<div>", "    code", "![i](j)", "<!--", "-->", "text", "[a]: b", "\\", "&amp;", "**",
    "\x00", "\x1b[31m",
]  # fmt: skip
decks = st.one_of(st.text(), st.lists(st.sampled_from(LINES), max_size=30).map("\n".join))


@settings(deadline=None, max_examples=200)
@given(decks)
def test_any_text_is_read_and_its_steps_add_up(text: str) -> None:
    deck = split(text, "deck.md")
    for head in deck.slides:
        found = parse_slide(deck, head.index)
        blocks = list(walk(found.blocks))
        assert found.steps >= 1 and found.id == head.id
        assert all(block.at >= 0 and block.at + block.frames <= found.steps for block in blocks)
        assert all(0 <= note.at < found.steps for note in found.notes)
        assert not any("could not be read" in b.problem.message for b in blocks if isinstance(b, d.Box))
        ids = [block.id for block in blocks if isinstance(block, d.Demo | d.Quiz)]
        assert len(set(ids)) == len(ids)
        last = head.line + head.raw.count("\n")
        assert all(head.line <= block.line <= last for block in blocks), blocks
        ats = [block.at for block in found.blocks]
        assert ats == sorted(ats)


@settings(deadline=None)
@given(decks)
def test_any_text_is_read_as_notes(text: str) -> None:
    parse_blocks(text, "deck.md", 3)


@given(st.lists(st.text("abcdef ", min_size=1).map(str.strip).filter(bool), min_size=1, max_size=6))
def test_no_word_is_lost(words: list[str]) -> None:
    text = "\n\n".join(f"- {word}\n\n> {word}" for word in words)
    shown = "".join(
        run.text
        for block in walk(parse_blocks(text))
        if isinstance(block, d.Paragraph)
        for run in block.content
    )
    assert "".join(shown.split()) == "".join("".join(words[n // 2].split()) for n in range(2 * len(words)))


@pytest.mark.parametrize(
    "unit", ["[", "![", "*a_", "**a *b ", "<a ", "$a ", "> ", "- ", "- a\n", "a|b\n-|-\n", "[](", "`a``"]
)
def test_the_worst_slide_takes_seconds_at_most(unit: str) -> None:
    text = unit * (MAX_SLIDE // len(unit))
    start = time.process_time()
    slide(text)
    assert time.process_time() - start < 4


def test_a_brace_alone_behind_a_directive_is_a_box() -> None:
    question = "\nWho?\n\n- [x] a\n- [ ] b\n:::"
    assert boxes(f"::: quiz {{#id kind=single{question}") == [
        "deck.md:1: the `{` is not closed. Write `}` at the end of the line: `{#id kind=single}`."
    ]
    assert "closes nothing" in boxes(f"::: quiz #id}}{question}")[0]
    assert "not closed" in boxes("::: demo ddp ranks=4 {")[0]
    assert boxes("::: demo ddp note='a { b' ranks=4") == boxes("::: demo ddp ranks=4")


def test_a_slide_too_long_is_a_box() -> None:
    assert "at most" in boxes("x " * MAX_SLIDE)[0]
    chart = "::: chart line\n\n| x | y |\n|---|---|\n" + "| 1 | 2 |\n" * MAX_SLIDE
    assert "loss.csv" in boxes(chart)[0]
    code = slide("```\n" + "x\n" * 40_000 + "```").blocks[0]
    assert isinstance(code, d.Code)


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("#### A\n\nwords\n", [3]),
        ("##### A\n\n###### B\n", [3, 6]),
        ("#### A\n\n## B\n", [4, 2]),
        ("words\n\n#### A\n", [4]),
        ("# A\n\n#### B\n", [1, 4]),
    ],
)
def test_a_heading_that_opens_a_slide_is_its_title_however_small(text: str, levels: list[int]) -> None:
    found = parse_slide(split(text, "deck.md"), 0)
    assert [block.level for block in found.blocks if isinstance(block, d.Heading)] == levels
