"""Forgets who was in a class. A journal is never rewritten but for this: its answers keep, its names go."""

from __future__ import annotations

import msgspec

from runtime import paths
from runtime.atomic_write import put
from runtime.classroom import journal
from runtime.classroom.actions import Answer, Entry


def known(class_id: str) -> tuple[set[str], int]:
    """Return the names that people of a class answered under, and how many seats phones were given."""
    entries = journal.read(paths.journal_file(class_id))
    names = {entry.action.who for entry in entries if isinstance(entry.action, Answer) and entry.action.who}
    seats = paths.journal_file(class_id).with_name("phones.jsonl")
    return names, seats.read_bytes().count(b'"token"') if seats.exists() else 0


def forget(class_id: str) -> None:
    """Put a number in the place of each name, and remove the seats and what they
    asked. Of a class without a host.

    Raises:
        OSError: It cannot be written; the journal is whole then, as it was or as it is to be.
    """
    path = paths.journal_file(class_id)
    numbers: dict[str, str] = {}
    lines = [msgspec.json.encode(_without_name(entry, numbers)) for entry in journal.read(path)]
    put(path, b"".join(line + b"\n" for line in lines))
    for beside in ("phones.jsonl", "voices.jsonl"):
        path.with_name(beside).unlink(missing_ok=True)


def _without_name(entry: Entry, numbers: dict[str, str]) -> Entry:
    action = entry.action
    if not isinstance(action, Answer) or not action.who:
        return entry
    who = numbers.setdefault(action.who, f"person {len(numbers) + 1}")
    return msgspec.structs.replace(entry, action=msgspec.structs.replace(action, who=who))
