"""Rows and columns of a widget, set only where they change."""

from __future__ import annotations

from textual.widget import Widget


def size(widget: Widget, *, width: int | None = None, height: int | None = None) -> None:
    """Set a size only when it is another one: every setting lays the screen out again."""
    styles = widget.styles
    if width is not None and (styles.width is None or styles.width.value != width):
        styles.width = width
    if height is not None and (styles.height is None or styles.height.value != height):
        styles.height = height
