"""GIFT as Moodle's documentation describes it, read exactly; broken files, each trouble in its place."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.formats.gift import reader
from quiz.grade import grade
from quiz.question import Accepted, Number, Option, Question


def one(text: str) -> Question:
    bank = reader.read(dedent(text))
    assert bank.troubles == () and len(bank.questions) == 1, bank
    return bank.questions[0]


def test_a_choice_with_shares_and_feedback() -> None:
    question = one("""\
        ::Home town:: [markdown]He came from {
            ~Jerusalem#An important *city*, but no.
            ~%25%Bethlehem # Born, not raised.
            =Nazareth#Yes!
            ####All of it
        }.
        """)
    assert (question.kind, question.title, question.markup) == ("single", "Home town", "markdown")
    assert question.stem == "He came from _____." and question.explain == "All of it"
    assert question.options == (
        Option("Jerusalem", False, "An important *city*, but no."),
        Option("Bethlehem", False, "Born, not raised.", 0.25),
        Option("Nazareth", True, "Yes!"),
    )
    assert [grade(question, (n,)).points for n in range(3)] == [0, 0.25, 1]


def test_without_an_equals_sign_several_are_right() -> None:
    question = one("Who? {~%-50%No one ~%50%Grant ~%50%His wife ~%-50%His father}")
    assert question.kind == "multi" and question.key == (1, 2)
    assert grade(question, (1, 2)).right and grade(question, (0, 1)).points == 0
    lone = one("Which? {~%0%a ~%100%b}")
    assert lone.kind == "multi" and lone.key == (1,)


def test_answers_need_no_blanks_between_them() -> None:
    question = one("Who's buried in Grant's tomb?{~Grant~Jefferson=no one}")
    assert [(o.text, o.right) for o in question.options] == [
        ("Grant", False),
        ("Jefferson", False),
        ("no one", True),
    ]


@pytest.mark.parametrize(
    ("braces", "key", "explains"),
    [
        ("{T}", (0,), ("", "")),
        ("{ false }", (1,), ("", "")),
        ("{TRUE#you erred}", (0,), ("", "you erred")),
        ("{F#you erred#so it is}", (1,), ("you erred", "so it is")),
    ],
)
def test_true_or_false(braces: str, key: tuple[int, ...], explains: tuple[str, str]) -> None:
    question = one(f"Rank 0 averages.{braces}")
    assert (question.kind, question.key) == ("truefalse", key)
    assert tuple(option.explain for option in question.options) == explains


@pytest.mark.parametrize(
    ("braces", "number"),
    [
        ("{#1822}", Number(1822, 1822, "", 1822)),
        ("{#1822:5}", Number(1817, 1827, "", 1822)),
        ("{# 3.141..3.142 }", Number(3.141, 3.142)),
        ("{#-2.5e3:.5}", Number(-2500.5, -2499.5, "", -2500)),
        ("{#-3..-1}", Number(-3, -1)),
        ("{#=7:0}", Number(7, 7, "", 7)),
        ("{#.5}", Number(0.5, 0.5, "", 0.5)),
        ("{#4 # even}", Number(4, 4, "", 4)),
        ("{#3:2~#Completely wrong}", Number(1, 5, "", 3)),
    ],
)
def test_every_form_of_a_number(braces: str, number: Number) -> None:
    question = one(f"How many? {braces}")
    assert question.kind == "numeric" and question.accepted[0].number == number


def test_several_numbers_with_shares_and_feedback_for_the_rest() -> None:
    question = one("When? {#\n  =1822:0 #Correct\n  =%50%1822:2 #Close\n  ~#No\n}")
    assert [(a.weight, a.explain) for a in question.accepted] == [(1, "Correct"), (0.5, "Close"), (0, "No")]
    assert [grade(question, (), (typed,)).points for typed in ("1822", "1823", "1900")] == [1, 0.5, 0]


def test_a_number_may_stand_before_the_first_mark_as_for_moodle() -> None:
    question = one("How many? {#1:0.1 # right =%50%2..3 ~#neither}")
    assert [(a.number, a.weight, a.explain) for a in question.accepted] == [
        (Number(0.9, 1.1, "", 1), 1, "right"),
        (Number(2, 3), 0.5, ""),
        (None, 0, "neither"),
    ]


def test_texts_pairs_essays_and_descriptions() -> None:
    assert one("Two plus two equals {=four =%50%4#digits}").accepted == (
        Accepted("four"),
        Accepted("4", 0.5, "digits"),
    )
    pairs = one("Match. {\n =Canada -> Ottawa\n =Italy->Rome\n = -> New Delhi\n =Upper Canada -> Ottawa }")
    assert pairs.prompts == ("Canada", "Italy", "Upper Canada")
    assert [o.text for o in pairs.options] == ["Ottawa", "Rome", "New Delhi"] and pairs.key == (0, 1, 0)
    assert one("Write. {}").kind == "essay" and one("Write. { #### gladly }").explain == "gladly"
    text = one("Read this first, \\{please\\}.")
    assert (text.kind, text.stem, text.points) == ("description", "Read this first, {please}.", 0)


def test_every_escape_and_nothing_else() -> None:
    question = one(r"::a\:\:b::Is \~\=\#\{\}\: C\:\\new\n\x? {=\=\~ ~b\#c#d\#e}")
    assert question.title == "a::b"
    assert question.stem == "Is ~=#{}: C:\\new\n\\x?"
    assert question.options == (Option("=~", True), Option("b#c", False, "d#e"))


def test_format_marks_and_what_only_looks_like_one() -> None:
    assert [one(f"[{m}]a {{T}}").markup for m in ("html", "moodle", "plain", "markdown")] == [
        "html",
        "moodle",
        "plain",
        "markdown",
    ]
    assert one("[Est] o {T}").stem == "[Est] o"
    assert one("q {=[html]<b>a</b> ~[plain]b}").options[0].text == "<b>a</b>"


def test_a_right_answer_behind_both_marks() -> None:
    question = one("{~It ~=There\n~=It is#so} is some food.")
    assert (question.kind, question.key) == ("single", (1, 2))
    assert question.options[2] == Option("It is", True, "so")
    assert [(t.line, t.column) for t in reader.read("Q {~=a ~ ~=%x%b}").troubles] == [(1, 8), (1, 11)]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("[html]q {~[plain]a < b, c > d =x}", "a &lt; b, c &gt; d"),
        ("[html]q {~[moodle]a & b\nc =x}", "a &amp; b<br>c"),
        ("[html]q {~[moodle]<i>a</i> =x}", "<i>a</i>"),
        ("[markdown]q {~[html]<b>a</b> =x}", "**a**"),
        ("[markdown]q {~[plain]a * b =x}", "a \\* b"),
        ("q {~[plain]a <b> c =x}", "a &lt;b&gt; c"),
        ("q {~[markdown]*a* =x}", "*a*"),
    ],
)
def test_an_answer_in_a_format_of_its_own_is_written_in_that_of_its_question(text: str, written: str) -> None:
    assert one(text).options[0].text == written
    assert one(text.replace("~", "~wrong#").replace("=x", "=x####[plain]<")).options[0].explain == written


def test_what_is_compared_letter_by_letter_is_not_rewritten() -> None:
    assert one("[html]q {=[plain]a < b}").accepted == (Accepted("a < b"),)
    assert one("[html]q {=[plain]a -> x < y =[plain]b < c -> z}").options[0].text == "x < y"


def test_comments_categories_ids_and_line_ends() -> None:
    text = (
        "\ufeff// a file\r\n$CATEGORY: $course$/ring\r\n\r\n// [id:q7] [tag:ring] [tag:a\\]b]\r\n::t::One {T}"
        "\r\n\r\n \t\r\n  // inside\r\nTwo {\r\n// not an answer =x\r\n=a\r\n~b }\r\n"
        "\r\n$CATEGORY: other\r\n\r\nThree\r\n"
    )
    bank = reader.read(text)
    assert bank.troubles == ()
    one, two, three = bank.questions
    assert (one.id, one.tags, one.category, one.line) == ("q7", ("ring", "a]b"), "$course$/ring", 5)
    assert [o.text for o in two.options] == ["a", "b"] and two.tags == () and two.line == 9
    assert three.category == "other" and three.line == 16


def test_questions_without_a_blank_line_between_are_read_and_told() -> None:
    bank = reader.read("// [id:a]\n::A::One {T}\n::B::Two\nlines {=x ~y}\n\tThree {#3}\n\n\ufeffGood {}")
    assert [(q.id, q.title, q.stem, q.line) for q in bank.questions] == [
        ("a", "A", "One", 2),
        ("b", "B", "Two\nlines", 3),
        ("three", "", "Three", 5),
        ("good", "", "Good", 7),
    ]
    assert [(t.line, t.column) for t in bank.troubles] == [(3, 1), (5, 2)]


def test_shares_that_moodle_doubts_are_noted_and_kept() -> None:
    bank = reader.read("Good {~%33.33333%a ~%66.66667%b ~%-100%c}\n\nQ {~%33%a ~%50%b ~c}\n\nR {=a =%45%b}")
    assert len(bank.questions) == 3 and bank.troubles == ()
    assert [(n.line, n.message) for n in bank.notes] == [
        (3, "Moodle refuses a share of 33 %"),
        (3, "the right answers come to 83 %: Moodle warns"),
        (5, "Moodle refuses a share of 45 %"),
    ]


def test_ids_are_the_same_each_time_and_never_twice() -> None:
    bank = reader.read("::Ring::a {T}\n\n::Ring::b {T}\n\nHow many? {T}\n\n{ {T}\n\n??? {T}")
    assert [q.id for q in bank.questions] == ["ring", "ring-2", "how-many", "question"] and not bank.notes
    twice = reader.read("// [id:q]\nA {T}\n\n// [id:q]\nB {T}")
    assert [q.id for q in twice.questions] == ["q", "q-2"]
    assert [(n.line, "'q-2'" in n.message) for n in twice.notes] == [(5, True)]


@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ("Q {=a ~b", 1, 3, "not closed"),
        ("Q } x", 1, 3, "closes nothing"),
        ("Q {=a ~b} and {=c}", 1, 15, "a second `{`"),
        ("Q {T}\nR {F}", 2, 1, "right below another"),
        ("f() { return 1; }\nWhat? {=1 ~2}", 2, 7, "a second `{`"),
        ("Q {=a {~b}}", 1, 7, "inside the answers"),
        ("Q {=a\n\n~b}", 2, 1, "blank line"),
        ("Q {four ~five}", 1, 4, "neither `=` nor `~`"),
        ("Q {1:SA:=a} and {2:MC:=b~c}", 1, 17, "several gaps"),
        ("Q {~a ~b}", 1, 4, "no answer is right"),
        ("Q {~a}", 1, 4, "a choice of one"),
        ("Q {=a ~}", 1, 7, "empty"),
        ("Q {=a ~%200%b}", 1, 8, "a weight of 200 %"),
        ("Q {=a ~%half%b}", 1, 8, "not a weight"),
        ("Q {#many}", 1, 5, "'many' is not a number"),
        ("Q {#}", 1, 5, "nothing is not a number"),
        ("Q {#5..1}", 1, 5, "down to"),
        ("Q {#3 =many}", 1, 8, "'many' is not a number"),
        ("Q {=%50%a}", 1, 4, "no answer is right"),
        ("Q {=a -> b =c}", 1, 12, "no `->`"),
        ("Q {=a -> =c -> d}", 1, 4, "right side"),
        ("Q {=a -> b}", 1, 4, "two pairs"),
        ("::T Q {T}", 1, 1, "title"),
        ("{T}", 1, 1, "question itself"),
        ("Q {\n=read(f, header=True)\n~b}", 2, 16, "inside a word"),
        ("$CATEGORY: x\nQ {T}", 2, 1, "below its category"),
    ],
)
def test_each_trouble_names_line_column_and_the_mend(text: str, line: int, column: int, says: str) -> None:
    bank = reader.read(f"{text}\n\nGood {{T}}")
    (trouble,) = bank.troubles
    assert (trouble.line, trouble.column) == (line, column) and says in trouble.message, trouble
    assert trouble.mend
    assert bank.questions[-1].stem == "Good"


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("Q {=a ~%200%b ~%half%c\n~ =}", [(1, 8), (1, 16), (2, 1), (2, 3)]),
        ("Q {=a -> =b\n=c -> d}", [(1, 4), (1, 10)]),
        ("Q {#3x =%50%y ~%20%#z\n=5..1}", [(1, 5), (1, 9), (2, 2)]),
        ("Q {=a\n=read(f, header=True, sep=1)\n~b}", [(2, 16), (2, 26)]),
    ],
)
def test_every_trouble_of_one_question_is_told(text: str, places: list[tuple[int, int]]) -> None:
    bank = reader.read(text)
    assert [(t.line, t.column) for t in bank.troubles] == places and not bank.questions


def test_a_brace_in_a_category_or_a_title_opens_no_answers() -> None:
    bank = reader.read("$CATEGORY: a{b\n\n::f(){::One {T}\n\nTwo {T}")
    assert bank.troubles == () and [q.stem for q in bank.questions] == ["One", "Two"]
    assert bank.questions[0].title == "f(){" and bank.questions[1].category == "a{b"


def test_a_backslash_at_the_end_is_one() -> None:
    bank = reader.read("One {T}\n\nTwo \\\\\\")
    assert [q.stem for q in bank.questions] == ["One", "Two \\\\"]


SIGNS = (
    "{",
    "}",
    "=",
    "~",
    "#",
    "->",
    "::",
    "%50%",
    "//",
    "\\",
    "\n",
    "\n\n",
    "T",
    "a",
    "3",
    ":",
    "..",
    "####",
)
PIECES = st.sampled_from([*SIGNS, "[html]", "$CATEGORY:", "\0", "\x1f", "\u202e", "漢"])


@given(st.one_of(st.text(), st.lists(PIECES, max_size=25).map("".join)))
def test_any_text_gives_sound_questions_and_troubles_inside_it(text: str) -> None:
    bank = reader.read(text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    for question in bank.questions:
        assert question.stem and 1 <= question.line <= lines
        assert question.keyed or question.kind in ("essay", "description")
    assert len({q.id for q in bank.questions}) == len(bank.questions)
    assert all(1 <= t.line <= lines and t.column >= 1 and t.message and t.mend for t in bank.troubles)


def test_very_many_broken_questions_each_have_their_line() -> None:
    bank = reader.read("Q {~none ~right}\n\n" * 5000 + "$CATEGORY: a\n" * 5000)
    assert [trouble.line for trouble in bank.troubles] == list(range(1, 10_000, 2))


def test_what_is_long_costs_what_its_length_says() -> None:
    one = reader.read("Q {=a" + "=a" * 50_000 + "}")
    assert len(one.questions[0].accepted) == 50_001
    assert len(reader.read("Q {T}\n" * 20_000).troubles) == 19_999
    assert len(reader.read("Q {T\n\n" * 20_000).troubles) == 20_000
    assert len(reader.read("{" * 200_000).troubles) == 1
    assert len(reader.read("Q {" + "=a\n= " * 50_000 + "}").troubles) == 50_000
    assert len(reader.read("Q {" + "~%1%a" * 50_000 + "}").questions) == 1
