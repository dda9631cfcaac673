"""QTI 2 and 3: what an answer earns by the item's own rules, its mapping or all or nothing."""

from __future__ import annotations

from itertools import combinations

import pytest

from quiz.formats.qti.versions_2_and_3 import read
from quiz.grade import grade
from quiz.question import Question

TEMPLATES = "http://www.imsglobal.org/question/qti_v2p2/rptemplates/"
RIGHT, EARNS = ("A", "B"), {"A": 2.0, "B": 1.0, "C": -1.0}


def item(
    *, template: str = "map_response", mapping: str = 'defaultValue="-3"', right: tuple[str, ...] = RIGHT
) -> str:
    entries = "".join(f'<mapEntry mapKey="{key}" mappedValue="{worth}"/>' for key, worth in EARNS.items())
    values = "".join(f"<value>{value}</value>" for value in right)
    choices = "".join(f'<simpleChoice identifier="{name}">is {name}</simpleChoice>' for name in "ABCD")
    how = f'<responseProcessing template="{TEMPLATES}{template}"/>' if template else "<responseProcessing/>"
    return (
        '<assessmentItem title="T"><responseDeclaration identifier="R" cardinality="multiple">'
        f"<correctResponse>{values}</correctResponse><mapping {mapping}>{entries}</mapping>"
        f'</responseDeclaration><itemBody><choiceInteraction responseIdentifier="R" maxChoices="0">'
        f"<prompt>Which?</prompt>{choices}</choiceInteraction></itemBody>{how}</assessmentItem>"
    )


def only(text: str) -> Question:
    bank = read(text)
    assert not bank.troubles
    return bank.questions[0]


ANSWERS = [set(picks) for n in range(5) for picks in combinations(range(4), n)]


@pytest.mark.parametrize("picked", ANSWERS, ids=str)
def test_picks_earn_what_the_mapping_says_added_up(picked: set[int]) -> None:
    """QTI 2.2, map_response: the sum of the mapped values, the default for the others, not below 0 here."""
    summed = sum(EARNS.get("ABCD"[n], -3.0) for n in picked)
    assert grade(only(item()), picked).points == pytest.approx(max(0.0, summed) / 3)


def test_no_answer_earns_more_than_the_upper_bound() -> None:
    question = only(item(mapping='defaultValue="0" upperBound="2"'))
    assert [grade(question, picked).points for picked in ({0}, {1}, {0, 1}, {0, 2})] == [1, 0.5, 1, 0.5]


def test_of_one_right_choice_another_may_earn_a_part() -> None:
    question = only(item(right=("A",)))
    assert question.kind == "single"
    assert [grade(question, {n}).points for n in range(4)] == [1, 0.5, 0, 0]


def test_of_one_right_choice_another_may_earn_all() -> None:
    """Both are right then: one is enough, and each earns what the item says."""
    question = only(item(right=("A",)).replace('mappedValue="1.0"', 'mappedValue="2.0"'))
    assert [grade(question, {n}).points for n in range(4)] == [1, 1, 0, 0]


def test_all_or_nothing_where_the_item_matches_its_correct_response() -> None:
    question = only(item(template="match_correct.xml"))
    assert [grade(question, picked).points for picked in ({0}, {0, 1}, {0, 1, 2})] == [0, 1, 0]
    assert all(option.weight is None for option in question.options)


def test_by_other_rules_shares_are_ours() -> None:
    question = only(item(template=""))
    assert [grade(question, picked).points for picked in ({0}, {1}, {0, 1})] == [0.5, 0.5, 1]


def test_a_mapping_by_its_names_in_qti_3() -> None:
    renamed = item()
    names = (
        "assessmentItem responseDeclaration correctResponse mapping mapEntry itemBody simpleChoice "
        "choiceInteraction responseProcessing value prompt"
    )
    for name in names.split():
        dashed = "".join(f"-{sign.lower()}" if sign.isupper() else sign for sign in name)
        renamed = renamed.replace(f"<{name}", f"<qti-{dashed}").replace(f"</{name}", f"</qti-{dashed}")
    for name, dashed in (("mapKey", "map-key"), ("mappedValue", "mapped-value"), ("defaultValue",
                         "default-value"), ("responseIdentifier", "response-identifier")):  # fmt: skip
        renamed = renamed.replace(name, dashed)
    assert only(renamed).options == only(item()).options


@pytest.mark.parametrize("worth", ["", "much", "nan", "inf"])
def test_a_value_that_is_no_number_is_left_out(worth: str) -> None:
    question = only(item().replace('mappedValue="-1.0"', f'mappedValue="{worth}"'))
    assert question.options[2].weight == question.options[3].weight == -1.0
