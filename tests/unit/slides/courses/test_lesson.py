"""Lesson 5, which is shown where no deck is named: its questions, its code and its numbers."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TypeVar

import pytest

import slides
from quiz.parse import parse_question
from quiz.question import Question
from runtime.catalog import registry
from slides.deck import AnyBlock, Block, Chart, Code, Columns, Deck, Demo, Quiz, Slide
from slides.reading.parse import parse_slide
from slides.reading.split import load
from tui.classroom.answering import prediction
from tui.deck import question_of_block
from tui.deck.contents import Contents
from tui.views.run import exchange

LESSON = Path(slides.__file__).parent / "courses" / "distributed" / "05-ddp.md"
WIDTH = 72  # what an 80-column terminal leaves
ROWS, ROWS_ABOVE_A_PANEL = 20, 12
B = TypeVar("B", bound=Block)


@cache
def deck() -> Deck:
    return load(LESSON)


@cache
def lesson() -> tuple[Slide, ...]:
    return tuple(parse_slide(deck(), n, demo_file=registry.demo_file) for n in range(len(deck().slides)))


def walk(blocks: tuple[AnyBlock, ...]) -> Iterator[AnyBlock]:
    for block in blocks:
        yield block
        for column in block.columns if isinstance(block, Columns) else ():
            yield from walk(column)


def every(kind: type[B]) -> list[B]:
    return [block for slide in lesson() for block in walk(slide.blocks) if isinstance(block, kind)]


def questions() -> list[Question]:
    read = [
        parse_question(q.id, q.kind, q.attrs, q.body, q.body_line)
        for q in every(Quiz)
        if q.directive == "quiz"
    ]
    assert all(isinstance(found, Question) for found in read), read
    return [found for found in read if isinstance(found, Question)]


def test_ids_are_unique_and_written_by_hand() -> None:
    ids = [slide.id for slide in lesson()]
    ids += [quiz.id for quiz in every(Quiz)] + [demo.id for demo in every(Demo)]
    assert [id for id, n in Counter(ids).items() if n > 1] == []
    assert all(f"{{#{slide.id}}}" in deck().slides[slide.index].raw for slide in lesson())


def test_questions_explain_themselves() -> None:
    asked = questions()
    assert Counter(question.kind for question in asked) == {"single": 3, "multi": 1}
    for question in asked:
        assert question.explain and all(option.explain for option in question.options), question.id
    # The right one is not always in the same place.
    assert len({question.key for question in asked if question.kind == "single"}) > 1


def test_the_prediction_can_be_measured_and_its_options_hold_numbers() -> None:
    quiz = next(quiz for quiz in every(Quiz) if quiz.id == "seven-buckets")
    plan, question = prediction.predicted(Contents(deck()), quiz), question_of_block.question(quiz)
    assert isinstance(plan, prediction.Prediction) and isinstance(question, Question)
    assert [block.id for block in plan.blocks] == ["seven", "one"]
    assert not question.keyed and question.explain and all(option.explain for option in question.options)
    assert prediction.numbers(question, plan.unit) == [0.5, 0.8, 1.0, 1.3]
    # The two differ in what is asked about, and in nothing else.
    seven, one = (block.params for block in plan.blocks)
    assert seven == one | {"bucket_mb": "0.25"}
    steps = plan.params()["steps"]
    assert all(
        isinstance(registry.check("ddp", b.params | {"steps": steps}), registry.Launchable)
        for b in plan.blocks
    )


def test_its_faults_are_there() -> None:
    demos = every(Demo)
    assert any(demo.params.get("slow_rank") == "2" for demo in demos)
    assert any(demo.params.get("mistake") == "seed" for demo in demos)


def test_the_code_shown_is_the_demo_and_the_focus_hits_what_the_notes_say() -> None:
    code = next(block for block in every(Code) if block.path and len(block.focus) == 3 and block.first > 60)
    demo = registry.demo_file("ddp")
    assert demo is not None
    lines = demo.read_text("utf-8").splitlines()
    shown = code.source.splitlines()
    assert [line.strip() for line in lines[code.first - 1 : code.first - 1 + len(shown)]] == [
        line.strip() for line in shown
    ]
    focused = [" ".join(shown[n - 1].strip() for n in sorted(lines)) for lines in code.focus]
    seed, wrap, everything = focused
    assert seed.startswith("torch.manual_seed(")
    assert wrap.startswith("model = DistributedDataParallel(") and wrap.endswith(")")
    assert not everything  # the empty set is "all"


def test_its_numbers_are_those_of_the_model() -> None:
    torch = pytest.importorskip("torch")
    from runtime.demos.model import TinyLM

    parameters = list(TinyLM().parameters())
    count = sum(parameter.numel() for parameter in parameters)
    text = LESSON.read_text("utf-8")
    assert count == 469_504 and "469 504" in text
    for per_parameter, printed in ((4, "1.88 MB"), (8, "3.76 MB"), (16, "7.51 MB")):
        assert f"{per_parameter * count / 1e6:.2f} MB" == printed and printed in text
    assert f"{1.5 * 4 * count / 1e6:.2f}" == "2.82" and f"{4 * count / 2**20:.2f}" == "1.79"

    def buckets(mib: float) -> int:
        assign = torch.distributed._compute_bucket_assignment_by_size
        return len(assign(parameters[::-1], [int(mib * 2**20)])[0])

    assert (buckets(25), buckets(0.25)) == (1, 7)
    assert torch.distributed._DEFAULT_FIRST_BUCKET_BYTES == 2**20


def test_its_arithmetic_is_right() -> None:
    def ring(n: int) -> float:
        return 2 * (n - 1) / n

    chart = next(chart for chart in every(Chart) if "ring" in str(chart))
    assert re.findall(r"^\| (\d+) +\| +([\d.]+) \| +([\d.]+) \|$", LESSON.read_text("utf-8"), re.M) == [
        (str(n), str(2 * (n - 1)), f"{ring(n):.3g}") for n in (2, 4, 8)
    ]
    assert len(chart.labels) == 3
    assert ring(64) / ring(8) == pytest.approx(1.125)
    assert sum((0.8, -0.2, -0.7, 0.4)) / 4 == pytest.approx(0.075)
    assert 16 * 7e9 == 112e9


def sent_by_a_tree(ranks: int) -> tuple[list[int], int]:
    """What each rank sends, in buffers, and how many starts follow each other, when pairs are added, then
    pairs of pairs, and the sum goes the same way back."""
    sent, starts, distance = [0] * ranks, 0, 1
    while distance < ranks:
        for rank in range(distance, ranks, 2 * distance):
            sent[rank] += 1  # up, to the left
            sent[rank - distance] += 1  # and the sum down again
        starts, distance = starts + 2, 2 * distance
    return sent, starts


def test_what_it_says_of_bytes_and_starts_holds_of_a_tree_too() -> None:
    """The least that has to be sent is a mean over the ranks: a leaf sends less than a rank of a ring."""
    text = LESSON.read_text("utf-8")
    for ranks in (2, 4, 8, 64):
        sent, starts = sent_by_a_tree(ranks)
        assert sum(sent) / ranks == pytest.approx(2 * (ranks - 1) / ranks)
        assert min(sent) == 1 and max(sent) == math.log2(ranks) >= 2 * (ranks - 1) / ranks
        assert starts == 2 * math.log2(ranks)
    assert starts == 12 and 2 * (64 - 1) == 126 and "with 64 ranks 12 instead of 126" in text
    assert max(sent) == 6 and "busiest rank of this simple tree sends log2 n times S, 6 S with 64" in text
    assert (
        "on average" in text and "a leaf of a tree sends only S" in text and "Where the switch adds" in text
    )
    assert "each rank must send" not in text


def test_the_sampler_repeats_as_much_as_the_notes_say() -> None:
    data = pytest.importorskip("torch.utils.data")
    for samples, ranks in ((10, 4), (4096, 4), (7, 3)):
        dealt = [list(data.DistributedSampler(range(samples), ranks, rank)) for rank in range(ranks)]
        read = Counter(index for own in dealt for index in own)
        assert sum(read.values()) - samples == -samples % ranks <= ranks - 1
        cut = [list(data.DistributedSampler(range(samples), ranks, r, drop_last=True)) for r in range(ranks)]
        assert samples - len({index for own in cut for index in own}) == samples % ranks <= ranks - 1


def test_beta_has_one_meaning() -> None:
    """Seconds a byte, in the lesson; no demo and no view uses the letter for a bandwidth."""
    assert "α + size / β" not in Path(exchange.__file__).read_text("utf-8")
    script = registry.demo_file("collectives")
    assert script is not None and "/ beta" not in script.read_text("utf-8")
    assert "α + β k" in LESSON.read_text("utf-8")
