"""What scenes say in another language: their sentences by a table, with numbers left open.

A table is TOML, a sentence a line: `"Forward through block {1}" = "Block {1} mein forward"`. A number, or
several with commas between, is `{1}`, `{2}`, … in their order, so that a line holds whatever the parameters
are. What no table has stays as it is. A course brings its own beside its translations
(`hi-Latn/captions.toml`), before those that come with the program.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from slides.problems import Problem, one_line
from slides.scenes.shapes import KIND, AnyShape, State

NAME = "captions.toml"
_OURS = Path(__file__).parent / "languages"
MOST_BYTES = 1 << 20  # of a table
_TAG = re.compile(r"[A-Za-z0-9]{2,8}(-[A-Za-z0-9]{1,8}){0,3}")
_NUMBER = r"\d+(?:[.,]\d+)*[a-z]?(?!\w)"
_NUMBERS = re.compile(rf"(?<!\w){_NUMBER}(?:, {_NUMBER})*")
_SENTENCES = re.compile(r"(?<=[.!?]) (?=[A-Z0-9])")
_HOLE = re.compile(r"\{(\d{1,3})\}")
_WORDS = "text", "short", "before", "after"  # of shapes
_SENT = "\0"  # no file's name begins so

Table = Mapping[str, str]


def files(folder: Path | None, lang: str) -> tuple[str, ...]:
    """Return where what scenes say in `lang` may stand, for a deck in `folder`; nothing for English."""
    ours = tables_in(_OURS, lang)
    return (str(folder / lang / NAME), *ours) if ours and folder is not None else ours


def tables_in(folder: Path, lang: str) -> tuple[str, ...]:
    """Return where the table of a language stands in a folder with one for each; nothing for English."""
    return () if lang in ("", "en") or not _TAG.fullmatch(lang) else (str(folder / f"{lang}.toml"),)


def sent(text: str) -> str:
    """Return what stands for a table that came with its deck, where a file's name would: its text."""
    return _SENT + text if text else ""


def stamped(files: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """Return the tables that are there, and when each was changed."""
    found = []
    for file in files:
        with suppress(OSError):
            found.append((file, 0 if file.startswith(_SENT) else Path(file).stat().st_mtime_ns))
    return tuple(found)


def said(state: State, files: Iterable[str]) -> State:
    """Return a state with its words in the language of those tables."""
    tables = [table(file) for file in files]

    def other(text: str) -> str:
        return " ".join(_one(sentence, tables) or sentence for sentence in sentences(text))

    legend = tuple((ink, _one(words, tables) or words) for ink, words in state.legend)
    drawn = tuple(_shape(shape, tables) for shape in state.shapes)
    return replace(
        state,
        lead=other(state.lead),
        caption=other(state.caption),
        legend=legend,
        unseen=other(state.unseen),
        shapes=drawn,
        plan=said(state.plan, files) if state.plan is not None else None,
        instead=tuple(said(other_look, files) for other_look in state.instead),
    )


def in_words(sentence: str, files: Iterable[str]) -> str:
    """Return a sentence in the language of those tables; as it is where none has it."""
    return _one(sentence, [table(file) for file in files]) or sentence


def written(state: State) -> Iterator[str]:
    """Return the words in its picture, and in other looks of it."""
    for shape in state.shapes:
        yield from (text.strip() for name in _WORDS if (text := getattr(shape, name, "")))
    for look in (*filter(None, [state.plan]), *state.instead):
        yield from written(look)


def _shape(shape: AnyShape, tables: Sequence[Table]) -> AnyShape:
    """A shape with its words in the other language. Terms of the field (`rank {1}`) are in no table."""
    found = {}
    for name in _WORDS:
        text = getattr(shape, name, "")
        if text and (words := _one(text.strip(), tables)):
            found[name] = text.replace(text.strip(), words)
    return replace(shape, **found) if found else shape  # type: ignore[arg-type]


def untold(states: Iterable[State], files: Iterable[str]) -> list[str]:
    """Return the sentences of those states that no table has, as a table writes them, each once."""
    tables = [table(file) for file in files]
    found: dict[str, None] = {}
    steps = tuple(states)
    for state in steps:
        for text in (state.lead, state.caption, state.unseen):
            for sentence in sentences(text):
                if re.search("[A-Za-z]", sentence) and not _one(sentence, tables):
                    found[opened(sentence)[0]] = None
        # One word there is often a term of the field, which stays as it is.
        found |= {opened(said)[0]: None for _, said in state.legend if " " in said and not _one(said, tables)}
    if len(steps) > 1 and not _one(KIND, tables):  # it stands beside how far a scene has come
        found[KIND] = None
    return list(found)


def blank(keys: Iterable[str]) -> str:
    """Return lines of a table for a translator to fill in; until then the sentence is said as it is."""
    return "".join(f'{_quoted(key)} = ""\n' for key in keys)


def sentences(text: str) -> list[str]:
    """Return the sentences of a caption."""
    return [part for part in _SENTENCES.split(text) if part]


def opened(sentence: str) -> tuple[str, list[str]]:
    """Return a sentence as a table writes it, and its numbers."""
    numbers: list[str] = []

    def hole(found: re.Match[str]) -> str:
        numbers.append(found[0])
        return f"{{{len(numbers)}}}"

    return _NUMBERS.sub(hole, sentence), numbers


def _one(sentence: str, tables: Sequence[Table]) -> str:
    """Return a sentence in the other language; "" where no table has it."""
    key, numbers = opened(sentence)
    words = next((table[key] for table in tables if table.get(key)), "")
    return _HOLE.sub(lambda hole: numbers[int(hole[1]) - 1], words) if _fits(words, len(numbers)) else ""


def _fits(words: str, numbers: int) -> bool:
    return all(1 <= int(hole) <= numbers for hole in _HOLE.findall(words))


# --- tables -------------------------------------------------------------------------------------------------


def table(file: str) -> Table:
    """Return what stands in a table; nothing where it is not there or cannot be read."""
    if file.startswith(_SENT):
        return _sent(file)
    try:
        return _read(file, Path(file).stat().st_mtime_ns)[0]
    except OSError:
        return {}


def problems(file: str) -> Iterator[Problem]:
    """Return what is wrong with a table."""
    try:
        found, why, line = _read(file, Path(file).stat().st_mtime_ns)
    except OSError:
        return
    if why:
        mend = """Write a sentence a line: `"Forward through block {1}" = "Block {1} mein forward"`."""
        yield Problem(file, line, f"what scenes say cannot be read: {why}", mend)
    for key, words in found.items():
        if not _fits(words, len(_HOLE.findall(key))):
            lines = Path(file).read_text("utf-8").split("\n")
            line = next((n for n, text in enumerate(lines, 1) if text.startswith(_quoted(key))), 1)
            what = f"`{one_line(words)[:60]}` has a number that its sentence does not have"
            yield Problem(file, line, what, f"Write only the numbers of `{one_line(key)[:80]}`.")


@lru_cache(16)
def _read(file: str, changed: int) -> tuple[Table, str, int]:
    """A table as it was at a moment, why it cannot be read, and the line. Raises `OSError`."""
    with Path(file).open("rb") as source:
        return _parsed(source.read(MOST_BYTES + 1))


@lru_cache(4)
def _sent(file: str) -> Table:
    return _parsed(file.removeprefix(_SENT).encode("utf-8", "replace"))[0]


def _parsed(text: bytes) -> tuple[Table, str, int]:
    import tomllib

    if len(text) > MOST_BYTES:
        return {}, f"it has more than {MOST_BYTES} bytes", 1
    try:
        found = tomllib.loads(text.decode("utf-8"))
    except UnicodeDecodeError as error:
        return {}, "it is not UTF-8", text[: error.start].count(b"\n") + 1
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        line = re.search(r"at line (\d+)", str(error))
        return {}, one_line(str(error)), int(line[1]) if line else 1
    wrong = next((key for key, words in found.items() if not isinstance(words, str)), None)
    why = f"`{one_line(wrong)[:60]}` is not a text" if wrong is not None else ""
    return {key: words for key, words in found.items() if isinstance(words, str)}, why, 1


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
