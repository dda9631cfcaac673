"""The native deck format: `deck.md` has every construct, `deck.golden.txt` says what each of them means.

After a wanted change: `python tests/contracts/test_deck.py` writes the golden text anew; read the difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from slides import deck as d
from slides.audience_deck import audience_deck
from slides.deck import AnyBlock, Deck, Inlines, Slide
from slides.drawing.text import PLAIN
from slides.reading.parse import parse_slide
from slides.reading.split import load

HERE = Path(__file__).parent
DECK, GOLDEN = HERE / "deck.md", HERE / "deck.golden.txt"


def deck() -> Deck:
    return load(DECK)


def slides(of: Deck, *, trusted: bool = True) -> list[Slide]:
    return [parse_slide(of, head.index, trusted=trusted) for head in of.slides]


# -- the notation -------------------------------------------------------------------------------------------
# line  step  block, indented by what holds it; `+2` after a step: it goes on for two more frames.


def dump(of: Deck) -> Iterator[str]:
    yield f"deck {of.title!r} time={of.time_s} meta={of.meta}"
    yield from problems(of.problems)
    for slide in slides(of):
        flags = [name for name in ("optional", "hidden") if getattr(slide, name)]
        flags += ["backup"] * of.slides[slide.index].backup + [f"layout={slide.layout}"] * bool(slide.layout)
        flags += [f"try={','.join(of.slides[slide.index].tries)}"] * bool(of.slides[slide.index].tries)
        seconds = "-" if slide.time_s is None else f"{slide.time_s:g}s"
        yield ""
        yield " ".join(
            [f"=== {slide.id} {slide.title!r} [{slide.section}] {seconds} steps={slide.steps}", *flags]
        )
        yield from blocks(slide.blocks, 0)
        for note in slide.notes:
            yield f"{note.line:>4} {note.at:<4} NOTE {note.markdown!r}"
        yield from problems(slide.problems)


def problems(found: Sequence[object]) -> Iterator[str]:
    for problem in found:
        yield f"   ! {problem}".replace(str(HERE) + "/", "")


def blocks(found: Sequence[AnyBlock], depth: int) -> Iterator[str]:
    for block in found:
        frames = f"+{block.frames - 1}" if block.frames > 1 else ""
        head, *rest = body(block)
        yield f"{block.line:>4} {f'{block.at}{frames}':<4} {'  ' * depth}{head}"
        for text in rest:
            yield f"{'':>9} {'  ' * depth}  {text}"
        yield from within(block, depth + 1)


def within(block: AnyBlock, depth: int) -> Iterator[str]:
    pad = "  " * (depth - 1)
    match block:
        case d.List():
            for number, item in enumerate(block.items, start=block.start):
                mark = {None: "", True: " [x]", False: " [ ]"}[item.task]
                yield f"     {item.at:<4} {pad}{f'{number}.' if block.ordered else '-'}{mark}"
                yield from blocks(item.blocks, depth)
        case d.Quote():
            yield from blocks(block.blocks, depth)
        case d.Columns():
            for share, column in zip(block.widths, block.columns, strict=True):
                yield f"          {pad}| {share}"
                yield from blocks(column, depth)


def body(block: AnyBlock) -> list[str]:
    match block:
        case d.Heading():
            return [f"{'#' * block.level} {words(block.content)}"]
        case d.Paragraph():
            return [f"P {words(block.content)}"]
        case d.List():
            return [f"LIST {'ordered' if block.ordered else 'bullets'} {'tight' if block.tight else 'loose'}"]
        case d.Table():
            cells = [
                f"{words(cell)} :{align or '-'}" for cell, align in zip(block.head, block.align, strict=True)
            ]
            rows = [" | ".join(words(cell) for cell in row) for row in block.rows]
            return ["TABLE " + " | ".join(cells), *rows]
        case d.Code():
            focus = "|".join(",".join(map(str, sorted(lines))) or "all" for lines in block.focus)
            real = f" {block.path}@{block.sha}:{block.first}" if block.path else ""
            numbers = " numbers" if block.numbers else ""
            changed = f" (the deck says {block.pinned})" if block.pinned else ""
            more = " fails" * block.fails + (f" gives {block.gives}" if block.gives else "")
            runs = f" RUN {block.id} {block.timeout_s:g}s{more}" if block.run else ""
            lines = block.source.split("\n")
            return [
                f"CODE {block.lang}{f' {{{focus}}}' if focus else ''}{numbers}{real}{changed}{runs}",
                *(
                    [f"{sign}| {line}" for sign, line in zip(block.diff, lines, strict=True)]
                    if block.diff
                    else lines
                ),
                *(f"# {line}" for line in block.program.split("\n") if block.program),
            ]
        case d.Math():
            return [f"MATH {block.tex!r}"]
        case d.Image():
            width = f" width={block.width:g}" if block.width else ""
            return [f"IMAGE {Path(block.path).relative_to(HERE).as_posix()} {block.alt!r}{width}"]
        case d.Demo():
            return [f"DEMO {block.id} {block.name} {block.params}"]
        case d.Estimate():
            return [f"{block.name.upper()} {' '.join(block.words)}"]
        case d.Exercise():
            return [f"EXERCISE {block.name}"]
        case d.Chart():
            head = (
                f"CHART {block.kind} {block.title!r} {block.series} limit={block.limit} {block.limit_label}"
            )
            rows = zip(block.labels, block.values, strict=True)
            return [head, *(f"  {label}: {values}" for label, values in rows)]
        case d.Scene():
            return [f"ANIMATE {block.name} {block.params}"]
        case d.Quiz():
            head = f"{block.directive.upper()} {block.id} kind={block.kind!r} {block.attrs}"
            return [f"{head} body from {block.body_line}", *block.body.split("\n")]
        case d.Box():
            return [f"BOX {block.problem}".replace(str(HERE) + "/", ""), *block.raw.split("\n")]
        case _:
            return [type(block).__name__.upper()]


def words(content: Inlines) -> str:
    return "".join(f"⟨{run}⟩" if run != text else text for run, text in map(marked, content))


def marked(run: d.Inline) -> tuple[str, str]:
    """A run with its marks, and its bare text: equal where the run is plain."""
    style = run.style
    flags = [name for name in ("bold", "italic", "underline", "strike") if getattr(style, name)]
    marks = [*flags, *([style.ink] if style.ink != PLAIN.ink else [])]
    marks += [run.script] if run.script else []
    marks += ["$"] * run.math + ["picture"] * run.image + ["break"] * run.hard_break
    if run.href:
        marks.append(f"-> {run.href}")
    return (f"{' '.join(marks)}: {run.text}" if marks else run.text), run.text


# -- the tests ----------------------------------------------------------------------------------------------


def test_every_construct_is_read_as_the_golden_text_says() -> None:
    assert "\n".join(dump(deck())) + "\n" == GOLDEN.read_text(encoding="utf-8")


def test_the_fixture_has_every_block() -> None:
    def kinds(found: Sequence[AnyBlock]) -> Iterator[type]:
        for block in found:
            yield type(block)
            match block:
                case d.List():
                    for item in block.items:
                        yield from kinds(item.blocks)
                case d.Quote():
                    yield from kinds(block.blocks)
                case d.Columns():
                    for column in block.columns:
                        yield from kinds(column)

    seen = {kind for slide in slides(deck()) for kind in kinds(slide.blocks)}
    assert seen == set(d.AnyBlock.__args__)


def test_every_mistake_says_where_and_what_to_write_instead() -> None:
    whole = deck()
    found = [*whole.problems, *(problem for slide in slides(whole) for problem in slide.problems)]
    found += [block.problem for slide in slides(whole) for block in slide.blocks if isinstance(block, d.Box)]
    lines = whole.source.count("\n") + 1
    assert len(found) > 25
    for problem in found:
        assert problem.file == str(DECK) and 1 <= problem.line <= lines, problem
        assert problem.message and problem.mend.endswith((".", "?")), problem
        assert not problem.message.endswith("."), problem


def test_an_audience_gets_the_same_slides_without_what_is_not_theirs() -> None:
    whole = deck()
    theirs = audience_deck(whole)
    source = theirs.source
    assert [head.id for head in theirs.slides] == [head.id for head in whole.slides]
    for ours, seen in zip(slides(whole), slides(theirs, trusted=False), strict=True):
        assert (seen.id, seen.title, seen.steps, seen.section) == (
            ours.id,
            ours.title,
            ours.steps,
            ours.section,
        )
        assert seen.notes == ()
        assert ids(seen.blocks) == ids(ours.blocks)
    for secret in (
        "goes round twice",
        "first half reduces",
        "nobody's business",
        "Nor an expl",
        "never shown",
    ):
        assert secret in whole.source
        assert secret not in source
    assert source.count("- [x]") == 2  # a task list and a line of code, no key


def ids(found: Sequence[AnyBlock]) -> list[str]:
    out: list[str] = []
    for block in found:
        if isinstance(block, d.Demo | d.Quiz) or (isinstance(block, d.Code) and block.run):
            out.append(block.id)
        elif isinstance(block, d.Columns):
            for column in block.columns:
                out += ids(column)
    return out


if __name__ == "__main__":
    GOLDEN.write_text("\n".join(dump(deck())) + "\n", encoding="utf-8")
