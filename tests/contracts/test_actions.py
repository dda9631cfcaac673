"""The table of actions: sound, complete for clickers, and the lists of keys are made from it."""

from __future__ import annotations

from pathlib import Path

import key_lists

from tui.keys import table

ROOT = Path(__file__).parents[2]


def test_no_key_means_two_things() -> None:
    assert key_lists.conflicts() == []


def test_a_clicker_can_step_blank_and_never_quits() -> None:
    by_key = {key: action.name for action in table.for_role("console") for key in action.keys}
    assert by_key["pagedown"] == "next_step"
    assert by_key["pageup"] == "previous_step"
    assert by_key["full_stop"] == by_key["b"] == "blank"
    assert {by_key.get(key, "") for key in table.CLICKER}.isdisjoint({"quit", "interrupt", "restart_demo"})


def test_single_keys_only() -> None:
    """No terminal under tmux can be relied on for more (facts on kitty keys)."""
    for action in table.ACTIONS:
        for key in action.keys:
            assert not key.startswith("alt+")
            assert not key.startswith("ctrl+shift+")


def test_what_a_rooms_screen_cannot_do_its_help_does_not_promise() -> None:
    told = {action.name: action.text for action in table.for_role("audience")}
    assert told["quit"] == "Leave; the class goes on" and "demo" not in told["interrupt"]
    assert {action.name: action.text for action in table.for_role("console")}["quit"].startswith("Quit")


def test_an_audience_changes_nothing() -> None:
    names = {action.name for action in table.for_role("audience")}
    looks = {name for name in names if name.startswith("camera_")}
    looks |= {"theme", "text_size", "transition", "pictures", "motion", "full_screen", "down", "up"}
    assert names == looks | {"palette", "help", "close", "quit", "interrupt"}


def test_the_lists_of_keys_are_made_from_the_table() -> None:
    keys = (ROOT / "tui" / "KEYS.md").read_text()
    assert all(key_lists.markdown_table(*role) in keys for role in ((), *((role,) for role in table.ALONE)))
    assert key_lists.first_markdown_table() in (ROOT / "README.md").read_text()
