"""Code whose output is a picture: which bytes come of a run, and which do not."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from runtime.catalog.params import Refusal
from runtime.launch.processes import marked
from runtime.snippets.picture_output import MOST_BYTES, TOO_LARGE, Picturing
from runtime.snippets.running_code_block import Ended, attempt

pytestmark = pytest.mark.slow
CLASS = "test-picturing"


def made(source: str, folder: Path, timeout_s: float = 60.0) -> Ended:
    found = asyncio.run(attempt("python", source, folder, timeout_s, CLASS, Picturing))
    assert not isinstance(found, Refusal)
    assert not list(marked(CLASS))
    return found


def test_the_bytes_it_prints_apart_from_its_warnings(tmp_path: Path) -> None:
    source = (
        "import sys\nfor n in range(8):\n sys.stdout.buffer.write(bytes(range(256)) * 64)\n"
        " sys.stdout.flush()\n print('warned', n, file=sys.stderr)"
    )
    found = made(source, tmp_path)
    assert (found.state, found.picture) == ("done", bytes(range(256)) * 512)
    assert found.printed == tuple(f"warned {n}" for n in range(8))


def test_the_file_it_writes_then_what_it_prints_is_words(tmp_path: Path) -> None:
    source = "import os\nopen(os.environ['TEACHRUN_IMAGE'], 'wb').write(b'P')\nprint('loss 1.5')"
    found = made(source, tmp_path)
    assert (found.state, found.picture, found.printed) == ("done", b"P", ("loss 1.5",))


def test_no_picture_of_one_that_fails_or_makes_none(tmp_path: Path) -> None:
    failed = made("print('half', flush=True)\nraise SystemExit(3)", tmp_path)
    assert (failed.state, failed.why, failed.picture) == ("failed", "exit code 3", b"")
    assert failed.printed == ("half",)
    nothing = made("pass", tmp_path)
    assert nothing.state == "failed" and nothing.why.startswith("it made no picture")


@pytest.mark.parametrize("where", ["sys.stdout.buffer", "open(os.environ['TEACHRUN_IMAGE'], 'wb')"])
def test_one_too_large_is_refused(tmp_path: Path, where: str) -> None:
    found = made(f"import os, sys\n{where}.write(b'x' * {MOST_BYTES + 1})", tmp_path)
    assert (found.state, found.why, found.picture) == ("failed", TOO_LARGE, b"")


def test_one_that_prints_without_end_is_ended(tmp_path: Path) -> None:
    found = made("import os\nwhile True: os.write(1, b'x' * 65536)", tmp_path, 600.0)
    assert (found.state, found.why, found.picture) == ("failed", TOO_LARGE, b"")


@pytest.mark.parametrize("trick", ["os.symlink('/etc/hostname', path)", "os.mkfifo(path)", "os.mkdir(path)"])
def test_only_a_file_of_its_own_is_read(tmp_path: Path, trick: str) -> None:
    found = made(f"import os\npath = os.environ['TEACHRUN_IMAGE']\n{trick}", tmp_path)
    assert (found.state, found.picture) == ("failed", b"")
