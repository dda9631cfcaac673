"""A deck in another language: its own words in the original's shape, and nothing that changes the lesson."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.classroom.actions import Begin
from slides.deck import Quiz
from slides.drawing.screen_reader_lines import linear
from slides.languages.new_translation import skeleton
from slides.languages.same_shape import differing, fingerprint, inner, made_of, settings, with_settings
from slides.reading.parse import parse_slide
from slides.reading.split import load
from tui import cli
from tui.deck import deck_upload, languages
from tui.deck.built_in import courses
from tui.deck.contents import Contents, open_deck
from tui.deck.reloading import read
from tui.study import course

ORIGINAL = """---
title: A lesson
time: 10m
ranks: "2"
---
<!-- slide: {time: 1m, section: Start, layout: title} -->
# One {#one}

- first
<!-- pause -->
- second

<!-- notes: SECRET note of one -->

---

<!-- slide: {time: 2m} -->
# Two {#two}

::: quiz {#q points=2}
Which gives every rank the sum?

- [ ] broadcast
- [x] all_reduce
  > SECRET why
:::

---

# Three {#three}

::: demo ddp {#run} ranks=2

```python
x = 1
```
"""
TOLD = {
    "First": ("- first", "- pehla"),
    "second": ("- second", "- doosra"),
    "Which": ("Which gives every rank the sum?", "Har rank ko sum kaun deta hai?"),
    "title": ("# One {", "# Ek {"),
}


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    """With a translation of all slides but the third, which has other code."""
    file = tmp_path / "lesson.md"
    file.write_text(ORIGINAL)
    text = skeleton(open_deck(file), "hi-Latn")
    for ours, theirs in TOLD.values():
        assert ours in text
        text = text.replace(ours, theirs)
    text = text.replace("x = 1", "x = 2").replace('title: "A lesson"', 'title: "Ek lesson"')
    (tmp_path / "hi-Latn").mkdir()
    (tmp_path / "hi-Latn" / "lesson.md").write_text(text)
    return file


def test_a_translation_has_its_words_and_the_originals_settings_steps_and_ids(deck: Path) -> None:
    ours, theirs = Contents(open_deck(deck)), Contents(open_deck(deck, lang="hinglish"))
    assert [h.id for h in ours.heads] == [h.id for h in theirs.heads]
    assert [ours.slide(n).steps for n in range(3)] == [theirs.slide(n).steps for n in range(3)]
    assert [h.time_s for h in ours.heads] == [h.time_s for h in theirs.heads]
    assert theirs.deck.title == "Ek lesson" and theirs.deck.meta["lang"] == "hi-Latn"
    assert theirs.deck.path == str(deck) and theirs.deck.meta["ranks"] == "2"
    text = theirs.deck.source
    assert "pehla" in text and "Har rank ko" in text and "- first" not in text
    assert "x = 1" in text and "x = 2" not in text  # of another shape: the original's words
    (quiz,) = theirs.quizzes(1)
    assert isinstance(quiz, Quiz) and quiz.id == "q"


def test_its_lines_are_those_of_the_original(deck: Path) -> None:
    ours, theirs = open_deck(deck), open_deck(deck, lang="hi-Latn")
    assert [head.line for head in ours.slides] == [head.line for head in theirs.slides]
    assert languages.file_of(deck, "hi-Latn").as_posix() in theirs.files


def test_the_room_gets_no_note_and_no_key_in_any_language(deck: Path) -> None:
    blob = deck_upload.for_audience(Contents(open_deck(deck, lang="hi-Latn")))
    assert b"SECRET" not in blob and b"pehla" in blob and str(deck.parent).encode() not in blob
    theirs = deck_upload.contents(blob, "audience")
    assert [head.id for head in theirs.heads] == ["one", "two", "three"]


def test_a_language_that_is_not_there_leaves_the_deck_as_it_is(deck: Path) -> None:
    assert open_deck(deck, lang="fr").source == open_deck(deck).source
    assert open_deck(deck, lang="../../etc").source == open_deck(deck).source
    assert "hi-Latn" in languages.unknown(deck, open_deck(deck), "fr")
    assert languages.unknown(deck, open_deck(deck), "Hinglish") == ""


def test_an_edit_of_either_file_is_read_in_the_language_that_is_shown(deck: Path) -> None:
    contents = Contents(open_deck(deck, lang="hi-Latn"))
    assert read(contents) is None
    file = languages.file_of(deck, "hi-Latn")
    file.write_text(file.read_text().replace("doosra", "agla"))
    fresh = read(contents)
    assert fresh is not None and fresh.contents is not None and "agla" in fresh.contents.deck.source
    deck.write_text(deck.read_text().replace("time: 2m", "time: 3m"))
    again = read(fresh.contents)
    assert again is not None and again.contents is not None
    assert again.contents.heads[1].time_s == 180 and "agla" in again.contents.deck.source


def test_check_tells_what_is_missing_older_or_of_another_shape(
    deck: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = languages.file_of(deck, "hi-Latn")
    assert cli.main(["check", str(deck)]) == 1
    assert "slide `three`: its code not as in the original" in capsys.readouterr().out
    file.write_text(file.read_text().replace("x = 2", "x = 1"))
    assert cli.main(["check", str(deck)]) == 1
    assert "slide `three` is not translated yet" in capsys.readouterr().out
    file.write_text(file.read_text().replace("of: todo-", "of: "))  # it is the same in both
    assert cli.main(["check", str(deck)]) == 0
    deck.write_text(ORIGINAL.replace("- second", "- the second one"))
    assert cli.main(["check", str(deck)]) == 1
    assert "slide `one` is older than its original" in capsys.readouterr().out
    file.write_text(file.read_text().replace("{#two}", "{#deux}"))
    cli.main(["check", str(deck)])
    out = capsys.readouterr().out
    assert "slide `two`: it has no translation" in out and "slide `deux` is not in the original" in out


def test_what_a_translator_begins_with_keeps_what_was_done(
    deck: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = languages.file_of(deck, "hi-Latn")
    kept = file.read_text()
    deck.write_text(ORIGINAL + "\n---\n\n# Four {#four}\n\nnew\n")
    assert cli.main(["course", "translate", str(deck), "--lang", "hinglish"]) == 0
    text = file.read_text()
    assert "pehla" in text and "new" in text and "1 to translate" in capsys.readouterr().out
    assert made_of(load(file).slides[0].raw) in kept
    assert cli.main(["check", str(deck)]) == 1
    out = capsys.readouterr().out
    assert "slide `four` is not translated yet" in out and "`one`" not in out
    deck.write_text(deck.read_text().replace("new\n", "newer\n"))
    assert cli.main(["course", "translate", str(deck), "--lang", "hinglish"]) == 0
    assert "newer" in file.read_text() and "pehla" in file.read_text()  # nobody had touched it
    file.write_text(file.read_text().replace("newer", "nayi"))
    assert cli.main(["check", str(deck)]) == 1  # the third slide has other code, as before
    assert "`four`" not in capsys.readouterr().out
    assert cli.main(["course", "translate", str(deck), "--lang", "../x"]) == 2


@given(st.text(max_size=300))
def test_any_slide_has_a_shape_and_settings_are_put_in_and_taken_out(raw: str) -> None:
    assert differing(raw, raw) == ""
    assert settings(with_settings(raw, "of: 12345678"))["of"] == "12345678" or inner(raw)


def test_settings_do_not_count_as_words() -> None:
    assert fingerprint("<!-- slide: {time: 1m} -->\n# A\n") == fingerprint("# A  \n")
    assert fingerprint("# A") != fingerprint("# B")


@pytest.mark.parametrize(
    ("ours", "theirs", "what"),
    [
        ("::: demo ddp ranks=2", "::: demo ddp ranks=4", "directives"),
        ('::: chart bars title="A" unit=GB', '::: chart bars title="B" unit=GB', ""),
        ('::: chart bars unit=GB limit="80 one H100"', '::: chart bars unit=GB limit="80 ek H100"', ""),
        ('::: chart bars unit="MB a layer"', '::: chart bars unit="MB per layer"', ""),
        ('::: chart bars limit="80 one H100"', '::: chart bars limit="40 ek H100"', "directives"),
        ("::: chart bars unit=GB", '::: chart bars unit="MB a layer"', "directives"),
        ("::: chart bars unit=days", "::: chart bars unit=din", ""),
        ("::: chart bars unit=ms", "::: chart bars unit=din", "directives"),
        ("- [x] a\n- [ ] b", "- [ ] a\n- [x] b", "ticked"),
        ("- a => b", "- a => b\n- c => d", "pairs"),
        ("= 14 ± 1 GB", "= 15 ± 1 GB", "numbers"),
        ("a\n<!-- pause -->\nb", "a\nb", "steps"),
        ("<!-- notes: a -->", "<!-- notes: b -->", ""),
        ("```python\na\n```", "```python\nb\n```", "code"),
    ],
)
def test_what_is_the_same_in_every_language(ours: str, theirs: str, what: str) -> None:
    assert what in differing(ours, theirs) and bool(differing(ours, theirs)) == bool(what)


# --- the course that comes with teachrun -----------------------------------------------------------------

TRANSLATED = sorted((courses() / "distributed").glob("*/*.md"))


@pytest.mark.parametrize("file", TRANSLATED, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_translated_lesson_says_the_same_numbers_on_its_slides(file: Path) -> None:
    def numbers(raw: str) -> list[str]:
        return sorted(re.findall(r"\d+(?:[.,]\d+)*", re.sub(r"<!--.*?-->", "", raw, flags=re.S)))

    original = load(file.parents[1] / file.name)
    ours, theirs = (load(one).slides for one in (file.parents[1] / file.name, file))
    assert [head.id for head in theirs] == [head.id for head in ours]
    for one, other in zip(ours, theirs, strict=True):
        assert numbers(one.raw) == numbers(other.raw), one.id
    assert languages.problems(original, file.parent.name) == []


def test_lessons_name_their_languages() -> None:
    for file in TRANSLATED:
        found = course.as_object(course.lesson(file.parents[1] / file.name))
        assert file.parent.name in found["languages"]


def test_a_class_goes_on_in_another_language(deck: Path) -> None:
    """What is kept of a class names slides and questions by their ids, which are the same."""
    from tui.classroom.session import Session

    session = Session(Contents(open_deck(deck)))
    session.act(Begin("c", "0"))
    session.go((0, 1))
    session.replace_deck(Contents(open_deck(deck, lang="hi-Latn")))
    assert (session.index, session.step) == (0, 1)


# --- scenes ---------------------------------------------------------------------------------------------

WITH_SCENE = "# One {#one}\n\n::: scene ddp\n"


def test_what_scenes_say_is_written_out_to_be_translated_and_missed_until_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "talk.md"
    file.write_text(WITH_SCENE, "utf-8")
    assert cli.main(["course", "translate", str(file), "--lang", "de"]) == 0
    table = tmp_path / "de" / "captions.toml"
    assert f"{table}: what its scenes say" in capsys.readouterr().out
    lines = table.read_text("utf-8").splitlines()
    assert '"Each rank takes the same step, w - {1} x {2}." = ""' in lines
    deck = open_deck(str(file))
    assert f"{len(lines)} sentences are not translated in its scene" in str(languages.problems(deck, "de"))
    words = [line.replace('= ""', '= "Alles {1}"' if "{1}" in line else '= "Alles"') for line in lines]
    table.write_text("\n".join(words[1:]), "utf-8")
    [found] = [one for one in languages.problems(deck, "de") if "scene" in one.message]
    assert "a sentence is not translated" in found.message and lines[0] in found.mend
    assert cli.main(["course", "translate", str(file), "--lang", "de"]) == 0
    assert table.read_text("utf-8").splitlines() == [*words[1:], lines[0]], "what is there stays"
    table.write_text("\n".join(words), "utf-8")
    assert not [one for one in languages.problems(deck, "de") if "scene" in one.message]


def test_a_table_that_cannot_be_read_is_a_finding_and_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "talk.md"
    file.write_text(WITH_SCENE, "utf-8")
    (tmp_path / "de").mkdir()
    table = tmp_path / "de" / "captions.toml"
    table.write_text('"a" = "b"\n"a" = "c"\n', "utf-8")
    assert cli.main(["course", "translate", str(file), "--lang", "de"]) == 0
    assert table.read_text("utf-8") == '"a" = "b"\n"a" = "c"\n'
    [found] = [one for one in languages.problems(open_deck(str(file)), "de") if one.file == str(table)]
    assert found.line == 2 and "cannot be read" in found.message


def test_the_scenes_of_the_course_are_in_hinglish() -> None:
    deck = languages.translated(open_deck(str(courses() / "distributed" / "05-ddp.md")), "hi-Latn")
    slides = [parse_slide(deck, n) for n in range(len(deck.slides))]
    told = "\n".join(
        line for slide in slides for step in range(slide.steps) for line in linear(slide.blocks, -1, step)
    )
    assert "Phir wahi model" in told and "The same model again" not in told
