"""What a GIFT file says that Moodle takes for something else, told with the line and what to write."""

from __future__ import annotations

import pytest

from quiz.formats.gift import reader


@pytest.mark.parametrize("word", ["true", "True", "t", "false", "f"])
def test_truth_in_small_letters_is_a_short_answer_to_moodle(word: str) -> None:
    bank = reader.read(f"::a:: Ranks share memory. {{{word}#so}}\n")
    assert [question.kind for question in bank.questions] == ["truefalse"]
    assert [note.mend for note in bank.notes] == [f"Write `{{{word.upper()}}}`"]


@pytest.mark.parametrize("word", ["T", "TRUE", "F", "FALSE"])
def test_in_capitals_there_is_nothing_to_say(word: str) -> None:
    assert reader.read(f"::a:: Ranks share memory. {{{word}}}\n").notes == ()
