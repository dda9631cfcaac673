"""Every block of a slide, and every piece of words in it, in reading order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from slides.deck import AnyBlock, Chart, Code, Columns, Heading, Inline, List, Paragraph, Quote, Scene, Table


def blocks(of: Iterable[AnyBlock]) -> Iterator[AnyBlock]:
    """Every block, those inside columns, lists and quotes included, and code that takes the place
    of other code."""
    for block in of:
        yield block
        if isinstance(block, Columns):
            for column in block.columns:
                yield from blocks(column)
        elif isinstance(block, List):
            for item in block.items:
                yield from blocks(item.blocks)
        elif isinstance(block, Quote):
            yield from blocks(block.blocks)
        elif isinstance(block, Code):
            yield from block.states[1:]


def changed(of: Iterable[AnyBlock], change: Callable[[AnyBlock], AnyBlock]) -> tuple[AnyBlock, ...]:
    """The same blocks with what `change` makes of each, those inside columns, lists and quotes included."""
    found: list[AnyBlock] = []
    for block in of:
        block = change(block)
        if isinstance(block, Columns):
            block = replace(block, columns=tuple(changed(column, change) for column in block.columns))
        elif isinstance(block, List):
            items = tuple(replace(item, blocks=changed(item.blocks, change)) for item in block.items)
            block = replace(block, items=items)
        elif isinstance(block, Quote):
            block = replace(block, blocks=changed(block.blocks, change))
        elif isinstance(block, Code) and block.states:
            block = replace(block, states=changed(block.states, change))
        found.append(block)
    return tuple(found)


def has_chart(of: Iterable[AnyBlock]) -> bool:
    """Whether a chart is among them or inside one: it is as high as its room."""
    return any(isinstance(block, Chart) for block in blocks(of))


def has_scene(of: Iterable[AnyBlock]) -> bool:
    """Whether a scene is among them, be it in a column."""
    return any(isinstance(block, Scene) for block in blocks(of))


def of_runs(of: Iterable[AnyBlock]) -> bool:
    """Whether a chart among them shows values of a run."""
    return any(isinstance(block, Chart) and block.run for block in blocks(of))


def inlines(block: AnyBlock) -> Iterator[Inline]:
    """The words of one block itself, not of the blocks in it."""
    if isinstance(block, Heading | Paragraph):
        yield from block.content
    elif isinstance(block, Table):
        for cells in (block.head, *block.rows):
            for cell in cells:
                yield from cell
