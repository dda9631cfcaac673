"""Moodle XML as Moodle exports it; files that mean harm or are broken; out and in again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_moodle import answer, item, one, quiz
from made_questions import questions

from quiz.formats.moodle import reader, writer
from quiz.grade import grade
from quiz.question import Accepted, File, Gap, Number, Option, Question


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


@pytest.mark.parametrize(
    ("kind", "inner", "says"),
    [
        ("calculated", "", "type 'calculated'"),
        ("multichoice", answer("a", 100), "two answers"),
        ("multichoice", answer("a", 0) + answer("b", 0), "no answer is right"),
        ("multichoice", answer("a", "all") + answer("b", 0), "not a share"),
        ("truefalse", answer("true", 100), "`true` and `false`"),
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


def test_a_share_that_moodle_refuses_is_refused_as_moodle_does_unasked() -> None:
    bank = quiz(item("multichoice", answer("a", 100) + answer("b", 33)))
    assert [t.message for t in bank.troubles] == ["Moodle refuses fraction=33"]
    assert "33.3333" in bank.troubles[0].mend and bank.questions == ()
    taken = quiz(
        item("multichoice", answer("a", 100) + "".join(answer(str(s), s) for s in (33.333, -16.667)))
    )
    assert taken.troubles == () and len(taken.questions) == 1


BOMB = "<!DOCTYPE quiz [<!ENTITY a 'ha'>" + "".join(
    f"<!ENTITY {b} '&{a};&{a};&{a};&{a};&{a};&{a};&{a};&{a};'>"
    for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)


def test_shares_of_one_are_told_to_be_per_cent() -> None:
    (trouble,) = quiz(item("multichoice", answer("a", 1) + answer("b", 0))).troubles
    assert trouble.mend.startswith("Write 100")


@pytest.mark.parametrize(
    "head",
    [
        BOMB + "]>",
        "<!DOCTYPE quiz [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>",
        "<!DOCTYPE quiz SYSTEM 'http://127.0.0.1/x.dtd'>",
    ],
)
def test_bombs_and_entities_are_not_followed(head: str) -> None:
    bank = reader.read(f"{head}<quiz>{item('essay', '', '&x;&i;')}</quiz>")
    assert bank.questions[0].stem == "&x;&i;" and "not followed" in bank.troubles[0].message
    used = reader.read(f"{head}<quiz>{item('essay', '&x;', 'q')}</quiz>")
    assert used.questions == () and "undefined entity" in used.troubles[1].message


def test_a_file_cut_in_the_middle_keeps_what_was_whole() -> None:
    whole = item("essay", "", "first")
    bank = reader.read(f"<quiz>\n{whole}\n<question type='essay'><name>")
    assert [q.stem for q in bank.questions] == ["first"]
    assert "no XML" in bank.troubles[0].message and bank.troubles[0].line == 3
    assert reader.read("").troubles and reader.read("<html/>").troubles and reader.read("\0").troubles
    assert reader.read("<a>" * 5000).troubles


PIECES = [
    "<quiz>", "</quiz>", "<question type='essay'>", "<question>", "</question>", "<questiontext><text>", "Q",
    "</text></questiontext>", "<![CDATA[", "]]>", "&nbsp;", "&", "<", "<!--", "-->", "<!DOCTYPE x>",
    "\r", "\n", "\ufffe",
    "<file name='a' encoding='base64'>", "</file>", item("essay", "", "whole"), "\0", "漢",
]  # fmt: skip


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=14).map("".join)))
def test_anything_read_as_xml_is_sound(data: str) -> None:
    bank = reader.read(data)
    assert bank.questions or bank.troubles or data.strip().startswith("<quiz>")
    lines = data.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    assert all(1 <= t.line <= lines and t.column >= 1 and t.mend for t in bank.troubles)


def test_behind_a_broken_place_the_next_question_is_read() -> None:
    good = item("essay", "", "good")
    bank = reader.read(
        "\n".join(
            [
                "<quiz>",
                "<!DOCTYPE quiz [<!ENTITY a 'b'>]>",  # 2
                good,
                item("essay", "", "x").replace("<![CDATA[x]]>", "no &nbsp; here"),  # 4
                good,
                "<question type='essay'><questiontext><text>open</text></questiontext>",  # 6
                good,
                "<question type='essay'><questiontext><text>a < b</text></questiontext></question>",  # 8
                "<question type='essay'><questiontext><text>crossed</questiontext></text></question>",  # 9
                good,
            ]
        )
    )
    assert [q.stem for q in bank.questions] == ["good"] * 4 and [q.line for q in bank.questions] == [
        3,
        5,
        7,
        10,
    ]
    assert [t.line for t in bank.troubles][:5] == [2, 4, 6, 8, 9]
    assert "not closed" in bank.troubles[2].message and "&lt;" in bank.troubles[3].mend
    assert bank.troubles[3].column == 47 and all(t.mend for t in bank.troubles)
    taken = "<question type='essay'><questiontext><text><![CDATA[open</text></questiontext></question>"
    swallowed = reader.read(f"<quiz>\n{taken}\n{good}\n{good}\n</quiz>")
    assert len(swallowed.questions) == 2 and [t.line for t in swallowed.troubles] == [2]
    many = reader.read("<quiz>" + "<question>&x;</question>" * 500)
    assert len(many.troubles) == reader.MAX_BROKEN + 1 and "the rest" in many.troubles[-1].message


def test_blanks_above_the_declaration_do_not_matter() -> None:
    good = item("truefalse", answer("true", 100) + answer("false", 0))
    bank = reader.read(f'\n  <?xml version="1.0"?>\n<quiz>{good}\n<question type="?"/></quiz>')
    assert len(bank.questions) == 1
    assert [(t.line, t.column) for t in bank.troubles] == [(4, 1)]


def test_elements_inside_a_text_cost_its_question_and_are_told() -> None:
    choice = answer("<p>a</p>", 100) + answer("b", 0)
    good = item("truefalse", answer("true", 100) + answer("false", 0))
    stem = "<questiontext><text>How <b>much</b>\n<i>is</i> it?</text></questiontext>"
    bank = quiz(f'<question type="essay">{stem}</question>', item("multichoice", choice), good)
    assert [q.kind for q in bank.questions] == ["truefalse"]
    assert [(t.line, t.message) for t in bank.troubles] == [
        (3, "<b> inside a text"),
        (5, "<p> inside a text"),
    ]
    assert all("CDATA" in t.mend for t in bank.troubles)


def test_true_and_false_in_other_words_are_taken_in_their_order() -> None:
    bank = quiz(item("truefalse", answer("Falsch", 0, "no") + answer("Wahr", 100, "yes")))
    (question,) = bank.questions
    assert question.key == (1,) and [o.explain for o in question.options] == ["no", "yes"]
    assert bank.troubles == () and "the first is taken for `true`" in bank.notes[0].message


def test_an_answer_without_a_text_is_left_out() -> None:
    bank = quiz(item("multichoice", answer("a", 100) + answer("", 0) + answer("b", 0)))
    assert [o.text for o in bank.questions[0].options] == ["a", "b"] and len(bank.notes) == 1
    for kind in ("shortanswer", "numerical"):
        bank = quiz(item(kind, answer("", 0) + answer("4", 100)))
        assert [a.text for a in bank.questions[0].accepted] == ["4"] and len(bank.notes) == 1
    bank = quiz(item("ordering", answer("a", 1) + answer("", 2) + answer("b", 3)))
    assert [o.text for o in bank.questions[0].options] == ["a", "b"] and len(bank.notes) == 1


def test_a_text_in_a_format_of_its_own_is_written_in_that_of_its_question() -> None:
    plain = answer("a &lt;b&gt; c", 100, "x").replace('format="html"', 'format="plain_text"')
    inner = (
        plain + answer("b", 0) + '<generalfeedback format="moodle_auto_format"><text>1 &lt; 2</text>'
        "</generalfeedback>"
    )
    question = one("multichoice", inner)
    assert (question.markup, question.options[0].text) == ("html", "a &lt;b&gt; c")
    assert question.explain == "1 &lt; 2"


def test_types_of_common_plugins() -> None:
    every = one("multichoiceset", answer("a", 100) + answer("b", 0) + answer("c", 100))
    assert (every.kind, every.key, every.partial) == ("multi", (0, 2), False)
    assert [grade(every, picks).points for picks in ((0, 2), (0,), (0, 1, 2))] == [1, 0, 0]
    rows = "".join(f'<row number="{n}"><optiontext><text>r{n}</text></optiontext></row>' for n in (1, 2))
    columns = "".join(
        f'<column number="{n}"><responsetext><text>{word}</text></responsetext></column>'
        for n, word in ((1, "True"), (2, "False"))
    )
    weights = "".join(
        f'<weight rownumber="{row}" columnnumber="{column}"><value> {float(row == column)} </value></weight>'
        for row in (1, 2)
        for column in (1, 2)
    )
    scoring = "<scoringmethod><text>{}</text></scoringmethod>"
    for kind, method, partial in (("mtf", "subpoints", True), ("kprime", "kprimeonezero", False)):
        pairs = one(kind, rows + columns + weights + scoring.format(method))
        assert (pairs.kind, pairs.prompts, pairs.key, pairs.partial) == (
            "match",
            ("r1", "r2"),
            (0, 1),
            partial,
        )
        assert [option.text for option in pairs.options] == ["True", "False"]
    for inner in (rows + columns, rows + weights, rows):
        assert len(quiz(item("mtf", inner)).troubles) >= 1 and not quiz(item("mtf", inner)).questions


def test_files_come_along_and_go_out_again_where_they_are_shown() -> None:
    image = '<img src="@@PLUGINFILE@@/r%20ing.png" alt="ring"/>'
    file = '<file name="r ing.png" path="/" encoding="base64">aGVs\nbG8=</file>'
    stem = item("essay", "", f"Look {image}").replace(
        "</text></questiontext>", f"</text>{file}</questiontext>"
    )
    bank = quiz(stem.replace("</question>", "<generalfeedback><text>no</text></generalfeedback></question>"))
    assert bank.troubles == () and bank.notes == ()
    assert bank.questions[0].files == (File("r ing.png", "aGVsbG8="),)
    again = reader.read(writer.write(bank.questions)[0]).questions
    assert again[0].files == bank.questions[0].files and again[0].stem == bank.questions[0].stem


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ('<file name="../x.png" encoding="base64">AAAA</file>', "plain name"),
        ('<file name="x.png" encoding="hex">AAAA</file>', "'hex'"),
        ('<file name="x.png" encoding="base64">A?</file>', "not base64"),
        ('<file name="x.png" encoding="base64">AAAA</file><file name="x.png">AAAB</file>', "another one"),
        (f'<file name="x.png" encoding="base64">{"A" * (reader.MAX_FILE + 4)}</file>', "6 MB"),
    ],
)
def test_a_file_that_cannot_be_kept_is_noted(file: str, why: str) -> None:
    bank = quiz(item("essay", "", "Q").replace("</questiontext>", f"{file}</questiontext>"))
    assert len(bank.questions) == 1 and why in bank.notes[0].message and bank.notes[0].line == 3


def test_a_picture_as_moodle_1_wrote_it_is_one_of_today() -> None:
    question = one("essay", "<image>backup/a.png</image><image_base64>\naGVs\nbG8=\n</image_base64>")
    assert question.files == (File("a.png", "aGVsbG8="),)
    assert question.stem.endswith('<img src="@@PLUGINFILE@@/a.png">')
    assert one("essay", "<image/><image_base64/>").files == ()


def test_what_is_told_to_everybody_is_kept() -> None:
    inner = "".join(
        f"<{name} format='html'><text>{text}</text></{name}>"
        for name, text in (
            ("correctfeedback", "yes"),
            ("partiallycorrectfeedback", ""),
            ("incorrectfeedback", "no"),
        )
    )
    question = one("multichoice", inner + answer("a", 100) + answer("b", 0))
    assert question.verdicts == ("yes", "", "no")
    assert reader.read(writer.write([question])[0]).questions[0].verdicts == question.verdicts


def test_shares_that_do_not_come_to_all_are_noted() -> None:
    bank = quiz(
        item("multichoice", "<single>false</single>" + answer("a", 50) + answer("b", 25) + answer("c", 0))
    )
    assert len(bank.questions) == 1 and bank.troubles == () and "75 %" in bank.notes[0].message


@given(st.lists(questions(writer.KINDS), max_size=3, unique_by=lambda q: q.id))
def test_moodle_xml_goes_out_and_comes_in_again(asked: list[Question]) -> None:
    from msgspec.structs import replace

    text, _ = writer.write(asked)
    bank = reader.read(text)
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


def test_qti_is_called_by_its_name() -> None:
    (trouble,) = reader.read('<questestinterop xmlns="x"><item/></questestinterop>').troubles
    assert "QTI" in trouble.message and "--format qti" in trouble.mend
