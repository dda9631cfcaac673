"""A question of a deck as a document has it."""

from __future__ import annotations

from dataclasses import replace

from msgspec import structs

from quiz import markup
from quiz.answer_key import graded, held, key_in_words
from quiz.answers.option_labels import labels
from quiz.formats import native
from quiz.kinds.registry import KINDS, SEVERAL
from quiz.parse import parse_question
from quiz.question import Question, Trouble
from quiz.shuffle import arranged
from quiz.shuffle import keyless as keyless_question
from runtime.classroom.question_state import QuestionState, Round, said, voters
from slides.deck import Code, Demo, Quiz
from slides.export.block_outcomes import Asked, Blocks, Choice
from slides.export.plain_words import text
from slides.problems import quoted
from slides.reading.parse import parse_blocks
from tui.deck.contents import Contents

_SEED = "handout"  # of what is shuffled in every document alike
_GAP = "____"


def read(block: Quiz, *, redacted: bool = False) -> Question | tuple[Trouble, ...]:
    """The question of a block as its deck has it, or what is wrong with it.

    A poll has no key, and a prediction of something measured need not have one: that may be it. `redacted`:
    nobody here is to have a key.
    """
    kind = block.kind or ("poll" if block.directive == "poll" else "")
    arguments = block.id, kind, block.attrs, block.body, block.body_line
    found = parse_question(*arguments, redacted=redacted)
    measured = block.directive == "predict" and "metric" in block.attrs
    if measured and not redacted and not isinstance(found, Question):
        unkeyed = parse_question(*arguments, redacted=True)
        return unkeyed if isinstance(unkeyed, Question) else found
    return found


def twin(contents: Contents, block: Quiz) -> Trouble | None:
    """What is wrong with a question whose id another block above has: their answers would be one's."""
    for head in contents.heads:
        if head.line > block.line:
            break
        if f"#{block.id}" in head.raw:
            others: tuple[Demo | Quiz, ...] = (*contents.demos(head.index), *contents.quizzes(head.index))
            for other in others:
                if other.id == block.id and other.line < block.line:
                    message = f"the block id {quoted(block.id)} is also used on line {other.line}"
                    return Trouble(block.line, message, "Give one of them another id.")
    return None


def question(block: Quiz) -> Question | None:
    """The question of a block; None: it cannot be read."""
    found = read(block)
    return found if isinstance(found, Question) else None


class Withheld:
    """The questions of a deck as an audience may have them, in the arrangement of a class."""

    def __init__(self, contents: Contents, seed: str) -> None:
        self._contents, self._seed = contents, seed
        self._told: dict[tuple[int, str], int] = {}

    def body(self, slide: int, body: str) -> tuple[str, list[str]] | None:
        """(kind, lines) of the next question of a slide with this text, None where it cannot be read."""
        alike = [quiz for quiz in self._contents.quizzes(slide) if quiz.body == body]
        nth = self._told.get((slide, body), 0)
        self._told[slide, body] = nth + 1
        found = question(alike[nth]) if nth < len(alike) else None
        if found is not None and twin(self._contents, alike[nth]):
            return None
        if found is None:
            return None
        bare = structs.replace(keyless_question(arranged(found, self._seed)), hints=())
        return bare.kind, native.body(bare).split("\n")


def alone(question: Question, *, answers: bool) -> Asked:
    """Of a deck that nobody has shown: its answer, if included, is folded away."""
    asked = _asked(arranged(question, _SEED))
    return replace(asked, told=False) if answers else keyless(asked)


def in_class(question: Question, state: QuestionState, seed: str) -> Asked:
    """As the class saw it last: with its answer, how many chose what, and how many were right."""
    question = arranged(question, seed)
    if state.phase != "revealed":
        return replace(keyless(_asked(question)), result="Not answered in this class.")
    if not question.keyed:  # a prediction: what was measured, and what that explains
        why = state.explain + ("",) * len(question.options)
        options = (structs.replace(o, explain=e) for o, e in zip(question.options, why, strict=False))
        question = structs.replace(question, options=tuple(options), explain=state.general)
        question = held(question, state.key, state.accepted)
    asked = _asked(question)
    votes = _counted(state).votes
    choices = tuple(
        replace(choice, votes=votes[n] if any(votes) and n < len(votes) else None)
        for n, choice in enumerate(asked.choices)
    )
    whole = voters(_counted(state), question.kind) if any(votes) else None
    return replace(asked, choices=choices, result=_result(question, state), answered=whole)


def _counted(state: QuestionState) -> QuestionState | Round:
    """The last vote that anybody answered."""
    rounds: tuple[QuestionState | Round, ...] = (state, *reversed(state.before))
    return next((one for one in rounds if one.answered), state)


def _result(question: Question, state: QuestionState) -> str:
    one = _counted(state)
    given = one.answered
    if not given:
        return "Nobody answered."
    people = "1 answer" if given == 1 else f"{given} answers"
    undecided = state.undecided
    if not question.keyed and not undecided:
        return f"{people}."
    results = [(graded(question, undecided, each.choice, each.text), each.count) for each in said(one)]
    right = sum(count for result, count in results if result is not None and result.right)
    left = sum(count for result, count in results if result is None)
    if one.hands:
        if question.kind in SEVERAL:
            return f"{people}, hands among them."  # a hand is a part of an answer
        right += sum(count for n, count in enumerate(one.hands) if n in question.key)
        left += sum(count for n, count in enumerate(one.hands) if str(n + 1) in undecided)
    told = f"{people}, {right} right ({100 * right / (given - left):.0f} %)" if given > left else people
    return f"{told}, {left} neither right nor wrong: the runs differ by more." if left else f"{told}."


def keyless(asked: Asked) -> Asked:
    """Nothing of what is right."""
    choices = tuple(Choice(choice.content) for choice in asked.choices)
    return replace(asked, choices=choices, general=(), answer="", told=True)


def _asked(question: Question) -> Asked:
    stem = question.stem
    for n in range(len(question.gaps)):
        stem = stem.replace(f"{{{{{n + 1}}}}}", _GAP)
    for n, gap in enumerate(question.gaps, 1):
        if gap.offered:
            told = zip(labels(gap.offered), gap.offered, strict=True)
            which = f"gap {n}" if len(question.gaps) > 1 else "the gap"
            said = ", ".join(f"{label}) {markup.as_markdown(one, 'plain')}" for label, one in told)
            stem += f"\n\nFor {which} one of: {said}"
    if question.prompts:
        stem += "\n\n" + "\n".join(f"- {prompt}" for prompt in question.prompts)
    blocks = parse_blocks(stem)
    if question.code:
        blocks = (*blocks, Code(lang=question.lang, source=question.code, numbers=True))
    picked = KINDS[question.kind].key == "options"
    choices = tuple(
        Choice(
            parse_blocks(option.text),
            option.right if picked else None,
            explain=parse_blocks(option.explain) if option.explain else (),
        )
        for option in question.options
    )
    general: Blocks = parse_blocks(question.explain) if question.explain else ()
    return Asked(blocks, choices, general, key_in_words(question, words))


def words(markdown: str) -> str:
    """One line of plain words."""
    return " ".join(text(parse_blocks(markdown)).split())
