"""A deck with scripts asks when it is opened; a demo of ours does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_screen import painted, until

from slides.deck import Box, Scene
from slides.reading.split import load
from tui.app import TeachApp
from tui.classroom.session import Session
from tui.deck import consent_question, deck_upload
from tui.deck.contents import Contents
from tui.screens.overlay import Ask

SCRIPT = "# One\n\n::: demo ./train.py ranks=2\n"


@pytest.fixture(autouse=True)
def state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def opened(folder: Path, text: str) -> TeachApp:
    (folder / "deck.md").write_text(text)
    return TeachApp(Session(Contents(load(folder / "deck.md")), screen="s"))


async def test_yes_is_remembered_and_what_a_later_edit_names_is_asked_about(tmp_path: Path) -> None:
    app = opened(tmp_path, SCRIPT)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, Ask))
        await pilot.press("y")
        await until(pilot, lambda: not isinstance(app.screen, Ask))
        assert consent_question.unasked(app.session.contents) == ()
        (tmp_path / "deck.md").write_text(SCRIPT + "\nwords\n")
        await app.do("reload")
        await pilot.pause(0.2)
        assert not isinstance(app.screen, Ask)  # it names nothing new
        (tmp_path / "deck.md").write_text(SCRIPT + "\n::: demo ./other.py\n")
        await app.do("reload")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        assert app.screen.question == "This deck now runs other.py on this machine, as you. Trust it?"
        await pilot.press("n")
        assert [one.rpartition("/")[2] for one in consent_question.unasked(app.session.contents)] == [
            "other.py"
        ]
    again = opened(tmp_path, SCRIPT)
    async with again.run_test(size=(80, 24)) as pilot:
        await pilot.pause(0.2)
        assert not isinstance(again.screen, Ask)


async def test_a_script_that_is_another_one_is_asked_about_as_soon_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print(1)\n")
    app = opened(tmp_path, SCRIPT)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, Ask))
        await pilot.press("y")
        await until(pilot, lambda: not isinstance(app.screen, Ask))
        (tmp_path / "train.py").write_text("print(2) # another\n")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        assert "now runs train.py" in app.screen.question


async def test_yes_is_about_what_was_asked(tmp_path: Path) -> None:
    """Not about what stands in the script by then."""
    (tmp_path / "train.py").write_text("print(1)\n")
    app = opened(tmp_path, SCRIPT)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, Ask))
        question = app.screen
        app.actions.deck_editing.unwatch_deck()
        (tmp_path / "train.py").write_text("print(2) # another\n")
        await pilot.press("y")
        # A look at the files that was on its way may ask about the other script by now.
        await until(pilot, lambda: app.screen is not question)
        assert consent_question.unasked(app.session.contents)


async def test_no_is_no_and_is_asked_again_next_time(tmp_path: Path) -> None:
    app = opened(tmp_path, SCRIPT)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, Ask))
        await pilot.press("n")
        await until(pilot, lambda: not isinstance(app.screen, Ask))
        [asked] = consent_question.unasked(app.session.contents)
        assert asked.endswith(f" {tmp_path / 'train.py'}")


async def test_who_goes_on_teaching_has_not_answered(tmp_path: Path) -> None:
    """A key that was on its way when the question came is not an answer to it."""
    app = opened(tmp_path, SCRIPT + "\n---\n\n# Two\n\nwords\n\n---\n\n# Three\n")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, Ask))
        await pilot.press("right")
        assert app.session.index == 1 and isinstance(app.screen, Ask)
        assert any("words" in row.text for row in painted(app.screen))
        await pilot.press("g", "3", "enter")
        assert app.session.index == 2 and isinstance(app.screen, Ask)
        await pilot.press("y")
        await until(pilot, lambda: not isinstance(app.screen, Ask))
        assert consent_question.unasked(app.session.contents) == ()


async def test_a_script_that_an_edit_brings_in_is_asked_about(tmp_path: Path) -> None:
    app = opened(tmp_path, "# One\n\n::: demo ddp ranks=2\n")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause(0.2)
        assert not isinstance(app.screen, Ask)
        (tmp_path / "deck.md").write_text(SCRIPT)
        await app.do("reload")
        await until(pilot, lambda: isinstance(app.screen, Ask))


async def test_files_elsewhere_are_shown_after_a_yes_and_code_runs_after_one(tmp_path: Path) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("password = 1234\n")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "link.py").symlink_to(secret)
    blocks = ("```python file=../secret.py", "```python file=link.py", "```bash run\necho hello")
    shown = "".join(f"{block}\n```\n\n" for block in blocks)
    app = opened(tmp_path / "d", "# One\n\n" + shown)
    async with app.run_test(size=(100, 40)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, Ask))
        assert "a code block" in app.screen.question and "secret.py" in app.screen.question
        before = app.session.contents
        assert sum("outside" in str(block) for block in before.slide(0).blocks) == 2
        await pilot.press("y")
        await until(pilot, lambda: app.session.contents.rev != before.rev)
        after = app.session.contents
        assert sum("password" in str(block) for block in after.slide(0).blocks) == 2
        assert after.rev != before.rev
        assert consent_question.unasked(after) == ()
    assert b"password" in deck_upload.for_audience(after)


async def test_what_an_edit_shows_from_elsewhere_is_asked_about(tmp_path: Path) -> None:
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text(f"{name[:3]} = 1\n")
    (tmp_path / "d").mkdir()
    block = "```python file=../one.py\n```\n\n"
    app = opened(tmp_path / "d", block)
    async with app.run_test(size=(100, 40)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, Ask))
        await pilot.press("y")
        await until(pilot, lambda: "one = 1" in str(app.session.contents.slide(0).blocks))
        (tmp_path / "d" / "deck.md").write_text(block + block.replace("one", "two"))
        await app.do("reload")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        assert "now shows two.py from outside its folder" in app.screen.question
        assert "two = 1" not in str(app.session.contents.slide(0).blocks)
        await pilot.press("y")
        await until(pilot, lambda: "two = 1" in str(app.session.contents.slide(0).blocks))


async def test_a_deck_of_another_program_takes_in_a_file_elsewhere_after_a_yes(tmp_path: Path) -> None:
    (tmp_path / "more.md").write_text("# Two\n\n---\n\n# Three\n\n```bash {monaco-run}\necho hello\n```\n")
    (tmp_path / "d").mkdir()
    app = opened(tmp_path / "d", "---\nlayout: cover\n---\n\n# One\n\n---\nsrc: ../more.md\n---\n")
    async with app.run_test(size=(100, 40)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, Ask))
        assert isinstance(app.screen, Ask) and "more.md" in app.screen.question
        before = app.session.contents
        assert (before.deck.format, len(before)) == ("slidev", 1)
        await pilot.press("y")
        await until(pilot, lambda: len(app.session.contents) == 3 and isinstance(app.screen, Ask))
        after = app.session.contents
        assert [head.title for head in after.heads] == ["One", "Two", "Three"]
        await until(pilot, lambda: "a code block" in getattr(app.screen, "question", ""))  # of that file
        await pilot.press("n")
        (tmp_path / "more.md").write_text("# Two\n")
        await app.do("reload")
        await until(pilot, lambda: len(app.session.contents) == 2)
        assert [head.title for head in app.session.contents.heads] == ["One", "Two"]


async def test_a_terminal_is_asked_about_like_all_code(tmp_path: Path) -> None:
    app = opened(tmp_path, "# One\n\n::: terminal sh\n")
    assert consent_question.unasked(app.session.contents)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, Ask))
        await pilot.press("y")
        await until(pilot, lambda: not consent_question.unasked(app.session.contents))
    assert consent_question.unasked(opened(tmp_path, "# One\n\n::: terminal bash\n").session.contents)


SCENE = """\
from slides.scenes.shapes import Label, State

def scene(steps: int = 2):
    return [State((Label(id="a", at=(80, 30), text=f"part {n}"),), lead=f"Part {n}") for n in range(steps)]
"""


async def test_a_file_of_a_scene_runs_after_a_yes_and_again_after_an_edit_and_a_yes(tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text(SCENE)
    app = opened(tmp_path, "# One\n\n::: scene file=parts.py steps=3\n")

    def block() -> object:
        return app.session.contents.slide(0).blocks[1]

    def steps() -> int:
        found = block()
        return found.frames if isinstance(found, Scene) and found.body else 0

    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, Ask))
        assert app.screen.question == "This deck runs parts.py on this machine, as you. Trust it?"
        assert steps() == 0
        await pilot.press("y")
        await until(pilot, lambda: steps() == 3)
        await pilot.press("right")
        await pilot.press("right")
        await until(pilot, lambda: any("Part 2" in row.text for row in painted(app.screen)))
        assert b"parts.py" not in deck_upload.for_audience(app.session.contents)
        (tmp_path / "parts.py").write_text(SCENE.replace("for n in", "for n in 1 /"))
        await until(pilot, lambda: isinstance(app.screen, Ask))
        assert "now runs parts.py" in app.screen.question and steps() == 0
        await pilot.press("y")
        await until(pilot, lambda: isinstance(block(), Box))
        assert "parts.py:4: TypeError" in str(block())
        (tmp_path / "parts.py").write_text(SCENE)  # as it was: agreed to, and known
        await until(pilot, lambda: steps() == 3)
        assert not isinstance(app.screen, Ask)
