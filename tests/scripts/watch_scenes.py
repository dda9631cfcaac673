"""Watches scenes in a real terminal: every step on the way there, half-way between and on the way back.

    python tests/scripts/watch_scenes.py FOLDER tmux                      # all scenes, in cells, 160x45
    python tests/scripts/watch_scenes.py FOLDER tmux ring fsdp,ranks=8 --size 80x24 --surface sextants
    python tests/scripts/watch_scenes.py FOLDER x11 ring --emulator "xterm -ti vt340 -geometry {size} -e"

`tmux` needs tmux; `x11` needs an X server in `DISPLAY` of its own (`Xvfb`), `xdotool`, and `import` of
ImageMagick: it photographs the window of any emulator, pixels and all. Sheets of pictures are written for
each scene, and it is said where a step on the way back is another picture than it was on the way there.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Protocol

from PIL import Image, ImageChops
from png import CELL_H, CELL_W, ansi_to_png

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import tui  # noqa: F401  # brings what slides cannot know
from slides.scenes import registry
from slides.scenes.scene_request import asked

ACROSS, DOWN, WIDE = 3, 3, 520  # pictures of a sheet, and the pixels across of one at most
HALF_WAY_S, STARTS_S, STEP_S = 0.3, 40.0, 12.0
_FOOT = 2  # rows with a clock in them
_BLANK = 8  # colours that a screen before the first picture has at most


class Screen(Protocol):
    """A terminal in which one program runs."""

    def press(self, key: str) -> None: ...
    def shot(self) -> Image.Image: ...
    def close(self) -> None: ...


class Tmux:
    """A pane without a window, read as text."""

    def __init__(self, command: list[str], columns: int, rows: int, env: Mapping[str, str]) -> None:
        self._server = ["tmux", "-L", f"watch-{os.getpid()}"]
        self._size = columns * CELL_W, rows * CELL_H
        words = [*(f"{name}={value}" for name, value in env.items()), *command]
        size = ["-x", str(columns), "-y", str(rows)]
        self._call("-f", "/dev/null", "new-session", "-d", *size, shlex.join(["env", *words]))

    def _call(self, *words: str) -> str:
        return subprocess.run([*self._server, *words], capture_output=True, text=True).stdout

    def press(self, key: str) -> None:
        self._call("send-keys", key)

    def text(self) -> str:
        return self._call("capture-pane", "-pe")

    def shot(self) -> Image.Image:
        with tempfile.NamedTemporaryFile(suffix=".png") as file:
            ansi_to_png(self.text(), file.name)
            made = Image.new("RGB", self._size)  # what is captured ends with the last row that has something
            made.paste(Image.open(file.name))
            return made

    def close(self) -> None:
        for key in ("q", "y"):
            self.press(key)
            time.sleep(0.7)
        self._call("kill-server")


class X11:
    """An emulator in a window that fills a display."""

    def __init__(
        self, emulator: str, command: list[str], columns: int, rows: int, env: Mapping[str, str]
    ) -> None:
        words = shlex.split(emulator.format(size=f"{columns}x{rows}", columns=columns, rows=rows))
        self._process = subprocess.Popen([*words, *command], env=os.environ | env, stderr=subprocess.DEVNULL)

    def press(self, key: str) -> None:
        subprocess.run(["xdotool", "key", key], check=False)

    def shot(self) -> Image.Image:
        with tempfile.NamedTemporaryFile(suffix=".png") as file:
            subprocess.run(["import", "-window", "root", file.name], check=True)
            found = Image.open(file.name).convert("RGB")
        box = ImageChops.difference(found, Image.new("RGB", found.size)).getbbox()
        return found.crop((0, 0, *box[2:])) if box else found

    def close(self) -> None:
        for key in ("q", "y"):
            self.press(key)
            time.sleep(0.7)
        self._process.terminate()
        self._process.wait()


def unlike(one: Image.Image, other: Image.Image, foot: int) -> bool:
    """Tell whether two shots differ above their last rows."""
    if one.size != other.size:
        return True
    area = (0, 0, one.width, max(one.height - foot, 1))
    return ImageChops.difference(one.crop(area), other.crop(area)).getbbox() is not None


def settled(screen: Screen, foot: int, before: Image.Image | None, wait_s: float) -> Image.Image:
    """Return the next picture that stays, another than the one `before`."""
    end = time.monotonic() + wait_s
    last = screen.shot()
    while time.monotonic() < end:
        time.sleep(0.35)
        now = screen.shot()
        same = not unlike(now, last, foot)
        if same and now.getcolors(_BLANK) is None and (before is None or unlike(now, before, foot)):
            return now
        last = now
    return last


def watch(screen: Screen, steps: int, foot: int, say: Callable[[str], object]) -> list[Image.Image]:
    """Return a picture of each step and of each half-way, and say which is another on the way back."""
    settled(screen, foot, None, STARTS_S)
    time.sleep(4.0)  # pixels come after cells
    rests = [settled(screen, foot, None, STEP_S)]
    found = rests[:]
    for _ in range(1, steps):
        screen.press("Right")
        time.sleep(HALF_WAY_S)
        found.append(screen.shot())
        time.sleep(0.7)
        rests.append(settled(screen, foot, rests[-1], STEP_S))
        found.append(rests[-1])
    here = rests[-1]
    for n in range(steps - 2, -1, -1):
        screen.press("Left")
        time.sleep(1.0)
        here = settled(screen, foot, here, STEP_S)
        if unlike(here, rests[n], foot):
            say(f"step {n + 1} is another picture on the way back")
            found += [rests[n], here]
    return found


def sheet(shots: list[Image.Image]) -> Image.Image:
    """Return pictures in reading order."""
    scale = min(1.0, WIDE / max(shot.width for shot in shots))
    small = [shot.resize((round(shot.width * scale), round(shot.height * scale))) for shot in shots]
    wide, high = max(shot.width for shot in small) + 4, max(shot.height for shot in small) + 4
    made = Image.new("RGB", (min(ACROSS, len(small)) * wide, -(-len(small) // ACROSS) * high), "#808080")
    for n, shot in enumerate(small):
        made.paste(shot, (n % ACROSS * wide + 2, n // ACROSS * high + 2))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("terminal", choices=("tmux", "x11"))
    parser.add_argument("scenes", nargs="*", help="names, with parameters as `ring,ranks=8`; all, if none")
    parser.add_argument("--size", default="160x45")
    parser.add_argument("--surface", default="auto", help="the setting `scenes`")
    parser.add_argument("--motion", default="on")
    parser.add_argument("--theme", default="dark")
    parser.add_argument("--term", default="", help="TERM of the program")
    parser.add_argument("--emulator", default="", help="an emulator with its options")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    columns, rows = map(int, args.size.split("x"))
    for wanted in args.scenes or registry.names():
        name, *words = wanted.split(",")
        of = asked(name, dict(word.split("=", 1) for word in words))
        with tempfile.TemporaryDirectory(prefix="tr") as folder:
            (Path(folder) / "C" / "teachrun").mkdir(parents=True)
            config = Path(folder) / "C" / "teachrun" / "config.toml"
            config.write_text(f'motion = "{args.motion}"\nscenes = "{args.surface}"\n')
            env = {f"XDG_{place}_HOME": f"{folder}/{place[0]}" for place in ("STATE", "DATA", "CONFIG")}
            env |= {"LANG": "C.UTF-8"} | ({"TERM": args.term} if args.term else {"COLORTERM": "truecolor"})
            program = [sys.executable, "-P", "-m", "tui.cli"]
            command = [*program, "scene", name, *words, "--theme", args.theme]
            screen: Screen
            if args.terminal == "tmux":
                screen = Tmux(command, columns, rows, env)
            else:
                screen = X11(args.emulator, command, columns, rows, env)
            kind = f"{wanted}-{args.size}-{args.surface}"
            try:
                shots = watch(screen, of.steps, _FOOT * CELL_H, partial(print, kind, flush=True))
            finally:
                screen.close()
                subprocess.run([*program, "stop", "--all"], env=os.environ | env, stdout=subprocess.DEVNULL)
            for n in range(0, len(shots), ACROSS * DOWN):
                page = args.folder / f"{kind}-{n + 1:03}.png"
                sheet(shots[n : n + ACROSS * DOWN]).save(page)
                print(page, flush=True)


if __name__ == "__main__":
    main()
