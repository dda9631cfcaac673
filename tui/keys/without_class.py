"""The rows of screens that have no class: an exercise, and a class that is walked again."""

from __future__ import annotations

from tui.keys.action import Action

WITHOUT_CLASS: tuple[Action, ...] = (
    *(
        Action(name, keys, text, "At an exercise", word, roles=("exercise",))
        for name, keys, text, word in (
            ("edit_exercise", ("E",), "Open it in your editor", "editor"),
            ("run_exercise", ("enter",), "Run it again", "run"),
            ("exercise_hint", ("i",), "One more hint", "hint"),
            ("task", ("tab",), "The task, or how it went", "task"),
            ("solution", ("S",), "The solution: once solved, or after three tries", "solution"),
            ("start_over", ("r",), "Start over; keeps your version", "start over"),
            ("next_exercise", ("right_square_bracket",), "The next exercise", "next"),
            ("previous_exercise", ("left_square_bracket",), "The previous exercise", ""),
            ("exercise_down", ("down", "j"), "Scroll down", ""),
            ("exercise_up", ("up", "k"), "Scroll up", ""),
            ("leave_exercise", ("q", "ctrl+c"), "Leave; what you wrote stays", "quit"),
        )
    ),
    *(
        Action(name, keys, text, "In a class walked again", word, roles=("replay",))
        for name, keys, text, word in (
            ("next_moment", ("right", "l", "n", "down", "j"), "The next moment", "next"),
            ("previous_moment", ("left", "h", "p", "up", "k"), "The moment before", "back"),
            ("replay_play", ("space",), "Play it in its own time, or pause", "play"),
            ("replay_next_slide", ("pagedown", "right_square_bracket"), "The next slide", "slide"),
            ("replay_previous_slide", ("pageup", "left_square_bracket"), "The slide before", ""),
            ("replay_faster", ("percent_sign", "plus"), "Play faster", "faster"),
            ("replay_slower", ("number_sign", "minus"), "Play slower", ""),
            ("replay_first", ("home", "g"), "Its beginning", "first"),
            ("replay_last", ("end", "G"), "Its end", "last"),
            ("leave_replay", ("q", "ctrl+c", "escape"), "Leave", "quit"),
        )
    ),
)
