"""What the front matter says of a talk, as it stands on its title slide."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from slides.deck import AnyBlock, Heading, Inline, Paragraph

_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)
_LINES = (("author",), ("event", "location", "date"))  # each a line under the title and the subtitle


def completed(blocks: Sequence[AnyBlock], meta: Mapping[str, str], written: str) -> list[AnyBlock]:
    """Return the blocks of a title slide with what its deck says of the talk and the slide does not.

    A subtitle stands under the heading, who speaks, where and when below all else; `written` is the slide's
    own text.
    """
    shown = _COMMENT.sub("", written)
    keys = ("subtitle", *(key for line in _LINES for key in line))
    missing = {key: text for key in keys if (text := meta.get(key, "").strip()) and not _says(shown, text)}
    at = next((n for n, block in enumerate(blocks) if isinstance(block, Heading)), -1) + 1
    return [*blocks[:at], *_lines(missing, (("subtitle",),)), *blocks[at:], *_lines(missing, _LINES)]


def _says(written: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", written, re.IGNORECASE) is not None


def _lines(said: Mapping[str, str], lines: Sequence[Sequence[str]]) -> Iterator[Paragraph]:
    for keys in lines:
        if text := " · ".join(said[key] for key in keys if key in said):
            yield Paragraph(content=(Inline(text),))
