"""A row of the table of keys."""

from __future__ import annotations

from typing import NamedTuple


class Action(NamedTuple):
    """`keys` in order of preference, `group` the heading in the help, `hint` the word in the footer.

    Neighbours with the same `shared` words stand in one row of the help and of the README.
    """

    name: str
    keys: tuple[str, ...]
    text: str
    group: str
    hint: str = ""
    roles: tuple[str, ...] = ("console",)
    shared: str = ""
    follower: str = ""  # its text at a room's screen, where it does something else
