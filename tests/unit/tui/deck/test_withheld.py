"""What an audience's deck has of a question of each kind: all that is asked, nothing of what is right."""

from __future__ import annotations

from collections.abc import Iterator

import made_questions
import pytest
from hypothesis import given, settings

from quiz.formats import native
from quiz.question import Question
from quiz.shuffle import arranged
from runtime.classroom import actions, question_state
from runtime.classroom import state as lc
from runtime.classroom.question_state import QuestionState
from runtime.classroom.state_for_the_room import visible_to
from runtime.host.visibility import public, visibility
from slides.reading.split import split
from tui.deck import deck_upload, question_of_block
from tui.deck.contents import Contents
from tui.views.question.question import question_lines

SEED = "5eed"
DECK = """\
# Kinds {#kinds}

::: quiz {#single kind=single shuffle=yes}
Stem single <!-- notes: SECRET -->

- [ ] one
- [x] two
  > SECRET
- [ ] three
:::

---

# More

::: quiz {#shares kind=multi}
Stem

- [50%] alpha
- [50%] beta
- [-25%] gamma
  > SECRET
> hint: SECRET
> SECRET
:::

::: quiz {#true}
Stem

= false
  > SECRET
:::

::: quiz {#number}
How much?

= 987654 ± 5%
:::

::: quiz {#word kind=text case=yes}
Which word?

= SECRET | *SECRET*
~ SECRET
  > SECRET
:::

::: quiz {#order kind=order}
Put them right

1. alpha
   > SECRET
2. beta
3. gamma
4. delta
:::

::: quiz {#pairs kind=match}
Pair them

- left => alpha
- middle => beta
- right => gamma
- => delta
:::

::: quiz {#gaps kind=cloze}
The {{SECRET|SECRET}} and {{beta|~gamma|~alpha}} and {{= 987654 GB}}.
:::

::: quiz {#code kind=line}
Which line?

```python
one = 1
two = 2
```

= 2
  > SECRET
:::

::: poll {#poll}
And you?

- this
- that
:::

::: quiz {#essay kind=essay}
Why?
:::

::: predict {#guess metric=live.step_s.median over=live unit=x}
How long?

- [ ] 1.5x
- [ ] 2x
:::

::: quiz {#broken kind=numeric}
Broken

= SECRET

- [SECRET%] SECRET
:::
"""


def both() -> tuple[Contents, Contents]:
    ours = Contents(split(DECK, "deck.md"))
    return ours, deck_upload.contents(deck_upload.for_audience(ours, SEED), "audience")


def quizzes(contents: Contents) -> Iterator[tuple[str, Question | None]]:
    for n in range(len(contents)):
        for quiz in contents.quizzes(n):
            found = question_of_block.read(quiz, redacted=True)
            yield quiz.id, found if isinstance(found, Question) else None


def test_every_kind_arrives_whole_but_for_its_key() -> None:
    ours, theirs = both()
    got = dict(quizzes(theirs))
    assert theirs.deck.problems == () and [s.problems for s in map(theirs.slide, range(2))] == [(), ()]
    for n in range(len(ours)):
        assert [q.id for q in theirs.quizzes(n)] == [q.id for q in ours.quizzes(n)]
        for quiz in ours.quizzes(n):
            right, seen = question_of_block.question(quiz), got[quiz.id]
            if right is None:
                continue
            assert seen is not None, quiz.id
            right = arranged(right, SEED)
            assert (seen.kind, seen.stem, seen.prompts, seen.code) == (
                right.kind,
                right.stem,
                right.prompts,
                right.code,
            )
            assert [o.text for o in seen.options] == [o.text for o in right.options], quiz.id
            assert [g.offered for g in seen.gaps] == [g.offered for g in right.gaps]
            assert not seen.keyed and seen.hints == ()


def test_nothing_of_a_key_is_in_it() -> None:
    ours, theirs = both()
    blob = deck_upload.for_audience(ours, SEED)
    for secret in (b"SECRET", b"987654", b"[x]", b"50%", b"-25%", SEED.encode()):
        assert secret not in blob, secret
    assert "shuffle" not in theirs.deck.source
    # The right order, the pairs and the right line are not to be told from what is there.
    alpha, beta = (
        theirs.deck.source.index(word, theirs.deck.source.index("#order")) for word in ("alpha", "beta")
    )
    order = question_of_block.question(ours.quizzes(1)[4])
    assert order is not None and arranged(order, SEED).key != (0, 1, 2, 3) and alpha != beta


@settings(deadline=None, max_examples=60)
@given(made_questions.questions(("single", "multi", "numeric", "text", "order", "match", "cloze", "line")))
def test_any_question_of_any_kind(question: Question) -> None:
    deck = f"{native.attributes(question)}\n{native.body(question)}\n:::\n"
    ours = Contents(split(deck, "deck.md"))
    theirs = deck_upload.contents(deck_upload.for_audience(ours, SEED), "audience")
    mine, seen = (
        [question_of_block.read(q) for q in ours.quizzes(0)],
        [question_of_block.read(q, redacted=True) for q in theirs.quizzes(0)],
    )
    assert len(mine) == len(seen)
    for right, shown in zip(mine, seen, strict=True):
        if isinstance(right, Question):
            assert isinstance(shown, Question) and not shown.keyed
            assert len(shown.options) == len(right.options) and len(shown.gaps) == len(right.gaps)


@pytest.mark.parametrize("kind", ["single", "order", "match", "text", "cloze", "line", "numeric"])
def test_the_journal_tells_the_room_nothing_before_the_reveal(kind: str) -> None:
    """Entries as the host sends them to an audience, and its state, up to the reveal."""
    sample = question_state.Sample("block", "run", 987654.0)
    done: list[actions.AnyAction] = [
        actions.Begin("c", "1", "SECRET"),
        actions.Open("q", kind, 4),
        actions.Answer("q", (2, 1), ("SECRET",), "SECRET"),
        actions.Hands("q", (7654, 0, 0, 1)),
        actions.Lock("q", (2, 1), 7654.0, 1.0, ("SECRET",), (0.7654,)),
        actions.Again("q"),
        actions.Answer("q", (3, 1), ("SECRET",)),
        actions.Lock("q", (3, 1), 7654.0, 1.0, ("SECRET",), (0.7654,)),
        actions.Measured("q", sample),
    ]
    state = lc.ClassState()
    for n, action in enumerate(done, 1):
        entry = actions.Entry(n, float(n), "s", visibility(action), action)
        state = lc.apply(state, entry)
        seen = visible_to(state, "audience")
        told = repr(seen) + (repr(public(entry, seen)) if entry.visible == "all" else "")
        assert "SECRET" not in told and "7654" not in told, action
    reveal = actions.Reveal("q", (2,), ("why",), "all", ("right",))
    shown = visible_to(lc.apply(state, actions.Entry(20, 20.0, "s", "all", reveal)), "audience").questions[
        "q"
    ]
    assert shown.phase == "revealed" and shown.people == {} and "s" not in shown.answers
    assert len(shown.before) == 1


def test_whether_capitals_count_is_no_secret() -> None:
    """Else a screen of the room tells somebody that he was right where he was not."""
    text = "# A\n\n::: quiz {#q kind=text case=yes}\nWhich?\n\n= DDP\n:::\n"
    contents = Contents(split(text, "deck.md"))
    theirs = deck_upload.contents(deck_upload.for_audience(contents), "audience")
    question = question_of_block.read(theirs.quizzes(0)[0], redacted=True)
    assert isinstance(question, Question) and question.case and not question.accepted
    state = QuestionState("q", "text", 0, "revealed", accepted=("DDP",))
    assert "not right" in str(question_lines(question, state, (), 80, typed=("ddp",)))
