"""Every exercise names a lesson that the course has, by the number that lesson has there."""

from __future__ import annotations

import re

import pytest

from runtime.practice.exercise import Exercise, listed
from tui.deck.built_in import lessons

# What each is about, as the course orders it: the number is kept in `task.md` alone.
TOPICS = {
    "send-receive": "collectives",
    "ring-reduce-scatter": "collectives",
    "accumulation": "memory",
    "sampler": "ddp",
    "ddp-by-hooks": "ddp",
}


def _lessons() -> int:
    """How many lessons the course's first pages promise."""
    text = lessons()["overture"].read_text("utf-8")
    found = re.search(r"\*\*Lessons\*\*\s*\|\s*(\d+)", text)
    assert found is not None
    return int(found[1])


@pytest.mark.parametrize("exercise", listed().values(), ids=lambda it: it.name)
def test_its_lesson_is_one_of_the_course(exercise: Exercise) -> None:
    assert 1 <= exercise.lesson <= _lessons()


def test_a_topic_has_the_number_that_its_lesson_has() -> None:
    numbers = {name[3:]: int(name[:2]) for name in lessons() if name[:2].isdigit()}
    every = listed()
    assert {name: every[name].lesson for name in TOPICS} == {
        name: numbers[topic] for name, topic in TOPICS.items()
    }
