"""`teachrun check --run`: real runs, a few steps each, and only of what somebody agreed to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runtime.catalog import registry
from runtime.catalog.registry import Launchable
from tui import cli
from tui.deck.built_in import lessons
from tui.deck.contents import Contents, open_deck
from tui.health.deck_trial import STEPS, brief, patience, to_try

DECK = """\
# Runs

::: demo ddp ranks=2 steps=500

```python run
print(1 + 1)
```

```python run
raise SystemExit("out of order")
```

```python run expect=failure
raise SystemExit(3)
```

```python run expect=failure
pass
```
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "s"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "d"))
    (tmp_path / "deck.md").write_text(DECK)
    return tmp_path


def test_nothing_of_a_deck_runs_before_somebody_agreed(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deck = home / "deck.md"
    deck.write_text(DECK.replace("::: demo ddp ranks=2 steps=500", "::: demo ./own.py ranks=2"))
    (home / "own.py").write_text(f"open({str(home / 'ran')!r}, 'w')")
    deck.write_text(deck.read_text().replace("print(1 + 1)", f"open({str(home / 'ran')!r}, 'w')"))
    assert cli.main(["check", str(deck), "--run", "--size", "240x60"]) == 0  # a line holds a path
    said = capsys.readouterr().err
    assert said.count("not tried:") == 5 and "own.py" in said
    assert not (home / "ran").exists()


def test_all_code_of_our_own_lessons_is_tried(capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody is asked about it where it is presented either."""
    for file in lessons().values():
        contents = Contents(open_deck(file))
        _, blocks = to_try(contents, trusted=False)
        assert blocks == [block for index in range(len(contents)) for block in contents.snippets(index)]
    assert "not tried:" not in capsys.readouterr().err


@pytest.mark.slow
def test_what_does_not_run_is_a_problem(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", str(home / "deck.md"), "--run", "--trust", "--json", "--size", "100x60"]) == 1
    found = {
        problem["line"]: problem["message"] for problem in json.loads(capsys.readouterr().out)["problems"]
    }
    assert found.keys() == {9, 17}
    assert "out of order" in found[9] and "meant to fail" in found[17]
    (run,) = (home / "d" / "teachrun" / "runs").iterdir()
    about = json.loads((run / "run.json").read_text())
    assert (about["state"], about["values"]["steps"], about["figures"]["steps"]) == ("done", STEPS, STEPS)


@pytest.mark.parametrize("name", registry.DEMOS)
def test_every_demo_can_be_tried_briefly(name: str) -> None:
    if (missing := registry.DEMOS[name].missing) is not None:
        pytest.skip(missing.why)
    asked = registry.check(name, {})
    assert isinstance(asked, Launchable)
    short = brief(asked)
    assert short.seconds("timeout") is not None
    assert (short.steps or 0) <= (asked.steps or 0)


def test_a_block_of_a_lesson_has_the_time_that_its_fence_asks_for(tmp_path: Path) -> None:
    """Else a busy machine finds problems in decks that have none; but no fence holds a check for an hour."""
    decks = [Contents(open_deck(file)) for file in lessons().values()]
    blocks = [one for deck in decks for index in range(len(deck)) for one in deck.snippets(index)]
    asked = [block.timeout_s for block in blocks if not block.terminal]
    assert max(asked) > 60 and [patience(block) for block in blocks if not block.terminal] == asked
    (tmp_path / "long.md").write_text("# Long\n\n```python run timeout=3600\npass\n```\n")
    (block,) = Contents(open_deck(tmp_path / "long.md")).snippets(0)
    assert patience(block) < 600 < block.timeout_s
