"""A rank's script and its log, when the disk is full."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from runtime.ranks import runner


def test_a_full_disk_loses_the_words_of_a_rank_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    log = runner.log_stream(full)
    monkeypatch.setattr("sys.stdout", log)
    for _ in range(3):
        print("x" * 20_000, "π", flush=True)
    log.close()
    with pytest.raises(OSError):
        os.write(full, b"x")  # the disk was full indeed
    os.close(full)


def test_the_log_is_utf_8_whatever_the_locale(tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb") as file:
        log = runner.log_stream(file.fileno())
        log.write("loss ≈ 2 \udc80\n")
        log.close()
    assert (tmp_path / "log").read_text(encoding="utf-8") == "loss ≈ 2 \\udc80\n"
