"""A slide told line by line, for a screen reader, a braille line or a pipe: no column, no colour, no box.

Lines are not wrapped; what each element is, is said in words before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from msgspec.structs import replace

from slides import deck
from slides.deck import AnyBlock, Inlines
from slides.drawing import links
from slides.drawing.cells import clean
from slides.drawing.superscripts import in_words
from slides.drawing.text import plain
from slides.reading.questions_without_key import told_to_all

Special = Callable[[AnyBlock], "Sequence[str] | None"]
"""Lines for a block that others know how to tell, or None."""


def linear(blocks: Sequence[AnyBlock], since: int, step: int, special: Special | None = None) -> list[str]:
    """What comes on the slide after step `since` (-1: with it) up to `step`, in reading order."""
    return list(_Teller(since, step, special).told(blocks, 0))


def words(content: Inlines) -> str:
    """A run of inline content as one line of plain text, formulas as they are shown."""
    return _one_line("".join(map(_word, in_words(content))))


def with_addresses(content: Inlines) -> str:
    """The same with where each link leads behind its words: nobody can click on a line that is read out."""
    parts = []
    for href, some in groupby(in_words(content), lambda part: "" if part.image else part.href):
        text = "".join(map(_word, some))
        parts.append(text + links.spoken(href, text) if href else text)
    return _one_line("".join(parts))


def _word(part: deck.Inline) -> str:
    return formula(part.text) if part.math else " " if part.hard_break else part.text


def _one_line(text: str) -> str:
    return " ".join(clean(text).split())


def formula(tex: str) -> str:
    """Return TeX as one line of characters."""
    from slides.math.layout import inline

    return plain(inline(tex)).strip()


def many(count: int, what: str) -> str:
    """`1 line`, `2 lines`."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _scene(block: deck.Scene, step: int) -> Iterator[str]:
    """A step of a scene in words: lead, caption, and which step it is."""
    from slides.scenes import composition, on_slide, scene_request

    place = f"step {step + 1} of {block.frames}"
    try:
        kind = composition.kind_in(block.captions)
        yield from composition.told(on_slide.of(block).state(step), step, block.frames, kind)
    except Exception as error:  # a scene may be somebody's own: the lesson goes on
        yield f"{place} cannot be shown: {scene_request.failure(error)}"


def _spans(numbers: frozenset[int]) -> str:
    """`2 to 5, 9` of some numbers."""
    runs: list[str] = []
    for _, same in groupby(enumerate(sorted(numbers)), key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in same]
        runs.append(str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}")
    return ", ".join(runs)


_GIVES = {
    "": "can be run",
    "output": "can be run, and what it prints takes its place",
    "picture": "can be run, and the picture it makes takes its place",
}
_SIGNS = {"+": "added: ", "-": "removed: ", "@": "lines left out: "}


def _signed(block: deck.Code) -> list[str]:
    """Its lines; those of a diff say in a word what became of them, as a voice reads no signs."""
    lines = [clean(line) for line in block.source.rstrip("\n").split("\n")]
    signs = block.diff.ljust(len(lines))
    return [f"{_SIGNS.get(sign, '')}{line}" for sign, line in zip(signs, lines, strict=False)]


class _Teller:
    def __init__(self, since: int, step: int, special: Special | None) -> None:
        self._since, self._step, self._special = since, step, special

    def _new(self, at: int) -> bool:
        return self._since < at <= self._step

    def told(self, blocks: Sequence[AnyBlock], above: int) -> Iterator[str]:
        for block in blocks:
            at = max(above, block.at)
            if at > self._step:
                continue
            match block:
                case deck.List():
                    yield from self._list(block, at)
                case deck.Quote(blocks=inner):
                    yield from (f"> {line}" for line in self.told(inner, at))
                case deck.Columns(columns=columns):
                    for column in columns:
                        yield from self.told(column, at)
                case _ if self._new(at):
                    found = self._special(block) if self._special is not None else None
                    yield from self._block(block) if found is None else found
                    yield from self._frame(block, first=True)
                case _:
                    yield from self._frame(block, first=False)

    def _list(self, block: deck.List, above: int) -> Iterator[str]:
        for number, item in enumerate(block.items, block.start):
            at = max(above, item.at)
            if at > self._step:
                return
            mark = f"{number}. " if block.ordered else "- "
            mark += {None: "", True: "done: ", False: "to do: "}[item.task]
            for line in self.told(item.blocks, at):
                yield (mark if self._new(at) and mark else "  ") + line
                mark = ""

    def _block(self, block: AnyBlock) -> Iterator[str]:
        match block:
            case deck.Heading(content=content) | deck.Paragraph(content=content):
                if line := with_addresses(content):
                    yield line
            case deck.Table(head=head, rows=rows):
                names = [words(cell) for cell in head]
                yield f"table, {many(len(rows), 'row')}:"
                for row in rows:
                    cells = (with_addresses(cell) for cell in row)
                    yield "  " + "; ".join(f"{n}: {c}" if n else c for n, c in zip(names, cells, strict=True))
            case deck.Code():
                yield from self._code(block.state(self._step))
            case deck.Math(tex=tex):
                yield formula(tex)
            case deck.Image(alt=alt, path=path):
                yield f"picture: {clean(alt or path.rpartition('/')[2])}"
            case deck.Demo(name=name, params=params):
                yield clean(" ".join([f"demo {name}", *(f"{key}={value}" for key, value in params.items())]))
            case deck.Scene(name=name, frames=frames):
                yield f"{clean(f'scene {name}').strip()}, {many(frames, 'step')}"
            case deck.Chart():
                from slides.drawing.blocks.charts import charts

                yield from charts.told(block)
            case deck.Estimate(words=asked):
                yield clean(" ".join((block.name, *asked)))
            case deck.Exercise(name=name):
                yield clean(f"exercise {name}")
            case deck.Quiz():
                # Nobody who knows questions was asked: without its key and explanations.
                yield from filter(None, (clean(raw).strip() for raw in told_to_all(block)))
            case deck.Box(problem=problem):
                yield clean(f"cannot be shown, line {problem.line}: {problem.message}. {problem.mend}")

    def _code(self, block: deck.Code) -> Iterator[str]:
        if block.terminal:
            yield f"a terminal to type into: {clean(block.source)}"
            return
        lines = block.source.rstrip("\n").split("\n")
        runs = _GIVES[block.gives] if block.run else ""
        kind = ", ".join(
            filter(None, ("code", clean(block.lang), clean(block.path), runs, many(len(lines), "line")))
        )
        yield f"{kind}:"
        yield from (f"    {line}" for line in _signed(block))
        yield "end of code"

    def _frame(self, block: AnyBlock, first: bool) -> Iterator[str]:
        """What changed of a block that goes through frames by itself."""
        if block.frames < 2 and not isinstance(block, deck.Scene):
            return
        now = min(self._step - block.at, block.frames - 1)
        before = -1 if first else min(self._since - block.at, block.frames - 1)
        if now == before:
            return
        match block:
            case deck.Code(states=states) if states:
                shown = block.state(self._step)
                if not first and shown is not block.state(self._since):
                    yield "in its place:"
                    yield from self._code(shown)
                yield from self._frame(replace(shown, states=()), first or shown.at > self._since)
            case deck.Code(focus=focus) if focus and focus[now]:
                lines = _signed(block)
                yield f"looked at: {'line' if len(focus[now]) == 1 else 'lines'} {_spans(focus[now])}"
                if not first:
                    yield from (f"    {lines[n - 1]}" for n in sorted(focus[now]) if n <= len(lines))
            case deck.Code() if not first:
                yield "looked at: all lines"
            case deck.Scene():
                yield from _scene(block, now)
