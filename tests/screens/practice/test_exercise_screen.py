"""The screen of an exercise: what is saved is run, what comes of it is shown, what was done is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from runtime.diagnosis.evidence import Evidence
from runtime.practice import missing_statement
from runtime.practice.exercise import Exercise, find
from runtime.practice.outcome import CheckState, Outcome
from runtime.practice.warm_runner import Practice
from runtime.protocol.diagnosis_message import Diagnosis, RankRow
from slides.drawing.cells import line_width
from slides.drawing.large import read_letters
from slides.drawing.text import Line, plain
from tui.keys import table
from tui.practice import student_copy, tries_and_hints
from tui.screens.exercise import ExerciseScreen
from tui.views.exercise_screen import Shown, screen
from tui.views.parts.diagnosis import diagnosed
from tui.views.parts.ranks.rank_circle import circle

RING = find("ring-reduce-scatter")
EDGES = ((0, 1), (1, 2), (2, 3), (3, 0))
CIRCLE = Diagnosis(
    "deadlock",
    "A circle: 0 waits for 1, 1 for 2, 2 for 3, 3 for 0. Nobody receives.",
    (),
    "somebody has to receive first",
    18,
    tuple(RankRow(rank, 18, "send 16 B", f"rank {(rank + 1) % 4}", 2.05, True) for rank in range(4)),
    EDGES,
)


class Told(Practice):
    """Runs nothing: tells what it is given, and keeps the texts it was to run."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.ran = asyncio.Event()
        self.diagnosis: Diagnosis | None = None
        self.held = asyncio.Event()
        self.held.set()

    def start(self) -> None:
        pass

    async def run(
        self, exercise: Exercise, file: Path, on_change: Callable[[Outcome], None] = lambda _: None
    ) -> Outcome:
        self.texts.append(file.read_text())
        state = "passed" if self.diagnosis is None else "failed"
        outcome = Outcome(exercise, file, [CheckState(it, state) for it in exercise.checks], Evidence(4))
        outcome.diagnosis = self.diagnosis
        await self.held.wait()
        on_change(outcome)
        self.ran.set()
        return outcome

    async def close(self) -> int:
        return 0

    async def next(self) -> None:
        await self.ran.wait()
        self.ran.clear()


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def shown(app: ExerciseScreen) -> str:
    return text_of(app.lines.lines)


def text_of(lines: Sequence[Line]) -> str:
    """What stands there, and below it what the right side says in letters made of blocks."""
    rows = [plain(line) for line in lines]
    right = [row.rpartition(" │ ")[2] for row in rows]
    said = [read_letters.words(right[n : n + 3]) for n in range(len(right) - 2)]
    return "\n".join([*rows, " ".join(filter(None, said))])


async def test_every_save_is_run_and_what_was_done_is_kept() -> None:
    practice = Told()
    practice.diagnosis = CIRCLE
    app = ExerciseScreen([RING, find("send-receive")], 0, "", practice)
    async with app.run_test(size=(160, 45)) as pilot:
        await practice.next()
        await pilot.pause()
        assert practice.texts == [RING.start]
        assert "Nobody receives" in shown(app) and "╭" in shown(app) and "not tried yet" in shown(app)
        await pilot.press("S")
        assert "3 tries more" in shown(app) and not app.shown.solution
        for text in ("a = 0", "a = 1", "a = 2"):
            app.file.write_text(text)
            await practice.next()
        await pilot.pause()
        assert practice.texts[1:] == ["a = 0", "a = 1", "a = 2"] and app.shown.progress.tries == 3
        await pilot.press("enter")  # the same text again is no new try
        await practice.next()
        await pilot.pause()
        assert app.shown.progress.tries == 3
        await pilot.press("S")
        assert app.shown.solution == tuple(RING.solution.read_text().splitlines())
        await pilot.press("S", "i")
        assert "1 of 3 used" in shown(app) and tries_and_hints.load()[RING.name].hints == 1
        practice.diagnosis = None
        await pilot.press("r")
        await practice.next()
        await pilot.pause()
        assert practice.texts[-1] == RING.start
        assert (student_copy.folder(RING) / "ring.1.py").read_text() == "a = 2"
        assert "All 4 checks pass" in shown(app) and tries_and_hints.load()[RING.name].solved
        await pilot.press("]")
        await practice.next()
        assert "Send and receive" in shown(app)
        await pilot.press("q")
    assert app.return_code == 0


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_what_was_found_in_a_text_does_not_stand_beside_the_next(size: tuple[int, int]) -> None:
    practice = Told()
    practice.diagnosis = CIRCLE
    app = ExerciseScreen([RING], 0, "", practice)
    async with app.run_test(size=size) as pilot:
        await practice.next()
        await pilot.pause()
        assert "Nobody receives" in shown(app)
        practice.held.clear()
        app.file.write_text("a = 0")
        while len(practice.texts) < 2:
            await pilot.pause(0.01)
        await pilot.pause()
        assert "Nobody receives" not in shown(app) and "running …" in shown(app)
        practice.held.set()
        await practice.next()
        await pilot.pause()
        assert "Nobody receives" in shown(app)
        await pilot.press("q")


def test_ranks_are_compared_below_what_was_found() -> None:
    """Each with what it got, with its bytes beside the bound, or with the call that does not fit."""
    got = [RankRow(r, 0, "", "", None, True, place="[0]", expected="1.5", got=f"{r}.25") for r in range(3)]
    wrong = Diagnosis("wrong", "the sum is wrong", ("rank 0: expected 1.5",), "", 0, (*got, done(3)))
    text = [plain(line).split() for line in diagnosed(wrong, 4, 40, 0)]
    assert text[2:] == [
        ["rank", "at", "expected", "got"],
        *([str(r), "[0]", "1.5", f"{r}.25"] for r in range(3)),
        ["3", "right"],
    ]
    assert "expected 1.5" in " ".join(
        plain(line) for line in diagnosed(wrong, 4, 18, 0)
    )  # no room for columns
    sent = tuple(RankRow(r, 0, "", "", None, True, measured=4e6, bound=1e6) for r in range(4))
    bars = [plain(line) for line in diagnosed(Diagnosis("bytes", "too much", rows=sent), 4, 62, 0)][2:]
    assert [bar.count("█") for bar in bars] == [40, 40, 40, 40, 10] and "4.0 MB" in bars[0]
    assert bars[4].startswith("at most") and "1.0 MB" in bars[4]
    calls = tuple(
        RankRow(r, 9, "barrier 0 B" if r == 2 else "all-reduce 4 B", "", None, r == 2) for r in range(4)
    )
    rows = [plain(line).split() for line in diagnosed(Diagnosis("mismatch", "no", rows=calls), 4, 62, 0)][2:]
    assert rows[0] == ["rank", "line", "calls"] and rows[3] == ["2", "9", "barrier", "0", "B"]


def done(rank: int) -> RankRow:
    return RankRow(rank, 0, "done with this check", "", None, False)


def test_a_narrow_screen_has_the_lines_that_failed_and_the_place_of_the_file() -> None:
    outcome = Outcome(RING, Path("ring.py"), [CheckState(it, "failed") for it in RING.checks], Evidence(4))
    outcome.diagnosis = replace(CIRCLE, line=18)
    source = tuple(f"text of line {n}" for n in range(1, 60))
    seen = Shown(RING, tries_and_hints.Progress(), source, outcome, path="/home/me/somewhere/ring.py")
    text = "\n".join(map(plain, screen(seen, 80, 40)))
    assert "▸ 18 text of line 18" in text and "text of line 16" in text
    long = replace(seen, exercise=replace(RING, task=RING.task * 3))
    outcome.diagnosis = Diagnosis("crash", "there is no file", (), "", 18)
    crowded = "\n".join(map(plain, screen(long, 100, 30)))
    assert "▸ 18 text of line 18" in crowded and "✗  chunks of 4 numbers" in crowded
    wide = "\n".join(map(plain, screen(seen, 160, 45)))
    assert wide.count("▸ 18") == 1 and wide.count("✗  chunks of 4 numbers") == 1
    open_ = "\n".join(map(plain, screen(replace(seen, outcome=None), 80, 24)))
    assert "/home/me/somewhere/ring.py" in open_


async def test_what_is_broken_from_the_start_is_no_try_until_something_is_written() -> None:
    practice = Told()
    practice.diagnosis = Diagnosis("wrong", "the order of the second epoch is wrong")
    app = ExerciseScreen([find("five-bugs")], 0, "", practice)
    async with app.run_test(size=(80, 24)) as pilot:
        await practice.next()
        await pilot.pause()
        assert app.shown.progress.tries == 0 and "second epoch" in shown(app)
        app.file.write_text(app.file.read_text().replace("manual_seed(seed)", "manual_seed(seed + 1)"))
        await practice.next()
        await pilot.pause()
        assert app.shown.progress.tries == 1
        await pilot.press("q")


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (100, 30), (160, 45), (200, 60)])
@pytest.mark.parametrize("diagnosis", [None, CIRCLE])
def test_it_fits_every_terminal(size: tuple[int, int], diagnosis: Diagnosis | None) -> None:
    outcome = Outcome(RING, Path("ring.py"), [CheckState(it, "failed") for it in RING.checks], Evidence(4))
    outcome.diagnosis = diagnosis
    source = tuple(RING.solution.read_text().splitlines())
    for asks in (False, True):
        known = tries_and_hints.Progress(hints=2)
        lines = screen(Shown(RING, known, source, outcome if diagnosis else None, asks_task=asks), *size)
        assert [line_width(line) for line in lines] == [size[0]] * size[1]
        assert "Reduce-scatter by a ring" in plain(lines[0])
    text = text_of(screen(Shown(RING, known, source, outcome), *size))
    assert diagnosis is None or ("A circle" in text and "send 16 B" in text)


def arrows(picture: list[Line]) -> tuple[str, list[int]]:
    text = "\n".join(map(plain, picture))
    return text, [text.count(arrow) for arrow in "▶▼◀▲"]


def test_a_circle_is_drawn_where_all_of_it_can_be() -> None:
    text, counts = arrows(circle(4, EDGES, {0: "in send"}, 60))
    assert counts == [1, 1, 1, 1] and "in send" in text
    assert circle(4, EDGES, {}, 30) == [] == circle(4, (), {}, 60)


@pytest.mark.parametrize(("ranks", "counts"), [(3, [1, 1, 0, 1]), (5, [2, 1, 1, 1]), (8, [3, 1, 3, 1])])
def test_a_circle_of_other_ranks_goes_round_two_rows(ranks: int, counts: list[int]) -> None:
    edges = tuple((rank, (rank + 1) % ranks) for rank in range(ranks))
    picture = circle(ranks, edges, {}, 78)
    text, found = arrows(picture)
    assert found == counts and all(f"rank {rank}" in text for rank in range(ranks))
    assert all(line_width(line) <= 78 for line in picture)
    assert (
        circle(ranks, edges, {}, 24) == [] == circle(32, tuple((n, (n + 1) % 32) for n in range(32)), {}, 78)
    )


def test_those_that_wait_for_one_stand_beside_it() -> None:
    text, counts = arrows(circle(4, ((0, 2), (1, 2), (3, 2)), {2: "done", 0: "in barrier"}, 78))
    assert counts == [1, 0, 0, 0] and "ranks 0, 1, 3" in text and "rank 2" in text and "done" in text
    text, _ = arrows(circle(8, tuple((rank, 7) for rank in range(7)), {}, 78))
    assert "ranks 0 to 6" in text


async def test_keys_of_ones_own_hold_here_and_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "bound", table.bound)
    table.rebind({"exercise_hint": ("f2",), "solution": ()})
    app = ExerciseScreen([RING], 0, "", Told())
    async with app.run_test(size=(160, 45)) as pilot:
        await pilot.pause()
        assert "f2 hint" in shown(app).lower() and "solution" not in shown(app).splitlines()[-1]
        await pilot.press("i", "S")
        assert "none of 3 used" in shown(app) and not app.shown.word
        await pilot.press("f2")
        assert "1 of 3 used" in shown(app)
        await pilot.press("q")


def test_what_is_kept_survives_a_broken_file() -> None:
    tries_and_hints.save("a", tries_and_hints.Progress(tries=2))
    tries_and_hints.file().write_text("{")
    assert tries_and_hints.load() == {}


async def test_a_smaller_version_is_timed_and_a_look_at_the_solution_is_noted() -> None:
    practice = Told()
    practice.diagnosis = CIRCLE
    small = missing_statement.of(RING, 0)
    tries_and_hints.save(small.name, tries_and_hints.Progress(tries=3))
    app = ExerciseScreen([small], 0, "", practice)
    async with app.run_test(size=(160, 45)) as pilot:
        await practice.next()
        await pilot.press("S")
        practice.diagnosis = None
        assert app.was_shown and "from memory" in "\n".join(app.shown.exercise.task.splitlines())
        app.file.write_text("a = 1")
        await practice.next()
        await pilot.pause()
        assert app.solved_s is not None and tries_and_hints.load()[small.name].solved


async def test_files_that_were_handed_in_are_run_in_turn_and_nothing_of_them_is_counted(
    tmp_path: Path,
) -> None:
    practice = Told()
    app = ExerciseScreen([RING], 0, "", practice, theirs=tmp_path / "alice.py")
    (tmp_path / "alice.py").write_text("a = 1")
    async with app.run_test(size=(160, 45)) as pilot:
        await practice.next()
        await pilot.pause()
        assert practice.texts == ["a = 1"] and "alice.py" in shown(app) and not tries_and_hints.load()
        await pilot.press("r")
        assert "somebody else's" in shown(app) and (tmp_path / "alice.py").read_text() == "a = 1"
        await pilot.press("o")
        await practice.next()
        assert not app.theirs and app.file == student_copy.of(RING)
        await pilot.press("o")
        assert "nothing was handed in: put files into" in shown(app)
        (bob := student_copy.folder(RING) / student_copy.HANDED_IN / "bob.py").write_text("b = 2")
        await pilot.press("o")
        await practice.next()
        await pilot.pause()
        assert app.file == bob and practice.texts[-1] == "b = 2" and "1 of 1 handed in" in shown(app)
        await pilot.press("o")
        await practice.next()
        assert app.file == student_copy.of(RING)


def test_before_the_first_result_the_screen_says_how_to_write_what_is_asked_for() -> None:
    source = tuple(RING.start.splitlines())
    new = Shown(RING, tries_and_hints.Progress(), source, path="/home/me/ring.py")
    begun = Outcome(RING, Path("ring.py"), [CheckState(it) for it in RING.checks], Evidence(4))
    states = (new, replace(new, stage="imports torch"), replace(new, running=True))
    for open_ in (*states, replace(new, running=True, outcome=begun)):
        for size in ((160, 45), (100, 30)):
            lines = [plain(line) for line in screen(open_, *size)]
            right = " ".join(" ".join(line.rpartition(" │ ")[2].split()) for line in lines)
            assert "E opens your editor" in right and "4 real ranks" in right and "/home/me/ring.py" in right
            assert all("\n".join(lines).count(title) == 1 for title in RING.checks[:3])
    again = replace(new, running=True, progress=tries_and_hints.Progress(tries=1))
    assert "opens your editor" not in text_of(screen(again, 160, 45)), "nothing flashes between two results"
    theirs = "\n".join(map(plain, screen(replace(new, theirs=True), 160, 45)))
    assert "opens your editor" not in theirs


def test_what_is_not_begun_says_where_to_write_and_a_narrow_screen_has_the_count_and_the_way_out() -> None:
    outcome = Outcome(RING, Path("ring.py"), [CheckState(it) for it in RING.checks], Evidence(4))
    outcome.diagnosis = Diagnosis("unfinished", "line 13 is still to be written", (), "", 13)
    source = tuple(f"line {n}" for n in range(1, 60))
    open_ = Shown(
        RING, tries_and_hints.Progress(), source, outcome, path="/home/me/ring.py", place="15 of 24"
    )
    wide = "\n".join(map(plain, screen(open_, 160, 45)))
    assert "E opens your editor" in wide and "/home/me/ring.py" in wide and "printed at last" not in wide
    assert all(f"line {n}" in wide for n in range(7, 20)), (
        "as many of the student's lines as there is room for"
    )
    long = replace(RING, title="A title that takes nearly the whole line of a terminal, which is small")
    lines = [plain(line) for line in screen(replace(open_, exercise=long), 80, 24)]
    assert "0/4" in lines[0] and "q quit" in lines[-1]


def test_before_anything_has_run_checks_and_hints_have_the_empty_side() -> None:
    begun = Shown(
        RING, tries_and_hints.Progress(), tuple(RING.start.split("\n")), path="/home/somebody/ring.py"
    )
    rows = [plain(line) for line in screen(begun, 160, 45)]
    right = [row.partition("│")[2] for row in rows]
    titles = ["Checks", *RING.checks, "Hints"]
    places = [next((n for n, row in enumerate(right) if title[:40] in row), -1) for title in titles]
    assert places == sorted(places) and places[0] > 0
    left = "\n".join(row.partition("│")[0] for row in rows)
    assert RING.checks[0] not in left and "import torch" in left and "dist.destroy_process_group" in left
