"""A scene by a Python file that reads a table: another table is another scene, as soon as it is saved."""

from __future__ import annotations

from pathlib import Path

from slides.deck import Scene
from slides.reading.split import load
from slides.scenes import on_slide
from tui.deck import reloading, scene_files
from tui.deck.contents import Contents

SOURCE = """\
import csv
from pathlib import Path as File

from slides.scenes.shapes import Label, State


def scene(table: str = "table.csv"):
    rows = list(csv.reader(File(__file__).with_name(table).open()))
    return [State((Label(id="a", at=(80, 30), text=row[0]),), lead=row[0]) for row in rows]
"""


def ran(contents: Contents) -> Contents:
    made = scene_files.run_agreed(contents, trusted=True)
    assert made is not None
    return made


def leads(contents: Contents) -> list[str]:
    block = contents.slide(0).blocks[1]
    assert isinstance(block, Scene)
    return [state.lead for state in on_slide.of(block).states()]


def test_another_table_is_another_scene(tmp_path: Path) -> None:
    deck, table = tmp_path / "deck.md", tmp_path / "table.csv"
    deck.write_text("# A\n\n::: scene file=parts.py\n\n---\n\n# B\n\nOther words.\n")
    (tmp_path / "parts.py").write_text(SOURCE)
    table.write_text("one\ntwo\n")
    contents = ran(Contents(load(deck)))
    assert leads(contents) == ["one", "two"]
    assert reloading.read(contents) is None
    table.write_text("one\ntwo\nthree\n")
    fresh = reloading.read(contents)
    assert fresh is not None and fresh.contents is not None and fresh.changed == (0,)
    assert leads(ran(fresh.contents)) == ["one", "two", "three"]


def test_a_table_that_was_not_there_is_looked_for_again(tmp_path: Path) -> None:
    deck, table = tmp_path / "deck.md", tmp_path / "table.csv"
    deck.write_text("# A\n\n::: scene file=parts.py\n")
    (tmp_path / "parts.py").write_text(SOURCE)
    contents = ran(Contents(load(deck)))
    assert not isinstance(contents.slide(0).blocks[1], Scene)  # a box that says why
    table.write_text("one\n")
    fresh = reloading.read(contents)
    assert fresh is not None and fresh.contents is not None
    assert leads(ran(fresh.contents)) == ["one"]
