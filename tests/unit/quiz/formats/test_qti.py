"""QTI 1.2 as Canvas and Common Cartridge write it: each type, what is right in it, and what is refused."""

from __future__ import annotations

import zipfile
from base64 import b64decode
from html import escape
from pathlib import Path

import pytest

from quiz.formats.qti.package import read_package
from quiz.formats.qti.reader import read
from quiz.formats.read_result import Bank
from quiz.formats.registry import recognised
from quiz.grade import grade
from quiz.question import Question
from tui.deck.question_files import Refused
from tui.deck.question_files import read as read_file


def labels(*texts: str, at: str = "") -> str:
    rows = (
        f'<response_label ident="{at}{n}"><material><mattext texttype="text/plain">{escape(text)}</mattext>'
        "</material></response_label>"
        for n, text in enumerate(texts)
    )
    return f"<render_choice>{''.join(rows)}</render_choice>"


def choice(*texts: str, ident: str = "r", many: bool = False, material: str = "") -> str:
    said = f"<material><mattext>{escape(material)}</mattext></material>" if material else ""
    cardinality = "Multiple" if many else "Single"
    return f'<response_lid ident="{ident}" rcardinality="{cardinality}">{said}{labels(*texts)}</response_lid>'


def equal(value: object, respident: str = "r") -> str:
    return f'<varequal respident="{respident}">{value}</varequal>'


def condition(tests: str, points: float = 100, action: str = "Set", told: str = "") -> str:
    feedback = f'<displayfeedback feedbacktype="Response" linkrefid="{told}"/>' if told else ""
    score = f'<setvar action="{action}" varname="SCORE">{points}</setvar>' if points else ""
    return f"<respcondition><conditionvar>{tests}</conditionvar>{score}{feedback}</respcondition>"


def item(stem: str, responses: str, conditions: str, kind: str = "", feedback: str = "") -> str:
    field = "<qtimetadatafield><fieldlabel>{}</fieldlabel><fieldentry>{}</fieldentry></qtimetadatafield>"
    fields = (field.format("question_type", kind) if kind else "") + field.format("points_possible", "2.0")
    return (
        f'<item ident="i" title="Question"><itemmetadata><qtimetadata>{fields}</qtimetadata></itemmetadata>'
        f'<presentation><material><mattext texttype="text/html">{escape(stem)}</mattext></material>'
        f"{responses}</presentation><resprocessing>"
        '<outcomes><decvar maxvalue="100" varname="SCORE"/></outcomes>'
        f"{conditions}</resprocessing>{feedback}</item>"
    )


def quiz(*items: str) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<questestinterop xmlns="http://www.imsglobal.org/xsd/x">\n'
        f'<assessment ident="a" title="Week 3"><section>\n{chr(10).join(items)}\n</section></assessment>\n'
        "</questestinterop>\n"
    )


def one(*args: str, **more: str) -> Question:
    bank = read(quiz(item(*args, **more)))
    assert bank.troubles == ()
    (question,) = bank.questions
    assert question.points == 2.0 and question.category == "Week 3"
    return question


def test_a_single_choice_with_what_is_told_of_its_answers() -> None:
    told = '<itemfeedback ident="1_fb"><material><mattext>Twice round.</mattext></material></itemfeedback>'
    found = one(
        "<p>How <b>much</b>?</p>", choice("S", "2S", "3S"), condition(equal(1), told="1_fb"), feedback=told
    )
    assert (found.kind, found.key, found.stem) == ("single", (1,), "<p>How <b>much</b>?</p>")
    assert [option.explain for option in found.options] == ["", "Twice round.", ""]


@pytest.mark.parametrize("kind", ["", "true_false_question"])
def test_true_and_false_in_either_order(kind: str) -> None:
    found = one("Is it?", choice("False", "True"), condition(equal(0)), kind=kind)
    assert (found.kind, [option.text for option in found.options], found.key) == (
        "truefalse", ["True", "False"], (1,),
    )  # fmt: skip


def test_several_answers_of_which_others_must_not_be_picked() -> None:
    asked = f"<and>{equal(0)}<not>{equal(1)}</not>{equal(2)}</and>"
    found = one("Which?", choice("a", "b", "c", "", many=True), condition(asked))
    assert (found.kind, found.key, len(found.options)) == ("multi", (0, 2), 3)  # an empty row is none


def test_several_answers_that_each_add_their_share() -> None:
    adds = condition(equal(0), 50, "Add") + condition(equal(2), 50, "Add")
    found = one("Which?", choice("a", "b", "c", many=True), adds)
    assert (found.kind, found.key) == ("multi", (0, 2))


def test_an_answer_that_earns_a_part() -> None:
    found = one("Which?", choice("a", "b"), condition(equal(0)) + condition(equal(1), 50))
    assert grade(found, (1,), ()).points == 1.0  # half of two


def test_a_typed_word_and_a_number_and_ranges() -> None:
    typed = '<response_str ident="r"><render_fib/></response_str>'
    text = one("Name it", typed, condition(f"{equal('all-reduce')}{equal('2*3')}"))
    assert (text.kind, [answer.text for answer in text.accepted]) == ("text", ["all-reduce", "2\\*3"])
    margin = f"<or>{equal(42)}<and><vargte>41.5</vargte><varlte>42.5</varlte></and></or>"
    number = one("How much?", typed, condition(margin) + condition("<vargte>7</vargte><varlte>8</varlte>"))
    assert number.kind == "numeric"
    said = {value: grade(number, (), (value,)).points for value in ("41.6", "42.5", "43", "7.5", "9")}
    assert said == {"41.6": 2.0, "42.5": 2.0, "43": 0.0, "7.5": 2.0, "9": 0.0}


def test_pairs_and_a_right_side_that_nothing_goes_to() -> None:
    sides = "".join(choice("out", "in", "none", ident=f"r{n}", material=left) for n, left in enumerate("ab"))
    found = one("Match", sides, condition(equal(1, "r0"), 50, "Add") + condition(equal(0, "r1"), 50, "Add"))
    assert (found.kind, found.prompts, found.sequence) == ("match", ("a", "b"), (1, 0))
    assert [option.text for option in found.options] == ["out", "in", "none"]


@pytest.mark.parametrize(
    ("kind", "accepted", "offered"),
    [
        ("fill_in_multiple_blanks_question", ("x", "y"), ()),  # each is right
        ("multiple_dropdowns_question", ("y",), ("x", "y")),
    ],
)
def test_gaps_in_a_text(kind: str, accepted: tuple[str, ...], offered: tuple[str, ...]) -> None:
    sides = choice("x", "y", ident="r_one", material="one")
    found = one("<p>A [one] b</p>", sides, condition(equal(1, "r_one"), 100, "Add"), kind=kind)
    assert (found.kind, found.stem) == ("cloze", "<p>A {{1}} b</p>")
    assert tuple(answer.text for answer in found.gaps[0].accepted) == accepted
    assert found.gaps[0].offered == offered


def test_what_asks_nothing_and_what_nobody_grades() -> None:
    assert one("Read this.", "", "", kind="text_only_question").kind == "description"
    typed = '<response_str ident="r"><render_fib/></response_str>'
    assert one("Write.", typed, condition("<other/>", 0), kind="essay_question").kind == "essay"


def test_a_formula_that_canvas_draws_is_one() -> None:
    drawn = '<p>What is <img class="equation_image" data-equation-content="\\frac{a}{b}" alt="x">?</p>'
    assert "\\frac{a}{b}" in one(drawn, choice("1", "2"), condition(equal(0))).stem


def test_what_is_wrong_is_told_where_it_stands_and_the_others_are_read() -> None:
    good = item("Which?", choice("a", "b"), condition(equal(0)))
    bank = read(
        quiz(
            item("Which?", choice("a", "b"), ""),
            good,
            item("Compute", "", "", kind="calculated_question"),
            item("", choice("a", "b"), condition(equal(0))),
        )
    )
    assert len(bank.questions) == 1
    assert [(t.line, t.message.split(":")[0]) for t in bank.troubles] == [
        (4, "no answer is right"),
        (6, "questions of type 'calculated' are not read"),
        (7, "the question itself is missing"),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('<!DOCTYPE x [<!ENTITY a "b">]>\n<questestinterop>&a;</questestinterop>', "an entity of its own"),
        ("<questestinterop><item>", "this is no XML"),
        ("<assessmentItem/>", "the question itself is missing"),
        ("<assessmentTest/>", "holds no question itself"),
        ('<assessmentItem adaptive="true"><itemBody/></assessmentItem>', "adapts or is made anew"),
        ('<!DOCTYPE x [<!ENTITY a "b">]>\n<assessmentItem>&a;</assessmentItem>', "an entity of its own"),
        ("<assessmentItem>" + "<div>" * 100, "elements too deep"),
        ("<assessmentItem><itemBody>", "this is no XML"),
        ("<questestinterop>" + "<flow>" * 100, "elements too deep"),
        ("<html/>", "not a <questestinterop>"),
    ],
)
def test_what_is_no_qti_is_refused(text: str, said: str) -> None:
    bank = read(text)
    assert bank.questions == () and said in bank.troubles[0].message


def declared(*values: str, base: str = "identifier", cardinality: str = "single") -> str:
    said = "".join(f"<value>{value}</value>" for value in values)
    return (
        f'<responseDeclaration identifier="R" cardinality="{cardinality}" baseType="{base}">'
        f"<correctResponse>{said}</correctResponse></responseDeclaration>"
    )


def choices(*texts: str) -> str:
    return "".join(f'<simpleChoice identifier="{n}">{text}</simpleChoice>' for n, text in enumerate(texts))


def second(declaration: str, body: str, more: str = "") -> Question:
    bank = read(
        '<?xml version="1.0"?><assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" title="T">'
        f"{declaration}<itemBody>{body}</itemBody>{more}</assessmentItem>"
    )
    assert bank.troubles == ()
    (question,) = bank.questions
    assert question.title == "T"
    return question


def test_choices_of_qti_2() -> None:
    asked = '<p>Which <em>is</em> it?</p><choiceInteraction responseIdentifier="R" maxChoices="{}">{}'
    asked += "</choiceInteraction>"
    told = "b<feedbackInline>Twice round.</feedbackInline>"
    found = second(declared("1"), asked.format(1, choices("a", told, "c")))
    assert (found.kind, found.stem, found.key) == ("single", "<p>Which <em>is</em> it?</p>", (1,))
    assert (found.options[1].text, found.options[1].explain) == ("b", "Twice round.")
    many = second(declared("0", "2", cardinality="multiple"), asked.format(0, choices("a", "b", "c")))
    assert (many.kind, many.key) == ("multi", (0, 2))
    truth = second(declared("1"), asked.format(1, choices("false", "true")))
    assert (truth.kind, [option.text for option in truth.options], truth.key) == (
        "truefalse", ["True", "False"], (0,),
    )  # fmt: skip


def test_order_and_pairs_of_qti_2() -> None:
    items = choices("b", "c", "a")
    asked = f'<orderInteraction responseIdentifier="R"><prompt>Sort</prompt>{items}</orderInteraction>'
    order = second(declared("2", "0", "1", cardinality="ordered"), asked)
    assert (order.kind, order.stem, order.sequence) == ("order", "Sort", (2, 0, 1))
    side = '<simpleAssociableChoice identifier="{0}">{1}</simpleAssociableChoice>'
    sets = "".join(
        f"<simpleMatchSet>{''.join(side.format(name, name.upper()) for name in names)}</simpleMatchSet>"
        for names in (("a", "b"), ("x", "y", "z"))
    )
    pairs = declared("a y", "b x", base="directedPair", cardinality="multiple")
    match = second(pairs, f'<p>Match</p><matchInteraction responseIdentifier="R">{sets}</matchInteraction>')
    assert (match.kind, match.prompts, match.sequence) == ("match", ("A", "B"), (1, 0))
    assert [option.text for option in match.options] == ["X", "Y", "Z"]


def test_what_is_typed_in_qti_2() -> None:
    entry = '<textEntryInteraction responseIdentifier="R"/>'
    text = second(declared("gloo", base="string"), f"<p>Name it</p><p>{entry}</p>")
    assert (text.kind, [answer.text for answer in text.accepted]) == ("text", ["gloo"])
    within = '<responseProcessing><equal toleranceMode="absolute" tolerance="0.5 0.5"/></responseProcessing>'
    number = second(declared("14.0", base="float"), f"<p>How much?</p><p>{entry}</p>", within)
    assert number.kind == "numeric"
    assert [grade(number, (), (said,)).points for said in ("14.4", "14.6")] == [1.0, 0.0]
    gap = second(declared("ring", base="string"), f"<p>A {entry} of ranks.</p>")
    assert (gap.kind, gap.stem, gap.gaps[0].accepted[0].text) == ("cloze", "<p>A {{1}} of ranks.</p>", "ring")
    offered = (
        '<inlineChoice identifier="0">ring</inlineChoice><inlineChoice identifier="1">tree</inlineChoice>'
    )
    chosen = second(
        declared("0"),
        f'<p>A <inlineChoiceInteraction responseIdentifier="R">{offered}</inlineChoiceInteraction>.</p>',
    )
    assert (chosen.kind, chosen.gaps[0].offered) == ("cloze", ("ring", "tree"))
    assert second("", '<p>Write.</p><extendedTextInteraction responseIdentifier="R"/>').kind == "essay"


def test_names_of_qti_3() -> None:
    text = (
        '<qti-assessment-item title="T"><qti-response-declaration identifier="R" base-type="identifier">'
        "<qti-correct-response><qti-value>1</qti-value></qti-correct-response></qti-response-declaration>"
        '<qti-item-body><p>Which?</p><qti-choice-interaction response-identifier="R">'
        '<qti-simple-choice identifier="0">a</qti-simple-choice><qti-simple-choice identifier="1">b'
        "</qti-simple-choice></qti-choice-interaction></qti-item-body></qti-assessment-item>"
    )
    (question,) = read(text).questions
    assert (question.kind, question.key) == ("single", (1,))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('<p>x</p><hotspotInteraction responseIdentifier="R"/>', "a <hotspotInteraction> is not read"),
        (
            f'<p>x</p><choiceInteraction responseIdentifier="Q">{choices("a", "b")}</choiceInteraction>',
            "no answer is right",
        ),
        (
            f'<p>x</p><orderInteraction responseIdentifier="R">{choices("a", "b")}</orderInteraction>',
            "each choice once",
        ),
        ("<hotspotInteraction/><sliderInteraction/>", "2 things to answer in one item"),
    ],
)
def test_what_is_not_read_of_qti_2(body: str, said: str) -> None:
    bank = read(f"<assessmentItem>{declared('1')}<itemBody>{body}</itemBody></assessmentItem>")
    assert bank.questions == () and said in bank.troubles[0].message


def test_a_file_is_known_by_its_text() -> None:
    for name in ("quiz.xml", "quiz.xml.qti", "quiz.txt"):
        found = recognised(name, quiz(item("Which?", choice("a", "b"), condition(equal(0)))))
        assert found is not None and found.name == "qti"
    moodle = recognised("quiz.xml", "<quiz></quiz>")
    assert moodle is not None and moodle.name == "moodle"


def packed(path: Path, **files: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("imsmanifest.xml", "<manifest/>")
        for name, text in files.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), text)
    return path


def test_a_package_of_canvas(tmp_path: Path) -> None:
    """A quiz that is there twice is read once, and a message names its file."""
    good, bad = item("Which?", choice("a", "b"), condition(equal(0))), item("Which?", choice("a", "b"), "")
    path = packed(
        tmp_path / "export.imscc",
        g1__assessment_qti_dot_xml=quiz(good),
        g1__assessment_meta_dot_xml="<quiz/>",
        non_cc_assessments__g1_dot_xml_dot_qti=quiz(good, bad),
        g2__g2_dot_xml=quiz(good),
    )
    source = read_file(str(path))
    assert source.format == "qti" and [q.id for q in source.bank.questions] == ["which", "which-2"]
    (trouble,) = source.bank.troubles
    assert (
        trouble.message.startswith("non_cc_assessments/g1.xml.qti: no answer is right") and trouble.line == 5
    )


def test_pictures_in_a_package_come_along(tmp_path: Path) -> None:
    shown = '<p>Which? <img src="$IMS-CC-FILEBASE$/Quiz%20Files/ring%201.png?canvas_=1" alt="a ring"></p>'
    gone = '<p>And <img src="$IMS-CC-FILEBASE$/../../secret.png"> <img src="https://example.org/a.png"></p>'
    two = (
        '<assessmentItem><responseDeclaration identifier="R"><correctResponse><value>a</value>'
        "</correctResponse></responseDeclaration><itemBody><p>Two? <img src='../img/ring 2.png'/></p>"
        '<choiceInteraction responseIdentifier="R"><simpleChoice identifier="a">yes</simpleChoice>'
        '<simpleChoice identifier="b">no</simpleChoice></choiceInteraction></itemBody></assessmentItem>'
    )
    path = packed(
        tmp_path / "a.imscc",
        g__g_dot_xml=quiz(*(item(stem, choice("a", "b"), condition(equal(0))) for stem in (shown, gone))),
        items__two_dot_xml=two,
        img__ring_2_dot_png="PNG 2",
    )
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("web_resources/Quiz Files/ring 1.png", "PNG 1")
        archive.writestr("img/ring 2.png", "PNG 2")
    bank = read_package(path.read_bytes())
    assert [(q.id, [b64decode(file.data) for file in q.files]) for q in bank.questions] == [
        ("which", [b"PNG 1"]), ("and", []), ("two", [b"PNG 2"]),
    ]  # fmt: skip
    assert '<img src="@@PLUGINFILE@@/1-ring 1.png" alt="a ring">' in bank.questions[0].stem
    assert [(note.message, note.line) for note in bank.notes] == [
        ("g/g.xml: its picture stays in the package", 5)
    ]
    beside = read(two)
    assert [note.message for note in beside.notes] == ["its picture stays in the package"]


@pytest.mark.parametrize("field", ["", "ordering_question", "Ordering"])
def test_choices_to_put_in_order(field: str) -> None:
    ordered = choice("c", "a", "b").replace('"Single"', '"Ordered"')
    right = condition(f"<and>{equal(1)}{equal(2)}{equal(0)}</and>")
    question = one("Sort", ordered, right, kind=field)
    assert [question.options[n].text for n in question.sequence] == ["a", "b", "c"]
    assert [grade(question, order).right for order in ([1, 2, 0], [0, 1, 2])] == [True, False]
    bank = read(quiz(item("Sort", ordered, condition(f"{equal(1)}{equal(2)}"), kind=field)))
    assert bank.troubles[0].message == "its right order does not name each choice once"


def test_an_id_is_of_the_words_of_a_stem() -> None:
    question = one("<p>How&nbsp;many <b>S</b>?</p>", choice("a", "b"), condition(equal(0)))
    assert question.id == "how-many-s"


def test_an_archive_that_is_damaged_or_is_something_else(tmp_path: Path) -> None:
    path = packed(
        tmp_path / "a.zip", g__g_dot_xml=quiz(item("Which?", choice("a", "b"), condition(equal(0))))
    )
    whole = path.read_bytes()
    at = whole.index(b"g/g.xml") + 60
    for broken in (whole[: len(whole) // 2], whole[:at] + b"\xff\x00\xff" + whole[at + 3 :]):
        bank: Bank = read_package(broken)
        assert bank.questions == () and "this archive is damaged" in bank.troubles[0].message
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr("readme.txt", "x")
    with pytest.raises(Refused, match="an archive"):
        read_file(str(tmp_path / "b.zip"))


def test_an_archive_that_unpacks_to_more_than_there_is_room_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from quiz.formats.qti import package

    monkeypatch.setattr(package, "MAX_BYTES", 1000)
    bank = read_package(packed(tmp_path / "a.zip", g__g_dot_xml=quiz() + " " * 5000).read_bytes())
    assert bank.questions == () and "larger than" in bank.troubles[0].message
