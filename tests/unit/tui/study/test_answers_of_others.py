"""An export of study that was written by hand: what cannot have been answered is refused, with a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tui import cli

DECK = """# A

::: quiz {#one}
Which?

- [x] a
- [ ] b
:::

---

# B

::: quiz {#pairs kind=match}
Which?

- a => 1
- b => 2
:::
"""


@pytest.fixture
def lesson(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    path = tmp_path / "deck.md"
    path.write_text(DECK, encoding="utf-8")
    return path


def answer(lesson: object, question: str, kind: str, choice: list[int], **other: object) -> dict[str, Any]:
    said = {
        "at": "2026-03-02T10:00:00.000+00:00", "course": "", "lesson": str(lesson), "question": question,
        "kind": kind, "reply": {"choice": choice, "text": []}, "right": True, "points": 1.0, "out_of": 1.0,
        "seconds": 4.0, "sure": None, "rated": 3, "tags": [], "sitting": "s",
    }  # fmt: skip
    return said | other


def imported(tmp_path: Path, *answers: dict[str, Any]) -> int:
    file = tmp_path / "export.json"
    file.write_text(json.dumps({"export": 2, "schema": 3, "answers": answers}), encoding="utf-8")
    return cli.main(["study", "--import", str(file)])


def kept(capsys: pytest.CaptureFixture[str]) -> list[str]:
    capsys.readouterr()
    cli.main(["study", "--export", "-"])
    out = capsys.readouterr().out
    return [one["question"] for one in json.loads(out)["answers"]] if out else []


@pytest.mark.parametrize(
    ("question", "kind", "choice"),
    [("one", "single", [3]), ("one", "single", [0]), ("pairs", "match", [1, 3])],
)
def test_an_option_that_is_not_there(
    lesson: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    question: str,
    kind: str,
    choice: list[int],
) -> None:
    good = answer(lesson, "one", "single", [2])
    assert imported(tmp_path, good, answer(lesson, question, kind, choice, sitting="t")) == 1
    said = capsys.readouterr()
    assert "1 answer new" in said.out
    assert f"question `{question}`" in said.err and "there are 1 to 2" in said.err
    assert kept(capsys) == ["one"]


def test_what_was_possible_is_kept(lesson: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """So is what nobody here can know: a lesson that is elsewhere, a question that was another kind."""
    answers = (
        answer(lesson, "pairs", "match", [2, 0]),
        answer(lesson, "one", "multi", [4]),
        answer("/gone/deck.md", "far", "single", [7]),
    )
    assert imported(tmp_path, *answers) == 0, capsys.readouterr().err
    assert sorted(kept(capsys)) == ["far", "one", "pairs"]


@pytest.mark.parametrize(
    "other",
    [
        {"at": "yesterday"},
        {"at": "2026-03-02T10:00:00"},
        {"rated": 9},
        {"reply": {"choice": [-4], "text": []}},
        {"reply": {"choice": [10**9], "text": []}},
    ],
)
def test_what_no_answer_can_be(
    lesson: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], other: dict[str, Any]
) -> None:
    assert imported(
        tmp_path, answer(lesson, "one", "single", [1]), answer(lesson, "one", "single", [1], **other)
    )
    assert "answer 2 in it" in capsys.readouterr().err
    assert kept(capsys) == []
