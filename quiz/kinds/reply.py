"""A line that somebody typed -> the answer it means, or what to type instead.

single, truefalse, poll    2, b or its text            line       12
multi                      1,3 or 1 3 or ac            order      3 1 2, every item once
match                      b a c, or 1b 2a 3c          cloze      16 GB; ring  (gaps by `;`)
order and match also take the texts themselves, with `;` between them
numeric                    16.6 GB                     text       anything

Options are called by what `quiz.kinds.option_labels` gives them, so that no label can be taken for a text:
where one of them is a number they have letters, and `3` is the one that reads 3.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from quiz.kinds import quantity
from quiz.kinds.grade import picked
from quiz.kinds.option_labels import example, labels, named, places
from quiz.question import Gap, Question


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
            return _ordered(question, typed)
        case "match":
            return _pairs(question, typed)
        case "cloze":
            return _gaps(question, typed)
        case "numeric" if quantity.read(typed) is None:
            return "a number, with its unit where it has one: 16.6 or 16.6 GB"
        case _:
            return Reply(text=(typed,))


def _options(question: Question, typed: str, most: int) -> Reply | str:
    texts = [option.text for option in question.options]
    said = labels(texts)
    named_one = named(typed, texts)
    found = [named_one] if named_one is not None else places(typed, said, texts)
    if not found or len(set(found)) > most:
        many = "one of" if most == 1 else "some of"
        text = "" if said[0] == "1" else ", or its text"
        return f"{many} {said[0]} to {said[-1]}{text}" if len(said) > 1 else said[0]
    return Reply(tuple(found))


def _ordered(question: Question, typed: str) -> Reply | str:
    texts = [option.text for option in question.options]
    said = labels(texts)
    found = _named(texts, typed) or places(typed, said, texts)
    if found is None or sorted(found) != list(range(len(texts))):
        return f"all of {said[0]} to {said[-1]}, once each, as in {example(said)}"
    return Reply(tuple(found))


def _named(texts: Sequence[str], typed: str) -> list[int] | None:
    """The options whose texts were typed, with `;` between them."""
    found = [named(word, texts) for word in typed.split(";")]
    return [n for n in found if n is not None] if len(found) > 1 and None not in found else None


def labels_of(question: Question) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the prompts and the options of a question are called in lines. Prompts that are numbers have no
    labels, and are answered in their order."""
    texts = [option.text for option in question.options]
    said = labels(texts, first="a" if question.kind == "match" else "1")
    lefts = labels(question.prompts)
    return (lefts if lefts[:1] == ("1",) and said[:1] == ("a",) else ("",) * len(lefts)), said


def as_typed(question: Question, choice: Sequence[int]) -> str:
    """A choice (0-based) as somebody would type it: `1,3`, and `1b 2a` for pairs."""
    lefts, said = labels_of(question)
    if question.kind == "match":
        pairs = zip(lefts, choice, strict=False)
        return " ".join(f"{left}{said[side]}" for left, side in pairs if 0 <= side < len(said))
    if question.kind == "line":
        return ",".join(str(n + 1) for n in choice)
    return ",".join(said[n] for n in choice if n < len(said))


def how_to_answer(question: Question) -> str:
    """What a line that answers holds, with an example; "" for words of one's own."""
    lefts, said = labels_of(question)
    sign = {"1": "number", "a": "letter"}.get(said[0] if said else "", "sign")
    match question.kind:
        case "single" | "poll":
            return f"a {sign}"
        case "truefalse":
            return "a number, or t or f"
        case "multi":
            return f"{sign}s, as in {','.join(said[::2][:2])}"
        case "order":
            return f"all {sign}s in your order, as in {example(said)}"
        case "match" if lefts[0]:
            return "a letter for each, as in 1b 2a"
        case "match":
            return f"a {sign} for each, in their order, as in {example(said[: len(lefts)])}"
        case "line":
            return "the number of a line"
        case "numeric":
            return "a number, with its unit where it has one, as in 16.6 GB"
        case "cloze":
            return "an answer for each gap, with ; between them"
        case _:
            return ""


def _pairs(question: Question, typed: str) -> Reply | str:
    """The right side of each prompt by its label, in the order of the prompts or as `1b 2a`; -1: left out."""
    texts = [option.text for option in question.options]
    lefts, said = labels_of(question)
    count, rights = len(question.prompts), len(texts)
    named_ones = _named(texts, typed)
    if named_ones is not None and len(named_ones) == count:
        return Reply(tuple(named_ones))
    if not lefts[0]:
        found = places(typed, said, texts)
        wanted = f"one of {said[0]} to {said[-1]} for each of the {count}, in their order"
        return Reply(tuple(found)) if found is not None and len(found) == count else wanted
    wanted = f"a letter for each of 1 to {count}, as in 1b 2a"
    numbered = re.findall(r"([0-9]+)\s*[-=:>)]*\s*([a-z])(?![a-z])", typed, re.IGNORECASE)
    if numbered:
        given = [-1] * count
        for number, letter in numbered:
            at, right = int(number) - 1, ord(letter.lower()) - ord("a")
            if not (0 <= at < count and 0 <= right < rights):
                return wanted
            given[at] = right
        return Reply(tuple(given))
    digits = labels(["x"] * rights)  # `2 1 3` means `b a c`, where no right side is a number
    numeric = labels(texts)[0] != "1"
    in_order = places(typed, said, texts) or (None if numeric else places(typed, digits, texts))
    return Reply(tuple(in_order)) if in_order is not None and len(in_order) == count else wanted


def _gaps(question: Question, typed: str) -> Reply | str:
    """One text a gap, by `;`; of a gap with texts to choose from one of them, or its label."""
    texts = [text.strip() for text in typed.split(";")]
    count = len(question.gaps)
    if len(texts) != count:
        return f"{count} answers, with `;` between them" if count > 1 else "one answer, without `;`"
    for at, (gap, text) in enumerate(zip(question.gaps, texts, strict=True)):
        if not gap.offered or not text:
            continue
        chosen = _offered(gap, text)
        if chosen is None:
            said = labels(gap.offered)
            which = f" for gap {at + 1}" if count > 1 else ""
            return f"one of {said[0]} to {said[-1]}, or its text{which}"
        texts[at] = " | ".join(gap.offered[n] for n in chosen)
    return Reply(text=tuple(texts))


def _offered(gap: Gap, text: str) -> list[int] | None:
    """What of a gap's texts was chosen: one, or where several belong there any of them."""
    said = labels(gap.offered)
    one = named(text, gap.offered)
    if one is not None:
        return [one]
    found = places(text, said, gap.offered)
    if found is not None and (gap.many or len(found) == 1):
        return list(dict.fromkeys(found))
    words = [named(word, gap.offered) for word in picked(text)] if gap.many else [None]
    return [n for n in words if n is not None] if None not in words else None
