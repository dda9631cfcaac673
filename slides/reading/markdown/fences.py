"""Code blocks: their info string, and what it asks for.

```python {1-3|5|all} file=demo:ddp lines=20-42 numbers
```python diff=single.py file=ddp.py steps
```python run timeout=10s hide=1-2
```python run replace
```python run image
```python instead
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from msgspec import structs

from slides.deck import Code
from slides.problems import Mistake, did_you_mean, quoted
from slides.reading.from_disk.named_files import Sources
from slides.reading.markdown import code_focus, diffs, file_listing
from slides.reading.markdown.code_focus import MOST_FRAMES

MAX_SOURCE = 128 * 1024
TIMEOUT_S, LONGEST_S = 30.0, 3600.0
KEYS = ("file", "lines", "first", "path", "sha", "pinned", "diff", "context", "timeout", "hide", "expect")
FLAGS = ("numbers", "diff", "steps", "run", "replace", "image", "instead")
_GIVES = {"replace": "output", "image": "picture"}  # with `run`: what takes the place of the code

_TOKEN = re.compile(r"\{[^{}]*\}|[^\s{}\"]*\"[^\"]*\"|[^\s{}]+")
_ID = re.compile(r"#([\w-]{1,40})")
_SECONDS = re.compile(r"([0-9]{1,5}(?:\.[0-9]{1,3})?)(s|m|min)?", re.ASCII)
_LANGUAGES = {".py": "python", ".sh": "bash", ".cu": "cuda", ".cpp": "cpp", ".yml": "yaml", ".md": "markdown"}


@dataclass(frozen=True, slots=True)
class Info:
    """An info string: `focus` is the text within its braces, None without; `id` that of `{#id}`."""

    lang: str = ""
    focus: str | None = None
    flags: frozenset[str] = frozenset()
    keys: tuple[tuple[str, str], ...] = ()
    unknown: tuple[str, ...] = ()
    id: str = ""

    @property
    def numbers(self) -> bool:
        """Whether line numbers are shown."""
        return "numbers" in self.flags

    def get(self, key: str) -> str:
        """Return the value of `key=value`, "" if it is not there."""
        return dict(self.keys).get(key, "")


def parse_info(text: str) -> Info:
    """Parse an info string. Unknown words are listed: other programs have their own."""
    lang, focus, block_id = "", None, ""
    flags: set[str] = set()
    keys: dict[str, str] = {}
    unknown: list[str] = []
    for place, token in enumerate(_TOKEN.findall(text)):
        key, equals, value = token.partition("=")
        if token[0] == "{":
            inner = token[1:-1].strip()
            if inner[:1] == ".":  # pandoc's {.python .numberLines}
                lang = lang or inner[1:].split()[0] if inner[1:].split() else lang
            elif named := _ID.fullmatch(inner):
                block_id = named[1]
            else:
                focus = inner
        elif equals and key in KEYS:
            keys[key] = value.strip('"')
        elif token in FLAGS and (place or token not in _GIVES):  # alone they are names of languages
            flags.add(token)
        elif not lang and not equals and (place == 0 or flags == {"diff"}):
            lang = token  # also of ```diff python, which others colour as a diff
        else:
            unknown.append(token)
    return Info(lang, focus, frozenset(flags), tuple(keys.items()), tuple(unknown), block_id)


def read_code(info: Info, body: str, sources: Sources) -> Code:
    """Return the code block of `info` and `body`, without its place. `file=` replaces the body by its lines.

    Raises:
        Mistake: the focus, the file, the lines or what is to be run are not what can be shown.
    """
    source, path, sha, pinned = body, info.get("path"), info.get("sha"), info.get("pinned")
    first = _number(info.get("first") or "1", "first")
    if info.get("file"):
        source, path, sha, first = file_listing.read(info.get("file"), info.get("lines"), sources)
        pinned = file_listing.changed(info.get("sha"), sha)
        sha = sha[:7]
    elif info.get("lines"):
        raise Mistake("`lines=` stands without `file=`", "Name the file too: `file=train.py lines=20-42`.")
    if len(source) > MAX_SOURCE:
        message = f"this block has {len(source)} characters of code, and at most {MAX_SOURCE} are shown"
        raise Mistake(message, "Pick lines of the file: `lines=20-42`.")
    code = Code(
        lang=info.lang,
        source=source,
        path=path,
        sha=sha,
        first=first,
        numbers=info.numbers,
        pinned=pinned,
    )
    if "diff" in info.flags or info.get("diff"):
        code = _diff(info, code, sources)
    elif "steps" in info.flags:
        raise Mistake("`steps` is for a diff", "Write `diff=old.py file=new.py steps`.")
    if info.get("hide"):
        code = _without(code, info.get("hide"))
    if "run" in info.flags:
        code = _runnable(info, code)
    elif lone := next((flag for flag in _GIVES if flag in info.flags), ""):
        raise Mistake(f"`{lone}` is for code that runs", f"Write `run {lone}`, or leave it out.")
    return structs.replace(_focused(info, code), instead="instead" in info.flags)


def _focused(info: Info, code: Code) -> Code:
    if code.stepwise:
        if info.focus is not None:
            raise Mistake("`steps` and a code focus are two ways to step", "Keep one of them.")
        count = diffs.changes(code.source, code.diff)
        if count + 2 > MOST_FRAMES:
            raise Mistake(f"{count} changes are too many to step through", "Leave out `steps`.")
        return structs.replace(code, frames=count + 2)
    sets = () if info.focus is None else code_focus.focus(info.focus, code.source.count("\n") + 1)
    return structs.replace(code, focus=sets, frames=max(1, len(sets)))


def _diff(info: Info, code: Code, sources: Sources) -> Code:
    """A block whose body has signs, or the older version named by `diff=` compared with this one."""
    if info.get("diff"):
        old, shown, old_sha, _ = file_listing.read(info.get("diff"), "", sources)
        newer = code.source
        if info.get("lines"):  # of the newer file; both are compared as a whole
            newer = file_listing.read(info.get("file"), "", sources)[0]
        context = "all" if info.get("lines") else info.get("context") or str(diffs.CONTEXT)
        around = None if context == "all" else _number(context, "context")
        signed = diffs.between(old.removesuffix("\n"), newer.removesuffix("\n"), around)
        if info.get("lines"):
            signed = diffs.part(signed, *file_listing.extent(info.get("lines"), newer.split("\n"), code.path))
        path = f"{shown} → {code.path}" if code.path else f"{shown} →"
        sha = f"{old_sha[:7]} → {code.sha}" if code.sha else old_sha[:7]
        code = structs.replace(code, path=path, sha=sha, first=1)
    else:
        signed = diffs.parse(code.source)
        if not set(signed.signs) & {"+", "-"}:
            raise Mistake("nothing is marked as changed in this diff", "Begin lines with `+` and `-`.")
    lang = code.lang or _language(signed.file)
    return structs.replace(
        code, lang=lang, source=signed.source, diff=signed.signs, stepwise="steps" in info.flags
    )


def _language(file: str) -> str:
    suffix = Path(file).suffix
    return _LANGUAGES.get(suffix, suffix[1:])


def _without(code: Code, spec: str) -> Code:
    """The block without the lines of `hide=`; what runs still has them."""
    if code.diff:
        raise Mistake("`hide=` is not for a diff", "Leave the lines out.")
    lines = code.source.split("\n")
    hidden = code_focus.line_set(spec, spec, len(lines))
    kept = [number for number in range(1, len(lines) + 1) if number not in hidden]
    if not hidden or not kept:
        raise Mistake("`hide=` leaves nothing to show", "Hide some of the lines: `hide=1-3,9`.")
    if (code.numbers or code.path) and kept[-1] - kept[0] >= len(kept):
        raise Mistake(
            "lines with numbers are hidden in the middle", "Hide lines at the beginning or the end."
        )
    shown = "\n".join(lines[number - 1] for number in kept)
    return structs.replace(code, source=shown, program=code.source, first=code.first + kept[0] - 1)


def _runnable(info: Info, code: Code) -> Code:
    if code.diff:
        raise Mistake("a diff cannot be run", "Leave out `run`, or show the new version alone.")
    if not code.lang:
        raise Mistake("`run` needs a language", "Begin with it: `python run`.")
    expect = info.get("expect")
    if expect not in ("", "failure", "success"):
        raise Mistake(f"{quoted(expect)} cannot be expected", "Write `expect=failure`, or leave it out.")
    if _GIVES.keys() <= info.flags:
        raise Mistake("`replace` and `image` both want the place of the code", "Keep one of them.")
    gives = next((what for flag, what in _GIVES.items() if flag in info.flags), "")
    if gives == "picture" and expect == "failure":
        raise Mistake("code that fails gives no picture", "Leave out `expect=failure` or `image`.")
    timeout_s = seconds(info.get("timeout")) if info.get("timeout") else TIMEOUT_S
    fails = expect == "failure"
    return structs.replace(code, run=True, id=info.id, timeout_s=timeout_s, fails=fails, gives=gives)


def seconds(text: str) -> float:
    """Read a time limit as decks write it, in seconds. Raises `Mistake`."""
    match = _SECONDS.fullmatch(text)
    found = float(match[1]) * (60 if (match[2] or "s") != "s" else 1) if match else 0.0
    if not 0 < found <= LONGEST_S:
        raise Mistake(
            f"`timeout={text[:20]}` is not a time",
            "Write seconds or minutes, at most an hour: `timeout=30s`.",
        )
    return found


def did_you_mean_key(word: str) -> str:
    """Return the key or flag that was probably meant, or ""."""
    return did_you_mean(word.partition("=")[0], (*KEYS, *FLAGS))


def _number(text: str, key: str) -> int:
    if not re.fullmatch("[0-9]{1,7}", text):
        raise Mistake(f"`{key}={text[:20]}` is not a number", f"Write `{key}=20`.")
    return int(text)
