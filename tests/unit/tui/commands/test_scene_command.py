"""`teachrun scene` and `teachrun list scenes`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from made_scene import known

from slides.deck import Scene
from slides.reading.parse import parse_slide
from slides.reading.split import split
from slides.scenes.scene_request import asked
from tui import cli
from tui.commands.decks.scene import source


@pytest.fixture(autouse=True)
def scene() -> Iterator[None]:
    with known():
        yield


def test_its_words_where_there_is_no_screen(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["scene", "token", "ranks=3"]) == 0
    said = capsys.readouterr().out.split("\n")
    assert said[0] == "A token goes round"
    assert [row for row in said if row.startswith("step")] == [
        f"step {n} of 3, drawn, not measured" for n in (1, 2, 3)
    ]
    assert "Rank 2 has it" in said


def test_a_step_that_fails_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["scene", "token", "fails=1", "--plain"]) == 0
    said = capsys.readouterr().out
    assert "no such luck" in said and "Rank 2 has it" in said


@pytest.mark.parametrize(
    ("words", "mend"),
    [
        (["tokn"], "did you mean token?"),
        (["token", "ranks=1"], "ranks is 2 to 16"),
        (["token", "ranks"], "write KEY=VALUE"),
        (["token", "rnks=4"], "rnks"),
    ],
)
def test_what_there_is_not_is_refused(
    words: list[str], mend: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["scene", *words]) == 2
    assert mend in capsys.readouterr().err


def test_on_a_screen_it_is_a_deck_of_one_slide() -> None:
    params = {"ranks": "5"}
    read = parse_slide(split(source(asked("token", params), params), "d.md"), 0)
    assert [block.params for block in read.blocks if isinstance(block, Scene)] == [params]
    assert read.title == "A token goes round" and read.steps == 5


def test_scenes_are_listed_with_all_that_they_take(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["list", "scenes", "--json"]) == 0
    scenes = {scene["name"]: scene for scene in json.loads(capsys.readouterr().out)["scenes"]}
    assert scenes["token"]["steps"] == 4 and scenes["token"]["title"] == "A token goes round"
    assert scenes["token"]["params"][0] == {
        "name": "ranks", "kind": "int", "default": 4, "about": "how many there are",
        "low": 2, "high": 16, "choices": [],
    }  # fmt: skip
    assert cli.main(["list", "--json"]) == 0
    everything = json.loads(capsys.readouterr().out)
    assert everything["scenes"] == list(scenes.values()) and everything["demos"] and everything["lessons"]
    assert cli.main(["list", "scenes"]) == 0
    said = capsys.readouterr().out
    assert "token  A token goes round" in said and "2 to 16; default 4" in said


def test_a_python_file_is_a_scene(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "two_parts.py"
    file.write_text(
        "from slides.scenes.shapes import State\n"
        "def scene(steps: int = 2):\n"
        "    return [State((), lead=f'Part {1 // (n - 3) and n}') for n in range(steps)]\n"
    )
    assert cli.main(["scene", str(file)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Two parts") and "Part 1" in said
    assert cli.main(["scene", str(file), "steps=4"]) == 1
    assert "two_parts.py:3: ZeroDivisionError" in capsys.readouterr().err
    assert cli.main(["scene", str(tmp_path / "none.py")]) == 2
