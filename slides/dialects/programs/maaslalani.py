"""slides, by maaslalani: parts of a file between lines `---`, wherever those stand, in code as well."""

from __future__ import annotations

import re

from slides.dialects import foreign_front_matter
from slides.dialects.html import markup
from slides.dialects.native import Snippet, Translation, aside, assemble
from slides.dialects.source import Source
from slides.dialects.translation import Draft, Row, Text
from slides.reading.scan import Fence

_SETTINGS = frozenset(("theme", "author", "date", "paging"))
_RUN = frozenset((
    "bash", "zsh", "fish", "elixir", "go", "javascript", "lua", "ocaml", "perl", "python", "ruby", "rust",
    "java", "julia", "cpp", "swift", "dart", "v", "scala", "haskell",
))  # fmt: skip
_HIDDEN = "///"  # lines of code that begin with it are for the program that runs it


def read(text: Text, source: Source) -> Translation:
    """Translate a deck of maaslalani's slides to native text."""
    lines = text.lines
    started = bool(lines) and lines[0] == "---"
    start = int(started)
    cuts: list[int] = []
    for at in range(start + 1, len(lines) - 1):  # with a line end on both sides, which two cannot share
        if lines[at] == "---" and cuts[-1:] != [at - 1]:
            cuts.append(at)
    bounds = [start, *(cut + 1 for cut in cuts)]
    ends = [*cuts, len(lines)]
    parts = list(zip(bounds, ends, strict=True))
    settings: dict[str, object] = {}
    rows: list[Row] = []
    found = foreign_front_matter.read("\n".join(lines[slice(*parts[0])])) if len(parts) > 1 else None
    if found and (started or _SETTINGS & found.keys()):
        settings = dict(found)
        rows = aside("\n".join(lines[slice(*parts.pop(0))]), 1)
    slides = [_slide(text.part(*part), source) for part in parts]
    slides[0] = rows + slides[0]
    meta = {
        "author": foreign_front_matter.words(settings, "author"),
        "date": foreign_front_matter.words(settings, "date"),
    }
    return assemble(slides, meta, source.problems)


def _slide(text: Text, source: Source) -> list[Row]:
    draft = Draft(text)
    draft.keep(lambda comment: True)
    for fence in draft.marks.fences:
        _code(draft, fence)
    for block in draft.outline.blocks:
        draft.undash(block)
    markup.unwrap(draft, source, strangers=False)
    return draft.rows(0, len(text.lines))


def _code(draft: Draft, fence: Fence) -> None:
    code, lang = draft.code(fence), fence.info.partition(" ")[0]
    shown = [row for row in code if not row.startswith(_HIDDEN)]
    if fence.mark[0] == "~" and re.search(r"\s", fence.info):
        # A command that the program runs on the text before it shows it. We show both, and run nothing.
        draft.recode(fence, "text", [f"$ {fence.info}", *code])
    elif len(shown) == len(code) or not shown:
        draft.recode(fence, Snippet(lang, run=lang in _RUN).info(code))
    else:
        hide = ",".join(str(n) for n, row in enumerate(code, 1) if row.startswith(_HIDDEN))
        whole = [row.removeprefix(_HIDDEN) for row in code]
        draft.recode(fence, Snippet(lang, run=lang in _RUN, hide=hide).info(whole), whole)
