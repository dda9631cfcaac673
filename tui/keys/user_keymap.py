"""User key bindings: `keymap.toml`, over a preset with the habits of another presenter, over our table.

    preset = "presenterm"        # or reveal, pdfpc

    [keys]
    next_step = ["right", "PgDn", "Space"]
    demo = "ctrl+d"
    bookmark = []                # by its name in the palette only

An action that is named has exactly these keys, and the actions that had them before lose them. An entry that
cannot be used is left out and reported with its line.
"""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any, NamedTuple

from slides.problems import Problem, did_you_mean, quoted
from tui.files.toml_file import Table, read
from tui.keys import table as key_table
from tui.keys.table import ACTIONS, BOTH, CLICKER

PRESETS = ("presenterm", "reveal", "pdfpc")
HERE = Path(__file__).parent / "presets"

# What a clicker must never do, and what nobody may lock himself out of.
DESTRUCTIVE = frozenset({"quit", "interrupt", "restart_demo", "faults", "demo", "run_code", "edit_deck"})
NEEDED = frozenset({"next_step", "previous_step", "close", "palette", "quit", "interrupt", "leave_exercise"})

_NAMED = {
    **{f"f{n}": f"f{n}" for n in range(1, 13)},
    **{name: name for name in ("left", "right", "up", "down", "home", "end", "space", "enter", "escape")},
    **{name: name for name in ("tab", "backspace", "delete", "insert", "pageup", "pagedown")},
    "pgup": "pageup",
    "pgdn": "pagedown",
    "page up": "pageup",
    "page down": "pagedown",
    "esc": "escape",
    "return": "enter",
    "del": "delete",
    "→": "right",
    "←": "left",
    "↑": "up",
    "↓": "down",
}
# Where Textual's name of a character is not that of Unicode.
_CHARACTERS = {
    "solidus": "slash",
    "reverse_solidus": "backslash",
    "commercial_at": "at",
    "hyphen_minus": "minus",
    "plus_sign": "plus",
    "low_line": "underscore",
}

Keys = dict[str, tuple[str, ...]]


class Keymap(NamedTuple):
    """The keys of every action, and what of the file could not be."""

    keys: Keys
    problems: tuple[Problem, ...] = ()


def keymap(file: Path, preset: str = "") -> Keymap:
    """The keys of `file`, which need not be there, over those of a preset."""
    table = read(file)
    problems = list(table.problems)
    named = table.take("preset", PRESETS, problems) or preset
    chosen = _usual()
    if named:
        chosen = _laid_over(chosen, read(HERE / f"{named}.toml"), problems)
    chosen = _laid_over(chosen, table, problems)
    problems += [
        Problem(
            table.file, table.line(key), f"{quoted(key)} is not a setting of keys", _mend(key, nested=False)
        )
        for key in table.values
        if key not in ("preset", "keys")
    ]
    return Keymap(chosen, tuple(problems))


def key_name(written: str) -> str:
    """Textual's name of a key as people write it: `PgDn`, `Ctrl R`, `ctrl+r`, `]`; "" for what is none."""
    words = written.strip()
    if len(words) == 1:
        return _NAMED.get(words) or _character(words)
    parts = [part for part in words.replace("-", "+").replace(" ", "+").lower().split("+") if part]
    whole = _NAMED.get(words.lower())
    if whole or not parts:
        return whole or ""
    *modifiers, last = parts
    key = _NAMED.get(last) or (last if len(last) == 1 else "")
    if not key and words.lower() in {key for action in ACTIONS for key in action.keys}:
        return words.lower()
    # Terminals tell nothing else apart; a letter with shift is another letter.
    allowed = modifiers in ([], ["ctrl"]) or (modifiers == ["shift"] and len(key) > 1)
    return "+".join((*modifiers, key)) if key and allowed else ""


def _character(character: str) -> str:
    if character.isalnum():
        return character
    name = unicodedata.name(character, "").lower().replace("-", "_").replace(" ", "_")
    return _CHARACTERS.get(name, name)


def _usual() -> Keys:
    return {action.name: action.keys for action in ACTIONS}


def _laid_over(below: Keys, table: Table, problems: list[Problem]) -> Keys:
    """The keys of a file in place of those `below`."""
    given: Keys = {}
    for name, value in table.section("keys", problems).items():
        keys = _read(name, value, table, problems)
        if keys is not None:
            given[name] = tuple(key for key in keys if _free(name, key, given, table, problems))
    taken = {(key, role) for name, keys in given.items() for key in keys for role in _roles(name)}
    kept = {
        name: tuple(key for key in keys if not any((key, role) in taken for role in _roles(name)))
        for name, keys in below.items()
    }
    found = kept | given
    for name in sorted(NEEDED):
        if not found[name]:
            _give_back(name, below[name][0], found, table, problems)
    return found


def _give_back(name: str, key: str, found: Keys, table: Table, problems: list[Problem]) -> None:
    """Give an action its only key back, which it has to have."""
    roles = set(_roles(name))
    thief = next((other for other, keys in found.items() if key in keys and roles & set(_roles(other))), name)
    message = f"{key_table.label(key)} is the only key of {quoted(name)}, which has to have one"
    problems.append(Problem(table.file, table.line(thief), message, "Give that another key as well."))
    found[thief] = tuple(other for other in found[thief] if other != key)
    found[name] = (key,)


def _read(name: str, value: Any, table: Table, problems: list[Problem]) -> list[str] | None:
    def wrong(message: str, mend: str) -> None:
        problems.append(Problem(table.file, table.line(name), message, mend))

    if name not in {action.name for action in ACTIONS}:
        wrong(f"there is no action {quoted(name)}", _mend(name))
        return None
    written = [value] if isinstance(value, str) else value
    if not isinstance(written, list) or not all(isinstance(key, str) for key in written):
        wrong(f"the keys of {quoted(name)} are not text", f'Write `{name} = ["x"]`.')
        return None
    if not written and name in NEEDED:
        wrong(f"{quoted(name)} has to have a key", f'Write `{name} = ["x"]`.')
        return None
    found = []
    for key in written:
        if not (known := key_name(key)):
            wrong(
                f"{quoted(key)} is not a key that every terminal sends",
                "Write `x`, `ctrl+x`, `PgDn` or `f5`.",
            )
        elif known in CLICKER and name in DESTRUCTIVE:
            wrong(f"{quoted(key)} is sent by clickers, and must not do {quoted(name)}", "Take another key.")
        else:
            found.append(known)
    return found if found or not written else None


def _free(name: str, key: str, given: Keys, table: Table, problems: list[Problem]) -> bool:
    """Whether no action of the same file has the key already."""
    for other, keys in given.items():
        if key in keys and set(_roles(other)) & set(_roles(name)):
            message = f"{key_table.label(key)} is given to {quoted(other)} already, so not to {quoted(name)}"
            problems.append(
                Problem(table.file, table.line(name), message, "Take another key for one of them.")
            )
            return False
    return True


def _roles(name: str) -> tuple[str, ...]:
    return next((action.roles for action in ACTIONS if action.name == name), BOTH)


def _mend(name: str, nested: bool = True) -> str:
    """`nested`: it stands under `[keys]`, as an action has to."""
    if not nested and name in {action.name for action in ACTIONS}:
        return "It belongs below a line `[keys]`."
    near = did_you_mean(name, [*(action.name for action in ACTIONS), "preset", "keys"])
    return f"Did you mean `{near}`?" if near else "`teachrun list keys` names them all."
