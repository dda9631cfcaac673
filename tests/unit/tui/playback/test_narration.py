"""Narration: which program, which words, when it is hushed, and captions where there is no voice."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tui.playback import narration
from tui.playback.narration import ENGINES, Engine, Narrator, find, language_of, spoken_by, voice_for

SAY = """\
Alex                en_US    # Most people recognize me by my voice.
Bad News            en_US    # The light you see at the end of the tunnel.
Lekha               hi_IN    # नमस्ते, मेरा नाम लेखा है।
Eddy (German (Germany)) de_DE    # Hallo! Ich heiße Eddy.
"""


def test_the_first_engine_that_is_there() -> None:
    assert find(lambda name: None) is None
    found = find(lambda name: name if name == "say" else None)
    assert found is not None and found.name == "say"
    espeak, say = ENGINES[0], ENGINES[1]
    assert espeak.command("hi", 150) == ["espeak-ng", "-v", "hi", "-s", "150", "--stdin"]
    assert espeak.command("", 183) == ["espeak-ng", "-s", "183", "--stdin"]
    assert say.command("Lekha", 183) == ["say", "-v", "Lekha", "-r", "183", "-f", "-"]


@pytest.mark.parametrize(
    ("written", "taken"),
    [
        ("hi", "hi"),
        ("pt_BR", "pt-br"),
        ("", ""),
        ("-w /tmp/x", ""),
        ("en; rm", ""),
        ("hi\n", ""),
        ("--help", ""),
    ],
)
def test_a_language_of_the_front_matter_is_never_an_option(written: str, taken: str) -> None:
    assert language_of(written) == taken


def test_a_list_of_voices_that_never_ends_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(narration, "VOICES_S", 0.05)
    assert asyncio.run(narration.listed(("sh", "-c", "echo Anna; sleep 100"))) == ""


def test_voices_of_macos_by_language() -> None:
    assert voice_for("hi", SAY) == "Lekha"
    assert voice_for("en-gb", SAY) == "Alex"
    assert voice_for("de", SAY) == "Eddy (German (Germany))"
    assert voice_for("fr", SAY) == voice_for("", SAY) == ""


class Stage:
    """A narrator whose time is counted and whose engine is a function."""

    def __init__(self, engine: Engine | None = ENGINES[0], takes: float = 3.0, well: bool = True) -> None:
        self.time = 0.0
        self.log: list[str] = []
        self.takes, self.well = takes, well
        self.hold = asyncio.Event()
        self.hold.set()
        self.narrator = Narrator(
            lambda text: self.log.append(f"[{text}]"),
            lambda text: self.log.append(text),
            lambda: engine,
            self.speak,
            self.sleep,
            lambda: self.time,
        )

    async def speak(self, command: Sequence[str], text: str, within_s: float) -> bool:
        try:
            await self.hold.wait()
        except asyncio.CancelledError:
            self.log.append(f"hushed {text}")
            raise
        self.time += self.takes
        self.log.append(f"said {text}")
        return self.well

    async def sleep(self, seconds: float) -> None:
        self.time += seconds
        await asyncio.sleep(0)

    async def told(self) -> list[str]:
        while self.narrator.speaking:
            await asyncio.sleep(0)
        log, self.log = self.log, []
        return log


TEN = "one two three four five six seven eight nine ten."  # 3.3 s


async def test_one_caption_after_the_other_each_while_it_is_said() -> None:
    stage = Stage()
    stage.narrator.start("hi", 183)
    stage.narrator.tell([TEN, "And this one."])
    assert stage.narrator.speaking
    assert await stage.told() == [
        "[]",
        f"[{TEN}]",
        f"said {TEN}",
        "[And this one.]",
        "said And this one.",
        "[]",
    ]
    badge = stage.narrator.sign()
    assert badge is not None and badge.text == "narration"


async def test_the_next_step_hushes_the_one_before() -> None:
    stage = Stage()
    stage.narrator.start("", 183)
    stage.hold.clear()
    stage.narrator.tell([TEN])
    await asyncio.sleep(0.01)
    stage.narrator.tell(["Next."])
    await asyncio.sleep(0.01)
    stage.hold.set()
    assert await stage.told() == ["[]", f"[{TEN}]", "[]", f"hushed {TEN}", "[Next.]", "said Next.", "[]"]
    stage.narrator.tell([TEN])
    stage.narrator.stop()
    assert stage.log[-1] == "[None]" and not stage.narrator.speaking and stage.narrator.sign() is None


@pytest.mark.parametrize(
    ("stage", "why"),
    [
        (Stage(None), ""),
        (Stage(takes=0.01), "captions only: espeak-ng made no sound; is there an audio device?"),
        (Stage(well=False), "captions only: espeak-ng failed; has it a voice for `lang: xx`?"),
    ],
    ids=["no engine", "no sound", "no voice"],
)
async def test_without_a_voice_captions_stay_for_as_long_as_it_would_take(stage: Stage, why: str) -> None:
    stage.narrator.start("xx", 183)
    stage.narrator.tell([TEN, TEN])
    told = await stage.told()
    assert [line for line in told if line.startswith("captions only")] == ([why] if why else [])
    assert told.count(f"[{TEN}]") == 2
    assert stage.time >= 6.5  # two captions of ten words
    badge = stage.narrator.sign()
    assert badge is not None and badge.text == "captions"


# --- the program itself ----------------------------------------------------------------------------------


async def test_text_goes_to_stdin_and_nothing_else(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    code = f"import sys; open({str(heard)!r}, 'w').write(sys.stdin.read())"
    assert await spoken_by([sys.executable, "-c", code], "--help `rm` समझो", 20)
    assert heard.read_text() == "--help `rm` समझो"
    assert not await spoken_by([sys.executable, "-c", "raise SystemExit(1)"], "x", 20)


async def test_what_is_hushed_is_gone_with_everything_it_began(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = (
        "import os, subprocess, sys; p = subprocess.Popen(['sleep', '60']);"
        f"open({str(pids)!r} + '.new', 'w').write(f'{{os.getpid()}} {{p.pid}}');"
        f"os.rename({str(pids)!r} + '.new', {str(pids)!r}); p.wait()"
    )
    task = asyncio.create_task(spoken_by([sys.executable, "-c", code], "x", 60))
    while not pids.exists():
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    for pid in map(int, pids.read_text().split()):
        while _alive(pid):
            await asyncio.sleep(0.01)


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


async def test_an_engine_that_hangs_is_ended() -> None:
    assert not await spoken_by(["sleep", "60"], "x", 0.05)
