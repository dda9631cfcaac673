"""Go's `present`: its marks within words, notes, and code of files by address."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from slides.audience_deck import audience_deck
from slides.deck import Code
from slides.dialects.programs.present import styled
from slides.problems import Problem
from slides.reading.parse import parse_slide
from slides.reading.split import load
from slides.reading_order import blocks

GO = """package main

// START OMIT
func main() {
\tfor i := 0; i < 3; i++ {
\t\tgo work(i) // HLgo
\t}
}
// STOP OMIT

type Ring struct {
\tn int
}

func (r *Ring) Next() int { return r.n }
"""


def shown(tmp_path: Path, line: str) -> tuple[Code, tuple[Problem, ...]]:
    (tmp_path / "x.go").write_text(GO)
    (tmp_path / "a.slide").write_text(f"Talk\n\n* A\n\n{line}\n")
    deck = load(tmp_path / "a.slide")
    assert deck.format == "present"
    found = [block for block in blocks(parse_slide(deck, 1).blocks) if isinstance(block, Code)]
    return found[0], deck.problems


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("*bold* and _italic_, (`code`).", "**bold** and *italic*, (`code`)."),
        ("_of_several_words_ *two*words*", "*of several words* **two words**"),
        ("snake_case 2 * 3 * 4 a*b f(x)", r"snake\_case 2 \* 3 \* 4 a\*b f(x)"),
        ("_a__b_", r"*a\_b*"),
        (
            "[[https://go.dev/x_(y)][*Go*]] [[http://a.b]]",
            "[**Go**](https://go.dev/x_%28y%29) [http://a.b](http://a.b)",
        ),
        ("<b> [x] #1", r"\<b\> \[x\] \#1"),
    ],
)
def test_marks_of_the_old_syntax(written: str, meant: str) -> None:
    assert styled(written) == meant


@pytest.mark.parametrize(
    ("address", "first", "last"),
    [
        ("/func main/,/^}/", "func main() {", "}"),
        ("/START/,/STOP/", "func main() {", "}"),
        ("/type Ring/,", "type Ring struct {", "func (r *Ring) Next() int { return r.n }"),
        (",/package/", "package main", "package main"),
        (
            "/func .*Next/",
            "func (r *Ring) Next() int { return r.n }",
            "func (r *Ring) Next() int { return r.n }",
        ),
        ("/func.main/+1,/^}/-1", "    for i := 0; i < 3; i++ {", "    }"),
        (
            "/[)] Next/",
            "func (r *Ring) Next() int { return r.n }",
            "func (r *Ring) Next() int { return r.n }",
        ),
        ("11,$", "type Ring struct {", "func (r *Ring) Next() int { return r.n }"),
    ],
)
def test_code_by_address(tmp_path: Path, address: str, first: str, last: str) -> None:
    code, problems = shown(tmp_path, f".code x.go {address}")
    lines = [line for line in code.source.split("\n") if line.strip()]
    assert (lines[0], lines[-1]) == (first, last) and not problems
    assert not any("OMIT" in line or "HLgo" in line for line in code.source.split("\n"))


def test_lines_that_are_highlighted_step_forward(tmp_path: Path) -> None:
    code, _ = shown(tmp_path, ".play x.go /func main/,/^}/ HLgo")
    assert code.focus == (frozenset({3}),) and not code.run


@pytest.mark.parametrize("address", ["/nowhere/", "999", "/type/,/package/", "/a/,/b/,/c/"])
def test_an_address_that_is_nowhere_is_told_and_all_is_shown(tmp_path: Path, address: str) -> None:
    code, (problem,) = shown(tmp_path, f".code x.go {address}")
    assert problem.line == 5 and "nowhere" in problem.message and len(code.source.split("\n")) > 10


def test_a_pattern_that_repeats_in_a_repetition_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("a" * 5000 + "\n")
    (tmp_path / "a.slide").write_text(
        "Talk\n\n* A\n\n.code long.txt /(a+)+$b/\n.code long.txt /.*.*.*.*.*.*x/\n"
    )
    start = time.process_time()
    assert len(load(tmp_path / "a.slide").problems) == 2
    assert time.process_time() - start < 5


def test_notes_are_notes_and_nothing_of_such_a_deck_runs(tmp_path: Path) -> None:
    text = (
        "# Talk\n\n: secret zero\n\n## A\n\nseen\n: secret one\n\n```bash run\nls\n```\n\n::: demo ddp\n:::\n"
    )
    (tmp_path / "a.slide").write_text(text)
    deck = load(tmp_path / "a.slide")
    slides = [parse_slide(deck, n) for n in range(len(deck.slides))]
    assert [note.markdown for slide in slides for note in slide.notes] == ["secret zero", "secret one"]
    assert "secret" not in audience_deck(deck).source
    found = list(blocks(slides[1].blocks))
    assert not any(isinstance(block, Code) and block.run for block in found)
    assert "Demo" not in {type(block).__name__ for block in found}
