"""Films the room of a live run of FSDP, as the program itself records it, with tmux; and its scene.

    python tests/scripts/make_room_film.py    # writes live-room.webp and room.webp of the built-in course

Four ranks train; what they hold, gather and send is shown slowed, step by step, while the camera goes round.
The scene is what `export --webp` makes of a slide.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image, ImageSequence

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import make_film  # noqa: E402
from make_film import press, shown, tmux  # noqa: E402

OUT = make_film.OUT.with_name("live-room.webp")
SCENE = make_film.OUT.with_name("room.webp")
DECK = "# The room of a run {#room}\n\n::: demo fsdp ranks=4 steps=400\n"
SLIDE = "# FSDP: a block is whole only while it computes {#room}\n\n::: scene room strategy=fsdp\n"


def main(out: Path, size: str) -> None:
    width, height = size.split("x")
    home = tempfile.mkdtemp(prefix="film-")
    own = {name: f"{home}/{name}" for name in ("XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    words = [f"{name}={folder}" for name, folder in own.items()]
    settings = Path(own["XDG_CONFIG_HOME"]) / "teachrun" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('scenes = "sextants"\n', "utf-8")  # tmux says of no terminal that it has them
    deck = Path(home) / "room.md"
    deck.write_text(DECK, "utf-8")
    program = [sys.executable, "-m", "tui", "present", str(deck)]
    session = ("new-session", "-d", "-s", "film", "-x", width, "-y", height, "-c", str(HERE.parents[1]))
    tmux("-f", "/dev/null", *session, "env", *words, "COLORTERM=truecolor", "TERM=tmux-256color", *program)
    try:
        shown("d start", "demo")
        time.sleep(4)  # the stage warms up
        press("d")
        shown(" 10/400", " 11/400", " 12/400", " 13/400", seconds=240)
        press("Enter", "V", "0")
        shown(", slowed ")
        press("v")
        shown("REC")
        time.sleep(4)
        for _ in range(3):
            press("(", look=0.6)
        time.sleep(3)
        press("v", look=2)
        press("q", "y", look=3)
    finally:
        subprocess.run([*make_film.SERVER, "kill-server"], check=False)
    whole = Path(home) / "whole.webp"
    export = [sys.executable, "-m", "tui", "export", "last", "--webp", "-o", str(whole)]
    subprocess.run(export, env=os.environ | own, check=True)
    smaller(whole, out)


def scene(out: Path, size: str) -> None:
    with tempfile.TemporaryDirectory(prefix="film-") as home:
        deck, whole = Path(home) / "room.md", Path(home) / "whole.webp"
        deck.write_text(SLIDE, "utf-8")
        words = ("export", str(deck), "--webp", "--slide", "1", "--size", size, "-o", str(whole))
        subprocess.run([sys.executable, "-m", "tui", *words], check=True)
        smaller(whole, out, 40)


def smaller(film: Path, out: Path, quality: int = 85) -> None:
    """The same in a quarter of its bytes: an exported film loses nothing, this one a little."""
    with Image.open(film) as made:
        shots = [(shot.convert("RGB"), shot.info["duration"]) for shot in ImageSequence.Iterator(made)]
    first, *rest = (shot for shot, _ in shots)
    times = [duration for _, duration in shots]
    first.save(out, save_all=True, append_images=rest, duration=times, loop=0, quality=quality, method=4)


if __name__ == "__main__":
    main(OUT, "120x36")
    scene(SCENE, "100x30")
