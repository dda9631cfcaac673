"""What another installed package brings: a real distribution with entry points, in processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ENTRY = Path(__file__).parents[4] / "teachrun.py"
MODULE = '''
from pathlib import Path
from runtime.snippets.language_commands import Executor
from runtime.catalog.params import LAUNCH_PARAMS, DemoSpec, Param
from slides.dialects.native import Translation
from slides.drawing.text import Span
from slides.palette import Palette
from tui.views.view import View

HERE = Path(__file__).parent
GOSSIP = DemoSpec("gossip", "Who heard it", HERE / "acme_gossip.py",
                  (*LAUNCH_PARAMS, Param("steps", "int", 3, "rounds", 1, 9, rank_arg=True)),
                  lambda values: values["steps"])
SUNNY = Palette("sunny", False, {"accent": "#0000aa"})
LOUD = Executor(("sh", "-c", "tr a-z A-Z < \\"$1\\"", "sh", "{file}"), ".txt")
TOML = HERE / "acme_night.toml"


class Equals:
    """Slides are parted by lines of ====."""

    def marks(self, text):
        return "\\n====\\n" in text

    def read(self, text, source):
        lines = ["---" if line == "====" else line for line in text.lines]
        return Translation("\\n".join(lines), tuple(text.places))


class Bad(Equals):
    def read(self, text, source):
        raise ValueError("what is this")


EQUALS, BAD = Equals(), Bad()


def heat(snapshot, width, height, rank):
    return [(Span(f"{len(snapshot.rows)} warm ranks \\x1b[31m"),)]


def hot(snapshot, width, height, rank):
    return 1 / 0


HEAT, HOT = View("heat", "Heat of each rank", heat), View("hot", "Too hot", hot, has=lambda run: 1 / 0)
'''
ENTRIES = """
[teachrun.demos]
gossip = acme_brought:GOSSIP
broken = acme_brought:NOTHING
number = acme_brought:HERE
ddp = acme_brought:GOSSIP
[teachrun.themes]
sunny = acme_brought:SUNNY
midnight = acme_brought:TOML
dull = acme_brought:HERE
[teachrun.executors]
loud = acme_brought:LOUD
[teachrun.dialects]
equals = acme_brought:EQUALS
bad = acme_brought:BAD
[teachrun.views]
heat = acme_brought:HEAT
hot = acme_brought:HOT
gone = acme_brought:NOTHING
here = acme_brought:HERE
loss = acme_brought:HEAT
"""
GOSSIP = """
import torch.distributed as dist
dist.init_process_group("gloo")
print("heard", dist.get_rank())
dist.destroy_process_group()
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of packages with one distribution, `acme-lessons 1.0`."""
    site = tmp_path / "site"
    told = site / "acme_lessons-1.0.dist-info"
    told.mkdir(parents=True)
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-lessons\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text(ENTRIES)
    (site / "acme_brought.py").write_text(MODULE)
    (site / "acme_gossip.py").write_text(GOSSIP)
    (site / "acme_night.toml").write_text('[colours]\naccent = "#00ff00"\n')
    return site


def started(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", *words],
        cwd=site.parent, env=os.environ | {"PYTHONPATH": str(site)},
        capture_output=True, text=True, timeout=150,
    )  # fmt: skip


def ran(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return started(site, str(ENTRY), *words)


def evaluated(site: Path, code: str) -> str:
    done = started(site, "-c", code)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_its_demo_is_listed_and_found_and_what_is_broken_names_the_package(site: Path) -> None:
    listed = ran(site, "list")
    assert listed.returncode == 0, listed.stderr
    words = " ".join(listed.stdout.split())
    assert "gossip Who heard it" in words
    assert "broken cannot be used: acme-lessons 1.0 brings broken, which cannot be imported" in words
    assert "number cannot be used: acme-lessons 1.0 brings number, which is not a DemoSpec" in words
    assert ran(site, "path", "gossip").stdout.strip() == str(site / "acme_gossip.py")
    asked = json.loads(ran(site, "list", "gossip", "--json").stdout)
    assert [demo["name"] for demo in asked["demos"]] == ["gossip"]
    refused = ran(site, "run", "broken")
    assert refused.returncode == 2 and "acme-lessons 1.0" in refused.stderr, refused.stderr
    assert "Traceback" not in refused.stderr + listed.stderr
    assert ran(site, "path", "ddp").stdout.strip().endswith("runtime/demos/ddp.py")  # ours come first


def test_its_theme_is_worn(site: Path) -> None:
    code = """
from pathlib import Path
from slides import palette
from tui.deck.contents import open_deck
for name in ("sunny", "midnight", "dull"):
    Path("deck.md").write_text(f"---\\ntheme: {name}\\n---\\n# One\\n")
    deck = open_deck("deck.md")
    worn = palette.asked_for(deck.meta)
    said = " ".join(p.message for p in deck.problems)
    print(worn, palette.THEMES[worn].dark, palette.THEMES[worn].colour("accent"), "acme-lessons 1.0" in said)
"""
    assert evaluated(site, code).splitlines() == [
        "sunny False #0000aa False", "midnight True #00ff00 False", "dark True #7cc4ff True",
    ]  # fmt: skip


def test_a_language_of_its_runs_code(site: Path) -> None:
    (site.parent / "block.txt").write_text("hello")
    code = """
import subprocess
from pathlib import Path
from runtime.snippets.language_commands import executor
print(subprocess.check_output(executor("loud").command(Path("block.txt")), text=True), executor("quiet").why)
"""
    assert evaluated(site, code) == "HELLO nothing here runs quiet"


def test_its_dialect_reads_a_deck_that_names_it_and_check_sees_its_marks(site: Path) -> None:
    deck = site.parent / "deck.md"
    deck.write_text("---\nformat: equals\n---\n# One\n\n====\n\n# Two\n")
    told = json.loads(ran(site, "check", str(deck), "--json").stdout)
    assert (told["format"], told["slides"], told["problems"]) == ("equals", 2, [])
    deck.write_text("# One\n\n====\n\n# Two\n")
    told = json.loads(ran(site, "check", str(deck), "--json").stdout)
    assert told["format"] != "equals"
    assert any("acme-lessons 1.0 reads" in note["message"] for note in told["notes"])
    told = json.loads(ran(site, "check", str(deck), "--json", "--format", "equals").stdout)
    assert (told["format"], told["slides"]) == ("equals", 2)
    done = ran(site, "check", str(deck), "--format", "bad")
    assert "acme-lessons 1.0 reads bad and failed: ValueError: what is this" in done.stdout, done.stderr


def test_its_view_is_drawn_and_a_broken_one_is_a_box_that_says_where(site: Path) -> None:
    code = """
import sys
from slides.drawing.text import plain
from tui.views import registry
from tui.views.panel import panel
sys.path.append("MADE")
import made_snapshots as made
sys.modules.pop("importlib.metadata", None)  # of recordings, which the snapshots are made from
def shown(chosen, **own):
    lines = panel(made.full(**own), 100, 30, view=chosen)
    assert [sum(len(span.text) for span in line) for line in lines] == [100] * 30
    return "\\n".join(plain(line) for line in lines)
assert "acme_brought" not in sys.modules
shown("loss")
assert "acme_brought" not in sys.modules and "importlib.metadata" not in sys.modules
world = made.full().world
assert f"{world} warm ranks" in shown("heat") and "\\x1b" not in shown("heat")
assert f"{world} warm ranks" in shown("", view="heat")
for view, own in (("hot", "table"), ("", "hot")):
    said = " ".join(shown(view, view=own).split())
    assert "acme-lessons 1.0 brings hot, which cannot be drawn" in said, said
    assert "ZeroDivisionError: division by zero (acme_brought.py:" in said, said
assert "acme-lessons 1.0 brings gone, which cannot be imported" in shown("gone")
assert "acme-lessons 1.0 brings here, which is not a tui.views.view.View" in shown("here")
assert "warm ranks" not in shown("loss")
print([view.name for view in registry.every() if view.name not in registry.OURS])
""".replace("MADE", str(Path(__file__).parents[2]))
    assert evaluated(site, code) == "['heat', 'hot', 'gone', 'here']"


def test_doctor_names_who_is_to_blame(site: Path) -> None:
    code = """
from tui.health import machine
for finding in machine._brought():
    print(finding.state, finding.said)
"""
    said = evaluated(site, code)
    assert "good demo gossip of acme-lessons 1.0" in said
    assert "warning demo ddp of acme-lessons 1.0 is not used: teachrun has one of that name" in said
    assert "warning acme-lessons 1.0 brings broken, which cannot be imported" in said
    assert (
        "good view heat" in said and "warning acme-lessons 1.0 brings here, which is not a tui.views" in said
    )
    assert "warning view loss of acme-lessons 1.0 is not used: teachrun has one of that name" in said
    assert said.count("good dialect") == 2 and "good theme sunny" in said and "good executor loud" in said


def test_a_deck_of_ours_looks_for_no_other_package(site: Path) -> None:
    code = """
import sys
from pathlib import Path
from tui.deck.contents import Contents, open_deck
Path("deck.md").write_text("---\\ntheme: light\\n---\\n# One\\n\\n::: demo ddp {#d} ranks=2\\n")
Contents(open_deck("deck.md")).slide(0)
print("acme_brought" in sys.modules, "importlib.metadata" in sys.modules)
"""
    assert evaluated(site, code) == "False False"


def test_a_package_that_takes_long_to_import_holds_up_no_loop(site: Path) -> None:
    """It imports in a thread of its own; who has a loop is told so, and has it when it is there."""
    gate = site / "gate"
    os.mkfifo(gate)
    (site / "acme_brought.py").write_text(f"open({str(gate)!r}).read()\n" + MODULE)
    (site / "acme_gossip.py").write_text(GOSSIP)
    code = f"""
import teachrun
from runtime.catalog import registry
from runtime.catalog.params import Refusal
teachrun.be_quick(0.0)
assert not registry.is_known("gossip") and registry.is_known("ddp") and registry.is_known("nobody")
said = registry.check("gossip", {{}})
assert isinstance(said, Refusal) and "is still being imported" in said.why, said
assert registry.find("gossip") is None
open({str(gate)!r}, "w").close()
while not registry.is_known("gossip"):
    pass
assert registry.find("gossip").title == "Who heard it"
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ENTRY.parent, check=False,
        env=os.environ | {"PYTHONPATH": str(site)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_figures_of_a_brought_demo_that_raise_are_a_refusal(site: Path) -> None:
    (site / "acme_gossip.py").write_text(GOSSIP)
    (site / "acme_brought.py").write_text(
        MODULE.replace('lambda values: values["steps"]', "lambda values: 1 / 0")
    )
    code = """
from runtime.catalog import registry
said = registry.check("gossip", {})
assert said.why.startswith("gossip of acme-lessons 1.0 fails on these values: ZeroDivisionError"), said
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ENTRY.parent, check=False,
        env=os.environ | {"PYTHONPATH": str(site)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
