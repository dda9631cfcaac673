"""One right option, in boxes."""

from __future__ import annotations

from quiz.kinds.kind import Made, Parts, Says
from quiz.kinds.shared.options import Options, ticked
from quiz.question import Option, Question


class Single(Options):
    """One pick among options."""

    def build(self, parts: Parts, says: Says) -> Made:
        made = super().build(parts, says)
        # Whoever writes `[100%]` beside means that either is right.
        crossed = [draft for draft in parts.drafts if ticked(draft)]
        if len(crossed) > 1:
            says(
                crossed[1].line,
                f"a single-choice question with {len(crossed)} right options",
                "Keep one `[x]`, or write `kind=multi`, or `[100%]` where either is right",
            )
        return made

    def box(self, question: Question, option: Option) -> str:
        if option.right and option is not question.options[question.key[0]]:
            return "100%"  # either is right, as in GIFT with two `=`
        return super().box(question, option)


KIND = Single()
