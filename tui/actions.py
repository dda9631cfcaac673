"""The one table of what can be done and by which keys.

Bindings, the palette, the help screen and the README's key list are all made from it. An action is done by
the method `action_<name>` of the app. Key names are Textual's.
"""

from __future__ import annotations

from typing import NamedTuple


class Action(NamedTuple):
    """`keys` in order of preference, `group` the heading in the help, `hint` the word in the footer."""

    name: str
    keys: tuple[str, ...]
    text: str
    group: str
    hint: str = ""
    roles: tuple[str, ...] = ("console",)


BOTH = ("console", "audience")

ACTIONS: tuple[Action, ...] = (
    Action("next_step", ("right", "pagedown", "n", "l"), "Next step", "Move", "next"),
    Action("previous_step", ("left", "pageup", "p", "h", "backspace"), "Previous step", "Move"),
    Action("down", ("down", "j"), "Scroll down, or next step", "Move"),
    Action("up", ("up", "k"), "Scroll up, or step back", "Move"),
    Action("next_slide", ("shift+right", "right_square_bracket"), "Next slide, skipping steps", "Move"),
    Action("previous_slide", ("shift+left", "left_square_bracket"), "Previous slide", "Move"),
    Action("first_slide", ("home",), "First slide", "Move"),
    Action("last_slide", ("end", "G"), "Last slide", "Move"),
    Action("go_to", ("g",), "Go to (g again: the first)", "Move", "go to"),
    Action("scrub_forward", ("right_curly_bracket",), "Animation: one frame on", "Move"),
    Action("scrub_back", ("left_curly_bracket",), "Animation: one frame back", "Move"),
    Action("play", ("space",), "Play the steps, or pause", "Move"),
    Action("demo", ("d",), "Start or stop the demo", "Demo", "demo"),
    Action("restart_demo", ("D",), "Restart the demo", "Demo"),
    Action("panel", ("enter",), "Panel full size; lock quiz", "Demo"),
    Action("reveal", ("e",), "Reveal and explain", "Quiz"),
    Action("undo", ("U",), "Take back the last answer", "Quiz"),
    Action("blank", ("b", "full_stop"), "Black screen and back", "Room"),
    Action("white", ("w",), "White screen and back", "Room"),
    Action("freeze", ("z",), "Freeze the audience", "Room"),
    Action("timer", ("t",), "Timer: start or pause", "Time"),
    Action("start_talk", ("f5",), "Start timer, or un-blank", "Time"),
    Action("layout", ("c",), "Console: notes, up next", "Screen", "notes"),
    Action("notes_larger", ("plus",), "Notes pane wider", "Screen"),
    Action("notes_smaller", ("minus",), "Notes pane narrower", "Screen"),
    Action("notes_down", ("J",), "Scroll the notes down", "Screen"),
    Action("notes_up", ("K",), "Scroll the notes up", "Screen"),
    Action("theme", ("T",), "Theme: dark, light, system", "Screen", roles=BOTH),
    Action("reload", ("ctrl+r",), "Read the deck again", "Screen"),
    Action("palette", ("colon", "ctrl+p"), "Find a command by name", "Screen", "palette", roles=BOTH),
    Action("help", ("question_mark",), "This help", "Screen", "keys", roles=BOTH),
    Action("close", ("escape",), "Close, or un-blank", "Screen", roles=BOTH),
    Action("quit", ("q",), "Quit (asks if a demo runs)", "Screen", roles=BOTH),
    Action("interrupt", ("ctrl+c",), "Stop the demo; twice: quit", "Screen", roles=BOTH),
    *(
        Action(f"pick({n})", (str(n),), f"Pick answer {n}" if n > 1 else "Pick answers 1 to 9", "Quiz")
        for n in range(1, 10)
    ),
)

# Keys a clicker may send: nothing here may be destructive.
CLICKER = (
    "pageup",
    "pagedown",
    "f5",
    "escape",
    "full_stop",
    "b",
    "tab",
    "enter",
    "left",
    "right",
    "up",
    "down",
)

_LABELS = {
    "right": "→",
    "left": "←",
    "up": "↑",
    "down": "↓",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "backspace": "Backspace",
    "shift+right": "Shift →",
    "shift+left": "Shift ←",
    "right_square_bracket": "]",
    "left_square_bracket": "[",
    "right_curly_bracket": "}",
    "left_curly_bracket": "{",
    "home": "Home",
    "end": "End",
    "space": "Space",
    "enter": "Enter",
    "full_stop": ".",
    "plus": "+",
    "minus": "-",
    "colon": ":",
    "question_mark": "?",
    "escape": "Esc",
    "f5": "F5",
    "ctrl+r": "Ctrl R",
    "ctrl+p": "Ctrl P",
    "ctrl+c": "Ctrl C",
}


def label(key: str) -> str:
    """A key as people write it."""
    return _LABELS.get(key, key)


def for_role(role: str) -> tuple[Action, ...]:
    return tuple(action for action in ACTIONS if role in action.roles)


def conflicts() -> list[str]:
    """Keys bound twice for one role; empty when the table is sound."""
    found = []
    for role in BOTH:
        seen: dict[str, str] = {}
        for action in for_role(role):
            for key in action.keys:
                if key in seen:
                    found.append(f"{label(key)}: {seen[key]} and {action.name} ({role})")
                seen[key] = action.name
    return found


def markdown_table(role: str = "console") -> str:
    """The key list of the README."""
    rows = []
    for action in for_role(role):
        if action.name.startswith("pick(") and action.name != "pick(1)":
            continue
        keys = "`1` … `9`" if action.name == "pick(1)" else " ".join(f"`{label(k)}`" for k in action.keys)
        rows.append(f"| {action.group} | {keys} | {action.text} |")
    return "\n".join(["| | Keys | What |", "|---|---|---|", *rows])
