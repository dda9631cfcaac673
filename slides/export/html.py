"""A deck as one HTML page that stands alone: nothing is loaded, nothing runs, everything is read by keyboard.

Headings are marked up as headings, figures are described for readers who cannot see them, and colours come
from a theme or follow the reader's light or dark mode. The deck's text is escaped; addresses that lead to
neither the web nor this page are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path

from slides import deck
from slides.deck import AnyBlock, Deck, Inlines, Slide
from slides.drawing.cells import clean
from slides.drawing.layout import layout_blocks
from slides.drawing.text import Line
from slides.export import block_outcomes, chart_figure, plain_words, scene_steps, style
from slides.export.block_outcomes import Asked, Choice, Drawing, Figure, Grid, Special, nothing_special
from slides.export.drawings.svg import drawing, name
from slides.export.header_and_footer_html import over, under
from slides.export.mathml import mathml
from slides.export.pictures import Address, within
from slides.highlighting import highlight
from slides.languages.program_words import Say, say_in
from slides.palette import Palette

PLAIN_CELLS = 100  # of a block that only the layout knows
_SAFE = re.compile(r"(?:https?://|mailto:|#|[\w./%-]+(?:[?#]|$))", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Section:
    """A slide as it is exported, its number as people count it ("": nobody does), what stands above it."""

    slide: Slide
    number: str
    section: str = ""


@dataclass(frozen=True, slots=True)
class Options:
    """`facts` are lines under the title; `notes` are written too where the reader may have them. Without a
    `theme` colours follow the reader's light or dark."""

    facts: tuple[str, ...] = ()
    notes: bool = False
    made_by: str = ""
    theme: Palette | None = None


def page(
    of: Deck, sections: Sequence[Section], special: Special = nothing_special, options: Options = Options()
) -> str:
    """The whole page."""
    lang = clean(of.meta.get("lang", "")) or "en"
    title, say = _text(of.title), say_in(lang)
    address = within(Path(of.path).absolute().parent)
    writer = Writer(block_outcomes.in_language(special, say), address, of.title, say)
    body = "".join(writer.section(section, options.notes) for section in sections)
    about = [of.meta[key] for key in ("subtitle", "author", "event", "location", "date") if of.meta.get(key)]
    head = "".join(f"<p>{_text(line)}</p>" for line in (*about, *map(say, options.facts)))
    foot = under(of) + (f"<p>{_text(say(options.made_by))}</p>" if options.made_by else "")
    return (
        f'<!doctype html>\n<html lang="{escape(lang)}">\n<head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
        "style-src 'unsafe-inline'\">"
        f"<style>{style.sheet(options.theme)}</style></head>\n"
        f'<body><a class="skip" href="#slides">{say("Skip to the slides")}</a><div class="page">'
        f"<header>{over(of)}<h1>{title}</h1>{head}</header>\n{_contents(sections, say)}\n"
        f'<main id="slides">\n{body}</main>\n{foot and f"<footer>{foot}</footer>"}</div></body></html>\n'
    )


def _contents(sections: Sequence[Section], say: Say) -> str:
    """The list of slides, those of a section under its name."""
    parts = []
    for heading, group in groupby(sections, key=lambda section: section.section):
        if heading:
            parts.append(f'<li class="group">{_text(heading)}</li>')
        for section in group:
            title = _text(section.slide.title) or say("untitled")
            number = f'<span class="n">{_text(section.number)}</span>' if section.number else ""
            parts.append(f'<li><a href="#{_id(section.slide.id)}">{number}{title}</a></li>')
    return f'<nav aria-label="Slides" tabindex="0"><ol>{"".join(parts)}</ol></nav>'


def _text(text: str) -> str:
    return escape(clean(text))


def _id(text: str) -> str:
    return escape(clean(text).replace(" ", "-"))


def _named(section: Section, say: Say) -> str:
    """`Slide 12`, or `Backup slide +2`; "" where nobody counts them."""
    word = "Backup slide" if section.number.startswith("+") else "Slide"
    return f"{say(word)} {section.number}" if section.number else ""


class Writer:
    """Writes blocks; `address` is of a picture by its path, `above` the page's title, `say` by `say_in`."""

    def __init__(self, special: Special, address: Address, above: str = "", say: Say = str) -> None:
        self._special, self._address, self._above, self._say = special, address, above, say
        self._shift = 0  # from a heading's level in the deck to its level on the page
        self._level = 1  # of the last heading
        self._scenes = 0  # so far

    def section(self, section: Section, notes: bool) -> str:
        """One slide, whole: its first heading is the page's second level."""
        slide = section.slide
        levels = [block.level for block in slide.blocks if isinstance(block, deck.Heading)]
        self._shift, self._level = 2 - min(levels, default=2), 1
        where = " · ".join(word for word in (_named(section, self._say), section.section) if word)
        kinds = f"layout-{_id(slide.layout)}" * bool(slide.layout) + " titled" * (slide.title == self._above)
        kind = f' class="{kinds.strip()}"' if kinds else ""
        # A slide without a heading gets one for readers who move from heading to heading.
        named = "" if levels else self._heading(2, _text(slide.title or where), ' class="unseen"')
        own = self._notes(slide) if notes and slide.notes else ""
        over = f'<p class="where">{_text(where)}</p>' if where else ""
        return (
            f'<section id="{_id(slide.id)}"{kind}>{over}{named}{self.blocks(slide.blocks)}{own}</section>\n'
        )

    def _notes(self, slide: Slide) -> str:
        from slides.reading.parse import parse_blocks

        body = "".join(self.blocks(parse_blocks(note.markdown)) for note in slide.notes)
        return f'<aside class="notes" aria-label="Notes">{body}</aside>'

    def blocks(self, blocks: Iterable[AnyBlock]) -> str:
        """Return the blocks as HTML, one below the other."""
        return "\n".join(self.block(block) for block in blocks)

    def block(self, block: AnyBlock) -> str:
        """Return one block as HTML, escaped."""
        match self._special(block):
            case Figure() as figure:
                return self._figure(figure)
            case Asked() as asked:
                return self._asked(asked)
            case Drawing() as drawn:
                return _drawing(drawn)
            case deck.Chart() as chart:  # with the values of its run
                return self._plain(chart)
            case _:
                return self._plain(block)

    def _plain(self, block: AnyBlock) -> str:
        match block:
            case deck.Heading():
                return self._heading(block.level + self._shift, self._inlines(block.content))
            case deck.Paragraph():
                return f"<p>{self._inlines(block.content)}</p>"
            case deck.List():
                return self._list(block)
            case deck.Quote():
                return f"<blockquote>{self.blocks(block.blocks)}</blockquote>"
            case deck.Table():
                return self._table(block)
            case deck.Code():
                return "".join(map(_code, block.states or (block,)))
            case deck.Math():
                return f'<div class="math" tabindex="0">{mathml(block.tex, display=True)}</div>'
            case deck.Rule():
                return "<hr>"
            case deck.Image():
                return f"<figure>{self._picture(block.path, block.alt)}</figure>"
            case deck.Columns():
                widths = " ".join(f"minmax(0,{width}fr)" for width in block.widths)
                columns = "".join(f"<div>{self.blocks(column)}</div>" for column in block.columns)
                return f'<div class="columns" style="grid-template-columns:{widths}">{columns}</div>'
            case deck.Scene():
                self._scenes += 1
                return _scene(block, f"scene-{self._scenes}")
            case deck.Chart():
                return chart_figure.figure(block)
            case deck.Box():
                return _box(block)
            case _:
                return _as_drawn(layout_blocks((block,), block.at + block.frames, PLAIN_CELLS))

    def _heading(self, level: int, text: str, attributes: str = "") -> str:
        """No level is left out on the way down."""
        self._level = max(2, min(6, level, self._level + 1))
        return f"<h{self._level}{attributes}>{text}</h{self._level}>"

    # --- words ------------------------------------------------------------------------------------------

    def _inlines(self, content: Inlines) -> str:
        """A link is one, whatever its words look like: each would be a separate stop for keyboard users."""
        found = []
        for href, some in groupby(content, lambda part: "" if part.image else safe(part.href)):
            text = "".join(map(self._inline, some))
            found.append(f'<a href="{escape(href)}" rel="noopener noreferrer">{text}</a>' if href else text)
        return "".join(found)

    def _inline(self, part: deck.Inline) -> str:
        if part.hard_break:
            return "<br>"
        if part.image:
            return self._picture(part.href, part.text)
        if part.math:
            text = mathml(part.text)
        elif part.style.ink == "code":
            text = f"<code>{_text(part.text)}</code>"
        else:
            text = _text(part.text)
            if part.style.ink != "text":
                text = f'<span class="i-{name(part.style.ink)}">{text}</span>'
        marks = (
            ("strong", part.style.bold),
            ("em", part.style.italic),
            ("s", part.style.strike),
            ("u", part.style.underline),
        )
        for tag, worn in marks:
            text = f"<{tag}>{text}</{tag}>" if worn else text
        return f"<{part.script}>{text}</{part.script}>" if part.script else text

    def _picture(self, path: str, alt: str) -> str:
        found = self._address(path)
        if not found:
            return f'<em class="i-dim">[picture: {_text(alt) or _text(path)}]</em>'
        return f'<img src="{found}" alt="{_text(alt)}">'

    def _list(self, block: deck.List) -> str:
        tag = "ol" if block.ordered else "ul"
        start = f' start="{block.start}"' if block.ordered and block.start != 1 else ""
        return f"<{tag}{start}>{''.join(self._item(item, block.tight) for item in block.items)}</{tag}>"

    def _item(self, item: deck.Item, tight: bool) -> str:
        body = "".join(
            self._inlines(block.content) if tight and isinstance(block, deck.Paragraph) else self.block(block)
            for block in item.blocks
        )
        if item.task is None:
            return f"<li>{body}</li>"
        word, sign = (self._say("done"), "☑") if item.task else (self._say("to do"), "☐")
        return f'<li class="task"><span role="img" aria-label="{word}">{sign}</span> {body}</li>'

    def _table(self, block: deck.Table) -> str:
        def row(cells: Sequence[Inlines], tag: str) -> str:
            scope = ' scope="col"' if tag == "th" else ""
            return "".join(
                f"<{tag}{scope}{_aligned(block.align, n)}>{self._inlines(cell)}</{tag}>"
                for n, cell in enumerate(cells)
            )

        body = "".join(f"<tr>{row(cells, 'td')}</tr>" for cells in block.rows)
        head = f"<thead><tr>{row(block.head, 'th')}</tr></thead>"
        return f'<div class="scroll" tabindex="0"><table>{head}<tbody>{body}</tbody></table></div>'

    # --- what blocks came to be -------------------------------------------------------------------------

    def _figure(self, figure: Figure) -> str:
        badge = f'<p><span class="badge">{_text(figure.badge)}</span></p>' if figure.badge else ""
        said = "".join(f"<p>{_text(line)}</p>" for line in figure.words)
        body = "".join(map(_grid, figure.grids)) + "".join(map(_drawing, figure.drawings))
        return f'<div class="figure">{self._heading(3, _text(figure.title))}{badge}{said}{body}</div>'

    def _asked(self, asked: Asked) -> str:
        choices = "".join(
            f"<li{' class=right-one' * bool(choice.right and asked.told)}>{self._tight(choice.content)}"
            f"{self._told(choice, asked.answered) if asked.told else ''}</li>"
            for choice in asked.choices
        )
        options = f"<ol>{choices}</ol>" if asked.choices else ""
        general = f'<div class="why">{self.blocks(asked.general)}</div>' if asked.general else ""
        word = self._say("Answer")
        answer = f"<p>{word}: <strong>{_text(asked.answer)}</strong></p>" if asked.answer else ""
        result = f"<p>{_text(asked.result)}</p>" if asked.result else ""
        if not asked.told:
            right = [
                f"<li>{n}: {self._tight(choice.content)}{self._why(choice)}</li>"
                for n, choice in enumerate(asked.choices, 1)
                if choice.right
            ]
            hidden = (f"<ul>{''.join(right)}</ul>" if right else "") + answer + general
            general = answer = ""
            result += f"<details><summary>{word}</summary>{hidden}</details>" if hidden else ""
        return (
            f'<div class="question" role="group" aria-label="Question"><div>{self.blocks(asked.stem)}</div>'
            f"{options}{answer}{general}{result}</div>"
        )

    def _told(self, choice: Choice, answered: int | None) -> str:
        parts = []
        if choice.right is not None:
            sign, word, ink = ("✓", "right", "good") if choice.right else ("✗", "wrong", "bad")
            parts.append(f' <span class="verdict {ink}">{sign} {self._say(word)}</span>')
        if choice.votes is not None:
            bar, people = "", "1 answer" if choice.votes == 1 else f"{choice.votes} answers"
            if answered:
                share = 100 * choice.votes / answered
                bar = f'<span class="bar" style="width:{share * 0.6:.0f}%"></span>'
                people += f" ({share:.0f} %)"
            parts.append(f'<div class="votes">{bar}{self._say(people)}</div>')
        return "".join(parts) + self._why(choice)

    def _why(self, choice: Choice) -> str:
        return f'<div class="why">{self.blocks(choice.explain)}</div>' if choice.explain else ""

    def _tight(self, blocks: Sequence[AnyBlock]) -> str:
        """One paragraph as its words alone."""
        if len(blocks) == 1 and isinstance(blocks[0], deck.Paragraph):
            return self._inlines(blocks[0].content)
        return self.blocks(blocks)


def safe(href: str) -> str:
    """Where a link leads, "" where that is neither of the web, nor in the page, nor a file beside it."""
    href = clean(href).strip()
    return href if _SAFE.match(href) else ""


def _aligned(align: Sequence[str], column: int) -> str:
    side = align[column] if column < len(align) else ""
    return f' class="{side}"' if side in ("right", "center") else ""


def _drawing(drawn: Drawing) -> str:
    label = f"{drawn.caption}: {plain_words.drawn(drawn.lines)}"[:1000]
    return (
        f"<figure><figcaption>{_text(drawn.caption)}</figcaption>"
        f'<div class="drawing" tabindex="0">{drawing(drawn.lines, label)}</div></figure>'
    )


def _scene(block: deck.Scene, group: str) -> str:
    """Its steps upon each other, and under them a switch for each: arrow keys go from one to the next, as
    among all switches of a group. Nothing runs for it."""
    steps = "".join(_step(shown, group, n == 0) for n, shown in enumerate(scene_steps.steps(block)))
    label = f'role="radiogroup" aria-label="{_text(block.name or "scene")}"'
    return f'<div class="steps" {label}>{steps}</div>'


def _step(shown: scene_steps.StepShown, group: str, first: bool) -> str:
    """A step of a scene: its switch, its picture, and words under it, which say what the picture shows."""
    words = f"<strong>{escape(shown.lead)}</strong> {escape(shown.caption)}"
    switch = f'<input type="radio" name="{group}" aria-label="{shown.place}"{" checked" if first else ""}>'
    inks = "".join(f'<span class="i-{name(ink)}">■</span> {escape(of)} &ensp;' for ink, of in shown.legend)
    legend = f"<div>{inks}</div>" if inks and shown.picture else ""
    return f"{switch}<figure>{shown.picture}<figcaption>{legend}{shown.place}: {words}</figcaption></figure>"


def _as_drawn(lines: Sequence[Line]) -> str:
    return f'<div class="drawing" tabindex="0">{drawing(lines, plain_words.drawn(lines)[:1000])}</div>'


def _grid(grid: Grid) -> str:
    head = "".join(f'<th scope="col">{_text(cell)}</th>' for cell in grid.head)
    rows = "".join(
        f'<tr><th scope="row">{_text(row[0])}</th>'
        f"{''.join(f'<td>{_text(cell)}</td>' for cell in row[1:])}</tr>"
        for row in grid.rows
    )
    return (
        f'<div class="scroll figures" tabindex="0"><table><caption>{_text(grid.caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _code(block: deck.Code) -> str:
    """Lines in the inks of the screen; what a diff adds and takes away is marked as such."""
    signs = block.diff or " " * (block.source.count("\n") + 1)
    rows = []
    for n, line in enumerate(highlight.highlight(block.lang, block.source)):
        text = "".join(
            escape(part)
            if ink.ink in ("text", "code.name")
            else f'<span class="i-{name(ink.ink)}">{escape(part)}</span>'
            for part, ink in line
        )
        if block.numbers and not block.diff:
            text = f'<span class="ln" aria-hidden="true">{block.first + n}</span>{text}'
        sign = signs[n] if n < len(signs) else " "
        tag = {"+": "ins", "-": "del"}.get(sign, "")
        shown = f"{sign} {text}" if block.diff else text
        rows.append(f"<{tag}>{shown}</{tag}>" if tag else f"{shown}\n")
    lang = f' class="language-{_id(block.lang)}"' if block.lang else ""
    pre = f'<pre tabindex="0"><code{lang}>{"".join(rows)}</code></pre>'
    if not block.path:
        return pre
    sha = f" (sha {_text(block.sha)})" if block.sha else ""
    return f"<figure><figcaption>{_text(block.path)}{sha}</figcaption>{pre}</figure>"


def _box(block: deck.Box) -> str:
    lines = "\n".join(map(_text, block.raw.strip("\n").split("\n")))
    raw = f'<pre tabindex="0">{lines}</pre>' if lines else ""
    said = _text(block.problem.message)
    return f'<div class="problem" role="note"><strong>Not shown:</strong> {said}.{raw}</div>'
