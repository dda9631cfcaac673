"""Several right options: each right pick earns an equal share, each wrong one takes such a share away, and
nobody falls below zero; or the weights of all picks added up."""

from __future__ import annotations

from quiz.kinds.kind import Draft, Reply, Share, named_sign
from quiz.kinds.shared.options import Options, among, ticked, weighed, weight
from quiz.question import Option, Question


class Multi(Options):
    """Several picks among options."""

    def is_right(self, draft: Draft) -> bool:
        return ticked(draft) or (weight(draft) or 0) > 0  # every share above nothing is a right pick

    def box(self, question: Question, option: Option) -> str:
        box = super().box(question, option)
        # Where there are shares, nothing is taken off for an option that has none.
        shares = any(one.weight is not None for one in question.options)
        return "0%" if box == " " and shares else box

    def reply(self, question: Question, typed: str) -> Reply | str:
        found = among(question, typed, len(question.options))
        return Reply(tuple(sorted(set(found.choice)))) if isinstance(found, Reply) else found

    def how(self, question: Question) -> str:
        said = self.labels(question)
        return f"{named_sign(said)}s, as in {','.join(said[::2][:2])}"

    def pick(self, question: Question, picked: tuple[int, ...], option: int) -> tuple[int, ...]:
        return tuple(sorted({*picked} ^ {option}))

    def share(self, question: Question, choice: tuple[int, ...], text: tuple[str, ...]) -> Share:
        key, picked = set(question.key), set(choice)
        if picked == key:
            return Share(1.0, True)
        earned = weighed(question, picked, -1.0 / len(key))
        return Share((len(picked & key) - len(picked - key)) / len(key) if earned is None else earned, False)


KIND = Multi()
