"""What people on phones are called: the name they type where it is one, and nobody else's.

Who gives none gets a colour and an animal, which can be called out in a room.
"""

from __future__ import annotations

import secrets
from collections.abc import Container

from runtime.classroom.namesakes import told_apart
from runtime.phones.browser_messages import MOST_NAME, cleaned

_COLOURS = """
Amber Azure Black Blue Bronze Copper Coral Crimson Cyan Emerald Golden Gray Green Indigo Ivory Jade
Lime Maroon Olive Orange Pink Plum Purple Red Ruby Silver Teal Violet White Yellow
"""
_ANIMALS = """
Badger Bear Beaver Bison Camel Cat Crane Crow Deer Dolphin Duck Eagle Falcon Ferret Finch Fox Frog
Gecko Goose Hare Hawk Hedgehog Heron Horse Ibis Koala Lark Lion Lizard Llama Lynx Magpie Mole Moose
Otter Owl Panda Parrot Penguin Puffin Rabbit Raven Robin Seal Sparrow Squirrel Swan Tiger Turtle
Walrus Whale Wolf
"""


def accepted(typed: str) -> bool:
    """Whether a typed name is one where everybody has to give one: something of it can be shown."""
    return bool(cleaned(typed, MOST_NAME))


def nickname(typed: str, taken: Container[str]) -> str:
    """Return what somebody is called: what they typed, of two with the same name one with a number, and a
    colour with an animal where nothing was typed."""
    chosen = cleaned(typed, MOST_NAME)
    return told_apart(chosen, taken) if chosen else _pseudonym(taken)


def _pseudonym(taken: Container[str]) -> str:
    """Return a name that is not taken; numbered once chance finds none (of 1,560)."""
    colours, animals = _COLOURS.split(), _ANIMALS.split()
    name = ""
    for _ in range(40):
        name = f"{secrets.choice(colours)} {secrets.choice(animals)}"
        if name not in taken:
            return name
    return told_apart(name, taken)
