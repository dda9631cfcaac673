"""Keys bound twice, and the lists of keys that KEYS.md and the README hold: made here, for tests."""

from __future__ import annotations

from tui.keys import table


def conflicts() -> list[str]:
    """Keys bound twice for one role; empty when the table is sound."""
    found = []
    for role in (*table.BOTH, *table.ALONE):
        seen: dict[str, str] = {}
        for action in table.for_role(role):
            for key in action.keys:
                if key in seen:
                    found.append(f"{table.label(key)}: {seen[key]} and {action.name} ({role})")
                seen[key] = action.name
    return found


def markdown_table(role: str = "console") -> str:
    """Every key, as `tui/KEYS.md` lists them."""
    lines = [f"| {row.group} | {_markdown(row)} | {row.text} |" for row in table.rows(role)]
    return "\n".join(["| | Keys | What |", "|---|---|---|", *lines])


def first_markdown_table(role: str = "console") -> str:
    """The keys that everybody needs, as the README lists them."""
    lines = [f"| {_markdown(row)} | {row.text} |" for row in table.first_rows(role)]
    return "\n".join(["| Keys | What |", "|---|---|", *lines])


def _markdown(row: table.Row) -> str:
    return " ".join(key if key == "…" else f"`{key}`" for key in row.keys)
