"""Makes the film at the head of the README: a class of 15 s, recorded by the program itself, with tmux.

    python tests/scripts/make_film.py                # writes slides/courses/distributed/class.gif
    python tests/scripts/make_film.py FILE.gif 120x34

A demo of four ranks, a rank that is killed and comes back, a vote. Look at what came out.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
OUT = HERE.parents[1] / "slides" / "courses" / "distributed" / "class.gif"
SERVER = ("tmux", "-L", f"film-{os.getpid()}")


def tmux(*words: str) -> str:
    return subprocess.run([*SERVER, *words], check=True, capture_output=True, text=True).stdout


def shown(*texts: str, seconds: float = 90) -> None:
    """Wait until one of the texts is on the screen."""
    end = time.monotonic() + seconds
    while not any(text in tmux("capture-pane", "-p", "-t", "film") for text in texts):
        if time.monotonic() > end:
            raise SystemExit(f"none of {texts} came:\n" + tmux("capture-pane", "-p", "-t", "film"))
        time.sleep(0.1)


def press(*keys: str, look: float = 0.0) -> None:
    """Press keys, then give who watches the film `look` seconds."""
    for key in keys:
        tmux("send-keys", "-t", "film", key)
        time.sleep(0.4)
    time.sleep(look)


def main(out: Path, size: str) -> None:
    width, height = size.split("x")
    home = tempfile.mkdtemp(prefix="film-")
    own = {name: f"{home}/{name}" for name in ("XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    words = [f"{name}={folder}" for name, folder in own.items()]
    program = [sys.executable, "-m", "tui", "present", str(HERE / "film.md")]
    session = ("new-session", "-d", "-s", "film", "-x", width, "-y", height, "-c", str(OUT.parents[3]))
    tmux("-f", "/dev/null", *session, "env", *words, "COLORTERM=truecolor", "TERM=tmux-256color", *program)
    try:
        shown("disagree", "four losses")
        time.sleep(4)  # the stage warms up
        press("v")
        shown("REC")
        press("d")
        shown("step 20", "20/400", " 20 ")
        press("Enter", look=1.5)
        press("2", look=1.5)
        press("5", look=1.5)
        press("Escape", "d", "]", "d")
        shown("coming back")
        shown("back after")
        time.sleep(2)
        press("d", "]", look=1.2)
        press("u", "1", "3", "Space", "1", "9", "Space", "4", "Enter", look=0.5)
        press("Enter", look=0.5)
        press("e", look=2.5)
        press("v", look=2)
        press("q", look=3)
    finally:
        subprocess.run([*SERVER, "kill-server"], check=False)
    export = [sys.executable, "-m", "tui", "export", "last", "--gif", "-o", str(out)]
    subprocess.run(export, env=os.environ | own, check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else OUT, sys.argv[2] if len(sys.argv) > 2 else "100x30")
