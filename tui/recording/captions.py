"""Captions and chapters as WebVTT (https://www.w3.org/TR/webvtt1/). Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from tui.playback import caption_cues
from tui.recording.scenes_and_chapters import Chapter, Scene

SHORTEST_S = 1.2  # of a caption, however short
BREATH_S = 0.4
HASTE = 2.0  # captions may come so many times as fast as they are spoken; what is then left is left out


class Caption(NamedTuple):
    """Words to show from `start` to `end`, in seconds of the recording."""

    start: float
    end: float
    text: str


def captions(scenes: Iterable[Scene], said: Callable[[str, int], list[str]]) -> list[Caption]:
    """What `said(slide, step)` gives, at the pace of speech from the beginning of its scene on.

    Nobody heard the teacher: where a scene is shorter than its text takes, captions come faster. What was
    shown before is not said again.
    """
    made: list[Caption] = []
    for scene in scenes:
        texts = [] if scene.again else said(scene.slide, scene.step)
        natural = [max(SHORTEST_S, caption_cues.aloud_s(text)) + BREATH_S for text in texts]
        room = scene.end - scene.start
        haste = min(HASTE, max(1.0, sum(natural) / room)) if room > 0 else HASTE
        at = scene.start
        for text, seconds in zip(texts, natural, strict=True):
            end = at + seconds / haste
            if end > scene.end + 0.01:
                break
            made.append(Caption(at, end, text))
            at = end
    return made


def stamp(seconds: float) -> str:
    """hh:mm:ss.ttt"""
    thousandths = round(max(0.0, seconds) * 1000)
    minutes, rest = divmod(thousandths, 60_000)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{rest // 1000:02}.{rest % 1000:03}"


def _safe(text: str) -> str:
    return " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def vtt(cues: Iterable[Caption | Chapter], note: str) -> str:
    """A WebVTT file of the cues that last."""
    parts = ["WEBVTT", f"NOTE {_safe(note)}"]
    lasting = (cue for cue in cues if stamp(cue.end) > stamp(cue.start))
    for n, (start, end, text) in enumerate(lasting, start=1):
        parts.append(f"{n}\n{stamp(start)} --> {stamp(end)}\n{_safe(text)}")
    return "\n\n".join(parts) + "\n"
