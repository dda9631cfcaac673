"""Pairs, `- left => right`: a share for each left side (a prompt).

Rights that belong to nothing have an empty left: they are there to mislead. Equal rights are one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import zip_longest

from msgspec.structs import replace

from quiz.answers.option_labels import example, labels, places
from quiz.kinds.kind import DeckText, Made, Parts, QuestionKind, Reply, Says, Share, named_sign
from quiz.kinds.shared.options import named_each
from quiz.question import Option, Question

MAX_PAIRS = 26  # a pair is told by one letter
_PAIR = re.compile(r"(?P<bullet> ?[-*+] +)(?P<text>.*=>.*)$")


class Match(QuestionKind):
    """Match left sides (prompts) with right ones (options, shuffled)."""

    answer_line = _PAIR
    most = MAX_PAIRS
    shuffled = True
    exact = True
    parts = "pairs"

    def recognised(self, lines: Sequence[str]) -> bool:
        return any(_PAIR.match(line) for line in lines)

    def build(self, parts: Parts, says: Says) -> Made:
        rights: list[str] = []
        explains: dict[str, str] = {}
        prompts: list[str] = []
        sequence: list[int] = []
        for draft in parts.drafts:
            left, _, right = (part.strip() for part in draft.whole.partition("=>"))
            if not right and not (parts.redacted and left):
                says(draft.line, "the right side of this pair is empty", "Write `- left => right`")
                continue
            if right and right not in rights:
                rights.append(right)
                explains[right] = draft.why
            if left:
                prompts.append(left)
                sequence.append(rights.index(right) if right else -1)
        if len(prompts) < 2:
            says(parts.head, "there are not two pairs to match", "Write `- left => right` for each")
        if (count := max(len(rights), len(prompts))) > MAX_PAIRS:
            says(
                parts.drafts[-1].line,
                f"{count} pairs, and one letter tells at most {MAX_PAIRS} apart",
                "Drop some, or ask two questions",
            )
        options = tuple(Option(right, False, explains[right]) for right in rights)
        return Made(options, () if parts.redacted else tuple(sequence), tuple(prompts))

    def written(self, question: Question, deck: DeckText) -> list[str]:
        rows: list[str] = []
        for prompt, right in zip_longest(question.prompts, question.key):
            side = question.options[right] if right is not None else Option("")
            left = deck.closed(" ".join(deck.shown(prompt).split()).replace("=>", "⇒"))
            rows += deck.row(f"- {left} => ", side, 2)
        for n, option in enumerate(question.options):
            rows += deck.row("- => ", option, 2) if n not in question.key else []
        return rows

    def reply(self, question: Question, typed: str) -> Reply | str:
        """The right side of each prompt by its label, in the order of the prompts or as `1b 2a`, or the texts
        themselves with `;` between them; -1: left out."""
        texts = [option.text for option in question.options]
        lefts, said = self.prompt_labels(question), self.labels(question)
        count, rights = len(question.prompts), len(texts)
        named_ones = named_each(texts, typed)
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

    def how(self, question: Question) -> str:
        lefts, said = self.prompt_labels(question), self.labels(question)
        if lefts[0]:
            return "a letter for each, as in 1b 2a"
        sign = named_sign(said)
        return f"a {sign} for each, in their order, as in {example(said[: len(lefts)])}"

    def pick(self, question: Question, picked: tuple[int, ...], option: int) -> tuple[int, ...]:
        """The right side of the next prompt; when all have one, again takes the last of it out."""
        filled = [*picked, *(-1,) * len(question.prompts)][: len(question.prompts)]
        if -1 in filled:
            filled[filled.index(-1)] = option
        elif option in filled:
            filled[len(filled) - 1 - filled[::-1].index(option)] = -1
        return tuple(filled)

    def first(self, question: Question) -> str:
        return f"answer first: digits 1 to {len(question.options)}, one after the other"

    def labels(self, question: Question) -> tuple[str, ...]:
        return labels([option.text for option in question.options], first="a")

    def prompt_labels(self, question: Question) -> tuple[str, ...]:
        """Prompts that are numbers have no labels, and are answered in their order."""
        lefts, said = labels(question.prompts), self.labels(question)
        return lefts if lefts[:1] == ("1",) and said[:1] == ("a",) else ("",) * len(lefts)

    def as_typed(self, question: Question, choice: Sequence[int]) -> str:
        said = self.labels(question)
        pairs = zip(self.prompt_labels(question), choice, strict=False)
        return " ".join(f"{left}{said[side]}" for left, side in pairs if 0 <= side < len(said))

    def share(self, question: Question, choice: tuple[int, ...], text: tuple[str, ...]) -> Share:
        texts = [option.text for option in question.options]

        def same(given: int, right: int) -> bool:  # two prompts may share a text on the right
            return given == right or (0 <= given < len(texts) and texts[given] == texts[right])

        padded = (*choice, *(-1,) * len(question.key))
        parts = tuple(float(same(given, right)) for given, right in zip(padded, question.key, strict=False))
        return Share(sum(parts) / len(parts), all(parts), parts)

    def held(self, question: Question, key: Sequence[int], accepted: Sequence[str]) -> Question:
        return replace(question, sequence=tuple(key), prompts=question.prompts or ("",) * len(key))

    def key_in_words(self, question: Question, words: Callable[[str], str]) -> str:
        pairs = zip(question.prompts, question.sequence, strict=True)
        return "; ".join(f"{words(prompt)}: {words(question.options[n].text)}" for prompt, n in pairs)

    def in_words(self, question: Question, choice: Sequence[int]) -> str:
        sides = [f"{n}{self.part_label(side)}" for n, side in enumerate(choice, 1) if 0 <= side < MAX_PAIRS]
        return " ".join(sides)

    def part_label(self, n: int) -> str:
        return chr(ord("a") + n)


KIND = Match()
