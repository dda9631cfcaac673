"""A slide whose one question or estimate has all the room that its other blocks leave."""

from __future__ import annotations

from slides.deck import Demo, Estimate, Quiz, Slide
from slides.reading_order import blocks as walk


def of(slide: Slide, panel: bool = False) -> Quiz | Estimate | None:
    """Its one question or estimate, in no column; beside the panel of a demo only a prediction."""
    found = [block for block in walk(slide.blocks) if isinstance(block, Quiz | Estimate)]
    if len(found) != 1 or found[0] not in slide.blocks:
        return None
    demos = panel and any(isinstance(block, Demo) for block in walk(slide.blocks))
    return found[0] if not demos or getattr(found[0], "directive", "") == "predict" else None


def rows(slide: Slide, width: int, height: int, panel: bool) -> int:
    """Rows that its one question or estimate has beside all else on a slide; 0: as many as it needs."""
    one = of(slide, panel) if height else None
    if one is None:
        return 0
    from slides.drawing.layout import layout_blocks

    others = [layout_blocks((block,), slide.steps, width) for block in slide.blocks if block is not one]
    return max(1, height - sum(len(lines) + 1 for lines in others))
