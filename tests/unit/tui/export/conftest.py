"""What tests of a deck that is handed out begin with."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_handouts import DECK, PNG


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setattr("runtime.recordings.files.SHIPPED", tmp_path / "none that ship")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deck.md").write_text(DECK, "utf-8")
    (tmp_path / "ring.png").write_bytes(PNG)
    return tmp_path
