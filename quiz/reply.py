"""A line that somebody typed -> the answer it means, or what to type instead.

single, truefalse, poll    2, b or its text            line       12
multi                      1,3 or 1 3 or ac            order      3 1 2, every item once
match                      b a c, or 1b 2a 3c          cloze      16 GB; ring  (gaps by `;`)
order and match also take the texts themselves, with `;` between them
numeric                    16.6 GB                     text       anything
"""

from __future__ import annotations

import re
from typing import NamedTuple

from quiz import quantity
from quiz.question import Question

_WORD = re.compile(r"[0-9]+|[a-z]", re.IGNORECASE)


class Reply(NamedTuple):
    """0-based options, lines or places in `choice`; what was typed, one a gap, in `text`."""

    choice: tuple[int, ...] = ()
    text: tuple[str, ...] = ()


def read_reply(question: Question, typed: str) -> Reply | str:
    """The answer in `typed`, or one line that says what is expected. An empty line is none: `Reply()`."""
    typed = typed.strip()
    if not typed or question.kind == "description":
        return Reply()
    match question.kind:
        case "single" | "poll":
            return _options(question, typed, 1)
        case "truefalse":
            words = {"t": 0, "true": 0, "yes": 0, "f": 1, "false": 1, "no": 1}
            found = words.get(typed.casefold())
            return Reply((found,)) if found is not None else _options(question, typed, 1)
        case "multi":
            found_many = _options(question, typed, len(question.options))
            return (
                Reply(tuple(sorted(set(found_many.choice)))) if isinstance(found_many, Reply) else found_many
            )
        case "line":
            count = question.code.count("\n") + 1
            if typed.isdecimal() and 1 <= int(typed) <= count:
                return Reply((int(typed) - 1,))
            return f"a line from 1 to {count}"
        case "order":
            places = _places(typed, len(question.options)) or _named(question, typed)
            if places is None or sorted(places) != list(range(len(question.options))):
                return (
                    f"all of 1 to {len(question.options)}, once each, as in {_example(len(question.options))}"
                )
            return Reply(tuple(places))
        case "match":
            return _pairs(question, typed)
        case "cloze":
            return _gaps(question, typed)
        case "numeric" if quantity.read(typed) is None:
            return "a number, with its unit where it has one: 16.6 or 16.6 GB"
        case _:
            return Reply(text=(typed,))


def _options(question: Question, typed: str, most: int) -> Reply | str:
    count = len(question.options)
    texts = [option.text.casefold() for option in question.options]
    places = _places(typed, count)
    if not places and typed.casefold() in texts:
        places = [texts.index(typed.casefold())]
    if not places or len(set(places)) > most:
        many = "one of" if most == 1 else "some of"
        return f"{many} 1 to {count}" if count > 1 else "1"
    return Reply(tuple(places))


def _places(typed: str, count: int) -> list[int] | None:
    """`1,3`, `1 3`, `13`, `a c` or `ac` as 0-based places below `count`; None for anything else."""
    if re.sub(r"[0-9a-zA-Z ,;>.)-]", "", typed):
        return None
    words = _WORD.findall(typed)
    # Below ten parts every digit is one of them: `312` is three answers.
    pieces = [digit for word in words for digit in (word if count < 10 else [word])]
    places = [int(p) - 1 if p.isdecimal() else ord(p.lower()) - ord("a") for p in pieces]
    return places if places and all(0 <= place < count for place in places) else None


def _named(question: Question, typed: str) -> list[int] | None:
    """The options whose texts were typed, with `;` between them."""
    texts = [" ".join(option.text.split()).casefold() for option in question.options]
    words = [" ".join(word.split()).casefold() for word in typed.split(";")]
    return [texts.index(word) for word in words] if all(word in texts for word in words) else None


def _example(count: int) -> str:
    return " ".join(str(n) for n in range(count, 0, -1))


def _pairs(question: Question, typed: str) -> Reply | str:
    """The right side of each prompt by letter, in the order of the prompts or as `1b 2a`; -1: left out."""
    count, rights = len(question.prompts), len(question.options)
    wanted = f"a letter for each of 1 to {count}, as in 1b 2a"
    numbered = re.findall(r"([0-9]+)\s*[-=:>)]*\s*([a-z])(?![a-z])", typed, re.IGNORECASE)
    if numbered:
        found = [-1] * count
        for number, letter in numbered:
            at, right = int(number) - 1, ord(letter.lower()) - ord("a")
            if not (0 <= at < count and 0 <= right < rights):
                return wanted
            found[at] = right
        return Reply(tuple(found))
    places = _places(typed, rights) or _named(question, typed)
    return Reply(tuple(places)) if places is not None and len(places) == count else wanted


def _gaps(question: Question, typed: str) -> Reply | str:
    """One text a gap, by `;`; of a gap with texts to choose from also its number."""
    texts = [text.strip() for text in typed.split(";")]
    count = len(question.gaps)
    if len(texts) != count:
        return f"{count} answers, with `;` between them" if count > 1 else "one answer, without `;`"
    for at, (gap, text) in enumerate(zip(question.gaps, texts, strict=True)):
        picks = re.split(r"[ ,|]+", text) if gap.many else [text]
        if gap.offered and all(one.isdecimal() and 1 <= int(one) <= len(gap.offered) for one in picks):
            texts[at] = " | ".join(gap.offered[int(one) - 1] for one in picks)
    return Reply(text=tuple(texts))
