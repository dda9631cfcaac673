"""Writes anew which words other programs draw on each slide of the decks in `tests/contracts/dialects_drawn`.

Needs pandoc, and Node with `@marp-team/marp-core` where `NODE_PATH` finds it; with one of them only its decks
are written. What a program draws around a slide (header, footer, number) is no word of it.

    NODE_PATH=/somewhere/node_modules python tests/scripts/drawn_words.py
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import unicodedata
from html.parser import HTMLParser
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "contracts" / "dialects_drawn"
GOLDEN = FOLDER / "words.json"
MARP = """
const {Marp} = require('@marp-team/marp-core');
console.log(new Marp().render(require('fs').readFileSync(0, 'utf8')).html);
"""
COMMANDS = {"pandoc": ["pandoc", "-t", "slidy", "--mathml"], "marp": ["node", "-e", MARP]}
_INLINE = {"a", "b", "code", "em", "i", "s", "del", "span", "strong", "sub", "sup", "u", "mark"}
_VOID = {"br", "hr", "img", "input", "col", "meta", "link"}
_AROUND = {"header", "footer", "style", "script"}


def words(text: str) -> list[str]:
    """The words of a text, however they are written."""
    return re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())


class Slides(HTMLParser):
    """The text of each slide of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.slides: list[str] = []
        self.depth = self.around = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if self.depth == 0 and (tag == "section" or "slide" in (known.get("class") or "").split()):
            self.slides.append("")
            self.depth = 1
        elif self.depth and tag not in _VOID:
            self.depth += 1
        if self.around or tag in _AROUND:
            self.around += tag not in _VOID
        elif self.slides and tag in ("img",) and "emoji" in str(known):
            self.slides[-1] += known.get("alt") or ""
        if self.slides and tag not in _INLINE:
            self.slides[-1] += "\n"

    def handle_endtag(self, tag: str) -> None:
        self.depth -= bool(self.depth) and tag not in _VOID
        self.around -= bool(self.around) and tag not in _VOID
        if self.slides and tag not in _INLINE:
            self.slides[-1] += "\n"

    def handle_data(self, data: str) -> None:
        if self.depth and not self.around:
            self.slides[-1] += data


def drawn(program: str, text: str) -> list[list[str]]:
    """The words of each slide, as `program` draws them."""
    out = subprocess.run(COMMANDS[program], input=text, capture_output=True, text=True, check=True).stdout
    page = Slides()
    page.feed(out)
    return [words(slide) for slide in page.slides]


def main() -> None:
    found = json.loads(GOLDEN.read_text("utf-8")) if GOLDEN.exists() else {}
    for path in sorted(FOLDER.glob("*.md")):
        program = path.name.partition("-")[0]
        if shutil.which(COMMANDS[program][0]) is None:
            print(f"{path.name}: without {COMMANDS[program][0]} it stays as it was", file=sys.stderr)
            continue
        try:
            slides = drawn(program, path.read_text("utf-8"))
        except subprocess.CalledProcessError as error:
            print(f"{path.name}: {error.stderr.strip()[:300]}", file=sys.stderr)
            continue
        found[path.name] = [" ".join(slide) for slide in slides]
    GOLDEN.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
