"""`teachrun check`: each check on a deck that has nothing wrong and on one that has just that wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runtime.catalog import registry
from slides.problems import Problem
from slides.reading.split import load
from slides.screen_size import Size, declared_size, read_size
from tui import cli
from tui.deck.contents import Contents
from tui.health.deck_findings import examine

USUAL = Size(100, 30)
PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000"
    "050001a5f645400000000049454e44ae426082"
)


def found(tmp_path: Path, text: str, size: Size = USUAL) -> list[Problem]:
    deck = tmp_path / "deck.md"
    deck.write_text(text, "utf-8")
    return examine(Contents(load(deck)), size)


def one(problems: list[Problem]) -> Problem:
    assert len(problems) == 1, problems
    return problems[0]


CHART = "# A\n\n::: chart bars\n| a | b |\n|---|---|\n| c | 1 |\n:::\n"
QUIZ = """# Q

::: quiz {#q}
How many?

- [ ] one
- [x] two
:::
"""


@pytest.mark.parametrize(
    ("good", "bad", "line", "word", "mend"),
    [
        ("# A\n\n![a ring](ring.png)", "# A\n\n![a ring](rung.png)", 3, "rung.png", "relative to the deck"),
        ("# A\n\nsee ![it](ring.png) here", "# A\n\nsee ![it](rung.png) here", 3, "rung.png", "relative"),
        ("# A\n\nsee ![it](ring.png) here", "# A\n\nsee ![it](https://x.org/a.png) here", 3, "https", "Save"),
        ("# A\n\n![a ring](ring.png)", "# A\n\n![](ring.png)", 3, "cannot see", "what it shows"),
        ("# A\n\n![a ring](ring.png)", "# A\n\n![a ring](part.md)", 3, "", "PNG or JPEG"),
        ("# A\n\n::: include part.md", "# A\n\n::: include prat.md", 3, "prat.md", "relative"),
        ("# A\n\n::: demo ddp ranks=2", "# A\n\n::: demo dpd ranks=2", 3, "dpd", "Did you mean ddp"),
        ("# A\n\n::: demo ddp ranks=2", "# A\n\n::: demo ddp rnaks=2", 3, "rnaks", "Did you mean ranks"),
        ("# A\n\n::: demo ddp ranks=2", "# A\n\n::: demo ddp colour=2", 3, "colour", "one of: ranks, "),
        ("# A\n\n::: demo ddp ranks=2", "# A\n\n::: demo ddp ranks=900", 3, "ranks=900", "from 1 to 64"),
        ("# A\n\n::: scene room", "# A\n\n::: scene\nrow: a, b\nstep: b", 3, "no name", "a line `:::` below"),
        ("# A\n\n::: scene room", "# A\n\n::: scene room strategy=x", 3, "cannot be drawn", "strategy=fsdp"),
        (CHART, CHART.replace("bars", "bars file=a.csv"), 3, "file", "`::: chart bars a.csv`"),
        (CHART, CHART.replace("| 1 |", "| x |"), 6, "is not a number", "leave the cell empty"),
        ("# A\n\n::: compare ddp fsdp", "# A\n\n::: compare ddp", 3, "two strategies", "Write: compare"),
        (QUIZ, QUIZ.replace("[x]", "[ ]"), 6, "no option is right", "[x]"),
        (QUIZ, QUIZ.replace("How many?\n", ""), 3, "question itself", "above the first option"),
        ("# A\n\ntext\n\n---\n\n# B", "# A\n\ntext\n---\n\n# B", 4, "heading", "blank line above"),
        ("# A\n\n$$\\frac{1}{2}$$", "# A\n\n$$\\frac{1$$", 3, "cannot be drawn", ""),
        ("# A\n\n$x^2$ is it", "# A\n\n$x^$ is it", 3, "cannot be drawn", ""),
        ("# A\n\nx <!-- notes: $x$ -->", "# A\n\n<!-- notes: $x^$ -->", 3, "cannot be drawn", ""),
        ("# A\n\n```python\nx = 1\n```", f"# A\n\n```python\ny = 2\nx = {'1' * 100}\n```", 5, "104", "Break"),
        ("---\ntitle: T\n---\n\n# A", "---\ntitle: T\n\n# A", 1, "never ends", "Write a line `---`"),
        ("# A\n\n<!-- pause -->\n\nb", "# A\n\n<!-- puase -->\n\nb", 3, "puase", "pause"),
    ],
)
def test_what_is_wrong_is_found_and_what_is_right_is_not(
    tmp_path: Path, good: str, bad: str, line: int, word: str, mend: str
) -> None:
    (tmp_path / "ring.png").write_bytes(PICTURE)
    (tmp_path / "part.md").write_text("a part")
    assert found(tmp_path, good) == []
    problem = one(found(tmp_path, bad))
    assert problem.line == line
    assert word in problem.message and mend in problem.mend


def test_all_parameters_are_listed_where_none_is_near(tmp_path: Path) -> None:
    problem = one(found(tmp_path, "# A\n\n::: demo ddp qqqq=2"))
    assert all(param.name in problem.mend for param in registry.DEMOS["ddp"].params)
    assert problem.column == "::: demo ddp qqqq=2".index("qqqq") + 1


# --- times ----------------------------------------------------------------------------------------------


def timed(*times: str, total: str = "10m") -> str:
    slides = [f"<!-- slide: {{{time}}} -->\n# Slide {n}" for n, time in enumerate(times)]
    return f"---\ntitle: T\ntime: {total}\n---\n" + "\n\n---\n\n".join(slides)


@pytest.mark.parametrize(
    "times",
    [
        ("time: 4m", "time: 6m"),
        ("time: 4m", "optional: false"),
        ("optional: true", "optional: false"),
        ("time: 10m", "{time: 5m, hidden: true}".strip("{}")),
    ],
)
def test_times_that_add_up(tmp_path: Path, times: tuple[str, ...]) -> None:
    assert found(tmp_path, timed(*times)) == []


@pytest.mark.parametrize(
    ("times", "message", "mend"),
    [
        (("time: 4m", "time: 7m"), "take 11:00 together, and the front matter says 10:00", "`time: 11m`"),
        (("time: 4m", "time: 5m"), "take 9:00 together, and the front matter says 10:00", "`time: 9m`"),
        (
            ("time: 10m", "optional: false"),
            "0:00 of the 10:00 is left",
            "timed slides less",
        ),
        (
            ("time: 595s", "optional: false"),
            "0:05 of the 10:00 is left",
            "timed slides less",
        ),
    ],
)
def test_times_that_do_not(tmp_path: Path, times: tuple[str, ...], message: str, mend: str) -> None:
    problem = one(found(tmp_path, timed(*times)))
    assert problem.line == 3  # where the front matter has its `time:`
    assert message in problem.message and mend in problem.mend


def test_an_end_that_is_no_time_of_day(tmp_path: Path) -> None:
    problem = one(found(tmp_path, "---\ntitle: T\nend: 25:99\n---\n# A\n"))
    assert (problem.line, problem.message) == (3, "`25:99` is not a time of day") and "15:30" in problem.mend
    assert found(tmp_path, "---\nend: 15:30\n---\n# A\n") == []


def test_slides_behind_the_end_are_not_counted(tmp_path: Path) -> None:
    text = timed("time: 10m") + "\n\n<!-- end -->\n\n---\n\n<!-- slide: {time: 5m} -->\n# Backup"
    assert found(tmp_path, text) == []


# --- what fits ------------------------------------------------------------------------------------------


def rows(count: int) -> str:
    return "\n\n".join(f"row {n}" for n in range(count))


def test_a_slide_that_fits_and_one_that_does_not(tmp_path: Path) -> None:
    # 30 rows, less 3 of hints and footer and a blank one above; paragraphs take two, the last of them one.
    assert found(tmp_path, rows(13)) == []
    problem = one(found(tmp_path, rows(14)))
    assert "needs 27 rows, and at 100x30 has 26" in problem.message and problem.line == 1


def test_the_step_is_named_from_which_on_it_does_not_fit(tmp_path: Path) -> None:
    text = rows(12) + "\n\n<!-- pause -->\n\na\n\n<!-- pause -->\n\nb\n\nc"
    assert "needs 29 rows from step 3 on" in one(found(tmp_path, text)).message


def test_a_panel_takes_rows_from_its_slide(tmp_path: Path) -> None:
    assert found(tmp_path, rows(10)) == []
    problem = one(found(tmp_path, rows(9) + "\n\n::: demo ddp ranks=8"))
    assert "while ddp runs" in problem.message
    # A row per rank, five besides, three below: what is left of thirty, less the blank one above.
    assert f"has {30 - 3 - (8 + 5) - 1}" in problem.message


def test_an_answer_is_measured_with_its_explanations(tmp_path: Path) -> None:
    why = "  > " + "why " * 360
    text = QUIZ.replace("- [x] two", f"{why}\n- [x] two\n{why}")
    assert "when its answer is shown" in one(found(tmp_path, text + "\n\n" + rows(4))).message
    assert found(tmp_path, QUIZ + "\n\n" + rows(4)) == []


def test_the_size_is_what_the_deck_declares(tmp_path: Path) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text("---\nminimum: 80x24\n---\n# A")
    assert declared_size(load(deck)) == Size(80, 24)
    deck.write_text("---\ntitle: A\nminimum: small\n---\n# A")
    problem = declared_size(load(deck))
    assert isinstance(problem, Problem) and problem.line == 3 and "`small`" in problem.message
    assert read_size("80 x 24") == Size(80, 24)
    assert read_size("8x4") is None and read_size("80x") is None


# --- the command ----------------------------------------------------------------------------------------


def test_exit_codes_and_one_line_a_problem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text("# A\n\n::: demo dpd\n")
    assert cli.main(["check", str(deck)]) == 1
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{deck}:3:10: there is no demo named dpd. Did you mean")
    assert last == f"{deck}: 1 slide, 1 problem at 100x30"
    deck.write_text("# A\n")
    assert cli.main(["check", str(deck), "--size", "80x24"]) == 0
    assert capsys.readouterr().out == f"{deck}: 1 slide, no problem at 80x24\n"
    assert cli.main(["check", str(tmp_path / "none.md")]) == 2
    with pytest.raises(SystemExit, match="2"):
        cli.main(["check", str(deck), "--size", "huge"])


def test_one_json_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text("# A title\n\n---\n\n::: demo ddp rnaks=4\n")
    assert cli.main(["check", str(deck), "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["format"] == "teachrun" and said["title"] == "A title" and said["slides"] == 2
    assert one(said["problems"]) == {
        "file": str(deck),
        "line": 5,
        "column": 14,
        "message": "ddp has no parameter rnaks",
        "mend": "Did you mean ranks?",
    }


def test_nothing_in_a_deck_reaches_the_terminal_raw(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text("# A\n\n::: demo d\x1b[31mdp x\x1b]0;y\x07=1\n\n![a](b\x1b[2J.png)\n")
    assert cli.main(["check", str(deck)]) == 1
    assert "\x1b" not in capsys.readouterr().out


def test_what_is_wrong_in_an_included_file_names_that_file(tmp_path: Path) -> None:
    (tmp_path / "part.md").write_text(
        "---\nx: y\n---\n![a](no.png)\n\n::: demo dpd\n\n::: quiz\nQ?\n\n- [ ] a\n:::\n\n"
        "::: columns 1,1\n\n$\\frac{$\n\n+++\n\n::: demo ddp rank=1\n\n:::\n\n"
        f"```python\n{'x' * 120}\n```\n"
    )
    problems = found(tmp_path, "# A\n\n::: include part.md\n\n::: demo dpd\n")
    told = sorted(
        {(Path(problem.file).name, problem.line) for problem in problems if "rows" not in problem.message}
    )
    assert told == [("deck.md", 5), *(("part.md", line) for line in (4, 6, 11, 16, 20, 25))]


def test_a_word_that_means_nothing_to_a_question_is_named(tmp_path: Path) -> None:
    path = tmp_path / "deck.md"
    path.write_text("# A\n\n::: quiz {#q shufle=yes points=2}\nWhich?\n\n- [x] a\n- [ ] b\n:::\n")
    (problem,) = examine(Contents(load(path)), Size(100, 30))
    assert (problem.line, problem.mend) == (3, "Did you mean `shuffle`?")


def test_code_whose_colours_take_too_long_is_told(tmp_path: Path) -> None:
    """40 characters on which a lexer of pygments goes on without end."""
    text = "# A\n\n```mcschema\n" + "<!--" * 10 + "\n```\n"
    problem = one(found(tmp_path, text))
    assert problem.line == 3 and "longer than a slide may wait" in problem.message
    long = one(found(tmp_path, "# A\n\n```python\n" + "x = 1\n" * 5000 + "```\n", Size(100, 6000)))
    assert "at most 24000 are coloured" in long.message


def test_code_that_nothing_here_runs_is_told_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = one(found(tmp_path, "# One\n\n```klingon run\nx\n```\n"))
    assert (problem.line, problem.message) == (3, "nothing here runs klingon")
    assert "config.toml" in problem.mend
    monkeypatch.setenv("PATH", str(tmp_path))
    assert one(found(tmp_path, "# One\n\n```rust run\nx\n```\n")).message == "rustc is not installed"
    assert one(found(tmp_path, "# One\n\n```ts run\nx\n```\n")).message.endswith("is not installed")
    assert found(tmp_path, "# One\n\n```rust\nx\n```\n") == []


def test_a_picture_that_nothing_here_draws_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from PIL import Image

    from slides.drawing.blocks import image

    Image.new("RGB", (2, 2)).save(tmp_path / "ring.png")
    text = "# One\n\n![A ring](ring.png)\n"
    assert found(tmp_path, text) == []
    monkeypatch.setattr(image, "available", lambda: False)
    problem = one(found(tmp_path, text))
    assert problem.line == 3 and "pillow" in problem.mend


ROW = (
    "::: scene\nrow: "
    + ", ".join(f"worker {n}" for n in range(8))
    + "\nstep: One\nlight: worker 0\nstep: Two\n:::\n"
)


def test_names_that_boxes_in_columns_have_no_room_for_are_found_once(tmp_path: Path) -> None:
    assert found(tmp_path, f"# A\n\n{ROW}") == []
    beside = f"# A\n\n::: columns\nwords beside it\n\n+++\n\n{ROW}:::\n"
    problem = one(found(tmp_path, beside))
    assert problem.line == 8 and "`worker 0`, `worker 1`, `worker 2` and 5 more" in problem.message
    assert "at 100x30" in problem.message and "columns 1,2" in problem.mend
    assert found(tmp_path, beside, Size(200, 60)) == []
    assert found(tmp_path, beside.replace("worker ", "w")) == []
