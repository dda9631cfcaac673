"""Code on a slide: run, stopped, its output on every screen, and copied."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from made_screen import Screenful, until

from runtime.classroom.actions import Look, Run
from runtime.protocol.messages import Output, Refused, RunSnippet, StopRun
from slides.deck import Code
from slides.drawing.large import read_letters
from tui.rendering import textual_private
from tui.terminal import clipboard

DECK = """\
# Code

```python run timeout=9s hide=1
import time
print("hello")
```

```bash run {#shell}
ls
```

<!-- pause -->

```sh run
later
```
"""


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("TMUX", raising=False)


async def no_question(self: Any) -> None:
    """As with a deck that was agreed to."""


@pytest.fixture(autouse=True)
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.app.TeachApp.ask_to_trust", no_question)


def output(block: str, *lines: str, state: str = "running", **changes: Any) -> Output:
    fields: dict[str, Any] = {
        "block": block,
        "run": "r1",
        "lang": "python",
        "state": state,
        "why": "",
        "code": None,
        "signal": None,
        "ran_s": 1.5,
        "timeout_s": 9.0,
        "first": 0,
        "at": 0,
        "end": len(lines),
        "lines": lines,
    }
    return Output(**{**fields, **changes})


def printing(full: Screenful, *lines: str, state: str = "running", **changes: Any) -> None:
    """What a host says of a run: its place in the journal, and what it printed."""
    full.link.order(Run("code/1", "r1", 1, "snippet", {"lang": "python"}, state))  # type: ignore[arg-type]
    full.link.receive(output("code/1", *lines, state=state, **changes))


async def test_r_runs_the_first_block_with_its_hidden_lines_and_stops_it() -> None:
    full = Screenful(DECK)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        assert "import time" not in full.text() and "R run" in full.text()
        await pilot.press("R")
        assert full.link.of(RunSnippet) == [
            RunSnippet("code/1", "python", 'import time\nprint("hello")', 9.0)
        ]
        printing(full, "\x1b[31mhel\x1b[0mlo\x07")
        await until(
            pilot, lambda: "OUTPUT" in full.text() and "● running" in full.text() and "R stop" in full.text()
        )
        assert "OUTPUT" in full.text() and "● running" in full.text() and "R stop" in full.text()
        assert "hello" in full.text() and "1.5 s of 0:09 at most" in full.text()
        await pilot.press("R")
        assert full.link.of(StopRun) == [StopRun("code/1")]
        await pilot.press("d")
        assert len(full.link.of(StopRun)) == 2
        printing(full, "hello", state="failed", why="exit code 3")
        await until(pilot, lambda: full.text().count("✗ exit code 3") == 2)
        assert full.text().count("✗ exit code 3") == 2  # above the code, and above the output
        await pilot.press("escape")
        await until(pilot, lambda: "OUTPUT" not in full.text() and "✗ exit code 3" in full.text())
        assert "OUTPUT" not in full.text() and "✗ exit code 3" in full.text()


async def test_tab_goes_round_the_blocks_that_are_on_screen() -> None:
    full = Screenful(DECK)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.press("tab", "R")
        await pilot.press("tab", "R")
        await pilot.press("right", "tab", "tab", "R")
        assert [wish.block for wish in full.link.of(RunSnippet)] == ["shell", "code/1", "code/3"]


async def test_output_scrolls_to_its_first_line_and_follows_its_last() -> None:
    full = Screenful(DECK)
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("R")
        printing(full, *(f"line {n}" for n in range(200)))
        await until(pilot, lambda: "line 199" in full.text() and "{ } scroll" in full.text())
        assert "line 199" in full.text() and "{ } scroll" in full.text()
        await pilot.press("enter")
        assert "line 199" in full.text() and "print" not in full.text()
        for _ in range(20):
            await pilot.press("up")
        assert "line 0" in full.text()
        full.link.receive(output("code/1", "line 200", at=200, end=201))
        await pilot.pause(0.1)
        assert "line 0" in full.text()  # who looks back is not torn away
        for _ in range(20):
            await pilot.press("right_curly_bracket")
        assert "line 200" in full.text()
        full.link.receive(output("code/1", "line 201", at=201, end=202))
        await until(pilot, lambda: "line 201" in full.text())
        assert "line 201" in full.text()


async def test_a_long_line_is_broken_and_not_cut() -> None:
    full = Screenful(DECK)
    async with full.app.run_test(size=(80, 30)) as pilot:
        await pilot.press("R", "enter")
        printing(full, "x" * 200 + "END")
        await until(pilot, lambda: "END" in full.text() and full.text().count("x" * 70) == 2)
        assert "END" in full.text() and full.text().count("x" * 70) == 2


async def test_an_audience_sees_it_and_runs_nothing() -> None:
    full = Screenful(DECK, role="audience")
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("R", "tab")
        full.link.order(Look(snippet="code/1"))
        printing(full, "hello", state="done", code=0)
        await until(pilot, lambda: "hello" in full.text() and "✓ exit code 0" in full.text())
        assert "hello" in full.text() and "✓ exit code 0" in full.text()
        assert "R run" not in full.text() and "Enter" not in full.text()
        assert full.link.of(RunSnippet) == []


LETTERS = """\
# Code

```python run
from runtime.demos import step_by_hand

step_by_hand.main()
```

- Step 1 is at its fullest in the **update**, step 2 in **forward**. Why not the same?
"""


def in_letters(full: Screenful) -> str:
    """The words on the terminal that are in letters of three rows."""
    rows = full.text().split("\n")
    return " / ".join(filter(None, (read_letters.words(rows[n : n + 3]) for n in range(len(rows) - 2))))


@pytest.mark.parametrize("printed", [2, 12])
async def test_code_and_words_stay_in_letters_when_their_result_comes(printed: int) -> None:
    full = Screenful(LETTERS, role="audience")
    async with full.app.run_test(size=(160, 45)) as pilot:
        await pilot.pause()
        before = in_letters(full)
        assert "Step 1 is at its fullest" in before and "by_hand.main" not in full.text()
        full.link.order(Look(snippet="code/1"))
        printing(full, *(f"step {n}" for n in range(printed)), state="done", code=0)
        await until(pilot, lambda: "OUTPUT" in full.text())
        after = in_letters(full)
        assert "Step 1 is at its fullest" in after and "by_hand.main" not in full.text()
        assert all(f"step {n}" in full.text() for n in range(printed))


async def test_what_needs_the_rows_for_its_result_has_them() -> None:
    full = Screenful(LETTERS, role="audience")
    async with full.app.run_test(size=(160, 45)) as pilot:
        await pilot.pause()
        full.link.order(Look(snippet="code/1"))
        printing(full, *(f"step {n}" for n in range(22)), state="done", code=0)
        await until(pilot, lambda: "OUTPUT" in full.text())
        assert all(f"step {n}" in full.text() for n in range(22)) and "step_by_hand.main()" in full.text()


async def test_a_refusal_is_said_where_the_output_would_be() -> None:
    full = Screenful(DECK)
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("R")
        full.link.receive(Refused("code/1", "nobody has agreed", "open the deck again"))
        await until(
            pilot, lambda: "nobody has agreed" in full.text() and "open the deck again" in full.text()
        )
        assert "nobody has agreed" in full.text() and "open the deck again" in full.text()
        await pilot.press("escape")
        assert "nobody has agreed" not in full.text()


async def test_y_copies_all_that_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said: list[str] = []
    monkeypatch.setattr(textual_private, "write", lambda app, data: said.append(data))
    full = Screenful(DECK)
    async with full.app.run_test(size=(100, 24)) as pilot:
        await pilot.press("y")
        await pilot.pause(0.1)
        file = tmp_path / "state" / "teachrun" / "copied.py"
        assert file.read_text() == 'import time\nprint("hello")\n'
        assert "copied 2 lines" in full.text() and "block 1 of 2" in full.text()
        await pilot.press("y")
        await pilot.pause(0.1)
    copied = [base64.b64decode(data.removeprefix("\x1b]52;c;").removesuffix("\x07")) for data in said]
    assert copied == [b'import time\nprint("hello")\n', b"ls\n"]


def test_a_terminal_inside_tmux_is_asked_through_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMUX", "/tmp/x")
    asked = clipboard.sequences("x")
    assert asked.startswith("\x1b]52;c;eAo=\x07\x1bPtmux;\x1b\x1b]52;c;eAo=\x07\x1b\\")
    monkeypatch.delenv("TMUX")
    monkeypatch.setenv("TERM", "screen-256color")
    assert clipboard.sequences("x") == "\x1bP\x1b]52;c;eAo=\x07\x1b\\"


def test_of_a_diff_the_newer_version_is_copied() -> None:
    assert clipboard.text_of(Code("python", "a\nb\nc", diff=" -+")) == "a\nc"
