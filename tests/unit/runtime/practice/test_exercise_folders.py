"""Folders of exercises: those that ship are whole, and what is missing in another is said."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from runtime.diagnosis.evidence import Evidence
from runtime.practice import holes, kept_files, wrong_solutions
from runtime.practice.exercise import BrokenExercise, Exercise, find, listed, read
from runtime.practice.outcome import CheckState, Outcome
from runtime.practice.warm_runner import Practice
from tui import cli
from tui.practice.exercise_proof import proved


def test_every_exercise_is_whole() -> None:
    found = listed()
    assert len(found) >= 24
    for exercise in found.values():
        assert len(exercise.checks) >= 3 and len(exercise.hints) >= 2 and exercise.task, exercise.name
        start, solved = exercise.start, exercise.solution.read_text()
        wrong = {it.place: it.text for it in wrong_solutions.of(exercise)}
        assert len(set(wrong.values()) - {solved}) == len(wrong) >= 3, exercise.name
        for place, script in {"start.py": start, "solution.py": solved, **wrong}.items():
            compile(script, f"{exercise.folder}/{place}", "exec")
        assert "raise NotImplementedError" not in solved and start != solved, exercise.name
        if exercise.name != "five-bugs":  # there is something to mend, not to write
            assert "raise NotImplementedError" in start, exercise.name
        assert 'if __name__ == "__main__"' in start, "torchrun runs it"


def test_a_name_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(BrokenExercise, match="did you mean send-receive"):
        find("send-recieve")
    with pytest.raises(BrokenExercise, match="ring-reduce-scatter or ring-all-reduce or ring-attention"):
        find("ring")
    assert cli.main(["practice", "send-recieve"]) == 2
    assert "did you mean" in capsys.readouterr().err
    assert cli.main(["practice", "send-receive", "--check", "/nowhere/my.py"]) == 2


def test_a_folder_with_the_name_of_one_of_ours_is_meant_only_by_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside a deck anything may lie: what is opened by a name on a slide runs unasked."""
    ours = find("send-receive")
    shutil.copytree(ours.folder, tmp_path / "send-receive")
    shutil.copytree(ours.folder, tmp_path / "own")
    monkeypatch.chdir(tmp_path)
    assert find("send-receive").folder == ours.folder
    assert find("./send-receive").folder == tmp_path / "send-receive"
    assert find("own").folder == tmp_path / "own"


def test_one_of_your_own_begins_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["practice", "new", "mine"]) == 0
    assert read(tmp_path / "mine").checks == find("send-receive").checks
    assert cli.main(["practice", "new", "mine"]) == 2
    assert cli.main(["practice", "new", "My Own"]) == 2
    (tmp_path / "mine" / "start.py").write_text("mine = 1\n")
    assert read(tmp_path / "mine").start == "mine = 1\n"
    (tmp_path / "mine" / "solution.py").write_text("mine = 2\n")
    assert read(tmp_path / "mine").name == "mine"
    (tmp_path / "mine" / "hints.md").unlink()
    with pytest.raises(BrokenExercise, match=r"hints\.md is missing"):
        read(tmp_path / "mine")
    (tmp_path / "mine" / "hints.md").write_text("a")
    (tmp_path / "mine" / "task.md").write_text("---\ntitle: T\nranks: many\n---\n")
    with pytest.raises(BrokenExercise, match="ranks: many is not a whole number"):
        read(tmp_path / "mine")
    (tmp_path / "mine" / "task.md").write_text("---\ntitle: T\n---\n")
    (tmp_path / "mine" / "start.py").unlink()
    with pytest.raises(BrokenExercise, match=r"solution\.py has no hole: .* or add start\.py"):
        read(tmp_path / "mine")


def test_they_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["list", "exercises", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["exercises"]
    assert [it["name"] for it in found] == list(listed())
    assert cli.main(["list", "exercises"]) == 0
    assert "ring-reduce-scatter" in capsys.readouterr().out


async def test_what_is_not_told_apart_is_named() -> None:
    """A run that finds everything right: the start has no hole, and no wrong solution is noticed."""

    class Blind(Practice):
        def __init__(self) -> None:
            pass

        async def run(self, exercise: Exercise, file: Path, on_change: object = None) -> Outcome:
            return Outcome(exercise, file, [CheckState(it, "passed") for it in exercise.checks], Evidence(4))

    exercise = find("send-receive")
    wrong = wrong_solutions.of(exercise)
    found = dict([it async for it in proved(Blind(), exercise, wrong)])
    assert found["solution.py"] == "" and "nothing to write" in found["start"]
    assert {found[it.place] for it in wrong} == {"it passes all checks"} and len(wrong) >= 3


def test_a_folder_of_an_exercise_that_was_deleted_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_files, "EXERCISES_DIR", tmp_path)
    folder = tmp_path / "one"
    shutil.copytree(find("send-receive").folder, folder)
    kept = kept_files.read(folder)
    (folder / "wrong.yaml").unlink()
    (folder / "task.md").write_text("mine")
    (folder / "more.py").write_text("")
    assert "it is as it was before" in kept_files.put_back(folder, kept)
    assert kept_files.read(folder) == kept and kept_files.put_back(folder, kept) == ""


def test_what_a_student_begins_with_is_the_solution_with_nothing_in_its_holes() -> None:
    hole = "{0}# --- yours: from here\n{0}{1}\n{0}# --- to here\n"
    script = "def one():\n" + hole + "\n\nclass Two:\n"
    empty = "raise NotImplementedError"
    two = hole.format(" " * 8, "pass"), hole.format(" " * 8, empty)
    assert holes.emptied(script.format(" " * 4, "a = 1\n\n    return a") + two[0]) == (
        script.format(" " * 4, empty) + two[1]
    )
    assert holes.emptied("x = 1\n") == "x = 1\n"
