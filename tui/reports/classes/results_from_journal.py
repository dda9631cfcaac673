"""How a class answered, told from its journal alone: by question, by person, by round. Pure.

Answers of the room are those of screens that joined it, and hands; the console's own answer counts only for a
question that nobody of the room answered. Facility is the mean share of the points (Moodle's quiz statistics
call it so), gain the normalised gain of peer instruction, (second - first) / (1 - first) of the shares right
(Hake, 1998), discrimination the point-biserial correlation of an item with the points of all others
(item-rest). Where nothing hangs together the square of a correlation of n pairs is beta distributed with 1/2
and (n - 2)/2, so its standard error is 1/sqrt(n - 1): two of them are 0.40 with 26 people. With fewer even a
correlation that high may be chance, and none is told.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from quiz.answer_key import graded, held, in_words, joined, told
from quiz.answers import text_matching
from quiz.kinds.kind import of
from quiz.kinds.registry import ARRANGED, LINED, PICKED, SEVERAL, UNGRADED, Kind
from quiz.normalised_gain import normalised_gain
from quiz.question import Option, Question
from runtime.classroom import state as class_state
from runtime.classroom import undo
from runtime.classroom.actions import Answer, Entry, Lock
from runtime.classroom.question_state import QuestionState, Round, heard
from runtime.classroom.state import ClassState
from tui.reports.classes.result_types import (
    Change,
    Given,
    PersonResult,
    QuestionResult,
    Results,
    Said,
    Vote,
    counting,
)

FEWEST = 26  # people, below which a correlation says nothing: 2 / sqrt(n - 1) <= 0.40
HAND = tuple(kind for kind in PICKED if kind not in SEVERAL)  # a hand is a whole answer, else a part of one


def results(entries: Sequence[Entry], questions: Mapping[str, Question], *, regrade: bool = False) -> Results:
    """`questions` by id, in the arrangement of the class; one that is missing is known by its numbers alone.

    Graded by the key that the class was shown, or, with `regrade`, by that of `questions`.
    """
    state = ClassState()
    after: dict[tuple[str, int, str], float] = {}
    first: dict[str, None] = {}
    standing = list(undo.standing(entries))
    for entry in standing:
        state = class_state.apply(state, entry)
        action = entry.action
        if isinstance(action, Answer | Lock) and (asked := state.questions.get(action.question)):
            at = (asked.id, len(asked.before), entry.screen)
            if isinstance(action, Answer) or at not in after:
                after[at] = max(0.0, entry.t - asked.opened)
            if entry.screen in heard(asked):
                first.setdefault(entry.screen)
    person = _persons(standing)
    told = []
    for asked in state.questions.values():
        known = _fitting(questions.get(asked.id), asked)
        # What has no key of its own, a prediction, keeps the one it was shown: what was measured.
        graded = known if regrade and known and known.keyed else as_shown(known, asked)
        told.append(_result(asked, graded, after, person))
    told = _discriminating(told)
    began = entries[0].t if entries else 0.0
    return Results(state.class_id, state.title, began, tuple(told), _people(person, told, first))


def changes(before: Results, now: Results) -> tuple[Change, ...]:
    """What another key made of the questions."""
    found = []
    for was, new in zip(before.questions, now.questions, strict=True):
        points = [(a.points, b.points) for a, b in zip(was.given, new.given, strict=True)]
        changed = sum(a != b for a, b in points)
        if changed or was.key != new.key:
            found.append(Change(new.question, was.key, new.key, was.facility, new.facility, changed))
    return tuple(found)


# --- the question as the class had it ----------------------------------------------------------------


def _fitting(question: Question | None, asked: QuestionState) -> Question | None:
    """The deck's question, where it still is the one that was asked: of its kind, with as many options."""
    if question is None or question.kind != asked.kind:
        return None
    return question if question.places == asked.options else None


def as_shown(question: Question | None, asked: QuestionState) -> Question:
    """The question with the key that its reveal told; where that is the same, or there was none, as it is."""
    if question is None:
        labels = tuple(Option(str(n + 1)) for n in range(asked.options))
        question = Question(asked.id, cast(Kind, asked.kind), "", labels, points=asked.out_of or 1.0)
    return held(question, asked.key, asked.accepted) if asked.phase == "revealed" else question


# --- one question ------------------------------------------------------------------------------------


def _result(
    asked: QuestionState,
    question: Question,
    after: Mapping[tuple[str, int, str], float],
    person: Mapping[str, tuple[str, str]],
) -> QuestionResult:
    now = Round(asked.answers, asked.texts, asked.people, asked.counts, asked.hands)
    rounds = [*asked.before, now]
    given = tuple(
        _given(
            question,
            asked.undecided,
            one,
            n,
            screen,
            _whose(person, screen),
            after.get((asked.id, n, screen)),
        )
        for n, one in enumerate(rounds)
        for screen in heard(one)
    )
    votes = tuple(
        _vote(question, asked.undecided, one, [g for g in given if g.round == n])
        for n, one in enumerate(rounds, 1)
    )
    counts = counting(votes)
    last = [g.seconds for g in given if g.round == counts and g.seconds is not None]
    return QuestionResult(
        question=asked.id,
        kind=asked.kind,
        stem=question.stem,
        points=question.points,
        key=_key(question, asked.undecided),
        said=_distribution(question, asked.undecided, rounds, given),
        rounds=votes,
        given=given,
        facility=votes[counts - 1].facility,
        gain=_gain([vote.right for vote in votes]),
        discrimination=None,
        median_s=statistics.median(last) if last else None,
        parts=tuple(_parts(question)),
        measured=_measured(asked),
    )


def _gain(rights: Sequence[float | None]) -> float | None:
    """The normalised gain from the first round to the last; None where there was nothing to gain."""
    first, last = rights[0], rights[-1]
    if len(rights) < 2 or first is None or last is None:
        return None
    return normalised_gain(first, last)


def _given(
    question: Question,
    undecided: Sequence[str],
    one: Round,
    n: int,
    screen: str,
    person: str,
    seconds: float | None,
) -> Given:
    choice, text = one.answers.get(screen, ()), one.texts.get(screen, ())
    result = graded(question, undecided, choice, text)
    return Given(
        person,
        question.id,
        n + 1,
        in_words(question, choice, text),
        result.points if result else None,
        question.points,
        result.right if result else None,
        seconds,
    )


def _vote(question: Question, undecided: Sequence[str], one: Round, given: Sequence[Given]) -> Vote:
    answers = [(1, g.right, g.points) for g in given]
    if question.kind in HAND:
        by_hand = [(count, graded(question, undecided, (n,))) for n, count in enumerate(one.hands)]
        answers += [(count, g.right, g.points) if g else (count, None, None) for count, g in by_hand]
    rights = [(count, float(right)) for count, right, _ in answers if right is not None]
    shares = [(count, points / (question.points or 1)) for count, _, points in answers if points is not None]
    return Vote(len(given) + sum(one.hands), sum(one.hands), _weighted(rights), _weighted(shares))


def _weighted(values: Sequence[tuple[int, float]]) -> float | None:
    whole = sum(count for count, _ in values)
    return sum(count * value for count, value in values) / whole if whole else None


def _distribution(
    question: Question, undecided: Sequence[str], rounds: Sequence[Round], given: Sequence[Given]
) -> tuple[Said, ...]:
    """Every option of a choice; of other kinds each answer that was given, the most frequent first."""
    if question.kind in PICKED:
        return tuple(_options(question, undecided, rounds))
    alike: dict[str, list[Given]] = {}
    exact = question.case or of(question.kind).exact
    for one in given:
        alike.setdefault(text_matching.form(one.words, exact), []).append(one)
    found = [
        Said(
            same[0].words,
            same[0].right,
            tuple(sum(g.round == n + 1 for g in same) for n in range(len(rounds))),
        )
        for same in alike.values()
    ]
    return tuple(sorted(found, key=lambda s: (-s.votes[-1], -sum(s.votes))))


def _options(question: Question, undecided: Sequence[str], rounds: Sequence[Round]) -> Iterator[Said]:
    """Each with its votes; of code only the lines that somebody picked, or should have."""
    texts = [option.text for option in question.options]
    if question.code:
        texts = [f"line {n}: {line.strip()}" for n, line in enumerate(question.code.split("\n"), 1)]
    for n, text in enumerate(texts):
        hands = tuple(one.hands[n] if n < len(one.hands) else 0 for one in rounds)
        keyed = [sum(n in one.answers.get(screen, ()) for screen in heard(one)) for one in rounds]
        votes = tuple(map(sum, zip(hands, keyed, strict=True)))
        decided = question.keyed or bool(undecided)
        right = n in question.key if decided and str(n + 1) not in undecided else None
        if any(votes) or right or question.kind not in LINED:
            yield Said(text, right, votes, hands)


def _measured(asked: QuestionState) -> dict[str, tuple[float | None, ...]]:
    blocks = dict.fromkeys(sample.block for sample in asked.samples)
    return {block: tuple(s.value for s in asked.samples if s.block == block) for block in blocks}


def _parts(question: Question) -> Iterator[str]:
    """`1 forward`, or of pairs `1 DDP` and `a nothing`."""
    if question.kind in ARRANGED:
        yield from (f"{n} {prompt}" for n, prompt in enumerate(question.prompts, 1) if prompt)
        for n, option in enumerate(question.options):
            if option.text != str(n + 1):  # else nobody knows any more what it was
                yield f"{of(question.kind).part_label(n)} {option.text}"


def _key(question: Question, undecided: Sequence[str] = ()) -> str:
    if question.kind in UNGRADED or not (question.keyed or undecided):
        return ""
    if not question.keyed:
        return f"nothing for sure ({' or '.join(undecided)} left open by the runs)"
    texts = told(question).accepted
    return joined(question, texts, " | ") or in_words(question, question.key)


# --- people ------------------------------------------------------------------------------------------


def _counted(told: Iterable[QuestionResult]) -> dict[str, dict[str, Given]]:
    """The answer of each screen in the round of its question that counts, by question."""
    return {q.question: {g.screen: g for g in q.given if g.round == q.counts} for q in told}


def _discriminating(told: Sequence[QuestionResult]) -> list[QuestionResult]:
    last = _counted(told)
    totals: dict[str, float] = {}
    for given in last.values():
        for screen, one in given.items():
            totals[screen] = totals.get(screen, 0.0) + (one.points or 0.0)
    found = []
    for q in told:
        pairs = [
            (float(one.right), totals[screen] - (one.points or 0.0))
            for screen, one in last[q.question].items()
            if one.right is not None
        ]
        found.append(replace(q, discrimination=_correlation(pairs) if len(told) > 1 else None))
    return found


def _correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    if len(pairs) < FEWEST:
        return None
    try:
        return statistics.correlation([a for a, _ in pairs], [b for _, b in pairs])
    except statistics.StatisticsError:  # all alike
        return None


def _persons(entries: Iterable[Entry]) -> dict[str, tuple[str, str]]:
    """Of each screen of the room the first one with its name, and that name ("": none was chosen)."""
    first: dict[str, str] = {}
    found: dict[str, tuple[str, str]] = {}
    for entry in entries:
        if isinstance(entry.action, Answer) and entry.action.who is not None:
            name = " ".join(entry.action.who.split())
            found[entry.screen] = (first.setdefault(name, entry.screen) if name else entry.screen, name)
    return found


def _whose(person: Mapping[str, tuple[str, str]], screen: str) -> str:
    return person.get(screen, (screen, ""))[0]


def _people(
    person: Mapping[str, tuple[str, str]], told: Sequence[QuestionResult], first: Iterable[str]
) -> tuple[PersonResult, ...]:
    last = _counted(told)
    out_of = sum(q.points for q in told if q.key)
    found = []
    for screen in dict.fromkeys(_whose(person, screen) for screen in first):
        given = [answers[screen] for answers in last.values() if screen in answers]
        points = sum(one.points or 0.0 for one in given)
        if given:
            name = person.get(screen, ("", ""))[1]
            found.append(PersonResult(screen, name, screen not in person, len(given), points, out_of))
    return tuple(found)
