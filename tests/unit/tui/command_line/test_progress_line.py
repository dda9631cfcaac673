"""The progress of a run without a screen, on a terminal."""

from __future__ import annotations

import os
import pty
import sys

import pyte
import pytest

from tui.command_line.progress import Progress
from tui.rendering import escape_filter


def test_each_line_is_written_over_the_one_before_through_what_guards_stderr(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w", encoding="utf-8") as out:
        monkeypatch.setattr(sys, "stderr", out)
        screen = pyte.Screen(80, 4)
        stream = pyte.ByteStream(screen)

        def shown(after: bytes) -> list[str]:
            heard = b""
            while after not in heard:
                heard += os.read(ours, 4096)
            stream.feed(heard)
            return [line.rstrip() for line in screen.display]

        with escape_filter.errors():
            progress = Progress(sys.stderr)
            progress.say("no step after 34 s: all ranks are in import " + "for long " * 20)
            progress.say("step 1/40")
            assert shown(b"step 1/40") == ["step 1/40", "", "", ""]
            progress.print("rank 0 said this")
            progress.say("step 2/40")
            progress.end()
            print("done", file=sys.stderr, flush=True)
            assert shown(b"done") == ["rank 0 said this", "done", "", ""]
    os.close(ours)
