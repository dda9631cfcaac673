"""A question in the room of a screen: for the back row, and nothing moves when it is revealed."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from quiz.answers.scale import Scale
from quiz.question import Accepted, Gap, Number, Option, Question
from runtime.classroom.question_state import Comment, QuestionState, Round
from slides.drawing import cells
from slides.drawing.large import letters, read_letters
from slides.drawing.text import Line, Span, plain
from slides.reading.split import split
from tui.deck.contents import Contents
from tui.rendering.pages.offscreen import Offscreen
from tui.rendering.pages.page import Page
from tui.views.question import picture
from tui.views.question.line_below import Told
from tui.views.question.question import question_lines

SIZES = [(74, 18), (94, 24), (112, 36), (112, 50)]
LONG = "a sentence that is rather long for an option of a question, as authors write them"
ASKED = {
    "short": Question(
        "q",
        "single",
        "What does a rank send?",
        (
            Option("once", False, "WHY-ONCE"),
            Option("twice", True, "WHY-TWICE"),
            Option("never", False, "WHY-NEVER"),
        ),
    ),
    "long": Question("q", "single", "Which?", (Option(LONG), Option(f"{LONG} too", True), Option("c"))),
    "many": Question("q", "multi", "Which?", tuple(Option(f"number {n}", n < 3) for n in range(9))),
    "poll": Question("q", "poll", "How is it?", (Option("slow"), Option("fine"))),
    "order": Question(
        "q", "order", "In which order?", tuple(map(Option, ("a", "b", "c"))), sequence=(0, 1, 2)
    ),
    "match": Question(
        "q", "match", "What goes where?", (Option("x"), Option("y")), prompts=("p", "r"), sequence=(0, 1)
    ),
    "calls": Question(
        "q",
        "match",
        "What does each do?",
        (Option("the sum, on every rank there is"), Option("a slice of the sum, on each")),
        prompts=("dist.all_reduce(gradient)", "`dist.reduce_scatter_tensor(own, all)`"),
        sequence=(0, 1),
    ),
    "text": Question("q", "text", "Which?", accepted=(Accepted("ring"),)),
    "line": Question("q", "line", "Where?", code="first\nsecond", sequence=(1,)),
    "cloze": Question("q", "cloze", "It is {{1}}.", gaps=(Gap((Accepted("one"),), ("one", "two")),)),
}


def revealed(question: Question) -> QuestionState:
    """Twenty answers, most of them right; the first option is the wrong one that most chose."""
    count = question.places
    choices = [question.key if question.kind in ("order", "match") else question.key[:1]] * 12
    choices += [(0,)] * 5 + [(count - 1,)] * 3 if question.kind in ("single", "multi", "poll", "line") else []
    answers = {f"r{n}": choice for n, choice in enumerate(choices) if choice}
    texts = {} if count else {f"r{n}": ("ring",) for n in range(12)}
    votes = tuple(sum(n in one for one in answers.values()) for n in range(count))
    return QuestionState(
        "q", question.kind, count, "revealed", answers, votes, texts=texts,
        people=dict.fromkeys((*answers, *texts), ""), key=question.key,
        accepted=tuple(a.text for a in question.accepted) or tuple("one" for _ in question.gaps),
        explain=tuple(option.explain for option in question.options),
    )  # fmt: skip


def begun(question: Question) -> QuestionState:
    return QuestionState("q", question.kind, question.places)


def drawn(name: str, size: tuple[int, int], state: QuestionState | None, **more: object) -> list[Line]:
    return question_lines(ASKED[name], state, (), *size, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", SIZES, ids="{0[0]}x{0[1]}".format)
@pytest.mark.parametrize("name", ASKED)
def test_answers_stand_in_the_same_rows_before_and_after_the_reveal(name: str, size: tuple[int, int]) -> None:
    question = ASKED[name]
    before, after = drawn(name, size, begun(question)), drawn(name, size, revealed(question))
    assert len(before) == size[1] - 1  # one is left free over the footer
    for lines in (before, after):
        assert max(map(cells.line_width, lines)) <= size[0]
    signs = {f" {n + 1} " for n in range(len(question.options))}
    places = [
        [(row, start) for row, line in enumerate(lines) for start, text in _starts(line) if text in signs]
        for lines in (before, after)
    ]
    assert places[1][: len(places[0])] == places[0]
    words = [[plain(line)[:40].strip(" ▸") for line in lines[:4]] for lines in (before, after)]
    assert words[0][0] == words[1][0]


@pytest.mark.parametrize("size", [(94, 27), (112, 36)], ids="{0[0]}x{0[1]}".format)
def test_all_that_is_said_of_typical_answers_is_seen_rather_than_large_words(size: tuple[int, int]) -> None:
    stem = "Forward 50 ms, backward 100, all-reduces 60 in all, 45 of them during backward. How much longer?"
    question = Question("q", "numeric", stem, explain="Only the exposed part.")
    comments = tuple(Comment(text=f"{n} ± 0.1 ms", explain=f"why {n}") for n in (60, 45, 75))
    state = QuestionState(
        "q",
        "numeric",
        0,
        "revealed",
        accepted=("15 ± 0.1 ms",),
        general="Only the exposed part.",
        comments=comments,
        texts={"a": ("1",), "b": ("175",)},
        people={"a": "", "b": ""},
    )
    lines = question_lines(question, state, (), *size)
    shown = "\n".join(map(plain, lines))
    assert len(lines) <= size[1]
    assert all(f"why {n}" in shown for n in (60, 45, 75)) and "Only the exposed part." in shown


def test_where_one_option_is_too_long_for_a_bar_beside_it_all_have_their_figure_at_the_end() -> None:
    words = ("the update makes a second copy of the activations", "memory is fragmented", "Adam's averages")
    question = Question("q", "single", "Why?", tuple(Option(text, n == 2) for n, text in enumerate(words)))
    before, after = (
        [plain(line) for line in question_lines(question, state, (), 74, 10)]
        for state in (begun(question), revealed(question))
    )
    assert [n for n, row in enumerate(after) for text in words if text in row] == [
        n for n, row in enumerate(before) for text in words if text in row
    ]
    ends = [row.split("  ")[-1].strip() for row in after if any(text in row for text in words)]
    assert ends == ["5 (25 %)", "0", "15 (75 %)"] and not any(re.search("[█▆]", row) for row in after)


def _starts(line: Line) -> list[tuple[int, str]]:
    found, at = [], 0
    for span in line:
        found.append((at, span.text))
        at += cells.width(span.text)
    return found


def test_of_the_explanations_those_of_the_right_and_the_most_chosen_are_told_at_once() -> None:
    state = revealed(ASKED["short"])
    rows = [plain(line) for line in drawn("short", (112, 36), state)]
    shown = "\n".join(rows + [read_letters.words(rows[n : n + 3]) for n in range(len(rows) - 2)])
    assert "WHY-TWICE" in shown and "WHY-ONCE" in shown and "WHY-NEVER" not in shown
    assert "e explains all" in shown
    told = "\n".join(map(plain, drawn("short", (112, 30), state, everything=True)))
    assert "WHY-NEVER" in told
    room = "\n".join(map(plain, drawn("short", (112, 36), state, told=Told(hints=False, locks=False))))
    assert "explains all" not in room


def test_a_question_of_few_words_is_in_letters_on_a_large_screen() -> None:
    """The back row reads it: no row has the words, they are made of blocks."""
    large = "\n".join(map(plain, drawn("short", (112, 36), None)))
    small = "\n".join(map(plain, drawn("long", (74, 18), None)))
    assert "Which?" in small and LONG[:40] in small
    assert "What does a rank send?" not in large and "twice" not in large
    assert "▌" in large


def test_nine_options_are_in_letters_on_a_rooms_screen_with_bars_that_do_not_touch() -> None:
    words = [f"collective {n}" for n in range(9)]
    question = Question("q", "single", "Which?", tuple(Option(one, n == 1) for n, one in enumerate(words)))
    before = [plain(line) for line in question_lines(question, None, (), 128, 37)]
    after = [plain(line) for line in question_lines(question, revealed(question), (), 128, 37)]
    middle = (letters.letters("collective", 100, ("bold",), 1) or [])[1].strip()
    for rows in (before, after):
        found = [n for n, row in enumerate(rows) if middle in row]
        assert found == [found[0] + 3 * n for n in range(9)]
    assert [row.index(middle) for row in before if middle in row] == [
        row.index(middle) for row in after if middle in row
    ]
    bars = [row for row in after if re.search("█{9,}", row)]
    ends = [row for row in after if re.search("▀{9,}", row)]
    assert len(bars) == 2 * len(ends) == 4, "12 and 5 of 20: two rows and a half of three"


def test_what_follows_items_or_pairs_is_parted_from_them() -> None:
    items = tuple(map(Option, ("forward", "backward", "all-reduce", "step")))
    order = Question("q", "order", "In which order?", items, "As in every loop.", sequence=(0, 1, 2, 3))
    said = {f"r{n}": order.key[n % 4 :] + order.key[: n % 4] for n in range(20)}
    state = replace(revealed(order), answers=said, people=dict.fromkeys(said, ""), general=order.explain)
    rows = [plain(line).strip() for line in question_lines(order, state, (), 94, 24)]
    assert rows[rows.index("right order  1 2 3 4") - 1] == "" == rows[rows.index("As in every loop.") - 1]
    match = replace(order, kind="match", prompts=tuple("abcd"))
    rows = [plain(line).strip() for line in question_lines(match, begun(match), (), 94, 26, letters=False)]
    first = next(n for n, row in enumerate(rows) if row.endswith("forward"))
    assert rows[first - 2 : first] == ["", ""] and rows[first + 1] == "" != rows[first + 2]


def test_the_room_is_told_how_many_have_answered() -> None:
    lines = drawn("poll", (112, 36), begun(ASKED["poll"]), told=Told(hints=False, counted=12, people=30))
    assert read_letters.words([plain(line) for line in lines[-3:]]) == "12 of 30 answered"
    assert len(lines) <= 36 and not plain(lines[-4]).strip(), "apart from what is asked"
    lines = drawn("many", (74, 18), begun(ASKED["many"]), told=Told(hints=False, counted=12, people=30))
    assert plain(lines[-1]).strip() == "12 of 30 answered", "no letters where the answers have none"
    locked = replace(begun(ASKED["poll"]), phase="locked")
    lines = drawn("poll", (112, 36), locked, told=Told(hints=False, counted=12))
    assert read_letters.words([plain(line) for line in lines[-3:]]) == "locked · 12 answered"


def test_every_kind_has_a_picture() -> None:
    from quiz.kinds.registry import KINDS

    for kind, traits in KINDS.items():
        assert (type(picture.of(kind)) is picture.Picture) == (not traits.answered), kind


def one_answer(question: Question) -> QuestionState:
    return QuestionState(
        "q", question.kind, question.places, "revealed", {"r0": (0,)}, (1, 0, 0, 0),
        people={"r0": ""}, key=question.key,
    )  # fmt: skip


@pytest.mark.parametrize("size", SIZES, ids="{0[0]}x{0[1]}".format)
def test_options_of_any_length_stand_there_after_the_reveal(size: tuple[int, int]) -> None:
    """The verdict makes a row longer: what room there is for bars is measured without it."""
    for length in range(4, size[0]):
        options = tuple(Option(f"{n} {'x' * length}", n == 3) for n in range(4))
        question = Question("q", "single", "Which of these words is it?", options)
        state = revealed(question)
        alone = one_answer(question)
        for one in (state, alone):
            text = "\n".join(map(plain, question_lines(question, one, (0,), size[0], size[1], letters=False)))
            assert "✓ right" in text, length


@pytest.mark.parametrize("size", SIZES, ids="{0[0]}x{0[1]}".format)
@pytest.mark.parametrize("votes", [1, 2])
def test_what_is_right_is_said_in_a_word_however_many_votes_there_were(
    size: tuple[int, int], votes: int
) -> None:
    """A colour alone is not seen by everybody."""
    state = revealed(ASKED["short"])
    if votes > 1:
        state = replace(state, before=(Round(state.answers, people=state.people, counts=state.counts),))
    shown = [plain(line) for line in drawn("short", size, state)]
    large = [row for row in lettered(shown).split("\n") if "right" in row and "of" not in row]
    assert sum("✓ right" in row for row in shown) + len(large) == 1, "\n".join(shown)


@pytest.mark.parametrize("name", ["match", "cloze", "text", "order"])
def test_what_is_answered_is_in_letters_for_the_back_row(name: str) -> None:
    question = ASKED[name]
    given = {"picked": question.key} if question.places else {"typed": ("one",) * max(1, len(question.gaps))}
    lines = question_lines(
        question, begun(question), given.get("picked", ()), 112, 36, typed=given.get("typed", ())
    )
    middle = [plain(line) for line in lines[:-2]]
    assert sum(any(sign in row for sign in "▀▄█▌▐") for row in middle) >= 6, "the stem and at least an answer"
    assert not any(option.text in row.split() for option in question.options for row in middle)


def test_a_gap_is_not_parted_from_its_brackets() -> None:
    gap = Gap((Accepted("two words"),))
    question = Question("q", "cloze", "so many words before it that it would be cut: {{1}}.", gaps=(gap,))
    rows = [plain(line) for line in question_lines(question, None, (), 56, typed=("two words",))]
    assert any("[ 1: two words ]" in row for row in rows)


def test_a_question_beside_a_demo_is_in_letters_until_its_panel_is_there() -> None:
    deck = "# Who {#who}\n\n::: demo ddp ranks=4\n\n::: quiz {#w kind=single}\nWhich rank waits?\n\n"
    deck += "- [ ] the fast\n- [x] the slow\n:::\n"
    drawing = Offscreen(Contents(split(deck, "deck.md"))).drawing
    alone, beside = ("\n".join(map(plain, drawing.page(Page(0, 0), 112, 42, part=part))) for part in (42, 22))
    assert letters.drawn("the fast", "bold")[1].strip() in alone and "the fast" not in alone
    assert "the fast" in beside and "the slow" in beside and len(beside.split("\n")) <= 22


def test_pairs_of_long_code_are_in_letters_below_each_other() -> None:
    question = ASKED["calls"]
    for state in (None, revealed(question)):
        rows = [plain(line) for line in question_lines(question, state, (), 128, 41)]
        said = " ".join(read_letters.words(rows[n : n + 3]) for n in range(len(rows) - 2))
        assert all(
            words in said for words in ("dist.all_reduce", "reduce_scatter_tensor", "a slice of the sum")
        ), said


def lettered(rows: list[str]) -> str:
    """What stands in letters, without bars and signs of one cell."""
    bare = [re.sub("█{5,}|[✎✓●]", lambda found: " " * len(found[0]), row) for row in rows]
    return "\n".join(read_letters.words(bare[n : n + 3]) for n in range(len(bare) - 2))


def test_long_options_do_not_touch_where_less_room_for_reasons_parts_them() -> None:
    """On 80x24: each has a bar of one scale below it, and why the right one is right is told."""
    options = tuple(Option(f"{LONG} {n}", n == 2, f"WHY-{n}") for n in range(4))
    question = Question("q", "single", "Why does the slowest rank of four show the least waiting?", options)
    before, after = (
        [plain(line) for line in question_lines(question, state, (), 74, 21)]
        for state in (begun(question), revealed(question))
    )
    firsts = [n for n, row in enumerate(before) if re.match(r"   \d   ", row)]
    assert firsts == [n for n, row in enumerate(after) if re.match(r"   \d   ", row)][:4]
    assert all(not before[n - 1].strip() for n in firsts)
    bars = [len(found[0]) for row in after if (found := re.search("█+", row))]
    assert len(bars) == 3 and max(bars) >= 20  # one option has no answers
    assert any("WHY-2" in row for row in after)


def test_reasons_without_room_are_those_of_wrong_answers_and_a_key_shows_them() -> None:
    long = "because " * 16
    options = tuple(Option(f"{LONG} {n}", n == 2, f"WHY-{n} {long}") for n in range(4))
    question = Question("q", "single", "Why does the slowest rank of four show the least waiting?", options)
    lines = [plain(line) for line in question_lines(question, revealed(question), (), 74, 21)]
    assert len(lines) <= 21
    assert any("WHY-2" in row for row in lines) and not any("WHY-0" in row for row in lines)
    assert "e explains all" in lines[-1]


def test_the_key_that_explains_all_does_so_in_letters_on_a_rooms_screen() -> None:
    whole = drawn("short", (128, 45), revealed(ASKED["short"]), everything=True)
    rows = [plain(line)[10:] for line in whole]
    large = [read_letters.words(rows[n : n + 3]).replace("U", "V") for n in range(len(rows) - 2)]
    assert [said for said in large if said.startswith("WHY")] == ["WHY-ONCE", "WHY-TWICE", "WHY-NEVER"]
    ways: list[list[Line]] = [[(Span("all that was measured"),)], [(Span("the least of it"),)]]
    scrolled = drawn("short", (128, 45), revealed(ASKED["short"]), everything=True, measured=ways)
    assert [*map(plain, scrolled)].count("all that was measured") == 1 and len(scrolled) > len(whole)
    small = drawn("short", (74, 18), revealed(ASKED["short"]), everything=True)
    assert sum("WHY" in plain(line) for line in small) == 3


def test_so_it_does_with_what_is_said_of_typical_numbers() -> None:
    question = Question("q", "numeric", "How much longer?")
    comments = tuple(Comment(text=f"{n} ms", explain=f"WHY-{n}") for n in (60, 45))
    state = QuestionState("q", "numeric", 0, "revealed", accepted=("15 ms",), comments=comments)
    rows = [plain(line)[6:] for line in question_lines(question, state, (), 128, 45, everything=True)]
    large = [read_letters.words(rows[n : n + 3]).replace("U", "V") for n in range(len(rows) - 2)]
    found = [said for said in large if said.startswith("WHY") or said.endswith("ms")]
    assert found == ["15 ms", "60 ms", "WHY-60", "45 ms", "WHY-45"]


def test_what_is_asked_is_as_large_as_the_answers() -> None:
    stem = "Why does the slowest rank of four show the least waiting time in the table of ranks?"
    long = "Because it is the last to enter each all-reduce, so that the others have been there"
    question = Question("q", "single", stem, tuple(Option(f"{long} {n}", n == 2) for n in range(4)))
    lines = [plain(line) for line in question_lines(question, begun(question), (), 126, 42)]
    assert not any("slowest rank" in row for row in lines)
    assert "slowest rank of four show the" in lettered(lines)


def test_the_place_of_an_item_and_the_orders_of_the_room_are_in_letters() -> None:
    steps = ("forward", "backward", "all-reduce of gradients", "optimizer step")
    question = Question("q", "order", "In which order?", tuple(map(Option, steps)), sequence=(0, 1, 2, 3))
    orders = [(1, 2, 3, 0)] * 9 + [(0, 1, 2, 3)] * 6 + [(2, 3, 0, 1)] * 3 + [(3, 0, 1, 2)] * 2
    answers = {f"r{n}": order for n, order in enumerate(orders)}
    state = QuestionState(
        "q", "order", 4, "revealed", answers, (0,) * 4, people=dict.fromkeys(answers, ""), key=(0, 1, 2, 3)
    )
    lines = [plain(line) for line in question_lines(question, state, (), 112, 41)]
    shown = lettered(lines)
    assert "1. 1 forward" in shown and "1 2 3 4" in shown and "6 (30 %)" in shown
    assert not any("right order" in row for row in lines)
    small = [plain(line) for line in question_lines(question, begun(question), (), 92, 27)]
    assert "all-reduce of gradients" in lettered(small), "on 100x30 too"
    wrong = question_lines(question, replace(state, answers={}, people={}), (3, 0, 1, 2), 92, 27)
    assert max(map(cells.line_width, wrong)) <= 92 and sum("belongs at" in plain(row) for row in wrong) == 4


def test_why_a_number_is_right_is_in_letters_and_its_axis_stays_for_one_who_answers_alone() -> None:
    accepted = Accepted("112 GB ± 5%", explain="16 bytes each.", number=Number(106.4, 117.6, "GB", 112.0))
    question = Question("q", "numeric", "How much?", accepted=(accepted,), axis=Scale(1, 1000, "GB"))
    open_, told = (
        QuestionState("q", "numeric", 0, phase, texts={"a": ("80 GB",)}, people={"a": ""}, **key)
        for phase, key in (
            ("open", {}),
            ("revealed", {"accepted": ("112 GB ± 5%",), "explain": ("16 bytes each.",)}),
        )
    )
    empty, typed, after = (
        [plain(line) for line in question_lines(question, state, (), 112, 41, typed=given)]
        for state, given in ((open_, ()), (open_, ("80 GB",)), (told, ("80 GB",)))
    )
    assert "16 bytes each." in lettered(after)
    assert [row for row in after if "●" in row], "one's own number"
    axes = [next(n for n, row in enumerate(rows) if "────" in row) for rows in (empty, typed)]
    assert axes[0] == axes[1], "nothing moves as it is typed"
