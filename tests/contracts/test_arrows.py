"""Who may know whom, and what must not be imported before the first slide is painted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from made_pty import Pty
from sources import ROOMS, ROOT, files, packages

RANK_SIDE = ("runtime/launch/fork_server.py", "runtime/ranks/", "runtime/demos/", "runtime/exercises/")


@pytest.mark.parametrize("room", ["slides", "quiz", "runtime"])
def test_no_arrow_runs_back_or_between(room: str) -> None:
    others = set(ROOMS) - {room}
    offenders = {str(p.relative_to(ROOT)): packages(p) & others for p in files(room)}
    assert {path: rooms for path, rooms in offenders.items() if rooms} == {}


def test_textual_only_in_the_screen_and_torch_only_on_the_rank_side() -> None:
    for room in ("slides", "quiz", "runtime"):
        assert [p for p in files(room) if "textual" in packages(p)] == []
    for part in ("commands", "views"):
        shown = [p for p in files(f"tui/{part}") if "textual" in packages(p, top_level_only=True)]
        assert shown == []
    for room in ROOMS:
        for path in files(room):
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith(RANK_SIDE):
                assert "torch" not in packages(path), name


HEAVY = ("torch", "numpy", "pygments", "markdown_it", "yaml", "pylatexenc", "aiohttp")


@pytest.mark.parametrize("module", ["tui.cli", "tui.app", "runtime.host.__main__", "runtime.host.client"])
def test_nothing_heavy_on_the_way_to_the_first_slide(module: str) -> None:
    code = f"import sys, {module}; print(*(m for m in {HEAVY!r} if m in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.split() == []


def test_what_a_click_a_run_or_a_grade_needs_comes_with_it_and_not_with_the_screen() -> None:
    late = ("json", "quiz.grade", "runtime.practice", "tui.panes.click_target", "tui.screens.run_menus")
    late += ("tui.terminal.clipboard", "tui.views.blocks", "tui.views.question", "tui.views.run")
    code = f"import sys, tui.app; print(*(m for m in {late!r} if m in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.split() == []


def test_what_the_first_slide_needs_is_read_before_it_and_no_more() -> None:
    """Messages, actions and Textual are for what comes after it."""
    code = """if True:
        import sys, tui.commands.presenting.present, tui.classroom.host_link, tui.terminal.crash_restart
        from slides.reading.split import split
        from tui.rendering import first_paint
        from tui.config import settings
        from tui.deck.contents import Contents
        settings.given()
        rows = first_paint.slide_rows(Contents(split("# One\\n\\n- two $n^2$", "deck.md")), 80, 24)
        first_paint.drawn(rows, first_paint.THEMES["dark"], 80, first_paint.terminal_colours())
        ours = ("runtime.classroom.actions", "runtime.classroom.state", "tui.classroom.session")
        late = ("textual", "asyncio", *ours)  # blocks of a deck are msgspec Structs: it is there
        print(len(rows), *(m for m in (*late, "yaml", "torch", "numpy", "pygments") if m in sys.modules))
    """
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.split() == ["24"]


def test_a_deck_of_words_brings_nothing_of_what_its_first_slide_does_not_have(tmp_path: Path) -> None:
    """Asked of the command itself, when it has written the first words to its terminal."""
    late = ["runtime.classroom", "slides.highlighting", "slides.math", "slides.reading.elements"]
    late += ["slides.reading.charts", "slides.reading.markdown.fences", "slides.drawing.blocks.listing"]
    late += ["slides.drawing.blocks.tables", "slides.drawing.scene_page", "slides.reading.title_slide"]
    late += ["tui.classroom.pace", "tui.deck.languages", "quiz", "runtime.catalog", "socket", "shlex"]
    deck = tmp_path / "deck.md"
    deck.write_text("# One\n\nA line of words.\n\n- **two**\n- three\n\n---\n\n# Two\n\n```py\n1\n```\n")
    code = f"""if True:
        import os, sys
        from tui.rendering import first_paint
        paint = first_paint.paint
        def painted(*asked):
            paint(*asked)
            there = [name for name in {late!r} if name in sys.modules]
            os.write(1, f"painted: {{first_paint.painted()}}, too early: {{there}}.".encode())
            os._exit(0)
        first_paint.paint = painted
        from tui.cli import main
        main(["present", {str(deck)!r}])
    """
    environ = os.environ | {"TERM": "xterm-256color", "PYTHONPATH": str(ROOT)}
    terminal = Pty([sys.executable, "-P", "-c", code], environ, (30, 100, 0, 0))
    try:
        seen = terminal.until(lambda seen: seen.endswith(b"].") or b"Traceback" in seen)
        assert seen.endswith(b"painted: True, too early: []."), seen[-3000:]
    finally:
        terminal.close()


def test_headless_commands_never_load_textual() -> None:
    code = "import sys, tui.cli, tui.commands.running.run, tui.commands.presenting.ps"
    code += "; print('textual' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "False"
