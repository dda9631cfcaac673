"""A line of code to pick: the stem holds one code block; `= 7` or `= 7 | 8` are lines of it, counted from 1.
All or nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from quiz.kinds.kind import EQUALS, DeckText, Made, Parts, QuestionKind, Reply, Says, Share
from quiz.question import Question

_OPENS = re.compile(r" {0,3}(`{3,}+|~{3,}+)([^`]*)")


class CodeLine(QuestionKind):
    """Pick a line of the question's code block; any one line of the key is right."""

    answer_line = EQUALS

    def build(self, parts: Parts, says: Says) -> Made:
        lines = "\n".join(parts.stem).split("\n")
        found = _code_block(lines)
        if found is None:
            says(parts.head, "there is no code to pick a line from", "Put a code block into the question")
            return Made()
        first, end, info = found
        code = "\n".join(lines[first + 1 : end])
        count = code.count("\n") + 1
        right: list[int] = []
        for draft in parts.drafts:
            for word in re.split(r"[|,]", draft.whole):
                if not word.strip().isdecimal() or not 1 <= int(word) <= count:
                    what = f"{word.strip()!r} is not a line of the code"
                    says(draft.line, what, f"Write `= ` and 1 to {count}")
                else:
                    right.append(int(word) - 1)
        if not parts.drafts and not parts.redacted:
            says(parts.head, "no line is right", f"Write `= ` and a line of the code, 1 to {count}")
        lang = info.split()[0] if info.split() else ""
        above, below = "\n".join(lines[:first]).rstrip(), "\n".join(lines[end + 1 :]).lstrip("\n")
        text = f"{above}\n\n{below}".strip("\n")
        return Made(sequence=tuple(dict.fromkeys(right)), code=code, lang=lang, stem=text or "Which line?")

    def stem(self, question: Question, stem: str) -> str:
        return f"{stem}\n\n```{question.lang}\n{question.code}\n```"

    def written(self, question: Question, deck: DeckText) -> list[str]:
        return ["= " + " | ".join(str(n + 1) for n in question.key)] if question.key else []

    def reply(self, question: Question, typed: str) -> Reply | str:
        count = question.places
        if typed.isdecimal() and 1 <= int(typed) <= count:
            return Reply((int(typed) - 1,))
        return f"a line from 1 to {count}"

    def how(self, question: Question) -> str:
        return "the number of a line"

    def first(self, question: Question) -> str:
        return "pick a line first: ↑ ↓ or its number"

    def as_typed(self, question: Question, choice: Sequence[int]) -> str:
        return ",".join(str(n + 1) for n in choice)

    def share(self, question: Question, choice: tuple[int, ...], text: tuple[str, ...]) -> Share:
        right = len(choice) == 1 and choice[0] in question.key
        return Share(float(right), right)

    def held(self, question: Question, key: Sequence[int], accepted: Sequence[str]) -> Question:
        return replace(question, sequence=tuple(key))

    def key_in_words(self, question: Question, words: Callable[[str], str]) -> str:
        return self.in_words(question, question.sequence)

    def in_words(self, question: Question, choice: Sequence[int]) -> str:
        return ", ".join(f"line {n + 1}" for n in choice)


def _code_block(lines: list[str]) -> tuple[int, int, str] | None:
    """(its first line, its last, what stands behind its first marks) of the last code block."""
    found: tuple[int, int, str] | None = None
    opened: tuple[int, str, str] | None = None
    for at, line in enumerate(lines):
        if opened is None:
            if match := _OPENS.fullmatch(line):
                opened = at, match[1], match[2]
            continue
        first, marks, info = opened
        bare = line.strip(" ")
        if len(line) - len(line.lstrip(" ")) < 4 and bare.startswith(marks) and not bare.strip("`~"):
            found, opened = (first, at, info), None
    return found


KIND = CodeLine()
