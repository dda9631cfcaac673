"""For which program a deck was written, by what only that program's decks have.

Every deck passes here on its way to the first slide, so a deck of ours must pay next to nothing: its marks
are looked for as plain text first, and only where some are there, line by line and outside code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from slides import frontmatter
from slides.deck import NATIVE

_OF_SLIDEV = (
    "highlighter", "drawings", "mdc", "colorSchema", "canvasWidth", "aspectRatio", "routerMode",
    "twoslash", "addons", "lineNumbers", "fonts", "transition", "defaults", "src", "favicon", "seoMeta",
)  # fmt: skip
# Settings at the top of a file that one program alone knows. A value of None: whatever it is set to.
_SETTINGS: dict[str, tuple[tuple[str, str | None], ...]] = {
    "marp": (("marp", "true"), ("headingDivider", None), ("paginate", None), ("_class", None)),
    "patat": (("patat", None),),
    "revealmd": (("revealOptions", None), ("verticalSeparator", None), ("notesSeparator", None)),
    "presenterm": (("sub_title", None), ("authors", None)),
    "lookatme": (("styles", None), ("extensions", None)),
    "slides": (("paging", None),),
    "slidev": tuple((key, None) for key in _OF_SLIDEV),
}
_OPTIONS = re.compile(
    r"^[ \t]+(?:implicit_slide_ends|end_slide_shorthand|command_prefix|incremental_lists|"
    r"strict_front_matter_parsing|image_attributes_prefix|auto_render_languages|list_item_newlines)[ \t]*:",
    re.MULTILINE,
)
_LAYOUTS = re.compile(r"^(?:layout|background|class|image)[ \t]*:", re.MULTILINE)

# What only our decks have; `<!-- pause -->` others have as well.
_OURS = re.compile(
    r" {0,3}(?:<!--[ \t]*(?:notes?|slide):|:{3,}[ \t]*(?:demo|animate|compare|estimate|include|columns|quiz"
    r"|predict|poll)\b)"
)
_OUR_HINTS = ("<!-- notes", "<!-- note:", "<!-- slide:", "\n:::", "<!--slide", "<!--note")

# What stands in the slides themselves, outside code. Only a file with one of the hints is looked at closer.
_HINTS = (
    "_slide -->", "speaker_note", "speaker-note", "column_layout", "jump_to_middle", "incremental_lists",
    "_slide-->", "reset_layout", " +", "v-click", "::right::", "<<< ", "monaco", "magic-move", "\nlayout:",
    "\nsrc:", "[click", "-- .", "--.", "----", "ote:", ". . .", "<!--config", "stop -->", "![bg", "-- _",
    "paginate", "headingDivider", "backgroundColor", "terminal", "~~~",
)  # fmt: skip
_COMMAND = re.compile(
    r" {0,3}<!--\s*(?:end_slide|skip_slide|reset_layout|jump_to_middle|no_footer|new_?lines?|new_?lines?:.*|"
    r"(?:speaker_note|column_layout|column|incremental_lists|font_size|alignment|snippet_output"
    r"|list_item_newlines|include):.*)\s*(?:-->|$)"
)
_MARKS: dict[str, re.Pattern[str]] = {
    "presenterm": re.compile(rf"{_COMMAND.pattern}| {{0,3}}<speaker-note>"),
    "marp": re.compile(
        r"\s*!\[bg\b[^\]]*\]\(|\s*<!--\s*(?:_[a-z]\w+|paginate|headingDivider|backgroundColor|backgroundImage"
        r"|color|theme|class|header|footer)\s*:"
    ),
    "slidev": re.compile(r"\s*(?:</?[vV]-?[cC]licks?\b|<[^>]*\bv-(?:click|after)\b|::right::|<<< [@./])"),
    "revealmd": re.compile(r".*<!--\s*\.(?:slide|element)\b|----\s*$|[Nn]otes?:(?:\s|$)"),
    "patat": re.compile(r" {0,3}\. \. \.\s*$|<!--config:"),
    "lookatme": re.compile(r" {0,3}<!--\s*stop\s*-->"),
}
_FENCES: dict[str, re.Pattern[str]] = {
    "presenterm": re.compile(
        r"[\w#+.-]+.*\s\+(?:exec|auto_exec|exec_replace|line_numbers|no_background|render|image|pty"
        r"|acquire_terminal|validate|id:|width:)"
    ),
    "slidev": re.compile(r"\w*\s*(?:.*\{monaco|md magic-move)"),
    "lookatme": re.compile(r"terminal(?:-ex|\d+)|file$"),
}
_ENOUGH = 2  # of the weak marks: a line of four dashes or a `Note:` alone may stand in any Markdown
_WEAK = re.compile(r"----\s*$|[Nn]otes?:")


def detect(text: str) -> str:
    """The name of the program `text` (as `normalise` makes it) was written for; `NATIVE` if none shows."""
    lines = text.split("\n", 400)
    front = frontmatter.length(lines)
    if front and (named := _by_settings(lines[1 : front - 1])):
        return named
    if any(hint in text for hint in _OUR_HINTS) or any(hint in text for hint in _HINTS):
        return _by_marks(text.split("\n"), front)
    return NATIVE


def _by_settings(lines: Sequence[str]) -> str:
    pairs = {
        key: value.strip().strip("\"'").lower()
        for key, colon, value in (line.partition(":") for line in lines)
        if colon and key and not key[0].isspace()
    }
    for name, wanted in _SETTINGS.items():
        if any(key in pairs and value in (None, pairs[key]) for key, value in wanted):
            return name
    if "options" in pairs and _OPTIONS.search("\n".join(lines)):
        return "presenterm"
    return ""


def _by_marks(lines: Sequence[str], front: int) -> str:
    """Whose marks come most often outside code; one of ours settles it."""
    from slides.scan import scan

    marks = scan(lines)
    counts = dict.fromkeys((*_MARKS, *_FENCES), 0)
    for fence in marks.fences:
        for name, pattern in _FENCES.items():
            counts[name] += 2 * bool(pattern.match(fence.info))
    coded = bytearray(len(lines))
    for fence in marks.fences:
        coded[fence.first : fence.end] = b"\1" * (fence.end - fence.first)
    for at, line in _worth_a_look(lines, front):
        if coded[at]:
            continue
        if _OURS.match(line):
            return NATIVE
        for name, pattern in _MARKS.items():
            if pattern.match(line):
                counts[name] += 1 if _WEAK.match(line) else 2
    counts["slidev"] += 2 * _settings_of_slides(lines, coded, front)
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] >= _ENOUGH else NATIVE


def _worth_a_look(lines: Sequence[str], front: int) -> Iterator[tuple[int, str]]:
    for at in range(front, len(lines)):
        line = lines[at][:400]
        if line and (line.lstrip()[:1] in "<!:-.nN" or "<!--" in line or "v-" in line):
            yield at, line


def _settings_of_slides(lines: Sequence[str], coded: bytearray, front: int) -> int:
    """How many slides begin with settings between two `---`, as only Slidev has them."""
    count = 0
    at = front
    while at < len(lines) - 2:
        if lines[at].rstrip() == "---" and not coded[at] and lines[at + 1].strip():
            end = next((n for n in range(at + 1, min(at + 40, len(lines))) if lines[n].rstrip() == "---"), 0)
            held = lines[at + 1 : end]
            if end and all(re.match(r"[\w-]+:|[ \t]|#|$", line) for line in held):
                count += bool(held) and bool(re.match(r"[\w-]+:(\s|$)", held[0]))
                at = end
        at += 1
    return count
