"""Front matter and `<!-- slide: {…} -->`: small YAML mappings of text to text.

Plain `key: value` lines are read by hand, exactly as `yaml.BaseLoader` reads them; only what is not plain
pays for importing yaml. Values stay text: `time: 35m` and `optional: yes` are interpreted by the caller.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from slides.problems import Problem, quoted

MAX_SIZE = 64 * 1024
DEEPEST = 24  # brackets within brackets: PyYAML looks at all that are open for every sign it reads
_BRACKETS = re.compile(r"[\[{]|([\]}])")

# A value of one plain scalar: starts with no YAML indicator, holds no comment and no further mapping.
_BLOCK_PAIR = re.compile(r"([A-Za-z_][\w-]*):(?:[ ]+([^\s\"'\[\]{}>|*&!%@`#,?:=<~-][^\t]*))?[ ]*", re.ASCII)
_FLOW_PAIR = re.compile(r"([A-Za-z_][\w-]*):(?: +([\w.][\w. /+-]*))?")
_KEY_LINE = re.compile(r"[\w-][\w .-]*:(?:[ \t]|$)|[{\"'].*:")
_CLOCK = re.compile(r"([01]?[0-9]|2[0-3])[:.]([0-5][0-9])")
_TIME = re.compile(r"(?:([0-9.]+)h)? *(?:([0-9.]+)m(?:in)?)? *(?:([0-9.]+)s)?|([0-9.]+)")


def length(lines: Sequence[str]) -> int:
    """Count the lines of front matter at the top of a file, both `---` included; 0 without any."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    end = next((at for at in range(1, len(lines)) if lines[at].rstrip() in ("---", "...")), 0)
    first = next((line for line in lines[1:end] if line.strip() and line[0] != "#"), "")
    # A deck may also begin with a separator: what follows is then a slide, not keys.
    blank = all(not line.strip() for line in lines[1:end])
    inside = "\n".join(lines[1:end])
    if inside.rfind("<!--") > inside.rfind("-->"):
        return 0  # a note that goes on below: to end it here would show the rest of it
    return end + 1 if end and (blank or _KEY_LINE.match(first)) else 0


def is_open(lines: Sequence[str]) -> bool:
    """Whether a file begins with front matter that never ends."""
    return lines[0].rstrip() == "---" and bool(_KEY_LINE.match("".join(lines[1:2]))) and not length(lines)


def mapping(text: str, file: str, line: int) -> tuple[dict[str, str], tuple[Problem, ...]]:
    """Return the mapping in `text`, of block or flow style, and what is wrong with it. Never raises."""
    plain = plain_flow(text) if text.lstrip().startswith("{") else _plain_block(text)
    return (plain, ()) if plain is not None else _by_yaml(text, file, line)


def listed(text: str, key: str) -> tuple[str, ...]:
    """Return the items of a list in the front matter `text`, which `mapping` joins; () where it is none."""
    import yaml

    if len(text) > MAX_SIZE or is_deep(text):
        return ()
    try:
        read = yaml.load(text, Loader=yaml.BaseLoader)
    except Exception:  # `mapping` has said what is wrong with it
        return ()
    found = read.get(key) if isinstance(read, dict) else None
    return tuple(item for item in found if isinstance(item, str)) if isinstance(found, list) else ()


def is_deep(text: str) -> bool:
    """Whether brackets are nested deeper than settings ever are; those in quotes count too."""
    depth = 0
    for found in _BRACKETS.finditer(text):
        depth = max(0, depth - 1) if found[1] else depth + 1
        if depth > DEEPEST:
            return True
    return False


def seconds(text: str) -> float | None:
    """Convert `35m`, `90s`, `1h10m` or `35` (minutes) to seconds; None if it is no such time."""
    match = _TIME.fullmatch(text.strip().lower())
    if not match or not any(match.groups()):
        return None
    hours, minutes, secs, bare = (float(part) if _is_number(part) else 0.0 for part in match.groups())
    if not all(part is None or _is_number(part) for part in match.groups()):
        return None
    total = hours * 3600 + (minutes + bare) * 60 + secs
    return total if 0 < total <= 7 * 86400 else None


def time_of_day(text: str) -> tuple[int, int] | None:
    """Convert `15:30` to (hour, minute); None if it is not a time of day."""
    match = _CLOCK.fullmatch(text.strip())
    return (int(match[1]), int(match[2])) if match else None


def truth(text: str) -> bool | None:
    """Return the value of a YAML 1.1 boolean; None if it is none."""
    word = text.strip().lower()
    return True if word in ("true", "yes", "on") else False if word in ("false", "no", "off") else None


def _is_number(text: str | None) -> bool:
    return bool(text and re.fullmatch(r"[0-9]{1,6}(\.[0-9]{0,6})?", text))


def _plain_block(text: str) -> dict[str, str] | None:
    found: dict[str, str] = {}
    for line in text.split("\n"):
        if not line.strip(" "):
            continue
        match = _BLOCK_PAIR.fullmatch(line)
        if not match:
            return None
        value = (match[2] or "").rstrip(" ")
        if " #" in value or ": " in value or value.endswith(":") or not value.isprintable():
            return None
        found[match[1]] = value
    return found


def plain_flow(text: str) -> dict[str, str] | None:
    """Return a flow mapping of plain words, `{a: b, c: d}`, without the YAML library; None if it is more."""
    body = text.strip()
    if not body.endswith("}") or "\n" in body:
        return None
    found: dict[str, str] = {}
    for pair in body[1:-1].split(","):
        match = _FLOW_PAIR.fullmatch(pair.strip(" "))
        if not match or not pair.isprintable():
            return None
        found[match[1]] = (match[2] or "").rstrip(" ")
    return found


def _by_yaml(text: str, file: str, line: int) -> tuple[dict[str, str], tuple[Problem, ...]]:
    def trouble(message: str, mend: str, at: int = 0) -> Problem:
        return Problem(file, line + at, message, mend)

    if len(text) > MAX_SIZE:
        return {}, (
            trouble(f"the settings are {len(text) // 1024} KiB of text", f"At most {MAX_SIZE // 1024} KiB."),
        )
    if is_deep(text):
        return {}, (trouble("brackets stand in each other too deep", "Write `key: value`, one a line."),)
    import yaml

    try:
        read = yaml.load(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        message = f"the settings are not YAML: {error.problem or 'cannot be read'}"
        return {}, (
            trouble(
                message,
                "Write `key: value`, one a line; quote values with `:` or `#`.",
                mark.line if mark else 0,
            ),
        )
    except Exception as error:  # yaml also lets ValueError, RecursionError and others through
        return {}, (
            trouble(
                f"the settings are not YAML: {quoted(str(error), 60)}", "Write `key: value`, one a line."
            ),
        )
    if read is None or read == "":
        return {}, ()
    if not isinstance(read, dict):
        return {}, (trouble("the settings are not `key: value` lines", "Write `key: value`, one a line."),)
    found: dict[str, str] = {}
    problems: list[Problem] = []
    for key, value in read.items():
        if isinstance(value, str):
            found[str(key)] = value
        elif isinstance(value, list) and all(isinstance(item, str) for item in value):
            found[str(key)] = ", ".join(value)
        else:
            mend = "Write text, or a list of text."
            problems.append(trouble(f"the value of {quoted(str(key))} is a structure", mend))
    return found, tuple(problems)
