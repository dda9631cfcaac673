"""A Jupyter notebook as slides: each cell says in its settings which slide it begins, or goes on with.

Where no cell does, a heading of the first two levels begins a slide. Code is shown with what was printed when
the notebook was saved; nothing of it runs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from slides.dialects.draft import PAUSE, Draft, Row, Text
from slides.dialects.html import markup
from slides.dialects.native import EMPTY, Snippet, Translation, assemble, closed, note
from slides.dialects.source import Source

_CELL = re.compile(r'(?<!\\)"cell_type"\s*:')
_HEADING = re.compile(r"#{1,2}\s")
_MOST_LINES = 40  # of what a cell printed
_ESCAPES = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")


def read(text: Text, source: Source) -> Translation:
    """Translate a Jupyter notebook to native text; one that is no JSON is reported, and empty."""
    try:
        found = json.loads("\n".join(text.lines))
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        source.say(int(line), "this notebook is not whole: it is no JSON", "Save it again in Jupyter.")
        found = {}
    cells = found.get("cells") if isinstance(found, dict) else None
    places = [n for n, line in enumerate(text.lines, 1) for _ in _CELL.finditer(line)]
    known = [cell for cell in cells if isinstance(cell, dict)] if isinstance(cells, list) else []
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
        for printed in _printed(cell.get("outputs")):
            out += [Row("", place), *_fenced(printed[:_MOST_LINES], "text", place)]
        return out or [Row(EMPTY, place)]
    if cell.get("cell_type") == "raw":
        return []
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


def _printed(outputs: object) -> Iterator[list[str]]:
    for output in outputs if isinstance(outputs, list) else ():
        if not isinstance(output, dict):
            continue
        data = output.get("data")
        words = output.get("text") or (data.get("text/plain") if isinstance(data, dict) else None)
        if output.get("output_type") == "error":
            words = f"{output.get('ename', '')}: {output.get('evalue', '')}"
        if said := _ESCAPES.sub("", _text(words)).rstrip("\n"):
            yield said.split("\n")
