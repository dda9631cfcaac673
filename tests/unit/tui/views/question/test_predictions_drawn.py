"""Predictions as pictures: guesses and what was measured on one axis, and who was right."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from quiz.parse import parse_question
from quiz.question import Option, Question
from runtime.classroom.question_state import QuestionState, Sample
from runtime.classroom.question_without_votes_and_key import public
from slides.deck import Demo
from slides.drawing.large import read_letters
from slides.drawing.text import Line, plain
from slides.languages.program_words import say_in
from tui.classroom.answering.prediction import Prediction
from tui.views.question.prediction import NAMES, measured, ways
from tui.views.question.question import question_lines


def text(lines: list[Line]) -> str:
    return "\n".join(plain(line).rstrip() for line in lines)


def test_a_prediction_of_a_number_has_one_axis() -> None:
    plan = Prediction("q", (Demo("one", "ddp"),), "step_s", "ms", 2)
    question = Question("q", "numeric", "How long?")
    samples = tuple(Sample("one", f"r{n}", 0.1 + n / 100, "LIVE CPU") for n in range(2))
    words = {"a": ("50 ms",), "b": ("0.2 s",)}
    state = QuestionState(
        "q", "numeric", 0, "revealed", texts=words, people={"a": "", "b": ""}, samples=samples
    )
    lines = measured(plan, question, state, 72)
    shown = text(question_lines(question, state, (), 72, measured=[lines]))
    assert shown.count("●") == 1 + 2  # the badge, and each number once
    assert "105 ms ± 2.50" in shown and shown.count("105 ms") == 1


def test_who_reveals_while_it_is_measured_reads_how_far_it_is() -> None:
    plan = Prediction("q", (Demo("four", "tensor"), Demo("alone", "tensor")), "memory_bytes", "x", 2)
    question = Question("q", "single", "How much?", tuple(Option(f"{n}x") for n in (0.25, 1)))
    state = QuestionState("q", "single", 2, "revealed", samples=(Sample("alone", "r", 17e6, "LIVE CPU"),))
    under_way = text(measured(plan, question, state, 72, going="four"))
    assert "run 2 of 4: four" in under_way and "no figure" not in under_way
    assert "no figure came of it" in text(measured(plan, question, state, 72))


@pytest.mark.parametrize("figure", sorted(NAMES))
@pytest.mark.parametrize("badge", ["LIVE CPU", "LIVE CPU + RECORDED"])
def test_what_is_said_of_a_figure_leaves_room_for_where_it_is_from(figure: str, badge: str) -> None:
    plan = Prediction("q", (Demo("four", "ddp"), Demo("two", "ddp")), figure, "x", 2)
    question = Question("q", "single", "How much?", tuple(Option(f"{n}x") for n in (0.25, 1)))
    samples = tuple(Sample(block, f"{block}{n}", 17.0, badge) for n in (0, 1) for block in ("four", "two"))
    state = QuestionState("q", "single", 2, "revealed", samples=samples)
    head = plain(next(line for line in measured(plan, question, state, 74) if "measured" in plain(line)))
    assert f"● {badge}" in head and NAMES[figure].partition(",")[0] in head
    assert "RECORDED" in badge or "2 runs each" in head


def test_bytes_that_only_a_demo_knows_are_said_as_bytes() -> None:
    plan = Prediction("q", (Demo("sgd", "single"), Demo("adamw", "single")), "rest_bytes", "x", 2)
    question = Question("q", "single", "How much?", tuple(Option(f"{n}x") for n in (0.33, 1)))
    found = (("adamw", 20606976.0), ("sgd", 6868992.0))
    samples = tuple(Sample(block, f"{block}{n}", value, "LIVE CPU") for n in (0, 1) for block, value in found)
    shown = text(measured(plan, question, QuestionState("q", "single", 2, "revealed", samples=samples), 74))
    assert "20.6 MB" in shown and "6.9 MB" in shown and "rest_bytes" not in shown


def test_what_was_measured_stands_on_the_axis_of_the_answers() -> None:
    blocks = Demo("seven", "ddp"), Demo("one", "ddp")
    plan = Prediction("q", blocks, "step_s", "x", 3)
    question = Question("q", "single", "How long?", tuple(Option(f"{n}x: so") for n in (0.5, 1, 2)))
    samples = tuple(
        Sample(block, f"{block}{n}", seconds, "LIVE CPU", ("4 ranks on 2 cores",))
        for n in range(3)
        for block, seconds in (("one", 0.1), ("seven", (0.11, 0.12, 0.13)[n]))
    )
    state = QuestionState("q", "single", 3, "locked", hands=(4, 13, 9))
    assert measured(plan, question, state, 72) == []
    assert plan.next(state) == blocks[1]
    running = replace(state, samples=samples[:3])
    assert (
        "3 of 6 runs measured" in text(measured(plan, question, running, 72))
        and plan.next(running) == blocks[0]
    )
    done = replace(state, samples=samples)
    assert plan.next(done) is None and "1.2" not in text(measured(plan, question, done, 72))
    key = plan.verdict(question, done).key
    assert key == (1,)
    revealed = replace(done, phase="revealed", key=key)
    assert (
        text(measured(plan, question, revealed, 72))
        == """\
────────────────────────────────────────────────────────────────────────
measured: time of a step   ● LIVE CPU   3 runs each   4 ranks on 2 cores
one       100 ms ± 0.0 ms  ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆
seven     120 ms ± 5.0 ms  ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆
seven / one  1.20x ± 0.05   median of 3, runs 1.10 to 1.30
                        ●
                        ●                                             ●
 ●                      ●                                             ●
 ────────────────────────────██████████────────────────────────────────
 1 0.5x               2 1x                                         3 2x
 a dot is up to 5 answers"""
    )
    room = text(measured(plan, question, public(done), 72, hints=False))
    assert "6 runs measured" in room and "1.2" not in room and " e " not in room
    going = text(measured(plan, question, running, 72, going="seven-buckets"))
    assert "run 4 of 6: seven buckets" in going
    demos = Demo("seven", "ddp", {"bucket_mb": "0.25", "budget": "9s"}), Demo("one", "ddp", {"ranks": "4"})
    paired = Prediction("q", demos, "step_s", "x", 3, 20)
    assert "run 4 of 6: seven, bucket_mb=0.25" in text(measured(paired, question, running, 72, going="seven"))
    assert "run 4 of 6: one, bucket_mb=25" in text(measured(paired, question, running, 72, going="one"))
    large = text(measured(plan, question, revealed, 112, large=True))
    assert "1.20x" not in large and "seven / one   median of 3" in large and "▌" in large


@pytest.mark.parametrize("size", [(92, 25), (112, 36)], ids="{0[0]}x{0[1]}".format)
def test_which_run_is_going_is_in_letters_below_the_question(size: tuple[int, int]) -> None:
    plan = Prediction("q", (Demo("seven", "ddp"), Demo("one", "ddp")), "step_s", "x", 3)
    question = Question("q", "single", "How long?", tuple(Option(f"{n}x: so") for n in (0.5, 1, 2)))
    samples = tuple(Sample(("one", "seven")[n % 2], f"r{n}", 0.1, "LIVE CPU") for n in range(3))
    state = QuestionState("q", "single", 3, "locked", samples=samples)
    found = ways(plan, question, state, size[0], going="seven")
    rows = [plain(line) for line in question_lines(question, state, (), *size, measured=found)]
    said = [read_letters.words(rows[n : n + 3]) for n in range(len(rows) - 2)]
    assert "run 4 of 6: seven" in said and len(rows) <= size[1]
    assert "run 4 of 6: seven" in text(ways(plan, question, state, 30, going="seven")[0]), "no room for them"


def test_what_was_measured_is_said_in_the_language_of_the_deck() -> None:
    say = say_in("hi-Latn")
    assert [name for name in NAMES.values() if name != "loss" and say(name) == name] == []
    plan = Prediction("q", (Demo("seven", "ddp"), Demo("one", "ddp")), "step_s", "x", 3)
    question = Question("q", "single", "Kitna?", tuple(Option(f"{n}x: so") for n in (0.5, 1, 2)))
    samples = tuple(Sample(("one", "seven")[n % 2], f"r{n}", 0.1 + n / 100, "LIVE CPU") for n in range(6))
    state = QuestionState("q", "single", 3, "locked", samples=samples[:3])
    assert "6 mein se run 4: seven" in text(measured(plan, question, state, 72, going="seven", say=say))
    shown = text(measured(plan, question, replace(state, phase="revealed", samples=samples), 90, say=say))
    assert "naapa: ek step ka time" in shown and "har ek ke 3 runs" in shown
    assert "3 ka median, runs 1.07 se 1.10" in shown


def prediction(kind: str, *values: float, body: str = "", unit: str = "ms") -> tuple[Any, ...]:
    """A question, a plan and what its runs gave (s)."""
    found = parse_question("q", kind, {}, f"How long?\n\n{body}", 2, redacted=True)
    assert isinstance(found, Question), found
    plan = Prediction("q", (Demo("one", "ddp"),), "step_s", unit, len(values))
    samples = tuple(Sample("one", f"r{n}", value, "LIVE CPU") for n, value in enumerate(values))
    return found, plan, QuestionState("q", kind, len(found.options), "locked", samples=samples)


OPTIONS = "- [ ] 80 ms\n  > Eighty it is.\n- [ ] 100 ms\n  > A hundred.\n- [ ] 200 ms\n  > Two hundred.\n"


@pytest.mark.parametrize(
    ("seconds", "key", "undecided", "why"),
    [
        ((0.099, 0.1, 0.104), (1,), (), ("", "A hundred.", "")),
        ((0.086, 0.1, 0.104), (), ("1", "2"), ("Eighty it is.", "A hundred.", "")),
        ((0.07, 0.1, 0.3), (), ("1", "2", "3"), ("Eighty it is.", "A hundred.", "Two hundred.")),
        ((0.1,), (), ("1", "2", "3"), ("", "A hundred.", "")),  # one run: nobody knows how it varies
    ],
)
def test_what_its_runs_do_not_tell_apart_is_neither_right_nor_wrong(
    seconds: tuple[float, ...], key: tuple[int, ...], undecided: tuple[str, ...], why: tuple[str, ...]
) -> None:
    question, plan, state = prediction("single", *seconds, body=OPTIONS)
    said = plan.verdict(question, state)
    assert (said.key, said.undecided, said.explain) == (key, undecided, why)
    revealed = replace(state, phase="revealed", key=key, undecided=undecided, explain=why)
    for option in range(3):
        shown = text(question_lines(question, revealed, (option,), 90))
        neither = str(option + 1) in undecided
        assert ("neither right nor wrong" in shown) is neither
        assert ("✓ right" in shown.splitlines()[-1] or shown.endswith("✓ right")) is (option in key)
        assert shown.endswith("✗ not right") is (not neither and option not in key)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        ((0.19, 0.2, 0.21), True),
        ((0.1, 0.2, 0.21), False),  # some runs agree with the key
        ((0.099, 0.1, 0.104), False),
        ((0.2,), False),  # one run: nobody knows how it varies
        ((), False),
    ],
)
def test_runs_that_all_contradict_the_key_of_the_deck_are_told(
    seconds: tuple[float, ...], said: bool
) -> None:
    _, plan, state = prediction("single", *seconds, body=OPTIONS)
    question = parse_question("q", "single", {}, f"How long?\n\n{OPTIONS.replace('[ ] 100', '[x] 100')}", 2)
    assert isinstance(question, Question) and question.key == (1,)
    assert (
        "nearest to “200 ms”, which the deck does not call right" in plan.otherwise(question, state)
    ) is said


@pytest.mark.parametrize(
    ("typed", "result"),
    [
        ("100 ms", "✓ right"),
        ("0.117 s", "≈ neither"),
        ("78", "≈ neither"),
        ("70", "✗ not right"),
        ("x", "✗ not"),
    ],
)
def test_a_number_is_right_where_every_run_says_so_and_wrong_where_none_does(typed: str, result: str) -> None:
    question, plan, state = prediction("numeric", 0.096, 0.1, 0.104)
    said = plan.verdict(question, state)
    assert said.accepted == ("83.2..115.2 ms",) and said.undecided == ("76.8..124.8 ms",)
    revealed = replace(state, phase="revealed", accepted=said.accepted, undecided=said.undecided)
    assert result in text(question_lines(question, revealed, (), 90, typed=(typed,)))


def test_the_explanation_of_a_predicted_number_is_that_of_what_came_out() -> None:
    body = "~ 0..90 ms\n  > Faster than one thought.\n~ 90..1000 ms\n  > As one thought.\n\n> Measure it."
    question, plan, state = prediction("numeric", 0.2, 0.21, 0.22, body=body)
    assert plan.general(question, state) == "As one thought.\n\nMeasure it."
    assert not question.keyed  # what only explains is not a key


def test_a_spread_that_is_rounding_is_no_number_to_read() -> None:
    plan = Prediction("q", (Demo("quiet", "ddp"), Demo("loud", "ddp")), "wire_bytes", "x", 2)
    question = Question("q", "single", "How much?", tuple(Option(f"{n}x") for n in (0.25, 1)))
    figures = {"loud": (11.3e6, 11.3e6 + 40), "quiet": (2.825e6, 2.825e6 + 30)}
    samples = tuple(
        Sample(name, f"{name}{n}", figures[name][n], "LIVE CPU") for n in (0, 1) for name in figures
    )
    state = QuestionState("q", "single", 2, "revealed", samples=samples)
    shown = text(measured(plan, question, state, 100))
    assert "0.25x ± 0.00" in shown and "e-" not in shown
