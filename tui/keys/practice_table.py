"""What can be done at the screen of an exercise, and by which keys; its foot is made from this.

Letters mean what they mean in a class (`tui.keys.table`), where that has a meaning for them.
"""

from __future__ import annotations

from tui.keys.table import Action

GROUP = "Exercise"

ACTIONS: tuple[Action, ...] = (
    Action("edit_exercise", ("E",), "Open it in your editor", GROUP, "editor"),
    Action("run_exercise", ("enter",), "Run it again", GROUP, "run"),
    Action("hint", ("i",), "One hint more", GROUP, "hint"),
    Action("task", ("tab",), "The task, or what has come of it", GROUP, "task"),
    Action("solution", ("S",), "The solution: solved, or after three tries", GROUP, "solution"),
    Action("start_over", ("r",), "Start over; yours is kept beside it", GROUP, "start over"),
    Action("next_exercise", ("right_square_bracket",), "The next exercise", GROUP, "next"),
    Action("previous_exercise", ("left_square_bracket",), "The exercise before", GROUP),
    Action("down", ("down", "j"), "Scroll down", GROUP),
    Action("up", ("up", "k"), "Scroll up", GROUP),
    Action("theme", ("T",), "Theme: the next one", GROUP),
    Action("quit", ("q", "ctrl+c"), "Leave; what you wrote stays", GROUP, "quit"),
)
BY_KEY = {key: action.name for action in ACTIONS for key in action.keys}
