"""Every kind of question: how it is written, what its answers earn, how an answer is typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_kinds import BYTES, earned, read, trouble
from msgspec import structs

from quiz.answer_key import held, told
from quiz.answers.option_labels import labels
from quiz.formats import native
from quiz.grade import grade
from quiz.kinds.registry import UNGRADED
from quiz.parse import KINDS, parse_question
from quiz.question import Accepted, Gap, Option, Question
from quiz.reply import Reply, labels_of, read_reply
from quiz.shuffle import arranged, keyless


def test_true_or_false() -> None:
    question = read("Rank 0 averages.\n\n= false\n~ true\n  > Every rank does.")
    assert question.kind == "truefalse" and question.key == (1,)
    assert question.options[0].explain == "Every rank does."
    assert [earned(question, typed) for typed in ("f", "2", "true", "No")] == [1, 1, 0, 1]
    own = read("It does.\n\n- [x] Ja\n- [ ] Nein", "truefalse")
    assert [option.text for option in own.options] == ["Ja", "Nein"] and own.key == (0,)
    assert "must be right" in trouble("?\n\n~ true", "truefalse").message


def test_shares_of_the_points_in_the_boxes() -> None:
    question = read("?\n\n- [x] all\n- [50%] half\n- [-25%] worse\n- [ ] no", points="4")
    assert question.kind == "single" and question.key == (0,)
    assert [grade(question, (n,)).points for n in range(4)] == [4, 2, 0, 0]
    many = read("?\n\n- [60%] a\n- [40%] b\n- [-50%] c", "multi")
    assert many.key == (0, 1)
    assert [grade(many, c).points for c in ((0,), (0, 1), (0, 1, 2), (0, 2))] == pytest.approx(
        [0.6, 1, 0.5, 0.1]
    )
    strict = read("?\n\n- [x] a\n- [x] b\n- [ ] c", partial="no")
    assert grade(strict, (0,)).points == 0 and grade(strict, (0, 1)).points == 1


ORDER = "In which order?\n\n1. forward\n2. backward\n3. all-reduce\n4. step\n"


def test_an_order_earns_by_right_neighbours() -> None:
    question = read(ORDER, "order", points="3")
    assert question.key == (0, 1, 2, 3)
    assert [earned(question, typed) for typed in ("1234", "2 3 4 1", "4321", "1,2,4,3")] == [3, 2, 0, 1]
    assert isinstance(read_reply(question, "1 2 2 4"), str) and isinstance(read_reply(question, "123"), str)
    assert read_reply(question, "Step; forward; backward; all-reduce") == Reply((3, 0, 1, 2))


def test_an_answer_may_be_the_text_itself() -> None:
    single = read("?\n\n- [x] Ring\n- [ ] tree")
    assert read_reply(single, "TREE") == Reply((1,)) and isinstance(read_reply(single, "star"), str)
    pairs = read("?\n\n- a => left side\n- b => right side", "match")
    assert read_reply(pairs, "right side; left side") == Reply((1, 0))


MATCH = """\
    Who sends what?

    - DDP => gradients
    - FSDP => parameters and gradients
      > Gathered in forward, again in backward.
    - pipeline => activations
    - => everything
    """


def test_pairs_and_a_right_side_that_misleads() -> None:
    question = read(MATCH)
    assert question.kind == "match" and question.key == (0, 1, 2) and len(question.options) == 4
    assert question.options[1].explain.startswith("Gathered")
    assert earned(question, "a b c") == 1 and earned(question, "1a 3c") == pytest.approx(2 / 3)
    assert grade(question, (0, 3, 2)).parts == (1, 0, 1)
    twins = read("?\n\n- a => x\n- b => x\n- c => y", "match")
    assert len(twins.options) == 2 and twins.key == (0, 0, 1)


def test_gaps_are_typed_chosen_or_numbers() -> None:
    question = read(
        "Ring {{all-reduce|all reduce}} takes {{= 6 ± 0}} steps on {{4|~8|~2}} ranks; `{{`.", points="3"
    )
    assert question.kind == "cloze"
    assert question.stem == "Ring {{1}} takes {{2}} steps on {{3}} ranks; `{{`."
    assert question.gaps[2] == Gap((Accepted("4"),), ("2", "4", "8"))
    assert earned(question, "allreduce; 6; 4") == 3
    assert earned(question, "allreduce; 6; 2") == 2 and earned(question, "reduce; 6; b") == 2
    assert isinstance(read_reply(question, "one; two"), str)


@pytest.mark.parametrize(("gap", "right", "wrong"), [("3|~1|~5", "3", "15"), ("4|~2|~8", "4", "28")])
def test_a_digit_among_texts_that_are_numbers_is_the_text(gap: str, right: str, wrong: str) -> None:
    question = read("It takes {{" + gap + "}} rounds.")
    assert earned(question, right) == 1
    assert [earned(question, one) for one in wrong] == [0, 0]
    assert isinstance(read_reply(question, "9"), str)  # neither a label nor a text
    assert labels(question.gaps[0].offered) == ("a", "b", "c")


def test_a_sign_is_no_dash() -> None:
    assert earned(read("It is {{5|~-5|~50}}."), "-5") == 0 and earned(read("It is {{5|~-5}}."), "5") == 1
    assert (
        earned(read("What?\n\n= 5", "text"), "-5") == 0 and earned(read("What?\n\n= 10", "text"), "1 0") == 0
    )


TEXTS = st.sampled_from(
    ["1", "2", "3", "5", "-5", "2 GB", "a", "b", "ab", "ring", "**3**", "#1", "two words"]
)


@given(st.lists(TEXTS, min_size=2, max_size=6, unique=True))
def test_no_label_can_be_taken_for_a_text(texts: list[str]) -> None:
    said = labels(texts)
    assert len(set(said)) == len(said) == len(texts)
    options = tuple(Option(text, n == 0) for n, text in enumerate(texts))
    for kind in ("single", "multi", "poll"):
        question = Question("q", kind, "?", options)
        for n, (label, text) in enumerate(zip(said, texts, strict=True)):
            assert label == text or label not in {t.casefold() for t in texts}
            assert read_reply(question, text) == Reply((n,))
            assert read_reply(question, label) == Reply((texts.index(label) if label in texts else n,))
    gap = Gap((Accepted(texts[0]),), tuple(sorted(texts)))
    cloze = Question("q", "cloze", "{{1}}", gaps=(gap,))
    for label, text in zip(labels(gap.offered), gap.offered, strict=True):
        assert read_reply(cloze, text) == Reply(text=(text,))
        assert read_reply(cloze, label) == Reply(text=(text,)) or label in gap.offered
        assert earned(cloze, text) == (text == texts[0])


def test_pairs_whose_sides_are_numbers_are_answered_in_their_order() -> None:
    question = read("?\n\n- 2 => 4\n- 3 => 9\n- 4 => 16", "match")
    assert labels_of(question) == (("", "", ""), ("a", "b", "c"))
    assert read_reply(question, "b a c") == Reply((1, 0, 2)) and read_reply(question, "9; 4; 16") == Reply(
        (1, 0, 2)
    )
    assert isinstance(read_reply(question, "1b 2a"), str) and isinstance(read_reply(question, "2 1 3"), str)


LINE = """\
    Which line waits for the others?

    ```python
    loss.backward()
    dist.all_reduce(grad)
    optimizer.step()
    ```

    = 2
    > A collective returns when all ranks have come.
    """


def test_a_line_of_code() -> None:
    question = read(LINE, "line")
    assert question.code == "loss.backward()\ndist.all_reduce(grad)\noptimizer.step()"
    assert question.lang == "python" and question.stem == "Which line waits for the others?"
    assert question.key == (1,) and [earned(question, n) for n in "123"] == [0, 1, 0]
    assert "not a line of the code" in trouble(LINE.replace("= 2", "= 4"), "line").message


def test_an_answer_may_begin_with_code() -> None:
    body = "?\n\n- [ ] ```python\n  - [x] none\n  ```\n- [x] a list\n  - inner\n"
    first, second = read(body).options
    assert first.text == "```python\n- [x] none\n```" and second.right and second.text == "a list\n- inner"


def test_a_poll_has_no_key() -> None:
    question = read("Do you follow?\n\n- yes\n- [ ] no", "poll")
    assert [option.text for option in question.options] == ["yes", "no"] and not question.keyed
    with pytest.raises(ValueError, match="no key"):
        grade(question, (0,))


@pytest.mark.parametrize(
    ("body", "kind", "says"),
    [
        ("?\n\n= many", "numeric", "'many' is not a number"),
        ("?", "numeric", "no answer is right"),
        ("?\n\n~ x", "text", "no answer is right"),
        ("?\n\n= 150% x", "text", "worth more"),
        ("?\n\n1. one", "order", "nothing to put in order"),
        ("?\n\n- a => b", "match", "not two pairs"),
        ("?\n\n- a =>\n- b => c\n- d => e", "match", "right side of this pair"),
        ("? {{~a}}", "cloze", "no right answer"),
        ("? {{= many}}", "cloze", "is not a number"),
        ("?", "cloze", "no gap"),
        ("?\n\n= 1", "line", "no code"),
        ("?\n\n- a", "poll", "two options"),
        ("?\n\n- [900%] a", "", "holds '900%'"),
        ("?\n\n- [x] a\n- [x] b", "poll", "a poll has no right answer"),
        ("?\n\n- [x]a\n- [ ] b", "", "no blank between"),
        ("?\n\n= ~16 GB", "numeric", "is not a number"),
    ],
)
def test_each_kind_says_what_is_wrong(body: str, kind: str, says: str) -> None:
    found = trouble(body, kind)
    assert says in found.message and found.mend


@pytest.mark.parametrize(
    ("body", "stem", "explain"),
    [
        ("A {{x}} b.\n\n> Why.\n>\n> More.\n", "A {{1}} b.", "Why.\n\nMore."),
        ("A {{x}} b.\n> Why,\non a line.", "A {{1}} b.", "Why,\non a line."),
        ("> Said: {{x}}\n\n> Why.", "> Said: {{1}}", "Why."),
        ("> Said:\n\nA {{x}}.", "> Said:\n\nA {{1}}.", ""),
        ("A {{x}}.\n\n> q\n\n> hint: h\nmore", "A {{1}}.\n\n> q\n\nmore", ""),
        ("A {{x}}.\n\n```\n> code\n```", "A {{1}}.\n\n```\n> code\n```", ""),
    ],
)
def test_what_ends_a_text_with_gaps_explains_it(body: str, stem: str, explain: str) -> None:
    """Else the room has read it before it answers."""
    question = read(body, "cloze")
    assert (question.stem, question.explain) == (stem, explain)
    again = read(native.body(question), "cloze")
    assert (again.explain, again.gaps) == (question.explain, question.gaps)


def test_a_quote_that_ends_a_text_is_written_so_that_it_stays_one() -> None:
    question = structs.replace(read("Why?\n\n> because", "essay"), stem="Who said\n\n> this?")
    assert read(native.body(question), "essay").explain == "because"
    bare = structs.replace(question, explain="")
    assert read(native.body(bare), "essay").explain == ""


def test_a_key_that_was_told_is_the_key() -> None:
    for question in (
        read(BYTES),
        read("A {{b|c}}.", "cloze"),
        read(ORDER, "order"),
        read("?\n\n- [x] a\n- [ ] b"),
    ):
        key, accepted, *_ = told(question)
        bare = held(keyless(question), key, accepted)
        assert held(question, key, accepted) is question and told(bare)[:2] == (key, accepted)
    gap = held(keyless(read("A {{b|c}}.", "cloze")), (), ("b|c",))
    assert [grade(gap, (), (text,)).right for text in "bcd"] == [True, True, False]


def test_limits_and_switches_of_the_directive() -> None:
    question = read(ORDER, "order", time="2m", shuffle="yes", source="lecture 5", title="Steps")
    assert (question.time_s, question.shuffle, question.source, question.title) == (
        120,
        True,
        "lecture 5",
        "Steps",
    )
    assert "is not a time" in trouble(ORDER, "order", time="soon").message
    assert "neither yes nor no" in trouble(ORDER, "order", shuffle="maybe").message


def test_an_arrangement_is_the_same_question_by_another_order() -> None:
    question = read(ORDER, "order")
    seen = arranged(question, "class-1")
    assert seen == arranged(question, "class-1")
    assert sorted(o.text for o in seen.options) == sorted(o.text for o in question.options)
    assert [seen.options[n].text for n in seen.key] == [o.text for o in question.options]
    assert grade(seen, seen.key).right
    for seed in map(str, range(40)):  # what is to be put in order never lies there in order
        assert arranged(question, seed).key != question.key
    pairs = arranged(read(MATCH), "x")
    assert [pairs.options[n].text for n in pairs.key] == [
        "gradients",
        "parameters and gradients",
        "activations",
    ]
    plain = read("?\n\n- [x] a\n- [ ] b")
    assert arranged(plain, "x") is plain


def test_without_its_key_a_question_tells_nothing() -> None:
    for body, kind in ((BYTES, ""), (ORDER, "order"), (MATCH, ""), (LINE, "line"), ("a {{b}}", "")):
        bare = keyless(read(body, kind))
        assert not bare.keyed and not bare.explain
        with pytest.raises(ValueError, match="no key"):
            grade(bare, ())


PIECES = st.sampled_from(
    """\
- [x] a
- [50%] b
- [ ] c
= 3
= 16 ± 1 GB
~ no
1. one
2) two
- a => b
- => c
{{a,b}}
{{= 2}}
{{}}
```python
x = 1
```
> why
  > why
> hint: h
stem

\x1b[2J
= 1..2
= *""".replace(",", "|").splitlines()
)


@given(
    body=st.one_of(st.text(), st.lists(PIECES, max_size=10).map("\n".join)),
    kind=st.sampled_from(["", *KINDS]),
    redacted=st.booleans(),
    replies=st.lists(st.one_of(st.text(max_size=8), st.sampled_from(["1", "2 1", "1b 2a", "3", "a;b"]))),
)
def test_any_text_of_any_kind_is_a_question_that_can_be_answered_or_its_troubles(
    body: str, kind: str, redacted: bool, replies: list[str]
) -> None:
    found = parse_question("q", kind, {}, body, 5, redacted=redacted)
    if not isinstance(found, Question):
        assert found and all(t.message and t.mend and t.line >= 4 for t in found)
        return
    assert found.stem.strip() and (not kind or found.kind == kind)
    assert redacted or found.keyed or found.kind in UNGRADED
    for typed in replies:
        for question in (found, arranged(found, "s")):
            reply = read_reply(question, typed)
            if isinstance(reply, str):
                assert reply
            elif question.keyed:
                result = grade(question, *reply)
                assert 0 <= result.points <= result.out_of
                assert not result.right or result.points == result.out_of


def test_what_is_measured_is_a_number_where_nothing_says_another_kind() -> None:
    # Its key is what real ranks will do: nothing below it is one.
    open_one = parse_question("q", "", {"metric": "live.step_s"}, "How long?\n\n> Why.", 2, redacted=True)
    assert isinstance(open_one, Question) and open_one.kind == "numeric"
    assert read("How long?\n\n- [x] short\n- [ ] long\n", metric="live.step_s.median").kind == "single"
    assert read("Which?\n\n= ring\n", metric="live.step_s.median").kind == "text"
    assert "no options" in trouble("How long?\n").message
