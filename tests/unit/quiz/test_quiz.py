"""The grammar of a question, what is said of a broken one, and what an answer earns."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.grade import Grade, grade
from quiz.parse import MAX_OPTIONS, parse_question
from quiz.question import Option, Question, Trouble

RING = """\
How many bytes does each rank send?

- [ ] S
- [x] 2(n-1)/n · S
  > Every chunk goes round twice.
- [ ] nS
"""


def read(body: str, kind: str = "", line: int = 10, **attrs: str) -> Question:
    found = parse_question("q", kind, attrs, body, line)
    assert isinstance(found, Question), found
    return found


def troubles(body: str, kind: str = "", **attrs: str) -> tuple[Trouble, ...]:
    found = parse_question("q", kind, attrs, body, 10)
    assert isinstance(found, tuple) and found, found
    return found


def test_a_question_as_in_the_grammar() -> None:
    assert read(RING, line=7, points="2.5", tags="ring, bytes,") == Question(
        id="q",
        kind="single",
        stem="How many bytes does each rank send?",
        options=(
            Option("S", False),
            Option("2(n-1)/n · S", True, "Every chunk goes round twice."),
            Option("nS", False),
        ),
        points=2.5,
        tags=("ring", "bytes"),
        line=7,
    )


@pytest.mark.parametrize("kind", ["numeric", "text", "cloze", "essay", "line"])
def test_what_closes_a_question_without_answers_below_it_is_told_after_it(kind: str) -> None:
    body = "How long is {{16 ms}}?\n\n```\ncode\n```\n\n> It is\nas long as it is."
    found = parse_question("q", kind, {}, body, 10, redacted=True)
    assert isinstance(found, Question)
    assert found.explain == "It is\nas long as it is." and "as long" not in found.stem
    quoted = parse_question(
        "q", kind, {}, "> As he said:\n\nHow {{long}}?\n```\ncode\n```", 10, redacted=True
    )
    assert isinstance(quoted, Question) and not quoted.explain and "As he said" in quoted.stem


def test_everything_a_question_may_hold() -> None:
    question = read(
        dedent("""\

            Two *paragraphs*:

            - a plain list
            - [a link](x)

            ```python
            - [x] not an option
            > nor an explanation
            ```

            * [X] goes on
              over a line

              ~~~
              - [ ] still code
              > and this too
              ~~~

              > why,
              > in two lines
            * [ ] has a list
                - [x] inside

            > For all.
            >
            > - [x] quoted
            lazily
            """),
        line=20,
    )
    assert question.kind == "single"
    assert question.line == 21
    assert question.stem.startswith("Two *paragraphs*:\n\n- a plain list") and question.stem.endswith("```")
    code = "~~~\n- [ ] still code\n> and this too\n~~~"
    assert question.options == (
        Option(f"goes on\nover a line\n\n{code}", True, "why,\nin two lines"),
        Option("has a list\n  - [x] inside", False),
    )
    assert question.explain == "For all.\n\n- [x] quoted\nlazily"
    assert question.key == (0,)


def test_several_right_options_make_it_multi_unless_the_kind_says_otherwise() -> None:
    two = RING.replace("[ ] nS", "[x] nS")
    assert read(two).kind == "multi"
    assert read(two, "multi").key == (1, 2)
    assert read(RING).kind == "single"
    assert read(RING, "multi").kind == "multi"  # "all that apply" may be one
    (trouble,) = troubles(two, "single")
    assert trouble.line == 15 and "kind=multi" in trouble.mend


@pytest.mark.parametrize(
    ("body", "attrs", "line", "says", "mend"),
    [
        ("Only a stem", {}, 9, "no options", "- [ ] text"),
        ("A {{gap}}\n\n- [ ] a", {}, 12, "no option is right", "kind=cloze"),
        ("", {}, 9, "question itself", "above the first option"),
        ("- [x] a\n- [ ] b", {}, 9, "question itself", "above the first option"),
        ("Q\n- [ ] a\n- [ ] b", {}, 11, "no option is right", "- [x]"),
        ("Q\n- [x] a\n- [ ]", {}, 12, "no text", "- [ ] text"),
        ("Q\n- [x] a\n- [] b", {}, 12, "holds nothing", "- [ ]"),
        ("Q\n- [✓] a\n- [x] b", {}, 11, "holds '✓'", "- [x]"),
        ("Q\n- [x] a\nstray", {}, 12, "belongs to none", "two spaces"),
        ("Q\n- [x] a\n> why\n- [ ] b", {}, 12, "between two options", "two spaces"),
        ("Q\n```\n- [x] a", {}, 11, "stays open", "```"),
        ("Q\n- [x] a" + "\n- [ ] b" * 9, {}, 20, "10 options", "Drop some"),
        ("Q\n- [x] a", {"points": "many"}, 9, "points='many'", "points=2"),
        ("Q\n- [x] a", {"points": "-1"}, 9, "points='-1'", "points=2"),
        ("Q\n- [x] a", {"points": "inf"}, 9, "points='inf'", "points=2"),
        ("Q\n- [x] a", {"kind": "riddle"}, 9, "unknown kind 'riddle'", "`single`, `multi`"),
    ],
)
def test_each_trouble_says_where_what_and_what_instead(
    body: str, attrs: dict[str, str], line: int, says: str, mend: str
) -> None:
    found = parse_question("q", attrs.get("kind", ""), attrs, body, 10)
    assert isinstance(found, tuple)
    match = [t for t in found if t.line == line and says in t.message]
    assert match and mend in match[0].mend, found


def test_troubles_are_all_told_in_order_of_line() -> None:
    found = troubles("- [] \nstray\n> why\n- [x] b", kind="riddle", points="x")
    assert [t.line for t in found] == sorted(t.line for t in found)
    assert len(found) == 7


def test_nine_options_are_as_many_as_digits() -> None:
    assert len(read("Q\n- [x] a" + "\n- [ ] b" * (MAX_OPTIONS - 1)).options) == 9


def test_an_audience_reads_the_question_without_its_key() -> None:
    body = "\n".join(line for line in RING.replace("[x]", "[ ]").split("\n") if ">" not in line)
    found = parse_question("q", "", {}, body, 10, redacted=True)
    assert isinstance(found, Question)
    assert found.key == () and len(found.options) == 3
    with pytest.raises(ValueError, match="no key"):
        grade(found, (0,))


PIECES = st.sampled_from(
    """\
- [ ] a
- [x] b
* [X]
- []
- [y] c
  - [x] deep
-  [x]  wide
- [x](url)
  > why
> all
\t> tab
```
  ```
~~~~
    more
stem

$x$
<!--
:::
\x1b[2J
“""".splitlines()
)


@given(
    body=st.one_of(
        st.text(), st.builds(str.join, st.sampled_from(["\n", "\r\n"]), st.lists(PIECES, max_size=12))
    ),
    kind=st.sampled_from(["", "single", "multi", "order", "\0"]),
    points=st.one_of(st.text(max_size=6), st.sampled_from(["1", "1e400", "nan", "0"])),
    line=st.integers(1, 50),
    redacted=st.booleans(),
)
def test_any_text_is_a_question_or_its_troubles(
    body: str, kind: str, points: str, line: int, redacted: bool
) -> None:
    found = parse_question("q", kind, {"points": points}, body, line, redacted=redacted)
    if isinstance(found, Question):
        assert found.stem.strip() and 1 <= len(found.options) <= MAX_OPTIONS
        assert redacted or found.key
        assert found.kind == "multi" or len(found.key) <= 1
        assert line <= found.line <= line + body.count("\n")
    else:
        assert found
        assert all(
            t.message and t.mend and max(1, line - 1) <= t.line <= line + body.count("\n") for t in found
        )


WORDS = st.text("abcdefgh ", min_size=1, max_size=12).map(str.strip).filter(bool)


@given(
    stem=WORDS,
    options=st.lists(st.tuples(WORDS, st.booleans(), st.one_of(st.just(""), WORDS)), min_size=1, max_size=9),
    explain=st.one_of(st.just(""), WORDS),
)
def test_what_is_written_by_the_grammar_is_read_back(
    stem: str, options: list[tuple[str, bool, str]], explain: str
) -> None:
    lines = [stem, ""]
    for text, right, why in options:
        lines += [f"- [{'x' if right else ' '}] {text}"] + ([f"  > {why}"] if why else [])
    lines += ["", f"> {explain}"] if explain else []
    found = parse_question("q", "multi", {}, "\n".join(lines), 1)
    if not any(right for _, right, _ in options):
        assert isinstance(found, tuple)
        return
    assert isinstance(found, Question)
    assert [(o.text, o.right, o.explain) for o in found.options] == options
    assert (found.stem, found.explain) == (stem, explain)


# --- grading --------------------------------------------------------------------------------------------


def question(key: str, kind: str = "multi", points: float = 1.0) -> Question:
    options = tuple(Option(str(n), mark == "x") for n, mark in enumerate(key))
    return Question("q", "single" if kind == "single" else "multi", "?", options, points=points)


@pytest.mark.parametrize(("choice", "points"), [((1,), 2.0), ((0,), 0.0), ((), 0.0), ((0, 1), 0.0)])
def test_single_is_all_or_nothing(choice: tuple[int, ...], points: float) -> None:
    assert grade(question("-x-", "single", 2.0), choice) == Grade(points, 2.0, points == 2.0)


@pytest.mark.parametrize(
    ("choice", "points"),
    [
        ((0, 1), 4.0),
        ((1, 0, 1), 4.0),  # order and repeats do not count
        ((0,), 2.0),
        ((0, 2), 0.0),  # one share won, one lost
        ((0, 1, 2), 2.0),
        ((0, 1, 2, 3), 0.0),  # ticking everything earns nothing here
        ((2, 3), 0.0),  # never below zero
        ((0, 7), 0.0),  # a pick that is not an option is a wrong one
        ((), 0.0),
    ],
)
def test_multi_adds_a_share_per_right_pick_and_takes_one_per_wrong(
    choice: tuple[int, ...], points: float
) -> None:
    assert grade(question("xx--", points=4.0), choice) == Grade(
        points, 4.0, points == 4.0 and len(choice) < 4
    )


@given(
    key=st.text("x-", min_size=1, max_size=9).filter(lambda k: "x" in k), picked=st.sets(st.integers(0, 8))
)
def test_a_grade_stays_between_nothing_and_all(key: str, picked: set[int]) -> None:
    asked = question(key, points=3.0)
    got = grade(asked, picked)
    assert 0 <= got.points <= got.out_of == 3.0
    assert got.right == (set(asked.key) == picked) == (got.points == 3.0)
    for more in set(range(len(key))) - set(asked.key) - picked:
        assert grade(asked, picked | {more}).points <= got.points
