"""What becomes of a question in a class: answered, counted by hands, asked again, measured, revealed.

Frozen states and total functions; `runtime.liveclass` folds the actions on a question by them. A question's
parts go by number (options, places, lines of code, 0-based); of what they say nothing is known here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

T = TypeVar("T", tuple[int, ...], tuple[str, ...], str)
Phase = Literal["open", "locked", "revealed"]
COUNTED = ("single", "multi", "truefalse", "poll", "line")  # answered by picking: counts per option
MOST_TEXT, MOST_TEXTS, MOST_NAME = 400, 32, 64  # characters of an answer, answers of gaps, of a name
MOST_HANDS = 9999


class Round(Struct, frozen=True):
    """A vote that was followed by another: as in `QuestionState`."""

    answers: dict[str, tuple[int, ...]] = {}
    texts: dict[str, tuple[str, ...]] = {}
    people: dict[str, str] = {}
    counts: tuple[int, ...] = ()
    hands: tuple[int, ...] = ()

    @property
    def votes(self) -> tuple[int, ...]:
        return _votes(self)


class Sample(Struct, frozen=True):
    """A figure of one run that a prediction is about, in base units (seconds, bytes); None: it had none."""

    block: str
    run: str
    value: float | None
    badge: str = ""
    bent: tuple[str, ...] = ()


class Comment(Struct, frozen=True):
    """What is said of an answer that is typed, as Markdown; `gap` is the one it goes into (from 0)."""

    text: str
    explain: str
    right: bool = False
    gap: int = 0


class QuestionState(Struct, frozen=True):
    """One question's life. `answers` maps a screen to its choice, `texts` to what it typed; `counts` is per
    option.

    `people` are the screens of the room that answered by key, with the name each chose ("": none);
    `hands` what the teacher counted in the room, per option; `before` the rounds before this one. `accepted`
    are the right texts, known from the reveal on, `undecided` what a measurement left neither right nor
    wrong, `comments` what there is to say of typical answers, `parts` what each part of the driver's answer
    earned.
    Answers are taken for `time_s` seconds from `opened` on (wall clock), None for as long as it likes.
    """

    id: str
    kind: str
    options: int
    phase: Phase = "open"
    answers: dict[str, tuple[int, ...]] = {}
    counts: tuple[int, ...] = ()
    points: float | None = None
    out_of: float | None = None
    key: tuple[int, ...] = ()
    explain: tuple[str, ...] = ()
    general: str = ""
    texts: dict[str, tuple[str, ...]] = {}
    people: dict[str, str] = {}
    hands: tuple[int, ...] = ()
    hints: tuple[str, ...] = ()
    before: tuple[Round, ...] = ()
    parts: tuple[float, ...] = ()
    accepted: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    comments: tuple[Comment, ...] = ()
    samples: tuple[Sample, ...] = ()
    opened: float = 0.0
    time_s: float | None = None

    @property
    def votes(self) -> tuple[int, ...]:
        """How many chose each option, in this round."""
        return _votes(self)

    @property
    def answered(self) -> int:
        """How many answers there are, hands among them."""
        return sum(self.hands) + len(heard(self))

    def closes_at(self) -> float | None:
        """Wall-clock time at which an open question locks by itself."""
        return self.opened + self.time_s if self.time_s and self.phase == "open" else None


def heard(one: Round | QuestionState) -> list[str]:
    """Whose answers count: the room's; where nobody of it has answered, by key or by hand, the consoles'."""
    answered = dict.fromkeys((*one.answers, *one.texts))
    return [screen for screen in answered if screen in one.people or not (one.people or one.hands)]


def voters(one: QuestionState | Round, kind: str) -> int | None:
    """How many answered a choice; None where hands were counted for several picks of one answer."""
    if kind != "multi":
        return sum(one.votes)
    choices = [one.answers.get(screen, ()) for screen in heard(one)]
    return len(choices) if sum(one.votes) == sum(map(len, choices)) else None


def _votes(one: Round | QuestionState) -> tuple[int, ...]:
    if not one.hands and not one.people:
        return one.counts
    by_key = [one.answers[screen] for screen in heard(one) if screen in one.answers]
    raised = one.hands or (0,) * len(one.counts)
    return tuple(count + sum(n in given for given in by_key) for n, count in enumerate(raised))


def opened(question: QuestionState, now: float) -> QuestionState:
    """The question at the begin of a round."""
    counts = (0,) * question.options if question.kind in COUNTED else ()
    return replace(question, counts=counts, opened=now)


def answered(
    question: QuestionState,
    screen: str,
    choice: Iterable[int],
    text: Iterable[str] = (),
    who: str | None = None,
) -> QuestionState:
    """With an answer in place of the one that `screen` gave before; an empty one takes that back. `who`: the
    name of somebody of the room, None for the driver. A name is one person: who comes back on another screen
    answers anew."""
    if question.phase != "open":
        return question
    picked = _tidy(question, choice)
    typed = tuple(one[:MOST_TEXT] for one in text)[:MOST_TEXTS]
    who = who and who[:MOST_NAME]
    left = {other for other, called in question.people.items() if who and called == who and other != screen}
    answers = {**_without(question.answers, left), screen: picked}
    texts = {**_without(question.texts, left), screen: typed}
    people = _without(question.people, left) | ({screen: who} if who is not None else {})
    if not picked:
        answers.pop(screen)
    if not any(one.strip() for one in typed):
        texts.pop(screen)
    if screen not in answers and screen not in texts:
        people = {name: called for name, called in people.items() if name != screen}
    counts = question.counts
    if question.kind in COUNTED:
        counts = tuple(sum(n in given for given in answers.values()) for n in range(question.options))
    return replace(question, answers=answers, texts=texts, people=people, counts=counts)


def _without(given: dict[str, T], left: Collection[str]) -> dict[str, T]:
    return {screen: one for screen, one in given.items() if screen not in left} if left else given


def _tidy(question: QuestionState, choice: Iterable[int]) -> tuple[int, ...]:
    """The numbers of a choice that there are; of an order in their order, of pairs with -1 for none."""
    if question.kind == "match":
        pairs = tuple(n if 0 <= n < question.options else -1 for n in choice)[:MOST_TEXTS]
        return pairs if any(n >= 0 for n in pairs) else ()
    found = dict.fromkeys(n for n in choice if 0 <= n < question.options)
    return tuple(found) if question.kind == "order" else tuple(sorted(found))


def raised(question: QuestionState, hands: Iterable[int]) -> QuestionState:
    """With the hands that the teacher counted per option; none at all takes them back."""
    if question.phase == "revealed" or question.kind not in COUNTED:
        return question
    counted = tuple(min(MOST_HANDS, max(0, n)) for n in hands)[: question.options]
    counted += (0,) * (question.options - len(counted))
    return replace(question, hands=counted if any(counted) else ())


def again(question: QuestionState, now: float) -> QuestionState:
    """Another round: what was answered so far is kept for beside it, and not told before the reveal."""
    if question.phase == "revealed":
        return question
    done = Round(question.answers, question.texts, question.people, question.counts, question.hands)
    fresh = replace(
        question,
        phase="open",
        answers={},
        texts={},
        people={},
        hands=(),
        points=None,
        out_of=None,
        parts=(),
        before=(*question.before, done),
    )
    return opened(fresh, now)


def public(question: QuestionState) -> QuestionState:
    """What the room may know: before the reveal neither answers nor keys, after it answers without names."""
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
            samples=(),
        )
    return replace(
        question,
        points=None,
        parts=(),
        people={},
        hands=(),
        counts=question.votes,
        answers=_nameless(question.answers, question),
        texts=_nameless(question.texts, question),
        before=tuple(
            Round(
                _nameless(one.answers, one),
                _nameless(one.texts, one),
                counts=one.votes,
            )
            for one in question.before
        ),
    )


def _nameless(given: dict[str, T], one: Round | QuestionState) -> dict[str, T]:
    """The answers in an order and under names that tell nothing of who gave them."""
    kept = sorted(given[screen] for screen in heard(one) if screen in given)
    return {str(n): one for n, one in enumerate(kept)}
