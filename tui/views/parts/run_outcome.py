"""How a run ended, on its slide and in its panel: sign, word and ink."""

from __future__ import annotations

ENDED = {
    "done": ("✓", "done", "good"),
    "failed": ("✗", "failed", "bad"),
    "stopped": ("■", "stopped", "warning"),
    "lost": ("✗", "lost", "bad"),
}
