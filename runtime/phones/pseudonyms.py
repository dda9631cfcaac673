"""Names for seats whose people give none: a colour and an animal, which can be called out in a room."""

from __future__ import annotations

import secrets
from collections.abc import Container

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


def pseudonym(taken: Container[str]) -> str:
    """Return a name that is not taken; numbered once chance finds none (of 1,560)."""
    colours, animals = _COLOURS.split(), _ANIMALS.split()
    name = ""
    for _ in range(40):
        name = f"{secrets.choice(colours)} {secrets.choice(animals)}"
        if name not in taken:
            return name
    return numbered(name, taken)


def numbered(name: str, taken: Container[str]) -> str:
    """Return the name, with the first number behind it that makes it nobody else's."""
    found, n = name, 2
    while found in taken:
        found, n = f"{name} {n}", n + 1
    return found
