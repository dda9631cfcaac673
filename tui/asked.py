"""A question of a deck as a document has it."""

from __future__ import annotations

from dataclasses import replace

from quiz.arrange import arranged
from quiz.parse import parse_question
from quiz.question import Question
from runtime.liveclass import QuestionState
from slides.deck import Code, Quiz
from slides.export.parts import Asked, Blocks, Choice
from slides.export.words import text
from slides.parse import parse_blocks

_SEED = "handout"  # of what is shuffled in every document alike
_GAP = "____"


def question(block: Quiz) -> Question | None:
    """The question of a block, also of a kind that no screen can ask; None: it cannot be read."""
    unkeyed = block.directive in ("poll", "predict") and not block.kind
    kind = "poll" if unkeyed else block.kind
    read = parse_question(block.id, kind, block.attrs, block.body, block.body_line)
    return read if isinstance(read, Question) else None


def alone(question: Question, *, answers: bool) -> Asked:
    """Of a deck that nobody has shown: its answer, if it may go along, is there for who asks for it."""
    asked = _asked(question)
    return replace(asked, told=False) if answers else keyless(asked)


def in_class(question: Question, state: QuestionState) -> Asked:
    """As the class saw it last: with its answer, how many chose what, and how many were right."""
    asked = _asked(question)
    if state.phase != "revealed":
        return replace(keyless(asked), result="Not answered in this class.")
    votes = sum(state.counts)
    choices = tuple(
        replace(choice, votes=state.counts[n] if votes and n < len(state.counts) else None)
        for n, choice in enumerate(asked.choices)
    )
    return replace(asked, choices=choices, result=_result(question, state))


def _result(question: Question, state: QuestionState) -> str:
    given = len(state.answers)
    if not given:
        return "Nobody answered."
    people = "1 answer" if given == 1 else f"{given} answers"
    if not question.keyed:
        return f"{people}."
    right = sum(tuple(sorted(answer)) == tuple(sorted(question.key)) for answer in state.answers.values())
    return f"{people}, {right} right ({100 * right / given:.0f} %)."


def keyless(asked: Asked) -> Asked:
    """Nothing of what is right."""
    choices = tuple(Choice(choice.content) for choice in asked.choices)
    return replace(asked, choices=choices, general=(), answer="", told=True)


def _asked(question: Question) -> Asked:
    question = arranged(question, _SEED)
    stem = question.stem
    for n in range(len(question.gaps)):
        stem = stem.replace(f"{{{{{n + 1}}}}}", _GAP)
    blocks = parse_blocks(stem)
    if question.code:
        blocks = (*blocks, Code(lang=question.lang, source=question.code, numbers=True))
    picked = question.kind in ("single", "multi", "truefalse")
    choices = tuple(
        Choice(
            parse_blocks(option.text),
            option.right if picked else None,
            explain=parse_blocks(option.explain) if option.explain else (),
        )
        for option in question.options
    )
    general: Blocks = parse_blocks(question.explain) if question.explain else ()
    return Asked(blocks, choices, general, _answer(question))


def _answer(question: Question) -> str:
    """In words, where it is not an option."""
    match question.kind:
        case "order":
            return ", then ".join(_words(question.options[n].text) for n in question.sequence)
        case "match":
            pairs = zip(question.prompts, question.sequence, strict=True)
            return "; ".join(f"{_words(prompt)}: {_words(question.options[n].text)}" for prompt, n in pairs)
        case "line":
            return ", ".join(f"line {n + 1}" for n in question.sequence)
        case "numeric" | "text":
            return " or ".join(accepted.text for accepted in question.accepted)
        case "cloze":
            return "; ".join(gap.accepted[0].text for gap in question.gaps if gap.accepted)
        case _:
            return ""


def _words(markdown: str) -> str:
    """One line of plain words."""
    return " ".join(text(parse_blocks(markdown)).split())
