"""Detects for which program a deck was written, by what only that program's decks have.

Every deck passes here on its way to the first slide, so a deck of ours must pay next to nothing: its own
marks settle it, and where it has none, theirs are looked for as plain text. Only a file that has one of them
is looked at line by line (`slides.dialects.marks`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

import teachrun
from slides.deck import NATIVE
from slides.dialects.registry import PROGRAMS
from slides.reading import front_matter
from slides.reading.scan import scan

_OF_OURS = ("time", "minimum", "end")
_OF_SLIDEV = (
    "addons", "aspectRatio", "background", "canvasWidth", "clicks", "colorSchema", "comark", "defaults",
    "download", "drawings", "duration", "exportFilename", "favicon", "fonts", "highlighter", "info",
    "lineNumbers", "mdc", "remoteAssets", "routerMode", "selectable", "seoMeta", "src", "themeConfig",
    "titleTemplate", "twoslash",
)  # fmt: skip
# Whose keys are looked for first, as others have some of them, too.
_FIRST = ("patat", "marp", "obsidian", "revealmd", "presenterm", "lookatme")
_SETTINGS = {
    name: keys
    for name, keys in {
        **dict.fromkeys(_FIRST, ()), **{program.name: program.settings for program in PROGRAMS}
    }.items()
    if keys
}  # fmt: skip
_THEMES = {program.name: program.themes for program in PROGRAMS}
_TRANSITIONS = {program.name: program.transitions for program in PROGRAMS}  # `fade` is known to two
_OPENS = tuple((program.opens, program.name) for program in PROGRAMS if program.opens)
# One of these stands in every file with a mark of another program's; most files have none.
_HINTS = tuple(hint for program in PROGRAMS for hint in program.hints)
_OF_OBSIDIAN = ("\n--\n", "![[", "<grid", "<split", "\n%%", "<!-- element ", "<!-- slide ")
_OF_SLIDEV_ALONE = (
    "aspectRatio", "canvasWidth", "colorSchema", "comark", "drawings", "highlighter", "routerMode",
    "themeConfig", "titleTemplate",
)  # fmt: skip
_SLIDEV_LAYOUTS = (
    "cover", "center", "intro", "two-cols", "image", "image-left", "image-right", "section", "statement",
    "fact", "quote", "full", "iframe",
)  # fmt: skip
_SLIDE_FORMATS = (
    "revealjs", "beamer", "ioslides", "slidy", "pptx", "powerpoint_presentation", "xaringan", "moon_reader",
)  # fmt: skip
_PRESENTERM_THEME = ("name:", "path:", "override:")
_PRESENTERM_OPTIONS = (
    "implicit_slide_ends:", "end_slide_shorthand:", "command_prefix:", "incremental_lists:",
    "image_attributes_prefix:", "strict_front_matter_parsing:", "auto_render_languages:",
    "list_item_newlines:", "h1_slide_titles:",
)  # fmt: skip

_BOXES = re.compile(
    r"^ {0,3}:{3,}[ \t]*(?:notes|column|\{[^{}\n]{0,200}?\.(?:notes|column)\b[^{}\n]{0,200}\})"
    r"[ \t]*:*[ \t]*$",
    re.M,
)
# Tags that arrange a page. None of the programs for a terminal draws them, and neither do we.
_ARRANGED = re.compile(
    r"^ {0,3}</?(?:div|img|section|center|figure|iframe|video|blockquote|h[1-6]|table|ul|ol|p|style)[\s/>]",
    re.M | re.I,
)
# What only our decks have, at the beginning of a line; `<!-- pause -->` others have as well.
_OURS = (
    "<!-- slide:", "<!-- notes:", "::: columns", "::: quiz", "::: demo", "::: animate", "::: predict",
    "::: poll", "::: compare", "::: include", "::: estimate", "::: strategies", "::: duel", "::: scene",
    "::: chart", "::: terminal", "::: puzzle", "::: questions",
)  # fmt: skip


def detect(text: str) -> str:
    """Return the name of the program `text` (normalised) was written for; `NATIVE` if none shows."""
    if text.lstrip()[:1] == "{" and '"cells"' in text and '"nbformat"' in text:
        return "notebook"
    if _is_page(text):
        return "revealhtml"
    for opens, name in _OPENS:
        if text.startswith(opens):
            return name
    lines = text.split("\n", 400)
    front = front_matter.length(lines)
    settings = _pairs(lines[1 : front - 1]) if front else {}
    if text.lstrip().startswith("+++\n") and any(
        line.startswith("outputs") and "eveal" in line for line in lines
    ):
        return "revealmd"  # Hugo's theme of it
    if not front and _opens_bare(lines):
        return "deckset"
    if front and _makes_slides(lines[1 : front - 1]):
        return "remark" if any("xaringan" in line for line in lines[1:front]) else "pandoc"
    named = _by_settings(settings, lines[1 : front - 1])
    # reveal.js's settings are Pandoc's, too, and so is the title that patat begins with: the boxes tell.
    if named in ("", "revealmd") and "\n:::" in text and _has_pandocs(text):
        return "pandoc"
    # And Obsidian's, with marks of its own; what the settings leave to it parts slides there by `--`.
    if named == "revealmd" and any(hint in text for hint in _OF_OBSIDIAN):
        from slides.dialects.marks import like_obsidian

        return "obsidian" if like_obsidian(text.split("\n"), front, settings) else named
    if (
        named == "presenterm"
        and "<!-- end_slide" not in text
        and ("subtitle" in settings or _has_ours(text) or _parted_by_rules(settings, lines[front:]))
    ):
        return NATIVE  # event and location are settings of ours, too
    if named:
        return named
    if text.startswith("% ") and "\n:::" in text and not _has_ours(text):
        return "pandoc"  # which takes such a title, too, and patat has no boxes
    if (front and lines[front - 1].rstrip() == "...") or text.startswith("% "):
        return "patat"  # Pandoc alone ends settings so, or begins with a title so
    if _has_ours(text):
        return NATIVE
    if text.startswith(("class:", "name:", "layout:")) or any(hint in text for hint in _HINTS):
        from slides.dialects.marks import by_marks

        if (named := by_marks(text.split("\n"), front)) not in (NATIVE, "slides"):
            return named
    named = named or NATIVE
    if settings and named == NATIVE:
        named = _by_little(settings, text, front)
    if named in (NATIVE, "slides") and "<" in text and _arranges(text):
        return "revealmd"  # the plainest of those for a browser
    return named


def declared(lines: Sequence[str]) -> str:
    """Return the dialect of another package (`slides.dialects.plugins`) the front matter names, or ""."""
    for line in lines[1 : front_matter.length(lines) - 1]:
        key, _, value = line.partition(":")
        name = value.strip().strip("\"'")
        if key == "format" and name and name not in (NATIVE, *_SLIDE_FORMATS):
            return name if name in teachrun.brought("dialects") else ""
    return ""


def _makes_slides(lines: Sequence[str]) -> bool:
    """Whether the settings name a format of Quarto or R Markdown that makes slides."""
    inside = False
    for line in lines:
        key, _, value = line.strip().partition(":")
        if not line[:1].isspace():
            inside = key in ("format", "output")
            key = value.strip() if inside else ""
        if inside and any(word in key for word in _SLIDE_FORMATS):
            return True
    return False


def _pairs(lines: Sequence[str]) -> dict[str, str]:
    return {
        key.strip(): value.strip().strip("\"'")
        for key, colon, value in (line.partition(":") for line in lines)
        if colon and key and not key[0].isspace()
    }


def _is_page(text: str) -> bool:
    """Whether it is an HTML page of slides, of reveal.js or of remark."""
    head = text[:400].lstrip("\ufeff \t\r\n").lower()
    if not head.startswith(("<!doctype html", "<html")):
        return head.startswith("<section") and text.rstrip().endswith("</section>")
    return "<section" in text or 'id="source"' in text


def _opens_bare(lines: Sequence[str]) -> bool:
    """Whether a text begins with settings as only Deckset has them: no line of dashes is around them."""
    keys: list[str] = []
    for line in lines:
        key, colon, _ = line.partition(":")
        if not colon or not key.replace("-", "").isalnum():
            break
        keys.append(key.lower())
    return any(key in keys for key in _SETTINGS["deckset"]) or (
        len(keys) > 1 and keys[:2] == ["theme", "footer"]
    )


def _by_settings(settings: Mapping[str, str], lines: Sequence[str]) -> str:
    if not settings:
        return ""
    if settings.get("format") == NATIVE or any(key in settings for key in _OF_OURS):
        return NATIVE
    if settings.get("marp", "").lower() == "true":
        return "marp"
    if _is_slidevs(settings):
        return "slidev"  # it may have keys of others, too
    for name, keys in _SETTINGS.items():
        if any(key in settings for key in keys):
            return name
    if named := _owner(settings, "transition", _TRANSITIONS):
        return named
    if any(key in settings for key in _OF_SLIDEV):
        return _owner(settings, "theme", _THEMES) or "slidev"
    deeper = [line.strip() for line in lines if line[:1].isspace()]
    if settings.get("theme") == "" and any(line.startswith(_PRESENTERM_THEME) for line in deeper):
        return "presenterm"
    if "options" in settings and any(line.startswith(_PRESENTERM_OPTIONS) for line in deeper):
        return "presenterm"
    if settings.get("theme", "").endswith(".json"):
        return "slides"
    if settings.get("theme", "").endswith(".css"):
        return "revealmd"  # and programs upon it, as Obsidian's
    return ""


def _parted_by_rules(settings: Mapping[str, str], lines: Sequence[str]) -> bool:
    """Whether slides are parted by rules, as presenterm's are only if its settings say so."""
    if settings.keys() & {"sub_title", "authors", "options"}:
        return False
    return any(line.rstrip() == "---" and not above.strip() for above, line in pairwise(lines))


def _is_slidevs(settings: Mapping[str, str]) -> bool:
    """Whether the theme is a folder or a package as only Slidev's are, or a key or the layout is its own."""
    theme = settings.get("theme", "")
    files = (".css", ".json", ".toml")  # of reveal-md, maaslalani's slides, and us
    if "slidev" in theme or (theme.startswith(("./", "../", "@")) and not theme.endswith(files)):
        return True
    return settings.get("layout") in _SLIDEV_LAYOUTS or any(key in settings for key in _OF_SLIDEV_ALONE)


def _owner(settings: Mapping[str, str], key: str, values: Mapping[str, tuple[str, ...]]) -> str:
    """Whose value this setting has, if it has one that is somebody's."""
    return next((name for name, known in values.items() if settings.get(key, "") in known), "")


def _by_little(settings: Mapping[str, str], text: str, front: int) -> str:
    """What settings let guess of a text without marks."""
    theme, keys = settings.get("theme", ""), settings.keys()
    if named := _owner(settings, "theme", _THEMES) or ("slidev" if "transition" in keys else ""):
        return named
    if theme and keys == {"theme", "author", "date"}:
        return "slides"
    if "<!-- pause -->" in text:
        return NATIVE
    if keys == {"title", "author", "date"} and (
        _is_date(settings["date"]) or _has_headings_alone(text, front)
    ):
        return "lookatme"
    return "patat" if keys == {"title", "author"} and _has_headings_alone(text, front) else NATIVE


def _arranges(text: str) -> bool:
    """Whether a tag that arranges a page begins a line outside code."""
    if not _ARRANGED.search(text):
        return False
    lines = text.split("\n")
    held = scan(lines).held
    return any(not held[at] and bool(_ARRANGED.match(line)) for at, line in enumerate(lines))


def _is_date(text: str) -> bool:
    return len(text) == 10 and text[4] == text[7] == "-" and text.replace("-", "").isdecimal()


def _has_pandocs(text: str) -> bool:
    """Whether a box that only Pandoc and Quarto have, notes or one column, begins outside code."""
    if not _BOXES.search(text):
        return False
    lines = text.split("\n")
    held = scan(lines).held
    return any(not held[at] and bool(_BOXES.match(line)) for at, line in enumerate(lines))


def _has_ours(text: str) -> bool:
    """Whether a mark of ours begins a line outside code."""
    for mark in _OURS:
        at = 0 if text.startswith(mark) else text.find(f"\n{mark}") + 1
        if at or text.startswith(mark):
            lines = text[:at].split("\n")
            fences = scan([*lines[:-1], ""]).fences
            if not fences or fences[-1].closed:
                return True
    return False


def _has_headings_alone(text: str, front: int) -> bool:
    """Headings, and no rule that would part slides."""
    body = text.split("\n")[front:]
    return sum(line.startswith("#") for line in body) > 1 and "---" not in (line.rstrip() for line in body)
