"""What people see and press; the only room that joins the others."""

from slides.scenes import brought

brought.modules[brought.SCHEDULES] = "tui.deck.scene_schedules"
