"""Text into heads of slides: where one ends, what it is called, and that no text is too strange for it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from slides.deck import Deck
from slides.reading import front_matter
from slides.reading.from_disk.source import MAX_FILE, DeckError, normalise
from slides.reading.scan import blank_comment, replace_comments, scan
from slides.reading.split import load, split
from slides.reading.titles import slug


def heads(text: str) -> list[tuple[int, str, str]]:
    return [(head.line, head.id, head.title) for head in split(text, "deck.md").slides]


def raws(text: str) -> list[str]:
    return [head.raw for head in split(text, "deck.md").slides]


def messages(deck: Deck) -> list[str]:
    return [str(problem) for problem in deck.problems]


# -- where a slide ends -------------------------------------------------------------------------------------


def test_slides_end_at_three_dashes_under_a_blank_line() -> None:
    text = "# A\n\n---\n\n# B\n---\n\n----\n\n ---\n\n- - -\n\n---  \n# C\n"
    assert raws(text) == ["# A", "# B\n---\n\n----\n\n ---\n\n- - -", "# C"]


@pytest.mark.parametrize(
    "inside",
    [
        "```\n\n---\n\n```",
        "~~~~ python\n```\n~~~\n\n---\n\n~~~~",
        "   ```\n\n---\n\n   ```",
        "<!--\n\n---\n\n-->",
        "<!-- notes: a `-->` may not stand in code\n\n-->",
        "- item\n\n  ```\n  x\n\n  ---\n\n  ```",
        "- ```\n  x\n  ```",
        "> ```\n> x\n\nquote and fence are over",
        "1. item\n\n       ```\n       indented code",
        "text `<!--` text",
        "text \\<!-- text",
        "<!--> text",
    ],
)
def test_fences_and_comments_are_whole(inside: str) -> None:
    assert raws(f"{inside}\n\n---\n\nnext") == [inside, "next"]


@pytest.mark.parametrize("opening", ["```python\ncode", "~~~\ncode\n```", "<!-- notes: secret", "text <!--"])
def test_what_is_never_closed_ends_with_its_slide(opening: str) -> None:
    deck = split(f"# A\n\n{opening}\n\n---\n\n# B\n\n---\n\n# C", "deck.md")
    assert [head.title for head in deck.slides] == ["A", "B", "C"]
    assert [problem.line for problem in deck.problems] == [3]
    assert "never closed" in deck.problems[0].message


def test_what_swallows_the_next_beginning_is_named() -> None:
    assert messages(split("```py\na\n\n---\n\n```py\nb\n```\n\n<!-- a\n<!-- b -->", "d.md")) == [
        "d.md:6: a second code block opens inside this one. "
        "Close the one from line 1, or fence it with one mark more.",
        "d.md:10: a second comment opens inside this one. Close the first with `-->` before it.",
    ]


def test_empty_slides() -> None:
    assert raws("") == [""]
    assert raws("\n \n") == [""]
    assert raws("a\n\n---\n") == ["a"]
    assert raws("a\n\n---\n\n---\n\nb") == ["a", "", "b"]
    assert heads("---\n# A\n\n---\n\n# B") == [(2, "a", "A"), (6, "b", "B")]


# -- front matter and settings ------------------------------------------------------------------------------


def test_front_matter() -> None:
    deck = split('---\ntitle: "A: b"\ntime: 1h10m\ntags: [x, y]\n---\n# First', "deck.md")
    assert (deck.title, deck.time_s, deck.meta["tags"]) == ("A: b", 4200.0, "x, y")
    assert [(head.line, head.title) for head in deck.slides] == [(6, "First")]


@pytest.mark.parametrize("broken", ["title: [", "title: a: b", "a: {b: c}", "a: *b", "a: " + "[" * 400])
def test_broken_front_matter_is_a_problem_not_an_error(broken: str) -> None:
    deck = split(f"---\n{broken}\n---\n# First", "deck.md")
    assert [head.title for head in deck.slides] == ["First"]
    assert len(deck.problems) == 1 and deck.problems[0].line in (2, 3)


def test_settings_of_a_slide() -> None:
    text = (
        "<!-- slide: {time: 90s, section: One} -->\na\n\n---\n\nb\n\n---\n\n"
        "<!-- slide:\n  section: Two\n  hidden: yes\n-->\nc\n\n---\n\n"
        "<!-- slide: {id: own, title: Mine} -->\nd"
    )
    found = [(h.id, h.title, h.section, h.time_s, h.hidden) for h in split(text, "deck.md").slides]
    assert found == [
        ("slide-1", "a", "One", 90.0, False),
        ("slide-2", "b", "One", None, False),
        ("slide-3", "c", "Two", None, True),
        ("own", "Mine", "Two", None, False),
    ]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("35m", 2100),
        ("90s", 90),
        ("1h10m", 4200),
        ("1h 10m 5s", 4205),
        ("35", 2100),
        ("1.5", 90),
        ("2 min", None),
        ("3min", 180),
        ("", None),
        ("0", None),
        ("-3m", None),
        ("1e9", None),
        ("...m", None),
        ("m", None),
        ("٣m", None),
        ("999999h", None),
    ],
)
def test_lengths_of_time(text: str, seconds: float | None) -> None:
    assert front_matter.seconds(text) == seconds


values = st.text("ab1é中 -_.:#'\"[]{},&*!|>%@`~?=\\/\t", max_size=8)
settings = st.lists(st.tuples(st.text("abK_-9", min_size=1, max_size=4), values), max_size=4)


@given(settings, st.sampled_from(["{}: {}", "{}:{}", "{} : {}", " {}: {}"]))
@example([("a", "b: c")], "{}: {}")
@example([("a", "b #c")], "{}: {}")
@example([("a", "=")], "{}: {}")
def test_plain_settings_mean_what_yaml_says(pairs: list[tuple[str, str]], form: str) -> None:
    text = "\n".join(form.format(key, value) for key, value in pairs)
    read, problems = front_matter.mapping(text, "f", 1)
    try:
        expected = yaml.load(text, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, ValueError):
        assert problems
        return
    if isinstance(expected, dict) and all(isinstance(value, str) for value in expected.values()):
        assert (read, problems) == (expected, ())


@given(settings)
def test_plain_flow_settings_mean_what_yaml_says(pairs: list[tuple[str, str]]) -> None:
    text = "{" + ", ".join(f"{key}: {value}" for key, value in pairs) + "}"
    plain = front_matter.plain_flow(text)
    if plain is not None:
        assert plain == yaml.load(text, Loader=yaml.BaseLoader)


# -- names --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("heading", "name", "title"),
    [
        ("# Ring all-reduce", "ring-all-reduce", "Ring all-reduce"),
        ("## What *is* `DDP`? ##", "what-is-ddp", "What is DDP?"),
        ("# A {#b .c}", "b", "A"),
        ("# A {.c #b}", "b", "A"),
        ("# A set {x}", "a-set-x", "A set {x}"),
        ("# समझो ज़रा", "समझो-ज़रा", "समझो ज़रा"),
        ("# 分布式 训练", "分布式-训练", "分布式 训练"),
        ("# [Link](https://x.y) and $x$", "link-and-x", "Link and x"),
        ("# snake_case_name", "snake_case_name", "snake_case_name"),
        ("Setext\n===", "setext", "Setext"),
        ("Also\n---", "also", "Also"),
        ("# \x1b[31mred\x07", "31mred", "[31mred"),
        ("#", "slide-1", ""),
        ("# 🧠", "slide-1", "🧠"),
        ("#no heading", "slide-1", "#no heading"),
        ("<!-- c -->\n- first words", "slide-1", "first words"),
        ("::: quiz\n- [x] key\n> why", "slide-1", ""),
        ("```\n# code\n```\n# Title", "title", "Title"),
    ],
)
def test_ids_and_titles(heading: str, name: str, title: str) -> None:
    assert heads(heading)[0][1:] == (name, title)


def test_ids_are_unique_and_what_an_author_wrote_wins() -> None:
    text = "\n\n---\n\n".join(["# A", "# A", "# B {#a}", "# A", "x", "# C {#a}", "y", "# a-2"])
    deck = split(text, "deck.md")
    assert [head.id for head in deck.slides] == ["a-2", "a-3", "a", "a-4", "slide-1", "c", "slide-2", "a-2-2"]
    assert messages(deck) == ["deck.md:21: the slide id `a` is used twice. Give this slide another id."]


def test_a_block_id_that_is_used_on_two_slides_is_named() -> None:
    deck = split("::: quiz {#q}\n:::\n\n---\n\n::: demo ddp id=q", "deck.md")
    assert messages(deck) == [
        "deck.md:6: the block id `q` is also used on line 1. Give one of them another id."
    ]


def test_the_slug_does_not_depend_on_how_an_accent_is_written() -> None:
    assert slug("Café") == slug("Cafe\u0301") == "café"


# -- files --------------------------------------------------------------------------------------------------


def test_bytes_of_every_kind(tmp_path: Path) -> None:
    file = tmp_path / "deck.md"
    file.write_bytes(b"\xef\xbb\xbf---\r\ntitle: T\r\n---\r\n# A\r\n\r\n---\r\n\r\n# B\0\r\n")
    deck = load(file)
    assert (deck.title, [head.title for head in deck.slides]) == ("T", ["A", "B\ufffd"])
    file.write_bytes(b"# A\n\nfine\n\ncaf\xe9 and more text so that this is no binary file\n")
    assert messages(load(file)) == [
        f"{file}:5: byte 0xe9 is not UTF-8; it is shown as \ufffd. Save the file as UTF-8."
    ]
    file.write_text("# Title é", encoding="utf-16")
    assert load(file).slides[0].title == "Title é"


def test_no_deck(tmp_path: Path) -> None:
    (tmp_path / "lesson.md").write_text("# A")
    (tmp_path / "binary.md").write_bytes(bytes(range(256)) * 20)
    (tmp_path / "big.md").write_bytes(b"a" * (MAX_FILE + 1))
    for path, message in {
        "": "this is a directory, not a deck. Name the Markdown file in it, for example",
        "leson.md": "there is no such file. Did you mean",
        "no/such": "there is no such file. Check the path",
        "binary.md": "this is a binary file",
        "big.md": "this file is larger than 64 MiB",
        "lesson.md/x": "this file cannot be read",
        "a\0b": "this file cannot be read",
    }.items():
        with pytest.raises(DeckError, match=message):
            load(tmp_path / path)
    with pytest.raises(DeckError, match="device"):
        load("/dev/zero")


def test_a_pipe_is_read_to_its_end_and_not_waited_for_without_a_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(pipe := tmp_path / "deck.md")
    monkeypatch.setattr("slides.reading.from_disk.source.WRITER_WITHIN_S", 0.0)
    with pytest.raises(DeckError, match="a pipe, and nothing writes into it"):
        load(pipe)
    monkeypatch.setattr("slides.reading.from_disk.source.WRITER_WITHIN_S", 60.0)
    text = "# From a pipe\n\n" + "words " * 20_000  # more than it holds at once
    threading.Thread(target=pipe.write_text, args=(text,), daemon=True).start()
    deck = load(pipe)
    assert deck.slides[0].title == "From a pipe" and deck.source == text
    assert load(pipe) == deck  # the same command reads it again, and nobody writes any more
    threading.Thread(target=pipe.write_text, args=("# Another",), daemon=True).start()
    while load(pipe) == deck:
        pass
    assert load(pipe).title == "Another"


# -- any text -----------------------------------------------------------------------------------------------

LINES = [
    "---", "", "# T", "```", "~~~", "<!--", "-->", "<!-- pause -->", "- a", "> b", "  - c", "    d",
    "::: quiz", ":::", "+++", "`<!--`", "\t```", "- ```", "> ```", "===", "text", "{#id}", "# A {#id}",
    "\u2028", "\ud800",
]  # fmt: skip
decks = st.one_of(st.text(), st.lists(st.sampled_from(LINES)).map("\n".join))


@given(decks)
def test_any_text_splits(text: str) -> None:
    deck = split(text, "deck.md")
    ids = [head.id for head in deck.slides]
    assert ids and len(set(ids)) == len(ids) and all(ids)
    assert deck == split(text, "deck.md")
    lines = deck.source.split("\n")
    for head in deck.slides:
        count = head.raw.count("\n") + 1 if head.raw else 0
        assert head.raw == "\n".join(lines[head.line - 1 : head.line - 1 + count])


@given(decks)
def test_a_slide_scans_alone_as_it_did_in_its_deck(text: str) -> None:
    """Reader and splitter agree: no slide's text, scanned by itself, ends before its own end."""
    for head in split(text, "deck.md").slides:
        if head.raw.startswith("---"):  # right under front matter: no blank line before it there, one here
            continue
        again = split("\n" + head.raw, "deck.md")
        assert [part.raw for part in again.slides] == [head.raw]


@given(decks)
def test_comments_come_out_line_by_line(text: str) -> None:
    lines = normalise(text).split("\n")
    marks = scan(lines)
    bare = replace_comments(lines, marks.comments, blank_comment)
    assert len(bare) == len(lines)
    same = replace_comments(
        lines, marks.comments, lambda c: f"<!--{c.body}{'-->' if c.closed else ''}".split("\n")
    )
    whole = [c for c in marks.comments if lines[c.last][: c.end].endswith(("<!-->", "<!--->"))]
    assert same == lines or whole


# -- speed: cpu time, not the clock -------------------------------------------------------------------------


def cpu_seconds(text: str) -> float:
    start = time.process_time()
    split(text, "deck.md")
    return time.process_time() - start


@pytest.mark.parametrize(
    "unit",
    [
        "x",
        "- ",
        "`",
        "`a``b",
        "<!-- a -->",
        "# a #",
        "{#a",
        ">",
        "~~~a\n\n---\n\n",
        "<!--\n\n---\n\n",
        "    ```\n",
    ],
)
def test_time_is_linear_in_the_text(unit: str) -> None:
    few, many = unit * (50_000 // len(unit)), unit * (400_000 // len(unit))
    small, large = min(cpu_seconds(few) for _ in range(2)), cpu_seconds(many)
    if large >= 24 * small + 0.2:  # whatever else the machine does may have made one of them slower
        small, large = min(small, cpu_seconds(few)), min(large, cpu_seconds(many))
    assert large < 24 * small + 0.2, (small, large)


def test_no_parser_is_imported_for_the_first_slide() -> None:
    code = (
        "import sys; from slides.reading.split import split; split('---\\ntitle: a\\n---\\n# B', 'd');"
        "print(*{'markdown_it', 'yaml', 'pygments', 'numpy', 'rich'} & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == ""


# -- the end of the talk --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "backup"),
    [
        ("# A\n\n<!-- end -->\n\n---\n\n# B\n\n---\n\n# C", {"A": False, "B": True, "C": True}),
        ("# A\n\n---\n\n<!-- end -->\n\n---\n\n# B", {"A": False, "B": True}),
        ("# A\n\n---\n\n<!-- end -->\n# B\n\n---\n\n# C", {"A": False, "B": True, "C": True}),
        ("# A\n\n`<!-- end -->`\n\n---\n\n# B", {"A": False, "B": False}),
        ("<!-- end -->\n\n---\n\n# B", {"": False, "B": False}),  # nothing was before it to end
        ("<!-- end -->\n# A\n\n---\n\n# B", {"A": False, "B": False}),
    ],
)
def test_slides_behind_the_end_mark_are_backup(text: str, backup: dict[str, bool]) -> None:
    assert {head.title: head.backup for head in split(text, "deck.md").slides} == backup


def test_a_layout_is_one_of_those_there_are() -> None:
    deck = split(
        "<!-- slide: {layout: Big_Number} -->\n# A\n\n---\n\n<!-- slide: {layout: tittle} -->\n# B", "d.md"
    )
    assert [head.layout for head in deck.slides] == ["big number", ""]
    (problem,) = deck.problems
    assert problem.line == 6 and "`tittle`" in problem.message and "`title`" in problem.mend


def test_a_size_is_one_of_those_there_are() -> None:
    deck = split("<!-- slide: {size: Large} -->\n# A\n\n---\n\n<!-- slide: {size: lrage} -->\n# B", "d.md")
    assert [head.size for head in deck.slides] == ["large", ""]
    (problem,) = deck.problems
    assert problem.line == 6 and "unknown size `lrage`" in problem.message and "`large`" in problem.mend
