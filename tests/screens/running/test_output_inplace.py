"""Code on a slide whose output takes its place: what was printed, a picture, or why there is none."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from made_screen import Screenful, until
from PIL import Image
from read_letters import read

from runtime.classroom.actions import Run
from runtime.protocol.messages import Output, RunSnippet

DECK = """\
# Code

```python run replace
print("cod" + "e")
```

```python run image
plot()
```
"""
CODE = 'print("cod"+"e")'


def seen(full: Screenful) -> str:
    """What somebody reads, in letters of one pitch or not: without blanks between them."""
    return read(full.text()).replace(" ", "")


@pytest.fixture(autouse=True)
def as_agreed_to(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async def no_question(self: Any) -> None:
        pass

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("tui.app.TeachApp.ask_to_trust", no_question)


def tell(full: Screenful, block: str, run: str, state: str, *lines: str, picture: bytes = b"") -> None:
    full.link.order(Run(block, run, 1, "snippet", {"lang": "python"}, state))  # type: ignore[arg-type]
    why, code = ("exit code 3", 3) if state == "failed" else ("", 0 if state == "done" else None)
    counts = (0, 0, len(lines), lines)
    full.link.receive(
        Output(block, run, "python", state, why, code, None, 0.5, 30.0, *counts, picture=picture)
    )


@pytest.mark.parametrize("size", [(160, 45), (100, 30), (80, 24)])
async def test_what_was_printed_stands_in_the_place_of_the_code(size: tuple[int, int]) -> None:
    full = Screenful(DECK)
    async with full.app.run_test(size=size) as pilot:
        await pilot.pause()
        assert CODE in seen(full)
        await pilot.press("R")
        tell(full, "code/1", "r1", "running")
        await pilot.pause(0.1)
        assert "OUTPUT" not in full.text()  # nothing moves for what ends at once
        tell(full, "code/1", "r1", "running", "half of it")
        await until(pilot, lambda: "OUTPUT" in full.text() and CODE in seen(full))
        assert "OUTPUT" in full.text() and CODE in seen(full)
        tell(full, "code/1", "r1", "done", "half of it", "and the rest")
        await until(pilot, lambda: "andtherest" in seen(full) and CODE not in seen(full))
        assert "andtherest" in seen(full) and CODE not in seen(full)
        assert "OUTPUT" not in full.text() and "exitcode0" in seen(full)
        # Run again it is code again; and after a failure the code and the error stand.
        tell(full, "code/1", "r2", "failed", "Traceback: it broke")
        await until(pilot, lambda: CODE in seen(full) and "Traceback:itbroke" in seen(full))
        assert CODE in seen(full) and "Traceback:itbroke" in seen(full)
        assert "andtherest" not in seen(full)


async def test_a_picture_stands_in_the_place_of_the_code() -> None:
    full = Screenful(DECK)
    buffer = io.BytesIO()
    Image.new("RGB", (64, 32), "#c02030").save(buffer, "PNG")
    async with full.app.run_test(size=(90, 30)) as pilot:
        await pilot.pause()
        await pilot.press("tab", "R")
        assert [(one.block, one.picture) for one in full.link.of(RunSnippet)] == [("code/2", True)]
        tell(full, "code/2", "r1", "done", picture=buffer.getvalue())
        while "█" not in full.text():
            await pilot.pause(0.05)
        assert "plot()" not in full.text() and "█" * 60 in full.text()
        assert "Code" in full.text()  # it is no higher than a picture of the deck would be
        # Said again without the picture, as to a screen that has it, it stays.
        tell(full, "code/2", "r1", "done")
        await pilot.pause(0.1)
        assert "█" * 60 in full.text()
        tell(full, "code/2", "r2", "done", picture=b"loss 1.5")
        while "$TEACHRUN_IMAGE" not in full.text():
            await pilot.pause(0.05)
        assert "plot()" in full.text() and "loss 1.5" in full.text() and "█" not in full.text()
