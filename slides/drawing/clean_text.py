"""Text of others made safe to show: escape sequences, controls and what turns or hides letters go."""

from __future__ import annotations

import re

from rich.cells import cell_len as width

_ESCAPES = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor, modes
    # OSC, DCS, …; one that begins within another ends it, as in a terminal
    "|(?:\x1b[\\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\\\|\x9c)"
    "|\x1b[ -/]*[0-~]?"
)
_SYMBOL = "\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_INDIC = "\u0900-\u0dff"
_UNSEEN = re.compile(
    f"(?<![{_SYMBOL}{_INDIC}\ufe0f])\u200d|(?<=[{_SYMBOL}\ufe0f])\u200d(?![{_SYMBOL}])"  # ZWJ joining nothing
    f"|(?<![{_INDIC}])\u200c"
    "|^[\ufe00-\ufe0f]+"  # a variation selector with nothing to vary
    "|[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
_INDIC_ZWJ = re.compile(f"(?<=[{_INDIC}])\u200d+")
_BLANKS = re.compile("[\n\u2000-\u200a\u2028\u2029\u202f\u205f]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_TAB = 4


def clean(text: str) -> str:
    """One line of safe text: escapes, controls, bidi overrides and unseen characters out, tabs expanded.

    Joiners and variation selectors stay where emoji or Indic scripts need them; a newline becomes a space.
    """
    # `isprintable` is false for every control and format character, so most text leaves here.
    if text.isprintable() and "\ufe0f" not in text:
        return text
    text = _ESCAPES.sub("", text)
    text = _SURROGATES.sub("\ufffd", _BLANKS.sub(" ", text))
    text = _UNSEEN.sub("", text)
    # The measure lets a ZWJ swallow whatever follows; a second one to swallow keeps the next letter's cell.
    text = _INDIC_ZWJ.sub("\u200d\u200d", text)
    text = re.sub("^[\u200d\ufe00-\ufe0f]+", "", text)
    if "\t" not in text:
        return text
    head, *rest = text.split("\t")
    parts, column = [head], width(head)
    for piece in rest:
        blanks = _TAB - column % _TAB
        parts += (" " * blanks, piece)
        column += blanks + width(piece)
    return "".join(parts)
