"""What people see and press; the only room that joins the others."""

import teachrun

teachrun.pass_by()  # `python -m tui` comes here first, and looks for `slides` where it was started

from slides.scenes import brought  # noqa: E402

brought.modules[brought.SCHEDULES] = "tui.deck.scene_schedules"
