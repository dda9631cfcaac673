"""A class that was held, walked again: its moments, what each showed, and nothing the room never saw."""

from __future__ import annotations

import base64
import gzip
import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from read_letters import read

from runtime import paths
from runtime.classroom import actions, journal
from runtime.classroom.actions import Entry
from runtime.classroom.question_state import Sample
from runtime.host import kept_decks
from slides.drawing import cells
from slides.drawing.text import plain
from slides.screen_size import Size
from tui import cli
from tui.deck import deck_upload
from tui.deck.contents import Contents, open_deck
from tui.replay.moment_drawing import NoReplay, Walk
from tui.replay.moments import PAUSE_S, WATCH_S, moments
from tui.replay.page import frames, page

DECK = """# Welcome {#w}

- one

<!-- pause -->

- two

<!-- notes: SECRET note -->

---

# Four ranks {#four}

::: demo ddp {#run} ranks=4

---

# Which {#which}

::: quiz {#q}
Which gives every rank the sum?

- [ ] broadcast
  > SECRET why not
- [x] all_reduce
  > REVEALED why
:::
"""


def entries(*lines: tuple[float, actions.AnyAction]) -> list[Entry]:
    return [Entry(n, t, "c", "all", action) for n, (t, action) in enumerate(lines, 1)]


def run(state: actions.RunState, run: str = "ddp") -> actions.Run:
    return actions.Run("run", run, 0, "ddp", {}, state)


OPEN = actions.Open("q", "single", 2)
HELD = (
    (0.0, actions.Begin("held", "0.1")),
    (0.1, actions.Deck("rev", "A class", "/gone/deck.md")),
    (1.0, actions.Move("w", 0)),
    (5.0, actions.Move("w", 1)),
    (9.0, actions.Move("four", 0)),
    (10.0, run("replay")),
    (40.0, actions.Move("which", 0)),
    (40.1, OPEN),
    (45.0, actions.Answer("q", (0,), (), "Ada")),
    (50.0, actions.Lock("q", (), None, 1.0)),
    (55.0, actions.Reveal("q", (1,), ("", "REVEALED why"))),
    (60.0, actions.End()),
)


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    file = tmp_path / "deck.md"
    file.write_text(DECK)
    return file


@pytest.fixture
def held(deck: Path) -> str:
    """A class of which the room's deck was kept; the file itself is not there any more."""
    name = paths.new_class_id()
    path = paths.journal_file(name)
    path.parent.mkdir(parents=True)
    clock = iter([t for t, _ in HELD])
    kept = journal.Journal(path, now=lambda: next(clock))
    for _, action in HELD:
        kept.append(action, "c")
    kept_decks.keep(path.parent, "rev", deck_upload.for_audience(Contents(open_deck(deck))))
    deck.unlink()
    return name


SMALL = Size(60, 20)  # where nothing is set in letters made of blocks


def shown(walk: Walk, number: int, size: Size = SMALL) -> str:
    lines = walk.screen(number, size)
    assert len(lines) == size.height and all(cells.line_width(line) <= size.width for line in lines)
    return "\n".join(plain(line) for line in lines)


def test_each_change_of_what_the_room_sees_is_a_moment_and_a_long_run_has_more() -> None:
    found = moments(entries(*HELD))
    told = [(moment.state.pos.slide, moment.state.pos.step, moment.what) for moment in found]
    watched = [one for one in told if one[2] == "the run goes on"]
    assert [one for one in told if one not in watched] == [
        ("w", 0, "the class begins"),
        ("w", 1, "step 2"),
        ("four", 0, "another slide"),
        ("four", 0, "ddp is shown as it was recorded"),
        ("which", 0, "another slide"),  # its question opens at once
        ("which", 0, "answers are closed"),
        ("which", 0, "the answer is shown"),
    ]
    times = [moment.t for moment in found]
    assert times == sorted(times) and len(watched) >= 3
    looks = [moment.t for moment in found if moment.what == "the run goes on"]
    assert all(later - sooner >= WATCH_S for sooner, later in pairwise(looks))


def test_what_came_last_names_a_moment_of_several() -> None:
    hurried = (*HELD[:9], (45.1, HELD[9][1]), (45.2, HELD[10][1]))
    assert [moment.what for moment in moments(entries(*hurried))][-2:] == [
        "another slide",
        "the answer is shown",
    ]
    at_once = (*HELD[:8], (40.15, HELD[9][1]), (40.2, HELD[10][1]))
    assert moments(entries(*at_once))[-1].what == "the answer is shown"


def test_what_was_undone_did_not_happen_and_pauses_are_left_out() -> None:
    undone = entries(*HELD[:11], (56.0, actions.Undo(11)), (56.0 + 2 * PAUSE_S, actions.Move("w", 0)))
    found = moments(undone)
    assert all("shown" not in moment.what or "recorded" in moment.what for moment in found)
    assert found[-1].state.pos.slide == "w" and found[-1].at < 60


def test_a_run_of_another_slide_is_no_moment_of_this_one() -> None:
    started = actions.Run("run", "r1", 0, "ddp", {}, "launching")
    lines = (*HELD[:5], (10.0, started), (11.0, run("running", "r1")), (12.0, actions.Move("which", 0)))
    found = moments(entries(*lines, (40.0, run("done", "r1")), (50.0, actions.Move("four", 0))))
    whats = [(moment.state.pos.slide, moment.what) for moment in found]
    assert whats[-2:] == [("which", "another slide"), ("four", "another slide")]
    assert found[-1].state.runs["run"].state == "done" and found[-1].here == {"run"} and not found[-2].here


def test_a_class_that_showed_no_slide_has_no_moment() -> None:
    assert moments(entries((0.0, actions.Begin("x", "0")))) == []


def test_a_moment_is_drawn_as_the_room_saw_it(held: str) -> None:
    walk = Walk(held)
    texts = {(m.what, m.state.pos.step): shown(walk, n) for n, m in enumerate(walk.moments)}
    assert "two" not in texts["the class begins", 0] and "two" in texts["step 2", 1]
    asked, revealed = shown(walk, len(walk.moments) - 3), shown(walk, len(walk.moments) - 1)
    assert "all_reduce" in asked and "REVEALED" not in asked
    assert "REVEALED why" in revealed


def test_a_run_is_shown_at_the_second_that_it_had(held: str) -> None:
    walk = Walk(held)
    number = next(n for n, m in enumerate(walk.moments) if m.what == "ddp is shown as it was recorded")
    assert walk.needed(walk.moments[number]) == ["ddp"]
    assert "REPLAY" not in shown(walk, number)  # nothing is made up before it is read
    walk.fetch("ddp")
    steps = []
    for after in (0.5, 2.0, 1000.0):
        text = "\n".join(plain(line) for line in walk.screen(number, Size(160, 45), after))
        assert "REPLAY" in text
        found = re.search(r"steps (\d+)/", text)
        steps.append(int(found[1]) if found else 0)
    assert steps == sorted(steps) and steps[-1] > steps[0]


def test_figures_are_shown_by_the_view_that_the_teacher_chose(held: str, tmp_path: Path) -> None:
    turned = [*HELD[:6], (15.0, actions.Look(view="memory")), (20.0, actions.Look(view="memory", full=True))]
    walk = Walk(held, entries(*turned, *HELD[6:]))
    walk.fetch("ddp")
    numbers = {moment.what: n for n, moment in enumerate(walk.moments)}
    big = Size(100, 36)
    before = shown(walk, numbers["ddp is shown as it was recorded"], big)
    by_memory = shown(walk, numbers["the view memory"], big)
    whole = shown(walk, numbers["the figures fill the screen"], big)
    assert "activations" not in before and "activations" in by_memory and "Four ranks" in read(by_memory)
    assert "activations" in whole and "Four ranks" not in read(whole)
    looks = [moment.state.look.view for moment in walk.moments if moment.what == "the run goes on"]
    assert "memory" in looks, "and it stays chosen while the run goes on"
    assert "activations" in "\n".join(plain(line) for _, rows in frames(walk, big) for line in rows), "page"


def test_the_run_that_measures_a_prediction_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "deck.md"
    asked = (
        "::: predict {#p metric=run.step_s.median unit=ms runs=1}\nHow long?\n\n- [ ] 1 ms\n- [ ] 90 ms\n:::"
    )
    file.write_text(
        f"# Four ranks {{#four}}\n\n::: demo ddp {{#run}} ranks=4\n\n---\n\n# P {{#pre}}\n\n{asked}\n"
    )
    sample = Sample("run", "ddp", 0.09, "LIVE CPU", ())
    done = (
        (0.0, actions.Deck("rev", "A class", str(file))),
        (1.0, actions.Move("pre", 0)),
        (1.1, actions.Open("p", "single", 2)),
        (9.0, actions.Lock("p", (), None, 1.0)),
        (9.1, run("launching")),
        (10.0, run("running")),
        (25.0, run("done")),
        (25.1, actions.Measured("p", sample)),
        (30.0, actions.Reveal("p", (), ("", ""))),
        (40.0, actions.End()),
    )
    walk = Walk(paths.new_class_id(), entries(*done))
    numbers = {moment.what: n for n, moment in enumerate(walk.moments)}
    assert walk.needed(walk.moments[numbers["ddp runs"]]) == ["ddp"]
    walk.fetch("ddp")
    seen = {what: shown(walk, n, Size(100, 36)) for what, n in numbers.items()}
    assert (
        "ddp" in seen["ddp runs"] and "steps" in seen["ddp runs"] and "run 1 of 1" in read(seen["ddp runs"])
    )
    assert "steps" not in seen["the answer is shown"], "what was measured has its room"


def test_a_recording_that_is_gone_is_known_and_the_slide_is_there(deck: Path) -> None:
    lines = [(t, run("done", "nowhere-1")) if isinstance(a, actions.Run) else (t, a) for t, a in HELD]
    lines[1] = (0.1, actions.Deck("rev", "A class", str(deck)))
    walk = Walk(paths.new_class_id(), entries(*lines))
    number = next(n for n, m in enumerate(walk.moments) if m.what == "ddp is done")
    walk.fetch("nowhere-1")
    assert walk.gone(walk.moments[number]) == ["nowhere-1"] and "Four ranks" in shown(walk, number)
    assert walk.changed  # it is the file as it is now


def test_a_class_whose_deck_is_gone_says_which(deck: Path) -> None:
    with pytest.raises(NoReplay, match=r"/gone/deck\.md"):
        Walk(paths.new_class_id(), entries(*HELD))
    with pytest.raises(NoReplay, match="no slide"):
        Walk(paths.new_class_id(), [])


def test_slides_are_gone_through_in_both_directions(held: str) -> None:
    walk = Walk(held)
    slides = [moment.state.pos.slide for moment in walk.moments]
    assert walk.slide_from(0, 1) == slides.index("four")
    assert walk.slide_from(len(slides) - 1, -1) == slides.index("four")
    assert walk.slide_from(slides.index("four"), -1) == 0 and walk.slide_from(0, -1) == 0
    assert walk.slide_from(len(slides) - 1, 1) == len(slides) - 1
    assert [walk.at(moment.at) for moment in walk.moments] == list(range(len(slides)))


def test_in_lines_and_as_a_page_nothing_is_told_that_the_room_never_saw(
    held: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["replay", held, "--plain"]) == 0
    assert "3 · Which: the answer is shown" in capsys.readouterr().out
    file = tmp_path / "class.html"
    assert cli.main(["replay", held, "-o", str(file)]) == 0
    text = file.read_text()
    assert "SECRET" not in text and "http-equiv" in text
    walk = Walk(held)
    assert page(walk, "light").startswith(b"<!doctype html>")
    packed = re.search(r'id="cast">(.*?)</script>', text)
    assert packed is not None
    first = json.loads(gzip.decompress(base64.b64decode(packed[1])).splitlines()[1])
    assert first[0] == 0 and "\x1b[2J" in first[2], "before it is played there is a slide, no blank screen"
    told = json.loads(re.search(r'id="told">(.*?)</script>', text)[1])  # type: ignore[index]
    moments = [moment.at for moment in walk.moments]
    assert told["stops"][0] == 0 and len(told["stops"]) == len(moments), "arrow keys, as on a screen"
    assert all(0 < stop - at < 0.04 for stop, at in zip(told["stops"][1:], moments[1:], strict=True))
    assert cli.main(["replay", "nobody", "--plain"]) != 0


def test_the_newest_revisions_of_a_deck_are_kept(tmp_path: Path) -> None:
    for n in range(kept_decks.MOST + 5):
        kept_decks.keep(tmp_path, f"rev {n}", str(n).encode())
    assert kept_decks.read(tmp_path, f"rev {kept_decks.MOST + 4}") == str(kept_decks.MOST + 4).encode()
    assert len(list((tmp_path / "decks").iterdir())) == kept_decks.MOST
    assert kept_decks.read(tmp_path, "../../etc/passwd") is None
