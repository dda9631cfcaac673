"""What the ranks of a script print, on stderr of `teachrun run`."""

from __future__ import annotations

import asyncio
import io
from dataclasses import replace
from pathlib import Path

import pytest

from runtime.catalog import registry
from tui.commands.running.run import Headless

HALF = ["Traceback (most recent call last):", '  File "train.py", line 7, in <module>']
REFUSED = "ConnectionRefusedError: [Errno 111] Connection refused"


@pytest.mark.parametrize("ranks", [1, 2])
def test_no_line_of_a_script_that_goes_on_without_a_connection_is_kept_back(
    ranks: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It prints the traceback of a download, then half of another one, and ends well."""
    said = "\\n".join([*HALF, REFUSED, "goes on", *HALF])
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\nprintf '%b\\n' '{said}' > \"$TEACHRUN_LOG_DIR/rank-{ranks - 1}.pipe\"\n")
    python.chmod(0o755)
    demo = registry.check("ddp", {"ranks": str(ranks), "launcher": "torchrun"})
    assert isinstance(demo, registry.Launchable)
    demo = replace(demo, python=str(python), builtin=False, steps=None)
    assert asyncio.run(Headless(demo, None).run(as_json=True, table=io.StringIO())) == 0
    mark = f"[rank {ranks - 1}] "
    found = [line.removeprefix(mark) for line in capsys.readouterr().err.splitlines() if mark in line]
    if ranks == 1:
        assert found == [*HALF, REFUSED, "goes on", *HALF]
    else:
        assert found == [f"a connection failed: {REFUSED}", "goes on", *HALF, REFUSED, *HALF]
