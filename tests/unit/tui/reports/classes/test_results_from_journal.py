"""The results of a class, from journals made here."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from quiz.question import Accepted, Number, Option, Question
from quiz.shuffle import arranged
from runtime import paths
from runtime.classroom import actions, question_state
from runtime.classroom import state as lc
from runtime.classroom.actions import Entry
from runtime.classroom.journal import Journal
from tui.cli import main
from tui.reports.classes import results_and_regrading, results_json_and_csv, results_text, results_words
from tui.reports.classes.result_types import Results
from tui.reports.classes.results_from_journal import changes, results
from tui.reports.classes.results_page import page

RING = Question(
    "ring",
    "single",
    "How many *bytes*?",
    (Option("S"), Option("2S", True), Option("nS"), Option("none")),
    points=2,
)
MEMORY = Question(
    "memory",
    "numeric",
    "How much?",
    accepted=(Accepted("16.6 ± 0.1 GB", number=Number(16.5, 16.7, "GB", 16.6)),),
)
OPINION = Question("mood", "poll", "Well?", (Option("yes"), Option("no")))
DECK = {q.id: q for q in (RING, MEMORY, OPINION)}


def journal(*lines: tuple[float, str, actions.AnyAction]) -> list[Entry]:
    return [Entry(n, t, screen, "all", action) for n, (t, screen, action) in enumerate(lines, 1)]


def pick(
    t: float, screen: str, question: str, *choice: int, who: str | None = "", text: str = ""
) -> tuple[float, str, actions.AnyAction]:
    return t, screen, actions.Answer(question, choice, (text,) if text else (), who)


HELD = journal(
    (0, "c", actions.Begin("c1", "0.1", "seed")),
    (1, "c", actions.Deck("r", "A \x1b[31mclass", "gone.md")),
    (10, "c", actions.Open("ring", "single", 4)),
    pick(12, "c", "ring", 1, who=None),  # the teacher shows how: none of the room
    pick(13, "a", "ring", 0, who="Ada"),
    pick(14, "b", "ring", 1, who="<b>Bob"),
    pick(19, "a", "ring", 2, who="Ada"),
    pick(20, "d", "ring", 0),
    (30, "c", actions.Again("ring")),
    pick(34, "a", "ring", 1, who="Ada"),
    pick(36, "b", "ring", 1, who="<b>Bob"),
    pick(40, "d", "ring", 0),
    (50, "c", actions.Reveal("ring", (1,))),
    (60, "c", actions.Open("memory", "numeric", 0)),
    pick(64, "a", "memory", who="Ada", text="16.55 GB"),
    pick(65, "d", "memory", text="16,6"),
    pick(66, "b", "memory", who="<b>Bob", text="=7"),
    (70, "c", actions.Reveal("memory", (), accepted=("16.6 ± 0.1 GB",))),
    (80, "c", actions.Open("mood", "poll", 2)),
    (82, "c", actions.Hands("mood", (5, 3))),
    pick(83, "a", "mood", 1, who="Ada"),
    (90, "c", actions.Reveal("mood", ())),
)  # fmt: skip


def told(found: Results, names: bool = False) -> list[str]:
    return list(results_text.text(found, None, results_and_regrading.called(found, names)))


@pytest.mark.parametrize("deck", [DECK, {}])
def test_votes_shares_times_and_gain_are_those_of_the_room(deck: dict[str, Question]) -> None:
    ring, memory, mood = results(HELD, deck).questions
    assert [(v.answered, v.right) for v in ring.rounds] == [(3, 1 / 3), (3, 2 / 3)]
    assert ring.facility == pytest.approx(2 / 3) and ring.gain == pytest.approx(0.5)
    assert [said.votes for said in ring.said] == [(1, 1), (1, 2), (1, 0), (0, 0)]
    assert ring.median_s == 6  # of the second vote, from when it was opened
    assert [(g.screen, g.seconds) for g in ring.given if g.round == 1] == [("a", 9), ("b", 4), ("d", 10)]
    assert memory.facility == pytest.approx(2 / 3) and memory.gain is None
    assert {said.text: said.right for said in memory.said} == {"16.55 GB": True, "16,6": True, "=7": False}
    assert (mood.facility, mood.key, mood.rounds[0].answered) == (None, "", 9)
    assert [(said.votes, said.hands, said.right) for said in mood.said] == [
        ((5,), (5,), None),
        ((4,), (3,), None),
    ]


def test_people_have_points_of_all_graded_questions() -> None:
    found = results(HELD, DECK)
    rows = [(p.name, p.answered, p.points, p.out_of, p.console) for p in found.people]
    assert rows == [("Ada", 3, 3, 3, False), ("<b>Bob", 2, 2, 3, False), ("", 2, 1, 3, False)]


def test_a_name_is_one_person_and_a_screen_without_one_its_own() -> None:
    """Ada's line broke: she is back on another screen, in the middle of a question and for the next."""
    lines = journal(
        (0, "c", actions.Open("ring", "single", 4)),
        pick(1, "a", "ring", 0, who="Ada"),
        pick(2, "x", "ring", 0),
        pick(3, "a2", "ring", 1, who="Ada"),
        pick(4, "x2", "ring", 1),
        (9, "c", actions.Reveal("ring", (1,))),
        (10, "c", actions.Open("memory", "numeric", 0)),
        pick(11, "a3", "memory", who="Ada", text="16.6 GB"),
        (19, "c", actions.Reveal("memory", (), accepted=("16.6 ± 0.1 GB",))),
    )
    found = results(lines, DECK)
    assert found.questions[0].rounds[0].answered == 3
    assert [(p.name, p.answered, p.points) for p in found.people] == [("Ada", 2, 3), ("", 1, 0), ("", 1, 2)]
    assert lc.fold(lines).questions["ring"].votes == (1, 2, 0, 0)
    told = results_json_and_csv.as_json(found, None, results_and_regrading.called(found, False))
    assert "Ada" not in json.dumps(told) and '"a2"' not in json.dumps(told)


def test_numbers_of_an_order_say_what_they_stand_for_and_nobody_is_no_histogram() -> None:
    order = Question("order", "order", "In *order*", (Option("$x^2$"), Option("b")), sequence=(1, 0))
    lines = journal(
        (0, "c", actions.Open("order", "order", 2)),
        pick(1, "a", "order", 1, 0),
        (2, "c", actions.Reveal("order", (1, 0))),
        (3, "c", actions.Open("ring", "single", 4)),
    )
    found = results(lines, {"order": order, "ring": RING})
    assert found.questions[0].parts == ("1 $x^2$", "2 b") and results(lines, {}).questions[0].parts == ()
    shown = "\n".join(told(found))
    assert "In order" in shown and "1 x²" in shown and "right is 2 1" in shown
    assert "nobody answered" in shown and "2S" not in shown
    html = page(found, None, {"a": "person 1"})
    assert "<li>1 x²</li>" in html and "Nobody answered." in html


def test_a_prediction_keeps_what_was_measured_when_the_class_is_regraded() -> None:
    guess = Question("guess", "single", "How long?", (Option("1x"), Option("6x")))
    lines = journal(
        (0, "c", actions.Open("guess", "single", 2)),
        pick(1, "a", "guess", 1),
        (2, "c", actions.Measured("guess", question_state.Sample("slow", "r1", 0.6))),
        (2, "c", actions.Measured("guess", question_state.Sample("fast", "r2", None))),
        (2, "c", actions.Reveal("guess", (1,))),
    )
    now = results(lines, {"guess": guess}, regrade=True)
    assert now.questions[0].measured == {"slow": (0.6,), "fast": (None,)}
    assert now.questions[0].facility == 1 and changes(results(lines, {"guess": guess}), now) == ()


def test_a_question_that_nobody_of_the_room_answered_counts_the_console() -> None:
    alone = journal(
        (0, "c", actions.Open("ring", "single", 4)),
        pick(5, "c", "ring", 1, who=None),
        (9, "c", actions.Lock("ring", (1,), 2.0, 2.0)),
        (10, "c", actions.Reveal("ring", (1,))),
    )
    found = results(alone, DECK)
    assert found.questions[0].facility == 1 and found.people[0].console
    assert found.questions[0].given[0].seconds == 5  # the lock is no later answer
    assert results_and_regrading.called(found, True) == {"c": "console"}


def test_hands_are_answers_where_a_hand_is_a_whole_one() -> None:
    def held(kind: str) -> list[Entry]:
        return journal(
            (0, "c", actions.Open("q", kind, 3)),
            (5, "c", actions.Hands("q", (2, 6, 0))),
            pick(5, "c", "q", 1, who=None),
            (10, "c", actions.Reveal("q", (1,))),
        )

    single, multi = (results(held(kind), {}).questions[0] for kind in ("single", "multi"))
    assert (single.facility, single.answered, single.rounds[0].hands) == (0.75, 8, 8)
    assert (multi.facility, multi.said[1].votes) == (None, (6,))


def test_a_second_vote_that_nobody_answers_leaves_the_first_to_count() -> None:
    lines = [
        (0, "c", actions.Open("q", "single", 2)),
        pick(1, "a", "q", 1),
        pick(1, "b", "q", 0),
        (2, "c", actions.Again("q")),
        (3, "c", actions.Reveal("q", (1,))),
    ]
    found = results(journal(*lines), {})
    only = found.questions[0]
    assert (only.facility, only.answered, len(only.rounds)) == (0.5, 2, 2)
    assert sorted(person.points for person in found.people) == [0, 1]
    assert [only.shares(said) for said in only.said] == [(0.5, None), (0.5, None)]


def test_a_number_that_was_predicted_is_graded_with_the_class() -> None:
    def say(screen: str, text: str) -> Any:
        return (1, screen, actions.Answer("q", (), (text,), ""))

    lines = [
        (0, "c", actions.Open("q", "numeric", 0)),
        *(say(screen, text) for screen, text in (("a", "100 ms"), ("b", "0.12 s"), ("d", "300"))),
        (3, "c", actions.Reveal("q", (), ("",), "", ("83.2..115.2 ms",), ("76.8..124.8 ms",))),
    ]
    found = results(journal(*lines), {})
    assert [(g.words, g.right) for g in found.questions[0].given] == [
        ("100 ms", True),
        ("0.12 s", None),
        ("300", False),
    ]
    assert found.questions[0].facility == 0.5
    shown = "\n".join(results_text.text(found, None, results_and_regrading.called(found, False)))
    assert "right is 83.2..115.2 ms" in shown


def test_discrimination_is_the_point_biserial_of_item_and_rest() -> None:
    screens = [f"{letter}{n}" for letter in "pqrs" for n in range(7)]
    lines: list[tuple[float, str, actions.AnyAction]] = []
    for question, right in (("q1", "pq"), ("q2", "pqr"), ("q3", "p")):
        lines.append((1, "c", actions.Open(question, "single", 2)))
        lines += [pick(2, s, question, int(s[0] in right)) for s in screens]
        lines.append((3, "c", actions.Reveal(question, (1,))))
    found = results(journal(*lines), {})
    # of q1, seven times each: right 1 1 0 0, the rest 2 1 1 0: r = 2 / sqrt(4 * 2) by hand
    assert found.questions[0].discrimination == pytest.approx(2**0.5 / 2)
    few = results(journal(*[line for line in lines if line[1] not in screens[-3:]]), {})
    assert len(few.people) == 25 and few.questions[0].discrimination is None
    told = " ".join(results_words.facts(few.questions[0]))
    assert "discrimination - (it takes 26 people" in told


def test_another_key_regrades_and_says_what_it_changed() -> None:
    mended = replace(RING, options=tuple(replace(o, right=n == 0) for n, o in enumerate(RING.options)))
    before = results(HELD, {**DECK, "ring": mended})
    assert before.questions[0].facility == pytest.approx(2 / 3)  # by the key that the class was shown
    now = results(HELD, {**DECK, "ring": mended}, regrade=True)
    (change,) = changes(before, now)
    assert (change.was, change.now) == ("2 2S", "1 S")
    assert (change.facility_was, change.facility_now) == (pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert change.changed == 5  # of six in two rounds: one is wrong by both keys
    assert changes(before, before) == ()
    other = replace(mended, options=mended.options[:3])  # no more the question that was asked
    assert results(HELD, {"ring": other}, regrade=True).questions[0].facility == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("kind", "key", "choice", "points"),
    [("order", (2, 0, 1), (2, 0, 1), 1), ("match", (1, 0), (1, -1), 0.5), ("line", (3,), (3,), 1)],
)
def test_a_deck_that_is_gone_leaves_what_the_reveal_told(
    kind: str, key: tuple[int, ...], choice: tuple[int, ...], points: float
) -> None:
    held = journal(
        (0, "c", actions.Open("q", kind, 4)), pick(1, "a", "q", *choice), (2, "c", actions.Reveal("q", key))
    )
    assert results(held, {}).questions[0].given[0].points == points


def test_gaps_are_graded_by_the_texts_that_were_shown() -> None:
    held = journal(
        (0, "c", actions.Open("q", "cloze", 0)),
        (1, "a", actions.Answer("q", (), ("ring", "7"), "")),
        (2, "c", actions.Reveal("q", (), accepted=("ring", "6"))),
    )
    assert results(held, {}).questions[0].given[0].points == 0.5


def test_options_are_those_of_the_class_in_its_order() -> None:
    shuffled = arranged(replace(RING, shuffle=True), "seed")
    key = shuffled.key
    held = journal(
        (0, "c", actions.Open("ring", "single", 4)),
        pick(1, "a", "ring", *key),
        (2, "c", actions.Reveal("ring", key)),
    )
    found = results(held, {"ring": shuffled}).questions[0]
    assert [said.text for said in found.said if said.votes[0]] == ["2S"] and found.facility == 1


def test_what_people_read_is_clean_and_anonymous() -> None:
    lines = told(results(HELD, DECK))
    assert "\x1b" not in "".join(lines) and not any("Ada" in line for line in lines)
    assert any("person 1" in line for line in lines)
    assert any("Ada" in line for line in told(results(HELD, DECK), names=True))
    assert any("right: 33 %, then 67 % · gain 0.50" in line for line in lines)
    assert told(results([], {}))[-1] == "no question was asked in it"


def test_the_object_and_the_table_hold_every_answer() -> None:
    found = results(HELD, DECK)
    people = results_and_regrading.called(found, False)
    whole = json.loads(json.dumps(results_json_and_csv.as_json(found, (), people)))
    assert whole["regraded"] == [] and len(whole["questions"]) == 3
    assert "Ada" not in str(whole) and whole["people"][0] == {
        "person": "person 1", "console": False, "answered": 3, "points": 3.0, "out_of": 3.0,
    }  # fmt: skip
    assert whole["questions"][0]["said"][1] == {
        "n": 2,
        "text": "2S",
        "right": True,
        "votes": [1, 2],
        "hands": [0, 0],
    }
    rows = list(csv.DictReader(io.StringIO(results_json_and_csv.table(found, people))))
    assert len(rows) == 6 + 3 + 3
    assert sum(int(row["count"]) for row in rows if row["question"] == "mood") == 9
    assert [row["answer"] for row in rows if row["question"] == "memory"][2] == "'=7"  # no formula


def test_the_page_escapes_and_loads_nothing() -> None:
    found = results(HELD, DECK)
    html = page(found, changes(found, found), results_and_regrading.called(found, True))
    assert "&lt;b&gt;Bob" in html and "<b>Bob" not in html and "\x1b" not in html
    assert "default-src 'none'" in html and "http" not in html.split("<body>")[1]


@pytest.fixture
def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The class c1 on disk, with the deck it was held with."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    deck = tmp_path / "deck.md"
    deck.write_text(
        "# Quiz\n\n::: quiz {#ring kind=single points=2}\nHow many *bytes*?\n\n- [ ] S\n- [x] 2S\n- [ ] nS\n"
        "- [ ] none\n:::\n\n---\n\n# More\n\n"
        "::: quiz {#memory kind=numeric}\nHow much?\n\n= 16.6 ± 0.1 GB\n:::\n"
    )
    book = Journal(paths.journal_file("c1"))
    for entry in HELD:
        action = (
            actions.Deck("r", "A class", str(deck))
            if isinstance(entry.action, actions.Deck)
            else entry.action
        )
        book.append(action, entry.screen)
    return deck


def test_the_command_says_it_in_every_form(held: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["class", "results", "c1"]) == 0
    told = capsys.readouterr().out
    assert "How many bytes?" in told and "*   2 2S" in told and "Ada" not in told
    assert main(["class", "results", "last", "--json", "--names"]) == 0
    assert json.loads(capsys.readouterr().out)["people"][0]["person"] == "Ada"
    assert main(["class", "results", "c1", "--csv", "-o", "out.csv"]) == 0
    assert Path("out.csv").read_text().startswith("class,question")
    assert main(["class", "results", "c1", "--html"]) == 0
    assert capsys.readouterr().out.startswith("<!doctype html>")
    assert main(["class", "results", "none"]) == 1


def test_a_key_mended_in_the_deck_regrades_the_class(held: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = paths.journal_file("c1").read_bytes()
    held.write_text(held.read_text().replace("[x] 2S", "[ ] 2S").replace("[ ] S", "[x] S"))
    assert main(["class", "results", "c1"]) == 0
    assert "*   2 2S" in capsys.readouterr().out  # as the class was told
    assert main(["class", "results", "c1", "--regrade", str(held)]) == 0
    told = capsys.readouterr().out
    assert "*   1 S" in told and "ring: right was 2 2S, is 1 S" in told and "facility 67 % to 33 %" in told
    assert main(["class", "results", "c1", "--regrade", "absent.md"]) == 2
    assert "absent.md" in capsys.readouterr().err
    assert paths.journal_file("c1").read_bytes() == before


def test_answers_that_mean_the_same_are_listed_once() -> None:
    name = Question("name", "text", "?", accepted=(Accepted("all-reduce"),))
    typed = ("all reduce", "All-Reduce", "ring")
    lines = journal(
        (0, "c", actions.Open("name", "text", 0)),
        *(
            pick(n, screen, "name", text=words)
            for n, (screen, words) in enumerate(zip("abd", typed, strict=True))
        ),
        (9, "c", actions.Reveal("name", (), accepted=("all-reduce",))),
    )
    (asked,) = results(lines, {"name": name}).questions
    assert [(said.votes, said.right) for said in asked.said] == [((2,), True), ((1,), False)]
    (exact,) = results(lines, {"name": replace(name, case=True)}).questions
    assert [said.votes for said in exact.said] == [(1,), (1,), (1,)]
