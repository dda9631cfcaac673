"""Wrong solutions: changes of the solution, and whole files; what does not fit is named with its line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from runtime.practice import wrong_solutions
from runtime.practice.exercise import BrokenExercise, Exercise, find, read
from tui import cli

SOLUTION = '''"""Two functions."""


def one():
    """Return it."""
    # --- yours: from here
    for n in range(3):
        print(n)
    return 1
    # --- to here


def other():
    print(0)
    return 2
'''


@pytest.fixture
def own(tmp_path: Path) -> Exercise:
    """An exercise whose solution is `SOLUTION`, without wrong solutions."""
    shutil.copytree(find("send-receive").folder, tmp_path / "own")
    (tmp_path / "own" / "solution.py").write_text(SOLUTION)
    (tmp_path / "own" / "wrong.yaml").unlink()
    return read(tmp_path / "own")


def written(own: Exercise, changes: str) -> str:
    """The text of one mistake made of these changes."""
    (own.folder / "wrong.yaml").write_text(f'- name: it\n  told: "wrong: it is"\n  changes: [{changes}]\n')
    (it,) = wrong_solutions.of(own)
    assert (it.name, it.place, it.kind, it.words) == ("it", "wrong.yaml:1 it", "wrong", "it is")
    return it.text


def test_whole_lines_are_changed_whatever_their_indentation(own: Exercise) -> None:
    assert written(own, "{old: print(n), new: print(n + 1)}") == SOLUTION.replace("(n)", "(n + 1)")
    assert written(own, "{old: print(n)}") == SOLUTION.replace("        print(n)\n", "")
    assert written(own, r'{old: "for n in range(3):\n    print(n)", new: "x = 1\n\nprint(x)"}') == (
        SOLUTION.replace("    for n in range(3):\n        print(n)\n", "    x = 1\n\n    print(x)\n")
    )


def test_several_changes_are_made_in_turn(own: Exercise) -> None:
    changed = written(own, "{old: print(0), new: print(1)}, {old: print(1)}")
    assert changed == SOLUTION.replace("    print(0)\n", "")


def test_without_old_lines_all_of_the_hole_is_changed(own: Exercise) -> None:
    before, _, rest = SOLUTION.partition("    for n")
    after = rest.partition("    # --- to here")[2]
    assert written(own, r'{new: "if True:\n    return 3"}') == (
        f"{before}    if True:\n        return 3\n    # --- to here{after}"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- name: a\n  told: 'wrong: x'\n  changes: [{old: print(9)}]", "wrong.yaml:1: a: `old` .* 0 times"),
        (
            "\n- name: a\n  told: 'wrong: x'\n  changes: [{old: '# --- yours: from here'}]\n"
            "- name: b\n  told: 'wrong: x'\n  changes: [{old: ' '}]",
            "wrong.yaml:5: b: `old` .* 16 times in solution.py, not once: take",
        ),
        ("- name: a\n  told: wrong: x\n  changes: [{new: '1'}]", "wrong.yaml:2: .*in quotes"),
        ("- name: a\n  told: x\n  changes: [{new: '1'}]", r"wrong.yaml:1: .*told.*write `name: …`"),
        ("- name: ../a\n  told: 'a: x'\n  changes: [{new: '1'}]", r"wrong.yaml:1: .*name"),
        ("- name: a\n  told: 'a: x'\n  change: [{new: '1'}]", r"wrong.yaml:1: .*change"),
        ("- name: a\n  told: 'a: x'\n  changes: []", r"wrong.yaml:1: .*changes"),
        ("a: 1", "wrong.yaml:1: it is no list"),
        ("", "wrong.yaml:1: it is no list"),
        ("- name: a\n  told: 'a: x'\n  changes: [{new: '1'}]\n" * 2, "wrong.yaml:4: a is there already"),
        ("- \x00", "wrong.yaml:1: "),
    ],
)
def test_what_does_not_fit_is_named_with_its_line(own: Exercise, text: str, said: str) -> None:
    (own.folder / "wrong.yaml").write_text(text)
    with pytest.raises(BrokenExercise, match=said):
        wrong_solutions.of(own)


def test_a_solution_of_two_holes_is_changed_by_old_lines_alone(own: Exercise) -> None:
    hole = "    # --- yours: from here\n    return 2\n    # --- to here\n"
    own.solution.write_text(SOLUTION.replace("    return 2\n", hole))
    with pytest.raises(BrokenExercise, match=r"a hole stands 2 times .* say by `old`"):
        written(own, "{new: return 3}")


def test_the_checker_of_exercises_says_where(own: Exercise, capsys: pytest.CaptureFixture[str]) -> None:
    (own.folder / "wrong.yaml").write_text("- name: a\n  told: 'wrong: x'\n  changes: [{old: print(9)}]")
    assert cli.main(["check", str(own.folder)]) == 2
    assert "wrong.yaml:1: a: `old` (print(9) …) stands 0 times in solution.py" in capsys.readouterr().err


def test_a_whole_file_is_a_wrong_solution_too(own: Exercise, tmp_path: Path) -> None:
    (own.folder / "wrong").mkdir()
    text = '"""Mine."""\n# told: deadlock: who waits\nprint(1)\n'
    (own.folder / "wrong" / "mine.py").write_text(text)
    (it,) = wrong_solutions.of(own)
    assert (it.place, it.kind, it.words, it.text) == ("wrong/mine.py", "deadlock", "who waits", text)
    assert it.put(tmp_path) == tmp_path / "mine.py" and (tmp_path / "mine.py").read_text() == text
    (own.folder / "wrong" / "mine.py").write_text("print(1)\n")
    with pytest.raises(BrokenExercise, match=r"mine\.py: no line `# told: KIND: WORDS`"):
        wrong_solutions.of(own)


@pytest.mark.parametrize(
    "rubbish",
    [
        b"[" * 3000,
        b"- name: 2026-99-99\n",
        b"- name: 0b_\n",
        b"\xff\xfe",
        b"- a\x00",
        b'- {name: "a\\n", told: "x: y", changes: [{new: a}]}\n',
    ],
)
def test_rubbish_is_a_finding(own: Exercise, rubbish: bytes) -> None:
    (own.folder / "wrong.yaml").write_bytes(rubbish)
    with pytest.raises(BrokenExercise, match=r"wrong\.yaml:1: "):
        wrong_solutions.of(own)
