"""Options, none of them right."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quiz.kinds.kind import Made, Parts, Says
from quiz.kinds.shared.options import Options, few, ticked
from quiz.question import Option, Question


class Poll(Options):
    """A vote among options, of which none is right."""

    answer_line = re.compile(r"(?P<bullet> ?[-*+] +)(?:\[(?P<mark>[ xX]?)\] +)?(?P<text>.*)$")

    def build(self, parts: Parts, says: Says) -> Made:
        for draft in parts.drafts:
            if ticked(draft):
                says(draft.line, "a poll has no right answer", "Write `- text`, or make it a `::: quiz`")
        if len(parts.drafts) < 2:
            says(parts.head, "a poll needs two options at least", "Write `- text` for each")
        else:
            few(says, len(parts.drafts), parts.drafts[-1].line)
        return Made(tuple(Option(draft.whole, False, draft.why) for draft in parts.drafts))

    def held(self, question: Question, key: Sequence[int], accepted: Sequence[str]) -> Question:
        return question


KIND = Poll()
