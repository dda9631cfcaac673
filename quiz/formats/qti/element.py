"""An element of an item's XML, with its words and elements in their order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(slots=True)
class Element:
    """An element with its words and elements in their order."""

    tag: str
    attrs: dict[str, str]
    line: int
    column: int
    content: list[Element | str] = field(default_factory=list)

    def children(self) -> Iterator[Element]:
        """The elements directly in it."""
        return (one for one in self.content if isinstance(one, Element))

    def every(self, *tags: str) -> Iterator[Element]:
        """All elements below it with one of these tags, in their order."""
        for child in self.children():
            if child.tag in tags:
                yield child
            yield from child.every(*tags)

    def words(self) -> str:
        """All its words."""
        return "".join(one if isinstance(one, str) else one.words() for one in self.content)
