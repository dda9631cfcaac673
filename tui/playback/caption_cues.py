"""What is said and read on a slide, cut into captions, and how long that takes.

Reading speeds are the means of Brysbaert (2019), "How many words do we read per minute?": 183 words a minute
aloud, 238 silently. Chinese and Japanese have no blanks between words: one of their characters takes as long
as about 0.8 English words (Trauzettel-Klosinski and Dietz 2012: 255 and 357 characters against 228 words).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from slides.deck import AnyBlock, Heading, Paragraph
from slides.reading_order import blocks as walk
from tui.deck.contents import Contents

ALOUD_WPM = 183.0
SILENT_WPM = 238.0
WIDE_WORDS = 0.8
CUE = 120  # characters of a caption, at most: two lines of a small terminal

_WIDE = re.compile("[\u2e80-\u2fff\u3005-\u3007\u3021-\u30ff\u31f0-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
# A full stop ends a sentence where a blank and no small letter follow (e.g. this does not), `।` is Hindi's,
# the wide marks need no blank.
_END = re.compile(r"(?<=[.!?…])[\"')\]»”]*\s+(?![a-zà-ÿ])|(?<=[।॥])\s*|(?<=[。！？])[」』）]*")
_PAUSE = re.compile(r"(?<=[,;:–—])\s+|(?<=[、，；：])|\s+(?=\()")


def word_count(text: str) -> float:
    """English words, or what takes as long."""
    wide = len(_WIDE.findall(text))
    words = sum(any(c.isalnum() for c in word) for word in _WIDE.sub(" ", text).split())
    return words + WIDE_WORDS * wide


def aloud_s(text: str, words_a_minute: float = ALOUD_WPM) -> float:
    """Return how long reading `text` aloud takes, in seconds."""
    return 60.0 * word_count(text) / words_a_minute


def silent_s(text: str, words_a_minute: float = SILENT_WPM) -> float:
    """Return how long reading `text` silently takes, in seconds."""
    return 60.0 * word_count(text) / words_a_minute


def cues(text: str) -> list[str]:
    """A paragraph as captions: its sentences, long ones parted at a pause, else between words."""
    found: list[str] = []
    start = 0
    for end in (*(match.end() for match in _END.finditer(text)), len(text)):
        found += _parted(" ".join(text[start:end].split()))
        start = end
    return found


def _parted(sentence: str) -> list[str]:
    if len(sentence) <= CUE:
        return [sentence] if sentence else []
    middle = len(sentence) / 2
    pauses = [match.end() for match in _PAUSE.finditer(sentence)]
    inner = [at for at in pauses if len(sentence) / 5 < at < len(sentence) * 4 / 5]
    blanks = [match.end() for match in re.finditer(r"\s+", sentence)][:-1]
    at = min(inner or blanks or [CUE], key=lambda at: abs(at - middle))
    return [*_parted(sentence[:at].strip()), *_parted(sentence[at:].strip())]


def notes_at(contents: Contents, index: int, step: int) -> list[str]:
    """The captions of the notes that come with a step. Code, tables and pictures in notes are not spoken."""
    from slides.reading.parse import parse_blocks

    return [
        cue
        for note in contents.slide(index).notes
        if note.at == step
        for paragraph in _paragraphs(parse_blocks(note.markdown))
        for cue in cues(paragraph)
    ]


def _paragraphs(blocks: tuple[AnyBlock, ...]) -> Iterator[str]:
    from slides.drawing.screen_reader_lines import words

    for block in walk(blocks):
        if isinstance(block, Heading | Paragraph):
            yield words(block.content)


def text_at(contents: Contents, index: int, step: int) -> list[str]:
    """The lines of a slide that appear with a step; questions are not among them, they are read by people."""
    from tui.deck.search import texts

    return [text.text for text in texts(contents, index, _no_question) if text.step == step and not text.note]


def _no_question(block: object) -> None:
    return None
