"""What people see and press; the only room that joins the others."""

import teachrun

teachrun.pass_by()  # `python -m tui` comes here first, and looks for `slides` where it was started

from slides.scenes import suppliers  # noqa: E402

suppliers.modules[suppliers.SCHEDULES] = "tui.deck.scene_schedules"
