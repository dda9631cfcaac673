"""A question as its room may know it: no answers or key before the reveal, and no names after it."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from runtime.classroom.question_state import PHONE, QuestionState, Round, Said, Sample, said

WORDED = ("text", "cloze")  # answered in words of one's own
MOST_TOLD = 32_768  # characters of a question's answers that a screen of the room is told


def public(question: QuestionState) -> QuestionState:
    """Return what the audience may know: no answers or key before the reveal, no names after it."""
    if question.phase != "revealed":
        return replace(
            question,
            answers={},
            texts={},
            people={},
            counts=(),
            hands=(),
            before=tuple(Round() for _ in question.before),
            points=None,
            parts=(),
            key=(),
            explain=(),
            general="",
            accepted=(),
            undecided=(),
            comments=(),
            samples=tuple(Sample(one.block, one.run, None) for one in question.samples),
        )
    told, unsaid = _told(question, question)
    return replace(
        question,
        points=None,
        parts=(),
        answers={},
        texts={},
        people={},
        hands=(),
        counts=question.votes,
        said=told,
        unsaid=unsaid,
        before=tuple(_nameless(one, question) for one in question.before),
    )


def _nameless(one: Round, question: QuestionState) -> Round:
    told, unsaid = _told(one, question)
    return Round(counts=one.votes, said=told, unsaid=unsaid)


def _told(one: Round | QuestionState, question: QuestionState) -> tuple[tuple[Said, ...], int]:
    """What the room is told that it has said, and how many answers more there are: an essay is its teacher's
    to read, and a room of a thousand that types whatever it likes must not be sent all of it."""
    everything = said(one) if question.kind != "essay" else ()
    if question.kind in WORDED and (hidden := unread(one, known_texts(question))):
        everything = tuple(each for each in everything if each.text not in hidden)
    room, told = MOST_TOLD, 0
    for told, each in enumerate(everything, start=1):
        room -= 8 + 4 * len(each.choice) + sum(map(len, each.text))
        if room < 0:
            told -= 1
            break
    kept = everything[:told]
    return kept, one.answered - sum(one.hands) - sum(each.count for each in kept)


def unread(one: Round | QuestionState, known: Iterable[str]) -> set[tuple[str, ...]]:
    """Typed answers that phones alone gave, and that are none of the `known` texts (the key, remarks): who
    types them has no name that anybody knows, so a room reads them only once its teacher picks one."""
    by_phone = {text for screen, text in one.texts.items() if screen.startswith(PHONE)}
    if not by_phone:
        return set()
    others = {text for screen, text in one.texts.items() if not screen.startswith(PHONE)}
    told = {_folded(part) for text in known for part in (text, *text.split("|"))}
    return {text for text in by_phone - others if not all(_folded(part) in told for part in text)}


def known_texts(question: QuestionState) -> list[str]:
    """The texts that a reveal told: right ones, and those that are remarked on."""
    return [*question.accepted, *(comment.text for comment in question.comments)]


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
