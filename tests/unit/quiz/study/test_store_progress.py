"""The store of a student: what is kept, when it comes back, what goes out and comes in."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_answers import MONDAY, answer, place

from quiz.study import merging_two_stores, rating, records, scheduling, schema, store_file
from quiz.study.store import Progress
from quiz.study.store_file import StoreError


def test_everything_is_there_again(path):
    progress = Progress(path)
    given = answer(sure=False, text=("16 GB",), choice=(), sitting="s1")
    progress.record(given)
    progress.move(place())
    progress.keep_round("r1", [("ddp", "ring"), ("ddp", "bytes")], MONDAY, done=False)
    progress.close()
    again = Progress(path)
    assert again.answers("s1") == [given]
    assert again.places() == [place()]
    assert again.open_round(scheduling.day_end(MONDAY)) == records.Round(
        "r1", (("ddp", "ring"), ("ddp", "bytes")), MONDAY
    )
    assert again.trouble == ""
    again.keep_round("r1", [], MONDAY, done=True)
    assert again.open_round(scheduling.day_end(MONDAY)) is None


def test_three_days_the_right_cards_come_back(path):
    """Monday: one wrong, one right, one right and sure, one right but unsure."""
    progress = Progress(path)

    def due(day: int) -> list[str]:
        morning = MONDAY.replace(hour=7) + timedelta(days=day)
        return [card.question for card in progress.due(scheduling.day_end(morning))]

    for question, right, sure in (
        ("wrong", False, None),
        ("right", True, None),
        ("sure", True, True),
        ("unsure", True, False),
    ):
        progress.record(answer(question, right, sure=sure))
    assert due(0) == []
    assert due(1) == ["unsure", "wrong"]  # as FSRS-6's initial stabilities say: under 2 days
    tuesday = MONDAY + timedelta(days=1)
    progress.record(answer("wrong", True, tuesday))  # known now, after a day: 2 days
    progress.record(answer("unsure", False, tuesday))  # forgotten: a day
    assert due(1) == []
    assert due(2) == ["right", "unsure"]
    wednesday = MONDAY + timedelta(days=2)
    progress.record(answer("right", True, wednesday, sure=True))
    progress.record(answer("unsure", True, wednesday))
    assert due(2) == []
    assert "wrong" in due(3)
    assert "sure" not in due(7)
    assert "sure" in due(8)


def test_a_question_that_was_seen_is_due_until_it_is_answered(path):
    progress = Progress(path)
    progress.see("distributed", "ddp", "ring", MONDAY)
    assert [card.question for card in progress.due(scheduling.day_end(MONDAY))] == ["ring"]
    assert progress.export()["cards"][0]["state"] is None
    progress.record(answer("ring"))
    progress.see("distributed", "ddp", "ring", MONDAY)
    assert progress.due(scheduling.day_end(MONDAY)) == []
    assert progress.coming(MONDAY) == MONDAY + timedelta(days=2)
    assert progress.coming(MONDAY + timedelta(days=3)) is None


def test_slow_is_judged_by_ones_own_usual_time_of_that_kind(path):
    progress = Progress(path)
    for n in range(5):
        progress.record(answer(f"q{n}", seconds=10.0))
    progress.record(answer("slow", seconds=20.0))
    progress.record(answer("other", seconds=20.0, kind="numeric"))
    rated = {row["question"]: row["rated"] for row in progress.export()["answers"]}
    assert rated["slow"] == rating.HARD
    assert rated["other"] == rated["q0"] == rating.GOOD


def test_topics_by_their_newest_answers(path):
    progress = Progress(path)
    for right in (False, False, True, True, True):  # the first two are long ago
        progress.record(answer("a", right, tags=("ring", "bytes")))
    progress.record(answer("b", False, tags=("ring",)))
    assert progress.topics() == [records.Topic("ring", 3, 4), records.Topic("bytes", 3, 3)]


def test_answers_are_only_added(path):
    progress = Progress(path)
    progress.record(answer())
    progress.close()
    db = sqlite3.connect(path)
    for sql in ("UPDATE answer SET right = 0", "DELETE FROM answer"):
        with pytest.raises(sqlite3.IntegrityError, match="only added"):
            db.execute(sql)


def test_what_was_seen_of_a_lesson_stays_seen(path):
    progress = Progress(path)
    progress.move(place(furthest=9))
    progress.move(place("start", furthest=1))
    assert progress.places()[0].furthest == 9
    assert progress.places()[0].slide == "start"


_moments = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c"]),
        st.booleans(),
        st.sampled_from([None, True, False]),
        st.integers(0, 40),
    ),
    max_size=12,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_moments, st.integers(0, 12))
def test_cards_are_what_the_answers_make_them(tmp_path_factory, moments, cut):
    """Closed and opened again anywhere, the cards equal those of the answers replayed."""
    path = tmp_path_factory.mktemp("store") / "p.sqlite"
    progress = Progress(path)
    at = MONDAY
    made = []
    for n, (question, right, sure, hours) in enumerate(moments):
        at += timedelta(hours=hours)
        made.append(answer(question, right, at, sure=sure))
        progress.record(made[-1])
        if n == cut:
            progress.close()
            progress = Progress(path)
    assert progress.answers() == made
    states: dict[str, scheduling.Card] = {}
    seconds: list[float] = []
    for one in made:
        rated = rating.rate(one.right, one.seconds, rating.usual_time(seconds), one.sure)
        seconds += [one.seconds] if one.right else []
        before = states[one.question].state if one.question in states else ""
        states[one.question] = scheduling.review(before, rated, one.at)
    for question, card in states.items():
        assert progress.card("ddp", question) == card
    progress.close()


# --- what goes wrong --------------------------------------------------------------------------------------


def test_a_lesson_that_is_another_file_now_keeps_all_of_its_progress(path):
    progress = Progress(path)
    progress.record(answer("a", sitting="s1"))
    progress.move(place())
    progress.keep_round("r", [("ddp", "a"), ("other", "a")], MONDAY, done=False)
    due = progress.card("ddp", "a")
    progress.rename("ddp", "moved", "new")
    assert progress.card("moved", "a") == due
    assert progress.card("ddp", "a") is None
    assert progress.places() == [place()._replace(lesson="moved", course="new")]
    assert progress.answers("s1")[0].lesson == "moved"
    assert progress.open_round(scheduling.day_end(MONDAY)).asked == (("moved", "a"), ("other", "a"))
    assert progress.questions() == {"moved": {"a"}}


def test_a_clock_that_was_wrong_hides_no_question_for_long(path):
    progress = Progress(path)
    progress.record(answer("a", at=MONDAY + timedelta(days=400), sure=True))
    progress.record(answer("b"))
    assert [card.question for card in progress.due(scheduling.day_end(MONDAY))] == ["a"]
    progress.record(answer("a", at=MONDAY))
    assert progress.due(scheduling.day_end(MONDAY)) == []
    assert progress.card("ddp", "a").due > MONDAY


def test_a_file_of_the_first_schema_is_migrated(path):
    db = sqlite3.connect(path)
    db.executescript(schema.SCHEMAS[0])
    db.execute("PRAGMA user_version = 1")
    card = scheduling.review("", rating.GOOD, MONDAY)
    db.execute(
        "INSERT INTO answer VALUES (7, '2026-03-02T18:00:00.000+00:00', 'c', 'ddp', 'old', 'single',"
        """ '{"choice": [1], "text": []}', 1, 1.0, 1.0, 4.0, NULL, 3, '["ring"]', 's1')"""
    )
    db.execute("INSERT INTO card VALUES ('ddp', 'old', 'c', ?, ?)", (card.due.isoformat(), card.state))
    db.commit()
    db.close()
    progress = Progress(path)
    assert progress.card("ddp", "old") == card
    assert progress.answers() == [answer("old", course="c", sitting="s1")]
    with pytest.raises(sqlite3.IntegrityError, match="only added"):
        sqlite3.connect(path).execute("UPDATE answer SET right = 0")
    progress.keep_round("r", [("ddp", "old")], MONDAY, done=False)
    progress.close()
    assert sqlite3.connect(path).execute("PRAGMA user_version").fetchone()[0] == schema.SCHEMA


def test_export_is_whole_and_delete_asks_nobody_who_studies(path):
    progress = Progress(path)
    progress.record(answer(sure=True))
    progress.move(place())
    whole = json.loads(json.dumps(progress.export()))
    assert whole["answers"][0]["reply"] == {"choice": [2], "text": []}  # counted from 1
    assert whole["answers"][0]["sure"] is True
    assert whole["cards"][0]["state"]["stability"] > 8
    assert whole["lessons"][0]["furthest"] == 3
    with pytest.raises(StoreError, match="leave that one first"):
        store_file.delete(path)
    progress.close()
    store_file.delete(path)
    assert not path.exists()


def taken(progress: Progress, told: object) -> merging_two_stores.Merged:
    found = progress.take_in(merging_two_stores.read(json.dumps(told)))
    assert found is not None
    return found


def test_an_export_comes_back_as_it_was(path):
    progress = Progress(path)
    progress.record(answer(sure=True, sitting="s1"))
    progress.record(answer("pairs", False, MONDAY + timedelta(hours=1), kind="match", choice=(2, -1)))
    progress.see("distributed", "ddp", "seen", MONDAY)
    progress.move(place())
    progress.keep_round("r1", [("ddp", "ring")], MONDAY, done=False)
    whole = json.loads(json.dumps(progress.export()))
    assert [row["reply"]["choice"] for row in whole["answers"]] == [[2], [3, 0]]  # counted from 1; 0 is none
    progress.close()
    other = Progress(path.with_name("other.sqlite"))
    assert taken(other, whole) == (2, 0, 1)
    assert json.loads(json.dumps(other.export())) == whole
    assert taken(other, whole) == (0, 2, 0) and other.export() == whole
    other.close()


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.booleans(), st.integers(0, 9), st.booleans()), max_size=9)
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_two_machines_that_exchange_their_progress_remember_the_same(tmp_path, answers):
    """As one does on which everything was answered."""
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    one, two, all_of_it = (Progress(folder / f"{name}.sqlite") for name in ("one", "two", "all"))
    for n, (question, right, day, here) in enumerate(sorted(answers, key=lambda a: a[2])):
        given_one = answer(question, right, MONDAY + timedelta(days=day, seconds=n))
        (one if here else two).record(given_one)
        all_of_it.record(given_one)
    first, second = one.export(), two.export()
    taken(one, second)
    taken(two, first)

    def cards(progress: Progress) -> object:
        return [(card["question"], card["due"]) for card in progress.export()["cards"]]

    assert cards(one) == cards(two) == cards(all_of_it)
    assert one.topics() == two.topics() == all_of_it.topics()
    for progress in (one, two, all_of_it):
        progress.close()


def test_an_older_export_counted_from_nought(path):
    progress = Progress(path)
    progress.record(answer())
    whole = progress.export()
    del whole["export"]
    whole["answers"][0]["reply"]["choice"] = [1]
    assert taken(progress, whole) == (0, 1, 0)
    progress.close()


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"schema": 3, "answers": 7}', '{"schema": 99, "answers": []}']
)
def test_what_is_no_export_is_said(text):
    with pytest.raises(merging_two_stores.MergeError):
        merging_two_stores.read(text)
