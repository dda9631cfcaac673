"""A Jupyter notebook as slides: each cell says in its settings which slide it begins, or goes on with.

Where no cell does, a heading of the first two levels begins a slide. Code is shown with what was printed when
the notebook was saved; nothing of it runs. Notebooks of before 2015 (nbformat 2 and 3) have sheets of cells.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from slides.dialects.html import markup
from slides.dialects.native import EMPTY, Snippet, Translation, assemble, closed, note
from slides.dialects.source import Source
from slides.dialects.translation import PAUSE, Draft, Row, Text

_CELL = re.compile(r'(?<!\\)"cell_type"\s*:')
_HEADING = re.compile(r"#{1,2}\s")
_MOST_LINES = 40  # of what a cell printed
_PICTURES = ("image/png", "image/jpeg", "image/svg+xml", "image/gif", "png", "jpeg", "svg")
_ESCAPES = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")


def read(text: Text, source: Source) -> Translation:
    """Translate a Jupyter notebook to native text; one that is no JSON is reported, and empty."""
    try:
        found = json.loads("\n".join(text.lines))
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        source.say(int(line), "this notebook is damaged: it is not JSON", "Save it again in Jupyter.")
        found = {}
    places = [n for n, line in enumerate(text.lines, 1) for _ in _CELL.finditer(line)]
    known = list(_cells(found))
    lang = _language(found)
    kinds = [_kind(cell) for cell in known]
    told = any(kind in ("slide", "subslide") for kind in kinds)
    slides: list[list[Row]] = [[]]
    for n, (cell, kind) in enumerate(zip(known, kinds, strict=True)):
        place = places[n] if n < len(places) else 1
        body = _text(cell.get("source"))
        if kind == "skip" or (not body.strip() and not cell.get("outputs")):
            continue
        if kind == "notes":
            slides[-1] += note(body, place)
            continue
        starts = kind in ("slide", "subslide") if told else bool(_HEADING.match(body.lstrip()))
        if starts and any(slides[-1]):
            slides.append([])
        if kind == "fragment" and slides[-1]:
            slides[-1] += [Row("", place), Row(PAUSE, place)]
        slides[-1] += [Row("", place), *_rows(cell, body, lang, place, source)]
    meta = found.get("metadata") if isinstance(found, dict) else {}
    title = meta.get("title", "") if isinstance(meta, dict) else ""
    return assemble(slides, {"title": title if isinstance(title, str) else ""}, source.problems)


def _cells(found: object) -> Iterator[dict[str, Any]]:
    """The cells as nbformat 4 has them."""
    if not isinstance(found, dict):
        return
    sheets = found.get("worksheets")
    for sheet in sheets if isinstance(sheets, list) else [found]:
        cells = sheet.get("cells") if isinstance(sheet, dict) else None
        for cell in cells if isinstance(cells, list) else ():
            if not isinstance(cell, dict):
                continue
            if cell.get("cell_type") == "heading":
                level = cell.get("level")
                mark = "#" * (level if isinstance(level, int) and 1 <= level <= 6 else 1)
                yield {**cell, "cell_type": "markdown", "source": f"{mark} {_text(cell.get('source'))}"}
            else:
                yield {"source": cell.get("input"), **cell}


def _kind(cell: dict[str, Any]) -> str:
    meta = cell.get("metadata")
    show = meta.get("slideshow") if isinstance(meta, dict) else None
    kind = show.get("slide_type", "") if isinstance(show, dict) else ""
    return kind if isinstance(kind, str) else ""


def _language(found: object) -> str:
    meta = found.get("metadata") if isinstance(found, dict) else None
    for key, name in (("kernelspec", "language"), ("language_info", "name")):
        inner = meta.get(key) if isinstance(meta, dict) else None
        if isinstance(inner, dict) and isinstance(inner.get(name), str):
            return str(inner[name]).lower()
    return "python"


def _text(written: object) -> str:
    if isinstance(written, list):
        return "".join(part for part in written if isinstance(part, str))
    return written if isinstance(written, str) else ""


def _rows(cell: dict[str, Any], body: str, lang: str, place: int, source: Source) -> list[Row]:
    if cell.get("cell_type") == "code":
        rows = body.rstrip("\n").split("\n") if body.strip() else []
        out = _fenced(rows, Snippet(lang).info(rows), place) if rows else []
        for printed in _printed(cell.get("outputs"), place, source):
            if isinstance(printed, str):
                out += [Row("", place), *_marked_up(printed, place, source)]
            else:
                out += [Row("", place), *_fenced(printed[:_MOST_LINES], "text", place)]
        return out or [Row(EMPTY, place)]
    if cell.get("cell_type") == "raw":
        return []
    return _marked_up(body, place, source)


def _marked_up(body: str, place: int, source: Source) -> list[Row]:
    """The rows of what is Markdown, of a cell or of what it printed."""
    lines = body.split("\n")
    draft = Draft(Text(lines, [place] * len(lines)))
    draft.keep(draft.alone)
    for fence in draft.marks.fences:
        draft.recode(fence, Snippet(fence.info.partition(" ")[0]).info(draft.code(fence)))
    for block in draft.outline.blocks:
        draft.undash(block)
    markup.unwrap(draft, source)
    return closed(draft.rows(0, len(lines)))


def _fenced(rows: list[str], info: str, place: int) -> list[Row]:
    longest = max((len(run) for row in rows for run in re.findall("`+", row)), default=0)
    mark = "`" * max(3, longest + 1)
    return [Row(f"{mark}{info}", place), *(Row(row, place) for row in rows), Row(mark, place)]


def _printed(outputs: object, place: int, source: Source) -> Iterator[list[str] | str]:
    """What a cell printed: lines as they are, or Markdown."""
    for output in outputs if isinstance(outputs, list) else ():
        if not isinstance(output, dict):
            continue
        data = output.get("data", output)
        data = data if isinstance(data, dict) else {}
        if any(key in data for key in _PICTURES):
            message = "a picture that the notebook holds is not shown"
            source.once(place, message, "Save it as a file, and write `![](file.png)` in a Markdown cell.")
            yield "*a picture that the notebook holds*"
            continue
        if words := _text(data.get("text/markdown") or data.get("text/latex") or data.get("latex")).strip():
            yield words
            continue
        words = _text(output.get("text") or data.get("text/plain"))
        if output.get("output_type") in ("error", "pyerr"):
            words = f"{output.get('ename', '')}: {output.get('evalue', '')}"
        if said := _ESCAPES.sub("", words).rstrip("\n"):
            yield said.split("\n")
