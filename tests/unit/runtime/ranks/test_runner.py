"""A rank's script, how it ends itself, and its log, when the disk is full."""

from __future__ import annotations

import os
import sys
import traceback
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


@pytest.mark.parametrize(
    ("left", "code", "told"),
    [
        ("'no data here\\nask who has it'", 1, "no data here"),
        ("['no', 'data']", 1, "['no', 'data']"),
        ("'x' * 9000", 1, "x" * runner.MAX_WHAT),
        ("' \\n'", 1, None),
        ("'\\nno data'", 1, "no data"),
        ("7", 7, None),
        ("None", 0, None),
    ],
)
def test_what_a_script_says_as_it_ends_itself_is_told_as_a_refusal(
    left: str, code: int, told: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "script.py"
    script.write_text(f"import sys\nsys.exit({left})\n")
    monkeypatch.setattr(sys, "argv", sys.argv)
    monkeypatch.setattr(sys, "path", [*sys.path])
    heard: list[tuple[str, str, bool]] = []
    monkeypatch.setattr(
        runner.probe, "fault", lambda what, root="", refused=False: heard.append((what, root, refused))
    )
    assert runner.run_script(str(script), ()) == code
    assert heard == ([(told, f"{script}:2", True)] if told is not None else [])


def test_of_a_checkpoint_that_fails_it_is_said_what_happened() -> None:
    """torch gathers what happened to each rank in an exception whose first line only counts them."""
    api = pytest.importorskip("torch.distributed.checkpoint.api")
    full = OSError(28, "No space left on device")
    failed = api.CheckpointException("write", {1: (full, traceback.StackSummary())})
    assert runner.describe(failed) == "CheckpointException: OSError: [Errno 28] No space left on device"
