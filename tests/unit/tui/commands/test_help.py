"""`teachrun help`: every topic is there, and every example of the guide is right."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

import pytest

from quiz.kinds import registry
from slides.reading import directives
from tui import cli
from tui.commands.getting_help import help as command

EXAMPLES = [
    (topic, text)
    for topic in ("format", "questions")
    for text in re.findall(r"(?ms)^````markdown\n(.*?)^````$", command.text_of(command.TOPICS[topic]))
]


@pytest.mark.parametrize("name", command.TOPICS)
def test_each_topic_has_words(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(argparse.Namespace(topic=name)) == 0
    said = capsys.readouterr().out
    assert said.startswith("#") and len(said.split()) > 80


def test_the_list_names_each_and_a_wrong_one_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(argparse.Namespace(topic="")) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.split("\n\n")[0].splitlines()]
    assert listed == list(command.TOPICS)
    assert command.main(argparse.Namespace(topic="formt")) == 2
    assert "did you mean format?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("topic", "text"), EXAMPLES, ids=[f"{topic}{n}" for n, (topic, _) in enumerate(EXAMPLES)]
)
def test_each_example_is_right(topic: str, text: str, tmp_path: Path) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text(text if text.startswith(("#", "---", "<!--")) else f"# A\n\n{text}", encoding="utf-8")
    page = command.text_of(command.TOPICS["format"])  # whose example of a scene's file it is
    scene = page[page.index("# pass_on.py") :].partition("```")[0]
    (tmp_path / "pass_on.py").write_text(scene, encoding="utf-8")
    assert cli.main(["check", str(deck), "--size", "120x40"]) == 0


def test_every_directive_and_every_kind_of_question_has_an_example() -> None:
    words = command.text_of(command.TOPICS["format"]) + command.text_of(command.TOPICS["questions"])
    assert [name for name in directives.KNOWN if f"::: {name}" not in words] == []
    asked = "".join(text for topic, text in EXAMPLES if topic == "questions")
    missing = [kind for kind in registry.KINDS if f"kind={kind}" not in asked]
    assert set(missing) <= {"poll", "description"}


def test_a_pipe_gets_what_was_written() -> None:
    words = [sys.executable, "-m", "tui", "help", "keys"]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert said == command.text_of(command.TOPICS["keys"]) and "\x1b" not in said
