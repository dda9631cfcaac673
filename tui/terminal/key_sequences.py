"""What a key is to a program in a terminal. Pure: a name and a character in, what a terminal sends out."""

from __future__ import annotations

LEAVE, WAY_OUT = "ctrl+right_square_bracket", "Ctrl ]"  # its name, and as people write it

_SEQUENCES = {
    "enter": "\r",
    "tab": "\t",
    "shift+tab": "\x1b[Z",
    "backspace": "\x7f",
    "escape": "\x1b",
    "space": " ",
    "insert": "\x1b[2~",
    "delete": "\x1b[3~",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    **{key: f"\x1bO{end}" for key, end in zip(("f1", "f2", "f3", "f4"), "PQRS", strict=True)},
    **{
        f"f{n}": f"\x1b[{code}~"
        for n, code in zip(range(5, 13), (15, 17, 18, 19, 20, 21, 23, 24), strict=True)
    },
}
_ARROWS = {"up": "A", "down": "B", "right": "C", "left": "D", "home": "H", "end": "F"}
_MODIFIERS = {"shift": 1, "alt": 2, "ctrl": 4}
_CONTROLS = {
    "ctrl+@": "\x00",
    "ctrl+space": "\x00",
    "ctrl+backslash": "\x1c",
    "ctrl+circumflex_accent": "\x1e",
    "ctrl+underscore": "\x1f",
}


def sequence(key: str, character: str | None = None) -> str:
    """What a terminal sends for a key; "" for one that it does not have."""
    if key in _SEQUENCES:
        return _SEQUENCES[key]
    if key in _CONTROLS:
        return _CONTROLS[key]
    *modifiers, name = key.split("+")
    if name in _ARROWS:
        held = 1 + sum(_MODIFIERS.get(word, 0) for word in modifiers)
        return f"\x1b[1;{held}{_ARROWS[name]}" if held > 1 else f"\x1b[{_ARROWS[name]}"
    if modifiers == ["ctrl"] and len(name) == 1 and name.isascii() and name.isalpha():
        return chr(ord(name.upper()) - 64)
    if modifiers[:1] == ["alt"]:
        rest = sequence("+".join([*modifiers[1:], name]), character or (name if len(name) == 1 else None))
        return rest and "\x1b" + rest
    return character if character is not None and character.isprintable() else ""
