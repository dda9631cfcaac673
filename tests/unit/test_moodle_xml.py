"""Moodle XML as Moodle exports it; files that mean harm or are broken; out and in again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_questions import questions

from quiz.formats import moodle, moodleout
from quiz.formats.bank import Bank
from quiz.question import Accepted, Gap, Number, Option, Question


def item(kind: str, inner: str, stem: str = "Q?") -> str:
    return (
        f'<question type="{kind}"><name><text>N</text></name><questiontext format="html">'
        f"<text><![CDATA[{stem}]]></text></questiontext>{inner}</question>"
    )


def answer(text: str, fraction: object, feedback: str = "", more: str = "") -> str:
    return (
        f'<answer fraction="{fraction}" format="html"><text>{text}</text>'
        f"<feedback><text>{feedback}</text></feedback>{more}</answer>"
    )


def quiz(*items: str) -> Bank:
    return moodle.read('<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n' + "\n".join(items) + "\n</quiz>")


def one(kind: str, inner: str, stem: str = "Q?") -> Question:
    bank = quiz(item(kind, inner, stem))
    assert bank.troubles == () and len(bank.questions) == 1, bank
    return bank.questions[0]


def test_a_choice_with_everything_around_it() -> None:
    inner = (
        "<generalfeedback><text>because</text></generalfeedback><defaultgrade>2.0</defaultgrade>"
        "<idnumber>q-7</idnumber><single>true</single><shuffleanswers>1</shuffleanswers>"
        + answer("S &lt; n", 100, "yes")
        + answer("half", 50)
        + answer("no", 0, "never")
        + "<hint><text>look</text></hint><hint><text></text></hint>"
        "<tags><tag><text>ring</text></tag><tag><text>bytes</text></tag></tags>"
    )
    bank = quiz(
        '<question type="category"><category><text>$course$/top/Ring</text></category></question>',
        item("multichoice", inner, "<p>How <b>much</b>?</p>"),
    )
    assert bank.troubles == ()
    assert bank.questions == (
        Question(
            id="q-7",
            kind="single",
            stem="<p>How <b>much</b>?</p>",
            options=(
                Option("S < n", True, "yes"),
                Option("half", False, "", 0.5),
                Option("no", False, "never"),
            ),
            explain="because",
            points=2,
            tags=("ring", "bytes"),
            line=4,
            hints=("look",),
            title="N",
            category="$course$/top/Ring",
            markup="html",
            shuffle=True,
        ),
    )


def test_every_kind_moodle_exports() -> None:
    many = one("multichoice", "<single>false</single>" + answer("a", 50) + answer("b", 50) + answer("c", 0))
    assert many.kind == "multi" and [o.weight for o in many.options] == [0.5, 0.5, 0]
    rule = one("multichoice", "<single>false</single>" + answer("a", 100) + answer("c", -100))
    assert [o.weight for o in rule.options] == [None, None]
    statement = one("truefalse", answer("true", 0, "no") + answer("false", 100, "yes"))
    assert statement.key == (1,) and statement.options[0].explain == "no"
    text = one("shortanswer", "<usecase>1</usecase>" + answer("DDP", 100) + answer("*", 0, "look again"))
    assert text.case and text.accepted == (Accepted("DDP"), Accepted("*", 0, "look again"))
    unit = "<unit><multiplier>{}</multiplier><unit_name>{}</unit_name></unit>"
    units = f"<units>{unit.format(1000, 'ms')}{unit.format(1, 's')}</units>"
    number = one(
        "numerical", answer("2.5", 100, more="<tolerance>0.5</tolerance>") + answer("*", 0, "no") + units
    )
    assert number.accepted[0].number == Number(2, 3, "s", 2.5) and number.accepted[1].number is None
    pair = "<subquestion format='html'><text>{}</text><answer><text>{}</text></answer></subquestion>"
    match = one("matching", pair.format("a", "x") + pair.format("b", "y") + pair.format("", "z"))
    assert match.prompts == ("a", "b") and len(match.options) == 3 and match.key == (0, 1)
    order = one("ordering", answer("second", 2) + answer("first", 1))
    assert [o.text for o in order.options] == ["first", "second"]
    assert one("essay", "").kind == "essay" and one("description", "").points == 0
    words = "".join(f"<dragbox><text>{w}</text><group>1</group></dragbox>" for w in ("ring", "tree"))
    assert one("ddwtos", words, "A [[1]]!").gaps == (Gap((Accepted("ring"),), ("ring", "tree")),)


def test_embedded_answers() -> None:
    question = one(
        "cloze",
        "",
        "Ring {2:NUMERICAL:=6:0.5#yes~%50%7:1} on {1:MULTICHOICE:=4~8#no~\\}} and {:SA:=a\\=b~%50%c}.",
    )
    assert (
        question.kind == "cloze"
        and question.stem == "Ring {{1}} on {{2}} and {{3}}."
        and question.points == 4
    )
    steps, ranks, text = question.gaps
    assert steps.weight == 2 and [a.number for a in steps.accepted] == [
        Number(5.5, 6.5, "", 6),
        Number(6, 8, "", 7),
    ]
    assert ranks.offered == ("4", "8", "}") and ranks.accepted == (Accepted("4"),)
    assert text.accepted == (Accepted("a=b"), Accepted("c", 0.5))


@pytest.mark.parametrize(
    ("kind", "inner", "says"),
    [
        ("calculated", "", "type 'calculated'"),
        ("multichoice", answer("a", 100), "two answers"),
        ("multichoice", answer("a", 0) + answer("b", 0), "no answer is right"),
        ("multichoice", answer("a", "all") + answer("b", 0), "no share"),
        ("truefalse", answer("yes", 100) + answer("no", 0), "`true` and `false`"),
        ("truefalse", answer("true", 100) + answer("false", 100), "one of true"),
        ("shortanswer", "", "no answer is right"),
        ("numerical", answer("many", 100), "'many'"),
        ("matching", "<subquestion><text>a</text><answer><text>b</text></answer></subquestion>", "two pairs"),
        ("cloze", "", "no gap"),
        ("ordering", answer("a", 1), "nothing to put"),
        ("essay", "<defaultgrade>much</defaultgrade>", "defaultgrade"),
    ],
)
def test_each_trouble_has_its_place_and_leaves_the_others(kind: str, inner: str, says: str) -> None:
    bank = quiz(item(kind, inner), item("truefalse", answer("true", 100) + answer("false", 0), "good"))
    (trouble,) = bank.troubles
    assert says in trouble.message and trouble.mend and trouble.line == 3 and trouble.column >= 1
    assert [q.stem for q in bank.questions] == ["good"]


def test_a_share_that_moodle_refuses_is_said_and_taken() -> None:
    bank = quiz(item("multichoice", answer("a", 100) + answer("b", 33)))
    assert [t.message for t in bank.troubles] == ["Moodle refuses fraction=33"]
    assert "33.3333" in bank.troubles[0].mend and bank.questions[0].options[1].weight == 0.33


BOMB = "<!DOCTYPE quiz [<!ENTITY a 'ha'>" + "".join(
    f"<!ENTITY {b} '&{a};&{a};&{a};&{a};&{a};&{a};&{a};&{a};'>"
    for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    "head",
    [
        BOMB + "]>",
        "<!DOCTYPE quiz [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>",
        "<!DOCTYPE quiz SYSTEM 'http://127.0.0.1/x.dtd'>",
    ],
)
def test_bombs_and_entities_are_not_followed(head: str) -> None:
    bank = moodle.read(f"{head}<quiz>{item('essay', '', '&x;&i;')}</quiz>")
    assert bank.questions == () and "not followed" in bank.troubles[0].message


def test_a_file_cut_in_the_middle_keeps_what_was_whole() -> None:
    whole = item("essay", "", "first")
    bank = moodle.read(f"<quiz>\n{whole}\n<question type='essay'><name>")
    assert [q.stem for q in bank.questions] == ["first"]
    assert "no XML" in bank.troubles[0].message and bank.troubles[0].line == 3
    assert moodle.read("").troubles and moodle.read("<html/>").troubles and moodle.read("\0").troubles
    assert moodle.read("<a>" * 5000).troubles
    latin = f"<?xml version='1.0' encoding='latin-1'?><quiz>{item('essay', '', 'é')}</quiz>".encode("latin-1")
    assert moodle.read(latin).questions[0].stem == "é"


@given(st.one_of(st.text(), st.binary()))
def test_anything_read_as_xml_is_sound(data: str | bytes) -> None:
    bank = moodle.read(data)
    assert bank.questions or bank.troubles


@given(st.lists(questions(moodleout.KINDS), max_size=3, unique_by=lambda q: q.id))
def test_moodle_xml_goes_out_and_comes_in_again(asked: list[Question]) -> None:
    from msgspec.structs import replace

    text, _ = moodleout.write(asked)
    bank = moodle.read(text)
    assert bank.troubles == (), (bank.troubles, text)
    assert len(bank.questions) == len(asked)
    for found, wanted in zip(bank.questions, asked, strict=True):
        assert (found.id, found.kind, found.prompts, found.markup) == (
            wanted.id, wanted.kind, wanted.prompts, wanted.markup,
        )  # fmt: skip
        assert found.stem == wanted.stem and found.explain == wanted.explain
        assert found.sequence == wanted.sequence and found.gaps == wanted.gaps
        assert [(o.text, o.right, o.explain) for o in found.options] == [
            (o.text, o.right, o.explain) for o in wanted.options
        ]
        bare = [replace(a, text="", number=None) for a in found.accepted]
        assert bare == [replace(a, text="", number=None) for a in wanted.accepted]
        for have, want in zip(found.accepted, wanted.accepted, strict=True):
            if want.number:
                assert have.number and have.number.low == pytest.approx(want.number.low)
                assert have.number.high == pytest.approx(want.number.high)
            else:
                assert have.text == want.text
