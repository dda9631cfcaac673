"""How a run ended, on its slide and in its panel: sign, word and ink."""

from __future__ import annotations

from runtime.protocol.messages import Snapshot

ENDED = {
    "done": ("✓", "done", "good"),
    "failed": ("✗", "failed", "bad"),
    "stopped": ("■", "stopped", "warning"),
    "lost": ("✗", "lost", "bad"),
}


def stepped(snapshot: Snapshot) -> bool:
    """Whether any rank has made a step: before that nothing is measured."""
    return any(row.step is not None for row in snapshot.rows)


def sign_of_life(snapshot: Snapshot) -> tuple[str, str]:
    """Glyph and ink before the badge: filled and green only while real processes make figures."""
    real = snapshot.badge.startswith("LIVE")
    if not real or snapshot.state in ENDED:
        return "○", "dim" if real else "warning"
    return ("●", "good") if stepped(snapshot) else ("◌", "dim")
