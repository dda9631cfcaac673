"""What may run is what was agreed to, for this deck and this script."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runtime.host import consent


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


def test_only_scripts_are_asked_about(home: Path) -> None:
    deck = home / "deck.md"
    assert consent.runnable("ddp", {"ranks": "4"}, deck) == ""
    for name, params, ends in (
        ("./a.py", {}, str(home / "a.py")),
        ("/x/a.py", {"ranks": "2"}, "/x/a.py"),
        ("a.py", {"python": "/bin/sh"}, str(home / "a.py")),
    ):
        block = consent.runnable(name, params, deck)
        assert block.endswith(f" {ends}") and consent.name_of(block) == "a.py"
    assert consent.refusal(deck, "ddp", {}) is None


def test_what_was_agreed_to_is_not_asked_again(home: Path) -> None:
    deck, blocks = home / "deck.md", ["/a.py", "/b.py", "/a.py", ""]
    assert consent.missing(deck, blocks) == ("/a.py", "/b.py")
    consent.agree(deck, ["/a.py"])
    assert consent.missing(deck, blocks) == ("/b.py",)
    consent.agree(deck, blocks)
    assert consent.missing(deck, blocks) == ()
    assert (home / "state" / "teachrun" / "trust.json").stat().st_mode & 0o077 == 0


def test_another_deck_another_script_and_another_interpreter_are(home: Path) -> None:
    deck = home / "deck.md"
    for name in ("a.py", "b.py"):
        (home / name).write_text("")
    consent.agree(deck, [consent.runnable("a.py", {}, deck)])
    assert consent.refusal(deck, "./a.py", {"ranks": "3", "lr": "1"}) is None  # other words, same script
    for other, name, params in (
        (home / "other.md", "./a.py", {}),
        (deck, "./b.py", {}),
        (deck, "../a.py", {}),
        (deck, "./a.py", {"python": "/bin/sh"}),
        (None, "./a.py", {}),
    ):
        assert consent.refusal(other, name, params) is not None


def test_a_link_to_another_script_is_another_script(home: Path) -> None:
    deck, link = home / "deck.md", home / "a.py"
    for name in ("first.py", "second.py"):
        (home / name).write_text("")
    link.symlink_to(home / "first.py")
    consent.agree(deck, [consent.runnable("a.py", {}, deck)])
    assert consent.refusal(deck, "a.py", {}) is None
    link.unlink()
    link.symlink_to(home / "second.py")
    assert consent.refusal(deck, "a.py", {}) is not None


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"version": 2, "agreed": {}}', '{"version": 1, "agreed": []}', "[" * 100_000]
)
def test_a_broken_file_has_agreed_to_nothing_and_is_mended(home: Path, text: str) -> None:
    file = home / "state" / "teachrun" / "trust.json"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    deck = home / "deck.md"
    assert consent.missing(deck, ["/a.py"]) == ("/a.py",)
    consent.agree(deck, ["/a.py"])
    assert consent.missing(deck, ["/a.py"]) == ()
    assert json.loads(file.read_text())["version"] == 1


def test_a_refusal_is_safe_to_print(home: Path) -> None:
    refused = consent.refusal(home / "deck.md", "./\x1b]0;x\x07.py", {})
    assert refused is not None and refused.why.isprintable()
