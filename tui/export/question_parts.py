"""A question of a deck as a document has it."""

from __future__ import annotations

from dataclasses import replace

from msgspec import structs

from quiz import markup
from quiz.answer_key import graded, held, key_in_words
from quiz.answers.option_labels import labels
from quiz.kinds.registry import KINDS, SEVERAL
from quiz.question import Question
from quiz.shuffle import arranged
from runtime.classroom.question_state import QuestionState, Round, said, voters
from slides.deck import Code
from slides.export.block_outcomes import Asked, Blocks, Choice
from slides.export.plain_words import text
from slides.reading.parse import parse_blocks

_SEED = "handout"  # of what is shuffled in every document alike
_GAP = "____"


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
