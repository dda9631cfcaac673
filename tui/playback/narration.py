"""Notes read aloud, caption by caption, by a program of this machine; without one the captions alone.

An engine gets its text on stdin, has a process group of its own and no terminal, and is killed when the class
goes on. What can go wrong with it (no such voice, no sound) ends in captions at the pace of speech.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import signal
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from tui.classroom.position.place_in_talk import Badge
from tui.playback import caption_cues

BREATH_S = 0.25  # between two captions
HASTY = 0.25  # an engine that is done in less than this part of the usual time said nothing
VOICES_S = 5.0  # for the list of an engine's voices
SLOW, SLOW_S = 6.0, 10.0  # and one that takes longer than so many times it, and so many seconds, hangs

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,2}")
_SAY_VOICE = re.compile(r"^(\S.*?)\s+([a-z]{2,3}[_-]\w+)\s+#", re.MULTILINE)


class Engine(NamedTuple):
    """A program that speaks what it gets on stdin; `voices` asks it for its voices where a language is one
    of them rather than an option."""

    name: str
    command: Callable[[str, int], list[str]]
    voices: tuple[str, ...] = ()


def _espeak(name: str) -> Engine:
    def command(language: str, words: int) -> list[str]:
        return [name, *(["-v", language] if language else []), "-s", str(words), "--stdin"]

    return Engine(name, command)


def _say(voice: str, words: int) -> list[str]:
    return ["say", *(["-v", voice] if voice else []), "-r", str(words), "-f", "-"]


ENGINES = (_espeak("espeak-ng"), Engine("say", _say, ("say", "-v", "?")), _espeak("espeak"))


def find(which: Callable[[str], str | None] = shutil.which) -> Engine | None:
    """The first engine that is installed."""
    return next((engine for engine in ENGINES if which(engine.name)), None)


def language_of(text: str) -> str:
    """A front matter's `lang` as engines take it (`pt-br`), "" where it is none."""
    return text.lower().replace("_", "-") if _LANGUAGE.fullmatch(text) else ""


def voice_for(language: str, listed: str) -> str:
    """The first voice for a language in what `say -v ?` lists; "" for the usual one."""
    found = [(name, locale.lower().replace("_", "-")) for name, locale in _SAY_VOICE.findall(listed)]
    exact = (name for name, locale in found if locale == language)
    near = (name for name, locale in found if locale.split("-")[0] == language.split("-")[0])
    return (next(exact, "") or next(near, "")) if language else ""


async def spoken_by(command: Sequence[str], text: str, within_s: float) -> bool:
    """Let a program speak; whether it ended well in time. Cancelled, it is silent at once."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        await asyncio.wait_for(process.communicate(text.encode()), within_s)
    except TimeoutError:
        return False
    finally:
        await _end(process)
    return process.returncode == 0


async def listed(command: Sequence[str]) -> str:
    """What a program prints within `VOICES_S`; nothing of one that takes longer."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        out, _ = await asyncio.wait_for(process.communicate(), VOICES_S)
    except TimeoutError:
        return ""
    finally:
        await _end(process)
    return out.decode(errors="replace")


async def _end(process: asyncio.subprocess.Process) -> None:
    """It and what it has started, at once; then its pipes are let go of."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


class Narrator:
    """Tells one caption after the other. `show(caption)` draws it; None: there are none now."""

    def __init__(
        self,
        show: Callable[[str | None], None],
        say: Callable[[str], None],
        engine: Callable[[], Engine | None] = find,
        speak: Callable[[Sequence[str], str, float], Awaitable[bool]] = spoken_by,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        now: Callable[[], float] | None = None,
    ) -> None:
        self._show, self._say, self.find, self.speak, self._sleep = show, say, engine, speak, sleep
        self.now = now
        self._engine: Engine | None = None
        self._voice = ""
        self._task: asyncio.Task[None] | None = None
        self.on = False
        self.silent = ""  # why only captions are shown

    @property
    def speaking(self) -> bool:
        """Whether a step's notes are still being read aloud or shown."""
        return self._task is not None and not self._task.done()

    def start(self, language: str, words_a_minute: float) -> None:
        """From now on what is told is narrated, in `language`."""
        self.on, self._language, self._words = True, language_of(language), words_a_minute
        self._engine, self._voice = self.find(), ""
        self.silent = "" if self._engine is not None else "neither espeak-ng nor say is installed"

    def stop(self) -> None:
        """Fall silent and clear the caption."""
        self.on = False
        self._hush()
        self._show(None)

    def tell(self, cues: Sequence[str]) -> None:
        """Instead of what is being told."""
        self._hush()
        self._show("")
        if cues:
            self._task = asyncio.get_running_loop().create_task(self._tell(tuple(cues)))

    def _hush(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def sign(self) -> Badge | None:
        """Return the badge for the footer: captions alone or narration; None when off."""
        if not self.on:
            return None
        return Badge("captions", "dim") if self.silent else Badge("narration", "accent")

    async def _tell(self, cues: tuple[str, ...]) -> None:
        for cue in cues:
            self._show(cue)
            usual = caption_cues.aloud_s(cue, self._words)
            began = self._time()
            if not self.silent:
                await self._aloud(cue, usual)
            # Without a voice a caption stays for as long as it would have taken.
            await self._sleep(max(0.0, usual - (self._time() - began)) if self.silent else 0.0)
            await self._sleep(BREATH_S)
        self._show("")

    def _time(self) -> float:
        return self.now() if self.now is not None else asyncio.get_running_loop().time()

    async def _aloud(self, cue: str, usual: float) -> None:
        """One caption by the engine; what went wrong is said once, and no engine is asked again."""
        engine = self._engine
        assert engine is not None
        began = self._time()
        try:
            if engine.voices and self._language and not self._voice:
                self._voice = voice_for(self._language, await listed(engine.voices))
            language = self._voice if engine.voices else self._language
            well = await self.speak(engine.command(language, round(self._words)), cue, SLOW * usual + SLOW_S)
        except OSError as error:
            self._give_up(f"{engine.name} does not start: {error.strerror}")
            return
        if not well:
            what = f" for `lang: {self._language}`" if self._language else ""
            self._give_up(f"{engine.name} failed; has it a voice{what}?")
        elif usual >= 1.0 and self._time() - began < HASTY * usual:
            self._give_up(f"{engine.name} made no sound; is there an audio device?")

    def _give_up(self, why: str) -> None:
        self.silent = why
        self._say(f"captions only: {why}")
