"""The one table of what can be done and by which keys.

Bindings, the palette, the help screen and the README's key list are all made from it. `tui.actions.table`
says which method does an action. Key names are Textual's.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby, zip_longest
from typing import NamedTuple

from tui.keys.action import Action
from tui.keys.without_class import WITHOUT_CLASS

BOTH = ("console", "audience", "student")
ASKED = ("console", "student")  # a student is an audience that answers
ALONE = ("exercise", "puzzle", "replay")  # `teachrun practice` and `teachrun replay`: none has a class

ACTIONS: tuple[Action, ...] = (
    Action(
        "next_step",
        ("right", "pagedown", "n", "l"),
        "Next step",
        "Move",
        "next",
        shared="Next, previous step",
    ),
    Action(
        "previous_step",
        ("left", "pageup", "p", "h", "backspace"),
        "Previous step",
        "Move",
        shared="Next, previous step",
    ),
    Action(
        "down",
        ("down", "j"),
        "Scroll down, or next step",
        "Move",
        roles=BOTH,
        shared="Scroll, or step on or back",
    ),
    Action(
        "up",
        ("up", "k"),
        "Scroll up, or step back",
        "Move",
        roles=BOTH,
        shared="Scroll, or step on or back",
    ),
    Action(
        "next_slide",
        ("right_square_bracket", "shift+right"),
        "Next slide, skipping steps",
        "Move",
        shared="Next, previous slide",
    ),
    Action(
        "previous_slide",
        ("left_square_bracket", "shift+left"),
        "Previous slide",
        "Move",
        shared="Next, previous slide",
    ),
    Action("first_slide", ("home",), "First slide", "Move", shared="First, last slide"),
    Action("last_slide", ("end", "G"), "Last slide", "Move", shared="First, last slide"),
    Action("go_to", ("g",), "Go to (g again: the first)", "Move", "go to"),
    Action("overview", ("o",), "Overview of all slides", "Move", "overview"),
    Action("search", ("slash",), "Search text and notes", "Move", "search"),
    Action("history", ("H",), "Back to before jumping", "Move"),
    Action("bookmark", ("B",), "Bookmark: set, go, clear", "Move"),
    Action("next_question", ("Q",), "Next open question", "Move"),
    Action(
        "scrub_forward",
        ("right_curly_bracket",),
        "Animation, recorded run: forward",
        "Move",
        shared="Next, previous frame",
    ),
    Action(
        "scrub_back",
        ("left_curly_bracket",),
        "Animation, recorded run: back",
        "Move",
        shared="Next, previous frame",
    ),
    Action("links", ("O",), "Links of the slide", "Move"),
    Action("play", ("space",), "Play, pause scene or deck", "Move"),
    Action("slower", ("number_sign",), "Play scene, replay slower", "Move", shared="Play slower, faster"),
    Action("faster", ("percent_sign",), "Play scene, replay faster", "Move", shared="Play slower, faster"),
    Action("narrate", ("m", "M"), "Narrate, with captions", "Move"),
    Action(
        "blank", ("b", "full_stop"), "Black screen and back", "Room and time", shared="Black, white and back"
    ),
    Action("white", ("w",), "White screen and back", "Room and time", shared="Black, white and back"),
    Action("freeze", ("z",), "Freeze the audience", "Room and time"),
    Action("timer", ("t",), "Timer: start or pause", "Room and time", shared="Timer: start, pause, zero"),
    Action("reset_timer", ("ctrl+t",), "Timer: to zero", "Room and time", shared="Timer: start, pause, zero"),
    Action("end_time", ("C",), "Countdown to an end time", "Room and time"),
    Action("drop", ("S",), "Skip optional slides", "Room and time"),
    Action("lead", ("L",), "Drive alone; take over", "Room and time"),
    Action("attached", ("W",), "Who is attached", "Room and time"),
    Action("phones", ("ctrl+o",), "Phones: how to join", "Room and time", shared="Phones join, ask"),
    Action("phones_asked", ("ctrl+k",), "What the room asks", "Room and time", shared="Phones join, ask"),
    Action("phones_door", (), "Phones: close, reopen joining", "Room and time"),
    Action("phones_people", (), "Phones: mute or remove one", "Room and time"),
    Action("phones_teams", (), "Phones: points of the teams", "Room and time"),
    Action("phones_off", (), "Phones: turn off", "Room and time"),
    Action("record", ("v",), "Record this screen, or stop", "Room and time"),
    Action("start_talk", ("f5",), "Start timer, or un-blank", "Room and time"),
    *(
        Action(f"camera_{name}", keys, text, "3D scene", roles=BOTH, shared=shared)
        for name, keys, text, shared in (
            ("left", ("left_parenthesis", "ctrl+left"), "Camera: turn to the left", "Turn"),
            ("right", ("right_parenthesis", "ctrl+right"), "Camera: turn to the right", "Turn"),
            ("up", ("semicolon", "ctrl+up"), "Camera: from further above", "From above, from below"),
            ("down", ("comma", "ctrl+down"), "Camera: from further below", "From above, from below"),
            ("near", ("equals_sign",), "Camera: nearer", "Nearer, further away"),
            ("far", ("underscore",), "Camera: further away", "Nearer, further away"),
            ("rank", ("Z",), "Camera: fly to the next rank", "Fly to the next rank"),
            ("plan", ("N",), "Camera: plan from above", "Plan; the author's view"),
            ("author", ("Y", "apostrophe"), "Camera: the author's view", "Plan; the author's view"),
        )
    ),
    Action(
        "demo", ("d",), "Start or stop the demo", "Demos and code", "demo", shared="Start or stop; restart"
    ),
    Action(
        "restart_demo",
        ("D",),
        "Restart as in the deck",
        "Demos and code",
        shared="Start or stop; restart",
    ),
    Action("panel", ("enter",), "Full panel; lock answers", "Demos and code", roles=ASKED),
    *(
        Action(
            f"digit({n})",
            (str(n),),
            f"Answer {n}, or view {n}" if n else "The demo's own view",
            "Demos and code",
            roles=ASKED if n else ("console",),
            shared="Answer, or choose a view",
        )
        for n in (*range(1, 10), 0)
    ),
    Action("run_code", ("R",), "Run code of the slide; stop", "Demos and code"),
    Action("next_code", ("tab",), "Next block that runs", "Demos and code"),
    Action("copy_code", ("y",), "Copy code of the slide", "Demos and code"),
    Action("exercise", ("at",), "Open the exercise", "Demos and code", roles=ASKED),
    Action("views", ("V",), "List the views of a run", "Demos and code"),
    Action("steer", ("P",), "Hold, step, pace a run", "Demos and code"),
    Action("link", ("ampersand",), "Link speed between nodes", "Demos and code"),
    Action("faults", ("exclamation_mark",), "Break a rank on purpose", "Demos and code"),
    Action("x_ray", ("x",), "X-ray of the next step", "Demos and code"),
    Action("machines", (), "Machines: what runs there", "Demos and code"),
    Action("recall", ("s",), "Show a recorded run", "Demos and code"),
    Action("reveal", ("e",), "Reveal, or edit demo", "Demos and code"),
    Action("answer", ("I",), "Type an answer", "Questions", roles=ASKED),
    Action("hands", ("u",), "Count raised hands", "Questions", shared="Count hands; peek at votes"),
    Action("peek", ("ctrl+y",), "Peek at the answers", "Questions", shared="Count hands; peek at votes"),
    Action("hint", ("i",), "One more hint", "Questions"),
    Action("again", ("X",), "Vote again, after talking", "Questions"),
    Action("undo", ("U",), "Take back the last answer", "Questions"),
    Action(
        "spotlight", ("A",), "Spotlight on a row, or off", "Pointing", shared="Spotlight a row; pen marks"
    ),
    Action("pen", ("asterisk",), "Pen: mark what is lit", "Pointing", shared="Spotlight a row; pen marks"),
    Action(
        "cell_left",
        ("less_than_sign",),
        "Spotlight: previous cell",
        "Pointing",
        shared="Spotlight a cell of the row",
    ),
    Action(
        "cell_right",
        ("greater_than_sign",),
        "Spotlight: next cell",
        "Pointing",
        shared="Spotlight a cell of the row",
    ),
    Action("rank", ("r",), "Point at a rank", "Pointing"),
    Action("layout", ("c",), "Console: notes, up next", "Screen", "notes"),
    Action("notes_larger", ("plus",), "Notes pane wider", "Screen", shared="Notes wider, narrower"),
    Action("notes_smaller", ("minus",), "Notes pane narrower", "Screen", shared="Notes wider, narrower"),
    Action("notes_down", ("J",), "Scroll the notes down", "Screen", shared="Scroll the notes"),
    Action("notes_up", ("K",), "Scroll the notes up", "Screen", shared="Scroll the notes"),
    Action("theme", ("T",), "Theme: the next one", "Screen", roles=(*BOTH, *ALONE)),
    Action("text_size", ("a",), "Text: big, compact, normal", "Screen", roles=BOTH),
    Action("pictures", (), "Pictures: pixels, or cells", "Screen", roles=BOTH),
    Action("motion", (), "Motion of scenes: on, off", "Screen", roles=BOTH),
    Action("transition", (), "Transition: push, wipe, none", "Screen", roles=BOTH),
    Action("full_screen", ("f", "F"), "Slide alone, full screen", "Screen", roles=BOTH),
    Action("language", ("tilde",), "Language: the next one", "Screen"),
    Action("reload", ("ctrl+r",), "Read the deck again", "Screen"),
    Action("edit_deck", ("E",), "Edit the deck at this slide", "Screen"),
    Action("palette", ("colon", "ctrl+p"), "Find a command by name", "Screen", "palette", roles=BOTH),
    Action("help", ("question_mark",), "This help", "Screen", "keys", roles=BOTH),
    Action("close", ("escape",), "Close, or un-blank", "Screen", roles=BOTH),
    Action(
        "quit",
        ("q",),
        "Quit (asks in a live class)",
        "Screen",
        roles=BOTH,
        follower="Leave; the class goes on",
    ),
    Action(
        "interrupt",
        ("ctrl+c",),
        "Stop the demo; twice: quit",
        "Screen",
        roles=BOTH,
        follower="Leave, pressed twice",
    ),
    *WITHOUT_CLASS,
)

# Going somewhere oneself pauses a deck that plays.
MOVES = frozenset(action.name for action in ACTIONS if action.group == "Move") - {
    "play",
    "narrate",
    "slower",
    "faster",
}

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
    "right_square_bracket": "]",
    "left_square_bracket": "[",
    "right_curly_bracket": "}",
    "number_sign": "#",
    "percent_sign": "%",
    "left_curly_bracket": "{",
    "home": "Home",
    "end": "End",
    "space": "Space",
    "enter": "Enter",
    "full_stop": ".",
    "plus": "+",
    "minus": "-",
    "slash": "/",
    "colon": ":",
    "question_mark": "?",
    "exclamation_mark": "!",
    "ampersand": "&",
    "at": "@",
    "left_parenthesis": "(",
    "right_parenthesis": ")",
    "semicolon": ";",
    "comma": ",",
    "apostrophe": "'",
    "equals_sign": "=",
    "underscore": "_",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "asterisk": "*",
    "tilde": "~",
    "escape": "Esc",
    "f5": "F5",
    "tab": "Tab",
}


def label(key: str) -> str:
    """A key as people write it."""
    modifier, _, last = key.rpartition("+")
    if not modifier:
        return _LABELS.get(key, key)
    return f"{modifier.title()} {label(last) if len(last) > 1 else last.upper()}"


bound = ACTIONS  # with the keys that they have here


def rebind(keys: Mapping[str, tuple[str, ...]]) -> None:
    """Give actions, by their names, the user's own keys (`tui.keys.user_keymap`); others have their
    own."""
    global bound
    bound = tuple(action._replace(keys=keys.get(action.name, action.keys)) for action in ACTIONS)


def for_role(role: str) -> tuple[Action, ...]:
    """The actions of a role with the keys they have here: an action without any is in the palette only."""
    found = (action for action in bound if role in action.roles)
    if role != "audience":
        return tuple(found)
    return tuple(action._replace(text=action.follower or action.text) for action in found)


def key_of(name: str) -> str:
    """The key that people are told for an action, "" where it has none."""
    keys = next((action.keys for action in bound if action.name == name), ())
    return label(keys[0]) if keys else ""


class Row(NamedTuple):
    """One row of the help: `keys` as people write them, the most useful first."""

    group: str
    keys: tuple[str, ...]
    text: str


def rows(role: str) -> list[Row]:
    """The action table as people read it: actions with the same `shared` words in one row."""
    found = []
    for (shared, _), same in groupby(for_role(role), lambda action: (action.shared, action.shared or action)):
        actions = list(same)
        # Every action's first key before any action's second: a narrow row loses the spare ones.
        keys = [label(key) for nth in zip_longest(*(a.keys for a in actions)) for key in nth if key]
        if not keys:
            continue
        if len(actions) > 2:
            keys = [keys[0], "…", keys[-1]]
        found.append(Row(actions[0].group, tuple(keys), shared or actions[0].text))
    return found


# What one gets through a class with: the first page of the help.
FIRST = (
    "next_step", "previous_step", "demo", "panel", "reveal", "recall", "blank", "overview", "go_to", "quit",
)  # fmt: skip


def first_rows(role: str) -> list[Row]:
    """The same of the few actions that everybody needs, a row each."""
    known = {action.name: action for action in for_role(role)}
    found = [known[name] for name in FIRST if name in known and known[name].keys]
    return [Row(action.group, tuple(map(label, action.keys)), action.text) for action in found]
