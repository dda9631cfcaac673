"""Which slides come next and which were before: without hidden and dropped ones, backup slides apart."""

from __future__ import annotations

from collections.abc import Collection

from tui.deck.contents import Contents


def ahead(contents: Contents, dropped: Collection[str], index: int) -> tuple[int, ...]:
    """Return the slides that next visits from slide `index`: the talk ends where its end mark is."""
    backup = bool(contents.backup) and index > contents.visible[-1]
    return tuple(n for n in (contents.backup if backup else _kept(contents, dropped)) if n > index)


def behind(contents: Contents, dropped: Collection[str], index: int) -> tuple[int, ...]:
    """Return the slides before slide `index`, in their order."""
    return tuple(n for n in (*_kept(contents, dropped), *contents.backup) if n < index)


def _kept(contents: Contents, dropped: Collection[str]) -> tuple[int, ...]:
    """The slides of the talk, but for those that were dropped."""
    if not dropped:
        return contents.visible
    return tuple(n for n in contents.visible if contents.heads[n].id not in dropped)
