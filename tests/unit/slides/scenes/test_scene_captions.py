"""What scenes say in another language: each sentence of ours in Hinglish, with the same numbers."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import tui.deck.scene_schedules  # noqa: F401  (the pipeline's schedules)
from slides.deck import Scene
from slides.drawing.text import plain
from slides.export import scene_steps
from slides.problems import Mistake
from slides.reading.parse import parse_slide
from slides.reading.split import load, split
from slides.reading_order import blocks
from slides.scenes import captions, on_slide, registry, scene_request
from slides.scenes.scene import Param
from slides.scenes.shapes import KIND, AnyShape, State
from tui.deck import consent_question
from tui.deck.built_in import courses
from tui.deck.contents import Contents

OURS = captions.files(None, "hi-Latn")
LESSONS = sorted((courses() / "distributed").glob("*.md"))
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def varied(name: str) -> list[dict[str, str]]:
    """A scene with each word that its parameters may be, and its numbers as small and as large as they may:
    two of them at a time, one where there are words besides."""
    scene = registry.scene(name)
    assert scene is not None
    words = [[(param.name, word) for word in param.choices] for param in scene.params if param.choices]
    numbers = [[(param.name, word) for word in values(param)] for param in scene.params if not param.choices]
    some = [one for few in itertools.combinations(numbers, min(1 if words else 2, len(numbers)))
            for one in itertools.product(*few)]  # fmt: skip
    return [dict([*one, *more]) for one in itertools.product(*words) for more in some]


def values(param: Param) -> list[str]:
    if isinstance(param.default, str):
        return [param.default, *(["1e5,7", "3"] if param.name == "sizes" else [])]
    ranks = range(2, 9) if param.name == "ranks" else ()  # words for a few of them differ
    found = {param.low, param.default, param.high, *ranks} - {-math.inf, math.inf}
    return [str(type(param.default)(number)) for number in sorted(found)]


def states(name: str, words: dict[str, str]) -> tuple[State, ...]:
    """Those of a scene with such parameters; none where they are not drawn."""
    try:
        return scene_request.asked(name, words).states()
    except Mistake:
        return ()


def of_lessons() -> list[Scene]:
    """The scenes that lessons show by name."""
    found = []
    for file in LESSONS:
        deck = load(file)
        for n in range(len(deck.slides)):
            shown = [one for one in blocks(parse_slide(deck, n).blocks) if isinstance(one, Scene)]
            found += [one for one in shown if one.name and not one.body]
    return found


def told(states: tuple[State, ...]) -> list[str]:
    return [text for state in states for text in (state.lead, state.caption, state.unseen)]


@pytest.fixture(scope="module")
def shown() -> list[tuple[str, tuple[State, ...]]]:
    """Every scene of ours with every word of its parameters and their least and most numbers, and as each
    lesson shows it."""
    ours = [
        (name, found) for name in registry.names() for words in varied(name) if (found := states(name, words))
    ]
    assert {name for name, _ in ours} == set(registry.names())
    lessons = [(block.name, on_slide.of(block).states()) for block in of_lessons()]
    assert len(lessons) > 20
    return [*ours, *lessons]


def test_every_sentence_of_ours_is_there_in_hinglish(shown: list[tuple[str, tuple[State, ...]]]) -> None:
    missing = {name: untold for name, states in shown if (untold := captions.untold(states, OURS))}
    assert not missing, f"write them into {OURS[0]}"


def test_no_line_of_the_table_is_of_a_scene_that_is_gone(
    shown: list[tuple[str, tuple[State, ...]]],
) -> None:
    texts = [text for _, states in shown for text in told(states)]
    said = {captions.opened(part)[0] for text in texts for part in captions.sentences(text)}
    legends = {
        captions.opened(words)[0] for _, states in shown for state in states for _, words in state.legend
    }
    drawn = {text for _, states in shown for state in states for text in captions.written(state)}
    everywhere = {KIND, *said, *legends}
    assert set(captions.table(OURS[0])) <= everywhere | {captions.opened(text)[0] for text in drawn}
    assert list(captions.problems(OURS[0])) == []


def test_the_numbers_are_those_of_the_english_words(shown: list[tuple[str, tuple[State, ...]]]) -> None:
    seen: set[tuple[str, ...]] = set()
    for _, states in shown:
        for state in states:
            words = *told((state,)), *captions.written(state)
            if words in seen:
                continue
            seen.add(words)
            other = captions.said(state, OURS)
            for one, same in zip(told((state,)), told((other,)), strict=True):
                assert Counter(NUMBER.findall(one)) == Counter(NUMBER.findall(same)), (one, same)
            for one, same in zip(captions.written(state), captions.written(other), strict=True):
                assert Counter(NUMBER.findall(one)) == Counter(NUMBER.findall(same)), (one, same)
            said = [(a, b) for a, b in zip(state.shapes, other.shapes, strict=True) if a is not b]
            assert [wordless(shape) for shape, _ in said] == [wordless(shape) for _, shape in said]
            assert [ink for ink, _ in other.legend] == [ink for ink, _ in state.legend]


def wordless(shape: AnyShape) -> AnyShape:
    words = {name: "" for name in ("text", "short", "before", "after") if hasattr(shape, name)}
    return replace(shape, **words)  # type: ignore[arg-type]


def test_pictures_speak_the_language_of_their_deck_and_keep_the_terms_of_the_field() -> None:
    state = scene_request.asked("training-step", {}).states()[0]
    there = list(captions.written(captions.said(state, OURS)))
    assert "sabse zyada" in there and "most" not in there and "block 0" in there
    held = scene_request.asked("accumulation", {}).states()[0]
    assert "saare parameters" in " ".join(captions.written(captions.said(held, OURS)))


# --- a table ------------------------------------------------------------------------------------------------


def scene(folder: Path, lang: str, words: str = "ring ranks=3") -> Scene:
    (folder / "talk.md").write_text(f"---\nlang: {lang}\n---\n# One\n\n::: scene {words}\n", "utf-8")
    [block] = [one for one in parse_slide(load(folder / "talk.md"), 0).blocks if isinstance(one, Scene)]
    return block


def lead(block: Scene, step: int) -> str:
    return on_slide.of(block).state(step).lead


def test_a_deck_in_hinglish_has_its_scenes_in_hinglish(tmp_path: Path) -> None:
    assert lead(scene(tmp_path, "hi-Latn"), 1) == "Reduce-scatter, 2 mein se step 1"
    assert lead(scene(tmp_path, "en"), 1) == "Reduce-scatter, step 1 of 2"


@pytest.mark.parametrize("words", ["ring ranks=3", "\nrow: a, b\n\nstep: Update\n\nstep: waits\n:::"])
def test_what_its_figures_are_is_said_in_the_language_of_the_deck(tmp_path: Path, words: str) -> None:
    for lang, kind in (("en", KIND), ("hi-Latn", "chitra hai, naap nahin")):
        block = scene(tmp_path, lang, words)
        shown = "\n".join(map(plain, on_slide.lines(block, 1, 100, 30, None)))
        assert re.findall(r"step 2/\d+ .*?  (\w.*)", shown) == [kind]
        assert scene_steps.words(block)[-1] == kind
        assert ("\nwaits" in shown) == ("waits" in words), "words of an author stay as they are"


def test_a_course_has_words_of_its_own_and_a_change_is_seen(tmp_path: Path) -> None:
    table = tmp_path / "de" / captions.NAME
    table.parent.mkdir()
    table.write_text('"Reduce-scatter, step {1} of {2}" = "Schritt {1} von {2}"\n', "utf-8")
    block = scene(tmp_path, "de")
    assert lead(block, 1) == "Schritt 1 von 2" and lead(block, 0) == "Gradients in chunks"
    table.write_text('"Reduce-scatter, step {1} of {2}" = "{2} Schritte, der {1}. davon"\n', "utf-8")
    assert lead(block, 1) == "2 Schritte, der 1. davon"
    slide = parse_slide(load(tmp_path / "talk.md"), 0)
    assert str(table) in slide.files, "a deck that is open is drawn again"


def test_nobody_is_asked_about_the_table_that_comes_with_the_program(tmp_path: Path) -> None:
    scene(tmp_path, "hi-Latn")
    talk = tmp_path / "talk.md"
    talk.write_text(talk.read_text("utf-8") + "\n```python file=a.py\n```\n", "utf-8")
    (tmp_path / "a.py").write_text("1\n", "utf-8")
    contents = Contents(load(talk))
    assert consent_question.unasked(contents) == ()
    assert contents.slide(0).files == (str(tmp_path / "hi-Latn" / captions.NAME), str(tmp_path / "a.py"))


def test_several_numbers_with_commas_are_one() -> None:
    assert captions.opened("The most held: 8, 8, 5.5.") == ("The most held: {1}.", ["8, 8, 5.5"])
    assert captions.opened("1F1B, time 1.5 of 28.5: 7b.") == (
        "1F1B, time {1} of {2}: {3}.",
        ["1.5", "28.5", "7b"],
    )
    assert captions.sentences("31.4 GB: fits. It sent 3/4 S.") == ["31.4 GB: fits.", "It sent 3/4 S."]


@pytest.mark.parametrize(
    ("table", "line", "what"),
    [
        (b'"a {1}" = "b {2}"\n', 1, "a number that its sentence does not have"),
        (b'"a" = "b"\n"c {1}" = "{1} {7}"\n', 2, "a number that its sentence does not have"),
        (b'"a" = "b"\n"a" = "c"\n', 2, "cannot be read"),
        (b'"a" = "b"\nc = = d\n', 2, "cannot be read"),
        (b'"a" = 3\n', 1, "is not a text"),
        (b'"a" = "\xff"\n', 1, "not UTF-8"),
        (b"a = " + b"[" * 5000, 1, "cannot be read"),
        (b'"a" = "' + b"x" * (1 << 20) + b'"', 1, "more than"),
    ],
)
def test_a_table_that_is_wrong_is_found_by_its_line_and_the_scene_is_shown(
    tmp_path: Path, table: bytes, line: int, what: str
) -> None:
    file = tmp_path / "de" / captions.NAME
    file.parent.mkdir()
    file.write_bytes(table)
    [found] = captions.problems(str(file))
    assert found.line == line and what in found.message and found.mend
    assert lead(scene(tmp_path, "de"), 0) == "Gradients in chunks"


@pytest.mark.parametrize("lang", ["../../etc", "/etc", "a/b", "", "en", "x" * 60, "de\n", "."])
def test_a_language_is_no_path(tmp_path: Path, lang: str) -> None:
    assert captions.files(tmp_path, lang) == ()


def test_words_for_a_sentence_with_other_numbers_are_not_taken(tmp_path: Path) -> None:
    file = tmp_path / captions.NAME
    file.write_text('"Step {1}" = "{1}{2}{999}"\n', "utf-8")
    assert captions.said(State((), lead="Step 4"), [str(file)]).lead == "Step 4"
    state = State((), lead="Step 4", legend=(("grads", "gradients"), ("hidden", "not seen on rank 3")))
    assert captions.untold([state], [str(file)]) == ["Step {1}", "not seen on rank {1}"]


def test_a_deck_that_may_not_read_has_the_words_that_come_with_the_program(tmp_path: Path) -> None:
    deck = split("---\nlang: hi-Latn\n---\n# One\n\n::: scene ring\n", str(tmp_path / "talk.md"))
    [block] = [one for one in parse_slide(deck, 0, trusted=False).blocks if isinstance(one, Scene)]
    assert block.captions == OURS and lead(block, 7) == "Ho gaya"
