"""The state of a question in a class: answered, counted by hands, asked again, measured, revealed.

Frozen states and total functions; `runtime.classroom.state` folds the actions on a question by them. Parts of
a question go by number (options, places, lines of code, 0-based); their texts are not known here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

T = TypeVar("T", tuple[int, ...], tuple[str, ...], str)
Phase = Literal["open", "locked", "revealed"]
COUNTED = ("single", "multi", "truefalse", "poll", "line")  # answered by picking: counts per option
MOST_TEXT, MOST_TEXTS, MOST_NAME = 400, 32, 64  # characters of an answer, answers of gaps, of a name
MOST_HANDS = 9999
PHONE = "phone-"  # begins the name of a seat with a phone
_TEAM = "."  # parts it from the team that it is in


class Said(Struct, frozen=True):
    """An answer (as `actions.Answer`), and how many gave it."""

    choice: tuple[int, ...] = ()
    text: tuple[str, ...] = ()
    count: int = 1


class Round(Struct, frozen=True, omit_defaults=True):
    """An earlier round of votes; fields as in `QuestionState`."""

    answers: dict[str, tuple[int, ...]] = {}
    texts: dict[str, tuple[str, ...]] = {}
    people: dict[str, str] = {}
    counts: tuple[int, ...] = ()
    hands: tuple[int, ...] = ()
    said: tuple[Said, ...] = ()
    unsaid: int = 0

    @property
    def votes(self) -> tuple[int, ...]:
        """Votes per option: hands and keys together, nobody counted twice. Empty: there are no options."""
        return _votes(self)

    @property
    def answered(self) -> int:
        """How many people answered, hands included."""
        return _answered(self)


class Sample(Struct, frozen=True):
    """A figure of one run that a prediction is about, in base units (seconds, bytes); None: it had none."""

    block: str
    run: str
    value: float | None
    badge: str = ""
    bent: tuple[str, ...] = ()


class Comment(Struct, frozen=True):
    """A remark on a typed answer, as Markdown; `gap` is the one it goes into (from 0)."""

    text: str
    explain: str
    right: bool = False
    gap: int = 0


class QuestionState(Struct, frozen=True, omit_defaults=True):
    """State of one question. `answers` maps a screen to its choice, `texts` to what it typed; `counts` is per
    option.

    `people` are the screens of the room that answered by key, with the name each chose ("": none);
    `hands` what the teacher counted in the room, per option; `before` the rounds before this one. `accepted`
    are the right texts, known from the reveal on, `undecided` what a measurement left neither right nor
    wrong, `comments` what there is to say of typical answers, `parts` what each part of the driver's answer
    earned.
    Answers are taken for `time_s` seconds from `opened` on (wall clock), None: without limit.

    What the room is told of a revealed question has no answers but how often each was given (`said`), the
    most frequent first; `unsaid` are the answers whose words are not told.
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
    said: tuple[Said, ...] = ()
    unsaid: int = 0

    @property
    def votes(self) -> tuple[int, ...]:
        """Votes per option in this round, hands and keys together."""
        return _votes(self)

    @property
    def answered(self) -> int:
        """How many people answered in this round, hands included."""
        return _answered(self)

    def closes_at(self) -> float | None:
        """Wall-clock time at which an open question locks by itself."""
        return self.opened + self.time_s if self.time_s and self.phase == "open" else None


def heard(one: Round | QuestionState) -> list[str]:
    """Return whose answers count: the audience's; if none of it answered, by key or hand, the consoles'."""
    answered = dict.fromkeys((*one.answers, *one.texts))
    return [screen for screen in answered if screen in one.people or not (one.people or one.hands)]


def voters(one: QuestionState | Round, kind: str) -> int | None:
    """Count who chose; None where hands were counted and one answer may have several picks."""
    if kind != "multi":
        return sum(one.votes)
    told = said(one)
    whole = sum(one.votes) == sum(each.count * len(each.choice) for each in told)
    return sum(each.count for each in told) if whole else None


def _answered(one: Round | QuestionState) -> int:
    if one.said or one.unsaid:
        return sum(said.count for said in one.said) + one.unsaid
    everybody = one.answers.keys() | one.texts.keys()
    if one.people or one.hands:
        return sum(one.hands) + len(everybody & one.people.keys())
    return len(everybody)


def _votes(one: Round | QuestionState) -> tuple[int, ...]:
    if not one.hands and not one.people:
        return one.counts
    keyed = one.counts or (0,) * len(one.hands)
    raised = one.hands or (0,) * len(keyed)
    consoles = one.answers.keys() - one.people.keys()  # few, and not heard beside the room
    unheard = [one.answers[screen] for screen in consoles]
    return tuple(
        count + by_key - sum(n in choice for choice in unheard)
        for n, (count, by_key) in enumerate(zip(raised, keyed, strict=True))
    )


def said(one: Round | QuestionState) -> tuple[Said, ...]:
    """The answers that count, each with how often it was given, the most frequent first: in an order that
    tells nothing of who gave them."""
    if one.said:
        return one.said
    given = Counter((one.answers.get(screen, ()), one.texts.get(screen, ())) for screen in heard(one))
    ordered = sorted(given.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Said(choice, text, count) for (choice, text), count in ordered)


def seat_name(random: str, team: str = "") -> str:
    """Return the name in the journal of a seat with a phone."""
    return f"{PHONE}{random}{_TEAM}{team}" if team else PHONE + random


def team_of(screen: str) -> str:
    """Return the team that answers at a screen, "" for none."""
    return screen.partition(_TEAM)[2] if screen.startswith(PHONE) else ""


def opened(question: QuestionState, now: float) -> QuestionState:
    """Return the question at the beginning of a round."""
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
    if not any(one.strip() for one in typed):
        typed = ()
    who = who and who[:MOST_NAME]
    left = set()
    # Names are one person's each, so who answers again under a name has it alone.
    if who and question.people.get(screen) != who and who in question.people.values():
        left = {other for other, called in question.people.items() if called == who and other != screen}
    counts = question.counts
    if question.kind in COUNTED:
        counts = counts or (0,) * question.options
        # Only what becomes another: a room of a thousand is not counted anew for each of its answers.
        gone = [question.answers.get(one, ()) for one in (screen, *left)]
        counts = tuple(
            count - sum(n in choice for choice in gone) + (n in picked) for n, count in enumerate(counts)
        )
    people = question.people
    if who is not None or not (picked or typed):
        people = _with(people, screen, who if picked or typed else None, left)
    return replace(
        question,
        answers=_with(question.answers, screen, picked or None, left),
        texts=_with(question.texts, screen, typed or None, left),
        people=people,
        counts=counts,
    )


def _with(given: dict[str, T], screen: str, new: T | None, left: Collection[str]) -> dict[str, T]:
    """With what is new of `screen`, None: with nothing of it."""
    if new is None and not left and screen not in given:
        return given
    kept = _without(given, left)
    if new is not None:
        return {**kept, screen: new}
    return _without(kept, (screen,))


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
    """Begin another round; earlier answers are kept in `before`, and not shown before the reveal."""
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
