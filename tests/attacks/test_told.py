"""What a terminal obeys, in what ran, was recorded or was installed, told by commands that go well."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from made_payloads import CONTROLS, MARK, obeyed
from teachrun_process import teachrun

from runtime.protocol import events
from runtime.recordings.files import About, Figures, Machine
from runtime.recordings.recorder import Recorder
from tui import cli
from tui.rendering import escape_filter

EVIL = "".join(f"{control}{MARK}" for control in CONTROLS.values())
RUN = "20261121-041000-aaaa"
ROOT = Path(__file__).parents[2]


def spoiled(value: Any) -> Any:
    """The same with every text of it followed by what nobody should obey."""
    if isinstance(value, str):
        return value + EVIL
    if isinstance(value, dict):
        return {spoiled(key): spoiled(of) for key, of in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(spoiled, value))
    return value


def said(run: str) -> list[events.Event]:
    """One event of every kind that has words in it, and those without which no run is told."""
    made: list[events.Event] = []
    for rank in range(2):
        at = (run, 1, rank)
        made += [
            events.Hello(*at, 1000.0, 1, rank, 0, 2, 100 + rank, EVIL, EVIL, 1000.0, 5e8, EVIL),
            events.Boot(*at, 1000.1, EVIL),
            events.Collective(*at, 1001.0, 0, EVIL, EVIL, -1, 1000, 0, 1000.5, 1001.0, 0.5),
            events.Step(*at, 1001.0, 0, 1000.5, 2.5, 64, 0.0, 0.1, 0.4, 0.0, 0.0),
            events.Check(*at, 1001.0, 0, EVIL, 1.0),
            events.Beat(*at, 1001.0, EVIL, 0, 0, 0, 0),
            events.Value(*at, 1001.0, EVIL, [1.0, 2.0], EVIL, [EVIL, EVIL]),
            events.Log(*at, 1001.0, "out", EVIL),
            events.Done(*at, 1002.0, 1, None, {EVIL: EVIL, "x": 1.0}),
        ]
    return made


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    fields: dict[str, Any] = {
        "run": RUN, "demo": EVIL, "block": EVIL, "params": {"ranks": "2", EVIL: EVIL}, "ranks": 2, "steps": 8,
        "started": 1.6e9, "asked_at": 995.0, "badge": EVIL, "backend": EVIL, "device": EVIL,
        "state": "failed",
        "why": EVIL, "ran_s": 9.5, "figures": Figures(steps=8, loss=2.8),
    }  # fmt: skip
    fields = {key: value for key, value in fields.items() if key in About.__struct_fields__}
    runs = tmp_path / "teachrun" / "runs"
    recorder = Recorder(runs, About(**fields))
    recorder.take(said(RUN))
    recorder.close(About(**fields)).result()
    assert not recorder.note
    file = runs / RUN / "run.json"
    told = json.loads(file.read_text())
    told["made_on"] = spoiled(msgspec.to_builtins(Machine("Linux", "6", "x86", "a cpu", 2, "3.12")))
    file.write_text(json.dumps(told))
    return RUN


COMMANDS = {
    "list": ["runs", "list"],
    "list --json": ["runs", "list", "--json"],
    "replay": ["runs", "replay", RUN],
    "replay --speed": ["runs", "replay", RUN, "--speed", "64"],
    "replay --json": ["runs", "replay", RUN, "--json"],
    "replay --jsonl": ["runs", "replay", RUN, "--jsonl"],
    "export --csv": ["runs", "export", RUN, "--csv"],
    "export --json": ["runs", "export", RUN, "--json"],
    "export --perfetto": ["runs", "export", RUN, "--perfetto", "-"],
    "keep": ["runs", "keep", RUN, "kept" + EVIL.replace("/", "").encode()[:100].decode(errors="ignore")],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_recorded_run(
    name: str,
    recorded: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(COMMANDS[name]) == 0
    told = capsys.readouterr()
    assert MARK in told.out + told.err
    assert obeyed(told.out) == set(), told.out[:300]
    assert obeyed(told.err, "\n\r") == set(), told.err[:300]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_what_somebody_forgot_to_clean_ends_before_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """And a file gets what was asked for."""
    for out, passes in ((Terminal(), False), (io.StringIO(), True)):
        monkeypatch.setattr(sys, "stdout", out)
        with escape_filter.lines():
            print(EVIL)
        assert sys.stdout is out and MARK in out.getvalue()
        assert bool(obeyed(out.getvalue(), "\n\r")) == passes


def test_a_traceback_of_ours_holds_none_of_it(tmp_path: Path) -> None:
    code = f"""
from tui import cli
def main(options): raise ValueError({EVIL!r})
cli.module_of = lambda name: type("M", (), {{"main": main, "configure": lambda parser: None}})
cli.main(["ps"])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, errors="replace", cwd=ROOT, check=False
    )
    assert done.returncode == 1 and "ValueError" in done.stderr and MARK in done.stderr
    assert obeyed(done.stderr) == set(), done.stderr


PROCESS = "import time; time.sleep(600)"


def test_processes_with_such_marks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What `ps` reads in the environment of a process may be written by anybody who starts one."""
    environ = os.environ | {key: EVIL.replace("\0", "") for key in ("TEACHRUN_RUN", "TEACHRUN_CLASS")}
    environ |= {"TEACHRUN_CLASS": os.environ.get("TEACHRUN_CLASS", "") + EVIL, "TEACHRUN_PART": EVIL}
    process = subprocess.Popen([sys.executable, "-c", PROCESS], env=environ)
    try:
        for argv in (["ps"], ["ps", "--json"]):
            assert cli.main(argv) == 0
            told = capsys.readouterr()
            assert obeyed(told.out + told.err) == set(), told.out[:300]
    finally:
        process.kill()
        process.wait()


MODULE = """
from pathlib import Path
from runtime.catalog.params import LAUNCH_PARAMS, DemoSpec, Param
EVIL = {evil!r}
HERE = Path(__file__).parent
EVILS = DemoSpec("evils" + EVIL, "t" + EVIL, HERE / ("x" + EVIL[:40].replace("/", "") + ".py"),
    (*LAUNCH_PARAMS, Param("steps", "int", 3, "r" + EVIL, 1, 9, rank_arg=True)), lambda values: 3,
    watch="w" + EVIL, when="u" + EVIL)
OTHER = DemoSpec("other", "t" + EVIL, HERE / "y.py",
    (*LAUNCH_PARAMS, Param("s" + EVIL, "choice", "a" + EVIL, "r", choices=("a" + EVIL,), rank_arg=True)),
    lambda values: None, watch="w" + EVIL, when="u" + EVIL)
def raises():
    raise ValueError(EVIL)
class Bad:
    def __getattr__(self, name):
        raise ValueError(EVIL)
BAD = Bad()
"""
ENTRIES = """
[teachrun.demos]
evils = acme_evil:EVILS
other = acme_evil:OTHER
bad = acme_evil:BAD
gone{evil} = acme_evil:NOTHING
[teachrun.themes]
sunny{evil} = acme_evil:BAD
[teachrun.executors]
loud{evil} = acme_evil:BAD
[teachrun.dialects]
equals{evil} = acme_evil:BAD
"""


@pytest.mark.parametrize(
    "argv",
    [["list"], ["list", "--json"], ["list", "other"], ["list", "evils"], ["list", "bad"], ["run", "bad"],
     ["run", "other", "x=y"], ["run", "evils"], ["path", "other"], ["path", "bad"], ["doctor"],
     ["doctor", "--json"], ["run", "--help"], ["convert", "--help"], ["completion", "bash"]],
    ids=" ".join,
)  # fmt: skip
def test_what_another_package_brings(tmp_path: Path, argv: list[str]) -> None:
    site = tmp_path / "site"
    told = site / "acme_evil-1.0.dist-info"
    told.mkdir(parents=True)
    inline = "".join(c for c in EVIL if c not in "\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
    evil = inline.replace("=", "").replace(":", "").replace("[", "")
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: acme-evil{evil}\nVersion: 1.0{evil}\n")
    (told / "entry_points.txt").write_text(ENTRIES.format(evil=evil))
    (site / "acme_evil.py").write_text(MODULE.format(evil=inline))
    done = subprocess.run(
        [sys.executable, "-P", str(ROOT / "teachrun.py"), *argv],
        capture_output=True, text=True, errors="replace", check=False, cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": f"{site}{os.pathsep}{ROOT}"},
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    assert obeyed(done.stdout + done.stderr) == set(), (done.stdout + done.stderr)[:2000]


def test_a_recording_of_a_screen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its head and its markers are read by `export`, its screens by a terminal of ours."""
    cast = tmp_path / "held.cast"
    head = {
        "version": 2,
        "width": 40,
        "height": 10,
        "title": EVIL,
        "timestamp": 1,
        "teachrun": {"class": EVIL},
    }
    rows = [[0.1, "o", EVIL], [0.2, "m", EVIL], [0.3, "o", "x" + EVIL], [0.4, EVIL, EVIL]]
    cast.write_text("\n".join(map(json.dumps, [head, *rows])) + "\n")
    for argv in (
        ["export", str(cast), "--gif", "-o", str(tmp_path / "a.gif")],
        ["export", str(cast), "--gif", "--slide", EVIL, "-o", str(tmp_path / "a.gif")],
        ["export", str(cast), "--html", "-o", str(tmp_path / "a.html")],
        ["check", str(cast)],
    ):
        try:
            cli.main(argv)
        except SystemExit:
            pass
        told = capsys.readouterr()
        assert obeyed(told.out + told.err) == set(), (argv, told.out[:300], told.err[:300])
        assert "Traceback" not in told.err


SCRIPT = """
import os, sys
import torch.distributed as dist
dist.init_process_group("gloo")
evil = {evil!r}
print(evil)
sys.stderr.write(evil + "\\n")
os.write(1, evil.encode("utf-8", "surrogateescape") + b"\\xff\\xfe\\x9b2J\\n")
dist.barrier()
if dist.get_rank() == 1:
    class Broken(Exception): pass
    Broken.__name__ = Broken.__qualname__ = "Broken" + evil
    raise Broken(evil)
dist.barrier()
"""


@pytest.mark.slow
def test_ranks_that_print_it_and_fail_with_it(tmp_path: Path) -> None:
    """Real ranks: their logs, the name of an error and what it says, a parameter and a path."""
    folder = tmp_path / ("f" + EVIL.replace("/", "").encode()[:120].decode(errors="ignore"))
    folder.mkdir()
    script = folder / "train.py"
    script.write_text(SCRIPT.format(evil=EVIL), errors="surrogatepass")
    events = tmp_path / "events.jsonl"
    code, out, err = teachrun(
        *("run", str(script), "ranks=2", "--jsonl", str(events)),
        timeout_s=300, errors="surrogateescape", env=os.environ | {"XDG_DATA_HOME": str(tmp_path)},
    )  # fmt: skip
    assert code == 1 and "Broken" in out + err
    assert obeyed(out) == set(), out[:2000]
    assert obeyed(err, "\n\r") == set(), err[:2000]
    told = events.read_text(
        errors="surrogateescape"
    )  # as they would stand on stdout, where somebody reads them
    assert "Broken" in told and obeyed(told) == set(), told[:2000]
