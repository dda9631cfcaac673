"""What a GIFT file says that Moodle takes for something else, told with the line and what to write."""

from __future__ import annotations

import pytest

from quiz.formats.gift import reader, writer


@pytest.mark.parametrize("word", ["true", "True", "t", "false", "f"])
def test_truth_in_small_letters_is_a_short_answer_to_moodle(word: str) -> None:
    bank = reader.read(f"::a:: Ranks share memory. {{{word}#so}}\n")
    assert [question.kind for question in bank.questions] == ["truefalse"]
    assert [note.mend for note in bank.notes] == [f"Write `{{{word.upper()}}}`"]


@pytest.mark.parametrize("word", ["T", "TRUE", "F", "FALSE"])
def test_in_capitals_there_is_nothing_to_say(word: str) -> None:
    assert reader.read(f"::a:: Ranks share memory. {{{word}}}\n").notes == ()


def test_a_title_alone_is_asked_and_told() -> None:
    bank = reader.read("::What is 2+2?:: {=4 ~3}\n\n::Pi::[html]{#3.14:0.01}\n\n::same::same {T}\n")
    assert [question.stem for question in bank.questions] == ["What is 2+2?", "Pi", "same"]
    assert [note.line for note in bank.notes] == [1, 3] and not bank.troubles


@pytest.mark.parametrize("braces", ["{#*}", "{#=3:0 =%50%*}", "{#3 ~#no}"])
def test_any_number_is_written_as_what_it_was(braces: str) -> None:
    bank = reader.read(f"::a:: How many? {braces}\n")
    again = reader.read(writer.write(bank.questions)[0])
    weights = [[answer.weight for answer in one.questions[0].accepted] for one in (bank, again)]
    assert weights[0] == weights[1] and not again.troubles
