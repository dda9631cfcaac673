"""True or false: `= true`, or two boxes whose texts are the author's own words for them, in this order."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quiz.kinds.kind import BOX, EQUALS, Made, Parts, Reply, Says
from quiz.kinds.shared.options import Options, among
from quiz.question import Option, Question

_WORDS = {"t": 0, "true": 0, "yes": 0, "f": 1, "false": 1, "no": 1}


class TrueFalse(Options):
    """True (option 0) or false (option 1)."""

    def begins(self, body: str) -> re.Pattern[str]:
        return EQUALS if re.search(r"^ ?[=~] ", body, re.MULTILINE) else BOX

    def recognised(self, lines: Sequence[str]) -> bool:
        equals = next((match for line in lines if (match := EQUALS.match(line))), None)
        return equals is not None and equals["text"].strip().casefold() in ("true", "false")

    def build(self, parts: Parts, says: Says) -> Made:
        drafts = parts.drafts
        if drafts and drafts[0].mark not in ("=", "~"):
            if len(drafts) != 2:
                says(
                    drafts[0].line, f"true or false with {len(drafts)} options", "Write `= true` or `= false`"
                )
            return super().build(parts, says)
        words = {draft.whole.casefold(): draft for draft in drafts}
        if not parts.redacted and (len(drafts) not in (1, 2) or not words.keys() <= {"true", "false"}):
            line = drafts[0].line if drafts else parts.head
            says(line, "neither true nor false is marked as right", "Write `= true` or `= false`")
        right = next((word for word, draft in words.items() if draft.mark == "="), "")
        # Of two `=` lines, or only a `~` line, nothing is clear.
        if drafts and sum(draft.mark == "=" for draft in drafts) != 1:
            says(
                drafts[0].line,
                "one of true and false must be right",
                "Write `= true`; `~ false` explains the other",
            )
        why = {word: draft.why for word, draft in words.items()}
        return Made(tuple(Option(w.title(), w == right, why.get(w, "")) for w in ("true", "false")))

    def reply(self, question: Question, typed: str) -> Reply | str:
        found = _WORDS.get(typed.casefold())
        return Reply((found,)) if found is not None else among(question, typed, 1)

    def how(self, question: Question) -> str:
        return "a number, or t or f"


KIND = TrueFalse()
