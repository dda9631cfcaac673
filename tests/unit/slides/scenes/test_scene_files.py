"""A scene by a Python file: what it gives, and what is said of one that fails, hangs or gives no scene."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from slides.audience_deck import audience_deck
from slides.deck import Box as Boxed
from slides.deck import Scene, Slide
from slides.problems import Mistake
from slides.reading.parse import parse_slide
from slides.reading.split import split
from slides.scenes import on_slide
from slides.scenes.python_files import scene_data, scene_results, scene_run
from slides.scenes.python_files.scene_run import USUAL, Limits

TOKEN = """\
from slides.scenes.shapes import Box, State


def scene(ranks: int = 4, words: str = "it", whole: bool = False):
    each = 160 / ranks
    for holder in range(ranks):
        boxes = [Box(id=f"rank {n}", at=(each * n, 20), size=(each - 4, 12)) for n in range(ranks)]
        yield State(tuple(boxes), lead=f"Rank {holder} has {words} {whole}")
"""


def written(folder: Path, source: str) -> Path:
    file = folder / "my_scene.py"
    file.write_text(source, "utf-8")
    return file


def wrong(folder: Path, source: str, limits: Limits = USUAL, **words: str) -> str:
    with pytest.raises(Mistake) as why:
        scene_run.run(written(folder, source), words, limits)
    return f"{why.value.message}. {why.value.mend}"


def test_its_function_is_called_with_the_words_of_its_line_as_its_own_types(tmp_path: Path) -> None:
    said = scene_run.run(written(tmp_path, TOKEN), {"ranks": "3", "words": "a token", "whole": "1"})
    found = scene_data.states(said)
    assert [state.lead for state in found] == [f"Rank {n} has a token True" for n in range(3)]
    assert [shape.id for shape in found[0].shapes] == ["rank 0", "rank 1", "rank 2"]


def test_it_runs_in_a_process_of_its_own_which_is_gone_afterwards(tmp_path: Path) -> None:
    source = (
        TOKEN + f"import os\nopen({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\nprint('noise')\n"
    )
    scene_run.run(written(tmp_path, source), {})
    pid = int((tmp_path / "pid").read_text())
    assert pid != os.getpid()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            "def scene(n: int = 0):\n    return [1 / n]\n",
            "my_scene.py:2: ZeroDivisionError: division by zero",
        ),
        ("def scene(:\n", "my_scene.py:1: SyntaxError"),
        ("import no_such_module\n", "my_scene.py:1: ModuleNotFoundError"),
        ("x = 1\n", "it has no function `scene`. Write `def scene(ranks: int = 4): …`"),
        ("def scene():\n    return 3\n", "my_scene.py:1: `scene` returned a int. Return a list of `State`"),
        ("def scene():\n    pass\n", "my_scene.py:1: `scene` returned nothing"),
        ("def scene():\n    return ['a']\n", "`scene` returned a str as step 1"),
        ("def scene():\n    return []\n", "this scene has 0 steps"),
        ("def scene(ranks):\n    return []\n", "the parameter `ranks` has no default"),
        ("raise SystemExit(3)\n", "my_scene.py:1: SystemExit: 3"),
        ("import os\nos._exit(3)\n", "my_scene.py ended without a scene: its process ended with 3"),
        ("import os\nos.kill(os.getpid(), 11)\n", "its process was ended by SIGSEGV"),
        ("def scene():\n    return [0] * 10**12\n", "my_scene.py:2: it needs more than 2 GB of memory"),
    ],
)
def test_what_fails_is_said_with_its_line(tmp_path: Path, source: str, said: str) -> None:
    assert said in wrong(tmp_path, source)


SHAPES = "from slides.scenes.shapes import *\ndef scene():\n    return [State(({shape},))]\n"


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ("Box(id='a', at=(float('nan'), 1), size=(1, 1))", "(Box `a`): `at` has no number"),
        ("Box(id='a', at=(float('inf'), 1), size=(1, 1))", "(Box `a`)"),
        ("Box(id='a', at=(1e300, 1), size=(1, 1))", "is nowhere"),
        ("Box(id='a', at=(1, 1, 1), size=(1, 1))", "is nowhere. Its points are (x, y)"),
        ("Box(id='a', at=(1, 1), size=(1, 1), ink='parms')", "Did you mean `params`?"),
        ("Box(id='', at=(1, 1), size=(1, 1))", "has no id"),
        ("Box(id='a', at='x', size=(1, 1))", "step 1, shape 1 (Box `a`)"),
        ("Path(id='a', points=((1, 1),))", "fewer than two points"),
        ("Label(id='a', at=(1, 1), text='x' * 9999)", "9999 characters"),
        ("Label(id='a', at=(1, 1), text=3)", "step 1, shape 1 (Label `a`)"),
        ("*(Label(id='a', at=(1, 1), text='x') for _ in 'ab')", "two shapes with the id `a`"),
        ("*(Label(id=str(n), at=(1, 1), text='x') for n in range(5000))", "step 1 has 5000 shapes"),
        ("3", "step 1 has a int among its shapes"),
    ],
)
def test_a_shape_that_cannot_be_drawn_is_named(tmp_path: Path, shape: str, said: str) -> None:
    assert said in wrong(tmp_path, SHAPES.replace("{shape}", shape))


def test_one_that_hangs_is_ended_and_its_line_said(tmp_path: Path) -> None:
    source = "import time\ndef scene():\n    time.sleep(1000)\n"
    said = wrong(tmp_path, source, Limits(seconds=1.0))
    assert "my_scene.py:3 was ended: it ran for more than 1 s" in said


def test_a_word_that_it_does_not_take_is_named(tmp_path: Path) -> None:
    assert "it does not know `rank`. Did you mean `ranks=`?" in wrong(tmp_path, TOKEN, rank="3")
    assert "ranks is a whole number, not 'many'" in wrong(tmp_path, TOKEN, ranks="many")


def test_processes_that_it_starts_end_with_it(tmp_path: Path) -> None:
    started = "str(subprocess.Popen(['sleep', '999']).pid)"
    source = f"import subprocess\nopen({str(tmp_path / 'pid')!r}, 'w').write({started})\n"
    scene_run.run(written(tmp_path, source + TOKEN), {})
    state = Path(f"/proc/{(tmp_path / 'pid').read_text()}/stat")
    for _ in range(500):  # the kernel may take a moment to end it
        if not state.exists() or state.read_text().split()[2] == "Z":
            return
        time.sleep(0.01)
    pytest.fail("it runs on")


def test_the_example_of_the_reference_is_a_scene(tmp_path: Path) -> None:
    page = (Path(__file__).parents[4] / "slides" / "FORMAT.md").read_text("utf-8")
    example = page[page.index("# pass_on.py") :].partition("```")[0]
    found = scene_data.states(scene_run.run(written(tmp_path, example), {"ranks": "5"}))
    assert [state.lead for state in found] == [f"Rank {n} has it" for n in range(5)]


def test_a_module_beside_it_is_found_and_one_of_pythons_own_names_is_not_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "token.py").write_text("raise SystemExit\n")
    (tmp_path / "beside_it.py").write_text("WORDS = 'from beside'\n")
    source = TOKEN.replace('words: str = "it"', "words: str = WORDS")
    said = scene_run.run(written(tmp_path, "from beside_it import WORDS\n" + source), {})
    assert "from beside" in said


# --- in a deck ----------------------------------------------------------------------------------------------


def slide(folder: Path) -> Slide:
    text = "# A\n\n::: scene file=my_scene.py ranks=3\n\n<!-- pause -->\n\nafter\n"
    return parse_slide(split(text, str(folder / "d.md")), 0)


def remembered(folder: Path) -> Path:
    file = written(folder, TOKEN)
    steps = scene_run.run(file, {"ranks": "3"})
    scene_results.remember(scene_results.key(file, TOKEN, {"ranks": "3"}), steps, ("", ""), ())
    return file


def test_a_slide_runs_nothing_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "my_scene.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    block = slide(tmp_path).blocks[1]
    assert isinstance(block, Scene) and block.script == "my_scene.py" and block.frames == 1
    assert on_slide.of(block).state(0).lead == "my_scene.py has not run yet"
    assert not (tmp_path / "ran").exists()


def test_its_steps_are_steps_of_the_slide_until_the_file_is_another(tmp_path: Path) -> None:
    file = remembered(tmp_path)
    block = slide(tmp_path).blocks[1]
    assert isinstance(block, Scene) and block.frames == 3
    assert on_slide.of(block).state(2).lead == "Rank 2 has it False"
    assert slide(tmp_path).steps == 4 and str(file) in slide(tmp_path).files
    file.write_text(TOKEN.replace("has", "holds"))
    again = slide(tmp_path).blocks[1]
    assert isinstance(again, Scene) and again.body == ""


def test_a_failure_is_a_box_on_its_line(tmp_path: Path) -> None:
    file = written(tmp_path, TOKEN)
    wrong = ("my_scene.py:3: no", "Mend it.")
    scene_results.remember(scene_results.key(file, TOKEN, {"ranks": "3"}), "", wrong, ())
    box = slide(tmp_path).blocks[1]
    assert isinstance(box, Boxed) and box.line == 3 and "my_scene.py:3: no" in box.problem.message


def test_a_file_outside_the_folder_or_of_another_kind_is_a_box(tmp_path: Path) -> None:
    for words, said in (
        ("../x.py", "outside the deck's folder"),
        ("x.sh", "is no Python file"),
        ("x.py", "there is no file"),
    ):
        box = parse_slide(split(f"# A\n\n::: scene file={words}\n", str(tmp_path / "d.md")), 0).blocks[1]
        assert isinstance(box, Boxed) and said in box.problem.message


def test_an_audience_gets_the_steps_and_reads_nothing(tmp_path: Path) -> None:
    remembered(tmp_path)
    text = "# A\n\n::: scene file=my_scene.py ranks=3\n\nafter\n"
    theirs = audience_deck(split(text, str(tmp_path / "d.md")))
    assert "my_scene" not in theirs.source
    shown = parse_slide(theirs, 0, trusted=False)
    block = shown.blocks[1]
    assert isinstance(block, Scene) and block.frames == 3 == shown.steps
    assert on_slide.of(block).state(1).lead == "Rank 1 has it False"


def test_an_audience_waits_for_one_that_has_not_run(tmp_path: Path) -> None:
    written(tmp_path, TOKEN)
    theirs = audience_deck(split("# A\n\n::: scene file=my_scene.py\n", str(tmp_path / "d.md")))
    block = parse_slide(theirs, 0, trusted=False).blocks[1]
    assert isinstance(block, Scene) and block.frames == 1


@pytest.mark.parametrize(
    "text", ["", "{}", "null", "[]", "[1]", '[{"shapes": [{}]}]', '[{"shapes": 3}]', "[" * 9999]
)
def test_garbage_as_steps_is_told(text: str) -> None:
    with pytest.raises(Mistake):
        scene_data.states(text)


def test_steps_come_back_as_they_were() -> None:
    from slides.scenes import registry

    for name in registry.names():
        scene = registry.scene(name)
        assert scene is not None
        values = scene.values({})
        first = scene.state(0, values)
        back = scene_data.states(scene_data.encoded([first]))[0]
        assert {s.id: type(s) for s in back.shapes} == {s.id: type(s) for s in first.shapes}
        assert back.lead == first.lead and back.size == first.size and back.camera == first.camera
        assert json.loads(scene_data.encoded([back])) == json.loads(scene_data.encoded([first]))
