"""Items to put in order, written in the right one: a share for each item that is followed by its right
successor (n items, n - 1 shares), as Moodle's "relative to the next item"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from msgspec.structs import replace

from quiz.answers.option_labels import example, labels, places
from quiz.kinds.kind import DeckText, Made, Parts, QuestionKind, Reply, Says, Share, named_sign
from quiz.kinds.shared.options import few, named_each
from quiz.question import Option, Question


class Order(QuestionKind):
    """Put shuffled options in order."""

    answer_line = re.compile(r"(?P<bullet> ?[0-9]{1,3}[.)] +)(?P<text>.*)$")
    shuffled = True
    exact = True
    parts = "in sequence"

    def build(self, parts: Parts, says: Says) -> Made:
        count = len(parts.drafts)
        if count < 2:
            what = "Write the items in right order: `1. first`, `2. then`"
            says(parts.head, "there is nothing to put in order", what)
        else:
            few(says, count, parts.drafts[-1].line)
        options = tuple(Option(draft.whole, False, draft.why) for draft in parts.drafts)
        return Made(options, () if parts.redacted else tuple(range(count)))

    def written(self, question: Question, deck: DeckText) -> list[str]:
        places = question.key or range(len(question.options))
        rows = (deck.row(f"{n}. ", question.options[place]) for n, place in enumerate(places, start=1))
        return [row for found in rows for row in found]

    def reply(self, question: Question, typed: str) -> Reply | str:
        """The labels in their order, or the texts themselves with `;` between them."""
        texts = [option.text for option in question.options]
        said = labels(texts)
        found = named_each(texts, typed) or places(typed, said, texts)
        if found is None or sorted(found) != list(range(len(texts))):
            return f"all of {said[0]} to {said[-1]}, once each, as in {example(said)}"
        return Reply(tuple(found))

    def how(self, question: Question) -> str:
        said = self.labels(question)
        return f"all {named_sign(said)}s in your order, as in {example(said)}"

    def pick(self, question: Question, picked: tuple[int, ...], option: int) -> tuple[int, ...]:
        """Again takes it out."""
        return tuple(n for n in picked if n != option) if option in picked else (*picked, option)

    def first(self, question: Question) -> str:
        return f"answer first: digits 1 to {len(question.options)}, one after the other"

    def share(self, question: Question, choice: tuple[int, ...], text: tuple[str, ...]) -> Share:
        if len(question.key) == 1 or not choice:
            return Share(float(choice == question.key), choice == question.key)
        followers = dict(pairwise(choice))
        parts = tuple(float(followers.get(item) == after) for item, after in pairwise(question.key))
        return Share(sum(parts) / len(parts), choice == question.key, parts)

    def arranged(self, question: Question, places: list[int]) -> list[int]:
        """Never their right order, where there is another."""
        if len(places) > 1 and [places.index(item) for item in question.sequence] == sorted(places):
            return [*places[1:], places[0]]
        return places

    def held(self, question: Question, key: Sequence[int], accepted: Sequence[str]) -> Question:
        return replace(question, sequence=tuple(key))

    def key_in_words(self, question: Question, words: Callable[[str], str]) -> str:
        return ", then ".join(words(question.options[n].text) for n in question.sequence)

    def in_words(self, question: Question, choice: Sequence[int]) -> str:
        return " ".join(str(n + 1) for n in choice)


KIND = Order()
