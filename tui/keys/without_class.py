"""The rows of screens that have no class: an exercise, a puzzle, and a class that is walked again."""

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
            ("solution", ("S",), "The solution: once solved, or after a few tries", "solution"),
            ("start_over", ("r",), "Start over; keeps your version", "restart"),
            ("handed_in", ("o",), "The next file that was handed in, then yours", ""),
            ("next_exercise", ("right_square_bracket",), "The next exercise", "next"),
            ("previous_exercise", ("left_square_bracket",), "The previous exercise", ""),
            ("exercise_down", ("down", "j"), "Scroll down", ""),
            ("exercise_up", ("up", "k"), "Scroll up", ""),
            ("leave_exercise", ("q", "ctrl+c"), "Leave; what you wrote stays", "quit"),
        )
    ),
    *(
        Action(name, keys, text, "At a puzzle", word, roles=("puzzle",))
        for name, keys, text, word in (
            ("puzzle_left", ("left", "h"), "To the left, or less of it", ""),
            ("puzzle_right", ("right", "l"), "To the right, or more of it", ""),
            ("puzzle_up", ("up", "k"), "The row above", ""),
            ("puzzle_down", ("down", "j"), "The row below", ""),
            ("puzzle_first", ("home", "0"), "The beginning of the row", ""),
            (
                "puzzle_put",
                ("enter", "space"),
                "Put what fits here, or another; take a collective along",
                "put",
            ),
            ("puzzle_take", ("backspace", "delete", "x"), "Take it away", "take away"),
            ("puzzle_forward", ("f",), "A forward here", "F"),
            ("puzzle_backward", ("b",), "A backward here", "B"),
            ("puzzle_weights", ("w",), "The gradients of the weights here", "W"),
            ("puzzle_undo", ("u",), "Take back the last change", "undo"),
            ("puzzle_hint", ("i",), "The hint, or the task again", "hint"),
            ("puzzle_solution", ("S",), "The best known: once solved, or after a few answers", "best"),
            ("puzzle_start_over", ("r",), "Start over", "start over"),
            ("next_puzzle", ("right_square_bracket",), "The next puzzle", "next"),
            ("previous_puzzle", ("left_square_bracket",), "The previous puzzle", ""),
            ("leave_puzzle", ("q", "ctrl+c", "escape"), "Leave; your answer stays", "quit"),
        )
    ),
    *(
        Action(name, keys, text, "In a replayed class", word, roles=("replay",))
        for name, keys, text, word in (
            ("next_moment", ("right", "l", "n", "down", "j"), "The next moment", "next"),
            ("previous_moment", ("left", "h", "p", "up", "k"), "The moment before", "back"),
            ("replay_play", ("space",), "Play it in its own time, or pause", "play"),
            ("replay_next_slide", ("pagedown", "right_square_bracket"), "The next slide", "slide"),
            ("replay_previous_slide", ("pageup", "left_square_bracket"), "The slide before", ""),
            ("replay_faster", ("percent_sign", "plus"), "Play faster", "faster"),
            ("replay_slower", ("number_sign", "minus"), "Play slower", ""),
            ("replay_first", ("home", "g"), "The beginning", "first"),
            ("replay_last", ("end", "G"), "The end", "last"),
            ("leave_replay", ("q", "ctrl+c", "escape"), "Leave", "quit"),
        )
    ),
)
