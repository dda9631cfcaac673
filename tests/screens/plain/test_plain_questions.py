"""Questions of a class in lines: asked, answered by letters and numbers, locked and revealed."""

from __future__ import annotations

import pytest
from made_plain import done, told
from made_screen import FakeLink

from runtime.classroom.actions import Again, Answer, Lock, Move, Open, Reveal, Show
from runtime.protocol.messages import Answered, Reply


def test_a_question_is_answered_by_number() -> None:
    text, _ = told("4", "9", "2", "reveal", "answer 1")
    rows = text.split("\n")
    assert rows[rows.index("question:") + 1 :][:5] == [
        "How many bytes?",
        "  1. S",
        "  2. RIGHT-ANSWER",
        "  3. nS",
        "answer with a number; reveal says what is right",
    ]
    assert "one of 1 to 3" in text and "answered 2; reveal says what is right" in text
    assert text.index("answered 2") < text.index("right: 2") < text.index("SECRET-WHY")
    assert "no question is open here" in text


KINDS = """\
::: quiz {{#q kind={kind}}}
{body}
:::
"""
EVERY_KIND = [
    ("multi", "Which?\n\n- [x] A\n- [x] B\n- [ ] C", "1,3", "right: 1,2", "0 of 1"),
    ("numeric", "How much?\n\n= 16.6 ± 0.1 GB", "16.6 GB", "right: 16.6 ± 0.1 GB", "1 of 1"),
    (
        "text",
        "Name?\n\n= all-reduce | allreduce",
        "answer Allreduce",
        "right: all-reduce or allreduce",
        "1 of 1",
    ),
    ("order", "Order\n\n1. a\n2. b\n3. c", "1 2 3", "right: ", "of 1"),
    ("match", "Match\n\n- left => right\n- up => down", "1a", "right: 1", "of 1"),
    (
        "cloze",
        "An {{all-reduce}} of {{16 GB}}",
        "answer all-reduce; 3",
        "right: all-reduce; 16 GB",
        "0.5 of 1",
    ),
    ("line", "Where?\n\n```python\na\nb\n```\n\n= 2", "2", "right: 2", "1 of 1"),
]


@pytest.mark.parametrize(
    ("kind", "body", "how"),
    [
        ("single", "Which?\n\n- [ ] 2\n- [x] 4\n- [ ] 8", "a letter"),  # numbers are told by letters
        ("single", "Which?\n\n- [ ] one\n- [x] two", "a number"),
        ("order", "Order\n\n1. a\n2. b\n3. c", "all numbers in your order, as in"),
        ("match", "Match\n\n- left => right\n- up => down", "a letter for each, as in 1b 2a"),
        ("text", "Name?\n\n= all-reduce", "words, as in answer all-reduce"),
    ],
)
def test_what_must_be_answered_first_is_said_in_the_labels_that_were_told(
    kind: str, body: str, how: str
) -> None:
    text, _ = told("lock", deck=KINDS.format(kind=kind, body=body))
    assert f"answer first, with {how}" in text and f"answer with {how}" in text


@pytest.mark.parametrize(("kind", "body", "typed", "right", "points"), EVERY_KIND)
def test_every_kind_of_question_is_answered_in_a_line(
    kind: str, body: str, typed: str, right: str, points: str
) -> None:
    text, link = told("answer", typed, "reveal", deck=KINDS.format(kind=kind, body=body))
    rows = text.split("\n")
    assert "answer with what you mean, as in answer 2" in rows
    assert any(row.startswith("answered ") and row.endswith("; reveal says what is right") for row in rows)
    assert any(row.startswith(right) for row in rows), text
    assert f"{points} points" in text and len(done(link, Lock)) == len(done(link, Reveal)) == 1


EVEN = KINDS.format(kind="multi", body="Which are even?\n\n- [x] 2\n- [ ] 3\n- [x] 4\n- [ ] 1")
LETTERS = [(typed, (0, 2)) for typed in ("a,c", "A, C", "a c", "ac", "a;c", "answer a c")]
LETTERS += [("a", (0,)), ("b", (1,)), ("B", (1,)), ("c,d", (2, 3))]


def asks(link: FakeLink) -> None:
    link.order(Open("q", "multi", 4))


def given(link: FakeLink) -> list[tuple[int, ...]]:
    sent = [message.choice for message in link.of(Reply)]
    return sent + [answer.choice for answer in done(link, Answer)]


@pytest.mark.parametrize("role", ["console", "audience"])
@pytest.mark.parametrize(("typed", "wanted"), LETTERS)
def test_options_called_by_letters_are_answered_by_letters(
    typed: str, wanted: tuple[int, ...], role: str
) -> None:
    before = (asks,) if role == "audience" else ()
    text, link = told(*before, typed, deck=EVEN, role=role, answers=True)
    assert given(link) == [wanted] and "answered " in text, text
    assert not done(link, Show)


def test_who_follows_is_not_told_that_nobody_answered() -> None:
    text, _ = told(
        asks,
        "a",
        "status",
        lambda link: link.order(Lock("q", (), None, 0.0)),
        "here",
        deck=EVEN,
        role="audience",
        answers=True,
    )
    assert "locked" in text.split("\n") and "question open" in text.split("\n"), text
    assert "0 answers" not in text and "answers in" not in text


def test_commands_with_a_word_of_their_own_stay_commands_while_a_question_is_open() -> None:
    text, link = told("blank", "b", "timer", "n x", deck=EVEN)
    assert len(done(link, Show)) == 1 and given(link) == [(1,)] and "the clock runs" in text


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_reading_that_breaks_ends_the_class() -> None:
    def breaks(link: FakeLink) -> None:
        raise RuntimeWarning("of the input")

    text, _ = told(breaks)
    assert "ended" in text


def test_hands_a_hint_and_a_second_vote() -> None:
    text, _ = told("4", "hint", "hands 1 2", "hands 4 6 0", "again", "2", "lock", "again", "e")
    for line in (
        "this question has no hints",
        "3 counts, one for each option, as in 4 13 19",
        "10 hands; undo takes that back",
        "the question is asked again; what was answered before stays hidden until the reveal",
        "locked with 1 answer",
        "this is the second vote already: e reveals both",
        "votes before: 4 for 1, 6 for 2, 0 for 3",
        "votes: 0 for 1, 1 for 2, 0 for 3",
    ):
        assert line in text.split("\n"), line


def test_who_follows_hears_how_many_have_answered_at_quarters_and_at_the_lock() -> None:
    def counted(answered: int, people: int = 8) -> object:
        return lambda link: link.receive(Answered("ring", answered, people))

    def asked(link: FakeLink) -> None:
        link.order(Move("question", 0))
        link.order(Open("ring", "single", 3))

    def again(link: FakeLink) -> None:
        link.order(Again("ring"))

    def locked(link: FakeLink) -> None:
        link.order(Lock("ring", (1,), 1.0, 1.0))

    steps = [asked, *(counted(n) for n in (0, 1, 2, 3, 3, 6, 8))]
    text, _ = told(*steps, again, counted(0), counted(2), locked, role="audience")  # type: ignore[arg-type]
    said = [row for row in text.split("\n") if "have answered" in row]
    assert said == [
        "2 of 8 have answered",
        "6 of 8 have answered",
        "all have answered",
        "2 of 8 have answered",
        "locked: 2 of 8 have answered",
    ]


def test_who_drives_hears_the_count_with_the_lock_alone() -> None:
    text, _ = told("4", lambda link: link.receive(Answered("ring", 8, 8)), "lock")
    assert "have answered" not in text
