"""A deck as one Markdown document, for any reader of CommonMark with tables: GitHub, an editor, a pager.

Figures are tables, drawings are text, and what is hidden on a screen until a key is pressed is under
`<details>`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path

from slides import deck, reading_order
from slides.deck import AnyBlock, Deck, Inlines, Slide
from slides.drawing.blocks.charts import charts
from slides.drawing.cells import clean
from slides.drawing.layout import layout_blocks
from slides.drawing.links import slide_id
from slides.drawing.text import Line, plain
from slides.export import block_outcomes, scene_steps
from slides.export.block_outcomes import Asked, Choice, Drawing, Figure, Grid, Special, nothing_special
from slides.export.html import Section, safe
from slides.languages.program_words import Say, say_in
from slides.scenes import composition

CELLS = 100
_BAR = 20  # cells of all who answered
_MARKS = re.compile(r"([\\`*\[\]<$~^])|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")  # `_` within a word is none
_BEGINS = re.compile(r"(#{1,6}(?:\s|$)|[-+](?:\s|$)|>|=+$|-{3,}$|:{3,})")
_NUMBER = re.compile(r"([0-9]{1,9})([.)])(\s|$)")


def page(
    of: Deck,
    sections: Sequence[Section],
    special: Special = nothing_special,
    facts: Sequence[str] = (),
    notes: bool = False,
    folder: Path | None = None,
) -> str:
    """The whole document, to stand in `folder`: pictures are named as seen from there."""
    say = say_in(clean(of.meta.get("lang", "")))
    writer = Writer(block_outcomes.in_language(special, say), Path(of.path).absolute().parent, folder, say)
    about = [of.meta[key] for key in ("subtitle", "author", "event", "location", "date") if of.meta.get(key)]
    parts = [f"# {words(of.title)}", *(words(line) for line in (*about, *map(say, facts)))]
    jumps = {slide_id(part.href) for section in sections for part in _linked(section.slide)}
    for section in sections:
        anchor = f'<a id="{escape(section.slide.id)}"></a>' if section.slide.id in jumps else ""
        parts += ["---", anchor, *writer.section(section, notes)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _linked(slide: Slide) -> Iterator[deck.Inline]:
    return (
        part
        for block in reading_order.blocks(slide.blocks)
        for part in reading_order.inlines(block)
        if part.href
    )


def words(text: str) -> str:
    """Plain text that Markdown shows as it is."""
    text = _MARKS.sub(lambda found: f"\\{found[0]}", clean(text))
    text = _NUMBER.sub(r"\1\\\2\3", text, count=1) if _NUMBER.match(text) else text
    return f"\\{text}" if _BEGINS.match(text) else text


class Writer:
    """Writes blocks as Markdown. `special` says what stands in place of a block, if anything does; `say` puts
    what the program says into the language of the deck."""

    def __init__(self, special: Special, source: Path, folder: Path | None = None, say: Say = str) -> None:
        self._say = say
        self._special, self._source, self._folder = special, source, folder or source
        self._shift = 0

    def section(self, section: Section, notes: bool) -> Iterator[str]:
        """One slide, whole, block by block."""
        slide = section.slide
        levels = [block.level for block in slide.blocks if isinstance(block, deck.Heading)]
        self._shift = 2 - min(levels, default=2)
        yield from self.blocks(slide.blocks)
        if notes:
            yield from self._notes(slide)

    def _notes(self, slide: Slide) -> Iterator[str]:
        from slides.reading.parse import parse_blocks

        for note in slide.notes:
            body = "\n\n".join(self.blocks(parse_blocks(note.markdown)))
            yield _quoted(f"**Notes**\n\n{body}")

    def blocks(self, blocks: Iterable[AnyBlock]) -> list[str]:
        """Return the text of each block; a block that is nothing here is left out."""
        return [text for block in blocks if (text := self.block(block))]

    def block(self, block: AnyBlock) -> str:
        """Return one block as Markdown, "" where there is nothing to write."""
        match self._special(block):
            case Figure() as figure:
                return _figure(figure)
            case Asked() as asked:
                return self._asked(asked)
            case Drawing() as drawn:
                return _fenced(drawn.lines)
            case deck.Chart() as chart:  # with the values of its run
                return self._plain(chart)
            case _:
                return self._plain(block)

    def _plain(self, block: AnyBlock) -> str:
        match block:
            case deck.Heading():
                return f"{'#' * max(2, min(6, block.level + self._shift))} {self.inlines(block.content)}"
            case deck.Paragraph():
                return self.inlines(block.content)
            case deck.List():
                return self._list(block)
            case deck.Quote():
                return _quoted("\n\n".join(self.blocks(block.blocks)))
            case deck.Table():
                return self._table(block)
            case deck.Code():
                return "\n\n".join(map(_code, block.states or (block,)))
            case deck.Math():
                return f"$$\n{_math(block.tex)}\n$$"
            case deck.Rule():
                return "***"
            case deck.Image():
                return self._picture(block.path, block.alt)
            case deck.Columns():
                return "\n\n".join(text for column in block.columns for text in self.blocks(column))
            case deck.Chart():
                return "\n".join(
                    f"- {words(line.strip())}" if n else f"{words(line)}\n"
                    for n, line in enumerate(charts.told(block))
                )
            case deck.Scene(name="mermaid", body=body, params=params):
                return _fence(body, " ".join(["mermaid", *params]))
            case deck.Scene():
                told = [f"{n}. {_told(step)}" for n, step in enumerate(scene_steps.told(block), 1)]
                return "\n".join([*told, f"\n*{composition.kind_in(block.captions)}*"])
            case deck.Box():
                raw = "\n" + _fence(block.raw.strip("\n")) if block.raw.strip() else ""
                return _quoted(f"**Not shown:** {words(block.problem.message)}.\n{raw}".rstrip())
            case _:
                return _fenced(layout_blocks((block,), block.at + block.frames, CELLS))

    # --- words ------------------------------------------------------------------------------------------

    def inlines(self, content: Inlines) -> str:
        """Return running text as Markdown; a link that `safe` refuses stays as its words."""
        found = []
        for href, some in groupby(content, lambda part: "" if part.image else safe(part.href)):
            text = "".join(map(self._inline, some))
            found.append(f"[{text}]({href.replace(' ', '%20').replace(')', '%29')})" if href else text)
        return "".join(found).strip()

    def _inline(self, part: deck.Inline) -> str:
        if part.hard_break:
            return "\\\n"
        if part.image:
            return self._picture(part.href, part.text)
        if part.math:
            text = f"${_math(part.text)}$"
        elif part.style.ink == "code":
            ticks = "`" * (max(map(len, re.findall("`+", part.text)), default=0) + 1)
            text = clean(part.text)
            pad = " " if text[:1] == "`" or text[-1:] == "`" else ""
            text = f"{ticks}{pad}{text}{pad}{ticks}"
        else:
            text = words(part.text)
        for mark, worn in (("**", part.style.bold), ("*", part.style.italic), ("~~", part.style.strike)):
            text = _marked(text, mark) if worn else text
        return f"<{part.script}>{text}</{part.script}>" if part.script else text

    def _picture(self, path: str, alt: str) -> str:
        """The picture as seen from the document's folder."""
        file = Path(path)
        file = file if file.is_absolute() else self._source / file
        seen = os.path.relpath(file, self._folder).replace(os.sep, "/")
        return f"![{words(alt)}]({clean(seen).replace(' ', '%20').replace(')', '%29')})"

    def _list(self, block: deck.List) -> str:
        rows = []
        for n, item in enumerate(block.items):
            mark = f"{block.start + n}. " if block.ordered else "- "
            if item.task is not None:
                mark += "[x] " if item.task else "[ ] "
            indent = " " * (len(mark) if block.ordered else 2)
            body = ("\n" if block.tight else "\n\n").join(self.blocks(item.blocks))
            rows.append(_indented(mark, body, indent))
        return ("\n" if block.tight else "\n\n").join(rows)

    def _table(self, block: deck.Table) -> str:
        sides = {"left": ":---", "right": "---:", "center": ":---:"}
        head = [self.inlines(cell) for cell in block.head]
        rows = [[self.inlines(cell) for cell in row] for row in block.rows]
        return _table(head, rows, [sides.get(side, "---") for side in block.align])

    # --- what blocks came to be -------------------------------------------------------------------------

    def _asked(self, asked: Asked) -> str:
        stem = "\n\n".join(self.blocks(asked.stem))
        told = asked.told
        rows = [
            _indented(
                f"{n}. ", self._choice(choice, asked.answered) if told else self._content(choice.content)
            )
            for n, choice in enumerate(asked.choices, 1)
        ]
        answer = f"{self._say('Answer')}: **{words(asked.answer)}**" if asked.answer else ""
        general = _quoted("\n\n".join(self.blocks(asked.general))) if asked.general else ""
        parts = [stem, "\n".join(rows), *((answer, general) if told else ()), words(asked.result)]
        if not told:
            right = [
                _indented("- ", f"{n}: {self._content(choice.content)}{self._why(choice)}")
                for n, choice in enumerate(asked.choices, 1)
                if choice.right
            ]
            hidden = [part for part in ("\n".join(right), answer, general) if part]
            if hidden:
                parts += [f"<details><summary>{self._say('Answer')}</summary>", *hidden, "</details>"]
        return "\n\n".join(part for part in parts if part)

    def _choice(self, choice: Choice, answered: int | None) -> str:
        text = self._content(choice.content)
        if choice.right is not None:
            text += f" **✓ {self._say('right')}**" if choice.right else " ✗"
        if choice.votes is not None:
            bar = "▇" * round(_BAR * choice.votes / answered) if answered else ""
            share = f" ({100 * choice.votes / answered:.0f} %)" if answered else ""
            text += f" {bar} {choice.votes}{share}" if bar else f" {choice.votes}{share}"
        return text + self._why(choice)

    def _why(self, choice: Choice) -> str:
        return "\n\n" + "\n\n".join(self.blocks(choice.explain)) if choice.explain else ""

    def _content(self, blocks: Sequence[AnyBlock]) -> str:
        return "\n\n".join(self.blocks(blocks))


def _told(step: scene_steps.StepShown) -> str:
    """A step of a scene: its lead in bold, then its words."""
    lead = f"**{words(step.lead)}** " if step.lead else ""
    return f"{lead}{words(step.caption)}".strip() or step.place


def _figure(figure: Figure) -> str:
    parts = [f"**{words(figure.title)}**", f"*{words(figure.badge)}*" if figure.badge else ""]
    parts += [words(line) for line in figure.words]
    parts += [_grid(grid) for grid in figure.grids]
    for drawn in figure.drawings:
        parts += [f"{words(drawn.caption)}:", _fenced(drawn.lines)]
    return "\n\n".join(part for part in parts if part)


def _grid(grid: Grid) -> str:
    sides = [":---", *["---:"] * (len(grid.head) - 1)]
    table = _table([words(cell) for cell in grid.head], [list(map(words, row)) for row in grid.rows], sides)
    return f"{words(grid.caption)}:\n\n{table}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], sides: Sequence[str]) -> str:
    def row(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|").replace("\\\n", "<br>") for cell in cells) + " |"

    return "\n".join([row(head), "| " + " | ".join(sides) + " |", *map(row, rows)])


def _fenced(lines: Sequence[Line]) -> str:
    rows = [plain(line).rstrip() for line in lines]
    while rows and not rows[-1]:
        rows.pop()
    return _fence("\n".join(rows), "text")


def _code(block: deck.Code) -> str:
    lines = block.source.split("\n")
    if block.diff:
        lines = [f"{sign}{line}" for sign, line in zip(block.diff, lines, strict=False)]
    lang = "diff" if block.diff else block.lang
    named = f"{words(block.path)}:\n\n" if block.path else ""
    return named + _fence("\n".join(lines), clean(lang))


def _fence(source: str, lang: str = "") -> str:
    marks = "`" * max(3, max(map(len, re.findall("`+", source)), default=0) + 1)
    body = "\n".join(clean(line) for line in source.split("\n"))
    return f"{marks}{lang}\n{body}\n{marks}"


def _math(source: str) -> str:
    return "\n".join(line for line in map(clean, source.strip().split("\n")) if line.strip())


def _marked(text: str, mark: str) -> str:
    """Marks stand at the words: CommonMark takes none beside a blank."""
    bare = text.strip()
    if not bare:
        return text
    at = text.index(bare)
    return f"{text[:at]}{mark}{bare}{mark}{text[at + len(bare) :]}"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _indented(mark: str, text: str, indent: str = "") -> str:
    """`text` behind `mark`, its other lines as far to the right."""
    first, *rest = text.split("\n")
    return "\n".join([mark + first, *(((indent or " " * len(mark)) + row).rstrip() for row in rest)])
